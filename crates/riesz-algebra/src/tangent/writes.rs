//! Programs that add to the elements of one array: `0` does nothing, `p + q` is `p` then `q`, `delta v` adds 1 to the
//! element of `v`.   [000 §5.3]

use alloc::format;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};

use crate::finite::Finite;
use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::Monoid;
use crate::tangent::rope::Rope;
use crate::tangent::{CorrectAd, Dense};

/// A program that adds to the elements of an array.
pub struct Writes<V, D>(Rope<(V, D)>);

impl<V, D: Scalar> Writes<V, D> {
    /// The array that the program leaves, from zeros; `None` if a variable has no place in an array of this size.
    pub fn run(&self, size: usize, place: impl Fn(&V) -> usize) -> Option<Vec<D>> {
        let mut fits = true;
        let zeros = || {
            let mut array = Vec::new();
            array.resize_with(size, D::zero);
            array
        };
        let write = |array: &mut Vec<D>, (v, d): &(V, D)| match array.get_mut(place(v)) {
            Some(element) => *element = element.add(d),
            None => fits = false,
        };
        let merge = |array: &mut Vec<D>, other: &Vec<D>| {
            array.iter_mut().zip(other).for_each(|(element, d)| *element = element.add(d));
        };
        let array = self.0.run(zeros(), zeros, write, merge);
        fits.then_some(array)
    }

    /// The array with an element for each variable.
    pub fn array(&self) -> Vec<D>
    where
        V: Finite,
    {
        self.run(V::COUNT, V::index).unwrap_or_default()
    }
}

impl<V, D> Clone for Writes<V, D> {
    fn clone(&self) -> Self {
        Writes(self.0.clone())
    }
}

impl<V: Finite, D: Scalar + PartialEq> PartialEq for Writes<V, D> {
    fn eq(&self, other: &Self) -> bool {
        self.array() == other.array()
    }
}

impl<V: Debug, D: Debug> Debug for Writes<V, D> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let write = |list: &mut Vec<_>, (v, d): &(V, D)| list.push(format!("{v:?} += {d:?}"));
        let writes = self.0.run(Vec::new(), Vec::new, write, |list, others| list.extend_from_slice(others));
        f.debug_list().entries(&writes).finish()
    }
}

impl<V, D> Monoid for Writes<V, D> {
    fn zero() -> Self {
        Writes(Rope::empty())
    }
    fn add(&self, other: &Self) -> Self {
        Writes(self.0.then(&other.0))
    }
    fn accumulate(&mut self, other: Self) {
        self.0.append(other.0);
    }
}

/// Multiples take as long as the program is: [`Homomorphism`](super::Homomorphism) has them for nothing.
impl<V: Clone, D: Scalar> Module<D> for Writes<V, D> {
    fn scale(&self, factor: &D) -> Self {
        Writes(self.0.map(|(v, d)| (v.clone(), d.scale(factor))))
    }
}

impl<V: Clone, D: Scalar> Kronecker<V, D> for Writes<V, D> {
    fn delta(v: &V) -> Self {
        Self::multiple(&D::one(), v)
    }
    fn multiple(factor: &D, v: &V) -> Self {
        Writes(Rope::step((v.clone(), factor.clone())))
    }
    fn add_multiple(&mut self, factor: &D, v: &V) {
        self.0.push((v.clone(), factor.clone()));
    }
}

impl<V: Finite, D: Scalar> CorrectAd<V, D> for Writes<V, D> {
    fn rep(dense: &Dense<V, D>) -> Self {
        V::all().zip(dense.values()).fold(Self::zero(), |sum, (v, d)| sum.insert(&d, &v))
    }
    fn abs(&self) -> Dense<V, D> {
        let values = self.array();
        Dense::tabulate(|v: &V| values.get(v.index()).cloned().unwrap_or_else(D::zero))
    }
}
