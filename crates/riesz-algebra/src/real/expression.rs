//! Expressions with the elementary functions: real numbers that record how they were made.
//!
//! ```
//! use riesz_algebra::expression::{Elementary, Expr, derive};
//! use riesz_algebra::Real;
//!
//! fn f<D: Real>(x: D) -> D {
//!     x.clone() * x.sin()
//! }
//!
//! let x: Expr<&str, Elementary> = Expr::symbol("x");
//! assert_eq!(derive(&"x", &f(x)).to_string(), "x cos(x) + sin(x)");
//! ```

use core::ops::{Div, Neg, Sub};

use crate::expression::{Expr, Interpret, Signature, Term};
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Monoid, Ring, Semiring};

/// The functions of [`Real`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elementary;

impl Signature for Elementary {
    type Unary = Unary;
    type Binary = Binary;
}

impl<D: Real> Interpret<Elementary> for D {
    fn unary(self, function: Unary) -> D {
        Real::unary(self, function)
    }
    fn binary(self, function: Binary, other: D) -> D {
        Real::binary(self, function, other)
    }
}

impl<V> Real for Expr<V, Elementary> {
    fn constant(x: f64) -> Self {
        match x {
            0.0 => Expr::zero(),
            1.0 => Expr::one(),
            _ => Expr::new(Term::Unary(Unary::Times(x), Expr::one())),
        }
    }
    fn unary(self, function: Unary) -> Self {
        Expr::new(Term::Unary(function, self))
    }
    fn binary(self, function: Binary, other: Self) -> Self {
        Expr::new(Term::Binary(function, self, other))
    }
}

impl<V> Ring for Expr<V, Elementary> {
    fn neg(&self) -> Self {
        match self.term() {
            Term::Zero => self.clone(),
            _ => self.clone().times(-1.0),
        }
    }
    fn sub(&self, other: &Self) -> Self {
        match other.term() {
            Term::Zero => self.clone(),
            _ => Real::binary(self.clone(), Binary::Sub, other.clone()),
        }
    }
}

impl<V> Sub for Expr<V, Elementary> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Ring::sub(&self, &other)
    }
}

impl<V> Div for Expr<V, Elementary> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Real::binary(self, Binary::Div, other)
    }
}

impl<V> Neg for Expr<V, Elementary> {
    type Output = Self;
    fn neg(self) -> Self {
        Ring::neg(&self)
    }
}
