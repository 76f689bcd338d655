//! Intervals as real numbers: functions and derivatives over boxes enclose those at points inside.

use riesz_algebra::real::{Binary, Unary};
use riesz_algebra::semiring::Interval;
use riesz_algebra::{Nagata, Real};

/// Numbers between 0 and 1, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn interval(&mut self) -> Interval {
        let scale = [1.0, 4.0, 20.0][(self.next() * 3.0) as usize];
        let low = (self.next() - 0.4) * scale;
        Interval::new(low, low + self.next() * [0.01, 1.0, 5.0][(self.next() * 3.0) as usize])
    }
}

/// Points of an interval, with both ends.
fn points(x: Interval) -> impl Iterator<Item = f64> + Clone {
    (0..=10).map(move |k| (x.low() + (x.high() - x.low()) * f64::from(k) / 10.0).min(x.high()))
}

#[test]
fn functions_of_intervals_include_those_of_points() {
    let mut random = Random(1);
    let mut functions = Unary::ALL.to_vec();
    functions.extend([-3, -2, 0, 1, 2, 3].map(Unary::Powi));
    functions.extend([0, 1, 2].map(Unary::Polygamma));
    functions.extend([-0.1, 2.5].map(Unary::Times));
    let mut bounded = 0;
    for _ in 0..400 {
        let (x, y) = (random.interval(), random.interval());
        for function in &functions {
            let image = x.unary(*function);
            bounded += usize::from(image != Interval::EVERYTHING);
            for p in points(x) {
                let value = function.of_f64(p);
                assert!(value.is_nan() || image.contains(value), "{function:?} of {x:?} is {image:?}, without {value}");
            }
        }
        for function in Binary::ALL {
            let image = x.binary(*function, y);
            for (p, q) in points(x).flat_map(|p| points(y).map(move |q| (p, q))) {
                let value = function.of_f64(p, q);
                assert!(value.is_nan() || image.contains(value), "{function:?} of {x:?}, {y:?} lacks {value}");
            }
        }
    }
    assert!(bounded > 8_000, "only {bounded} of {} are bounded", 400 * functions.len());
}

#[test]
fn bounds_are_tight_where_they_can_be() {
    let all = Interval::EVERYTHING;
    assert_eq!(Interval::new(-1.0, 2.0).powi(2), Interval::new(0.0, 4.0));
    assert_eq!(Interval::new(-9.0, 4.0).abs(), Interval::new(0.0, 9.0));
    assert_eq!(Interval::new(1.0, 4.0).sin().high(), 1.0);
    assert_eq!(Interval::new(3.0, 4.0).cos().low(), -1.0);
    assert_eq!([Interval::new(1.5, 1.6).tan(), Interval::new(-1.0, 2.0).ln()], [all, all]);
    assert_eq!(Interval::new(-1.0, 1.0).recip(), all);
}

#[test]
fn derivatives_over_boxes() {
    fn f<D: Real>(x: D, y: D) -> D {
        x.clone() * y.sin() + x.powi(2).exp().sqrt()
    }
    let mut random = Random(2);
    for _ in 0..400 {
        let (x, y) = (random.interval(), random.interval());
        let unit = |v: usize, i: usize| Interval::point(if v == i { 1.0 } else { 0.0 });
        let variable = |v: usize, primal| Nagata { primal, tangent: [unit(v, 0), unit(v, 1)] };
        let bounds = f(variable(0, x), variable(1, y)).tangent;
        for (p, q) in points(x).zip(points(y)) {
            let [a, b] = Nagata::variables([p, q]);
            for (bound, slope) in bounds.iter().zip(f(a, b).tangent) {
                // Slopes at points are rounded too.
                let near = bound.hull(&Interval::point(slope));
                let apart = (near.high() - bound.high()).max(bound.low() - near.low());
                assert!(!slope.is_finite() || apart <= 1e-12 * slope.abs(), "{bound:?} lacks {slope}");
            }
        }
    }
}
