//! The exponential of a number, with the same digits on every machine.
//!
//! ```text
//! x = k ln 2/256 + r,   |r| ≤ ln 2/512,   t = 2^(k/256)
//!
//! eˣ = t + t (eʳ − 1)        eʳ − 1 = r + r²/2 + r³/6 + r⁴/24 + r⁵/120
//! ```
//!
//! The last term is replaced by a multiple of `r³`, with an error of at most 2⁻⁵⁷. The results are within 0.55 units in
//! the last place. The code never uses fused multiply-add, so that all machines give the same digits.

use core::f64::consts::{LN_2, LOG2_E};
use core::hint::cold_path;

use super::pair::{Pair, ROUNDING, leading};

/// `eˣ`
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    near(x).unwrap_or_else(|| far(x))
}

/// `eˣ`, where that is between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰.
#[inline(always)]
pub(crate) fn near(x: f64) -> Option<f64> {
    let (steps, bits, rest) = parts(x);
    // The steps of larger numbers, and of NaN, are the bits of something else.
    if steps.wrapping_sub(ROUNDING.to_bits() - FAR) > 2 * FAR {
        cold_path();
        return None;
    }
    let power = f64::from_bits(bits);
    Some(power + power * rest)
}

/// `eˣ` of any number, where a power of 2 need not be a number: half of its exponent is a factor of the result.
///
/// It calls nothing: a call would have vectors of tangents go to memory and back, also where it is not made.
#[inline(always)]
pub(crate) fn far(x: f64) -> f64 {
    let (_, bits, rest) = parts(x.clamp(-746.0, 710.0));
    let (exponent, factor) =
        if x > 0.0 { (512, f64::from_bits(1535 << 52)) } else { (-512, f64::from_bits(511 << 52)) };
    let power = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    (power + power * rest) * factor
}

/// The `k` of `x`, in the last bits; the bits of `2^(k/256)`; and `eʳ − 1`, with what the power lacks.
#[inline(always)]
fn parts(x: f64) -> (u64, u64, f64) {
    let shifted = x * (DOUBLING as f64 * LOG2_E) + ROUNDING;
    let (steps, count) = (shifted.to_bits(), shifted - ROUNDING);
    // The first product and the first difference are exact.
    let r = (x - count * STEP[0]) - count * STEP[1];
    let square = r * r;
    let row = &TABLE[steps as usize % DOUBLING];
    let rest = (row.low + r) + square * ((0.5 + r * THIRD) + square * (1.0 / 24.0));
    (steps, row.bits.wrapping_add(steps << WITHIN), rest)
}

/// Steps from a number to twice the number, and to those that are far.
const DOUBLING: usize = 256;
const FAR: u64 = 1000 * DOUBLING as u64;

/// Where the exponent of a number stands in its bits, less the bits that count steps within a doubling.
const WITHIN: u32 = f64::MANTISSA_DIGITS - 1 - DOUBLING.ilog2();

/// `ln 2` minus [`LN_2`], rounded.
const LN_2_LOW: f64 = 2.3190468138462996e-17;

/// `ln 2/256` in two parts, of which the first has 34 bits: its multiples by up to 2¹⁹ are exact.
const STEP: [f64; 2] = {
    let first = leading(LN_2, 34);
    [first / DOUBLING as f64, (LN_2 - first + LN_2_LOW) / DOUBLING as f64]
};

/// The factor of `r³`: that of the series, and as much of `r²/120` as makes the greatest difference least.
const THIRD: f64 = {
    let longest = LN_2 / (2 * DOUBLING) as f64;
    1.0 / 6.0 + 0.868 * longest * longest / 120.0
};

/// A power of 2 with a fraction for its exponent.
struct Row {
    /// The bits of the power, less those of its number of steps: what is taken away comes back with the steps of `x`.
    bits: u64,
    /// The rounding error of the power, relative to it.
    low: f64,
}

static TABLE: [Row; DOUBLING] = {
    let mut table = [const { Row { bits: 0, low: 0.0 } }; DOUBLING];
    let (mut power, mut k) = (Pair::ONE, 0);
    while k < DOUBLING {
        table[k] = Row { bits: power.high.to_bits().wrapping_sub((k as u64) << WITHIN), low: power.low / power.high };
        power = power.mul(ROOT);
        k += 1;
    }
    table
};

/// `2^(1/256) = 1 + s (1 + s/2 (1 + s/3 (…)))`, where `s = ln 2/256`
const ROOT: Pair = {
    let step = Pair { high: LN_2, low: LN_2_LOW }.div(DOUBLING as f64);
    let (mut sum, mut term) = (Pair::ONE, 12);
    while term > 0 {
        sum = Pair::ONE.add(step.mul(sum).div(term as f64));
        term -= 1;
    }
    sum
};
