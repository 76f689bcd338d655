//! Endless evaluations, huge values, strange texts.

use super::*;

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
