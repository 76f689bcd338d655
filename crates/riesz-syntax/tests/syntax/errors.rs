//! One mistake, one message, at the right place; independent mistakes are all reported.

use crate::support;

use crate::support::{expression_errors, program_errors};
use riesz_syntax::{FileId, ParseOptions, Sources, parse, parse_expression, render};

#[track_caller]
fn check(text: &str, errors: &[&str]) {
    assert_eq!(expression_errors(text), errors, "in {text:?}");
}

#[track_caller]
fn check_program(text: &str, errors: &[&str]) {
    assert_eq!(program_errors(text), errors, "in {text:?}");
}

/// What a text becomes when the one suggestion it gets is carried out.
#[track_caller]
fn mended(text: &str) -> String {
    let (_, _, diagnostics) = parse_expression(FileId(0), text, &ParseOptions::default());
    let suggestion = diagnostics.first().and_then(|diagnostic| diagnostic.suggestion.clone()).expect("a suggestion");
    let mut text = text.to_string();
    text.replace_range(suggestion.span.start as usize..suggestion.span.end as usize, &suggestion.replacement);
    let (_, _, diagnostics) = parse_expression(FileId(0), &text, &ParseOptions::default());
    assert_eq!(support::messages(&diagnostics), Vec::<String>::new(), "in {text:?}");
    text
}

#[test]
fn numbers() {
    check("3x", &["1:1 malformed-number"]);
    check("1e", &["1:1 malformed-number"]);
    check("1e+", &["1:1 malformed-number"]);
    check("1.5e", &["1:1 malformed-number"]);
    check("0x", &["1:1 malformed-number"]);
    check("0xG", &["1:1 malformed-number"]);
    check("0x1_", &["1:1 malformed-number"]);
    check("1_", &["1:1 malformed-number"]);
    check("1__0", &["1:1 malformed-number"]);
    check("1_.5", &["1:1 malformed-number"]);
    check("3.", &["1:1 malformed-number"]);
    check("3.e5", &["1:1 malformed-number"]);
    check("3.x", &["1:1 malformed-number"]);
    check("0b1", &["1:1 malformed-number"]);
    check("2π", &["1:1 malformed-number"]);
    check("t.0x", &["1:3 malformed-number"]);
    check("t.1_0", &["1:3 malformed-number"]);
    check("t.99999999999", &["1:3 malformed-number"]);
    check("1e999", &["1:1 number-too-large"]);
    check(".5", &["1:1 malformed-number"]);
    assert_eq!(mended("3x"), "3 * x");
    assert_eq!(mended("3."), "3.0");
    assert_eq!(mended("-1e999"), "-inf");
}

#[test]
fn characters() {
    check("a $ b", &["1:3 unknown-character"]);
    check("a @@ b", &["1:3 unknown-character", "1:4 unknown-character"]);
    check("a ☃☃ b", &["1:3 unknown-character"]);
    check("\0", &["1:1 unknown-character"]);
    check("a\u{a0}+ b", &["1:2 unknown-character"]);
    check("'a'", &["1:1 unknown-character"]);
    check("\"abc", &["1:1 unterminated-string"]);
    check_program("check \"abc\nlet a = 1", &["1:7 unterminated-string"]);
    assert_eq!(mended("a − b"), "a - b");
    assert_eq!(mended("x²"), "x^2");
    assert_eq!(mended("x¹⁰ + 1"), "x^10 + 1");
    assert_eq!(mended("a ≤ b"), "a <= b");
    assert_eq!(mended("\\x → x"), "\\x -> x");
}

#[test]
fn words_and_operators_of_other_languages() {
    assert_eq!(mended("a && b"), "a and b");
    assert_eq!(mended("a & b"), "a and b");
    assert_eq!(mended("a || b"), "a or b");
    assert_eq!(mended("!a"), "not a");
    assert_eq!(mended("a ** b"), "a ^ b");
    assert_eq!(mended("let a := 1 in a"), "let a = 1 in a");
    assert_eq!(mended("\\x => x"), "\\x -> x");
    assert_eq!(mended("if a = b then c else d"), "if a == b then c else d");
    assert_eq!(mended("if a then b elif c then d else e"), "if a then b else if c then d else e");
    assert_eq!(mended("sum(a for a in v)"), "sum(a | a in v)");
    check("a % b", &["1:3 foreign-operator"]);
    check("a // comment", &["1:3 foreign-operator"]);
    check("a /* comment */ + b", &["1:3 foreign-operator"]);
    check("return a", &["1:1 foreign-keyword"]);
    check("lambda x: x", &["1:1 foreign-keyword"]);
    check("+a", &["1:1 unexpected-token"]);
    check("if a then b elif c then d else e", &["1:13 foreign-keyword"]);
    check_program("def f(x: R): R = x", &["1:1 foreign-keyword"]);
    check_program("fn f(x: R): R = x\nfunction g(x: R) = x", &["1:1 foreign-keyword", "2:1 foreign-keyword"]);
    check_program("var x = 1", &["1:1 foreign-keyword"]);
    check_program("fun f(x: R) -> R = x", &["1:13 result-type-arrow"]);
    check_program("fun f(x: R): R =\n  return x", &["2:3 foreign-keyword"]);
}

