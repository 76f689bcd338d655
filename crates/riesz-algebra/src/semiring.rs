//! Commutative semirings: `(D, +, 0)` and `(D, ·, 1)` are commutative monoids, `·` distributes over `+`, and `0`
//! annihilates.   [000 §2.1, Fig. 1]
//!
//! Each semiring has one file. A derivative over another semiring answers another question:
//!
//! | semiring | meaning of the derivative of a sum of products |
//! |---|---|
//! | [`f64`], [`f32`] | how fast the value changes |
//! | `Wrapping<i64>`, … | the same, exactly |
//! | [`bool`] | which inputs matter |
//! | [`Tropical`] | the cost of the best choice that uses an input |
//! | [`Interval`] | bounds on how fast the value changes over a range |
//! | [`Polynomial`] | the derivative at every point, as a formula |
//! | [`Expr`](crate::expression::Expr) | the same, not expanded |

#[cfg(feature = "alloc")]
use crate::law::equal;
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use core::fmt::Debug;

mod boolean;
mod integer;
mod interval;
#[cfg(feature = "alloc")]
mod polynomial;
pub(crate) mod real;
mod tropical;

pub use interval::Interval;
#[cfg(feature = "alloc")]
pub use interval::interval_laws;
#[cfg(feature = "alloc")]
pub use polynomial::{Monomial, Polynomial};
pub use tropical::Tropical;

/// Values with sums.
pub trait Monoid: Clone {
    /// `0`
    fn zero() -> Self;
    /// `self + other`
    fn add(&self, other: &Self) -> Self;
    /// Makes `self` the sum. What is long grows in place.
    #[inline]
    fn accumulate(&mut self, other: Self) {
        *self = self.add(&other);
    }
}

/// Values with sums and products.
pub trait Semiring: Monoid {
    /// `1`
    fn one() -> Self;
    /// `self · other`
    fn mul(&self, other: &Self) -> Self;
    /// Is told how many numbers were copied from one vector into another, for numbers that count what is done with them.
    #[inline]
    fn copied(_numbers: usize) {}
}

/// Values with differences too.
pub trait Ring: Semiring {
    /// `−self`
    fn neg(&self) -> Self;
    /// `self − other`
    #[inline]
    fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }
}

/// The laws of a commutative monoid, at three values.
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn monoid_laws<E: Monoid + PartialEq + Debug>(u: &E, v: &E, w: &E) -> Result<(), String> {
    let accumulated = {
        let mut sum = u.clone();
        sum.accumulate(v.clone());
        sum
    };
    equal("a + 0 = a", &u.add(&E::zero()), u)?;
    equal("a + b = b + a", &u.add(v), &v.add(u))?;
    equal("a + (b + c) = (a + b) + c", &u.add(&v.add(w)), &u.add(v).add(w))?;
    equal("a += b makes it a + b", &accumulated, &u.add(v))
}

/// The laws of a commutative semiring, at three values.
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn semiring_laws<S: Semiring + PartialEq + Debug>(a: &S, b: &S, c: &S) -> Result<(), String> {
    let (zero, one) = (S::zero(), S::one());
    monoid_laws(a, b, c)?;
    equal("a · 1 = a", &a.mul(&one), a)?;
    equal("a · b = b · a", &a.mul(b), &b.mul(a))?;
    equal("a · (b · c) = (a · b) · c", &a.mul(&b.mul(c)), &a.mul(b).mul(c))?;
    equal("a · (b + c) = a · b + a · c", &a.mul(&b.add(c)), &a.mul(b).add(&a.mul(c)))?;
    equal("0 · a = 0", &zero.mul(a), &zero)
}

/// The laws of differences, at two values.
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn ring_laws<S: Ring + PartialEq + Debug>(a: &S, b: &S) -> Result<(), String> {
    equal("a + (−a) = 0", &a.add(&a.neg()), &S::zero())?;
    equal("a − b = a + (−b)", &a.sub(b), &a.add(&b.neg()))
}

/// The laws of a homomorphism of semirings, at two values.   [000 Def. 2]
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn homomorphism_laws<S, T>(h: impl Fn(&S) -> T, a: &S, b: &S) -> Result<(), String>
where
    S: Semiring,
    T: Semiring + PartialEq + Debug,
{
    equal("h 0 = 0", &h(&S::zero()), &T::zero())?;
    equal("h 1 = 1", &h(&S::one()), &T::one())?;
    equal("h (a + b) = h a + h b", &h(&a.add(b)), &h(a).add(&h(b)))?;
    equal("h (a · b) = h a · h b", &h(&a.mul(b)), &h(a).mul(&h(b)))
}
