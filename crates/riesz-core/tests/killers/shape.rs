//! Deep, long, wide and growing programs.

use super::*;

// ---- deep ----

/// Ways to nest expressions; the middle is an `Int` and so is the whole.
const NESTS: [(&str, &str, &str); 22] = [
    ("(", "1", ")"),
    ("[", "1", "][0]"),
    ("{", "1", "}"),
    ("{x = ", "1", "}.x"),
    ("(1, ", "1", ").1"),
    ("(", "1", ", 1).0"),
    ("-", "1", ""),
    ("if not (1 == ", "1", ") then 1 else 1"),
    ("(\\x -> ", "1", ")(1)"),
    ("(\\x -> x + ", "1", ")(1)"),
    ("if false then 1 else ", "1", ""),
    ("if true then ", "1", " else 1"),
    ("let a = ", "1", " in a"),
    ("loop a = 1 for i < 1 do ", "1", ""),
    ("loop a = ", "1", " for i < 1 do a"),
    ("sum([", "1", "])"),
    ("sum(", "1", " | i < 1)"),
    ("max(", "1", ", 1)"),
    ("[i | i < 1][", "0", "]"),
    ("fold(\\a x -> a + x, ", "1", ", [1])"),
    ("map(\\x -> x + 1, [", "1", "])[0]"),
    ("div(1, ", "1", ")"),
];

#[test]
fn two_hundred_levels_work() {
    for (before, middle, after) in NESTS {
        let text = nest(before, middle, after, 200);
        let found = value(&text);
        assert!(found.parse::<i64>().is_ok() || found == "program-too-large", "{before:?}: {found}");
    }
}

#[test]
fn a_hundred_thousand_levels_are_refused() {
    for (before, middle, after) in NESTS {
        assert_eq!(value(&nest(before, middle, after, MANY)), "nesting-too-deep", "{before:?}");
    }
    for (before, middle, after) in [("not ", "true", ""), ("\\x -> ", "1", ""), ("1 ^ ", "1", ""), ("f(_, ", "1", ")")]
    {
        assert_eq!(value(&nest(before, middle, after, MANY)), "nesting-too-deep", "{before:?}");
    }
    for (before, middle, after) in [("(", "R", ")"), ("[1]", "R", ""), ("R -> ", "R", ""), ("{x: ", "R", "}")] {
        let ty = nest(before, middle, after, MANY);
        assert_eq!(program(&format!("fun f(x: {ty}): R = 1.0")), "nesting-too-deep", "{before:?}");
        assert_eq!(value(&format!("let x: {ty} = 1 in 2")), "nesting-too-deep", "{before:?}");
    }
    let pattern = nest("(", "x", ", _)", MANY);
    assert_eq!(value(&format!("let {pattern} = 1 in 2")), "nesting-too-deep");
    assert_eq!(program(&format!("fun f({pattern}: R): R = 1.0")), "nesting-too-deep");
}

#[test]
fn as_deep_as_the_parser_allows() {
    for (before, middle, after) in NESTS {
        let found = value(&nest(before, middle, after, 450));
        let fine = found.parse::<i64>().is_ok() || found == "nesting-too-deep" || found == "program-too-large";
        assert!(fine, "{before:?}: {found}");
    }
    for (before, middle, after) in [("[", "1", "]"), ("(1, ", "1", ")"), ("{x = ", "1", "}"), ("\\x -> ", "1", "")] {
        value(&nest(before, middle, after, 450));
    }
    for (before, middle, after) in [("[1]", "R", ""), ("R -> ", "R", ""), ("(R, ", "R", ")"), ("{x: ", "R", "}")] {
        let ty = nest(before, middle, after, 450);
        assert_eq!(program(&format!("fun f(x: {ty}): R = 1.0")), "0", "{before:?}");
    }
    let pattern = nest("(", "x", ", _)", 450);
    let tuple = nest("(", "1", ", 2)", 450);
    assert_eq!(value(&format!("let {pattern} = {tuple} in x")), "1");
}

