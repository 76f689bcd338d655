//! The first and second derivatives of every function of numbers, compared with differences.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use riesz_algebra::Nagata;
use riesz_primitive::{Domain, Number, Primitive, Scalar, table};

type Dual = Nagata<f64, f64>;

fn rows() -> impl Iterator<Item = (&'static Primitive, &'static Scalar)> {
    let scalars = table().iter().filter_map(|row| row.scalar().map(|scalar| (*row, scalar)));
    scalars.filter(|(_, scalar)| scalar.real.is_some())
}

/// A point of the domain and a direction; integers do not vary.
fn sample(domain: &'static [Domain]) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let coordinate = |domain: &Domain| match *domain {
        Domain::Reals(from, to) => (from..to, -1.0..1.0).boxed(),
        Domain::Integers(from, to) => ((from..=to).prop_map(|n| n as f64), Just(0.0)).boxed(),
    };
    domain.iter().map(coordinate).collect::<Vec<_>>().prop_map(|coordinates| coordinates.into_iter().unzip())
}

fn along(point: &[f64], direction: &[f64], t: f64) -> Vec<f64> {
    point.iter().zip(direction).map(|(x, dx)| x + t * dx).collect()
}

/// `d/dt f(t)` at 0 by a difference of fourth order; `None` where two step sizes disagree, that is at a jump or kink.
fn difference(f: impl Fn(f64) -> f64) -> Option<f64> {
    let stencil = |h: f64| (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
    let (coarse, fine) = (stencil(1e-3), stencil(5e-4));
    close(coarse, fine, 1e-5).then_some(fine)
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * 1f64.max(a.abs()).max(b.abs())
}

/// Runs `law` on samples of the row's domain; it says whether the sample could be judged, and most must.
fn on_samples(row: &Primitive, scalar: &Scalar, law: impl Fn(&[f64], &[f64]) -> Result<bool, TestCaseError>) {
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let judged = std::cell::Cell::new(0);
    let outcome = runner.run(&sample(scalar.domain), |(point, direction)| {
        judged.set(judged.get() + u32::from(law(&point, &direction)?));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{row:?}: {failure}");
    }
    assert!(judged.get() >= 240, "{row:?}: only {} samples could be judged", judged.get());
}

fn jvp(row: &'static Primitive, point: &[f64], direction: &[f64]) -> f64 {
    let numbers: Vec<Dual> =
        point.iter().zip(direction).map(|(&primal, &tangent)| Nagata { primal, tangent }).collect();
    Dual::apply(row, &numbers).tangent
}

#[test]
fn derivatives_agree_with_differences() {
    for (row, scalar) in rows() {
        on_samples(row, scalar, |point, direction| {
            let Some(expected) = difference(|t| f64::apply(row, &along(point, direction, t))) else { return Ok(false) };
            let actual = jvp(row, point, direction);
            prop_assert!(close(actual, expected, 1e-6), "D at {:?}: {} but {}", point, actual, expected);
            Ok(true)
        });
    }
}

#[test]
fn second_derivatives_agree_with_differences_of_the_first() {
    for (row, scalar) in rows() {
        on_samples(row, scalar, |point, direction| {
            let first = |t: f64| jvp(row, &along(point, direction, t), direction);
            let Some(expected) = difference(first) else { return Ok(false) };
            let numbers: Vec<Nagata<Dual, Dual>> = point
                .iter()
                .zip(direction)
                .map(|(&x, &dx)| Nagata {
                    primal: Nagata { primal: x, tangent: dx },
                    tangent: Nagata { primal: dx, tangent: 0.0 },
                })
                .collect();
            let result = Nagata::apply(row, &numbers);
            prop_assert!(close(result.primal.tangent, result.tangent.primal, 1e-15));
            let actual = result.tangent.tangent;
            prop_assert!(close(actual, expected, 1e-6), "D² at {:?}: {} but {}", point, actual, expected);
            Ok(true)
        });
    }
}

#[test]
fn several_partial_derivatives_at_once() {
    let x = Nagata { primal: 3.0, tangent: [1.0, 0.0] };
    let y = Nagata { primal: 4.0, tangent: [0.0, 1.0] };
    let length = Nagata::apply(&riesz_primitive::scalar::HYPOT, &[x, y]);
    assert_eq!(length, Nagata { primal: 5.0, tangent: [0.6, 0.8] });
}
