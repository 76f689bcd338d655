//! Real numbers, up to rounding: sums and products as in IEEE 754, where `0 · inf` is NaN.
//!
//! As a module over themselves they have exact zeros. Forward mode consists of these multiples, so the common case is
//! an IEEE product after one test: of the factors for a long vector, of the result for a single number. The rare branch
//! is cold but inline, because a call would spill all live vectors to memory.

use core::array::from_fn;
use core::hint::{black_box, cold_path};

use crate::module::Module;
use crate::semiring::{Monoid, Ring, Semiring};

macro_rules! real {
    ($float:ident $bits:ident) => {
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

        impl Float for $float {
            /// One comparison of integers. Without the sign, bits are in the order of the numbers they stand for; with 1
            /// taken away 0 comes last, after infinity and NaN.
            #[inline(always)]
            fn is_ordinary(self) -> bool {
                const ONE: $bits = 1 << 1;
                (self.to_bits() << 1).wrapping_sub(ONE) < ($float::INFINITY.to_bits() << 1) - ONE
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
                    if factor.is_ordinary() { product } else { exact_product(*self, *factor) }
                } else {
                    product
                }
            }

            #[inline(always)]
            fn scale_ordinary(&self, factor: &$float) -> $float {
                factor * self
            }

            /// A constant, which is copied as vectors. Number by number it would be stored in other pieces than it is read,
            /// and reading would have to wait.
            #[inline(always)]
            fn identity<const N: usize>() -> [[$float; N]; N] {
                const {
                    let (mut identity, mut i) = ([[0.0; N]; N], 0);
                    while i < N {
                        identity[i][i] = 1.0;
                        i += 1;
                    }
                    identity
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
                    // Other products, for all the compiler knows: those above need no register of their own.
                    exact_product(black_box(*u), *a) + exact_product(black_box(*v), *b)
                } else {
                    sum
                }
            }

            #[inline(always)]
            fn scale_all<const N: usize>(vectors: &[$float; N], factor: &$float) -> [$float; N] {
                if N == 1 {
                    from_fn(|i| vectors[i].scale(factor))
                } else if factor.is_ordinary() {
                    from_fn(|i| factor * vectors[i])
                } else {
                    cold_path();
                    exact_products(*vectors, *factor)
                }
            }

            #[inline(always)]
            fn combine_all<const N: usize>(u: &[$float; N], a: &$float, v: &[$float; N], b: &$float) -> [$float; N] {
                if N == 1 {
                    from_fn(|i| $float::combine(&u[i], a, &v[i], b))
                } else if (a * b).is_ordinary() {
                    from_fn(|i| a * u[i] + b * v[i])
                } else {
                    cold_path();
                    exact_sums(*u, *a, *v, *b)
                }
            }

            #[inline(always)]
            fn quotient(u: &$float, x: &$float, v: &$float, inverse: &$float) -> $float {
                let [quotient] = $float::quotient_all(&[*u], x, &[*v], inverse);
                quotient
            }

            /// Where the ratio is ordinary, so is the inverse.
            #[inline(always)]
            fn quotient_all<const N: usize>(
                u: &[$float; N],
                x: &$float,
                v: &[$float; N],
                inverse: &$float,
            ) -> [$float; N] {
                let ratio = x * inverse;
                if ratio.is_ordinary() {
                    from_fn(|i| (u[i] - ratio * v[i]) * inverse)
                } else {
                    cold_path();
                    exact_sums(*u, *inverse, *v, -(ratio * inverse))
                }
            }
        }
    };
}

/// Numbers that are bits.
pub(crate) trait Float: Semiring + Copy + PartialEq {
    /// Whether it is neither 0 nor infinite nor NaN. Multiples by such numbers have exact zeros as IEEE products, and where
    /// the product of two numbers is ordinary, so are both.
    fn is_ordinary(self) -> bool;
}

real!(f64 u64);
real!(f32 u32);

#[inline(always)]
fn exact_product<R: Float>(u: R, a: R) -> R {
    if (u == R::zero()) | (a == R::zero()) { R::zero() } else { a.mul(&u) }
}

/// A loop, because the compiler does not inline the closures of `from_fn` where it is cold.
#[inline(always)]
fn exact_products<R: Float, const N: usize>(u: [R; N], a: R) -> [R; N] {
    let mut products = u;
    for product in &mut products {
        *product = exact_product(*product, a);
    }
    products
}

/// A loop, as above.
#[inline(always)]
fn exact_sums<R: Float, const N: usize>(u: [R; N], a: R, v: [R; N], b: R) -> [R; N] {
    let mut sums = u;
    for (sum, v) in sums.iter_mut().zip(&v) {
        *sum = exact_product(*sum, a).add(&exact_product(*v, b));
    }
    sums
}