#[test]
fn brackets() {
    check("(a", &["1:1 unclosed-bracket"]);
    check("f(a, [b, c)", &["1:11 mismatched-bracket"]);
    check("f(a, [b, (c)])]", &["1:15 mismatched-bracket"]);
    check("f([a, b)] + c", &["1:8 mismatched-bracket"]);
    check("[a)", &["1:3 mismatched-bracket"]);
    check("{a", &["1:1 unclosed-bracket"]);
    check("(a b)", &["1:4 missing-operator"]);
    check("((a b) + (c d))", &["1:5 missing-operator", "1:13 missing-operator"]);
    check(")", &["1:1 unexpected-token"]);
    check_program("let a = (1 + 2\nlet b = 3", &["1:9 unclosed-bracket"]);
    check_program("let a = f(1,\nfun g(x: R): R = [\ncheck true", &["1:13 unexpected-token", "2:19 unexpected-token"]);
    check_program("let a = 1)\nlet b = 2", &["1:10 mismatched-bracket"]);
    check_program("let a = 1\n)\nlet b = 2", &["2:1 mismatched-bracket"]);
}

#[test]
fn forms() {
    check("if a b else c", &["1:6 missing-then"]);
    check("if a else c", &["1:6 missing-then"]);
    check("if a then b", &["1:12 missing-else"]);
    check("if a then b; c", &["1:12 missing-else"]);
    check("loop a = b c", &["1:12 missing-operator"]);
    check("loop a = b", &["1:11 unexpected-token"]);
    check("loop a = b for i < n", &["1:21 missing-do"]);
    check("loop a = b for i", &["1:17 malformed-generator"]);
    check("loop a for i < n do a", &["1:8 unexpected-token"]);
    check("\\x", &["1:3 missing-arrow"]);
    check("\\x x", &["1:5 missing-arrow"]);
    check("\\x = x", &["1:4 missing-arrow"]);
    check("\\x. x", &["1:3 missing-arrow"]);
    check("\\x, y -> x", &["1:3 unexpected-token"]);
    check("\\x: R -> x", &["1:3 type-in-pattern"]);
    check("\\(x: R) -> x", &["1:4 type-in-pattern"]);
    check("\\1 -> x", &["1:2 unexpected-token"]);
    check("x -> x", &["1:3 unexpected-token"]);
    check("a: R", &["1:2 unexpected-token"]);
    check("a within b", &["1:3 unexpected-token"]);
    check("f x", &["1:3 missing-operator"]);
    check("[a | i <= n]", &["1:8 malformed-generator"]);
    check("[a | i]", &["1:7 malformed-generator"]);
    check("[a for a in v]", &["1:4 malformed-generator"]);
    check("v[0:3]", &["1:4 unexpected-token"]);
    check("[a | ]", &["1:6 unexpected-token"]);
    check("[ | i < n]", &["1:3 unexpected-token"]);
    check("{x: 1}", &["1:3 unexpected-token"]);
    check("{x = 1, y}", &["1:10 unexpected-token"]);
    check("r.", &["1:3 unexpected-token"]);
    check("a +", &["1:4 unexpected-token"]);
    check("a + * b", &["1:5 unexpected-token"]);
    check("let = 1 in a", &["1:5 unexpected-token"]);
    check("let a = 1\nb = 2\na", &["2:1 missing-let"]);
}

#[test]
fn keywords_are_no_names() {
    check("let in = 1; a", &["1:5 keyword-as-name"]);
    check("\\x type -> x", &["1:4 keyword-as-name"]);
    check("{loop = 1}", &["1:2 keyword-as-name"]);
    check("r.type", &["1:3 keyword-as-name"]);
    check("[a | for < n]", &["1:6 keyword-as-name"]);
    check_program("fun check(x: R): R = x", &["1:5 keyword-as-name"]);
    check_program("fun f(in: R): R = 1", &["1:7 keyword-as-name"]);
}

#[test]
fn items() {
    check_program("fun f(x) = x", &["1:7 missing-parameter-type"]);
    check_program("fun f(x, y: R) = x", &["1:7 missing-parameter-type"]);
    check_program("fun f x = x", &["1:7 missing-parameters"]);
    check_program("fun f = x", &["1:7 missing-parameters"]);
    check_program("fun (x: R) = x", &["1:5 unexpected-token"]);
    check_program("fun f(x: R)\n  x", &["1:12 unexpected-token"]);
    check_program("fun f(x: R) == x", &["1:13 unexpected-token"]);
    check_program("let (a, b) = c", &["1:5 pattern-in-item"]);
    check_program("let a = 1 in a", &["1:11 unexpected-token"]);
    check_program("x = 1", &["1:1 expected-item"]);
    check_program("1 + 2", &["1:1 expected-item"]);
    check_program("let a = 1\n2", &["2:1 expected-item"]);
    check_program("import other", &["1:8 unexpected-token"]);
    check_program("type t = R", &["1:6 type-name-case"]);
    check_program("type T = ", &["1:9 unexpected-token"]);
    check_program("type T = {}", &["1:10 empty-braces"]);
    check_program("type T = {x = R}", &["1:13 unexpected-token"]);
    check_program("type T = R[n]", &["1:10 array-type-order"]);
    check_program("type T = []R", &["1:10 missing-size"]);
    check_program("type T = [(n + 1) * m]R", &["1:11 malformed-size"]);
    check_program("fun f(v: [n]R): [div(n, 2)]R = v", &["1:18 malformed-size"]);
    check_program("type T = [n / 2]R", &["1:13 unexpected-token"]);
    check_program("type T = [n]", &["1:13 unexpected-token"]);
    check_program("type T = [99999999999999999999]R", &["1:11 number-too-large"]);
    check_program("type T = _", &["1:10 unexpected-token"]);
    check_program("check a = b", &["1:9 single-equals"]);
}

