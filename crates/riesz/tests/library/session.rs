//! The guarantees of a session to a Rust programmer.

use riesz::{Binding, Data, Diagnostic, Elements, Limits, Loaded, NoFiles, Options, Session, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Files by name; `dir/../` is not understood.
fn files(files: &'static [(&'static str, &'static str)]) -> impl Fn(&str, Option<&str>) -> Result<Loaded, String> {
    move |path, _| match files.iter().find(|(name, _)| *name == path) {
        Some((name, text)) => Ok(Loaded::text(*name, *text)),
        None => Err("there is no such file".into()),
    }
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn shown(session: &mut Session, text: &str) -> String {
    match session.evaluate(text, Vec::new()) {
        Ok(found) => found.to_string(),
        Err(diagnostics) => panic!("{}", session.render(&diagnostics, false)),
    }
}

#[test]
fn imports_are_brought_once() {
    let loader = files(&[
        ("main.rz", "import \"left.rz\"\nimport \"right.rz\"\nimport \"left.rz\"\nlet sum = left + right"),
        ("left.rz", "import \"base.rz\"\nlet left = base"),
        ("right.rz", "import \"base.rz\"\nlet right = base + 1"),
        ("base.rz", "let base = 1\ncheck base == 2"),
    ]);
    let mut session = Session::default();
    let main = session.load("main.rz", &loader).unwrap();
    assert_eq!(shown(&mut session, "sum"), "3");
    assert!(session.checks(main).is_empty(), "checks of imported files are not the program's");
    assert_eq!(session.load("main.rz", &loader).unwrap(), main, "a file that is known is not read again");
    session.load("base.rz", &loader).unwrap();
}

#[test]
fn wrong_imports_are_shown_at_their_places() {
    let loader = files(&[
        ("a.rz", "import \"b.rz\""),
        ("b.rz", "import \"a.rz\"\nimport \"nowhere.rz\"\nlet b = )"),
        ("self.rz", "import \"self.rz\""),
    ]);
    let mut session = Session::default();
    let mut found = codes(&session.load("a.rz", &loader).unwrap_err());
    found.sort();
    assert_eq!(found, ["cannot-read", "import-cycle", "unexpected-token"]);
    assert_eq!(codes(&session.load("self.rz", &loader).unwrap_err()), ["import-cycle"]);
    assert_eq!(codes(&session.load("nowhere.rz", &loader).unwrap_err()), ["cannot-read"]);
    assert_eq!(shown(&mut session, "1 + 1"), "2", "a session survives its errors");
}

#[test]
fn long_chains_of_imports_are_followed() {
    let loader = |path: &str, _: Option<&str>| {
        let number: usize = path.parse().map_err(|_| "no number".to_string())?;
        let import = if number < 20_000 { format!("import \"{}\"", number + 1) } else { String::new() };
        Ok(Loaded::text(path, import))
    };
    Session::default().load("0", &loader).unwrap();
}

#[test]
fn text_that_is_not_utf8_has_a_place() {
    let loader = |_: &str, _: Option<&str>| {
        Ok(Loaded { identity: "a".into(), name: "a.rz".into(), bytes: b"# fine\nlet a = \xff\n".to_vec() })
    };
    let mut session = Session::default();
    let found = session.load("a.rz", &loader).unwrap_err();
    assert_eq!(codes(&found), ["not-utf8"]);
    assert_eq!(session.sources().position(found[0].labels[0].span), (2, 9));
}

#[test]
fn definitions_take_the_place_of_others() {
    let mut session = Session::default();
    session.define("first", "let k = 2\nfun times(x: R): R = k * x", &NoFiles).unwrap();
    session.define("second", "let k = 5", &NoFiles).unwrap();
    assert_eq!(shown(&mut session, "(k, times(1))"), "(5, 2.0)");
    assert!(session.define("third", "let k = k + missing", &NoFiles).is_err());
    assert_eq!(shown(&mut session, "k"), "5", "what is wrong changes nothing");
    assert_eq!(session.signature("times").as_deref(), Some("R -> R"));
    let names: Vec<_> = session.definitions().map(|definition| definition.name.to_string()).collect();
    assert_eq!(names, ["k", "times"]);
}

#[test]
fn checks_say_how_they_fail() {
    let mut session = Session::default();
    let text = "check 1 == 1\ncheck \"sums\" [1.0, 2.0] ~= [1.0, 2.5]\ncheck [1, 2][n] == 1\nlet n = 7";
    let file = session.load_text("checks.rz", text, &NoFiles).unwrap();
    let checks = session.checks(file);
    assert_eq!(session.run_check(&checks[0]), Ok(()));
    let failed = session.run_check(&checks[1]).unwrap_err();
    assert_eq!(failed.message, "the check \"sums\" fails");
    assert_eq!(failed.help, ["the largest difference is 0.5, at [1]"]);
    let labels: Vec<_> = failed.labels.iter().map(|label| (session.sources().text(label.span), &*label.text)).collect();
    assert_eq!(labels, [("[1.0, 2.0]", "[1.0, 2.0]"), ("[1.0, 2.5]", "[1.0, 2.5]")]);
    assert_eq!(session.run_check(&checks[2]).unwrap_err().code, "index-out-of-range");
}

#[test]
fn data_are_read_at_the_type_that_is_asked_for() {
    let mut session = Session::default();
    session.load_text("f.rz", "fun f(p: (R, [n]Int)): R = p.0 + sum(p.1)", &NoFiles).unwrap();
    let matrix = Data::Tensor { shape: vec![2, 2], elements: Elements::Int(vec![1, 2, 3, 4]) };
    let pair = Data::List(vec![Data::Int(1), Data::List(vec![Data::Int(2), Data::Int(3)])]);
    let bindings = || vec![("m".into(), Binding::Data(matrix.clone())), ("p".into(), Binding::Data(pair.clone()))];
    assert_eq!(session.evaluate("f(p)", bindings()).unwrap().to_string(), "6.0");
    assert_eq!(
        session.evaluate("(m, m * 0.5)", bindings()).unwrap().to_string(),
        "([[1, 2], [3, 4]], [[0.5, 1.0], [1.5, 2.0]])"
    );
    assert!(session.evaluate("m", Vec::new()).is_err(), "data are bound for one expression");
}

#[test]
fn data_in_the_point_of_a_derivative_are_real() {
    let mut session = Session::default();
    let text = "fun f(p: {k: Int, x: [n]R}): R = p.k * sum(p.x)";
    session.load_text("f.rz", text, &NoFiles).unwrap();
    let list = || Data::List(vec![Data::Int(1), Data::Int(2)]);
    let record = Data::Record(vec![("k".into(), Data::Int(3)), ("x".into(), list())]);
    let matrix = Data::Tensor { shape: vec![1, 2], elements: Elements::Int(vec![1, 2]) };
    for (expression, expected) in [
        ("grad(\\v -> sum(v^2), w)", "[2.0, 4.0]"),
        ("grad(\\v -> sum(v^2), (w))", "[2.0, 4.0]"),
        ("grad(\\(v, c) -> c * sum(v), (w, 2))", "([2.0, 2.0], 3.0)"),
        ("hessian(\\v -> v[0] * v[1], w)", "[[0.0, 1.0], [1.0, 0.0]]"),
        ("jacobian(\\a -> a[0], m)", "[[[1.0, 0.0]], [[0.0, 1.0]]]"),
        ("taylor(\\v -> v * v, w, w, 1)", "[[1.0, 4.0], [2.0, 8.0]]"),
        ("grad(f, p)", "{k = (), x = [3.0, 3.0]}"),
        ("grad(\\p -> p.k * sum(p.x), p)", "{k = 3.0, x = [3.0, 3.0]}"),
        ("(w, w[w[0]])", "([1, 2], 2)"),
    ] {
        let data = [("w", list()), ("m", matrix.clone()), ("p", record.clone())];
        let bindings = data.into_iter().map(|(name, data)| (name.into(), Binding::Data(data))).collect();
        let found = session.evaluate(expression, bindings);
        let found = found.unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
        assert_eq!(found.to_string(), expected, "{expression}");
    }
}

#[test]
fn values_of_lets_are_kept() {
    let mut session =
        Session::new(Options { limits: Limits { steps: 1500, ..Limits::default() }, ..Options::default() });
    session.load_text("slow.rz", "let slow = loop i = 0 for j < 1000 do i + j", &NoFiles).unwrap();
    for _ in 0..3 {
        assert_eq!(shown(&mut session, "slow + (loop i = 0 for j < 400 do i + 1)"), "499900");
    }
}

#[test]
fn an_evaluation_can_be_interrupted() {
    let interrupt = Arc::new(AtomicBool::new(true));
    let limits = Limits { interrupt: Some(interrupt.clone()), ..Limits::default() };
    let mut session = Session::new(Options { limits, ..Options::default() });
    let endless = session.evaluate("loop i = 0 while true do i", Vec::new()).unwrap_err();
    assert_eq!(codes(&endless), ["interrupted"]);
    interrupt.store(false, Ordering::Relaxed);
    assert_eq!(shown(&mut session, "loop i = 0 for j < 10 do j"), "9");
}

/// A session whose compiler may write so many operations.
fn with_code(code: u64) -> Session {
    Session::new(Options { code, ..Options::default() })
}

/// The derivative of so many sines of each other, by the chain rule.
fn derivative_of_sines(count: u32) -> f64 {
    (0..count).fold((1.0f64, 1.0), |(x, derivative), _| (x.sin(), derivative * x.cos())).1
}

fn assert_near(found: &str, expected: f64) {
    let found: f64 = found.parse().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, not {expected}");
}

#[test]
fn what_calls_keep_is_compiled_in_proportion_to_the_program() {
    let level = |at: usize| format!("fun f{}(x: R): R = f{at}(f{at}(x))\n", at + 1);
    let calls = "fun f0(x: R): R = sin(x)\n".to_string() + &(0..16).map(level).collect::<String>();
    let mut session = with_code(100_000);
    session.load_text("calls.rz", &calls, &NoFiles).unwrap();
    assert_near(&shown(&mut session, "grad(f16, 1.0)"), derivative_of_sines(1 << 16));
    assert_near(&shown(&mut session, "jvp(f16, 1.0, 1.0).1"), derivative_of_sines(1 << 16));
}

#[test]
fn a_session_that_was_stopped_is_as_it_was_before() {
    let mut session = with_code(60);
    session.load_text("f.rz", "fun f(x: R): R = x * sin(x)", &NoFiles).unwrap();
    let text = "grad(\\x -> grad(\\y -> grad(f, y), x), 0.5)";
    for _ in 0..2 {
        let problems = session.evaluate(text, Vec::new()).unwrap_err();
        assert_eq!(codes(&problems), ["code-limit"]);
        assert_eq!(shown(&mut session, "f(0.0)"), "0.0");
    }
    session.load_text("g.rz", "fun g(x: R): R = f(x) + 1", &NoFiles).unwrap();
    assert_eq!(shown(&mut session, "g(0.0)"), "1.0");
    assert_eq!(shown(&mut with_code(100_000), "grad(\\x -> grad(\\y -> y * y, x), 0.5)"), "2.0");
}

#[test]
fn work_inside_of_an_operation_is_counted() {
    let limits = Limits { steps: 1000, ..Limits::default() };
    let mut session = Session::new(Options { limits, ..Options::default() });
    for text in ["taylor(\\x -> exp(sin(x)), 0.5, 1.0, 10000)", "taylor(lgamma, 0.5, 1.0, 10000)"] {
        let problems = session.evaluate(text, Vec::new()).unwrap_err();
        assert_eq!(codes(&problems), ["step-limit"], "{text}");
        assert!(!problems[0].labels.is_empty(), "{text}");
    }
    assert_eq!(shown(&mut session, "taylor(\\x -> x * x, 1.0, 1.0, 2)"), "[1.0, 2.0, 2.0]");
}

#[test]
fn names_are_completed() {
    let mut session = Session::default();
    session.load_text("a.rz", "let sinus = 1", &NoFiles).unwrap();
    let names: Vec<_> = session.complete("sin").iter().map(|name| name.to_string()).collect();
    assert_eq!(names, ["sin", "sinh", "sinus"]);
    assert!(session.complete("whi").iter().any(|name| &**name == "while"));
}

mod text {
    use super::*;
    use proptest::prelude::*;

    fn read_back(text: &str) -> Value {
        Session::default().evaluate(text, Vec::new()).unwrap().value
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn reals_read_back_with_the_same_bits(bits in prop::collection::vec(any::<u64>(), 1..20)) {
            let reals: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
            let ty = Session::default().evaluate("[0.0]", Vec::new()).unwrap().ty;
            let text = Value::reals(reals.clone()).show(&ty);
            let Value::Reals(back) = read_back(&text) else { panic!("{text} is no array of reals") };
            prop_assert_eq!(back.len(), reals.len());
            for (a, b) in back.iter().zip(&reals) {
                prop_assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{} for {}", a, b);
            }
        }

        #[test]
        fn integers_read_back(integer in any::<i64>()) {
            prop_assert!(matches!(read_back(&integer.to_string()), Value::Int(back) if back == integer));
        }

        #[test]
        fn what_is_printed_prints_the_same_again(a in any::<f64>(), b in any::<i64>(), c in any::<bool>(), n in 1usize..4) {
            let mut session = Session::default();
            let text = format!("{{x = [({a:?}, {b}) | i < {n}], y = {c}, z = ()}}");
            let once = session.evaluate(&text, Vec::new()).unwrap().to_string();
            prop_assert_eq!(session.evaluate(&once, Vec::new()).unwrap().to_string(), once);
        }
    }
}

/// What a `let` refers to stays while the expressions that use it come and go.
#[test]
fn lets_with_functions_and_maps_serve_every_evaluation() {
    let text = "fun cube(x: R): R = x^3
        let k = grad(cube, 2.0)
        let m = D(cube, 2.0)
        let slope = (\\x -> k * grad(cube, x), 1.0)
        let scaled = 2 * m";
    let mut session = Session::default();
    session.load_text("lets.rz", text, &NoFiles).unwrap();
    for _ in 0..3 {
        for (expression, expected) in [
            ("m(1.0)", "12.0"),
            ("slope.0(1.0)", "36.0"),
            ("scaled(1.0) + adjoint(m)(1.0)", "36.0"),
            ("grad(slope.0, 1.0)", "72.0"),
            ("matrix(m) + k", "24.0"),
        ] {
            assert_eq!(shown(&mut session, expression), expected, "{expression}");
        }
        let map = session.evaluate("scaled", Vec::new()).unwrap();
        assert_eq!(session.with_matrices(&map).unwrap().to_string(), "24.0");
        let own = session.evaluate("D(\\x -> x * k, 1.0)", Vec::new()).unwrap();
        assert_eq!(session.with_matrices(&own).unwrap().to_string(), "12.0");
    }
}
