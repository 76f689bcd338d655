//! Further elementary functions of eight numbers at once, made of exponentials, logarithms, roots and arctangents.

// Constants are written with the digits that their sources give.
#![allow(clippy::excessive_precision)]

use crate::Lanes;
use crate::math::{LOG, logarithm_at};
use std::f64::consts::LN_2;

impl Lanes {
    /// `log₂ x = n + log m / log 2`
    #[inline(always)]
    pub fn log2(self) -> Lanes {
        let (n, high, low) = self.logarithm_parts();
        let value = high * Lanes::splat(PER_LN_2[0]);
        let rest = (low + high).fma(Lanes::splat(PER_LN_2[1]), low * Lanes::splat(PER_LN_2[0]));
        let whole = n + value;
        self.map2(whole + (rest + ((n - whole) + value)), logarithm_at)
    }

    /// `log₁₀ x = n log₁₀ 2 + log m / log 10`
    #[inline(always)]
    pub fn log10(self) -> Lanes {
        let (n, high, low) = self.logarithm_parts();
        let value = high * Lanes::splat(PER_LN_10[0]);
        let first = n * Lanes::splat(LOG10_2[0]);
        let rest = (low + high).fma(Lanes::splat(PER_LN_10[1]), low * Lanes::splat(PER_LN_10[0]));
        let rest = n.fma(Lanes::splat(LOG10_2[1]), rest);
        let whole = first + value;
        self.map2(whole + (rest + ((first - whole) + value)), logarithm_at)
    }

    /// `x = 2ⁿ m` with `m` between √½ and √2, and `log m` in two parts, the first with zeros at its end.
    #[inline(always)]
    fn logarithm_parts(self) -> (Lanes, Lanes, Lanes) {
        let (n, m) = self.parted();
        let f = m - Lanes::splat(1.0);
        let s = f / (Lanes::splat(2.0) + f);
        let z = s * s;
        let half_square = Lanes::splat(0.5) * f * f;
        let high = (f - half_square).map(
            #[inline(always)]
            |x| f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000),
        );
        let low = s.fma(half_square + z * z.polynomial(&LOG), (f - high) - half_square);
        (n, high, low)
    }

    /// `asinh x = log1p (|x| + x²/(1 + √(1 + x²)))`, with the sign of `x`
    #[inline(always)]
    pub fn asinh(self) -> Lanes {
        let (x, one) = (self.abs(), Lanes::splat(1.0));
        let square = x * x;
        let value = (x + square / (one + (one + square).sqrt())).log1p_of_large(x);
        Lanes::select(self.is_zero(), self, value.map2(self, f64::copysign))
    }

    /// `acosh x = log1p (t + √(2t + t²))` with `t = x − 1`
    #[inline(always)]
    pub fn acosh(self) -> Lanes {
        let t = self - Lanes::splat(1.0);
        (t + t.fma(t, t + t).sqrt()).log1p_of_large(t)
    }

    /// `atanh x = log1p (2x/(1 − x))/2`
    #[inline(always)]
    pub fn atanh(self) -> Lanes {
        let x = self.abs();
        let value = Lanes::splat(0.5) * ((x + x) / (Lanes::splat(1.0) - x)).ln_1p();
        Lanes::select(self.is_zero(), self, value.map2(self, f64::copysign))
    }

    /// `log (1 + u)`, where that is `log 2x` of a number whose square may overflow.
    #[inline(always)]
    fn log1p_of_large(self, x: Lanes) -> Lanes {
        let large = x.compare(x, is_large);
        let value = Lanes::select(large, x, self).ln_1p();
        Lanes::select(large, value + Lanes::splat(LN_2), value)
    }

    /// The angle with a sine.
    #[inline(always)]
    pub fn asin(self) -> Lanes {
        self.atan2(self.other_leg())
    }

    /// The angle with a cosine.
    #[inline(always)]
    pub fn acos(self) -> Lanes {
        self.other_leg().atan2(self)
    }

    /// `√(1 − x²)`
    #[inline(always)]
    fn other_leg(self) -> Lanes {
        let one = Lanes::splat(1.0);
        ((one - self) * (one + self)).sqrt()
    }

    /// `√(x² + y²)`, of multiples by a power of two where squares would overflow or vanish.
    #[inline(always)]
    pub fn hypot(self, y: Lanes) -> Lanes {
        let (x, y) = (self.abs(), y.abs());
        let larger = x.map2(
            y,
            #[inline(always)]
            |x, y| if x > y { x } else { y },
        );
        let scale = larger.map(
            #[inline(always)]
            |x| {
                if x > LARGE {
                    SMALLER
                } else if x < SMALL {
                    LARGER
                } else {
                    1.0
                }
            },
        );
        let (a, b) = (x * scale, y * scale);
        let value = a.fma(a, b * b).sqrt() / scale;
        let infinite = larger.compare(
            smaller_of(x, y),
            #[inline(always)]
            |larger, smaller| larger == f64::INFINITY || smaller == f64::INFINITY,
        );
        Lanes::select(infinite, Lanes::splat(f64::INFINITY), value)
    }

    /// `∛x = exp (log x / 3)`, and a step of Newton's.
    #[inline(always)]
    pub fn cbrt(self) -> Lanes {
        let magnitude = self.abs();
        let scale = magnitude.map(
            #[inline(always)]
            |x| {
                if x > LARGE {
                    CUBE_SMALLER
                } else if x < SMALL {
                    CUBE_LARGER
                } else {
                    1.0
                }
            },
        );
        let back = magnitude.map(
            #[inline(always)]
            |x| {
                if x > LARGE {
                    ROOT_LARGER
                } else if x < SMALL {
                    ROOT_SMALLER
                } else {
                    1.0
                }
            },
        );
        let x = magnitude * scale;
        let root = (x.ln() * Lanes::splat(1.0 / 3.0)).exp();
        let square = root * root;
        let cube = square * root;
        let excess = (cube - x) + root.fma(root.rest(root, square), square.rest(root, cube));
        let value = (root - excess / (Lanes::splat(3.0) * square)) * back;
        let special = magnitude.compare(magnitude, is_zero_or_infinite);
        Lanes::select(special, self, value.map2(self, f64::copysign))
    }
}

