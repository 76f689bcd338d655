//! Updates compute only the values that a change reaches, which is counted; and the result is that of a new evaluation.

use riesz_test::generate;

use riesz_category::compile::compile;
use riesz_category::derivative::Context;
use riesz_category::incremental::{Change, Incremental, Running};
use riesz_core::evaluate::{Limits, Value};
use riesz_linear::Space;
use riesz_test::program::{checked as check, named};

fn running(text: &str, argument: Value<f64>) -> (Running, u64) {
    let checker = check(text);
    let combinators = compile(&checker.program, named(&checker, "f")).unwrap();
    let context = Context::new(Limits::default(), Vec::new());
    let running = Running::new(&combinators, &context, argument).unwrap();
    let all = context.evaluated();
    (running, all)
}

fn new(x: f64) -> Change {
    Change::New(Value::Real(x))
}

#[test]
fn one_element_of_a_sum() {
    // ANCHOR: change
    let text = "fun f(v: [n]R, w: [n]R): R = sum(exp(sin(v[i]) * w[i]) | i < n)";
    let n = 1024;
    let numbers = |k: f64| Value::reals((0..n).map(|i| (i as f64 * k).sin()).collect());
    let (mut running, all) = running(text, Value::Tuple(vec![Value::Int(n), numbers(0.1), numbers(0.2)].into()));
    assert!(all >= 5 * n as u64, "{all}");
    let again = running.change(&Change::At(vec![(1, Change::At(vec![(17, new(0.25))]))])).unwrap();
    // One element is read, its sine, product and exponential computed, and ten sums on the way up.
    assert_eq!(again, 4 + 10);
    // ANCHOR_END: change
    assert_eq!(running.change(&Change::Same).unwrap(), 0);
    let mut v: Vec<f64> = (0..n).map(|i| (i as f64 * 0.1).sin()).collect();
    v[17] = 0.25;
    let expected: f64 = v.iter().enumerate().map(|(i, v)| (v.sin() * (i as f64 * 0.2).sin()).exp()).sum();
    assert!((running.value.real() - expected).abs() < 1e-9 * expected.abs());
}

#[test]
fn what_a_change_does_not_reach() {
    let text =
        "fun f(x: R, y: R): (R, R) =\n  let a = exp(sin(x))\n  let b = cos(y)\n  (a * b, if y > 0.0 then a else b)";
    let (mut running, all) = running(text, Value::Tuple(vec![Value::Real(0.5), Value::Real(1.0)].into()));
    assert_eq!(all, 5);
    // The cosine, the product, the comparison; the branch is the same.
    assert_eq!(running.change(&Change::At(vec![(1, new(2.0))])).unwrap(), 3);
    // A cosine that comes out the same changes nothing else.
    assert_eq!(running.change(&Change::At(vec![(1, new(2.0))])).unwrap(), 2);
    assert_eq!(running.change(&Change::At(vec![(1, new(-2.0))])).unwrap(), 2);
    let expected = [0.5f64.sin().exp() * 2f64.cos(), 2f64.cos()];
    assert!(running.value.parts().iter().zip(expected).all(|(a, b)| (a.real() - b).abs() < 1e-15));
}

/// Updates of random programs give what evaluating them anew gives.
#[test]
fn changes_of_random_programs() {
    let mut judged = 0;
    for seed in 0..250 {
        let program = generate::program(seed, 3 + (seed % 30) as usize);
        let mut random = generate::random::Random::new(seed);
        let int = random.below(4) as i64;
        let text = program.text() + &format!("fun f_value(x: {}) = f(x)\n", program.domain.concrete());
        let Ok(checker) = std::panic::catch_unwind(|| check(&text)) else { continue };
        let Ok(combinators) = compile(&checker.program, named(&checker, "f_value")) else { continue };
        let mut point = || -> Value<f64> { program.domain.value(&mut || random.between(-1.0, 1.0), int) };
        let (first, second) = (point(), point());
        let context = Context::new(Limits { steps: 100_000, ..Limits::default() }, Vec::new());
        let Ok(mut running) = Running::new(&combinators, &context, first) else { continue };
        let Ok(anew) = Running::new(&combinators, &context, second.clone()) else { continue };
        if running.change(&Change::New(second)).is_err() {
            panic!("program {seed} stops where evaluating it anew does not\n{text}");
        }
        let distance = running.value.distance(&anew.value);
        assert!(distance < 1e-9, "program {seed}: {:?} and not {:?}\n{text}", running.value, anew.value);
        judged += 1;
    }
    assert!(judged > 150, "{judged}");
}

#[test]
fn laws_hold_for_functions_that_are_told_of_changes() {
    use riesz_category::law::{cartesian_laws, category_laws};
    let context = Context::new(Limits::default(), Vec::new());
    let read = |text: &str| {
        let combinators = format!("f#0 = {text}").parse().unwrap();
        riesz_category::interpret::interpret::<Incremental>(&combinators, &context).main().unwrap()
    };
    fn value(space: &Space, k: f64) -> Value<f64> {
        match space {
            Space::Real => Value::Real(k.sin()),
            Space::Product(parts) => {
                Value::Tuple(parts.iter().enumerate().map(|(at, part)| value(part, k + at as f64)).collect())
            }
            Space::Array(n, element) => Value::values((0..*n).map(|at| value(element, k - at as f64)).collect()),
        }
    }
    let same = |from: &Space, f: &<Incremental as riesz_category::category::Category>::Morphism, g: &_| {
        let outcome = |f: &riesz_category::incremental::Responsive| {
            let mut running = f.running(&context, value(from, 1.0)).unwrap();
            let first = running.value.clone();
            running.change(&Change::New(value(from, 2.0))).unwrap();
            (first, running.value)
        };
        let ((a, b), (c, d)) = (outcome(f), outcome(g));
        a.distance(&c) < 1e-12 && b.distance(&d) < 1e-12
    };
    let pair = Space::product([Space::Real, Space::Real]);
    let f = read("(*) ∘ ⟨sin ∘ π0, π1⟩");
    let (g, h) = (read("exp"), read("⟨cos, (*) ∘ ⟨id, id⟩⟩"));
    let q = read("(+)");
    category_laws::<Incremental>(&same, (&pair, &Space::Real), (&f, &g, &h)).unwrap();
    cartesian_laws::<Incremental>(&same, (&pair, &Space::Real, &Space::Real), (&f, &q), (&f, &q)).unwrap();
}
