//! Programs written to break things: deep, long, wide, endless and huge. Each ends in bounded time with a value or with
//! its own clear error, on the small stack of a test's thread.

use riesz_core::Checker;
use riesz_core::evaluate::{Limits, Machine};
use riesz_syntax::{Diagnostic, FormatOptions, ParseOptions, Sources, Tree, format, parse, parse_expression, render};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The value of `expression` in the scope of `program`, or the code of the first error.
fn run(program: &str, expression: &str, limits: &Limits) -> String {
    let start = Instant::now();
    let outcome = outcome(program, expression, limits);
    // Generous, since machines differ: quadratic time is seconds for the sizes below.
    let shown: String = program.chars().chain(expression.chars()).take(40).collect();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{shown:?} took {took:?}");
    if std::env::var_os("KILLERS_TIMES").is_some() {
        println!("{took:>12.3?} {outcome:.40} {shown:?}");
    }
    outcome
}

fn outcome(program: &str, expression: &str, limits: &Limits) -> String {
    let mut sources = Sources::default();
    sources.add("prelude.rz", riesz_core::check::PRELUDE);
    let file = sources.add("program.rz", program);
    let line = sources.add("expression", expression);
    let (tree, problems) = parse(file, program, &ParseOptions::default());
    if !problems.is_empty() {
        return code(&problems, &sources);
    }
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    if !problems.is_empty() {
        return code(&problems, &sources);
    }
    let (tree, expr, problems) = parse_expression(line, expression, &ParseOptions::default());
    let Some(expr) = expr.filter(|_| problems.is_empty()) else { return code(&problems, &sources) };
    let thunk = match checker.expression(tree, expr, Vec::new()) {
        Ok(thunk) => thunk,
        Err(problems) => return code(&problems, &sources),
    };
    match Machine::<f64>::new(&checker.program, limits.clone(), |_| None).run(thunk.function) {
        Ok(value) => value.show(&thunk.ty),
        Err(fault) => code(&[*fault], &sources),
    }
}

fn code(problems: &[Diagnostic], sources: &Sources) -> String {
    let drawn = render(problems, sources, false);
    assert!(drawn.len() < 4_000_000, "{} bytes of messages", drawn.len());
    problems.first().map_or("nothing to evaluate".to_string(), |problem| problem.code.to_string())
}

/// The value of an expression that stands alone.
fn value(expression: &str) -> String {
    run("", expression, &Limits::default())
}

/// What becomes of a program.
fn program(text: &str) -> String {
    run(text, "0", &Limits::default())
}

const MANY: usize = 100_000;

/// `f(0) f(1) ...`, one after the other.
fn many(count: usize, f: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        text += &f(at);
        text
    })
}

fn nest(before: &str, middle: &str, after: &str, depth: usize) -> String {
    format!("{}{middle}{}", before.repeat(depth), after.repeat(depth))
}

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

// ---- endless ----

fn small() -> Limits {
    Limits { steps: 1_000_000, depth: 10_000, memory: 256 << 20, interrupt: None }
}

#[test]
fn endless_evaluations_end() {
    let value = |text: &str| run("", text, &small());
    assert_eq!(value("loop x = 0 while true do x"), "step-limit");
    assert_eq!(value("loop x = 0 while true do mod(x + 1, 7)"), "step-limit");
    assert_eq!(value("loop x = 0 for i < 10^18 do x"), "step-limit");
    assert_eq!(value("sum(1 | i < 10^18)"), "step-limit");
    assert_eq!(value("sum(1 | i < 10^9, j < 10^9)"), "step-limit");
    assert_eq!(value("all(true | i < 10^18)"), "step-limit");
    assert_eq!(value("max(0.0 | i < 10^18)"), "step-limit");
    assert_eq!(value("loop x = 0 while true do loop y = 0 for i < 10 do y"), "step-limit");
    assert_eq!(run("fun f(x: Int): Int = f(x)", "f(1)", &small()), "depth-limit");
    assert_eq!(run("fun f(x: Int): Int = g(x) + 1\nfun g(x: Int): Int = f(x) + 1", "f(1)", &small()), "depth-limit");
    assert_eq!(
        run("fun f(x: Int) = g(x)\nfun g(x: Int) = h(x)\nfun h(x: Int) = f(x)", "f(1)", &small()),
        "depth-limit"
    );
    assert_eq!(run("fun f(n: Int): Int = if n > 0 then f(n - 1) + f(n - 1) else 0", "f(100)", &small()), "step-limit");
    assert_eq!(
        run(
            "fun f(g: R -> R, n: Int): R = if n == 0 then g(1.0) else f(\\x -> g(g(x)), n - 1)",
            "f(\\x -> x, 60)",
            &small()
        ),
        "step-limit"
    );
    assert_eq!(run("fun f(x: R): R = f(f(x))", "f(1)", &small()), "depth-limit");
    assert_eq!(run("let a = loop x = 0 while true do x\ncheck a == 1", "a", &small()), "step-limit");
}

