//! Representations of a gradient: one file for each row of [000 Fig. 5].
//!
//! | mode | gradient | a derivative of `N` nodes in `V` variables |
//! |---|---|---|
//! | symbolic | [`Expr`] | `O(N²)` written out, `O(N)` as it is held |
//! | forward | [`Dense`]: a function of the variable | `O(N · V)` |
//! | forward | [`Sparse`]: a map from variables | `O(N · V)` |
//! | reverse | [`Homomorphism`] into [`Sparse`] | `O(N · V)` |
//! | reverse | [`Homomorphism`] into [`Cayley`] | `O(N · log V)` |
//! | reverse | [`Homomorphism`] into [`Writes`] | `O(N + V)` |
//!
//! In addition, `[D; N]` is the gradient of fast forward mode, for a number of variables that is known at compile time,
//! [`Dynamic`] the same for one that is known at run time, and [`Optional`] omits the gradients of constants.
//!
//! All of them are isomorphic to `Dense`: [`CorrectAd`] states the isomorphism, and [`theorem_2`] its consequence.

mod cayley;
mod dense;
mod dynamic;
mod homomorphism;
mod optional;
mod rope;
mod share;
mod sparse;
mod vector;
mod writes;

pub use cayley::Cayley;
pub use dense::Dense;
pub use dynamic::Dynamic;
pub use homomorphism::Homomorphism;
pub use optional::Optional;
pub use share::{LetIn, let_in_law, shared_derivative};
pub use sparse::Sparse;
pub use writes::Writes;

use alloc::string::String;
use core::fmt::Debug;

use crate::expression::{Expr, abstract_derivative};
use crate::finite::Finite;
use crate::kronecker::Kronecker;
use crate::law::equal;
use crate::module::Module;
use crate::module::Scalar;
use crate::nagata::Nagata;
use crate::semiring::Monoid;

// ANCHOR: reverse
/// Reverse mode that adds up immutable maps.   [000 §5.1]
pub type ReverseSparse<V, D> = Homomorphism<V, D, Sparse<V, D>>;
/// Reverse mode that changes one map.   [000 §5.2]
pub type ReverseCayley<V, D> = Homomorphism<V, D, Cayley<V, D, Sparse<V, D>>>;
/// Reverse mode that changes one array.   [000 §5.3]
pub type ReverseArray<V, D> = Homomorphism<V, D, Writes<V, D>>;
// ANCHOR_END: reverse

/// A representation of gradients: `rep` and `abs` are an isomorphism with [`Dense`].   [000 §4.1]
// ANCHOR: correct_ad
pub trait CorrectAd<V, D: Scalar>: Kronecker<V, D> {
    /// The gradient that a function of the variable stands for.
    fn rep(dense: &Dense<V, D>) -> Self;
    /// The gradient as a function of the variable.
    fn abs(&self) -> Dense<V, D>;
}
// ANCHOR_END: correct_ad

/// The laws of a Kronecker isomorphism, at a scalar, a variable and two gradients.   [000 Def. 4, 5]
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn correct_ad_laws<V, D, E>(d: &D, v: &V, (a, b): (&E, &E)) -> Result<(), String>
where
    V: Finite + Debug,
    D: Scalar + PartialEq + Debug,
    E: CorrectAd<V, D> + PartialEq + Debug,
{
    equal("abs 0 = 0", &E::zero().abs(), &Dense::zero())?;
    equal("abs (a + b) = abs a + abs b", &a.add(b).abs(), &a.abs().add(&b.abs()))?;
    equal("abs (d • a) = d • abs a", &a.scale(d).abs(), &a.abs().scale(d))?;
    equal("abs (delta v) = delta v", &E::delta(v).abs(), &Dense::delta(v))?;
    equal("rep (abs a) = a", &E::rep(&a.abs()), a)?;
    let dense = b.abs();
    equal("abs (rep f) = f", &E::rep(&dense).abs(), &dense)
}

/// Every representation computes what `Dense` does: `abs (abstract_derivative var e) = abstract_derivative var e`, and
/// the same with `rep` on the right.   [000 Theorem 2]
///
/// # Errors
/// Where they differ, both sides.
pub fn theorem_2<V, D, E>(var: impl Fn(&V) -> D, e: &Expr<V>) -> Result<(), String>
where
    V: Finite + Debug,
    D: Scalar + PartialEq + Debug,
    E: CorrectAd<V, D> + PartialEq + Debug,
{
    let dense: Nagata<D, Dense<V, D>> = abstract_derivative(&var, e);
    let other: Nagata<D, E> = abstract_derivative(&var, e);
    equal("the primal does not depend on the tangent", &other.primal, &dense.primal)?;
    equal("fmap abs (abstract_derivative var e) = abstract_derivative var e", &other.tangent.abs(), &dense.tangent)?;
    equal("abstract_derivative var e = fmap rep (abstract_derivative var e)", &other.tangent, &E::rep(&dense.tangent))
}
