//! Towers as a scalar algebra: numbers with their derivatives of every order, each computed on demand. [001 §10.6; 000
//! §6.3]

use std::fmt::Debug;

use riesz_algebra::order::Stream;
use riesz_algebra::{Module, Monoid};

use crate::derivative::partial_derivatives;
use crate::matrix::{MatrixFunction, by_elimination};
use crate::number::Number;
use crate::primitive::Primitive;

impl<V: Ord + Clone + Debug + 'static, D: Number + Module<D>> Number for Stream<V, D> {
    fn constant(x: f64) -> Self {
        // Zero has a sign, and only 0 is the zero of the module.
        if x.to_bits() == 0 { Stream::zero() } else { Stream::constant(D::constant(x)) }
    }

    fn value(&self) -> f64 {
        Stream::value(self).value()
    }

    fn apply(primitive: &'static Primitive, arguments: &[Self]) -> Self {
        riesz_limit::poll();
        let values: Vec<D> = arguments.iter().map(|argument| Stream::value(argument).clone()).collect();
        let value = D::apply(primitive, &values);
        let parts = [arguments.first().cloned(), arguments.get(1).cloned()];
        // The result is made anew: a stream that its own derivative held would never be freed.
        Stream::function(value, parts, move |arguments| {
            partial_derivatives(primitive, arguments, &Self::apply(primitive, arguments))
        })
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Self], b: &[Self]) -> Vec<Self> {
        by_elimination(function, n, columns, a, b)
    }
}
