//! The rule of line ends, case by case.

use crate::support::{expression, expression_errors, program, program_errors};

#[track_caller]
fn check(text: &str, shape: &str) {
    assert_eq!(expression(text), shape, "in {text:?}");
}

#[track_caller]
fn wrong(text: &str, errors: &[&str]) {
    assert_eq!(expression_errors(text), errors, "in {text:?}");
}

/// `let a = FIRST \n SECOND`: two statements.
#[test]
fn a_newline_ends_an_expression() {
    for end in ["x", "1", "1.0", "true", "false", "f(x)", "[x]", "{x}", "t.0", "{x = y}", "a[i]", "x'"] {
        let value = expression(end);
        check(&format!("let a = {end}\nb"), &format!("(let a = {value} in b)"));
        check(&format!("let a = {end}\n-b"), &format!("(let a = {value} in (neg b))"));
        check(&format!("let a = {end}\n(b)"), &format!("(let a = {value} in (paren b))"));
        check(&format!("let a = {end}\n[b]"), &format!("(let a = {value} in [b])"));
        check(&format!("let a = {end} # comment\n# more\n\n-b"), &format!("(let a = {value} in (neg b))"));
        check(&format!("let a = {end};-b"), &format!("(let a = {value} in (neg b))"));
        check(&format!("let a = {end};\n(b)"), &format!("(let a = {value} in (paren b))"));
        check(&format!("let a = {end};;[b]"), &format!("(let a = {value} in [b])"));
    }
}

#[test]
fn a_newline_after_an_operator_does_not() {
    for operator in ["or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "^"] {
        for operand in ["b", "(b)", "[b]", "-b"] {
            let shape = format!("({operator} a {})", expression(operand));
            check(&format!("a {operator}\n{operand}"), &shape);
            check(&format!("a {operator} # comment\n\n  {operand}"), &shape);
        }
    }
    check("-\nb", "(neg b)");
    check("not\nb", "(not b)");
    check("\\x ->\nx", "(\\x -> x)");
    check("\\\nx\n-> x", "(\\x -> x)");
    check("let a =\n1\na", "(let a = 1 in a)");
    check("let\na = 1\na", "(let a = 1 in a)");
    check("let a = 1 in\n-a", "(let a = 1 in (neg a))");
    check("if\na then\n(b) else\n[c]", "(if a (paren b) [c])");
    check("loop\na = b for\ni <\nn do\n-a", "(loop a = b for i < n do (neg a))");
    check("loop a = b for x in\n(v) do a", "(loop a = b for x in (paren v) do a)");
    check("loop a = b while\n-c < a do a", "(loop a = b while (< (neg c) a) do a)");
    check("a ~=\nb within\n-c", "(~= a b (neg c))");
    check("t.\n0", "t.0");
}

#[test]
fn a_line_that_begins_with_an_operator_continues() {
    for operator in ["or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "*", "/", "^"] {
        let shape = format!("({operator} a b)");
        check(&format!("a\n{operator} b"), &shape);
        check(&format!("a\n\n  # comment\n  {operator} b"), &shape);
        check(&format!("let c = a\n{operator} b\nc"), &format!("(let c = {shape} in c)"));
        check(&format!("a;{operator} b"), &shape);
    }
    check("a\n~= b\nwithin c", "(~= a b c)");
    check("if a\nthen b\nelse c", "(if a b c)");
    check("let a = 1\nin a", "(let a = 1 in a)");
    check("let a\n= 1\na", "(let a = 1 in a)");
    check("let a\n: R\n= 1\na", "(let a: R = 1 in a)");
    check("\\x\n-> x", "(\\x -> x)");
    check("loop a\n= b\nfor i < n\ndo a", "(loop a = b for i < n do a)");
    check("loop a = b\nfor x\nin v\ndo a", "(loop a = b for x in v do a)");
    check("loop a = b\nwhile c\ndo a", "(loop a = b while c do a)");
    check("t\n.0\n.x", "t.0.x");
    assert_eq!(program("type A = R\n-> R"), "type A[] = (R -> R)");
    assert_eq!(program("fun f\n(x\n: R)\n: R\n= x"), "fun f(x: R): R = x");
}

#[test]
fn inside_brackets_newlines_are_ignored() {
    check("(a\n- b)", "(paren (- a b))");
    check("[a\n- b,\nc]", "[(- a b), c]");
    check("f(\na\n- b\n)", "f((- a b))");
    check("v[a\n- b]", "v[(- a b)]");
    check("{x = a\n- b,\ny = c\n}", "{x = (- a b), y = c}");
    check("{\nx\n= a}", "{x = a}");
    check("[a\n|\ni\n<\nn\n- 1]", "[a | i < (- n 1)]");
    check("(let a = 1 in\na)", "(paren (let a = 1 in a))");
    check("(let a = 1; a)", "(paren (let a = 1 in a))");
    check("(let a = 1;\n-a)", "(paren (let a = 1 in (neg a)))");
    check("f(let a = b; (a))", "f((let a = b in (paren a)))");
    assert_eq!(program("fun f(x: R\n-o R): {a: R\n-o R} = x"), "fun f(x: (R -o R)): {a: (R -o R)} = x");
}

