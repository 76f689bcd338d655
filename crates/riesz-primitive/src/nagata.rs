//! Nagata numbers as a scalar algebra: `f (x, dx) = (f x, D f x dx)`, for every row, from its derivative.
//!
//! The numbers may be nested: the value part of a number is a number of any algebra, so that Nagata numbers over Nagata
//! numbers carry second derivatives.

use std::fmt::Debug;

use riesz_algebra::{Module, Monoid, Nagata};

use crate::derivative::partial_derivatives;
use crate::matrix::{MatrixFunction, as_dense, tangent};
use crate::number::Number;
use crate::primitive::Primitive;

impl<D: Number, E: Module<D> + Debug + 'static> Number for Nagata<D, E> {
    const ORDER: Option<usize> = match D::ORDER {
        Some(order) => Some(order + 1),
        None => None,
    };

    fn constant(x: f64) -> Self {
        Nagata { primal: D::constant(x), tangent: E::zero() }
    }

    fn value(&self) -> f64 {
        self.primal.value()
    }

    fn apply(primitive: &'static Primitive, arguments: &[Self]) -> Self {
        riesz_limit::poll();
        let (primals, tangents) = separate(arguments);
        let primal = D::apply(primitive, &primals);
        let partials = partial_derivatives(primitive, &primals, &primal);
        let scaled = tangents.iter().zip(&partials).map(|(tangent, partial)| tangent.scale(partial));
        Nagata { primal, tangent: scaled.fold(E::zero(), |sum, term| sum.add(&term)) }
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Self], b: &[Self]) -> Vec<Self> {
        if let Some((function, a)) = as_dense(function, n, a) {
            return Self::matrix(function, n, columns, &a, b);
        }
        let ((a, da), (b, db)) = (separate(a), separate(b));
        let primals = D::matrix(function, n, columns, &a, &b);
        let tangents = tangent(function, (n, columns), (&a, &b), &primals, (&da, &db));
        primals.into_iter().zip(tangents).map(|(primal, tangent)| Nagata { primal, tangent }).collect()
    }
}

/// The values and the tangents of numbers.
fn separate<D: Clone, E: Monoid>(numbers: &[Nagata<D, E>]) -> (Vec<D>, Vec<E>) {
    numbers.iter().map(|number| (number.primal.clone(), number.tangent.clone())).unzip()
}
