//! `H u` for the Hessian `H`: forward mode in the direction `u`, over reverse mode.   [000 §6.3]
//!
//! ```text
//! f (x + ε u) = f x + ε (∇f · u)        and the gradient of both parts:
//!               ∇f x      H u
//! ```
//!
//! It takes a small multiple of the time of `f`, regardless of the number of variables.
//!
//! ```
//! use riesz_algebra::order::{HessianVector, hessian_vector};
//! use riesz_algebra::tangent::ReverseArray;
//! use riesz_algebra::{Expr, Semiring};
//!
//! // x² y at (3, 5), in the direction (1, 10): H = [10 6; 6 0]
//! let [x, y] = [0, 1].map(Expr::variable);
//! let at = hessian_vector(|v| [3.0, 5.0][*v], |v| [1.0, 10.0][*v], &(x.clone() * x * y));
//! let array = |gradient: &ReverseArray<usize, f64>| gradient.gradient().run(2, |v| *v).unwrap();
//! assert_eq!((at.value, at.slope), (45.0, 120.0));
//! assert_eq!(array(&at.gradient), [30.0, 9.0]);
//! assert_eq!(array(&at.hessian_vector), [70.0, 6.0]);
//! ```

use crate::expression::{Expr, Interpret, Signature, evaluate};
use crate::kronecker::Kronecker;
use crate::module::Scalar;
use crate::nagata::Nagata;

/// The value of a function at a point, and its derivatives in a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct HessianVector<D, E> {
    /// `f x`
    pub value: D,
    /// `∇f x`
    pub gradient: E,
    /// `∇f x · u`
    pub slope: D,
    /// `H u`
    pub hessian_vector: E,
}

/// The value, the gradient, and the Hessian times a direction. With reverse mode for `E`, this is the hybrid of the paper.
pub fn hessian_vector<V, F, D, E>(
    var: impl Fn(&V) -> D,
    direction: impl Fn(&V) -> D,
    expression: &Expr<V, F>,
) -> HessianVector<D, E>
where
    V: Ord,
    F: Signature,
    D: Scalar,
    E: Kronecker<V, D>,
    Nagata<Nagata<D, E>, Nagata<D, E>>: Interpret<F>,
{
    let Nagata { primal, tangent } = evaluate(
        |v| Nagata { primal: Nagata { primal: var(v), tangent: E::delta(v) }, tangent: Nagata::constant(direction(v)) },
        expression,
    );
    HessianVector {
        value: primal.primal,
        gradient: primal.tangent,
        slope: tangent.primal,
        hessian_vector: tangent.tangent,
    }
}
