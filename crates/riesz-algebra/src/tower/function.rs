//! Functions as numbers: `u + v = x ↦ u x + v x`, `sin u = x ↦ sin (u x)`.   [001 §2]
//!
//! With this type, the rules of differentiation are equations between functions.
//!
//! ```
//! use riesz_algebra::tower::Function;
//! use riesz_algebra::Real;
//!
//! let x = Function::<f64, f64>::new(|x| *x);
//! let f = (Function::constant(3.0) * x.clone().sin()).sqrt();
//! assert_eq!(f.apply(&2.0), (3.0 * 2.0_f64.sin()).sqrt());
//! // d (√u) = du / (2 √u), where u = 3 sin x
//! let derivative = x.cos().times(3.0) / f.clone().times(2.0);
//! assert!((derivative.apply(&2.0) + 0.3779412091869595).abs() < 1e-15);
//! ```

use alloc::sync::Arc;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};

use crate::expression::{Elementary, Expr, evaluate};
use crate::module::Module;
use crate::real::operators::operators;
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Monoid, Ring, Semiring};

/// A function from `A` to the numbers `B`, which is a number.
///
/// It is an expression in functions of which nothing is known, and is evaluated where these have values. So it may be of
/// any depth.
pub struct Function<A, B>(Expr<Opaque<A, B>, Elementary>);

/// A function of which nothing is known.
struct Opaque<A, B>(Arc<dyn Fn(&A) -> B>);

impl<A, B: Real> Function<A, B> {
    /// A function.
    pub fn new(f: impl Fn(&A) -> B + 'static) -> Self {
        Function(Expr::symbol(Opaque(Arc::new(f))))
    }

    /// The value at a point.
    pub fn apply(&self, a: &A) -> B {
        evaluate(|f: &Opaque<A, B>| (f.0)(a), &self.0)
    }

    /// `self ∘ inner`. The inner function is called as functions are: a million of these inside each other need a stack
    /// for them.
    pub fn after<C>(&self, inner: impl Fn(&C) -> A + 'static) -> Function<C, B>
    where
        A: 'static,
        B: 'static,
    {
        let outer = self.clone();
        Function::new(move |c| outer.apply(&inner(c)))
    }
}

impl<A, B> Clone for Function<A, B> {
    fn clone(&self) -> Self {
        Function(self.0.clone())
    }
}

impl<A, B> Debug for Function<A, B> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<A, B> Monoid for Function<A, B> {
    fn zero() -> Self {
        Function(Expr::zero())
    }
    fn add(&self, other: &Self) -> Self {
        Function(Monoid::add(&self.0, &other.0))
    }
}

impl<A, B> Semiring for Function<A, B> {
    fn one() -> Self {
        Function(Expr::one())
    }
    fn mul(&self, other: &Self) -> Self {
        Function(Semiring::mul(&self.0, &other.0))
    }
}

impl<A, B> Module<Self> for Function<A, B> {
    fn scale(&self, factor: &Self) -> Self {
        Semiring::mul(factor, self)
    }
}

impl<A, B> Ring for Function<A, B> {
    fn neg(&self) -> Self {
        Function(Ring::neg(&self.0))
    }
    fn sub(&self, other: &Self) -> Self {
        Function(Ring::sub(&self.0, &other.0))
    }
}

impl<A, B> Real for Function<A, B> {
    fn constant(x: f64) -> Self {
        Function(Expr::constant(x))
    }
    fn unary(self, function: Unary) -> Self {
        Function(Real::unary(self.0, function))
    }
    fn binary(self, function: Binary, other: Self) -> Self {
        Function(Real::binary(self.0, function, other.0))
    }
}

operators!([A, B] [] [] Function<A, B>);

/// Functions of which nothing is known are told apart by where they are kept.
impl<A, B> Opaque<A, B> {
    fn place(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }
}

impl<A, B> Debug for Opaque<A, B> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("f")
    }
}

impl<A, B> PartialEq for Opaque<A, B> {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl<A, B> Eq for Opaque<A, B> {}

impl<A, B> PartialOrd for Opaque<A, B> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A, B> Ord for Opaque<A, B> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}