#[test]
fn inside_a_block_newlines_count() {
    check("{\nlet a = b\n-a\n}", "(block (let a = b in (neg a)))");
    check("{ let a = b; a }", "(block (let a = b in a))");
    check("{ a; }", "(block a)");
    check("{\na\n+ b\n}", "(block (+ a b))");
    check("({\nlet a = b\n-a\n})", "(paren (block (let a = b in (neg a))))");
    check("{ let c = (a\n- b)\n-c }", "(block (let c = (paren (- a b)) in (neg c)))");
    check("({ let a = b\n-a }\n- c)", "(paren (- (block (let a = b in (neg a))) c))");
    check("[{ let a = b\n(a) }, c\n- d]", "[(block (let a = b in (paren a))), (- c d)]");
}

#[test]
fn an_operator_that_should_stand_on_the_line_before() {
    wrong("let a = b\n  - c\na", &["2:3 operator-on-next-line"]);
    wrong("let a = b\n  (c)\na", &["2:3 operator-on-next-line"]);
    wrong("let a = b\n  [c]\na", &["2:3 operator-on-next-line"]);
    wrong("let a = b # comment\n\n  - c\na", &["3:3 operator-on-next-line"]);
    wrong("  let a = b\n    - c\n  a", &["2:5 operator-on-next-line"]);
    wrong("let a = b +\n    c\n  - d\na", &["3:3 operator-on-next-line"]);
    wrong("let a = \\x -> x\n  (c)\na", &["2:3 operator-on-next-line"]);
    wrong("let a = b * c\n  - d\n  - e\na", &["2:3 operator-on-next-line", "3:3 operator-on-next-line"]);
    check("  let a = b\n  - c", "(let a = b in (neg c))");
    check("  let a = b\n- c", "(let a = b in (neg c))");
    check("\tlet a = b\n\t- c", "(let a = b in (neg c))");
    check("let a = b;  - c", "(let a = b in (neg c))");
    check("let a = b in\n  - c", "(let a = b in (neg c))");
    // At the end of everything there is nothing else it could mean.
    wrong("a\n- b", &["2:1 operator-on-next-line"]);
    wrong("a\n  - b", &["2:3 operator-on-next-line"]);
    wrong("{ a\n- b }", &["2:1 operator-on-next-line"]);
    assert_eq!(program_errors("let a = b\n- c\nlet d = e"), ["2:1 operator-on-next-line"]);
    assert_eq!(program_errors("let a = b\n  - c\nlet d = e"), ["2:3 operator-on-next-line"]);
    assert_eq!(program_errors("fun f(x: R): R =\n  x\n  - 1"), ["3:3 operator-on-next-line"]);
    assert_eq!(program_errors("type A = R\n  -o R"), ["2:3 operator-on-next-line"]);
    // The statement is the innermost one.
    check("let f = {\n    let a = b\n    -a }\nf", "(let f = (block (let a = b in (neg a))) in f)");
    wrong("let f = {\n    let a = b\n      -a }\nf", &["3:7 operator-on-next-line"]);
}

#[test]
fn calls_and_indices_inside_brackets_stand_on_their_line() {
    wrong("(f\n(a))", &["2:1 operator-on-next-line"]);
    wrong("[v\n[i]]", &["2:1 operator-on-next-line"]);
    wrong("g(f\n  (a), v\n[i])", &["2:3 operator-on-next-line", "3:1 operator-on-next-line"]);
    check("(f(\na\n))", "(paren f(a))");
}

#[test]
fn semicolons() {
    wrong("(a; b)", &["1:3 unexpected-semicolon"]);
    wrong("[a;]", &["1:3 unexpected-semicolon"]);
    wrong("f(a + ; b)", &["1:7 unexpected-semicolon"]);
    wrong("(a # ;\n; )", &["2:1 unexpected-semicolon"]);
    assert_eq!(program(";;let a = 1;;\n;let b = 2;"), "let a = 1\nlet b = 2");
}

#[test]
fn a_let_needs_an_end() {
    wrong("let a = 1 a", &["1:11 missing-in"]);
    wrong("(let a = 1\na)", &["2:1 missing-in"]);
    wrong("let a = 1", &["1:1 missing-body"]);
    wrong("{ let a = 1 }", &["1:3 missing-body"]);
    wrong("(let a = 1)", &["1:2 missing-body"]);
    assert_eq!(program_errors("fun f(x: R): R =\n  let a = x\n\nfun g(x: R): R = x"), ["2:3 missing-body"]);
}

#[test]
fn let_sequences() {
    check("let a = 1\nlet b = 2\na + b", "(let a = 1, b = 2 in (+ a b))");
    check("let a =\n  let b = 1\n  b\na", "(let a = (let b = 1 in b) in a)");
    assert_eq!(
        program("fun f(x: R): R =\n  let y = x\n  y * y\nlet c = 1"),
        "fun f(x: R): R = (let y = x in (* y y))\nlet c = 1"
    );
}
