//! Every production of the grammar, and the precedence of the operators.

use crate::support::{expression, expression_errors, program, ty};

#[track_caller]
fn check(text: &str, shape: &str) {
    assert_eq!(expression(text), shape, "in {text:?}");
}

#[test]
fn the_first_look_of_the_manual() {
    let text = r#"# Log-likelihood of a mixture, and its gradient.
fun logsumexp(v: [n]R): R =
  let m = max(v)
  m + log(sum(exp(x - m) | x in v))

fun loss(w: [n]R, x: [m][n]R, y: [m]R): R =
  sum((dot(w, x[i]) - y[i])^2 | i < m) / m

let origin = [0.0, 0.0]

check grad(logsumexp, origin) ~= [0.5, 0.5]
check "a derivative is a linear map" D(\x -> x * x, 3.0)(1.0) == 6.0
check adjoint(D(\x -> x * x, 3.0))(1.0) == 6.0
check grad(loss(_, [[1.0, 2.0]], [3.0]), origin) ~= [-6.0, -12.0]
"#;
    let shape = r#"fun logsumexp(v: [n]R): R = (let m = max(v) in (+ m log(sum(exp((- x m)) | x in v))))
fun loss(w: [n]R, x: [m][n]R, y: [m]R): R = (/ sum((^ (paren (- dot(w, x[i]) y[i])) 2) | i < m) m)
let origin = [0.0, 0.0]
check (~= grad(logsumexp, origin) [0.5, 0.5])
check "a derivative is a linear map" (== D((\x -> (* x x)), 3.0)(1.0) 6.0)
check (== adjoint(D((\x -> (* x x)), 3.0))(1.0) 6.0)
check (~= grad(loss(_, [[1.0, 2.0]], [3.0]), origin) [(neg 6.0), (neg 12.0)])"#;
    assert_eq!(program(text), shape);
}

#[test]
fn items() {
    assert_eq!(program(""), "");
    assert_eq!(program("# nothing\n"), "");
    assert_eq!(program("fun f() = 1"), "fun f() = 1");
    let stated = "fun f(x: R): R = x * x derivative \\d -> x * d\nfun g(x: R): R =\n  x\n  implicit f";
    assert_eq!(program(stated), "fun f(x: R): R = (* x x) Derivative (\\d -> (* x d))\nfun g(x: R): R = x Implicit f");
    // Only there the words mean anything.
    assert_eq!(program("fun derivative(implicit: R) = implicit"), "fun derivative(implicit: R) = implicit");
    assert_eq!(program("fun f((a, b): (R, R), _: R): R = a"), "fun f((a, b): (R, R), _: R): R = a");
    assert_eq!(program("let x: R = 1"), "let x: R = 1");
    assert_eq!(program("type Pair = (R, R)"), "type Pair[] = (R, R)");
    assert_eq!(program("type M[a, b] = {w: [a, b]R}"), "type M[a, b] = {w: [a][b]R}");
    assert_eq!(program("check true"), "check true");
    assert_eq!(program("check \"a # b\" true"), "check \"a # b\" true");
    assert_eq!(program("import \"a.rz\""), "import \"a.rz\"");
    assert_eq!(program("let a = 1 let b = 2 check a == b"), "let a = 1\nlet b = 2\ncheck (== a b)");
    assert_eq!(program("let a = 1; let b = 2;"), "let a = 1\nlet b = 2");
    assert_eq!(program("\u{feff}let a = 1\r\nlet b = 2\r\n"), "let a = 1\nlet b = 2");
}