#[test]
fn independent_mistakes_are_all_reported() {
    let text = "fun f(x) = x + \nfun g(x: R): R =\n  let a = (x x)\n  let b = y z\n  let = 3\n  a\n\n\
                let c = [1, $, 2 3]\ncheck f(_ + 1, \"s\") = 1 < 2\n";
    let errors = [
        "1:7 missing-parameter-type",
        "1:15 unexpected-token",
        "3:14 missing-operator",
        "4:13 missing-operator",
        "5:7 unexpected-token",
        "8:13 unknown-character",
        "8:18 missing-operator",
        "9:9 hole-outside-call",
        "9:16 string-in-expression",
        "9:21 single-equals",
        "9:25 chained-comparison",
    ];
    check_program(text, &errors);
}

/// The whole of some messages, as the user sees them.
#[test]
fn drawings() {
    let drawn = |text: &str| {
        let mut sources = Sources::default();
        let file = sources.add("file.rz", text);
        let (_, diagnostics) = parse(file, text, &ParseOptions::default());
        render(&diagnostics, &sources, false)
    };
    assert_eq!(
        drawn("let a = (1 +\n  [2, 3)\n"),
        "error[mismatched-bracket]: `)` does not close `[`
 --> file.rz:2:8
  |
2 |   [2, 3)
  |   -    ^ expected `]`
  |   |
  |   this `[` is open
"
    );
    assert_eq!(
        drawn("check a && b\n"),
        "error[foreign-operator]: `&&` is not an operator of Riesz
 --> file.rz:1:9
  |
1 | check a && b
  |         ^^
  |
help: write `and`
  |
1 - check a && b
1 + check a and b
  |
"
    );
    assert_eq!(
        drawn("fun f(x: R): R =\n  let y = x\n    - 1\n  y\n"),
        "error[operator-on-next-line]: a line that begins with `-` does not continue the line before it
 --> file.rz:3:5
  |
2 |   let y = x
  |            - move the `-` up to here
3 |     - 1
  |     ^
  |
  = help: to continue an expression, end the line with the `-`
"
    );
}

/// What other languages write, each told once, with what to write instead.
#[test]
fn functions_and_generators_of_other_languages() {
    for (text, instead) in [
        ("map(x => x + 1, v)", "map(\\x -> x + 1, v)"),
        ("map((a, b) => a + b, v)", "map(\\(a, b) -> a + b, v)"),
        ("fold(a b => a + b, 0, v)", "fold(\\a b -> a + b, 0, v)"),
        ("let f = x => 2 * x in f(1)", "let f = \\x -> 2 * x in f(1)"),
        ("\\x => x", "\\x -> x"),
        ("\\(a, b) => a", "\\(a, b) -> a"),
        ("if x => 1 then 2 else 3", "if x >= 1 then 2 else 3"),
        ("fold(+, 0, v)", "fold(\\a b -> a + b, 0, v)"),
        ("fold((+), 0, v)", "fold((\\a b -> a + b), 0, v)"),
        ("fold(-, 0, v)", "fold(\\a b -> a - b, 0, v)"),
        ("fold(*, 1, v)", "fold(\\a b -> a * b, 1, v)"),
        ("fold(and, true, v)", "fold(\\a b -> a and b, true, v)"),
        ("map(not, v)", "map(\\a -> not a, v)"),
        ("f(a, ==)", "f(a, \\a b -> a == b)"),
        ("[a + b | (a, b) <- v]", "[a + b | (a, b) in v]"),
        ("[1 | _ <- v]", "[1 | _ in v]"),
        ("map(x -> x, v)", "map(\\x -> x, v)"),
    ] {
        let errors = expression_errors(text);
        assert_eq!(errors.len(), 1, "in {text:?}: {errors:?}");
        assert_eq!(mended(text), instead);
    }
    check("let rec f = 1 in f", &["1:5 foreign-keyword"]);
    check_program("let rec f(n) = n", &["1:5 foreign-keyword"]);
    check("let rec = 1 in rec", &[]);
    // An index below a negative number is an index.
    check("[i | i <-n]", &[]);
    check("-x + (-y)", &[]);
}
