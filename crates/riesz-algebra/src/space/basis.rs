//! A basis for each space: `v = Σ_b coordinate v b • basis_value b`.   [001 §11.1]

use alloc::string::String;
use core::fmt::Debug;
use core::num::Wrapping;

use super::{HasTrie, VectorSpace};
use crate::finite::{Below, Either, Finite};
use crate::law::equal;
use crate::real::Real;
use crate::semiring::{Monoid, Semiring};

/// A space with a basis that is known to the compiler.
pub trait HasBasis: VectorSpace {
    /// The names of the vectors of the basis.
    type Basis: HasTrie;
    /// The vector itself.
    fn basis_value(b: &Self::Basis) -> Self;
    /// How much of it is in a vector.
    fn coordinate(&self, b: &Self::Basis) -> Self::Scalar;

    /// The vector with these coordinates.
    fn from_coordinates(mut f: impl FnMut(&Self::Basis) -> Self::Scalar) -> Self {
        Self::Basis::all().fold(Self::zero(), |sum, b| sum.add(&Self::basis_value(&b).scale(&f(&b))))
    }
}

/// The laws of a basis, at a vector.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn basis_laws<V: HasBasis + PartialEq + Debug>(v: &V) -> Result<(), String>
where
    V::Scalar: PartialEq + Debug,
{
    equal("v = Σ coordinate v b • basis_value b", &V::from_coordinates(|b| v.coordinate(b)), v)?;
    for b in V::Basis::all() {
        for c in V::Basis::all() {
            let delta = if b == c { V::Scalar::one() } else { V::Scalar::zero() };
            equal("coordinate (basis_value b) c = delta b c", &V::basis_value(&b).coordinate(&c), &delta)?;
        }
    }
    Ok(())
}

impl<D: Real + 'static> HasBasis for D {
    type Basis = ();
    fn basis_value((): &()) -> D {
        D::one()
    }
    fn coordinate(&self, (): &()) -> D {
        self.clone()
    }
}

impl HasBasis for Wrapping<i64> {
    type Basis = ();
    fn basis_value((): &()) -> Self {
        Self(1)
    }
    fn coordinate(&self, (): &()) -> Self {
        *self
    }
}

impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> HasBasis for (U, V) {
    type Basis = Either<U::Basis, V::Basis>;
    fn basis_value(b: &Self::Basis) -> Self {
        match b {
            Either::Left(b) => (U::basis_value(b), V::zero()),
            Either::Right(b) => (U::zero(), V::basis_value(b)),
        }
    }
    fn coordinate(&self, b: &Self::Basis) -> U::Scalar {
        match b {
            Either::Left(b) => self.0.coordinate(b),
            Either::Right(b) => self.1.coordinate(b),
        }
    }
}

impl<V: HasBasis, const N: usize> HasBasis for [V; N] {
    type Basis = (Below<N>, V::Basis);
    fn basis_value((at, b): &Self::Basis) -> Self {
        Below::array(|i| if i == *at { V::basis_value(b) } else { V::zero() })
    }
    fn coordinate(&self, (at, b): &Self::Basis) -> V::Scalar {
        self[at.get()].coordinate(b)
    }
}
