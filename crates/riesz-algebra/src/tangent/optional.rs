//! Gradients that may be absent, which means zero without any computation.   [001 §7]
//!
//! `Nagata<D, Optional<D>>` is the optimised number of the paper: a constant has no derivative, and operations on
//! constants cost the same as without derivatives.

use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::{Monoid, Semiring};
use crate::tangent::{CorrectAd, Dense};

/// A gradient, or nothing where it is zero.
#[derive(Clone, Debug)]
pub struct Optional<E>(pub Option<E>);

/// An absent vector equals a present one that is zero.
impl<E: Monoid + PartialEq> PartialEq for Optional<E> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => a == b,
            (Some(one), None) | (None, Some(one)) => *one == E::zero(),
            (None, None) => true,
        }
    }
}

impl<E: Monoid> Monoid for Optional<E> {
    fn zero() -> Self {
        Optional(None)
    }
    fn add(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Optional(Some(a.add(b))),
            (one, None) | (None, one) => Optional(one.clone()),
        }
    }
}

impl<D: Semiring, E: Module<D>> Module<D> for Optional<E> {
    fn scale(&self, factor: &D) -> Self {
        Optional(self.0.as_ref().map(|gradient| gradient.scale(factor)))
    }
}

impl<V, D: Semiring, E: Kronecker<V, D>> Kronecker<V, D> for Optional<E> {
    fn delta(v: &V) -> Self {
        Optional(Some(E::delta(v)))
    }
    fn multiple(factor: &D, v: &V) -> Self {
        Optional(Some(E::multiple(factor, v)))
    }
    fn insert(self, factor: &D, v: &V) -> Self {
        Optional(Some(self.0.unwrap_or_else(E::zero).insert(factor, v)))
    }
}

impl<V, D: Scalar, E: CorrectAd<V, D>> CorrectAd<V, D> for Optional<E> {
    fn rep(dense: &Dense<V, D>) -> Self {
        Optional(Some(E::rep(dense)))
    }
    fn abs(&self) -> Dense<V, D> {
        self.0.as_ref().map_or_else(Dense::zero, E::abs)
    }
}
