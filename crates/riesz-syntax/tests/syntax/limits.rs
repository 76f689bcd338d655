//! Size and depth: long texts take linear time and bounded stack, deep ones are refused with a clear error.

use crate::support;

use riesz_syntax::{FileId, ParseOptions, parse, parse_expression, parse_type, same};
use std::time::{Duration, Instant};

fn errors(text: &str, max_nesting: usize) -> Vec<String> {
    let (_, _, diagnostics) = parse_expression(FileId(0), text, &ParseOptions { max_nesting });
    support::messages(&diagnostics)
}

/// Ways to nest, as what stands before, in and after the middle.
const NESTS: [(&str, &str, &str); 21] = [
    ("(", "x", ")"),
    ("[", "x", "]"),
    ("{", "x", "}"),
    ("{x = ", "x", "}"),
    ("f(", "x", ")"),
    ("f(x, ", "x", " | i < n)"),
    ("a[", "x", "]"),
    ("[x | i < ", "n", "]"),
    ("-", "x", ""),
    ("not ", "x", ""),
    ("x ^ ", "x", ""),
    ("x ^ -", "x", ""),
    ("\\x -> ", "x", ""),
    ("if c then a else ", "b", ""),
    ("if ", "a", " then a else b"),
    ("if c then ", "a", " else b"),
    ("1 + if c then a else ", "b", ""),
    ("let a = ", "b", " in a"),
    ("loop a = b while c do ", "d", ""),
    ("loop a = ", "b", " for i < n do a"),
    ("x + (", "x", ") * x"),
];

#[test]
fn two_hundred_levels_are_always_allowed() {
    for (before, middle, after) in NESTS {
        let text = format!("{}{middle}{}", before.repeat(200), after.repeat(200));
        assert_eq!(errors(&text, 1000), Vec::<String>::new(), "in 200 times {before:?}");
    }
}

#[test]
fn deep_nesting_is_one_error() {
    for (before, middle, after) in NESTS {
        for depth in [1_001, 100_000] {
            let text = format!("{}{middle}{}", before.repeat(depth), after.repeat(depth));
            let errors = errors(&text, 1000);
            assert_eq!(errors, ["nesting-too-deep: this is nested more than 1000 deep"], "in {depth} times {before:?}");
            let unclosed = before.repeat(depth);
            let (_, _, diagnostics) = parse_expression(FileId(0), &unclosed, &ParseOptions::default());
            assert_eq!(diagnostics.len(), 1, "in {depth} times {before:?}");
            assert!(diagnostics[0].help[0].contains("--max-nesting"));
        }
    }
}

#[test]
fn thirty_thousand_levels_do_not_overflow_the_stack() {
    for (before, middle, after) in NESTS {
        let text = format!("{}{middle}{}", before.repeat(30_000), after.repeat(30_000));
        assert_eq!(errors(&text, 1_000_000), Vec::<String>::new(), "in {before:?}");
    }
}

#[test]
fn deep_types_patterns_and_sizes_are_refused() {
    let deep = |before: &str, middle: &str, after: &str| {
        let text = format!("{}{middle}{}", before.repeat(100_000), after.repeat(100_000));
        let codes = match parse_type(FileId(0), &text) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
        };
        assert_eq!(codes, ["nesting-too-deep"], "in {before:?}");
        let item = format!("type T = {text}");
        let (_, diagnostics) = parse(FileId(0), &item, &ParseOptions { max_nesting: 1_000_000 });
        assert_eq!(diagnostics.len(), 1, "in {before:?}");
    };
    deep("(", "R", ")");
    deep("(R, ", "R", ")");
    deep("[n]", "R", "");
    deep("{x: ", "R", "}");
    deep("R -> ", "R", "");
    deep("R -o ", "R", "");
    for operator in ["+", "-", "*"] {
        let text = format!("[n{}]R", format!(" {operator} n").repeat(100_000));
        let diagnostics = parse_type(FileId(0), &text).expect_err("too deep");
        assert_eq!(diagnostics[0].code, "nesting-too-deep");
    }
    let text = format!("[n{}]R", ", n".repeat(100_000));
    assert_eq!(parse_type(FileId(0), &text).expect_err("too deep")[0].code, "nesting-too-deep");
    let pattern = format!("\\{}x{} -> x", "(".repeat(100_000), ")".repeat(100_000));
    let (_, _, diagnostics) = parse_expression(FileId(0), &pattern, &ParseOptions { max_nesting: 1_000_000 });
    assert_eq!(diagnostics[0].code, "nesting-too-deep");
}

#[test]
fn long_chains_and_sequences_are_no_nesting() {
    for operator in ["or", "and", "+", "-", "*", "/", "+ b *", "- b /", "or b and", "== b and"] {
        let text = format!("a{}", format!(" {operator} a").repeat(100_000));
        assert_eq!(errors(&text, 10), Vec::<String>::new(), "in {operator}");
    }
    for postfix in ["(x)", "[i]", ".0", ".x"] {
        assert_eq!(errors(&format!("a{}", postfix.repeat(100_000)), 10), Vec::<String>::new(), "in {postfix}");
    }
    for separator in ["\n", ";", " in "] {
        let text = format!("{}a", format!("let a = b{separator}").repeat(100_000));
        assert_eq!(errors(&text, 10), Vec::<String>::new(), "in {separator:?}");
    }
    let (tree, diagnostics) = parse(FileId(0), &"let a = b\n".repeat(100_000), &ParseOptions::default());
    assert!(diagnostics.is_empty() && tree.items.len() == 100_000);
    assert!(same(&tree, &tree.clone()));
}

#[test]
fn at_most_fifty_errors() {
    let (_, diagnostics) = parse(FileId(0), &"fun f(x) = $ let\n".repeat(1000), &ParseOptions::default());
    assert_eq!(diagnostics.len(), 50);
    let (_, diagnostics) = parse(FileId(0), &"let a = ]\n".repeat(1000), &ParseOptions::default());
    assert_eq!(diagnostics.len(), 50);
}

/// Nothing takes time that grows faster than the text. The bounds are generous: they tell linear from quadratic.
#[test]
fn parsing_is_linear() {
    let function = "fun f(w: [n]R, x: [m][n]R, y: [m]R): R =\n  let s = sum((dot(w, x[i]) - y[i])^2 | i < m) / m\n  \
                    let t = if s > 0.0 then s else -s * 2.0 # comment\n  s + t\n\n";
    let texts = [
        function.repeat(20_000),
        "(".repeat(3_000_000),
        "{".repeat(3_000_000),
        ")]}".repeat(1_000_000),
        "let a = (\n".repeat(300_000),
        "/*".repeat(1_500_000),
        "\"\n".repeat(1_000_000),
        format!("let a = f\n{}", "  (b)\n".repeat(500_000)),
        format!("let a = {}b", "c; ".repeat(1_000_000)),
        "x = 1\n".repeat(500_000),
        "if ".repeat(1_000_000),
        "\\".repeat(3_000_000),
        "1".repeat(3_000_000),
        "1.".repeat(1_500_000),
        "f(_, ".repeat(500_000),
        " ".repeat(3_000_000),
        "é".repeat(1_500_000),
        "\u{0}".repeat(3_000_000),
        "$".repeat(3_000_000),
    ];
    for text in texts {
        let start = Instant::now();
        parse(FileId(0), &text, &ParseOptions::default());
        let shown: String = text.chars().take(20).collect();
        assert!(start.elapsed() < Duration::from_secs(5), "{shown:?}: {:?}", start.elapsed());
    }
}
