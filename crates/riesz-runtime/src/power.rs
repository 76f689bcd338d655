//! Exponentials, logarithms and powers of eight numbers at once, where a sum must not be rounded too early.
//!
//! ```text
//! exp x = 2ⁿ (1 + a + b)          log x = n log 2 + 2 (s + s³/3 + s⁵/5 + ...),   s = (m − 1)/(m + 1)
//! ```
//!
//! The rounding error of a number is stored beside it, as a second and much smaller number.

use crate::math::{LN_2_HIGH, LN_2_LOW, LOG, ROUNDING, SQRT_HALF_BITS, power_of_two, small_integer};
use crate::number::{SMALL_POWER, small_power};
use crate::{Lanes, Mask};
use std::f64::consts::LOG2_E;

impl Lanes {
    /// `exp x − 1 = 2ⁿ (a + b) + (2ⁿ − 1)`
    #[inline(always)]
    pub fn exp_m1(self) -> Lanes {
        let (shifted, a, b) = self.clamp(-45.0, 711.0).exp_parts(Lanes::splat(0.0));
        // 2ⁿ in two factors: 2ᵏ (2ᵐ (a + b) + (2ᵐ − 2⁻ᵏ)).
        let (first, second) = shifted.powers(0);
        let one = second.map(
            #[inline(always)]
            |power| 1.0 / power,
        );
        let (rest, a) = (first - one, first * a);
        let whole = rest + a;
        let value = (whole + first.fma(b, (rest - whole) + a)) * second;
        Lanes::select(self.is_zero(), self, value)
    }

    /// `log (1 + x)`, with what is lost in `1 + x`.
    #[inline(always)]
    pub fn ln_1p(self) -> Lanes {
        let one = Lanes::splat(1.0);
        let u = one + self;
        let above = Lanes::select(
            self.compare(
                one,
                #[inline(always)]
                |x, one| x > one,
            ),
            (self - u) + one,
            (one - u) + self,
        );
        let (n, m) = u.parted();
        let small = n.is_zero();
        let f = Lanes::select(small, self, m - one);
        let lost = Lanes::select(small, Lanes::splat(0.0), above / u);
        let s = f / (Lanes::splat(2.0) + f);
        let z = s * s;
        let half_square = Lanes::splat(0.5) * f * f;
        let tail = s.fma(half_square + z * z.polynomial(&LOG), n.fma(Lanes::splat(LN_2_LOW), lost));
        let value = n.fma(Lanes::splat(LN_2_HIGH), f - (half_square - tail));
        self.map2(
            value,
            #[inline(always)]
            |x, value| {
                let value = if x == f64::INFINITY || x == 0.0 { x } else { value };
                let value = if x == -1.0 { f64::NEG_INFINITY } else { value };
                if x < -1.0 || x.is_nan() { f64::NAN } else { value }
            },
        )
    }

    /// `sinh x = (exp x − exp −x)/2`, and a polynomial below 1.
    #[inline(always)]
    pub fn sinh(self) -> Lanes {
        let z = self * self;
        let near = (self * z).fma(z.polynomial(&SINH), self);
        let (grown, shrunk, rest, powers) = self.grown_and_shrunk();
        let difference = grown - shrunk;
        let rest = ((grown - difference) - shrunk) + rest;
        let far = (difference + rest) * powers.0 * powers.1;
        let value = far.map2(self, f64::copysign);
        let is_near = self.compare(
            self,
            #[inline(always)]
            |x, _| x.abs() < 1.0,
        );
        Lanes::select(self.is_zero(), self, Lanes::select(is_near, near, value))
    }

    /// `cosh x = (exp x + exp −x)/2`
    #[inline(always)]
    pub fn cosh(self) -> Lanes {
        let (grown, shrunk, rest, powers) = self.grown_and_shrunk();
        let sum = grown + shrunk;
        let rest = ((grown - sum) + shrunk) + rest;
        (sum + rest) * powers.0 * powers.1
    }

    /// `xʸ = exp (y log x)`, with the logarithm in two parts. Zeros, infinities and NaN go lane by lane.
    #[inline(always)]
    pub fn powf(self, y: Lanes) -> Lanes {
        let odd = self.compare(
            y,
            #[inline(always)]
            |x, y| x == 0.0 || !x.is_finite() || y.abs() > 1e15 || y.is_nan(),
        );
        if odd.any() {
            return self.map2(y, f64::powf);
        }
        let value = self.abs().power_parts(y);
        // The power of a negative number is one of its absolute value, by whole exponents alone.
        self.map2(
            y,
            #[inline(always)]
            |x, y| {
                let whole = y == y.floor();
                let even = 0.5 * y == (0.5 * y).floor();
                let sign = if even { 1.0 } else { -1.0 };
                let sign = if whole { sign } else { f64::NAN };
                if x < 0.0 { sign } else { 1.0 }
            },
        ) * value
    }

