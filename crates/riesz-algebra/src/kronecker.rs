//! Kronecker's delta: `delta v` is the gradient that is one in the variable `v` and zero in all others.   [000 §3.3]

use crate::finite::{Below, Finite};
use crate::module::{Module, Scalar};
use crate::semiring::Semiring;

#[cfg(feature = "alloc")]
use crate::law::equal;
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use core::fmt::Debug;

/// Gradients in the variables `V` with coefficients in `D`.
pub trait Kronecker<V, D: Semiring>: Module<D> {
    /// One in `v`, zero elsewhere.
    fn delta(v: &V) -> Self;

    /// `factor • delta v`   [000 eq. (1)]
    #[inline]
    fn multiple(factor: &D, v: &V) -> Self {
        Self::delta(v).scale(factor)
    }

    /// `self + factor • delta v`   [000 eq. (2)]
    #[inline]
    fn insert(self, factor: &D, v: &V) -> Self {
        self.add(&Self::multiple(factor, v))
    }

    /// Makes `self` the sum with `factor • delta v`. What is long grows in place.
    #[inline]
    fn add_multiple(&mut self, factor: &D, v: &V) {
        self.accumulate(Self::multiple(factor, v));
    }
}

/// That the short ways to a delta are short ways.
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn kronecker_laws<V, D, E>(d: &D, v: &V, e: &E) -> Result<(), String>
where
    D: Semiring,
    E: Kronecker<V, D> + PartialEq + Debug,
{
    equal("multiple d v = d • delta v", &E::multiple(d, v), &E::delta(v).scale(d))?;
    equal("insert e d v = e + d • delta v", &e.clone().insert(d, v), &e.add(&E::delta(v).scale(d)))?;
    let grown = {
        let mut sum = E::delta(v);
        sum.add_multiple(d, v);
        sum
    };
    equal("e += d • delta v makes it e + d • delta v", &grown, &E::delta(v).insert(d, v))
}

/// One variable: the dual numbers `Nagata<D, D>` of [000 §2.3].
impl<D: Scalar> Kronecker<(), D> for D {
    #[inline]
    fn delta((): &()) -> D {
        D::one()
    }
    #[inline]
    fn multiple(factor: &D, (): &()) -> D {
        factor.clone()
    }
}

/// A number for each of `N` variables.
impl<D: Scalar, const N: usize> Kronecker<Below<N>, D> for [D; N] {
    #[inline]
    fn delta(v: &Below<N>) -> [D; N] {
        core::array::from_fn(|i| if i == v.index() { D::one() } else { D::zero() })
    }
    #[inline]
    fn insert(mut self, factor: &D, v: &Below<N>) -> [D; N] {
        self[v.index()] = self[v.index()].add(factor);
        self
    }
}
