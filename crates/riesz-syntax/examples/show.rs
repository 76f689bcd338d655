//! Shows errors.
use riesz_syntax::*;
fn main() {
    for text in std::env::args().skip(1) {
        let mut sources = Sources::default();
        let file = sources.add("file.rz", text.replace("\\n", "\n").replace("\\t", "\t"));
        let (_, d) = parse(file, &sources.get(file).text, &ParseOptions::default());
        println!("{}", render(&d, &sources, false));
    }
}
