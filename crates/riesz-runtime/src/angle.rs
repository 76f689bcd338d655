//! Tangents, angles, and the error function, of eight numbers at once.
//!
//! ```text
//! atan2(y, x):  t = y/x, or (y − x)/(y + x) + π/4,   atan t = t + t³ p(t²)  for  |t| ≤ √2 − 1
//! erf x  = x + x p(x²)  below 1,   1 − exp(−x²) q((x − 2)/(x + 2))  above
//! erfc x = (1 − x) − x p(x²),   exp(−x²) q((x − 2)/(x + 2))
//! ```

use crate::Lanes;
use crate::math::{COSINE, FAR, HALF_PI, ROUNDING, SINE, SINE_FIRST};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

impl Lanes {
    /// The tangent of an angle: the quotient of its sine and its cosine, both in two parts.
    #[inline(always)]
    pub fn tan(self) -> Lanes {
        let far = self.compare(
            self,
            #[inline(always)]
            |x, _| x.is_nan() || x.abs() > FAR,
        );
        if far.any() {
            return self.map(f64::tan);
        }
        let shifted = self.fma(Lanes::splat(FRAC_2_PI), Lanes::splat(ROUNDING));
        let n = shifted - Lanes::splat(ROUNDING);
        let first = n.fma(Lanes::splat(-HALF_PI[0]), self);
        let second = n * Lanes::splat(HALF_PI[1]);
        let r = first - second;
        let below = ((first - r) - second) - n * Lanes::splat(HALF_PI[2]);
        let x = r + below;
        let low = (r - x) + below;
        let z = x * x;
        let cube = z * x;
        let sine_tail =
            cube * Lanes::splat(SINE_FIRST) + low - z * (Lanes::splat(0.5) * low - cube * z.polynomial(&SINE));
        let half = Lanes::splat(0.5) * z;
        let near_one = Lanes::splat(1.0) - half;
        let lost = Lanes::splat(0.5) * x.rest(x, z);
        let cosine_tail = ((Lanes::splat(1.0) - near_one) - half) + ((z * z * z.polynomial(&COSINE) - x * low) - lost);
        let (sine, sine_low) = x.two_parts(sine_tail);
        let (cosine, cosine_low) = near_one.two_parts(cosine_tail);
        let turned = shifted.compare(
            shifted,
            #[inline(always)]
            |shifted, _| shifted.to_bits() & 1 == 1,
        );
        let (above, above_low) = (Lanes::select(turned, -cosine, sine), Lanes::select(turned, -cosine_low, sine_low));
        let (under, under_low) = (Lanes::select(turned, sine, cosine), Lanes::select(turned, sine_low, cosine_low));
        let quotient = above / under;
        let product = quotient * under;
        let rest = ((above - product) - quotient.rest(under, product)) + (above_low - quotient * under_low);
        Lanes::select(self.is_zero(), self, quotient + rest / under)
    }

    /// The angle of a point. Points at the origin, or very far from or close to it, go lane by lane.
    #[inline(always)]
    pub fn atan2(self, x: Lanes) -> Lanes {
        let odd = self.compare(
            x,
            #[inline(always)]
            |y, x| {
                let (y, x) = (y.abs(), x.abs());
                let largest = if x > y { x } else { y };
                !(1e-280..=1e300).contains(&largest) || x.is_nan() || y.is_nan()
            },
        );
        if odd.any() {
            return self.map2(x, f64::atan2);
        }
        let (up, along) = (self.abs(), x.abs());
        let steep = up.compare(
            along,
            #[inline(always)]
            |up, along| up > along,
        );
        let (small, large) = (Lanes::select(steep, along, up), Lanes::select(steep, up, along));
        // Beyond half of an eighth of a turn, the angle to the diagonal.
        let wide = small.compare(
            large,
            #[inline(always)]
            |small, large| small > 0.41421356237309503 * large,
        );
        let zero = Lanes::splat(0.0);
        let difference = small - large;
        let difference_low = small - (difference + large);
        let sum = large + small;
        let sum_low = (large - sum) + small;
        let above = Lanes::select(wide, difference, small);
        let above_low = Lanes::select(wide, difference_low, zero);
        let under = Lanes::select(wide, sum, large);
        let under_low = Lanes::select(wide, sum_low, zero);
        let t = above / under;
        let product = t * under;
        let t_low = (((above - product) - t.rest(under, product)) + (above_low - t * under_low)) / under;
        let z = t * t;
        let tail = (t * z) * z.polynomial(&ATAN) + t_low * (Lanes::splat(1.0) - z);
        let eighth = Lanes::select(wide, Lanes::splat(FRAC_PI_4), zero);
        let eighth_low = Lanes::select(wide, Lanes::splat(FRAC_PI_4_LOW), zero);
        // The angle to the closer axis, as a sum: a whole number of eighths, t, and a tail.
        let backwards = x.compare(
            x,
            #[inline(always)]
            |x, _| x.is_sign_negative(),
        );
        let turned = |mask, around: (f64, f64), (base, base_low, t, tail): (Lanes, Lanes, Lanes, Lanes)| {
            let (whole, low) = (Lanes::splat(around.0), Lanes::splat(around.1));
            (
                Lanes::select(mask, whole - base, base),
                Lanes::select(mask, low - base_low, base_low),
                Lanes::select(mask, -t, t),
                Lanes::select(mask, -tail, tail),
            )
        };
        let angle = turned(steep, (FRAC_PI_2, FRAC_PI_2_LOW), (eighth, eighth_low, t, tail));
        let (base, base_low, t, tail) = turned(backwards, (PI, PI_LOW), angle);
        let whole = base + t;
        let rest = ((base - whole) + t) + (base_low + tail);
        // Without a base, t may be so small that the tail is all that it lacks.
        let value = Lanes::select(base.is_zero(), t + tail, whole + rest);
        value.map2(self, f64::copysign)
    }