#[test]
fn types_deeper_than_any_text() {
    // Each `let` adds one level: no bracket is deep, the type is.
    for (start, step) in [("1", "(a, 1)"), ("1", "[a]"), ("1", "{x = a}"), ("\\x -> 1", "\\x -> a")] {
        let text = format!("let a = {start}\n{}size([a])", format!("let a = {step}\n").repeat(20_000));
        let found = value(&text);
        assert!(found == "1" || found == "type-too-large" || found == "program-too-large", "{step}: {found}");
    }
    let text = format!("type T0 = R\n{}", many(5_000, |at| format!("type T{} = [1]T{at}\n", at + 1)));
    assert_eq!(program(&text), "type-too-large");
    let text = format!("{}fun last(x: R): R = x\n", many(5_000, |at| format!("type T{at} = [1]T{}\n", at + 1)));
    let found = program(&text);
    assert!(found == "type-too-large" || found == "unknown-type", "{found}");
    let text = format!("let a0 = 1\n{}", many(20_000, |at| format!("let a{} = (a{at}, 1)\n", at + 1)));
    assert_eq!(program(&text), "type-too-large");
}

// ---- long ----

#[test]
fn chains_of_every_operator() {
    for operator in ["+", "-", "*"] {
        let found = value(&format!("0{}", format!(" {operator} 1").repeat(MANY)));
        assert!(found.parse::<i64>().is_ok(), "{operator}: {found}");
    }
    assert_eq!(value(&format!("1{}", " / 1".repeat(MANY))), "1.0");
    assert_eq!(value(&format!("true{}", " and true".repeat(MANY))), "true");
    assert_eq!(value(&format!("false{}", " or false".repeat(MANY))), "false");
    assert_eq!(value(&format!("1{}", " ^ 1".repeat(MANY))), "nesting-too-deep");
    assert_eq!(value(&format!("1{}", " == 1".repeat(MANY))), "chained-comparison");
    assert_eq!(value(&format!("1 == 1{}", " and 1 == 1".repeat(MANY))), "true");
    assert_eq!(value(&format!("1.0 ~= 1{}", " and 1.0 ~= 1".repeat(MANY))), "true");
    assert_eq!(value(&format!("[1, 2]{}", " + [1, 2]".repeat(5_000))), "[5001, 10002]");
}

#[test]
fn a_hundred_thousand_bindings() {
    assert_eq!(value(&format!("let a = 0\n{}a", "let a = a + 1\n".repeat(MANY))), MANY.to_string());
    let text = format!("let a0 = 0\n{}a{MANY}", many(MANY, |at| format!("let a{} = a{at} + 1\n", at + 1)));
    assert_eq!(value(&text), MANY.to_string());
    let text = format!("{}1", many(MANY, |at| format!("let f{at} = \\x -> x + {at}\n")));
    assert_eq!(value(&text), "1");
    let text = format!("{}{}1", "let (a, b) = (1, 2)\n", "let (a, b) = (b, a)\n".repeat(MANY));
    assert_eq!(value(&text), "1");
}

#[test]
fn a_hundred_thousand_items() {
    let lets = format!("let a0 = 0\n{}", many(MANY, |at| format!("let a{} = a{at} + 1\n", at + 1)));
    assert_eq!(run(&lets, &format!("a{MANY}"), &Limits::default()), MANY.to_string());
    let funs =
        format!("fun f0(x: R): R = x\n{}", many(MANY, |at| format!("fun f{}(x: R): R = f{at}(x) + 1\n", at + 1)));
    assert_eq!(run(&funs, &format!("f{}(1)", MANY / 2), &Limits::default()), "50001.0");
    let funs = format!("{}fun f{MANY}(x: R) = x\n", many(MANY, |at| format!("fun f{at}(x: R) = f{}(x) + 1\n", at + 1)));
    assert_eq!(run(&funs, &format!("f{}(1)", MANY / 2), &Limits::default()), "50001.0");
    // All of them one group, with results to be found.
    let ring = many(2_000, |at| format!("fun f{at}(x: R) = if x > 0 then f{}(x - 1) else x\n", (at + 1) % 2_000));
    assert_eq!(run(&ring, "f0(10)", &Limits::default()), "0.0");
    let checks = "check 1 == 1\n".repeat(MANY);
    assert_eq!(program(&checks), "0");
    let types = format!("type T0 = R\n{}", many(400, |at| format!("type T{} = T{at}\n", at + 1)));
    assert_eq!(program(&types), "0");
}

