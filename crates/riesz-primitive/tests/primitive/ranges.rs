//! `f X ⊇ { f x | x ∈ X }` for every function of numbers and every function of matrices, at random points of random boxes.

use riesz_algebra::semiring::Interval;
use riesz_primitive::{Domain, MatrixFunction, Number, table};
use riesz_test::generate::random::Random;

/// An interval: anywhere, near an edge or a turning point, narrow or wide.
fn interval(random: &mut Random) -> Interval {
    let edges = [0.0, 1.0, -1.0, 2.0, std::f64::consts::FRAC_PI_2, -std::f64::consts::PI, 1.4616321449683622];
    let centre = match random.below(3) {
        0 => *random.pick(&edges),
        1 => random.between(-3.0, 3.0),
        _ => random.between(-40.0, 40.0),
    };
    let width = *random.pick(&[0.0, 1e-12, 1e-3, 0.5, 3.0, 20.0]);
    let low = centre - width * random.between(0.0, 1.0);
    Interval::new(low, low + width)
}

fn inside(interval: &Interval, random: &mut Random) -> f64 {
    match random.below(4) {
        0 => interval.low(),
        1 => interval.high(),
        _ => random.between(0.0, 1.0).mul_add(interval.high() - interval.low(), interval.low()).min(interval.high()),
    }
}

#[test]
fn functions_of_intervals_include_their_values() {
    let mut random = Random::new(7);
    for row in table() {
        let Some(scalar) = row.scalar().filter(|scalar| scalar.real.is_some()) else { continue };
        let mut bounded = 0;
        for _ in 0..4000 {
            let argument = |domain: &Domain, random: &mut Random| match *domain {
                Domain::Reals(..) => interval(random),
                Domain::Integers(least, most) => {
                    Interval::point((least + random.below((most - least + 1) as usize) as i64) as f64)
                }
            };
            let arguments: Vec<Interval> = scalar.domain.iter().map(|domain| argument(domain, &mut random)).collect();
            let range = Interval::apply(row, &arguments);
            bounded += u32::from(range.low().is_finite() && range.high().is_finite());
            for _ in 0..4 {
                let point: Vec<f64> = arguments.iter().map(|x| inside(x, &mut random)).collect();
                let value = f64::apply(row, &point);
                assert!(
                    !value.is_finite() || range.contains(value),
                    "{row:?} {arguments:?} {range:?}: {point:?} {value}"
                );
            }
        }
        // Bounds that hold everywhere say nothing.
        assert!(bounded > 400, "{row:?} is bounded on {bounded} of 4000 boxes");
    }
}

#[test]
fn functions_of_interval_matrices_include_their_values() {
    use MatrixFunction::*;
    let mut random = Random::new(8);
    let mut bounded = 0;
    for function in [Cholesky, Solve, Inverse, Determinant, LogDeterminant, Cofactor] {
        for _ in 0..200 {
            let n = 1 + random.below(4);
            let columns = if function == Solve { 2 } else { 0 };
            let entry = |at: usize, random: &mut Random| {
                let x = random.between(-1.0, 1.0) + if at / n == at % n { 4.0 } else { 0.0 };
                Interval::new(x, x + *random.pick(&[0.0, 1e-9, 0.01]))
            };
            let a: Vec<Interval> = (0..n * n).map(|at| entry(at, &mut random)).collect();
            let b: Vec<Interval> = (0..n * columns).map(|at| entry(at, &mut random)).collect();
            let ranges = Interval::matrix(function, n, columns, &a, &b);
            bounded += u32::from(ranges.iter().all(|range| range.low().is_finite() && range.high().is_finite()));
            for _ in 0..4 {
                let mut point = |box_: &[Interval]| box_.iter().map(|x| inside(x, &mut random)).collect::<Vec<f64>>();
                let (a, b) = (point(&a), point(&b));
                let values = f64::matrix(function, n, columns, &a, &b);
                for (value, range) in values.iter().zip(&ranges) {
                    // The plain value is rounded too.
                    let range = range.widened(64);
                    let slack = 1e-14 * value.abs().max(1.0);
                    let near = Interval::new(range.low() - slack, range.high() + slack);
                    assert!(near.contains(*value), "{function:?} {a:?} {b:?}: {value} {range:?}");
                }
            }
        }
    }
    assert!(bounded > 1000, "{bounded} of 1200 are bounded");
}