    /// The angle whose tangent is given.
    #[inline(always)]
    pub fn atan(self) -> Lanes {
        let odd = self.compare(
            self,
            #[inline(always)]
            |x, _| x.is_nan() || x.abs() > 1e300,
        );
        if odd.any() { self.map(f64::atan) } else { self.atan2(Lanes::splat(1.0)) }
    }

    /// The error function.
    #[inline(always)]
    pub fn erf(self) -> Lanes {
        let z = self * self;
        let near = self.fma(z.polynomial(&ERF_NEAR), self);
        // From 6 on the rest is less than can be told from 1.
        let x = self.abs().clamp(0.0, 6.0);
        let u = (x - Lanes::splat(2.0)) / (x + Lanes::splat(2.0));
        let far = Lanes::splat(1.0) - (-(x * x)).exp() * u.polynomial(&ERF_FAR);
        let is_near = self.compare(
            self,
            #[inline(always)]
            |x, _| x.abs() < 1.0,
        );
        let value = Lanes::select(is_near, near, far.map2(self, f64::copysign));
        Lanes::select(self.is_zero(), self, value)
    }

    /// The part of 1 that the error function lacks. The square of `x` is that of its first half of digits and a rest, so
    /// that its exponential loses none.
    #[inline(always)]
    pub fn erfc(self) -> Lanes {
        let beyond = self.compare(
            self,
            #[inline(always)]
            |x, _| x > 6.0,
        );
        if beyond.any() {
            return self.map(crate::erfc);
        }
        let one = Lanes::splat(1.0);
        let near = (-self).fma((self * self).polynomial(&ERF_NEAR), one - self);
        let x = self.abs().clamp(0.0, 6.0);
        let half = x.map(
            #[inline(always)]
            |x| f64::from_bits(x.to_bits() >> 27 << 27),
        );
        let rest = (x - half) * (x + half);
        let power = (-(half * half)).exp() * (one - rest * (one - Lanes::splat(0.5) * rest));
        let u = (x - Lanes::splat(2.0)) / (x + Lanes::splat(2.0));
        let far = power * u.polynomial(&ERF_FAR);
        let far = far.map2(
            self,
            #[inline(always)]
            |far, x| if x < 0.0 { 2.0 - far } else { far },
        );
        let is_near = self.compare(
            self,
            #[inline(always)]
            |x, _| x.abs() < 1.0,
        );
        Lanes::select(is_near, near, far)
    }

    /// A sum as what it rounds to and what that lacks.
    #[inline(always)]
    fn two_parts(self, smaller: Lanes) -> (Lanes, Lanes) {
        let sum = self + smaller;
        (sum, (self - sum) + smaller)
    }
}

/// `π/2`, `π` and `π/4` without the digits that numbers hold.
const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;
const PI_LOW: f64 = 1.2246467991473532e-16;
const FRAC_PI_4_LOW: f64 = 3.061616997868383e-17;

/// `(atan t/t − 1)/t²` in `t²` up to `(√2 − 1)²`.
const ATAN: [f64; 12] = [
    0.016284375050043393,
    -0.03456931506332609,
    0.045515447340221615,
    -0.05230443640686948,
    0.05878927554473807,
    -0.0666642476020052,
    0.07692296368042296,
    -0.09090908753259112,
    0.11111111105150588,
    -0.14285714285659779,
    0.19999999999999804,
    -0.3333333333333333,
];

/// `erf x/x − 1` in `x²` below 1.
const ERF_NEAR: [f64; 14] = [
    -4.230945824295338e-12,
    8.709045129053106e-11,
    -1.216456005728345e-09,
    1.4792401209404813e-08,
    -1.6364642158167616e-07,
    1.6462045441468418e-06,
    -1.4925647567519332e-05,
    0.00012055332902888736,
    -0.000854832702193483,
    0.0052239776254232985,
    -0.02686617064512984,
    0.1128379167095512,
    -0.37612638903183754,
    0.1283791670955126,
];

/// `erfc x · exp x²` in `(x − 2)/(x + 2)`, from 1 to 6.
const ERF_FAR: [f64; 17] = [
    -1.1352571477273627e-06,
    1.272567661840228e-06,
    4.011749647325067e-06,
    1.3058577122278017e-06,
    -1.3998283772784976e-05,
    -2.7562209161129353e-05,
    2.7527175557227246e-05,
    0.00017435947400205157,
    4.355558686575482e-05,
    -0.0009819769411038642,
    -0.00084714325299195,
    0.006997461736971578,
    0.0037328924043978336,
    -0.07897858101570611,
    0.24165819424246585,
    -0.4271858474139585,
    0.25539567631050575,
];
