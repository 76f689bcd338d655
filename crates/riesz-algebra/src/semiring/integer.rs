//! Integers modulo a power of two: rings in which every law holds exactly.
//!
//! ```
//! use core::num::Wrapping;
//! use riesz_algebra::expression::{Expr, abstract_derivative};
//! use riesz_algebra::Nagata;
//! use riesz_algebra::tangent::Sparse;
//!
//! // x (x + 1) (x + x) at 5, and its derivative there   [000 §5.1]
//! let x = Expr::variable("x");
//! let f = x.clone() * ((x.clone() + Expr::one()) * (x.clone() + x));
//! let at: Nagata<Wrapping<i64>, Sparse<_, Wrapping<i64>>> = abstract_derivative(|_| Wrapping(5), &f);
//! assert_eq!((at.primal, at.tangent.get(&"x")), (Wrapping(300), Wrapping(170)));
//! # use riesz_algebra::Semiring;
//! ```

use core::num::Wrapping;

use crate::module::Module;
use crate::semiring::{Monoid, Ring, Semiring};

macro_rules! integer {
    ($($integer:ident)*) => {$(
        impl Monoid for Wrapping<$integer> {
            #[inline]
            fn zero() -> Self {
                Self(0)
            }
            #[inline]
            fn add(&self, other: &Self) -> Self {
                self + other
            }
        }

        impl Semiring for Wrapping<$integer> {
            #[inline]
            fn one() -> Self {
                Self(1)
            }
            #[inline]
            fn mul(&self, other: &Self) -> Self {
                self * other
            }
        }

        impl Ring for Wrapping<$integer> {
            #[inline]
            fn neg(&self) -> Self {
                -self
            }
        }

        impl Module<Self> for Wrapping<$integer> {
            #[inline]
            fn scale(&self, factor: &Self) -> Self {
                factor * self
            }
        }
    )*};
}

integer!(i32 u32 i64 u64 i128 u128);
