//! Elementary functions to about a hundred bits: sums of two numbers, of which the second is the rounding error of the
//! first.
//!
//! Angles are reduced with as many digits of `π` as the largest number needs, in integer arithmetic.

use num_bigint::{BigInt, Sign};
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::LazyLock;

/// `high + low`, with `low` less than half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug)]
pub struct Long {
    pub high: f64,
    pub low: f64,
}

/// `log 2` and `π/2`.
const LN_2: Long = Long { high: std::f64::consts::LN_2, low: 2.3190468138462996e-17 };
const HALF_PI: Long = Long { high: std::f64::consts::FRAC_PI_2, low: 6.123233995736766e-17 };
const FRAC_2_SQRT_PI: Long = Long { high: std::f64::consts::FRAC_2_SQRT_PI, low: 1.533545961316588e-17 };

fn sum(a: f64, b: f64) -> Long {
    let high = a + b;
    let part = high - a;
    Long { high, low: (a - (high - part)) + (b - part) }
}

impl From<f64> for Long {
    fn from(high: f64) -> Long {
        Long { high, low: 0.0 }
    }
}

impl Add for Long {
    type Output = Long;

    fn add(self, other: Long) -> Long {
        let (a, b) = (sum(self.high, other.high), sum(self.low, other.low));
        let c = sum(a.high, a.low + b.high);
        sum(c.high, c.low + b.low)
    }
}

impl Neg for Long {
    type Output = Long;

    fn neg(self) -> Long {
        Long { high: -self.high, low: -self.low }
    }
}

impl Sub for Long {
    type Output = Long;

    fn sub(self, other: Long) -> Long {
        self + -other
    }
}

impl Mul for Long {
    type Output = Long;

    fn mul(self, other: Long) -> Long {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + (self.high * other.low + self.low * other.high);
        sum(high, low)
    }
}

impl Div for Long {
    type Output = Long;

    fn div(self, other: Long) -> Long {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let third = (rest - other * second.into()).high / other.high;
        sum(first, second) + third.into()
    }
}

impl Long {
    /// `2ⁿ` times it, in steps that neither overflow nor lose digits before the last.
    pub fn scaled(self, n: i32) -> Long {
        let (half, rest) = (n / 2, n - n / 2);
        let scale = |x: f64| x * 2f64.powi(half) * 2f64.powi(rest);
        Long { high: scale(self.high + self.low), low: scale(self.low - ((self.high + self.low) - self.high)) }
    }

    /// `exp x − 1`, for numbers between ±0.4.
    fn small_exp_m1(self) -> Long {
        // Σ xᵏ/k!
        (1..30).rev().fold(Long::from(0.0), |total, k| (total + 1.0.into()) * self / f64::from(k).into())
    }

    /// Whether it is so small that functions which begin with `x` are `x`.
    fn is_tiny(self) -> bool {
        self.high.abs() < 1e-250
    }

    pub fn exp_m1(self) -> Long {
        if self.is_tiny() {
            return self;
        }
        let n = (self.high / LN_2.high).round();
        if n == 0.0 {
            return self.small_exp_m1();
        }
        self.exp() - 1.0.into()
    }

    pub fn exp(self) -> Long {
        let n = (self.high / LN_2.high).round();
        let r = self - LN_2 * n.into();
        (r.small_exp_m1() + 1.0.into()).scaled(n as i32)
    }

    /// `log(1 + x)` of what is between −0.3 and 0.42.
    fn small_ln_1p(self) -> Long {
        let s = self / (self + 2.0.into());
        let z = s * s;
        let series =
            (0..40).rev().fold(Long::from(0.0), |total, k| total * z + Long::from(2.0) / f64::from(2 * k + 1).into());
        series * s
    }

    pub fn ln(self) -> Long {
        let mut n = 0;
        let mut m = self;
        while m.high > std::f64::consts::SQRT_2 {
            (n, m) = (n + 1, Long { high: 0.5 * m.high, low: 0.5 * m.low });
        }
        while m.high < std::f64::consts::FRAC_1_SQRT_2 {
            (n, m) = (n - 1, Long { high: 2.0 * m.high, low: 2.0 * m.low });
        }
        LN_2 * f64::from(n).into() + (m - 1.0.into()).small_ln_1p()
    }

    pub fn ln_1p(self) -> Long {
        if self.is_tiny() {
            return self;
        }
        if (-0.29..0.41).contains(&self.high) { self.small_ln_1p() } else { (self + 1.0.into()).ln() }
    }

    pub fn sinh(self) -> Long {
        if self.is_tiny() {
            return self;
        }
        if self.high.abs() < 0.3 {
            let (up, down) = (self.small_exp_m1(), (-self).small_exp_m1());
            return (up - down) * 0.5.into();
        }
        let sign = self.high.signum();
        let x = if sign < 0.0 { -self } else { self };
        // exp(x − log 2), which is finite where the result is.
        let value = (x - LN_2).exp() - (-x - LN_2).exp();
        if sign < 0.0 { -value } else { value }
    }

    pub fn cosh(self) -> Long {
        let x = if self.high < 0.0 { -self } else { self };
        (x - LN_2).exp() + (-x - LN_2).exp()
    }

    pub fn tanh(self) -> Long {
        if self.is_tiny() {
            return self;
        }
        if self.high.abs() > 300.0 { self.high.signum().into() } else { self.sinh() / self.cosh() }
    }