#[test]
fn deep_recursion() {
    let deep = Limits { depth: 1_100_000, ..Limits::default() };
    let count = "fun f(n: Int): Int = if n == 0 then 0 else 1 + f(n - 1)";
    assert_eq!(run(count, "f(1000000)", &deep), "1000000");
    assert_eq!(run(count, "f(99000)", &Limits::default()), "99000");
    assert_eq!(run(count, "f(1000000)", &Limits::default()), "depth-limit");
    let mutual = "fun even(n: Int): Bool = if n == 0 then true else odd(n - 1)
        fun odd(n: Int): Bool = if n == 0 then false else even(n - 1)";
    assert_eq!(run(mutual, "even(200000)", &deep), "true");
    assert_eq!(run(mutual, "even(1000000)", &Limits::default()), "depth-limit");
    let inside = "fun f(n: Int): Int = if n == 0 then 0 else sum([sum([1 + f(n - 1)]) | i < 1])";
    assert_eq!(run(inside, "f(100000)", &deep), "100000");
    // Arrays in the making and frames count as memory too.
    let huge = "fun f(n: Int): [100000000]R = [f(n + 1)[i] | i < 10^8]";
    assert_eq!(run(huge, "f(0)", &Limits::default()), "memory-limit");
    let wide = format!("fun f(n: Int): Int = {{\n{}f(n + 1)\n}}", many(5_000, |at| format!("let a{at} = n + {at}\n")));
    assert_eq!(run(&wide, "f(0)", &small()), "memory-limit");
    let inside = "fun f(n: Int, v: [k]R): R = if n == 0 then 0.0 else f(n - 1, map(\\x -> x + f(0, v), v))";
    assert_eq!(run(inside, "f(10000, [1.0, 2.0])", &deep), "0.0");
}

#[test]
fn chains_of_closures() {
    let loops = "loop f = \\x -> x for i < 1000000 do \\x -> f(x) + 1";
    assert_eq!(value(&format!("let g = {loops} in 1")), "1");
    assert_eq!(value(&format!("({loops})(0.0)")), "depth-limit");
    assert_eq!(value("(loop f = \\x -> x for i < 50000 do \\x -> f(x) + 1)(0.0)"), "50000.0");
    assert_eq!(value("(fold(\\f a -> \\x -> f(x) + a, \\x -> x, iota(50000)))(0.0)"), "1249975000.0");
    assert_eq!(value("size(scan(\\f a -> \\x -> f(x) + a, \\x -> x + 0.0, iota(200000)))"), "200000");
    assert_eq!(
        value("let g = loop f = (\\x -> x, 1) for i < 300000 do { let h = f.0; (\\x -> h(x) + 1, 2) } in g.1"),
        "2"
    );
    assert_eq!(
        value("let g = loop f = [\\x -> x] for i < 300000 do { let h = f[0]; [\\x -> h(x) + 1] } in size(g)"),
        "1"
    );
    assert_eq!(run("", "loop f = \\x -> x for i < 100000000 do \\x -> f(x) + 1", &small()), "step-limit");
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    assert_eq!(run("", "loop f = \\x -> x for i < 100000000 do \\x -> f(x) + 1", &limits), "memory-limit");
}

// ---- huge ----