// ---- wide ----

#[test]
fn wide_things() {
    let numbers = many(1_000_000, |at| format!("{at}, "));
    assert_eq!(value(&format!("size([{}0])", numbers)), "1000001");
    assert_eq!(value(&format!("sum([{}0.5])", numbers)), "499999500000.5");
    assert_eq!(value(&format!("size([{}[1, 2]])", "[1.5, 2], ".repeat(MANY))), (MANY + 1).to_string());
    assert_eq!(value(&format!("size([{}(1, true)])", "(1, true), ".repeat(MANY))), (MANY + 1).to_string());
    assert_eq!(value(&format!("size([{}sin])", "\\x -> x, ".repeat(5_000))), "5001");
    let fields = many(10_000, |at| format!("x{at} = {at}, "));
    assert_eq!(value(&format!("{{{fields}last = 1}}.x9999")), "9999");
    let uses = many(1_000, |at| format!("r.x{at} + "));
    assert_eq!(value(&format!("let r = {{{fields}last = 1}} in {uses}0")), "499500");
    assert_eq!(value(&format!("({}1).9999", "1, ".repeat(10_000))), "1");
    let parameters = many(5_000, |at| format!("x{at}: R, "));
    let wide = format!("fun f({parameters}last: R): R = x0 + x4999 + last\n");
    assert_eq!(run(&wide, &format!("f({}1)", "1, ".repeat(5_000)), &Limits::default()), "3.0");
    let parameters = many(2_000, |at| format!("x{at}: [n{at}]R, "));
    let wide = format!("fun f({parameters}last: R): Int = n0 + n1999\n");
    assert_eq!(run(&wide, &format!("f({}1)", "[1], ".repeat(2_000)), &Limits::default()), "2");
    let generators = (0..20).map(|at| format!("i{at} < 1")).collect::<Vec<_>>().join(", ");
    assert_eq!(value(&format!("sum(1 | {generators})")), "1");
    let generators = (0..300).map(|at| format!("i{at} < 1")).collect::<Vec<_>>().join(", ");
    let found = value(&format!("size([1 | {generators}])"));
    assert!(found == "1" || found == "nesting-too-deep", "{found}");
    assert_eq!(value(&format!("concat({}[1])[5000]", "[1], ".repeat(5_000))), "1");
    assert_eq!(value(&format!("zip({}[1])[0].500", "[1], ".repeat(1_000))), "1");
    let name = "x".repeat(1_000_000);
    assert_eq!(value(&format!("let {name} = 1 in {name} + 1")), "2");
    assert_eq!(value(&name), "unknown-name");
    assert_eq!(value(&format!("let {name} = 1 in {name}y")), "unknown-name");
}

#[test]
fn many_errors() {
    assert_ne!(program(&many(20_000, |at| format!("let a{at} = unknown{at} + true\n"))), "0");
    assert_ne!(program(&many(20_000, |_| "let a = 1\n".to_string())), "0");
    assert_ne!(program(&many(20_000, |at| format!("check f{at}(1, 2) == [true, 1]\n"))), "0");
    assert_ne!(value(&format!("({}1)", "true + 1, ".repeat(20_000))), "0");
    let known = many(50_000, |at| format!("let abcdefghij{at} = {at}\n"));
    let unknown = many(200, |at| format!("check abcdefghik{at} == 1\n"));
    assert_eq!(program(&(known + &unknown)), "unknown-name");
}

// ---- growing ----

