//! The calculus: derivatives of core programs, as core programs.
//!
//! `D(f, x)` is compiled to one run of the primal, its residuals, and a linear program. Forward mode runs the linear
//! program; reverse mode runs its transpose, with accumulators.   [002 §3 and 5; 003 Thm 6.5]
//!
//! - [`linearise`](mod@linearise): `f` becomes `f' : x ↦ (f x, residuals)` and `L : (residuals, dx) ↦ dy`, linear in `dx`.
//! - [`transpose`](mod@transpose): `L` becomes `Lᵀ : (residuals, dy) ↦ dx`, binding by binding from the end.
//! - [`compile`]: every derivative in a program is replaced by calls of these, innermost first, so that derivatives nest.
//!
//! No function of numbers has a reverse rule: the table of primitives states each derivative as a linear map, and
//! transposition reverses it. A function of arrays may name its adjoint, which a test compares with the converse
//! relation.

mod active;
mod array;
mod associate;
mod checkpoint;
mod coefficient;
mod compile;
mod defunctionalise;
mod jacobian;
pub mod linearise;
mod map;
mod sides;
mod specialise;
mod structure;
mod system;
mod taylor;
pub mod transpose;
mod varying;
mod whole;

pub use associate::Associate;
pub use checkpoint::Checkpoints;
pub use compile::{
    Calculus, Derived, Options, Problem, compile, compile_for_code, compile_from, compile_with, compile_with_map,
    forget_rules, has_derivatives, hold_rules,
};
pub use structure::structure;
pub use whole::{Whole, Wholes, functions_of};
