//! Sparse vectors: the coordinates that are not structurally zero.   [000 §4.3]
//!
//! A coordinate is stored once a value may depend on it, even if it is 0.0: an absent coordinate is zero for all values
//! of the variables. Two sparse vectors are equal if their coordinates are.

use alloc::collections::BTreeMap;
use core::cmp::Ordering;
use core::iter::Peekable;

use crate::finite::Finite;
use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::semiring::{Monoid, Semiring};
use crate::tangent::{CorrectAd, Dense, LetIn};

/// A vector with few coordinates.
#[derive(Clone, Debug)]
pub struct Sparse<V = usize, D = f64> {
    entries: BTreeMap<V, D>,
}

impl<V: Ord, D: Semiring> Sparse<V, D> {
    /// The vector that is 1 at one coordinate.
    pub fn unit(coordinate: V) -> Self {
        Sparse { entries: BTreeMap::from([(coordinate, D::one())]) }
    }

    /// The coordinates that are not structurally zero, in order, with their values.
    pub fn entries(&self) -> impl Iterator<Item = (&V, &D)> {
        self.entries.iter()
    }

    /// How many coordinates are not structurally zero.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The value at a coordinate.
    pub fn get(&self, coordinate: &V) -> D {
        self.entries.get(coordinate).cloned().unwrap_or_else(D::zero)
    }
}

impl<V: Ord, D: Semiring + PartialEq> PartialEq for Sparse<V, D> {
    fn eq(&self, other: &Self) -> bool {
        let zero = D::zero();
        self.entries().filter(|(_, d)| **d != zero).eq(other.entries().filter(|(_, d)| **d != zero))
    }
}

impl<V: Ord + Clone, D: Semiring> Monoid for Sparse<V, D> {
    fn zero() -> Self {
        Sparse { entries: BTreeMap::new() }
    }

    /// Of long vectors much alike in size the coordinates are merged; else the larger is copied and the smaller put into it.
    fn add(&self, other: &Self) -> Self {
        let (few, many) = (self.entries.len().min(other.entries.len()), self.entries.len().max(other.entries.len()));
        if few > 8.max(many / 8) {
            let merged = Merge { left: self.entries().peekable(), right: other.entries().peekable() };
            let entries: BTreeMap<V, D> = merged.collect();
            // Those of both are sums.
            D::copied(2 * entries.len() - few - many);
            return Sparse { entries };
        }
        let swapped = self.entries.len() < other.entries.len();
        let (larger, smaller) = if swapped { (other, self) } else { (self, other) };
        let mut entries = larger.entries.clone();
        D::copied(many);
        for (v, d) in smaller.entries() {
            match entries.get_mut(v) {
                Some(sum) => *sum = if swapped { d.add(sum) } else { sum.add(d) },
                None => {
                    D::copied(1);
                    entries.insert(v.clone(), d.clone());
                }
            }
        }
        Sparse { entries }
    }
}

/// The coordinates of a sum, in order.
struct Merge<'a, V: 'a, D: 'a, L: Iterator<Item = (&'a V, &'a D)>, R: Iterator<Item = (&'a V, &'a D)>> {
    left: Peekable<L>,
    right: Peekable<R>,
}

impl<'a, V, D, L, R> Iterator for Merge<'a, V, D, L, R>
where
    V: Ord + Clone,
    D: Semiring,
    L: Iterator<Item = (&'a V, &'a D)>,
    R: Iterator<Item = (&'a V, &'a D)>,
{
    type Item = (V, D);

    fn next(&mut self) -> Option<(V, D)> {
        let order = match (self.left.peek(), self.right.peek()) {
            (Some((v, _)), Some((w, _))) => v.cmp(w),
            (_, None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let left = if order.is_le() { self.left.next() } else { None };
        let right = if order.is_ge() { self.right.next() } else { None };
        match (left, right) {
            (Some((v, d)), Some((_, e))) => Some((v.clone(), d.add(e))),
            (left, right) => left.or(right).map(|(v, d)| (v.clone(), d.clone())),
        }
    }
}

impl<V: Ord + Clone, D: Semiring, E: Module<D> + Semiring> Module<D> for Sparse<V, E> {
    fn scale(&self, factor: &D) -> Self {
        Sparse { entries: self.entries().map(|(v, e)| (v.clone(), e.scale(factor))).collect() }
    }
}

impl<V: Ord + Clone, D: Scalar> Kronecker<V, D> for Sparse<V, D> {
    fn delta(v: &V) -> Self {
        Sparse::unit(v.clone())
    }
    fn multiple(factor: &D, v: &V) -> Self {
        Sparse { entries: BTreeMap::from([(v.clone(), factor.clone())]) }
    }
    fn insert(mut self, factor: &D, v: &V) -> Self {
        match self.entries.get_mut(v) {
            Some(sum) => *sum = sum.add(factor),
            None => {
                self.entries.insert(v.clone(), factor.clone());
            }
        }
        self
    }
}

impl<V: Finite, D: Scalar + PartialEq> CorrectAd<V, D> for Sparse<V, D> {
    fn rep(dense: &Dense<V, D>) -> Self {
        let values = V::all().zip(dense.values());
        Sparse { entries: values.filter(|(_, d)| *d != D::zero()).collect() }
    }
    fn abs(&self) -> Dense<V, D> {
        Dense::table(self.clone())
    }
}

impl<V: Ord + Clone, D: Scalar> LetIn<V, D> for Sparse<V, D> {
    fn let_in(v: &V, bound: &Self, body: &Self) -> Self {
        let mut outside = body.clone();
        match outside.entries.remove(v) {
            Some(factor) => bound.scale(&factor).add(&outside),
            None => outside,
        }
    }
}
