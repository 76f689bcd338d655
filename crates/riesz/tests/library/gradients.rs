//! Derivatives against differences, through the library.

use riesz::gradients::{Outcome, Settings, Verdict};
use riesz::{NoFiles, Session};

fn verdicts(text: &str, settings: Settings) -> Vec<Verdict> {
    let mut session = Session::default();
    let file = session.load_text("test.rz", text, &NoFiles).unwrap();
    let functions = session.functions(file);
    functions.iter().map(|function| session.test_gradient(function, settings)).collect()
}

fn only(text: &str) -> Outcome {
    let mut verdicts = verdicts(text, Settings::default());
    assert_eq!(verdicts.len(), 1, "{text}");
    verdicts.remove(0).outcome
}

#[test]
fn smooth_functions_agree() {
    let functions = [
        "fun f(x: R): R = sin(x) * exp(x)",
        "fun f(x: R, k: Int): R = x^k",
        "fun f(n: Int, v: [n]R, w: [2 * n]R): R = dot(v, slice(w, n, 2 * n))",
        "fun f(m: {a: [n][n]R, b: [n]R}): [n]R = solve(m.a, m.b)",
        "fun f(a: [n][n]R): R = sum(log(cholesky(a)[i, i]) | i < n)",
        "fun f(v: [n]R, at: [k]Int): [k]R = gather(v, at)",
        "fun f(v: [n]R, k: Int): [n]R = roll(v, k) * v",
        "fun f(x: R): R = if x < 0 then -x else log(x)",
        "fun f(x: R, flag: Bool): (R, Int) = (if flag then x else 2 * x, 1)",
        "fun f(v: [n]t): t = v[n - 1]",
        "fun f(v: [22]R): R = prod(v)",
        "fun f(x: R): R = loop y = x while y < 10 do y * 2 + 1",
        "fun f(x: R): R = grad(\\z -> z^3, x)",
        "fun f(x: R, n: Int): R = if n <= 0 then x else f(sin(x), n - 1)",
        "fun f(v: [n]R): R = max(v)",
    ];
    for text in functions {
        match only(text) {
            Outcome::Agrees { points, worst, without } => {
                assert!(points == 5 && worst.error < 1e-6, "{text}: {worst:?}");
                assert!(without.is_empty(), "{text}: {without:?}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn what_no_type_tells_is_found_by_trying() {
    // The pose has 22 joints, and so must the model.
    let text = "fun pose(x: R): [22]R = replicate(22, x)\nfun f(model: [b]R, x: R): R = dot(model, pose(x))";
    for verdict in verdicts(text, Settings::default()) {
        assert!(matches!(verdict.outcome, Outcome::Agrees { .. }), "{verdict:?}");
    }
}

#[test]
fn singular_systems_are_not_held_against_the_derivative() {
    // Of a row that is shorter than it is long the product with itself has no inverse, but for rounding.
    match only("fun f(a: [1][3]R, b: [3]R): [3]R = solve(dot(transpose(a), a), b)") {
        Outcome::Unsettled { .. } | Outcome::Skipped(_) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn steps_that_look_smooth_are_wrong() {
    for text in ["fun f(x: R): R = floor(1e12 * x) / 1e12", "fun f(x: R): R = 2 * x + trunc(1e12 * x) / 1e12"] {
        let Outcome::Disagrees(found) = only(text) else { panic!("{text}") };
        assert_eq!(found.input.as_deref(), Some("x"));
        assert!((found.expected - found.derivative - 1.0).abs() < 1e-6, "{found:?}");
        // The point can be pasted.
        let mut session = Session::default();
        session.load_text("test.rz", text, &NoFiles).unwrap();
        assert!(session.evaluate(&found.call, Vec::new()).is_ok(), "{}", found.call);
    }
}

#[test]
fn coordinates_are_written_as_in_the_program() {
    let text = "type Net = {weights: [2][2]R, bias: R}\n\
                fun f(net: Net, x: R): R = sum(net.weights[0]) + net.bias + x + floor(1e12 * net.weights[1][0]) / 1e12";
    let Outcome::Disagrees(found) = only(text) else { panic!() };
    assert_eq!(found.input.as_deref(), Some("net.weights[1][0]"));
}

#[test]
fn the_seed_tells_the_points() {
    let text = "fun f(v: [n]R): R = sum(v^3)";
    let shown = |seed| format!("{:?}", verdicts(text, Settings { points: 3, seed }));
    assert_eq!(shown(1), shown(1));
    assert_ne!(shown(1), shown(2));
}

#[test]
fn functions_in_lets_are_known() {
    let text = "let slope = (\\x -> grad(\\z -> z^3, x), 2.0)\nfun f(x: R): R = slope.0(x) * x + slope.1";
    assert!(matches!(only(text), Outcome::Agrees { .. }), "{:?}", only(text));
}
