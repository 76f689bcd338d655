//! Value, gradient and Hessian, each once: `(f, v ↦ (∂f/∂v, w ↦ ∂²f/∂w∂v))`.   [000 §6.3]
//!
//! ```
//! use riesz_algebra::order::Second;
//! use riesz_algebra::{Real, Sparse};
//!
//! fn f<D: Real>(x: D, y: D) -> D {
//!     x.clone() * x * y.exp()
//! }
//!
//! let at: Second<&str, f64, Sparse<_, _>> = f(Second::variable("x", 3.0), Second::variable("y", 0.0));
//! assert_eq!((at.value, at.partial(&"x"), at.partial(&"y")), (9.0, 6.0, 9.0));
//! assert_eq!((at.second(&"x").get(&"x"), at.second(&"x").get(&"y"), at.second(&"y").get(&"y")), (2.0, 6.0, 9.0));
//! ```
//!
//! With a [`Homomorphism`](crate::tangent::Homomorphism) for `E`, the second derivatives are in reverse mode: the type
//! `N_H` of the paper.

use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::nagata::Nagata;
use crate::real::operators::operators;
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Monoid, Ring, Semiring};
use crate::tangent::Sparse;

/// A value with its first derivatives, and the gradient `E` of each of those.
#[derive(Clone, Debug, PartialEq)]
pub struct Second<V: Ord, D: Scalar, E: Module<D>> {
    /// The value.
    pub value: D,
    /// For each variable the derivative, with its gradient.
    pub gradient: Sparse<V, Nagata<D, E>>,
}

impl<V: Ord + Clone, D: Scalar, E: Kronecker<V, D>> Second<V, D, E> {
    /// A variable.
    pub fn variable(v: V, value: D) -> Self {
        Second { value, gradient: Sparse::unit(v) }
    }

    /// A value that does not vary.
    pub fn constant(value: D) -> Self {
        Second { value, gradient: Sparse::zero() }
    }

    /// `∂f/∂v`
    pub fn partial(&self, v: &V) -> D {
        self.gradient.get(v).primal
    }

    /// The gradient of `∂f/∂v`: a row of the Hessian.
    pub fn second(&self, v: &V) -> E {
        self.gradient.get(v).tangent
    }

    /// The value with its gradient only: what multiplies a derivative, so that the product rule applies again.
    fn first(&self) -> Nagata<D, E> {
        let gradient = self.gradient.entries().fold(E::zero(), |sum, (v, partial)| sum.insert(&partial.primal, v));
        Nagata { primal: self.value.clone(), tangent: gradient }
    }
}

impl<V: Ord + Clone, D: Scalar, E: Kronecker<V, D>> Monoid for Second<V, D, E> {
    fn zero() -> Self {
        Second::constant(D::zero())
    }
    fn add(&self, other: &Self) -> Self {
        Second { value: self.value.add(&other.value), gradient: self.gradient.add(&other.gradient) }
    }
}

impl<V: Ord + Clone, D: Scalar, E: Kronecker<V, D>> Semiring for Second<V, D, E> {
    fn one() -> Self {
        Second::constant(D::one())
    }
    fn mul(&self, other: &Self) -> Self {
        Second {
            value: self.value.mul(&other.value),
            gradient: other.gradient.scale(&self.first()).add(&self.gradient.scale(&other.first())),
        }
    }
}

impl<V: Ord + Clone, D: Scalar, E: Kronecker<V, D>> Module<Self> for Second<V, D, E> {
    fn scale(&self, factor: &Self) -> Self {
        Second { value: self.value.scale(&factor.value), ..factor.mul(self) }
    }
}

impl<V: Ord + Clone, D: Scalar + Ring, E: Kronecker<V, D>> Ring for Second<V, D, E> {
    fn neg(&self) -> Self {
        let minus = Nagata::constant(D::one().neg());
        Second { value: self.value.neg(), gradient: self.gradient.scale(&minus) }
    }
}

/// `f x' = f' x • x'`, where `f'` is taken at the value with its gradient.
impl<V: Ord + Clone, D: Real, E: Kronecker<V, D>> Real for Second<V, D, E> {
    fn constant(x: f64) -> Self {
        Second::constant(D::constant(x))
    }

    fn unary(self, function: Unary) -> Self {
        let x = self.first();
        let y = x.clone().unary(function);
        let slope = function.derivative(&x, &y);
        Second { value: y.primal, gradient: self.gradient.scale(&slope) }
    }

    fn binary(self, function: Binary, other: Self) -> Self {
        let (x, y) = (self.first(), other.first());
        let result = x.clone().binary(function, y.clone());
        let (first, second) = function.partials(&x, &y, &result);
        let gradient = self.gradient.scale(&first).add(&other.gradient.scale(&second));
        Second { value: result.primal, gradient }
    }
}

operators!([V: Ord + Clone, D: Scalar, E: Kronecker<V, D>] [D: Ring] [D: Real] Second<V, D, E>);
