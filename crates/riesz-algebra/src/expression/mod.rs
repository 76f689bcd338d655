//! Expressions: the free semiring over variables `V`.   [000 §2.1]
//!
//! ```text
//! e ::= v | 0 | 1 | e + e | e · e | let v = e in e
//! ```
//!
//! Sums and products of expressions are simplified by `0 + a = a`, `1 · a = a` and `0 · a = 0`, and share their parts.
//! A [`Signature`] adds functions: `Expr<V, Elementary>` has all that [`Real`](crate::real::Real) has.

mod derive;
mod evaluate;
mod print;
mod size;

pub use crate::real::Elementary;
pub use derive::{abstract_derivative, derive, forward_derivative, symbolic};
pub use evaluate::{Interpret, evaluate, evaluate_scoped, fusion_law, reflection_law};

use core::convert::Infallible;
use core::fmt::Debug;
use core::mem;
use core::ops::{Add, Mul};

use crate::graph::{Node, Shared};
use crate::module::Module;
use crate::semiring::{Monoid, Semiring};

/// An expression in the variables `V`, with the functions `F`.
pub struct Expr<V, F: Signature = Plain>(pub(crate) Shared<Term<V, F>>);

/// The functions that an expression may use besides sums and products.
pub trait Signature: Sized + 'static {
    /// Functions of one argument.
    type Unary: Copy + PartialEq + Debug + 'static;
    /// Functions of two arguments.
    type Binary: Copy + PartialEq + Debug + 'static;
}

/// No functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain;

impl Signature for Plain {
    type Unary = Infallible;
    type Binary = Infallible;
}

/// How an expression is built.
pub enum Term<V, F: Signature> {
    /// `0`
    Zero,
    /// `1`
    One,
    /// A variable.
    Variable(V),
    /// `a + b`
    Sum(Expr<V, F>, Expr<V, F>),
    /// `a · b`
    Product(Expr<V, F>, Expr<V, F>),
    /// A function of one argument.
    Unary(F::Unary, Expr<V, F>),
    /// A function of two arguments.
    Binary(F::Binary, Expr<V, F>, Expr<V, F>),
    /// `let v = a in b`
    Let(V, Expr<V, F>, Expr<V, F>),
}

impl<V> Expr<V> {
    /// A variable of an expression of sums and products.
    pub fn variable(v: V) -> Self {
        Expr::symbol(v)
    }
}

impl<V, F: Signature> Expr<V, F> {
    /// A variable.
    pub fn symbol(v: V) -> Self {
        Expr::new(Term::Variable(v))
    }

    /// `let v = bound in body`: the variable stands for `bound` in `body`, whatever it is outside.   [000 §6.4]
    pub fn let_in(v: V, bound: Self, body: Self) -> Self {
        Expr::new(Term::Let(v, bound, body))
    }

    /// How it is built.
    pub fn term(&self) -> &Term<V, F> {
        self.0.get()
    }

    /// An expression of a form, such as a function of a signature of one's own. Sums and products are not simplified.
    pub fn new(term: Term<V, F>) -> Self {
        Expr(Shared::new(term))
    }
}

impl<V, F: Signature> Clone for Expr<V, F> {
    fn clone(&self) -> Self {
        Expr(self.0.clone())
    }
}

impl<V, F: Signature> Monoid for Expr<V, F> {
    fn zero() -> Self {
        Expr::new(Term::Zero)
    }
    fn add(&self, other: &Self) -> Self {
        match (self.term(), other.term()) {
            (Term::Zero, _) => other.clone(),
            (_, Term::Zero) => self.clone(),
            _ => Expr::new(Term::Sum(self.clone(), other.clone())),
        }
    }
}

impl<V, F: Signature> Semiring for Expr<V, F> {
    fn one() -> Self {
        Expr::new(Term::One)
    }
    fn mul(&self, other: &Self) -> Self {
        match (self.term(), other.term()) {
            (Term::Zero, _) | (_, Term::One) => self.clone(),
            (_, Term::Zero) | (Term::One, _) => other.clone(),
            _ => Expr::new(Term::Product(self.clone(), other.clone())),
        }
    }
}

impl<V, F: Signature> Module<Self> for Expr<V, F> {
    fn scale(&self, factor: &Self) -> Self {
        factor.mul(self)
    }
}

impl<V, F: Signature> Add for Expr<V, F> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Monoid::add(&self, &other)
    }
}

impl<V, F: Signature> Mul for Expr<V, F> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Semiring::mul(&self, &other)
    }
}

impl<V, F: Signature> Node for Term<V, F> {
    fn parts(&self) -> [Option<&Shared<Self>>; 2] {
        match self {
            Term::Zero | Term::One | Term::Variable(_) => [None, None],
            Term::Unary(_, a) => [Some(&a.0), None],
            Term::Sum(a, b) | Term::Product(a, b) | Term::Binary(_, a, b) | Term::Let(_, a, b) => {
                [Some(&a.0), Some(&b.0)]
            }
        }
    }

    fn release(&mut self) -> [Option<Shared<Self>>; 2] {
        match mem::replace(self, Term::Zero) {
            Term::Zero | Term::One | Term::Variable(_) => [None, None],
            Term::Unary(_, a) => [Some(a.0), None],
            Term::Sum(a, b) | Term::Product(a, b) | Term::Binary(_, a, b) | Term::Let(_, a, b) => {
                [Some(a.0), Some(b.0)]
            }
        }
    }
}