#[test]
fn doubling() {
    let doubled = many(60, |at| format!("let b{} = (b{at}, b{at})\n", at + 1));
    assert_eq!(value(&format!("let b0 = 1\n{doubled}b60.0")), "type-too-large");
    assert_eq!(program(&format!("let b0 = 1\n{doubled}")), "type-too-large");
    let doubled = many(60, |at| format!("let b{} = {{x = b{at}, y = b{at}}}\n", at + 1));
    assert_eq!(value(&format!("let b0 = 1\n{doubled}b60.x")), "type-too-large");
    let types = format!("type T0 = R\n{}", many(60, |at| format!("type T{} = (T{at}, T{at})\n", at + 1)));
    assert_eq!(program(&types), "type-too-large");
    let types =
        format!("type T0 = R\n{}fun f(x: T60): R = 1.0", many(60, |at| format!("type T{} = T{at} -> T{at}\n", at + 1)));
    assert_eq!(program(&types), "type-too-large");
    let types = format!(
        "type T0[n] = [n]R\n{}",
        many(60, |at| format!("type T{}[n] = (T{at}[n + n], T{at}[n * n])\n", at + 1))
    );
    assert_eq!(program(&types), "type-too-large");
    let lambdas = many(40, |at| format!("let f{} = \\x -> f{at}(f{at}(x))\n", at + 1));
    assert_eq!(value(&format!("let f0 = \\x -> x + 1\n{lambdas}f40(0)")), "program-too-large");
    assert_eq!(run(&format!("let f0 = \\x -> x + 1\n{lambdas}"), "f40(0)", &Limits::default()), "program-too-large");
    let lambdas = many(40, |at| format!("let f{} = \\x -> f{at}(x) + f{at}(x)\n", at + 1));
    assert_eq!(value(&format!("let f0 = \\x -> x\n{lambdas}f40(1)")), "program-too-large");
    let funs = many(40, |at| format!("fun f{}(x: t): (t, t) = (f{at}(x).0, x)\n", at + 1));
    assert_eq!(run(&format!("fun f0(x: t): (t, t) = (x, x)\n{funs}"), "f40(1)", &Limits::default()), "(1, 1)");
    let funs = many(40, |at| format!("fun f{}(x: t) = f{at}((x, x))\n", at + 1));
    let found = run(&format!("fun f0(x: t) = 1\n{funs}"), "f40(1)", &Limits::default());
    assert_eq!(found, "type-too-large");
    let sizes = many(40, |at| format!("let n{} = n{at} * n{at} + m\n", at + 1));
    assert_eq!(value(&format!("let m = size(iota(1)) in let n0 = m\n{sizes}n40")), "integer-overflow");
    let text = format!(
        "fun f(m: Int): Int = {{\nlet n0 = m + 1\n{}size([1 | i < n10])\n}}",
        many(40, |at| format!("let n{} = (n{at} + 1) * (n{at} + m)\n", at + 1))
    );
    assert_eq!(run(&text, "f(0)", &Limits::default()), "integer-overflow");
}

#[test]
fn ever_larger_types() {
    for body in ["f((x, x))", "f([x])", "f((x, 1))", "f(\\y -> x)", "f({a = x})"] {
        let found = run(&format!("fun f(x: t): Int = {body}"), "f(1)", &Limits::default());
        assert!(found == "type-too-large" || found == "too-many-instances", "{body}: {found}");
        run(&format!("fun f(x: t) = {body}"), "f(1)", &Limits::default());
    }
    let found = run("fun f(x: t): Int = g([x])\nfun g(x: t): Int = f((x, x))", "f(1)", &Limits::default());
    assert!(found == "type-too-large" || found == "too-many-instances", "{found}");
}

/// The elements of an empty array are of no known type until something tells: types found so can grow as well.
#[test]
fn unknown_types_grow() {
    let doubled = |start: &str, levels: usize| {
        let level = |at: usize| format!("let ({start}{}, c) = {start}{at}\nlet d = [{start}{}, c]\n", at + 1, at + 1);
        format!("let {start} = []\nlet {start}0 = {start}[0]\n{}", many(levels, level))
    };
    assert_eq!(value(&format!("{}1", doubled("a", 60))), "type-too-large");
    assert_eq!(value(&format!("{}{}size([a, b])", doubled("a", 60), doubled("b", 60))), "type-too-large");
    let deep = many(5_000, |at| format!("let (a{}, c) = a{at}\n", at + 1));
    assert_eq!(value(&format!("let a = []\nlet a0 = a[0]\n{deep}1")), "type-too-large");
}
