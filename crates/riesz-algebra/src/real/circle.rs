//! The sine and the cosine of a number, computed together, with the same digits on every machine.
//!
//! ```text
//! x = k π/64 + r,   |r| ≤ π/128,   s = sin (k π/64),   c = cos (k π/64)
//!
//! sin x = s + c sin r + s (cos r − 1)        sin r = r − r³/6 + r⁵/120 − r⁷/5040
//! cos x = c − s sin r + c (cos r − 1)        cos r = 1 − r²/2 + r⁴/24 − r⁶/720
//! ```
//!
//! The remainders of the series are less than 2⁻⁵⁸. The large terms of these sums are added without an error and the
//! others have small errors, so the results are within 0.55 units in the last place. The code never uses fused
//! multiply-add, so that all machines give the same digits.

use core::f64::consts::{FRAC_1_PI, PI};

use super::pair::{Pair, ROUNDING, leading};

/// The sine and the cosine.
#[inline(always)]
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    if is_near(x) { near(x) } else { far(x) }
}

/// The sine.
#[inline(always)]
pub(crate) fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// The cosine.
#[inline(always)]
pub(crate) fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// Whether an angle is less than some 250 iterations.
#[inline(always)]
pub(crate) fn is_near(x: f64) -> bool {
    x.abs() < 1600.0
}

#[cold]
#[inline(never)]
fn far(x: f64) -> (f64, f64) {
    (libm::sin(x), libm::cos(x))
}

/// The sine and the cosine of an angle that is near. The cosine is not 0, as no number is a zero of it.
///
/// A call: in line it makes functions so long that they are not compiled in line themselves, and their tangents go through
/// memory.
#[inline(never)]
pub(crate) fn near(x: f64) -> (f64, f64) {
    let shifted = x * (HALF as f64 * FRAC_1_PI) + ROUNDING;
    let (steps, count) = (shifted.to_bits() as usize, shifted - ROUNDING);
    // r + low; the first two products and the first difference are exact.
    let (first, second) = (x - count * STEP[0], count * STEP[1]);
    let r = first - second;
    let low = ((first - r) - second) - count * STEP[2];
    let square = r * r;
    // sin r − r and cos r − 1
    let bend = low + r * square * (-1.0 / 6.0 + square * (1.0 / 120.0 + square * (-1.0 / 5040.0)));
    let drop = square * (-0.5 + square * (1.0 / 24.0 + square * (-1.0 / 720.0)));

    let (s, c) = (&TABLE[steps % TURN], &TABLE[(steps + TURN / 4) % TURN]);
    let leap = c.coarse * r;
    let high = s.value + leap;
    let small = s.low + ((c.fine * r + c.value * bend) + s.value * drop);
    // A difference, so that the sine of −0 is −0.
    let sine = high - (((high - s.value) - leap) - small);
    let leap = s.coarse * r;
    let high = c.value - leap;
    let small = c.low + (c.value * drop - (s.fine * r + s.value * bend));
    let cosine = high + (((c.value - high) - leap) + small);
    (sine, cosine)
}

/// Steps of half an iteration, and of an iteration.
const HALF: usize = 64;
const TURN: usize = 2 * HALF;

/// `π` minus [`PI`], rounded, and the rest.
const PI_LOW: f64 = 1.2246467991473532e-16;
const PI_LAST: f64 = -2.9947698097183397e-33;

/// `π/64` in three parts, of which the first two have 38 bits: their multiples by up to 2¹⁵ are exact.
const STEP: [f64; 3] = {
    let first = leading(PI, 38);
    let second = leading(PI - first + PI_LOW, 38);
    let third = ((PI - first) - second + PI_LOW) + PI_LAST;
    [first / HALF as f64, second / HALF as f64, third / HALF as f64]
};

/// The sine of a multiple of `π/64`, in two ways as a sum.
struct Row {
    /// As a number, and what it lacks.
    value: f64,
    low: f64,
    /// As a multiple of 1/2, by which a product is exact, and the rest.
    coarse: f64,
    fine: f64,
}

static TABLE: [Row; TURN] = {
    let mut table = [const { Row { value: -0.0, low: 0.0, coarse: 0.0, fine: 0.0 } }; TURN];
    let mut k = 1;
    while k < TURN {
        // By symmetry, the sine of an angle up to π/2, or less the angle to it.
        let within = k % HALF;
        let within = if within > HALF / 2 { HALF - within } else { within };
        let sine = if within > HALF / 4 { cosine(HALF / 2 - within) } else { sine(within) };
        let sine = if k > HALF { sine.neg() } else { sine };
        let coarse = (sine.high + ROUNDING / 2.0) - ROUNDING / 2.0;
        table[k] = Row { value: sine.high, low: sine.low, coarse, fine: (sine.high - coarse) + sine.low };
        k += 1;
    }
    table
};

/// `sin t = t (1 − t²/2·3 (1 − t²/4·5 (…)))`, where `t = k π/64`
const fn sine(k: usize) -> Pair {
    angle(k).mul(series(k, 2.0))
}

/// `cos t = 1 − t²/1·2 (1 − t²/3·4 (…))`
const fn cosine(k: usize) -> Pair {
    series(k, 1.0)
}

/// `1 − t²/i(i + 1) (1 − t²/(i + 2)(i + 3) (…))`
const fn series(k: usize, first: f64) -> Pair {
    let square = angle(k).mul(angle(k)).neg();
    let (mut sum, mut term) = (Pair::ONE, 13);
    while term > 0 {
        term -= 1;
        let i = first + 2.0 * term as f64;
        sum = Pair::ONE.add(square.mul(sum).div(i * (i + 1.0)));
    }
    sum
}

const fn angle(k: usize) -> Pair {
    Pair { high: PI, low: PI_LOW }.mul(Pair { high: k as f64 / HALF as f64, low: 0.0 })
}
