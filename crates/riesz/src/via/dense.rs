//! Dense gradients: a number for every coordinate.   [000 §3.5]

use super::algebra::{Field, answer};
use super::{Answer, Representation, Wish};
use crate::{Span, Value};
use riesz_algebra::{Module, Monoid, Semiring};
use riesz_core::evaluate::{Closure, Fault, Machine};
use riesz_primitive::Counted;

/// A gradient with all its coordinates.
pub(super) const FORWARD_DENSE: Representation = Representation {
    name: "forward-dense",
    summary: "a dense gradient carried forward",
    paper: "000 §3.5",
    differentiate: Some(forward_dense::<f64>),
    counted: Some(forward_dense::<Counted>),
};

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
            (Some(u), Some(v)) => Dense(Some(u.iter().zip(v).map(|(x, y)| x.add(y)).collect())),
        }
    }
}

impl<D: Semiring + Module<D>> Module<D> for Dense<D> {
    fn scale(&self, factor: &D) -> Dense<D> {
        Dense(self.0.as_ref().map(|v| v.iter().map(|x| x.scale(factor)).collect()))
    }
}

fn forward_dense<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer, Fault> {
    let unit = |at: usize, size: usize| {
        Dense(Some((0..size).map(|other| if other == at { D::one() } else { D::zero() }).collect()))
    };
    answer(machine, closure, point, wish, span, unit, |gradient: &Dense<D>, _| {
        gradient.0.iter().flatten().cloned().enumerate().collect()
    })
}
