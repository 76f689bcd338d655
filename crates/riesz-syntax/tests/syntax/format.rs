//! Formatting keeps the meaning and the comments, is idempotent, and gives the expected layout.

use crate::support;

use crate::support::generate;
use proptest::prelude::*;
use riesz_syntax::lexer::lex;
use riesz_syntax::{FileId, FormatOptions, ParseOptions, format, parse, same};

#[track_caller]
fn formatted(text: &str, width: usize) -> String {
    match format(text, &FormatOptions { width, ..FormatOptions::default() }) {
        Ok(text) => text,
        Err(diagnostics) => panic!("{:?} in\n{text}", support::messages(&diagnostics)),
    }
}

fn comments(text: &str) -> Vec<&str> {
    let comments = lex(FileId(0), text).comments;
    comments.iter().map(|comment| text[comment.start as usize..comment.end as usize].trim_end()).collect()
}

#[track_caller]
fn laws(text: &str, width: usize) {
    let once = formatted(text, width);
    let tree = |text| parse(FileId(0), text, &ParseOptions::default()).0;
    assert!(same(&tree(text), &tree(&once)), "the meaning changes from\n{text}\nto\n{once}");
    assert_eq!(comments(text), comments(&once), "the comments change from\n{text}\nto\n{once}");
    let twice = formatted(&once, width);
    assert!(once == twice, "not a fixed point:\n{text}\nbecomes\n{once}\nbecomes\n{twice}");
    assert!(once.lines().all(|line| line.trim_end() == line) && !once.contains("\n\n\n"), "untidy:\n{once}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs(seed in any::<u64>(), size in 0u32..6, width in prop::sample::select(&[1, 20, 40, 100][..])) {
        laws(&generate::program(seed, size), width);
    }
}

/// What a program looks like at a width of 40.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(formatted(text, 40), expected);
    laws(text, 40);
}

#[test]
fn spaces() {
    check("let   a=1+2*x^2", "let a = 1 + 2 * x^2\n");
    check("let a = - 1 ^ - 2", "let a = -1^-2\n");
    check("let a = not b and(c or d)", "let a = not b and (c or d)\n");
    check("let a = f( x,_ )[ i , j ] . 0 . y", "let a = f(x, _)[i, j].0.y\n");
    check("let a = \\ x( y ,_)->x", "let a = \\x (y, _) -> x\n");
    check("let a = {x=1,y=2}", "let a = {x = 1, y = 2}\n");
    check("let a = {b}", "let a = { b }\n");
    check("let a = [x|i<n,y in v]", "let a = [x | i < n, y in v]\n");
    check("let a = a~=b within c", "let a = a ~= b within c\n");
    check("let a = 1_000 + 0x1f + 1E5 + 1.50", "let a = 1_000 + 0x1f + 1E5 + 1.50\n");
    check("let a = 1 .x", "let a = 1 .x\n");
    check("fun f( a:R,( b,c ):(R,R) ):[ n,2*m-1 ]R=a", "fun f(\n  a: R,\n  (b, c): (R, R)\n): [n, 2 * m - 1]R = a\n");
    check("type T[a,b]={x:R->R,y:R-o(R)}", "type T[a, b] = {x: R -> R, y: R -o (R)}\n");
    check("import\"a.rz\"\ncheck\"b\"c", "import \"a.rz\"\ncheck \"b\" c\n");
    check("type T = [n -o]R", "type T = [n - o]R\n");
}

#[test]
fn lines_between_things() {
    check("", "");
    check("\n\n", "");
    check("# only\n\n\n# comments", "# only\n\n# comments\n");
    check("\u{feff}let a = 1;let b = 2\r\n\r\n\r\n\r\nlet c = 3", "let a = 1\nlet b = 2\n\nlet c = 3\n");
    check(
        "fun f(x: R): R = let a = x; let b = a in\n\n\n a + b",
        "fun f(x: R): R =\n  let a = x\n  let b = a\n\n  a + b\n",
    );
    check("fun f(x: R): R =\n  x", "fun f(x: R): R =\n  x\n");
    check("fun f(x: R): R = x # value\nimplicit   \\y->y-x", "fun f(x: R): R = x # value\n  implicit \\y -> y - x\n");
    check("let a =\n  x", "let a = x\n");
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "# one\n\n#two\nlet a = 1 # three\n# four\nlet b = 2",
        "# one\n\n#two\nlet a = 1 # three\n# four\nlet b = 2\n",
    );
    check("let a = [1, # one\n 2 # two\n # three\n]", "let a = [\n  1, # one\n  2 # two\n  # three\n]\n");
    check("let a = b + # one\n c", "let a = b + c # one\n");
    check("fun f(x: R, # one\n y: R) = x", "fun f(\n  x: R, # one\n  y: R\n) = x\n");
    check(
        "fun f(x: R) =\n  # one\n  let a = x # two\n\n  # three\n  a\n# four",
        "fun f(x: R) =\n  # one\n  let a = x # two\n\n  # three\n  a\n# four\n",
    );
    check(
        "fun f(x: R) = if x > 0.0 then # one\n x else\n# two\n-x",
        "fun f(x: R) =\n  if x > 0.0 then # one\n    x\n  else\n    # two\n    -x\n",
    );
}

