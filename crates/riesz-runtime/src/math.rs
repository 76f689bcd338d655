//! Elementary functions of eight numbers at once: polynomials without branches, accurate to about a unit in the last
//! place, with the values that the standard library gives at NaN, infinities and zeros.

// Constants are written with the digits that their sources give.
#![allow(clippy::excessive_precision)]

use crate::Lanes;
use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E};

impl Lanes {
    /// `exp x = 2ⁿ exp r` with `n = round(x / log 2)` and `r = x − n log 2` between ±0.35.
    #[inline(always)]
    pub fn exp(self) -> Lanes {
        // Beyond these the result is infinite, or zero.
        let clamped = self.map(
            #[inline(always)]
            |x: f64| x.clamp(-746.0, 710.0),
        );
        let shifted = clamped.fma(Lanes::splat(LOG2_E), Lanes::splat(ROUNDING));
        let n = shifted - Lanes::splat(ROUNDING);
        let r = n.fma(Lanes::splat(-LN_2_LOW), n.fma(Lanes::splat(-LN_2_HIGH), clamped));
        r.exp_times(shifted)
    }

    /// `2ˣ = 2ⁿ exp (r log 2)` with `n = round x` and `r = x − n`.
    #[inline(always)]
    pub fn exp2(self) -> Lanes {
        let clamped = self.map(
            #[inline(always)]
            |x: f64| x.clamp(-1080.0, 1030.0),
        );
        let shifted = clamped + Lanes::splat(ROUNDING);
        let r = clamped - (shifted - Lanes::splat(ROUNDING));
        (r * Lanes::splat(LN_2)).exp_times(shifted)
    }

    /// `2ⁿ exp r` of a small `r`, where `n` stands in the last bits of a number.
    #[inline(always)]
    fn exp_times(self, shifted: Lanes) -> Lanes {
        let r = self;
        let mut p = Lanes::splat(1.0 / 6227020800.0);
        for coefficient in EXP {
            p = p.fma(r, Lanes::splat(coefficient));
        }
        // 2ⁿ in two factors, so that neither overflows where the product does not.
        let half = shifted.map(
            #[inline(always)]
            |shifted| power_of_two((shifted.to_bits() as i64 - ROUNDING.to_bits() as i64) >> 1),
        );
        let rest = shifted.map(
            #[inline(always)]
            |shifted| {
                let n = shifted.to_bits() as i64 - ROUNDING.to_bits() as i64;
                power_of_two(n - (n >> 1))
            },
        );
        p * half * rest
    }

    /// `log x = n log 2 + log m` with `m` between √½ and √2; `log m = 2 atanh s` with `s = (m − 1)/(m + 1)`.
    #[inline(always)]
    pub fn ln(self) -> Lanes {
        let (n, m) = self.parted();
        let f = m - Lanes::splat(1.0);
        let s = f / (Lanes::splat(2.0) + f);
        let z = s * s;
        let half_square = Lanes::splat(0.5) * f * f;
        let tail = s.fma(half_square + z * z.polynomial(&LOG), n * Lanes::splat(LN_2_LOW));
        let value = n.fma(Lanes::splat(LN_2_HIGH), f - (half_square - tail));
        self.map2(value, logarithm_at)
    }

    /// The sine of an angle.
    // A call, which is in lanes whatever is around it.
    #[inline(never)]
    pub fn sin(self) -> Lanes {
        if self.0.iter().any(|x| x.is_nan() || x.abs() > FAR) {
            return self.map(f64::sin);
        }
        self.map(
            #[inline(always)]
            |x| {
                let (r, low, quadrant) = reduced(x);
                let (sine, cosine) = sine_and_cosine(r, low);
                let value = if quadrant & 1 == 0 { sine } else { cosine };
                // The sine of −0 is −0.
                let value = if x == 0.0 { x } else { value };
                if quadrant & 2 == 0 { value } else { -value }
            },
        )
    }

    /// The cosine of an angle.
    // A call, which is in lanes whatever is around it.
    #[inline(never)]
    pub fn cos(self) -> Lanes {
        if self.0.iter().any(|x| x.is_nan() || x.abs() > FAR) {
            return self.map(f64::cos);
        }
        self.map(
            #[inline(always)]
            |x| {
                let (r, low, quadrant) = reduced(x);
                let (sine, cosine) = sine_and_cosine(r, low);
                let value = if quadrant & 1 == 0 { cosine } else { sine };
                if (quadrant + 1) & 2 == 0 { value } else { -value }
            },
        )
    }

    /// `tanh x = 1 − 2/(exp 2x + 1)` away from zero, a quotient of polynomials near it.
    #[inline(always)]
    pub fn tanh(self) -> Lanes {
        let doubled = self.map(|x| 2.0 * x.abs()).exp();
        self.map2(
            doubled,
            #[inline(always)]
            |x, doubled| {
                let far = 1.0 - 2.0 / (doubled + 1.0);
                let z = x * x;
                let p = fma(fma(TANH_P[0], z, TANH_P[1]), z, TANH_P[2]);
                let q = fma(fma(z + TANH_Q[0], z, TANH_Q[1]), z, TANH_Q[2]);
                let near = fma(x * z, p / q, x);
                let near = if x == 0.0 { x } else { near };
                if x.abs() < 0.625 { near } else { far.copysign(x) }
            },
        )
    }