#[test]
fn atoms() {
    check("3", "3");
    check("3.0", "3.0");
    check("1e-3", "0.001");
    check("1E+3", "1000.0");
    check("1.5e3", "1500.0");
    check("0x1F", "31");
    check("1_000", "1000");
    check("18446744073709551615", "18446744073709551615");
    check("18446744073709551616", "1.8446744073709552e19");
    check("0x1_0000_0000_0000_0001", "1.8446744073709552e19");
    check("0xFFFFFFFFFFFFFFFF", "18446744073709551615");
    check("true", "true");
    check("false", "false");
    check("θ", "θ");
    check("Σx", "Σx");
    check("x'", "x'");
    check("x₁", "x₁");
    check("_x", "_x");
    check("()", "(tuple )");
    check("(a)", "(paren a)");
    check("(a, b)", "(tuple a, b)");
    check("{a}", "(block a)");
    check("[]", "[]");
    check("[a, b]", "[a, b]");
    check("[a | i < n]", "[a | i < n]");
    check("[a | i < n, (x, _) in v]", "[a | i < n, (x, _) in v]");
    check("{x = a}", "{x = a}");
    check("{x = a, y = b}", "{x = a, y = b}");
    check("{x == a}", "(block (== x a))");
}

#[test]
fn postfix() {
    check("f()", "f()");
    check("f(a)(b)", "f(a)(b)");
    check("f(a, _, b)", "f(a, _, b)");
    check("f(_)", "f(_)");
    check("f(a, e | i < n)", "f(a, e | i < n)");
    check("f(e | i < n, j < i)", "f(e | i < n, j < i)");
    check("a[i]", "a[i]");
    check("a[i, j][k]", "a[i, j][k]");
    check("t.0.1", "t.0.1");
    check("t.0.x", "t.0.x");
    check("r.x(a)[i].y", "r.x(a)[i].y");
    check("f(x).0", "f(x).0");
    check("[1, 2][0]", "[1, 2][0]");
    check("{x = a}.x", "{x = a}.x");
    check("{f}(a)", "(block f)(a)");
}

#[test]
fn precedence() {
    check("a or b or c", "(or (or a b) c)");
    check("a or b and c", "(or a (and b c))");
    check("a and b or c", "(or (and a b) c)");
    check("not a and b", "(and (not a) b)");
    check("not a == b", "(not (== a b))");
    check("not not a", "(not (not a))");
    check("a and not b or c", "(or (and a (not b)) c)");
    check("a + b == c - d", "(== (+ a b) (- c d))");
    check("a - b - c", "(- (- a b) c)");
    check("a - b + c", "(+ (- a b) c)");
    check("a / b * c", "(* (/ a b) c)");
    check("a + b * c", "(+ a (* b c))");
    check("a * b + c", "(+ (* a b) c)");
    check("-a * b", "(* (neg a) b)");
    check("a * -b", "(* a (neg b))");
    check("a - -b", "(- a (neg b))");
    check("--a", "(neg (neg a))");
    check("-2^2", "(neg (^ 2 2))");
    check("a ^ b ^ c", "(^ a (^ b c))");
    check("a ^ -b", "(^ a (neg b))");
    check("a ^ -b ^ c", "(^ a (neg (^ b c)))");
    check("a ^ -b * c", "(* (^ a (neg b)) c)");
    check("a * b ^ c", "(* a (^ b c))");
    check("-f(x)[0]^2", "(neg (^ f(x)[0] 2))");
    check("a < b and c >= d", "(and (< a b) (>= c d))");
    check("a <= b or c > d", "(or (<= a b) (> c d))");
    check("a != b", "(!= a b)");
    check("a ~= b", "(~= a b)");
    check("a ~= b within 1e-3", "(~= a b 0.001)");
    check("a ~= b + c within d * e - f and g", "(and (~= a (+ b c) (- (* d e) f)) g)");
    check("a - 1", "(- a 1)");
    check("a -1", "(- a 1)");
    check("a<-1", "(< a (neg 1))");
}

