//! Scalar algebras: the types that the numbers of a program can have.
//!
//! The same program is evaluated over any algebra: plain numbers give its value, [`Nagata`](riesz_algebra::Nagata)
//! numbers its value and derivative.

use std::fmt::Debug;

use riesz_algebra::{Module, Ring};

use crate::matrix::{self, MatrixFunction};
use crate::over::Unanswered;
use crate::primitive::{Kind, Primitive, Scalar};
use crate::scalar;

/// The numbers of a scalar algebra.
pub trait Number: Ring + Debug + 'static {
    /// How many derivatives a number carries: a product of more numbers than that is zero where the value of each is. `None`
    /// where that is not known, or nothing bounds it.
    const ORDER: Option<usize> = None;

    /// A number that does not vary.
    fn constant(x: f64) -> Self;

    /// How many derivatives this number carries, see [`Number::ORDER`].
    fn order(&self) -> Option<usize> {
        Self::ORDER
    }

    /// The plain number: what comparisons, `trunc` and printing see.
    fn value(&self) -> f64;

    /// The plain number, where a program asks for one: `trunc`, `is_nan` and `~=` do. Algebras in which a number is not one real
    /// number have an answer only for some, see [`over`](crate::over).
    fn decided(&self) -> f64 {
        self.value()
    }

    /// The plain numbers of two that are compared.
    fn compared(&self, other: &Self) -> (f64, f64) {
        (self.value(), other.value())
    }

    /// The first question to numbers of this algebra that had no answer, since this was last asked.
    fn take_unanswered() -> Option<Unanswered> {
        None
    }

    /// A primitive of numbers.
    ///
    /// # Panics
    /// If the row is no [`Kind::Scalar`] with a function on reals.
    fn apply(primitive: &'static Primitive, arguments: &[Self]) -> Self;

    /// The product in which zero times anything is zero.
    fn exact_product(&self, other: &Self) -> Self {
        Self::apply(&scalar::EXACT_MUL, &[self.clone(), other.clone()])
    }

    /// A function of the `n × n` matrix `a`, and of the `n × columns` matrix `b` for those of two, row by
    /// row. The result has `n · n` entries for a matrix, `n · columns` for a solution, 1 for a number.
    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Self], b: &[Self]) -> Vec<Self>;
}

/// Plain numbers.
impl Number for f64 {
    const ORDER: Option<usize> = Some(0);

    #[inline]
    fn constant(x: f64) -> f64 {
        x
    }

    #[inline]
    fn value(&self) -> f64 {
        *self
    }

    #[inline]
    fn apply(primitive: &'static Primitive, arguments: &[f64]) -> f64 {
        match &primitive.kind {
            Kind::Scalar(Scalar { real: Some(real), .. }) => real(arguments),
            _ => panic!("{primitive:?} is not a function of real numbers"),
        }
    }

    #[inline]
    fn exact_product(&self, other: &f64) -> f64 {
        self.scale(other)
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        matrix::evaluate(function, n, columns, a, b)
    }
}
