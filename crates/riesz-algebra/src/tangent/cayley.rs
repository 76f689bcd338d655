//! Functions `E → E` that add something: `0 = id`, `f + g = g ∘ f`, `delta v e = e + delta v`.   [000 §5.2]
//!
//! A sum is a composition, which takes constant time; the terms are inserted into one `E` when the function runs.

use core::fmt::{self, Debug, Formatter};
use core::marker::PhantomData;

use crate::finite::Finite;
use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::Monoid;
use crate::tangent::rope::Rope;
use crate::tangent::{CorrectAd, Dense};

/// A function that adds something to gradients of type `E`.
pub struct Cayley<V, D, E> {
    insertions: Rope<(V, D)>,
    gradient: PhantomData<fn(E) -> E>,
}

impl<V, D: Scalar, E: Kronecker<V, D>> Cayley<V, D, E> {
    /// The function of a gradient.
    pub fn apply(&self, e: E) -> E {
        let insert = |e: &mut E, (v, d): &(V, D)| *e = core::mem::replace(e, E::zero()).insert(d, v);
        self.insertions.run(e, E::zero, insert, |e, other| *e = e.add(other))
    }

    /// The gradient that the function adds: its value at zero.
    pub fn gradient(&self) -> E {
        self.apply(E::zero())
    }
}

impl<V, D, E> Cayley<V, D, E> {
    fn new(insertions: Rope<(V, D)>) -> Self {
        Cayley { insertions, gradient: PhantomData }
    }
}

impl<V, D, E> Clone for Cayley<V, D, E> {
    fn clone(&self) -> Self {
        Cayley::new(self.insertions.clone())
    }
}

impl<V, D: Scalar, E: Kronecker<V, D> + PartialEq> PartialEq for Cayley<V, D, E> {
    fn eq(&self, other: &Self) -> bool {
        self.gradient() == other.gradient()
    }
}

impl<V, D: Scalar, E: Kronecker<V, D> + Debug> Debug for Cayley<V, D, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("0 ↦ ")?;
        self.gradient().fmt(f)
    }
}

impl<V, D, E> Monoid for Cayley<V, D, E> {
    fn zero() -> Self {
        Cayley::new(Rope::empty())
    }
    fn add(&self, other: &Self) -> Self {
        Cayley::new(self.insertions.then(&other.insertions))
    }
    fn accumulate(&mut self, other: Self) {
        self.insertions.append(other.insertions);
    }
}

/// Multiples take as long as the function is: [`Homomorphism`](super::Homomorphism) has them for nothing.
impl<V: Clone, D: Scalar, E> Module<D> for Cayley<V, D, E> {
    fn scale(&self, factor: &D) -> Self {
        Cayley::new(self.insertions.map(|(v, d)| (v.clone(), d.scale(factor))))
    }
}

impl<V: Clone, D: Scalar, E> Kronecker<V, D> for Cayley<V, D, E> {
    fn delta(v: &V) -> Self {
        Self::multiple(&D::one(), v)
    }
    fn multiple(factor: &D, v: &V) -> Self {
        Cayley::new(Rope::step((v.clone(), factor.clone())))
    }
    fn add_multiple(&mut self, factor: &D, v: &V) {
        self.insertions.push((v.clone(), factor.clone()));
    }
}

impl<V: Finite, D: Scalar, E: CorrectAd<V, D>> CorrectAd<V, D> for Cayley<V, D, E> {
    fn rep(dense: &Dense<V, D>) -> Self {
        V::all().zip(dense.values()).fold(Self::zero(), |sum, (v, d)| sum.insert(&d, &v))
    }
    fn abs(&self) -> Dense<V, D> {
        self.gradient().abs()
    }
}
