//! The sine and the cosine of one number, with one reduction of the angle.
//!
//! ```text
//! x = n π/2 + r,   |r| ≤ π/4        sin r = r + r³ p(r²)        cos r = 1 − r²/2 + r⁴ q(r²)
//! ```
//!
//! `r` has two parts, so that both results are accurate to a unit in the last place. Angles near the first multiples of
//! `π/2` need no rounding of `n`, so later operations do not wait for it.

// Constants are written with the digits that their sources give.
#![allow(clippy::excessive_precision)]

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4};

/// `π/2` beyond its first 53 bits.
const HALF_PI_LOW: f64 = 6.123233995736766e-17;
const HALF_PI_LAST: f64 = -1.4973849048591833e-33;

/// Beyond this, `n` times the parts of `π/2` is not close enough.
const FAR: f64 = 1e6;

/// The sine and the cosine.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let size = x.abs();
    if size <= FRAC_PI_4 {
        return near(x, 0.0);
    }
    if size <= 3.0 * FRAC_PI_4 {
        let first = size - FRAC_PI_2;
        let r = first - HALF_PI_LOW;
        let (sine, cosine) = near(r, (first - r) - HALF_PI_LOW);
        return (cosine.copysign(x), -sine);
    }
    any(x)
}

#[inline(never)]
fn any(x: f64) -> (f64, f64) {
    if x.is_nan() || x.abs() > FAR {
        return (x.sin(), x.cos());
    }
    let n = (x * FRAC_2_PI).round_ties_even();
    let first = n.mul_add(-FRAC_PI_2, x);
    let second = n * HALF_PI_LOW;
    let r = first - second;
    let low = (first - r) - second - n * HALF_PI_LAST - n.mul_add(HALF_PI_LOW, -second);
    let (sine, cosine) = near(r, low);
    match n as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Both at `r + low`, close to zero. The polynomials are evaluated in parts that do not wait for each other, and what is
/// large in them is added last.
#[inline(always)]
fn near(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let w = z * z;
    let cube = z * -r;
    let above = fma(w, fma(z, SINE[5], SINE[4]), fma(z, SINE[3], SINE[2]));
    let below = fma(cube, fma(z, SINE[1], SINE[0]), fma(0.5 * z, low, -low));
    // A difference and not a sum, so that the sine of −0 is −0.
    let sine = r - fma(cube * w, above, below);
    let above = fma(w, fma(z, COSINE[5], COSINE[4]), fma(z, COSINE[3], COSINE[2]));
    let half = 0.5 * z;
    let one = 1.0 - half;
    let below = fma(w, fma(z, COSINE[1], COSINE[0]), -(r * low));
    let cosine = one + (((1.0 - one) - half) + fma(w * w, above, below));
    (sine, cosine)
}

/// `a · b + c`, in one rounding where the machine can.
#[inline(always)]
pub(crate) fn fma(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

const SINE: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];

const COSINE: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

#[cfg(test)]
mod tests {
    #[test]
    fn they_are_those_of_the_standard_library_to_a_unit_in_the_last_place() {
        let apart = |a: f64, b: f64| (a.to_bits() as i64).abs_diff(b.to_bits() as i64);
        let mut x = 1e-9;
        while x < 2e6 {
            for x in [x, -x] {
                let (sine, cosine) = super::sin_cos(x);
                assert!(apart(sine, x.sin()) <= 1, "sin {x} = {sine}");
                assert!(apart(cosine, x.cos()) <= 1, "cos {x} = {cosine}");
            }
            x *= 1.0003;
        }
    }

    #[test]
    fn zeros_keep_their_sign_and_what_has_no_sine_is_nan() {
        assert_eq!(super::sin_cos(0.0).0.to_bits(), 0.0f64.to_bits());
        assert_eq!(super::sin_cos(-0.0).0.to_bits(), (-0.0f64).to_bits());
        assert_eq!(super::sin_cos(-0.0).1, 1.0);
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let (sine, cosine) = super::sin_cos(x);
            assert!(sine.is_nan() && cosine.is_nan(), "{x}");
        }
        assert_eq!(super::sin_cos(1e-310), (1e-310, 1.0));
    }
}
