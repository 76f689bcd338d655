//! Random values for the laws.

use std::fmt::Debug;
use std::num::Wrapping;

use proptest::prelude::*;
use riesz_algebra::finite::Below;
use riesz_algebra::{Expr, Finite, Nagata, Semiring};

pub type Integer = Wrapping<i64>;
pub type Variable = Below<3>;

pub fn integer() -> impl Strategy<Value = Integer> {
    any::<i64>().prop_map(Wrapping)
}

/// Whole numbers small enough for sums and products of three of them to be exact.
pub fn real() -> impl Strategy<Value = f64> {
    (-1000i32..1000).prop_map(f64::from)
}

pub fn variable() -> impl Strategy<Value = Variable> {
    (0..Variable::COUNT).prop_map(|v| Below::new(v).unwrap())
}

pub fn nagata<D: Debug, E: Debug>(
    primal: impl Strategy<Value = D>,
    tangent: impl Strategy<Value = E>,
) -> impl Strategy<Value = Nagata<D, E>> {
    (primal, tangent).prop_map(|(primal, tangent)| Nagata { primal, tangent })
}

pub fn three<T: Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 3]> {
    prop::collection::vec(value, 3).prop_map(|values| [values[0].clone(), values[1].clone(), values[2].clone()])
}

/// Expressions in three variables, with shared parts and with `let`s that shadow.
pub fn expression() -> impl Strategy<Value = Expr<Variable>> {
    let leaf = prop_oneof![
        4 => variable().prop_map(Expr::variable),
        1 => Just(Expr::one()),
        1 => Just(riesz_algebra::Monoid::zero()),
    ];
    leaf.prop_recursive(6, 40, 2, |part| {
        prop_oneof![
            3 => (part.clone(), part.clone()).prop_map(|(a, b)| a + b),
            3 => (part.clone(), part.clone()).prop_map(|(a, b)| a * b),
            1 => part.clone().prop_map(|a| a.clone() * a),
            2 => (variable(), part.clone(), part).prop_map(|(v, a, b)| Expr::let_in(v, a, b)),
        ]
    })
}

pub fn holds(law: Result<(), String>) -> Result<(), TestCaseError> {
    law.map_err(TestCaseError::fail)
}
