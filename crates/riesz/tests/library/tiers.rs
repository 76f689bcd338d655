//! What runs a program: the interpreter, and machine code for what takes it long. Both give the same.

use riesz::{Evaluated, NoFiles, Options, Session, Toolchain};

fn session(native: Option<Toolchain>, text: &str) -> Session {
    let mut session = Session::new(Options { native, ..Options::default() });
    session.explain();
    session.load_text("a program", text, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    session
}

fn evaluated(session: &mut Session, expression: &str) -> (Evaluated, String) {
    let value = session.evaluate(expression, Vec::new());
    let value = value.unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
    (value, session.take_explanations().join("\n"))
}

#[test]
fn long_work_is_left_to_machine_code() {
    let text = "fun f(x: R, n: Int): R = loop s = x for i < n do 0.5 * sin(s) + x";
    let rows = [
        ("f(0.5, 10)", "interpreter"),
        ("grad(f(_, 10), 0.5)", "interpreter"),
        ("f(0.5, 100000)", "machine code"),
        ("grad(f(_, 100000), 0.5)", "machine code"),
        ("sum(sum([1.0 | i < 3000]) * j | j < 1000)", "machine code"),
    ];
    let (mut both, mut interpreter) = (session(Toolchain::automatic(), text), session(None, text));
    for (expression, by) in rows {
        let (value, why) = evaluated(&mut both, expression);
        assert!(
            why.contains(&format!("run by the {by}")) || why.contains(&format!("run by {by}")),
            "{expression}: {why}"
        );
        assert_eq!(value.to_string(), evaluated(&mut interpreter, expression).0.to_string(), "{expression}");
    }
}

#[test]
fn what_cannot_become_code_is_interpreted_without_a_note() {
    let mut session = session(Toolchain::automatic(), "");
    let (_, why) = evaluated(&mut session, "sum(real(i) | i < 100000) * matrix(D(\\x -> x^2, 3.0))");
    assert!(why.contains("run by"), "{why}");
    let mut quiet = Session::new(Options::default());
    quiet.evaluate("taylor(\\x -> sum(sin(x * i) | i < 100000), 0.5, 1.0, 2)", Vec::new()).unwrap();
    assert!(quiet.take_notes().is_empty());
}

#[test]
fn errors_are_the_same_after_many_steps() {
    let text = "fun f(v: [n]R, k: Int): R = sum(v[if i < k then 0 else i] | i < k + 1)";
    let problem = |native: Option<Toolchain>, expression: &str| {
        let mut session = session(native, text);
        let problems = session.evaluate(expression, Vec::new()).unwrap_err();
        session.render(&problems, false)
    };
    for expression in ["f([1.0, 2.0], 100000)", "f([1.0], 5)"] {
        assert_eq!(problem(Toolchain::automatic(), expression), problem(None, expression));
    }
}

#[test]
fn long_literals_are_data() {
    let numbers =
        |count: usize| (0..count).map(|at| format!("{}", (at as f64 * 0.37).sin())).collect::<Vec<_>>().join(", ");
    let rows = (0..40).map(|at| format!("[{}, -{at}.5]", at as f64 / 3.0)).collect::<Vec<_>>().join(", ");
    let text = format!(
        "fun inside(w: R): R = sum((w * y)^2 | y in [{}])\n\
         fun rows(w: R): R = sum(w * sum(sin(w * r)) | r in [{rows}])\n\
         let table = [{}]\n\
         let twice = sum(2 * y | y in [{}])\n\
         fun looked_up(w: R): R = sum(w * y | y in table) + twice",
        numbers(100),
        numbers(300),
        numbers(70)
    );
    let (mut code, mut interpreter) = (session(Toolchain::instant(), &text), session(None, &text));
    for expression in [
        "grad(inside, 2.0)",
        "grad(rows, 2.0)",
        "grad(looked_up, 2.0)",
        "looked_up(1.5)",
        "grad(\\w -> grad(rows, w), 0.5)",
    ] {
        let (value, why) = evaluated(&mut code, expression);
        assert!(why.contains("run by machine code"), "{why}");
        let (expected, _) = evaluated(&mut interpreter, expression);
        let number = |text: &Evaluated| text.to_string().parse::<f64>().unwrap();
        let (found, expected) = (number(&value), number(&expected));
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{expression}: {found}, not {expected}");
    }
}
