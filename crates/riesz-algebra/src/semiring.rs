//! Commutative semirings: `(D, +, 0)` and `(D, ·, 1)` are commutative monoids, `·` distributes over `+`, and `0`
//! annihilates.   [000 §2.1, Fig. 1]

use std::fmt::Debug;

use crate::law::equal;

/// Values with sums.
pub trait Monoid: Clone {
    /// `0`
    fn zero() -> Self;
    /// `self + other`
    fn add(&self, other: &Self) -> Self;
}

/// Values with sums and products.
pub trait Semiring: Monoid {
    /// `1`
    fn one() -> Self;
    /// `self · other`
    fn mul(&self, other: &Self) -> Self;
}

/// Values with differences too.
pub trait Ring: Semiring {
    /// `−self`
    fn neg(&self) -> Self;
    /// `self − other`
    fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }
}

/// The laws of a commutative semiring, at three values.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn semiring_laws<S: Semiring + PartialEq + Debug>(a: &S, b: &S, c: &S) -> Result<(), String> {
    let (zero, one) = (S::zero(), S::one());
    equal("a + 0 = a", &a.add(&zero), a)?;
    equal("a + b = b + a", &a.add(b), &b.add(a))?;
    equal("a + (b + c) = (a + b) + c", &a.add(&b.add(c)), &a.add(b).add(c))?;
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
pub fn ring_laws<S: Ring + PartialEq + Debug>(a: &S, b: &S) -> Result<(), String> {
    equal("a + (−a) = 0", &a.add(&a.neg()), &S::zero())?;
    equal("a − b = a + (−b)", &a.sub(b), &a.add(&b.neg()))
}

/// Real numbers, up to rounding: sums and products as in IEEE 754, where `0 · inf` is NaN.
impl Monoid for f64 {
    fn zero() -> f64 {
        0.0
    }
    fn add(&self, other: &f64) -> f64 {
        self + other
    }
}

impl Semiring for f64 {
    fn one() -> f64 {
        1.0
    }
    fn mul(&self, other: &f64) -> f64 {
        self * other
    }
}

impl Ring for f64 {
    fn neg(&self) -> f64 {
        -self
    }
    fn sub(&self, other: &f64) -> f64 {
        self - other
    }
}

/// Truth values: `+` is "or", `·` is "and".
impl Monoid for bool {
    fn zero() -> bool {
        false
    }
    fn add(&self, other: &bool) -> bool {
        *self || *other
    }
}

impl Semiring for bool {
    fn one() -> bool {
        true
    }
    fn mul(&self, other: &bool) -> bool {
        *self && *other
    }
}

/// Integers modulo 2⁶⁴: a ring in which every law holds exactly.
impl Monoid for std::num::Wrapping<i64> {
    fn zero() -> Self {
        Self(0)
    }
    fn add(&self, other: &Self) -> Self {
        self + other
    }
}

impl Semiring for std::num::Wrapping<i64> {
    fn one() -> Self {
        Self(1)
    }
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
}

impl Ring for std::num::Wrapping<i64> {
    fn neg(&self) -> Self {
        -self
    }
}