    /// A whole power: squares and inverses to the last bit, small powers as products.
    #[inline(always)]
    pub fn powi(self, n: Lanes) -> Lanes {
        let first = n.0[0];
        if (1.0..=SMALL_POWER).contains(&first.abs()) && n == Lanes::splat(first) {
            return if first < 0.0 { small_power(Lanes::splat(1.0) / self, -first) } else { small_power(self, first) };
        }
        let small = n.compare(
            n,
            #[inline(always)]
            |n, _| n.abs() <= SMALL_POWER,
        );
        if small.any() { self.map2(n, crate::powi) } else { self.powf(n) }
    }

    /// The power of positive finite numbers.
    #[inline(always)]
    fn power_parts(self, y: Lanes) -> Lanes {
        let (n, m) = self.parted();
        let f = m - Lanes::splat(1.0);
        let g = f + Lanes::splat(2.0);
        let g_low = f - (g - Lanes::splat(2.0));
        let s = f / g;
        let p = s * g;
        let s_low = (((f - p) - s.rest(g, p)) - s * g_low) / g;
        let z = s * s;
        let z_low = s.rest(s, z) + (s + s) * s_low;
        let far = z * z.polynomial(&FURTHER);
        // 2/3 + 2z/5 + ...
        let t = Lanes::splat(TWO_THIRDS) + far;
        let t_low = ((Lanes::splat(TWO_THIRDS) - t) + far) + Lanes::splat(TWO_THIRDS_LOW);
        let c = s * z;
        let c_low = s.rest(z, c) + s * z_low + s_low * z;
        let v = c * t;
        let v_low = c.rest(t, v) + c * t_low + c_low * t;
        let twice = s + s;
        let a = twice + v;
        let a_low = ((twice - a) + v) + ((s_low + s_low) + v_low);
        let whole = n * Lanes::splat(LN_2_HIGH);
        let u = whole + a;
        let u_low = ((whole - u) + a) + n.fma(Lanes::splat(LN_2_LOW), a_low);
        let e = y * u;
        let e_low = y.rest(u, e) + y * u_low;
        let within = e.compare(
            e,
            #[inline(always)]
            |e, _| e.abs() < 800.0,
        );
        let e_low = Lanes::select(within, e_low, Lanes::splat(0.0));
        let (shifted, a, b) = e.clamp(-800.0, 800.0).exp_parts(e_low);
        let h = Lanes::splat(1.0) + a;
        let rest = (a - (h - Lanes::splat(1.0))) + b;
        let powers = shifted.powers(0);
        (h + rest) * powers.0 * powers.1
    }

    /// `exp(x + low) = 2ⁿ (1 + a + b)`: what rounds to `n`, then `a` and the much smaller `b`.
    #[inline(always)]
    fn exp_parts(self, low: Lanes) -> (Lanes, Lanes, Lanes) {
        let shifted = self.fma(Lanes::splat(LOG2_E), Lanes::splat(ROUNDING));
        let n = shifted - Lanes::splat(ROUNDING);
        let high = n.fma(Lanes::splat(-LN_2_HIGH), self);
        let below = n * Lanes::splat(LN_2_LOW) - low;
        let r = high - below;
        let lost = (high - r) - below;
        let b = r.fma(r.fma(r.polynomial(&EXP), lost), lost);
        (shifted, r, b)
    }

    /// `exp |x|` and `exp −|x|`, both by the factor that is given last and is half of `2ⁿ`; between them what the first
    /// lacks.
    #[inline(always)]
    fn grown_and_shrunk(self) -> (Lanes, Lanes, Lanes, (Lanes, Lanes)) {
        let (shifted, a, b) = self.abs().clamp(0.0, 712.0).exp_parts(Lanes::splat(0.0));
        let grown = Lanes::splat(1.0) + a;
        let rest = (a - (grown - Lanes::splat(1.0))) + b;
        let power = shifted.map(
            #[inline(always)]
            |shifted| power_of_two((-2 * whole(shifted)).max(-1000)),
        );
        (grown, power / (grown + rest), rest, shifted.powers(-1))
    }

