//! time
use riesz_syntax::*;
fn main() {
    let function = "fun f(w: [n]R, x: [m][n]R, y: [m]R): R =\n  let s = sum((dot(w, x[i]) - y[i])^2 | i < m) / m\n  \
                    let t = if s > 0.0 then s else -s * 2.0 # comment\n  s + t\n\n"
        .repeat(20_000);
    let t = std::time::Instant::now();
    let l = lexer::lex(FileId(0), &function);
    println!("lex {:?} {} tokens", t.elapsed(), l.tokens.len());
    let t = std::time::Instant::now();
    let (tree, _) = parse(FileId(0), &function, &ParseOptions::default());
    println!("parse {:?} {}", t.elapsed(), tree.exprs.len());
}
