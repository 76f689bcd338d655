//! Differentiation is evaluation into Nagata numbers.   [000 §2.3 – §3.4]

use super::{Expr, Interpret, Signature, evaluate};
use crate::kronecker::Kronecker;
use crate::module::Scalar;
use crate::nagata::Nagata;
use crate::semiring::Semiring;

/// The value and the gradient of an expression: evaluation, with every variable `x` as `(var x, delta x)`.
///
/// The gradient has the type that is asked for, and the cost of that type: see [`tangent`](crate::tangent).
// ANCHOR: abstract_derivative
pub fn abstract_derivative<V, F, D, E>(var: impl Fn(&V) -> D, expression: &Expr<V, F>) -> Nagata<D, E>
where
    V: Ord,
    F: Signature,
    D: Semiring,
    E: Kronecker<V, D>,
    Nagata<D, E>: Interpret<F>,
{
    evaluate(|x| Nagata { primal: var(x), tangent: E::delta(x) }, expression)
}
// ANCHOR_END: abstract_derivative

/// An expression and its derivative in `x`, as expressions: `symbolic x = forward_derivative Variable x`.
pub fn symbolic<V, F>(x: &V, expression: &Expr<V, F>) -> Nagata<Expr<V, F>, Expr<V, F>>
where
    V: Ord + Clone,
    F: Signature,
    Nagata<Expr<V, F>, Expr<V, F>>: Interpret<F>,
{
    forward_derivative(|v| Expr::symbol(v.clone()), x, expression)
}

/// The derivative in `x`, as an expression.
pub fn derive<V, F>(x: &V, expression: &Expr<V, F>) -> Expr<V, F>
where
    V: Ord + Clone,
    F: Signature,
    Nagata<Expr<V, F>, Expr<V, F>>: Interpret<F>,
{
    symbolic(x, expression).tangent
}

/// The value and the derivative in one variable: forward mode with dual numbers.   [000 §2.4]
pub fn forward_derivative<V, F, D>(var: impl Fn(&V) -> D, x: &V, expression: &Expr<V, F>) -> Nagata<D, D>
where
    V: Ord,
    F: Signature,
    D: Scalar,
    Nagata<D, D>: Interpret<F>,
{
    evaluate(|y| Nagata { primal: var(y), tangent: if x == y { D::one() } else { D::zero() } }, expression)
}
