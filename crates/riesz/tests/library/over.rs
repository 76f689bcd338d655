//! Programs over other algebras: enclosures by intervals on random programs, and what semirings say.

use super::modes_of_programs::written;
use riesz::{Algebra, Binding, Limits, NoFiles, Options, OverBinding, Session};
use riesz_test::generate;
use riesz_test::generate::random::Random;

const PROGRAMS: u64 = 100;

fn text(text: &str) -> Binding {
    Binding::Text(text.to_string())
}

/// The value of `f`, and its derivative, at every point of a box are in their enclosures.
#[test]
fn enclosures_hold_on_random_programs() {
    let (mut judged, mut numbers, mut bounded, mut undecided) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let program = generate::program(seed, 3 + (seed % 20) as usize);
        let mut random = Random::new(seed ^ 0xB0C5);
        let low: Vec<f64> = (0..program.domain.reals()).map(|_| random.between(-1.5, 1.5)).collect();
        let width = [0.0, 1e-9, 0.01][(seed % 3) as usize];
        let at = |share: f64| {
            let mut rest = low.iter().map(|x| x + share * width);
            written(&program.domain, &mut || rest.next().expect("as many as there are"), 2)
        };
        let limits = Limits { steps: 300_000, depth: 1000, memory: 256 << 20, interrupt: None };
        let mut session = Session::new(Options { limits, ..Options::default() });
        if session.load_text("program.rz", &program.text(), &NoFiles).is_err() {
            continue;
        }
        let expression = "(f(x), matrix(D(f, x)))";
        let between = OverBinding::Between(text(&at(0.0)), text(&at(1.0)));
        let enclosure = match session.evaluate_over(Algebra::Interval, expression, vec![("x".into(), between)]) {
            Ok(enclosure) => enclosure.intervals(),
            Err(problems) if problems[0].code == "undecided" => {
                undecided += 1;
                continue;
            }
            Err(_) => continue,
        };
        for share in [0.0, 0.3, 1.0] {
            let Ok(found) = session.evaluate(expression, vec![("x".into(), text(&at(share)))]) else { continue };
            let mut values = Vec::new();
            found.value.visit_reals(&mut |x| values.push(*x));
            assert_eq!(values.len(), enclosure.len(), "program {seed}");
            judged += 1;
            for (value, (low, high)) in values.iter().zip(&enclosure) {
                numbers += 1;
                bounded += u64::from(low.is_finite() && high.is_finite());
                // The plain value is rounded, also where the enclosure of the true one is narrow.
                let slack = 1e-9 * value.abs().max(1.0);
                let holds = !value.is_finite() || (low - slack <= *value && *value <= high + slack);
                assert!(holds, "program {seed} at {}: {value} is not in {low}..{high}\n{}", at(share), program.text());
            }
        }
    }
    println!("{judged} points judged, {bounded} of {numbers} enclosures bounded, {undecided} programs undecided");
    assert!(judged > PROGRAMS && undecided * 8 < PROGRAMS, "{judged} judged, {undecided} undecided");
    assert!(bounded * 10 > numbers * 8, "{bounded} of {numbers} enclosures are bounded");
}

/// What an expression is over an algebra, with inputs `x`.
fn over(algebra: Algebra, expression: &str, x: &str) -> String {
    let mut session = Session::default();
    let given = match x.split_once("..") {
        Some((low, high)) => OverBinding::Between(text(low), text(high)),
        None => OverBinding::One(text(x)),
    };
    match session.evaluate_over(algebra, expression, vec![("x".into(), given)]) {
        Ok(found) => found.to_string(),
        Err(problems) => problems[0].code.to_string(),
    }
}

#[test]
fn intervals_are_rounded_outwards() {
    // 1/3 is between two neighbours, also where the program has only constants.
    assert_eq!(over(Algebra::Interval, "1 / 3.0", "0"), "0.3333333333333333..0.33333333333333337");
    assert_eq!(over(Algebra::Interval, "grad(\\t -> t^3 + t, x)", "1.0..2.0"), "4.0..13.0");
    assert_eq!(over(Algebra::Interval, "x - x", "1..2"), "-1.0..1.0");
}

#[test]
fn branches_are_all_taken() {
    assert_eq!(over(Algebra::Interval, "if x > 0 then x else -2 * x", "-1..1"), "-2.0..2.0");
    assert_eq!(over(Algebra::Interval, "if x == 0 then 5.0 else 0 * x", "-1..1"), "0.0..5.0");
    assert_eq!(over(Algebra::Interval, "trunc(x)", "0.5..1.5"), "undecided");
    assert_eq!(over(Algebra::Interval, "x > 0", "-1..1"), "undecided");
    assert_eq!(over(Algebra::Interval, "x", "2..1"), "no-interval");
    assert_eq!(over(Algebra::Interval, "x", "2..[1.0]"), "no-interval");
}

#[test]
fn semirings_have_sums_and_products() {
    // Two steps through a graph of three places.
    let steps = "dot(x, x)[0][2]";
    assert_eq!(over(Algebra::Tropical, steps, "[[0.0, 3.0, 9.0], [inf, 0.0, 4.0], [inf, inf, 0.0]]"), "7.0");
    assert_eq!(over(Algebra::Boolean, steps, "[[0, 1, 0], [0, 0, 1], [0, 0, 0]]"), "true");
    assert_eq!(over(Algebra::Boolean, "dot(x, x)[2][0]", "[[0, 1, 0], [0, 0, 1], [0, 0, 0]]"), "false");
    assert_eq!(
        over(Algebra::Provenance, steps, "[[0, 1, 1], [0, 0, 1], [0, 0, 1]]"),
        "x[0][1] x[1][2] + x[0][2] x[2][2]"
    );
    assert_eq!(over(Algebra::Provenance, "grad(\\v -> v[0]^2 * v[1], x)", "[2, 3]"), "[2 x[0] x[1], x[0]^2]");
    assert_eq!(over(Algebra::Tropical, "x[0] - x[1]", "[1, 2]"), "no-meaning");
    assert_eq!(over(Algebra::Boolean, "sin(x)", "1.0"), "no-meaning");
}
