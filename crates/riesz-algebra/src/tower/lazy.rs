//! Towers of derivatives, `u ▷* v = (v, u ▷* (u ⊸ v))`: a value, its derivative, which is a linear map, the derivative of
//! that, which is a linear map to linear maps, and so on.   [001 §10.6]
//!
//! A tower of vectors is a vector of towers of numbers, and those are [`Stream`]s in the basis of `u`: lazy, with each
//! derivative computed once, and none if it is zero.
//!
//! ```
//! use riesz_algebra::tower::Tower;
//!
//! // x² y at (3, 5)
//! let f = Tower::<(f64, f64), f64>::sample(&(3.0, 5.0), |(x, y)| x.clone() * x.clone() * y.clone());
//! let (first, second) = (f.derivative(), f.derivative().derivative());
//! assert_eq!((f.value(), first.value().gradient()), (45.0, (30.0, 9.0)));
//! assert_eq!(second.value().apply(&(1.0, 10.0)).gradient(), (70.0, 6.0));
//! assert!(second.derivative().derivative().is_constant());
//! ```

use core::fmt::{self, Debug, Formatter};

use crate::finite::{Either, Finite};
use crate::module::Module;
use crate::order::Stream;
use crate::semiring::{Monoid, Semiring};
use crate::space::{HasBasis, HasTrie, LinearMap, VectorSpace};

/// The towers of the coordinates of a vector.
type Coordinates<U, V> =
    <<V as HasBasis>::Basis as HasTrie>::Trie<Stream<<U as HasBasis>::Basis, <U as VectorSpace>::Scalar>>;

/// A value and its derivatives of every order.
pub struct Tower<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> {
    coordinates: Coordinates<U, V>,
}

impl<U: HasBasis> Tower<U, U> {
    /// The identity at a point: the value itself, the derivative `u ↦ u`, and no others.
    pub fn identity(at: &U) -> Self {
        Tower::of_coordinates(|b: &U::Basis| Stream::variable(b.clone(), at.coordinate(b)))
    }
}

impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> Tower<U, V> {
    /// The tower of a function at a point. The function is written in the coordinates, which are numbers of type
    /// [`Stream`].
    pub fn sample(at: &U, f: impl FnOnce(&Coordinates<U, U>) -> Coordinates<U, V>) -> Self {
        Tower { coordinates: f(&Tower::identity(at).coordinates) }
    }

    /// A value that does not vary.
    pub fn constant(value: &V) -> Self {
        Tower::of_coordinates(|b| Stream::constant(value.coordinate(b)))
    }

    /// The value.
    pub fn value(&self) -> V {
        V::from_coordinates(|b| b.untrie(&self.coordinates).value().clone())
    }

    /// The derivative, with all of its own.
    pub fn derivative(&self) -> Tower<U, LinearMap<U, V>> {
        Tower::of_coordinates(|(b, c): &(U::Basis, V::Basis)| c.untrie(&self.coordinates).derivative(b))
    }

    /// Whether the derivative is absent: zero, without having been computed.
    pub fn is_constant(&self) -> bool {
        let mut coordinates = V::Basis::all().map(|c| c.untrie(&self.coordinates).clone());
        coordinates.all(|stream| U::Basis::all().all(|b| stream.derivative_unless_zero(&b).is_none()))
    }

    /// The chain rule for a function that is written in the coordinates.
    pub fn map<W: HasBasis<Scalar = U::Scalar>>(
        &self,
        f: impl FnOnce(&Coordinates<U, V>) -> Coordinates<U, W>,
    ) -> Tower<U, W> {
        Tower { coordinates: f(&self.coordinates) }
    }

    /// The chain rule for a linear map.
    pub fn map_linear<W: HasBasis<Scalar = U::Scalar>>(&self, map: &LinearMap<V, W>) -> Tower<U, W> {
        Tower::of_coordinates(|c| {
            V::Basis::all().fold(Stream::zero(), |sum, b| {
                let coefficient = Stream::constant(map.column(&b).coordinate(c));
                sum.add(&b.untrie(&self.coordinates).scale(&coefficient))
            })
        })
    }

    /// The product rule, for a product that is linear in both factors, such as that of a number and a vector, or of two
    /// matrices.
    pub fn multiply<W, X>(&self, other: &Tower<U, W>, product: impl Fn(&V, &W) -> X) -> Tower<U, X>
    where
        W: HasBasis<Scalar = U::Scalar>,
        X: HasBasis<Scalar = U::Scalar>,
    {
        Tower::of_coordinates(|at| {
            let mut sum = Stream::zero();
            for b in V::Basis::all() {
                for c in W::Basis::all() {
                    let constant = product(&V::basis_value(&b), &W::basis_value(&c)).coordinate(at);
                    let term = b.untrie(&self.coordinates).mul(c.untrie(&other.coordinates));
                    sum = sum.add(&term.scale(&Stream::constant(constant)));
                }
            }
            sum
        })
    }

    /// Both values together: `⋆`.
    pub fn pair<W: HasBasis<Scalar = U::Scalar>>(&self, other: &Tower<U, W>) -> Tower<U, (V, W)> {
        Tower::of_coordinates(|b: &Either<V::Basis, W::Basis>| match b {
            Either::Left(b) => b.untrie(&self.coordinates).clone(),
            Either::Right(b) => b.untrie(&other.coordinates).clone(),
        })
    }

    fn of_coordinates(mut f: impl FnMut(&V::Basis) -> Stream<U::Basis, U::Scalar>) -> Self {
        Tower { coordinates: V::Basis::trie(&mut f) }
    }
}

impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> Clone for Tower<U, V> {
    fn clone(&self) -> Self {
        Tower { coordinates: self.coordinates.clone() }
    }
}

/// The value, and that there is more.
impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar> + Debug> Debug for Tower<U, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} :< …", self.value())
    }
}

/// Towers are vectors of vectors.
impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> Monoid for Tower<U, V> {
    fn zero() -> Self {
        Tower::of_coordinates(|_| Stream::zero())
    }
    fn add(&self, other: &Self) -> Self {
        Tower { coordinates: V::Basis::zip(&self.coordinates, &other.coordinates, &mut |a, b| a.add(b)) }
    }
}

impl<U: HasBasis, V: HasBasis<Scalar = U::Scalar>> Module<Stream<U::Basis, U::Scalar>> for Tower<U, V> {
    fn scale(&self, factor: &Stream<U::Basis, U::Scalar>) -> Self {
        Tower { coordinates: V::Basis::map(&self.coordinates, &mut |a| a.scale(factor)) }
    }
}