    pub fn sigmoid(self) -> Long {
        match self.high < 0.0 {
            true => self.exp() / (self.exp() + 1.0.into()),
            false => Long::from(1.0) / ((-self).exp() + 1.0.into()),
        }
    }

    /// Sine and cosine.
    pub fn sin_cos(x: f64) -> (Long, Long) {
        if Long::from(x).is_tiny() {
            return (x.into(), 1.0.into());
        }
        let (quadrant, r) = reduced(x);
        let z = r * r;
        // Σ (−z)ᵏ/(2k + 1)! and Σ (−z)ᵏ/(2k)!
        let series = |from: i32| {
            (0..20).rev().fold(Long::from(1.0), |total, k| {
                let factor = f64::from((2 * k + from + 1) * (2 * k + from + 2));
                Long::from(1.0) - total * z / factor.into()
            })
        };
        let (sine, cosine) = (series(1) * r, series(0));
        match quadrant {
            0 => (sine, cosine),
            1 => (cosine, -sine),
            2 => (-sine, -cosine),
            _ => (-cosine, sine),
        }
    }

    /// `atan(y/x)` and the quadrant: the angle of the standard library, made better.
    pub fn atan2(y: f64, x: f64) -> Long {
        // Points are scaled so that nothing is lost.
        let scale = 2f64.powi(-(y.abs().max(x.abs()).log2().round().clamp(-1000.0, 1000.0) as i32));
        let (small, large) = (y.abs().min(x.abs()), y.abs().max(x.abs()));
        if small / large < 1e-150 {
            let angle = Long::from(y) / x.into();
            return match (x > 0.0, y.abs() < x.abs()) {
                (true, true) => angle,
                _ => y.atan2(x).into(),
            };
        }
        let (y, x) = (y * scale, x * scale);
        let angle = y.atan2(x);
        let (sine, cosine) = Long::sin_cos(angle);
        let (y, x) = (Long::from(y), Long::from(x));
        let tangent = (y * cosine - x * sine) / (x * cosine + y * sine);
        Long::from(angle) + tangent
    }

    /// `erf x = 2/√π exp(−x²) Σ 2ᵏ x²ᵏ⁺¹/(2k + 1)!!`, in which nothing cancels.
    pub fn erf(self) -> Long {
        if self.high.abs() > 6.5 {
            return self.high.signum().into();
        }
        let z = self * self;
        let series = (0..200)
            .rev()
            .fold(Long::from(1.0), |total, k| Long::from(1.0) + total * z * 2.0.into() / f64::from(2 * k + 3).into());
        FRAC_2_SQRT_PI * (-z).exp() * series * self
    }

    pub fn pow(x: f64, y: f64) -> Long {
        (Long::from(x).ln() * y.into()).exp()
    }
}

/// How many digits of 2/π are used.
const DIGITS: u32 = 1400;

static TWO_OVER_PI: LazyLock<BigInt> = LazyLock::new(|| {
    // π/4 = 4 atan(1/5) − atan(1/239)
    let bits = DIGITS + 100;
    let atan = |n: i64| {
        let mut power = (BigInt::from(1) << bits) / n;
        let (mut total, mut k) = (power.clone(), 1);
        while power.sign() != Sign::NoSign {
            power = -power / (n * n);
            k += 2;
            total += &power / k;
        }
        total
    };
    let pi = (atan(5) * 4 - atan(239)) * 4;
    (BigInt::from(2) << (bits + DIGITS)) / pi
});

/// `x = (4j + quadrant) π/2 + r`
fn reduced(x: f64) -> (u8, Long) {
    if x.abs() < 0.75 {
        return (0, x.into());
    }
    let bits = x.abs().to_bits();
    let exponent = ((bits >> 52) as i64).max(1) - 1075;
    let mantissa = (bits & ((1 << 52) - 1)) | if bits >> 52 == 0 { 0 } else { 1 << 52 };
    // |x| · 2/π = product · 2^(exponent − DIGITS)
    let product = BigInt::from(mantissa) * &*TWO_OVER_PI;
    let shift = i64::from(DIGITS) - exponent;
    let unit: BigInt = BigInt::from(1) << shift;
    let half: BigInt = &unit >> 1;
    let whole: BigInt = (&product + &half) >> shift;
    let rest: BigInt = product - (&whole << shift);
    let quadrant = (&whole & BigInt::from(3)).iter_u32_digits().next().unwrap_or(0) as u8;
    let r = long(rest, -shift) * HALF_PI;
    match x < 0.0 {
        false => (quadrant, r),
        true => ((4 - quadrant) % 4, -r),
    }
}

/// `n · 2ᵉ`
fn long(n: BigInt, exponent: i64) -> Long {
    let extra = n.bits() as i64 - 106;
    let (top, exponent) = if extra > 0 { (n >> extra, exponent + extra) } else { (n, exponent) };
    let high: BigInt = &top >> 53;
    let low: BigInt = &top - (&high << 53);
    let number = |n: BigInt| n.to_string().parse::<f64>().unwrap_or(f64::NAN);
    let power = |e: i64| 2f64.powi((e / 2) as i32) * 2f64.powi((e - e / 2) as i32);
    sum(number(high) * power(exponent + 53), number(low) * power(exponent))
}