    /// The larger number; NaN if either is.
    #[inline(always)]
    pub fn max(self, other: Lanes) -> Lanes {
        let kept = self.map2(
            other,
            #[inline(always)]
            |x, y| if x >= y { x } else { y },
        );
        Lanes::select(self.is_nan(), self, kept)
    }

    /// The smaller number; NaN if either is.
    #[inline(always)]
    pub fn min(self, other: Lanes) -> Lanes {
        let kept = self.map2(
            other,
            #[inline(always)]
            |x, y| if x <= y { x } else { y },
        );
        Lanes::select(self.is_nan(), self, kept)
    }

    /// The product in which zero times anything is zero.
    #[inline(always)]
    pub fn exact_mul(self, other: Lanes) -> Lanes {
        self.map2(other, crate::exact_mul)
    }
}

macro_rules! lane_by_lane {
    ($($name:ident $function:path),*) => {
        /// Functions that are computed lane by lane.
        impl Lanes {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                #[inline(always)]
                pub fn $name(self) -> Lanes {
                    self.map($function)
                }
            )*
        }
    };
}

lane_by_lane! {
    sqrt f64::sqrt, abs f64::abs, floor f64::floor, ceil f64::ceil, round f64::round, sign crate::sign
}

impl Lanes {
    /// A derivative of `digamma`.
    #[inline(always)]
    pub fn polygamma(self, x: Lanes) -> Lanes {
        self.map2(x, crate::polygamma)
    }
}

/// The logarithm of zero, of negative numbers, of infinity and NaN, and of others as it was found.
#[inline(always)]
pub(crate) fn logarithm_at(x: f64, found: f64) -> f64 {
    let value = if x == f64::INFINITY { x } else { found };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x < 0.0 || x.is_nan() { f64::NAN } else { value }
}

/// `a · b + c`, in one rounding where the machine can.
#[inline(always)]
fn fma(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

/// Adding this rounds a number to a whole one, which stands in the last bits of the sum.
pub(crate) const ROUNDING: f64 = 6755399441055744.0;
/// `log 2` in two parts, the first with zeros at its end.
pub(crate) const LN_2_HIGH: f64 = 6.93147180369123816490e-01;
pub(crate) const LN_2_LOW: f64 = 1.90821492927058770002e-10;
const _: () = assert!(LN_2_HIGH + LN_2_LOW == LN_2);
/// `1/k!` for `k` from 12 down.
const EXP: [f64; 13] = [
    1.0 / 479001600.0,
    1.0 / 39916800.0,
    1.0 / 3628800.0,
    1.0 / 362880.0,
    1.0 / 40320.0,
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];
/// The bits of √½.
pub(crate) const SQRT_HALF_BITS: i64 = 0x3fe6_a09e_667f_3bcd;
/// Coefficients of `(log(1 + s) − log(1 − s))/s − 2` in `s²`, least squares over the interval: fdlibm's.
pub(crate) const LOG: [f64; 7] = [
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
];
/// `tanh x = x + x³ p(x²)/q(x²)` below 0.625: Cephes'.
const TANH_P: [f64; 3] = [-9.643_991_794_250_523e-1, -9.928_772_310_019_186e1, -1.614_687_684_417_084_5e3];
const TANH_Q: [f64; 3] = [1.128_116_784_916_329_3e2, 2.235_488_390_601_004_5e3, 4.844_063_053_251_255e3];

#[inline(always)]
pub(crate) fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) << 52) as u64)
}

/// A small integer as a real number, without a conversion that older machines lack.
#[inline(always)]
pub(crate) fn small_integer(n: i64) -> f64 {
    f64::from_bits((n + ROUNDING.to_bits() as i64) as u64) - ROUNDING
}

/// Beyond this angles are reduced by the standard library.
pub(crate) const FAR: f64 = 1e5;
/// `π/2` in three parts, the first two with zeros at their ends.
pub(crate) const HALF_PI: [f64; 3] =
    [1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624879595063154e-21];

/// An angle as a multiple of `π/2` and what is left of it, in two parts.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, i64) {
    let shifted = fma(x, FRAC_2_PI, ROUNDING);
    let n = shifted - ROUNDING;
    let first = fma(n, -HALF_PI[0], x);
    let second = n * HALF_PI[1];
    let r = first - second;
    let low = (first - r) - second - n * HALF_PI[2];
    (r + low, (r - (r + low)) + low, shifted.to_bits() as i64 & 3)
}

/// Sine and cosine of an angle between ±π/4, given in two parts: fdlibm's polynomials.
#[inline(always)]
fn sine_and_cosine(x: f64, low: f64) -> (f64, f64) {
    let z = x * x;
    let mut s = SINE[0];
    for coefficient in &SINE[1..] {
        s = fma(s, z, *coefficient);
    }
    let cube = z * x;
    let sine = x - (fma(z, 0.5 * low - cube * s, -low) - cube * SINE_FIRST);
    let mut c = COSINE[0];
    for coefficient in &COSINE[1..] {
        c = fma(c, z, *coefficient);
    }
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cosine = w + (((1.0 - w) - half) + (z * z * c - x * low));
    (sine, cosine)
}

pub(crate) const SINE_FIRST: f64 = -1.66666666666666324348e-01;
pub(crate) const SINE: [f64; 5] = [
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
];
pub(crate) const COSINE: [f64; 6] = [
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
];
