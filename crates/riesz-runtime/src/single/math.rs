//! Functions of sixteen numbers at once: computed as two groups of eight in double precision, and rounded.

use super::{LANES, Lanes};

/// Eight numbers in double precision.
type Double = crate::Lanes;

impl Lanes {
    /// A function of both halves, in double precision.
    #[inline(always)]
    fn doubled(self, f: impl Fn(Double) -> Double) -> Lanes {
        self.doubled2(
            self,
            #[inline(always)]
            |x, _| f(x),
        )
    }

    /// The same of two.
    #[inline(always)]
    fn doubled2(self, other: Lanes, f: impl Fn(Double, Double) -> Double) -> Lanes {
        let half = |lanes: Lanes, from: usize| <Double as crate::Wide>::of(|lane| f64::from(lanes.0[from + lane]));
        let (a, b) = (f(half(self, 0), half(other, 0)), f(half(self, LANES / 2), half(other, LANES / 2)));
        let mut result = [0.0; LANES];
        for lane in 0..LANES / 2 {
            result[lane] = a.0[lane] as f32;
            result[LANES / 2 + lane] = b.0[lane] as f32;
        }
        Lanes(result)
    }

    /// The larger number; NaN if either is.
    #[inline(always)]
    pub fn max(self, other: Lanes) -> Lanes {
        self.map2(other, super::max)
    }

    /// The smaller number; NaN if either is.
    #[inline(always)]
    pub fn min(self, other: Lanes) -> Lanes {
        self.map2(other, super::min)
    }

    /// The product in which zero times anything is zero.
    #[inline(always)]
    pub fn exact_mul(self, other: Lanes) -> Lanes {
        self.map2(other, super::exact_mul)
    }
}

macro_rules! doubled {
    ($($name:ident),*) => {
        /// Functions that are computed in double precision.
        impl Lanes {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                #[inline(always)]
                pub fn $name(self) -> Lanes {
                    self.doubled(#[inline(always)] |x| x.$name())
                }
            )*
        }
    };
}

doubled! {
    exp, ln, sin, cos, tan, tanh, sinh, cosh, exp_m1, ln_1p, atan, erf, exp2, log2, log10, asin, acos, cbrt, asinh,
    acosh, atanh, erfc
}

macro_rules! doubled2 {
    ($($name:ident),*) => {
        /// The same of two numbers.
        impl Lanes {
            $(
                #[doc = concat!("`", stringify!($name), "` of each lane.")]
                #[inline(always)]
                pub fn $name(self, other: Lanes) -> Lanes {
                    self.doubled2(other, #[inline(always)] |x, y| x.$name(y))
                }
            )*
        }
    };
}

doubled2! { powf, powi, atan2, hypot, polygamma }

macro_rules! lane_by_lane {
    ($($name:ident $function:path),*) => {
        /// Functions that are exact.
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
    sqrt f32::sqrt, abs f32::abs, floor f32::floor, ceil f32::ceil, round f32::round, sign super::sign
}

/// A derivative of `digamma`.
pub fn polygamma(k: f32, x: f32) -> f32 {
    crate::polygamma(k.into(), x.into()) as f32
}

/// The sine and the cosine.
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (sine, cosine) = crate::sin_cos(x.into());
    (sine as f32, cosine as f32)
}
