//! The errors of the crate's own functions, compared with values of a hundred bits, and their values at special
//! arguments.

#[allow(dead_code)]
#[path = "../../../riesz-runtime/tests/reference/mod.rs"]
mod reference;

use std::f64::consts::{FRAC_PI_2, LN_2, PI};

use reference::Long;
use riesz_algebra::{Nagata, Real};

/// Up to here angles are reduced by the crate itself.
const NEAR: f64 = 1600.0;
/// Up to here, and down to its negative, powers of 2 that are near exponentials are numbers.
const ORDINARY: f64 = 1000.0 * LN_2;
/// The largest number whose exponential is one, and the smallest whose exponential has all of its digits.
const LARGEST: f64 = 709.782712893384;
const SMALLEST: f64 = -708.0;

#[test]
fn sines_and_cosines_are_within_a_hair_of_half_a_unit_in_the_last_place() {
    let angles: Vec<f64> = numbers(NEAR).chain(borders()).chain(beside_zeros()).filter(|x| x.abs() < NEAR).collect();
    are_within(0.55, Real::sin, sine, &angles);
    are_within(0.55, Real::cos, cosine, &angles);
}

#[test]
fn of_large_angles_they_are_within_a_unit() {
    let angles: Vec<f64> = numbers(f64::MAX).filter(|x| x.abs() >= NEAR).collect();
    are_within(1.0, Real::sin, sine, &angles);
    are_within(1.0, Real::cos, cosine, &angles);
}

#[test]
fn exponentials_are_within_a_hair_of_half_a_unit_in_the_last_place() {
    // Where one row of the table gives way to the next, and what is left of a number is longest; and the edges.
    let borders = (-256_000..256_000).step_by(7).map(|k| (f64::from(k) + 0.5) * (LN_2 / 256.0));
    let edges = [-ORDINARY, ORDINARY].into_iter().flat_map(|x| [x.next_down(), x, x.next_up()]);
    let all: Vec<f64> =
        numbers(LARGEST).filter(|x| *x > SMALLEST).chain(borders).chain(edges).chain([LARGEST]).collect();
    are_within(0.55, Real::exp, exponential, &all);
}

/// Of those, the truth itself is known to no more than half a unit.
#[test]
fn exponentials_without_all_of_their_digits_are_within_a_unit_and_a_half() {
    let small: Vec<f64> = (0..6_000).map(|at| f64::from(at).mul_add(-37.0 / 6_000.0, SMALLEST)).collect();
    are_within(1.5, Real::exp, exponential, &small);
}

fn are_within(bound: f64, function: fn(f64) -> f64, truth: fn(f64) -> Long, numbers: &[f64]) {
    let mut worst = (0.0, 0.0);
    for &x in numbers {
        let wrong = units(function(x), truth(x));
        if wrong.is_nan() || wrong > worst.0 {
            worst = (wrong, x);
        }
    }
    println!("units in the last place, and where: {worst:?}, of {}", numbers.len());
    assert!(numbers.len() > 5_000, "{}", numbers.len());
    assert!(worst.0 <= bound, "{worst:?}");
}

fn sine(x: f64) -> Long {
    Long::sin_cos(x).0
}

fn cosine(x: f64) -> Long {
    Long::sin_cos(x).1
}

fn exponential(x: f64) -> Long {
    Long::from(x).exp()
}

/// How far a number is from the truth, in units in the last place of the truth.
fn units(found: f64, exact: Long) -> f64 {
    let unit = exact.high.abs().next_up() - exact.high.abs();
    (((found - exact.high) - exact.low) / unit).abs()
}

/// Numbers of every size, and more of those that are met.
fn numbers(bound: f64) -> impl Iterator<Item = f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..40_000).map(move |at| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let unit = (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        match at % 3 {
            0 => bound * unit,
            1 => 8.0 * unit,
            _ => bound * unit * 10f64.powi(-(at / 3 % 300)),
        }
    })
}

/// Where one row of the table gives way to the next, and what is left of an angle is longest.
fn borders() -> impl Iterator<Item = f64> {
    (0..4_000).flat_map(|k| [-1e-12, 0.0, 1e-12].map(|beside| (f64::from(k) + 0.5) * (PI / 64.0) + beside))
}

/// The numbers closest to multiples of `π/2`, where next to nothing is left.
fn beside_zeros() -> impl Iterator<Item = f64> {
    (1..1_018).flat_map(|n| {
        let nearest = f64::from(n) * FRAC_PI_2;
        [nearest.next_down().next_down(), nearest.next_down(), nearest, nearest.next_up(), -nearest]
    })
}

#[test]
fn at_zeros_and_where_there_is_no_angle() {
    for tiny in [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1e-20] {
        for x in [tiny, -tiny] {
            assert_eq!(Real::sin(x).to_bits(), x.to_bits(), "{x:e}");
            assert_eq!(Real::cos(x), 1.0, "{x:e}");
        }
    }
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Real::sin(x).is_nan() && Real::cos(x).is_nan(), "{x}");
    }
    for x in numbers(2.0 * NEAR) {
        assert_eq!((Real::sin(-x), Real::cos(-x)), (-Real::sin(x), Real::cos(x)), "{x}");
    }
}

#[test]
fn exponentials_where_there_is_nothing_to_measure() {
    for (x, expected) in [
        (0.0, 1.0),
        (-0.0, 1.0),
        (5e-324, 1.0),
        (LARGEST.next_up(), f64::INFINITY),
        (1e300, f64::INFINITY),
        (f64::INFINITY, f64::INFINITY),
        (-746.0, 0.0),
        (-1e300, 0.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        assert_eq!(Real::exp(x), expected, "{x:e}");
    }
    assert!(Real::exp(f64::NAN).is_nan());
    let tangent = [0.0, f64::INFINITY, 1.0, -2.0];
    for x in numbers(LARGEST) {
        let (power, number) = (Real::exp(x), Nagata { primal: x, tangent }.exp());
        let infinite = if power == 0.0 { 0.0 } else { f64::INFINITY };
        assert_eq!(number, Nagata { primal: power, tangent: [0.0, infinite, power, -2.0 * power] }, "{x}");
    }
}

/// A tangent that is 0 stays 0 whatever the slope is, and one that is infinite becomes 0 where the slope is.
#[test]
fn tangents_of_them_are_exact() {
    for x in [f64::INFINITY, f64::NAN, 1e300, 1.0] {
        let constant = Nagata { primal: x, tangent: [0.0; 4] };
        assert_eq!((constant.sin().tangent, constant.cos().tangent), ([0.0; 4], [0.0; 4]), "{x}");
        assert_eq!(constant.exp().tangent, [0.0; 4], "{x}");
    }
    let at_zero = Nagata { primal: 0.0, tangent: [f64::INFINITY, f64::NAN, 1.0, 0.0] };
    assert_eq!(at_zero.cos().tangent, [0.0; 4]);
    assert_eq!(at_zero.sin().tangent[0], f64::INFINITY);
    for x in numbers(2.0 * NEAR) {
        let number = Nagata { primal: x, tangent: [1.0, -2.0] };
        let (sine, cosine) = (Real::sin(x), Real::cos(x));
        assert_eq!(number.sin(), Nagata { primal: sine, tangent: [cosine, -2.0 * cosine] });
        assert_eq!(number.cos(), Nagata { primal: cosine, tangent: [-sine, 2.0 * sine] });
    }
}