#[inline(always)]
fn smaller_of(x: Lanes, y: Lanes) -> Lanes {
    x.map2(
        y,
        #[inline(always)]
        |x, y| if x > y { y } else { x },
    )
}

#[inline(always)]
fn is_large(x: f64, _: f64) -> bool {
    x > LARGE
}

#[inline(always)]
fn is_zero_or_infinite(x: f64, _: f64) -> bool {
    x == 0.0 || x == f64::INFINITY
}

/// Squares and cubes of the numbers between these do not overflow, and lose no digits.
const LARGE: f64 = 2.58e120;
const SMALL: f64 = 3.87e-121;
/// 2^-600 and 2^600.
const SMALLER: f64 = power(-600);
const LARGER: f64 = power(600);
/// 2^-699 and 2^699, and their cube roots.
const CUBE_SMALLER: f64 = power(-699);
const CUBE_LARGER: f64 = power(699);
const ROOT_SMALLER: f64 = power(-233);
const ROOT_LARGER: f64 = power(233);

const fn power(n: i64) -> f64 {
    f64::from_bits(((n + 1023) << 52) as u64)
}

/// `1/log 2`, `1/log 10` and `log₁₀ 2` in two parts each, the first with zeros at its end: fdlibm's.
const PER_LN_2: [f64; 2] = [1.44269504072144627571e+00, 1.67517131648865118353e-10];
const PER_LN_10: [f64; 2] = [4.34294481878168880939e-01, 2.50829467116452752298e-11];
const LOG10_2: [f64; 2] = [3.01029995663611771306e-01, 3.69423907715893078616e-13];
