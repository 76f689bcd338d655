//! Vector spaces, and the linear maps between them.   [001 §9, §11]
//!
//! ```
//! use riesz_algebra::space::LinearMap;
//!
//! // the linear map (x, y) ↦ [x + 2 y, 3 x], sampled at the basis once and for all
//! let map = LinearMap::linear(|&(x, y): &(f64, f64)| [x + 2.0 * y, 3.0 * x]);
//! assert_eq!(map.apply(&(10.0, 1.0)), [12.0, 30.0]);
//! // its columns have the shape of the domain: a pair of vectors, the Jacobian
//! assert_eq!(map.columns(), &([1.0, 3.0], [2.0, 0.0]));
//! ```

mod basis;
mod map;
mod trie;

pub use basis::{HasBasis, basis_laws};
pub use map::{LinearMap, linear_map_laws};
pub use trie::{HasTrie, trie_laws};

use alloc::string::String;
use core::fmt::Debug;
use core::num::Wrapping;

use crate::law::equal;
use crate::module::Module;
use crate::real::Real;
use crate::semiring::{Monoid, Ring, Semiring};

/// A vector space over its scalars.
pub trait VectorSpace: Module<Self::Scalar> + 'static {
    /// The numbers by which vectors are multiplied.
    type Scalar: Ring + Module<Self::Scalar> + 'static;

    /// `−u`
    fn negate(&self) -> Self {
        self.scale(&Self::Scalar::one().neg())
    }

    /// `u − v`
    fn minus(&self, other: &Self) -> Self {
        self.add(&other.negate())
    }

    /// `u + t • (v − u)`: `u` at 0, `v` at 1
    fn interpolate(&self, other: &Self, t: &Self::Scalar) -> Self {
        self.add(&other.minus(self).scale(t))
    }
}

/// A vector space with lengths and angles.
pub trait InnerSpace: VectorSpace {
    /// `u · v`
    fn dot(&self, other: &Self) -> Self::Scalar;
}

/// The laws of a vector space beyond those of a module, at two vectors.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn vector_space_laws<V: VectorSpace + PartialEq + Debug>(u: &V, v: &V) -> Result<(), String> {
    equal("u − u = 0", &u.minus(u), &V::zero())?;
    equal("u + (v − u) = v", &u.add(&v.minus(u)), v)?;
    equal("interpolate u v 0 = u", &u.interpolate(v, &V::Scalar::zero()), u)?;
    equal("interpolate u v 1 = v", &u.interpolate(v, &V::Scalar::one()), v)
}

/// The laws of an inner product, at a scalar and three vectors.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn inner_space_laws<V>(c: &V::Scalar, u: &V, v: &V, w: &V) -> Result<(), String>
where
    V: InnerSpace,
    V::Scalar: PartialEq + Debug,
{
    equal("u · v = v · u", &u.dot(v), &v.dot(u))?;
    equal("(u + v) · w = u · w + v · w", &u.add(v).dot(w), &u.dot(w).add(&v.dot(w)))?;
    equal("(c • u) · v = c · (u · v)", &u.scale(c).dot(v), &c.mul(&u.dot(v)))
}

/// Numbers are a space of one dimension over themselves.
impl<D: Real + 'static> VectorSpace for D {
    type Scalar = D;
}

impl<D: Real + 'static> InnerSpace for D {
    fn dot(&self, other: &D) -> D {
        self.mul(other)
    }
}

/// Integers are no field, but all that is needed here holds.
impl VectorSpace for Wrapping<i64> {
    type Scalar = Self;
}

impl InnerSpace for Wrapping<i64> {
    fn dot(&self, other: &Self) -> Self {
        self * other
    }
}

impl<U: VectorSpace, V: VectorSpace<Scalar = U::Scalar>> VectorSpace for (U, V) {
    type Scalar = U::Scalar;
}

impl<U: InnerSpace, V: InnerSpace<Scalar = U::Scalar>> InnerSpace for (U, V) {
    fn dot(&self, other: &Self) -> U::Scalar {
        self.0.dot(&other.0).add(&self.1.dot(&other.1))
    }
}

impl<V: VectorSpace, const N: usize> VectorSpace for [V; N] {
    type Scalar = V::Scalar;
}

impl<V: InnerSpace, const N: usize> InnerSpace for [V; N] {
    fn dot(&self, other: &Self) -> V::Scalar {
        self.iter().zip(other).fold(V::Scalar::zero(), |sum, (u, v)| sum.add(&u.dot(v)))
    }
}
