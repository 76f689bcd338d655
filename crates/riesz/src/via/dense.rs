//! Dense gradients: a number for every coordinate.   [000 §3.5]

use super::Representation;
use super::algebra::{Field, Gradient, row, spend_on};
use crate::Value;
use riesz_algebra::{Module, Monoid, Semiring};
use riesz_primitive::Counted;

pub(super) const FORWARD_DENSE: Representation =
    row::<Dense<f64>, Dense<Counted>>("forward-dense", "a dense gradient carried forward", "000 §3.5");

/// A number for every coordinate; nothing for the zero vector, however many coordinates there are.
#[derive(Clone, Debug)]
struct Dense<D>(Option<Vec<D>>);

impl<D: Semiring> Monoid for Dense<D> {
    fn zero() -> Dense<D> {
        Dense(None)
    }

    fn add(&self, other: &Dense<D>) -> Dense<D> {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(u), Some(v)) => {
                spend_on(u.len());
                Dense(Some(u.iter().zip(v).map(|(x, y)| x.add(y)).collect()))
            }
        }
    }
}

impl<D: Semiring + Module<D>> Module<D> for Dense<D> {
    fn scale(&self, factor: &D) -> Dense<D> {
        spend_on(self.0.as_ref().map_or(0, Vec::len));
        Dense(self.0.as_ref().map(|v| v.iter().map(|x| x.scale(factor)).collect()))
    }
}

impl<D: Field> Gradient<D> for Dense<D> {
    type Coordinates = usize;

    fn shape(_: &Value, size: usize) -> usize {
        size
    }

    fn coordinate(size: &usize, at: usize) -> Dense<D> {
        Dense(Some((0..*size).map(|other| if other == at { D::one() } else { D::zero() }).collect()))
    }

    fn entries(&self, _: &usize) -> Vec<(usize, D)> {
        self.0.iter().flatten().cloned().enumerate().collect()
    }
}
