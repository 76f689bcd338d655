//! Linear maps as their values at the basis: `u ⊸ v = Basis u → v`, stored as data.   [001 §9, §11.2]

use alloc::string::String;
use core::fmt::{self, Debug, Formatter};

use super::{HasBasis, HasTrie, InnerSpace, VectorSpace};
use crate::finite::{Either, Finite};
use crate::law::equal;
use crate::module::Module;
use crate::semiring::Monoid;

// ANCHOR: linear_map
/// A linear map from `U` to `V`.
pub struct LinearMap<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> {
    columns: <U::Basis as HasTrie>::Trie<V>,
}
// ANCHOR_END: linear_map

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> LinearMap<U, V> {
    /// The map that a function is, which must be linear. It is called once for each vector of the basis.
    pub fn linear(mut f: impl FnMut(&U) -> V) -> Self {
        LinearMap::of_columns(|b| f(&U::basis_value(b)))
    }

    /// The map with these values at the basis.
    pub fn of_columns(mut f: impl FnMut(&U::Basis) -> V) -> Self {
        LinearMap { columns: U::Basis::trie(&mut f) }
    }

    /// The values at the basis, in the shape of `U`.
    pub fn columns(&self) -> &<U::Basis as HasTrie>::Trie<V> {
        &self.columns
    }

    /// The value at a vector of the basis.
    pub fn column(&self, b: &U::Basis) -> &V {
        b.untrie(&self.columns)
    }

    /// The value at a vector.
    pub fn apply(&self, u: &U) -> V {
        U::Basis::all().fold(V::zero(), |sum, b| sum.add(&self.column(&b).scale(&u.coordinate(&b))))
    }

    /// This map, then the other.
    pub fn then<W: VectorSpace<Scalar = U::Scalar>>(&self, other: &LinearMap<V, W>) -> LinearMap<U, W>
    where
        V: HasBasis,
    {
        LinearMap::of_columns(|b| other.apply(self.column(b)))
    }

    /// `u ↦ (f u, g u)`   [001 §9: `⋆`]
    pub fn fork<W: VectorSpace<Scalar = U::Scalar>>(&self, other: &LinearMap<U, W>) -> LinearMap<U, (V, W)> {
        LinearMap::of_columns(|b| (self.column(b).clone(), other.column(b).clone()))
    }

    /// `(u, w) ↦ f u + g w`   [001 §9: `⋄`]
    pub fn join<W: HasBasis<Scalar = U::Scalar>>(&self, other: &LinearMap<W, V>) -> LinearMap<(U, W), V> {
        LinearMap::of_columns(|b| match b {
            Either::Left(b) => self.column(b).clone(),
            Either::Right(b) => other.column(b).clone(),
        })
    }

    /// The map with `f u · v = u · adjoint f v`, where the basis of `U` is orthonormal.
    pub fn adjoint(&self) -> LinearMap<V, U>
    where
        V: InnerSpace + HasBasis,
    {
        LinearMap::linear(|v: &V| U::from_coordinates(|b| self.column(b).dot(v)))
    }
}

impl<U: HasBasis> LinearMap<U, U> {
    /// `u ↦ u`
    pub fn identity() -> Self {
        LinearMap::of_columns(U::basis_value)
    }
}

impl<U: HasBasis> LinearMap<U, U::Scalar>
where
    U::Scalar: VectorSpace<Scalar = U::Scalar>,
{
    /// The vector `g` with `f u = g · u`, where the basis is orthonormal: Riesz's theorem.
    pub fn gradient(&self) -> U {
        U::from_coordinates(|b| self.column(b).clone())
    }
}

/// The laws of linear maps, at two scalars' worth of maps and two vectors.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn linear_map_laws<U, V, W>(
    (f, g): (&LinearMap<U, V>, &LinearMap<V, W>),
    (c, u, v): (&U::Scalar, &U, &U),
) -> Result<(), String>
where
    U: HasBasis + InnerSpace + PartialEq + Debug,
    V: HasBasis<Scalar = U::Scalar> + InnerSpace + PartialEq + Debug,
    W: VectorSpace<Scalar = U::Scalar> + PartialEq + Debug,
    U::Scalar: PartialEq + Debug,
{
    equal("f (u + v) = f u + f v", &f.apply(&u.add(v)), &f.apply(u).add(&f.apply(v)))?;
    equal("f (c • u) = c • f u", &f.apply(&u.scale(c)), &f.apply(u).scale(c))?;
    equal("linear (apply f) = f", &LinearMap::linear(|u| f.apply(u)), f)?;
    equal("(g ∘ f) u = g (f u)", &f.then(g).apply(u), &g.apply(&f.apply(u)))?;
    equal("f ∘ identity = f", &LinearMap::identity().then(f), f)?;
    equal("identity ∘ f = f", &f.then(&LinearMap::identity()), f)?;
    equal("(f ⋆ f) u = (f u, f u)", &f.fork(f).apply(u), &(f.apply(u), f.apply(u)))?;
    equal("(f ⋄ f) (u, v) = f u + f v", &f.join(f).apply(&(u.clone(), v.clone())), &f.apply(u).add(&f.apply(v)))?;
    let w = f.apply(v);
    equal("f u · w = u · adjoint f w", &f.apply(u).dot(&w), &u.dot(&f.adjoint().apply(&w)))
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Clone for LinearMap<U, V> {
    fn clone(&self) -> Self {
        LinearMap { columns: self.columns.clone() }
    }
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar> + PartialEq> PartialEq for LinearMap<U, V> {
    fn eq(&self, other: &Self) -> bool {
        U::Basis::all().all(|b| self.column(&b) == other.column(&b))
    }
}

/// The columns.
impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar> + Debug> Debug for LinearMap<U, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(U::Basis::all().map(|b| self.column(&b).clone())).finish()
    }
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Monoid for LinearMap<U, V> {
    fn zero() -> Self {
        LinearMap::of_columns(|_| V::zero())
    }
    fn add(&self, other: &Self) -> Self {
        LinearMap { columns: U::Basis::zip(&self.columns, &other.columns, &mut |f, g| f.add(g)) }
    }
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Module<U::Scalar> for LinearMap<U, V> {
    fn scale(&self, factor: &U::Scalar) -> Self {
        LinearMap { columns: U::Basis::map(&self.columns, &mut |f| f.scale(factor)) }
    }
}

/// Linear maps are vectors, so that there are maps to maps: derivatives of derivatives.
impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> VectorSpace for LinearMap<U, V> {
    type Scalar = U::Scalar;
}

impl<U: HasBasis, V: InnerSpace<Scalar = U::Scalar>> InnerSpace for LinearMap<U, V> {
    fn dot(&self, other: &Self) -> U::Scalar {
        U::Basis::all().fold(U::Scalar::zero(), |sum, b| sum.add(&self.column(&b).dot(other.column(&b))))
    }
}

impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> HasBasis for LinearMap<U, V> {
    type Basis = (U::Basis, V::Basis);
    fn basis_value((b, c): &Self::Basis) -> Self {
        LinearMap::of_columns(|at| if at == b { V::basis_value(c) } else { V::zero() })
    }
    fn coordinate(&self, (b, c): &Self::Basis) -> U::Scalar {
        self.column(b).coordinate(c)
    }
}
