//! Functions that are computed number by number, in double precision, also in lanes and in single precision. A function
//! is one line of each list below; the second list lacks those that [`elementary`](crate::elementary) has in lanes.

use crate::gamma;

macro_rules! of_one_number {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(x: f64) -> f64 {
                $function(x)
            }
        )*

        /// The same, rounded to single precision.
        pub mod rounded {
            $(
                $(#[$doc])*
                pub fn $name(x: f32) -> f32 {
                    super::$name(x.into()) as f32
                }
            )*
        }
    };
}

of_one_number! {
    /// The part of 1 that the error function lacks.
    erfc = c::erfc;
    /// The logarithm of the absolute value of `Γ`.
    lgamma = c::lgamma;
    /// The derivative of `log Γ`.
    digamma = gamma::digamma;
    /// `log Φ(x)`, the logarithm of the distribution function of a standard normal variable.
    log_ndtr = normal::log_distribution;
    /// `φ(x)/Φ(x)`, the derivative of `log_ndtr`.
    normal_hazard = normal::hazard;
    /// `x + φ(x)/Φ(x)`.
    normal_excess = normal::excess;
    /// The inverse of `sinh`.
    asinh = c::asinh;
    /// The inverse of `cosh`.
    acosh = c::acosh;
    /// The inverse of `tanh`.
    atanh = c::atanh;
}

macro_rules! number_by_number {
    ($($name:ident),*) => {
        /// Functions that have no form in lanes.
        impl crate::Lanes {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                #[inline(always)]
                pub fn $name(self) -> crate::Lanes {
                    self.map($name)
                }
            )*
        }

        /// Functions that have no form in lanes.
        impl crate::single::Lanes {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                #[inline(always)]
                pub fn $name(self) -> crate::single::Lanes {
                    self.map(rounded::$name)
                }
            )*
        }
    };
}

number_by_number! { lgamma, digamma, log_ndtr, normal_hazard, normal_excess }

/// The normal distribution, with `t = −x` in its left tail.
///
/// ```text
/// φ(x) = exp(−x²/2)/√2π       Φ(x) = ½ erfc(−x/√2)       φ(x)/Φ(x) = t + 1/(t + 2/(t + 3/(t + …)))
/// ```
mod normal {
    use super::c;
    use std::f64::consts::FRAC_1_SQRT_2;

    /// Where the tails begin, in which the continued fraction converges fast and `erfc` would magnify the rounding of
    /// its argument.
    const TAIL: f64 = 2.5;
    /// `1/√2π`
    const SCALE: f64 = 0.398_942_280_401_432_7;
    /// `log √2π`
    const LOG_SCALE: f64 = 0.918_938_533_204_672_7;

    pub fn log_distribution(x: f64) -> f64 {
        if x <= -TAIL {
            -0.5 * x * x - LOG_SCALE - hazard(x).ln()
        } else if x <= 0.0 {
            distribution(x).ln()
        } else {
            (-distribution(-x)).ln_1p()
        }
    }

    pub fn hazard(x: f64) -> f64 {
        if x <= -TAIL {
            -x + excess(x)
        } else if x < TAIL {
            density(x) / distribution(x)
        } else {
            density(x) / (1.0 - distribution(-x))
        }
    }

    pub fn excess(x: f64) -> f64 {
        if x > -TAIL || x.is_nan() {
            return x + hazard(x);
        }
        let t = -x;
        let terms = 20 + (450.0 / (t * t)) as u32;
        1.0 / (2..=terms).rev().fold(t, |fraction, k| t + f64::from(k) / fraction)
    }

    /// `Φ(x)`
    fn distribution(x: f64) -> f64 {
        match x <= -TAIL {
            true => density(x) / hazard(x),
            false => 0.5 * c::erfc(-x * FRAC_1_SQRT_2),
        }
    }

    /// `φ(x)`, with what is lost in the square brought back.
    fn density(x: f64) -> f64 {
        let square = x * x;
        let lost = x.mul_add(x, -square);
        match square < 2000.0 {
            true => SCALE * (-0.5 * square).exp() * (1.0 - 0.5 * lost),
            false => SCALE * (-0.5 * square).exp(),
        }
    }
}

/// Functions of the C library.
mod c {
    unsafe extern "C" {
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
    }
}
