//! Real numbers, up to rounding: sums and products as in IEEE 754, where `0 · inf` is NaN.

use crate::module::Module;
use crate::semiring::{Monoid, Ring, Semiring};

macro_rules! real {
    ($float:ident) => {
        impl Monoid for $float {
            #[inline]
            fn zero() -> $float {
                0.0
            }
            #[inline]
            fn add(&self, other: &$float) -> $float {
                self + other
            }
        }

        impl Semiring for $float {
            #[inline]
            fn one() -> $float {
                1.0
            }
            #[inline]
            fn mul(&self, other: &$float) -> $float {
                self * other
            }
        }

        impl Ring for $float {
            #[inline]
            fn neg(&self) -> $float {
                -self
            }
            #[inline]
            fn sub(&self, other: &$float) -> $float {
                self - other
            }
        }

        /// The real line over itself, with exact zeros.
        impl Module<$float> for $float {
            #[inline]
            fn scale(&self, factor: &$float) -> $float {
                if *self == 0.0 || *factor == 0.0 { 0.0 } else { factor * self }
            }

            /// Where the factor is finite and not 0, IEEE products have exact zeros, and need no test for each number.
            #[inline]
            fn scale_all<const N: usize>(vectors: &[$float; N], factor: &$float) -> [$float; N] {
                let factor = *factor;
                if factor == 0.0 {
                    [0.0; N]
                } else if factor.is_finite() {
                    core::array::from_fn(|i| factor * vectors[i])
                } else {
                    core::array::from_fn(|i| vectors[i].scale(&factor))
                }
            }
        }
    };
}

real!(f64);
real!(f32);