#[test]
fn long_things_are_broken() {
    check(
        "let total = first_summand + second_summand * factor + third_summand",
        "let total =\n  first_summand\n    + second_summand * factor\n    + third_summand\n",
    );
    check(
        "let total = first_summand - second_summand * factor + third_summand",
        "let total =\n  first_summand -\n    second_summand * factor +\n    third_summand\n",
    );
    check(
        "let total = f(first_summand - second_summand * x)",
        "let total = f(\n  first_summand - second_summand * x\n)\n",
    );
    check(
        "let total = sum(first_factor[i] * second_factor[i] | i < n)",
        "let total = sum(\n  first_factor[i] * second_factor[i]\n  | i < n\n)\n",
    );
    check(
        "let built = build(n, \\i -> some_function(v[i], w[i]))",
        "let built = build(n, \\i ->\n  some_function(v[i], w[i])\n)\n",
    );
    check(
        "let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]",
        "let values = [\n  1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,\n  8.0, 9.0, 10.0\n]\n",
    );
    check(
        "let a = if some_condition then some_value else other_value",
        "let a =\n  if some_condition then some_value\n  else other_value\n",
    );
    check(
        "let a = loop state = initial for i < steps do advance(state)",
        "let a =\n  loop state = initial for i < steps do\n    advance(state)\n",
    );
    check(
        "check \"a label\" some_function(argument) ~= other within 1e-3",
        "check \"a label\"\n  some_function(argument)\n    ~= other\n    within 1e-3\n",
    );
    check(
        "let f = map(\\x -> let y = x * x in let z = y * y in y + z, values)",
        "let f = map(\n  \\x ->\n    let y = x * x in\n    let z = y * y in\n    y + z,\n  values\n)\n",
    );
    check(
        "type Model[b] = {weights: [b, b]R, bias: [b]R, rate: R}",
        "type Model[b] = {\n  weights: [b, b]R,\n  bias: [b]R,\n  rate: R\n}\n",
    );
}

#[test]
fn arrays_and_records_stay_broken() {
    check("let a = [\n[1, 2], [3, 4]]", "let a = [\n  [1, 2],\n  [3, 4]\n]\n");
    check("let a = {\nx = 1, y = 2}", "let a = {\n  x = 1,\n  y = 2\n}\n");
    check("let a = [[1, 2],\n[3, 4]]", "let a = [[1, 2], [3, 4]]\n");
}

#[test]
fn errors_are_returned() {
    let diagnostics = format("let a = (", &FormatOptions::default()).expect_err("an error");
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn long_and_deep_programs() {
    laws(&format!("let a = b{}", " + b".repeat(100_000)), 100);
    laws(&format!("let a = b{}", "(c)".repeat(100_000)), 100);
    laws(&format!("fun f() = {}a", "let a = b\n".repeat(100_000)), 100);
    laws(&"let a = b # c\n".repeat(100_000), 100);
    laws(&format!("let a = [{}1]", "1, ".repeat(100_000)), 100);
    let parse = ParseOptions { max_nesting: 1_000_000 };
    for (before, after) in
        [("(", ")"), ("[", "]"), ("-", ""), ("f(x, ", ")"), ("\\x -> ", ""), ("if a then b else ", "")]
    {
        let text = format!("let a = {}x{}", before.repeat(20_000), after.repeat(20_000));
        let once = format(&text, &FormatOptions { width: 100, parse }).expect("no errors");
        assert!(once.len() < 20_000_000);
    }
}
