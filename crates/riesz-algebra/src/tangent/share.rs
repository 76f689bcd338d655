//! `∂(let y = a in b)/∂x = ∂b/∂y · ∂a/∂x + ∂b/∂x`: values shared by a `let` stay shared.   [000 §6.4, Lemma 1]

use alloc::string::String;
use core::fmt::Debug;

use crate::expression::{Expr, Interpret, Signature, abstract_derivative, evaluate_scoped};
use crate::kronecker::Kronecker;
use crate::law::equal;
use crate::module::Scalar;
use crate::nagata::Nagata;

/// Gradients that can be put in the place of a variable of other gradients.
pub trait LetIn<V, D: Scalar>: Kronecker<V, D> {
    /// The gradient of `let v = a in b`, from that of `a` and that of `b`, in which `v` is a variable like others.
    ///
    /// It says nothing of `v` as `b` has it: a variable of this name outside is another, of which `a` may speak.
    fn let_in(v: &V, bound: &Self, body: &Self) -> Self;
}

/// Lemma 1: sharing what a `let` binds changes nothing.
///
/// # Errors
/// Where the values or the gradients differ, both sides.
pub fn let_in_law<V, D, E>(var: impl Fn(&V) -> D, expression: &Expr<V>) -> Result<(), String>
where
    V: Ord,
    D: Scalar + PartialEq + Debug,
    E: LetIn<V, D> + PartialEq + Debug,
{
    let shared: Nagata<D, E> = shared_derivative(&var, expression);
    let copied: Nagata<D, E> = abstract_derivative(&var, expression);
    equal("∂(let y = a in b)/∂x = ∂b/∂y · ∂a/∂x + ∂b/∂x", &shared, &copied)
}

/// The value and the gradient of an expression, where the gradient of what a `let` binds is not copied into its body.
pub fn shared_derivative<V, F, D, E>(var: impl Fn(&V) -> D, expression: &Expr<V, F>) -> Nagata<D, E>
where
    V: Ord,
    F: Signature,
    D: Scalar,
    E: LetIn<V, D>,
    Nagata<D, E>: Interpret<F>,
{
    evaluate_scoped(
        |x| Nagata { primal: var(x), tangent: E::delta(x) },
        |y, a| Nagata { primal: a.primal.clone(), tangent: E::delta(y) },
        |y, a, b| Nagata { primal: b.primal, tangent: E::let_in(y, &a.tangent, &b.tangent) },
        expression,
    )
}
