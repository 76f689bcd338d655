//! Sparse gradients: the coordinates that are not structurally zero. They are carried forward [000 §4.3], or are the
//! results of functions from multipliers [000 §5.1].

use super::Representation;
use super::algebra::{Field, Gradient, row, spend_on};
use crate::Value;
use riesz_algebra::{Kronecker, Module, Monoid, Scalar};
use riesz_primitive::Counted;

pub(super) const FORWARD_SPARSE: Representation =
    row::<Sparse<f64>, Sparse<Counted>>("forward-sparse", "a sparse gradient carried forward", "000 §4.3");

pub(super) const REVERSE_SPARSE: Representation = row::<Reverse<f64>, Reverse<Counted>>(
    "reverse-sparse",
    "a function from the multiplier to a sparse gradient",
    "000 §5.1",
);

type Reverse<D> = riesz_algebra::tangent::Homomorphism<usize, D, Sparse<D>>;

/// A coordinate in a tree takes as long as this number of coordinates in a list.
const OF_A_TREE: usize = 4;

/// A sparse gradient whose sums and multiples count as steps.
#[derive(Clone, Debug)]
pub(super) struct Sparse<D>(riesz_algebra::Sparse<usize, D>);

impl<D: Scalar> Monoid for Sparse<D> {
    fn zero() -> Sparse<D> {
        Sparse(Monoid::zero())
    }

    fn add(&self, other: &Sparse<D>) -> Sparse<D> {
        spend_on(OF_A_TREE * (self.0.count() + other.0.count()));
        Sparse(self.0.add(&other.0))
    }
}

impl<D: Scalar> Module<D> for Sparse<D> {
    fn scale(&self, factor: &D) -> Sparse<D> {
        spend_on(OF_A_TREE * self.0.count());
        Sparse(self.0.scale(factor))
    }
}

impl<D: Scalar> Kronecker<usize, D> for Sparse<D> {
    fn delta(v: &usize) -> Sparse<D> {
        Sparse(Kronecker::delta(v))
    }

    fn multiple(factor: &D, v: &usize) -> Sparse<D> {
        Sparse(Kronecker::multiple(factor, v))
    }
}

impl<D: Field> Gradient<D> for Sparse<D> {
    type Coordinates = ();

    fn shape(_: &Value, _: usize) {}

    fn coordinate((): &(), at: usize) -> Self {
        Kronecker::delta(&at)
    }

    fn entries(&self, (): &()) -> Vec<(usize, D)> {
        self.0.entries().map(|(at, entry)| (*at, entry.clone())).collect()
    }
}

impl<D: Field> Gradient<D> for Reverse<D> {
    type Coordinates = ();

    fn shape(_: &Value, _: usize) {}

    fn coordinate((): &(), at: usize) -> Self {
        Kronecker::delta(&at)
    }

    fn entries(&self, (): &()) -> Vec<(usize, D)> {
        self.gradient().entries(&())
    }
}