#[test]
fn forms() {
    check("let a = 1 in a", "(let a = 1 in a)");
    check("let a = 1; a", "(let a = 1 in a)");
    check("let a = 1\na", "(let a = 1 in a)");
    check("let a: R = 1 in let (b, _) = c in a", "(let a: R = 1, (b, _) = c in a)");
    check("let a = let b = 1 in b in a", "(let a = (let b = 1 in b) in a)");
    check("\\x -> x", "(\\x -> x)");
    check("\\a (b, c) _ -> a", "(\\a (b, c) _ -> a)");
    check("\\((a, b), c) -> a", "(\\((a, b), c) -> a)");
    check("\\(a) -> a", "(\\a -> a)");
    check("if a then b else c", "(if a b c)");
    check("if a then b else if c then d else e", "(if a b (if c d e))");
    check("loop a = 0 for i < n do a + i", "(loop a = 0 for i < n do (+ a i))");
    check("loop (a, b) = c for (x, y) in v do d", "(loop (a, b) = c for (x, y) in v do d)");
    check("loop a = 1 while a < 10 do 2 * a", "(loop a = 1 while (< a 10) do (* 2 a))");
}

#[test]
fn forms_as_last_operands() {
    check("1 + if c then a else b", "(+ 1 (if c a b))");
    check("1 + if c then a else b + 2", "(+ 1 (if c a (+ b 2)))");
    check("2 * \\x -> x + 1", "(* 2 (\\x -> (+ x 1)))");
    check("-if c then a else b", "(neg (if c a b))");
    check("2 ^ let a = 1 in a", "(^ 2 (let a = 1 in a))");
    check("a and loop b = c while d do e", "(and a (loop b = c while d do e))");
    check("not if a then b else c", "(not (if a b c))");
    check("a == not b", "(== a (not b))");
    check("f(\\x -> x, if a then b else c)", "f((\\x -> x), (if a b c))");
    check("a ~= if c then x else y within 1e-3", "(~= a (if c x y) 0.001)");
}

#[test]
fn types() {
    let check = |text, shape| assert_eq!(ty(text), shape, "in {text:?}");
    check("R", "R");
    check("t", "t");
    check("Model[n]", "Model[n]");
    check("Model[n + 1, 2 * m, _]", "Model[(+ n 1), (* 2 m), _]");
    check("()", "()");
    check("(R)", "R");
    check("(R, Int)", "(R, Int)");
    check("[n]R", "[n]R");
    check("[m][n]R", "[m][n]R");
    check("[m, n]R", "[m][n]R");
    check("[m, n](R, R)", "[m][n](R, R)");
    check("[n]Model[n]", "[n]Model[n]");
    check("[a - b - c * d + 2]R", "[(+ (- (- a b) (* c d)) 2)]R");
    check("{x: R, y: [n]R}", "{x: R, y: [n]R}");
    check("R -> R", "(R -> R)");
    check("R -> R -> R", "(R -> (R -> R))");
    check("(R -> R) -> R", "((R -> R) -> R)");
    check("R -o [n]R -> R", "(R -o ([n]R -> R))");
    check("[n]R -> R", "([n]R -> R)");
    check("[n](R -o R)", "[n](R -o R)");
    check("{f: R -> R}", "{f: (R -> R)}");
}

#[test]
fn what_the_grammar_excludes() {
    let check = |text, errors: &[&str]| assert_eq!(expression_errors(text), errors, "in {text:?}");
    check("a < b < c", &["1:7 chained-comparison"]);
    check("a == b ~= c", &["1:8 chained-comparison"]);
    check("{}", &["1:1 empty-braces"]);
    check("_", &["1:1 hole-outside-call"]);
    check("f(_ + 1)", &["1:3 hole-outside-call"]);
    check("f((_))", &["1:4 hole-outside-call"]);
    check("[_]", &["1:2 hole-outside-call"]);
    check("a[_]", &["1:3 hole-outside-call"]);
    check("f(_ | i < n)", &["1:3 hole-outside-call"]);
    check("\"text\"", &["1:1 string-in-expression"]);
    check("R -o R", &["1:6 missing-operator"]);
    check("[1, 2,]", &["1:6 trailing-comma"]);
    check("(a,)", &["1:3 trailing-comma"]);
    check("[a, b | i < n]", &["1:7 malformed-comprehension"]);
    check("a[]", &["1:3 unexpected-token"]);
    check("\\ -> a", &["1:3 missing-parameters"]);
    check("\\() -> a", &["1:2 empty-pattern"]);
    check("", &["1:1 unexpected-token"]);
}