#[test]
fn huge_arrays_are_refused() {
    for text in [
        "[0.0 | i < 10^15]",
        "[[0.0 | i < 10^8] | j < 10^8]",
        "[0.0 | i < 10^8, j < 10^8]",
        "iota(10^15)",
        "replicate(10^15, 1.0)",
        "build(9223372036854775807, \\i -> i)",
        "replicate(9223372036854775807, (1, 2))",
        "scatter_add(10^15, [0], [1.0])",
        "scatter_add(9223372036854775807, [0], [[1.0]])",
        "[true | i < 10^15]",
        "[() | i < 10^15]",
        "[[] | i < 10^15]",
        "map(\\x -> [0.0 | i < 10^6], iota(10^6))",
        "outer([1.0 | i < 10^5], [1.0 | i < 10^5])",
        "[outer([1.0 | i < 10^4], [1.0 | i < 10^4]) | i < 1000]",
        "sum([[0.0 | j < 10^12] | i < 0])",
        "prod([[[1.0 | k < 10^5] | j < 10^5] | i < 0])",
        "transpose([[0.0 | j < 10^12] | i < 0])",
        "dot([0.0 | i < 0], [[0.0 | j < 10^12] | i < 0])",
        "dot([[0.0 | i < 0] | k < 10^5], [[0.0 | j < 10^5] | i < 0])",
        "flatten(replicate(10^5, replicate(10^5, 1.0)))",
        "concat(replicate(10^8, 1.0), replicate(10^8, 1.0))",
        "reverse(flatten(replicate(10^4, replicate(10^4, (1, 2)))))",
        "gather([1.0], flatten(replicate(10^4, replicate(10^4, 0))))",
        "inv([[0.0 | i < 10^5] | j < 10^5])",
        "replicate(10^5, replicate(10^5, 1.0)) + 1",
        "real(replicate(10^5, replicate(10^5, 1)))",
        "(loop v = [1.0 | i < 10^6] for i < 10^6 do reverse(v))[0] + sum([sum([0.0 | k < 10^7]) | j < 10^3])",
        "scan(\\a x -> replicate(10^6, 1.0), replicate(10^6, 1.0), iota(10^6))",
        "loop f = \\x -> x for i < 10^9 do { let v = [1.0 | j < 10^5] in \\x -> f(x) + v[0] }",
    ] {
        let found = run("", text, &small());
        assert!(found == "memory-limit" || found == "step-limit", "{text}: {found}");
    }
    let tuples = format!("[({}1) | i < 900000]", "1, ".repeat(1_000));
    assert_eq!(run("", &tuples, &small()), "memory-limit");
    let grow = "fun grow(v: [n]R, k: Int): [_]R = if k == 0 then v else grow(concat(v, v), k - 1)";
    assert_eq!(run(grow, "size(grow([1.0], 60))", &small()), "memory-limit");
    let grow = "fun grow(v: [n]R, k: Int): [_]R = if k == 0 then v else grow(flatten([v, v, v]), k - 1)";
    assert_eq!(run(grow, "size(grow([1.0], 60))", &small()), "memory-limit");
    let tuples = "fun grow(v: t, k: Int): Int = if k == 0 then 0 else grow(replicate(2, v), k - 1)";
    assert_eq!(run(tuples, "grow(1.0, 60)", &small()), "too-many-instances");
}

#[test]
fn shared_values_are_not_unfolded() {
    // A million times a million, in the memory of one row; what looks at all of it must not.
    let found = run("", "size(replicate(10^5, replicate(10^5, 1.0)))", &small());
    assert_eq!(found, "100000");
    let shared = "let a0 = replicate(100, 1.0)\n".to_string()
        + &many(8, |at| format!("let a{} = replicate(100, a{at})\n", at + 1));
    assert_eq!(run("", &format!("{shared}size(a8)"), &small()), "100");
    for looking in [
        "a8 == a8",
        "a8 ~= a8",
        "a8",
        "a8 + a8",
        "inner(a8, a8)",
        "norm(a8)",
        "flatten(a8)",
        "sum(a8)",
        "transpose(a8)",
    ] {
        let found = run("", &format!("{shared}let x = {looking} in 1"), &small());
        assert!(found == "memory-limit" || found == "step-limit" || found == "1", "{looking}: {found}");
    }
}

#[test]
fn huge_numbers() {
    assert_eq!(value(&format!("1{}", "0".repeat(1_000_000))), "number-too-large");
    assert_eq!(value(&format!("1{}", "0".repeat(300))), "1e300");
    assert_eq!(value(&format!("0x{}", "f".repeat(1_000_000))), "number-too-large");
    assert_eq!(value(&format!("1.{}", "3".repeat(1_000_000))), "1.3333333333333333");
    assert_eq!(value(&format!("0.{}1", "0".repeat(1_000_000))), "0.0");
    assert_eq!(value("1e999999999999"), "number-too-large");
    assert_eq!(value("1e-999999999999"), "0.0");
    assert_eq!(value("10^10^10^10"), "inf");
    assert_eq!(value("9^9^9^9"), "inf");
    assert_eq!(value("2^9223372036854775807"), "integer-overflow");
    assert_eq!(value("1^9223372036854775807"), "1");
    assert_eq!(value("let n = 9223372036854775807 in n^9223372036854775807"), "integer-overflow");
    assert_eq!(value("[1 | i < 9223372036854775807 + 1]"), "integer-overflow");
    assert_eq!(value("let v: [9223372036854775807]R = [1] in v"), "size-mismatch");
    assert_eq!(program("fun f(v: [9223372036854775807 * n]R): R = 1.0"), "0");
    assert_eq!(program("fun f(v: [9223372036854775807 * 2]R): R = 1.0"), "integer-too-large");
    assert_eq!(run("fun f(v: [9223372036854775807 * n]R): Int = n", "f([])", &Limits::default()), "0");
    assert_eq!(run("fun f(v: [9223372036854775807 * n]R): Int = n", "f([1])", &Limits::default()), "size-mismatch");
    assert_eq!(
        run("fun f(v: [n]R): [9223372036854775807 * n]R = v", "f([1, 2])", &Limits::default()),
        "integer-overflow"
    );
    assert_eq!(value("t.99999999999999999999"), "malformed-number");
    assert_eq!(value("(1, 2).4294967295"), "unknown-field");
}

