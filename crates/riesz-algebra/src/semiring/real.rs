//! Real numbers, up to rounding: sums and products as in IEEE 754, where `0 · inf` is NaN.
//!
//! As a module over themselves they have exact zeros. Forward mode is made of these multiples, so the ordinary case is an
//! IEEE product after one test: of the factors where a vector is long, of the result where it is a single number. What
//! the test finds is cold. After a product it is in line, as a call would have every vector that is alive go to memory
//! and back; after an elementary function, which is a call already, it is one.

use core::array::from_fn;
use core::hint::cold_path;
use core::ops::Sub;

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
            /// `x + −0 = x` for every `x`, 0 too: the compiler leaves such sums out.
            #[inline(always)]
            fn of_constants() -> $float {
                -0.0
            }

            #[inline(always)]
            fn scale(&self, factor: &$float) -> $float {
                let product = factor * self;
                if product.is_nan() {
                    cold_path();
                    if ordinary(*factor) { product } else { exact_product(*self, *factor) }
                } else {
                    product
                }
            }

            #[inline(always)]
            fn difference(u: &$float, v: &$float) -> $float {
                u - v
            }

            #[inline(always)]
            fn combine(u: &$float, a: &$float, v: &$float, b: &$float) -> $float {
                let sum = a * u + b * v;
                if sum.is_nan() {
                    cold_path();
                    exact_product(*u, *a) + exact_product(*v, *b)
                } else {
                    sum
                }
            }

            #[inline(always)]
            fn through(&self, value: $float, slope: $float) -> ($float, $float) {
                let (value, [tangent]) = $float::through_all(&[*self], value, slope);
                (value, tangent)
            }

            #[inline(always)]
            fn scale_all<const N: usize>(vectors: &[$float; N], factor: &$float) -> [$float; N] {
                if N == 1 {
                    from_fn(|i| vectors[i].scale(factor))
                } else if ordinary(*factor) {
                    from_fn(|i| factor * vectors[i])
                } else {
                    exact_products(*vectors, *factor)
                }
            }

            #[inline(always)]
            fn combine_all<const N: usize>(u: &[$float; N], a: &$float, v: &[$float; N], b: &$float) -> [$float; N] {
                if N == 1 {
                    from_fn(|i| $float::combine(&u[i], a, &v[i], b))
                } else if ordinary(a * b) {
                    from_fn(|i| a * u[i] + b * v[i])
                } else {
                    cold_path();
                    exact_sums(*u, *a, *v, *b)
                }
            }

            /// The test looks at the value too. Were it of the slope alone, the value could wait until after it, and a
            /// sine would be computed apart from its cosine.
            #[inline(always)]
            fn through_all<const N: usize>(u: &[$float; N], value: $float, slope: $float) -> ($float, [$float; N]) {
                if ordinary(slope + (value - value)) {
                    (value, from_fn(|i| slope * u[i]))
                } else {
                    (value, exact_products(*u, slope))
                }
            }
        }
    };
}

real!(f64);
real!(f32);

/// Whether a number is neither 0 nor infinite nor NaN, in one comparison. Multiples by such numbers have exact zeros as
/// IEEE products, and where the product of two numbers is ordinary, so are both.
#[inline(always)]
fn ordinary<R: Copy + PartialOrd + Sub<Output = R>>(x: R) -> bool {
    let y = x;
    let zero_or_nan = x - y;
    (x < zero_or_nan) | (x > zero_or_nan)
}

#[inline(always)]
fn exact_product<R: Semiring + Copy + PartialEq>(u: R, a: R) -> R {
    if (u == R::zero()) | (a == R::zero()) { R::zero() } else { a.mul(&u) }
}

/// Vectors are passed by value so that they need not be in memory where this is not called.
#[cold]
#[inline(never)]
fn exact_products<R: Semiring + Copy + PartialEq, const N: usize>(u: [R; N], a: R) -> [R; N] {
    from_fn(|i| exact_product(u[i], a))
}

/// A loop, because the compiler does not inline the closures of `from_fn` where it is cold.
#[inline(always)]
fn exact_sums<R: Semiring + Copy + PartialEq, const N: usize>(u: [R; N], a: R, v: [R; N], b: R) -> [R; N] {
    let mut sums = u;
    for (sum, v) in sums.iter_mut().zip(&v) {
        *sum = exact_product(*sum, a).add(&exact_product(*v, b));
    }
    sums
}
