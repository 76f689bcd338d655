//! How far the crate's own functions are from the truth, which is known to a hundred bits, and what they are where there is
//! nothing to measure.

#[allow(dead_code)]
#[path = "../../../riesz-runtime/tests/reference/mod.rs"]
mod reference;

use std::f64::consts::{FRAC_PI_2, PI};

use reference::Long;
use riesz_algebra::{Nagata, Real};

/// Up to here angles are reduced by the crate itself.
const NEAR: f64 = 1600.0;

#[test]
fn sines_and_cosines_are_within_a_hair_of_half_a_unit_in_the_last_place() {
    let angles = angles(NEAR).chain(borders()).chain(beside_zeros()).filter(|x| x.abs() < NEAR);
    is_within(0.55, angles);
}

#[test]
fn of_large_angles_they_are_within_a_unit() {
    is_within(1.0, angles(f64::MAX).filter(|x| x.abs() >= NEAR));
}

fn is_within(bound: f64, angles: impl Iterator<Item = f64>) {
    let mut worst = [(0.0, 0.0); 2];
    let mut count = 0;
    for x in angles {
        let (sine, cosine) = Long::sin_cos(x);
        for (worst, (found, exact)) in worst.iter_mut().zip([(Real::sin(x), sine), (Real::cos(x), cosine)]) {
            let wrong = units(found, exact);
            if wrong.is_nan() || wrong > worst.0 {
                *worst = (wrong, x);
            }
        }
        count += 1;
    }
    println!("units in the last place of the sine and the cosine, and where: {worst:?}, of {count}");
    assert!(count > 5_000, "{count}");
    assert!(worst.iter().all(|(units, _)| *units <= bound), "{worst:?}");
}

/// How far a number is from the truth, in units in the last place of the truth.
fn units(found: f64, exact: Long) -> f64 {
    let unit = exact.high.abs().next_up() - exact.high.abs();
    (((found - exact.high) - exact.low) / unit).abs()
}

/// Angles of every size, and more of those that are met.
fn angles(bound: f64) -> impl Iterator<Item = f64> {
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
    for x in angles(2.0 * NEAR) {
        assert_eq!((Real::sin(-x), Real::cos(-x)), (-Real::sin(x), Real::cos(x)), "{x}");
    }
}

/// A tangent that is 0 stays 0 whatever the slope is, and one that is infinite becomes 0 where the slope is.
#[test]
fn tangents_of_them_are_exact() {
    for x in [f64::INFINITY, f64::NAN, 1e300, 1.0] {
        let constant = Nagata { primal: x, tangent: [0.0; 4] };
        assert_eq!((constant.sin().tangent, constant.cos().tangent), ([0.0; 4], [0.0; 4]), "{x}");
    }
    let at_zero = Nagata { primal: 0.0, tangent: [f64::INFINITY, f64::NAN, 1.0, 0.0] };
    assert_eq!(at_zero.cos().tangent, [0.0; 4]);
    assert_eq!(at_zero.sin().tangent[0], f64::INFINITY);
    for x in angles(2.0 * NEAR) {
        let number = Nagata { primal: x, tangent: [1.0, -2.0] };
        let (sine, cosine) = (Real::sin(x), Real::cos(x));
        assert_eq!(number.sin(), Nagata { primal: sine, tangent: [cosine, -2.0 * cosine] });
        assert_eq!(number.cos(), Nagata { primal: cosine, tangent: [-sine, 2.0 * sine] });
    }
}