    /// `2ⁿ⁺ᵏ` in two factors, of which neither overflows where their product does not.
    #[inline(always)]
    fn powers(self, further: i64) -> (Lanes, Lanes) {
        let first = self.map(
            #[inline(always)]
            |shifted| power_of_two((whole(shifted) + further) >> 1),
        );
        let second = self.map(
            #[inline(always)]
            |shifted| {
                let n = whole(shifted) + further;
                power_of_two(n - (n >> 1))
            },
        );
        (first, second)
    }

    /// `x = 2ⁿ m` with `m` between √½ and √2.
    #[inline(always)]
    pub(crate) fn parted(self) -> (Lanes, Lanes) {
        let small = self.compare(
            self,
            #[inline(always)]
            |x, _| x < f64::MIN_POSITIVE,
        );
        let scaled = Lanes::select(small, self * Lanes::splat(18014398509481984.0), self);
        let m = scaled.map(
            #[inline(always)]
            |x| {
                let bits = x.to_bits() as i64;
                let n = bits.wrapping_sub(SQRT_HALF_BITS) >> 52;
                f64::from_bits(bits.wrapping_sub(n << 52) as u64)
            },
        );
        let n = scaled.map(
            #[inline(always)]
            |x| small_integer((x.to_bits() as i64).wrapping_sub(SQRT_HALF_BITS) >> 52),
        );
        (Lanes::select(small, n - Lanes::splat(54.0), n), m)
    }

    /// Exactly what a product lacks: `self · other − product`.
    #[inline(always)]
    pub(crate) fn rest(self, other: Lanes, product: Lanes) -> Lanes {
        if cfg!(target_feature = "fma") {
            return self.fma(other, -product);
        }
        // The halves of both, whose products are exact.
        let (a, b) = (self.upper(), other.upper());
        let (c, d) = (self - a, other - b);
        (((a * b - product) + a * d) + c * b) + c * d
    }

    /// The upper half of the digits.
    #[inline(always)]
    fn upper(self) -> Lanes {
        self.map(
            #[inline(always)]
            |x| f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000),
        )
    }

    #[inline(always)]
    pub(crate) fn polynomial<const N: usize>(self, coefficients: &[f64; N]) -> Lanes {
        let mut value = Lanes::splat(coefficients[0]);
        for coefficient in &coefficients[1..] {
            value = value.fma(self, Lanes::splat(*coefficient));
        }
        value
    }

    #[inline(always)]
    pub(crate) fn clamp(self, least: f64, most: f64) -> Lanes {
        self.map(
            #[inline(always)]
            |x| x.clamp(least, most),
        )
    }

    #[inline(always)]
    pub(crate) fn is_zero(self) -> Mask {
        self.compare(
            self,
            #[inline(always)]
            |x, _| x == 0.0,
        )
    }
}

/// The whole number that stands in the last bits.
#[inline(always)]
fn whole(shifted: f64) -> i64 {
    (shifted.to_bits() as i64).wrapping_sub(ROUNDING.to_bits() as i64)
}

/// `(exp r − 1 − r)/r²` between ±0.3467.
const EXP: [f64; 11] = [
    2.0914707069612355e-09,
    2.510524515390137e-08,
    2.7557273594799413e-07,
    2.755725533255441e-06,
    2.480158732558584e-05,
    0.00019841269874873975,
    0.0013888888888883737,
    0.00833333333332612,
    0.04166666666666667,
    0.1666666666666667,
    0.5,
];

/// `(sinh x/x − 1)/x²` in `x²` below 1.
const SINH: [f64; 8] = [
    2.8445264169895285e-15,
    7.646625361656657e-13,
    1.6059048396350562e-10,
    2.505210836405804e-08,
    2.755731922404034e-06,
    0.00019841269841269773,
    0.008333333333333333,
    0.16666666666666666,
];

/// `2/3` in two parts.
const TWO_THIRDS: f64 = 0.6666666666666666;
const TWO_THIRDS_LOW: f64 = 3.700743415417188e-17;

/// `2/(2k + 1)` for `k` from 13 down to 2.
const FURTHER: [f64; 12] = [
    2.0 / 27.0,
    2.0 / 25.0,
    2.0 / 23.0,
    2.0 / 21.0,
    2.0 / 19.0,
    2.0 / 17.0,
    2.0 / 15.0,
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
];
