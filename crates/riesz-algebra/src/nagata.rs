//! Nagata numbers: `(f, df) · (g, dg) = (f · g, f • dg + g • df)`.   [000 §3.2, Theorem 1]
//!
//! A value and its gradient as one number. The gradient may live in any module over the values: the values themselves
//! (dual numbers, the `D` of [001 §5]), `[f64; N]` for several partial derivatives at once, or Nagata numbers again for
//! second derivatives.

use core::array::from_fn;

use crate::module::{Module, Scalar};
use crate::semiring::{Monoid, Ring, Semiring};

/// A value of `D` and its gradient in the `D`-module `E`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nagata<D, E> {
    /// The value.
    pub primal: D,
    /// The gradient.
    pub tangent: E,
}

impl<D: Semiring, E: Module<D>> Nagata<D, E> {
    /// A value that does not vary.
    pub fn constant(primal: D) -> Self {
        Nagata { primal, tangent: E::of_constants() }
    }
}

impl<D: Scalar, const N: usize> Nagata<D, [D; N]> {
    /// Numbers that vary, each with the gradient that is 1 in itself.
    #[inline(always)]
    pub fn variables(primals: [D; N]) -> [Self; N] {
        let identity = D::identity();
        from_fn(|v| Nagata { primal: primals[v].clone(), tangent: identity[v].clone() })
    }
}

impl<D: Semiring, E: Module<D>> Monoid for Nagata<D, E> {
    #[inline(always)]
    fn zero() -> Self {
        Nagata::constant(D::zero())
    }
    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Nagata { primal: self.primal.add(&other.primal), tangent: self.tangent.add(&other.tangent) }
    }
}

// ANCHOR: semiring
impl<D: Semiring, E: Module<D>> Semiring for Nagata<D, E> {
    #[inline(always)]
    fn one() -> Self {
        Nagata::constant(D::one())
    }
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Nagata {
            primal: self.primal.mul(&other.primal),
            tangent: E::combine(&other.tangent, &self.primal, &self.tangent, &other.primal),
        }
    }
}
// ANCHOR_END: semiring

/// `−(f, df) = (−f, (−1) • df)`
impl<D: Ring, E: Module<D>> Ring for Nagata<D, E> {
    #[inline(always)]
    fn neg(&self) -> Self {
        Nagata { primal: self.primal.neg(), tangent: self.tangent.scale(&D::one().neg()) }
    }
    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Nagata { primal: self.primal.sub(&other.primal), tangent: E::difference(&self.tangent, &other.tangent) }
    }
}

/// Nagata numbers over themselves, for derivatives of derivatives: the product, with the exact zeros of `D` and `E`.
impl<D: Module<D> + Semiring, E: Module<D>> Module<Nagata<D, E>> for Nagata<D, E> {
    #[inline(always)]
    fn scale(&self, factor: &Self) -> Self {
        Nagata {
            primal: self.primal.scale(&factor.primal),
            tangent: self.tangent.scale(&factor.primal).add(&factor.tangent.scale(&self.primal)),
        }
    }
}