// ---- strange ----

#[test]
fn strange_texts() {
    assert_eq!(program(""), "0");
    assert_eq!(value(""), "unexpected-token");
    assert_eq!(program("# only\n# comments"), "0");
    assert_eq!(program("\n\n\n"), "0");
    assert_eq!(program("\u{feff}let a = 1"), "0");
    assert_eq!(program("\u{feff}"), "0");
    assert_eq!(program("let a = 1\u{feff}"), "unknown-character");
    assert_eq!(run("let a = 1\r\nlet b = a\r\n  + 1\r\n", "b", &Limits::default()), "2");
    assert_eq!(program("\0\0\0"), "unknown-character");
    assert_eq!(program("let a = 1\0"), "unknown-character");
    assert_eq!(program("let a = \"\0\""), "string-in-expression");
    assert_eq!(program(&String::from_utf8_lossy(b"let a = \xff\xfe\x00\x80")), "unknown-character");
    assert_eq!(program(&String::from_utf8_lossy(&[0xff; 100_000])), "unknown-character");
    assert_eq!(program("type T = T"), "cyclic-type");
    assert_eq!(program("type A = B\ntype B = [1]A"), "cyclic-type");
    assert_eq!(program("type A = A -> A\nfun f(x: A): R = 1.0"), "cyclic-type");
    assert_eq!(program("let a = b\nlet b = a"), "cyclic-let");
    assert_eq!(program("let a = f()\nfun f() = a"), "cyclic-let");
    assert_eq!(program("let f = \\x -> f(x)\ncheck f(1) == 1"), "cyclic-let");
    assert_eq!(value("let f = \\x -> f(x) in f(1)"), "unknown-name");
    assert_eq!(value("(\\x -> x(x))(\\x -> x(x))"), "program-too-large");
    assert_eq!(value("let w = \\x -> x(x) in w(w)"), "program-too-large");
    assert_eq!(
        value(
            "let y = \\f -> (\\x -> f(\\v -> x(x)(v)))(\\x -> f(\\v -> x(x)(v))) in y(\\g -> \\n -> if n == 0 then 1 else n * g(n - 1))(5)"
        ),
        "program-too-large"
    );
}

/// Fifty megabytes: many short lines, few long ones, one line, and what the formatter makes of them.
#[test]
fn fifty_megabytes() {
    const SIZE: usize = 50 << 20;
    for piece in ["# a comment\n", "\n", " ", "#", "(", "x", "é", "let ", "\"", "1", "\u{0}"] {
        let text = piece.repeat(SIZE / piece.len());
        let start = Instant::now();
        let mut sources = Sources::default();
        let file = sources.add("long.rz", text.as_str());
        let (_, problems) = parse(file, &text, &ParseOptions::default());
        render(&problems, &sources, false);
        assert!(start.elapsed() < Duration::from_secs(60), "{piece:?} took {:?}", start.elapsed());
    }
}

#[test]
fn large_programs() {
    let text = many(200_000, |at| format!("let a{at} = {at} + 1 # number\n"));
    assert_eq!(program(&text), "0");
    let line = format!("let a = [{}1]", "1, ".repeat(1_000_000));
    assert_eq!(program(&line), "0");
    let (tree, _): (Tree, _) = parse(riesz_syntax::FileId(0), &line, &ParseOptions::default());
    assert_eq!(tree.items.len(), 1);
    assert!(format(&line, &FormatOptions::default()).is_ok_and(|text| text.len() >= line.len()));
    let mut body = "fun f(x: R): R = {\n".to_string();
    for at in 0..50_000 {
        let _ = writeln!(body, "  let y{at} = if x > {at} then sin(x) * {at} else x");
    }
    body += "  x\n}";
    assert_eq!(run(&body, "f(1)", &Limits::default()), "1.0");
}
