//! The handle: a program, a function of it, a derivative of that, code, calls.
//!
//! ```text
//! Program ──function──▶ Function ──grad, jvp, vjp, jacobian, ...──▶ Function ──compile──▶ Compiled ──call──▶ numbers
//! ```
//!
//! - `program`: texts that have been checked
//! - `function`: functions of a program and derivatives of them, as descriptions
//! - `derivative`: such a description as a function of the core
//! - `compiled`: code that is called with borrowed numbers
//! - `error`: the errors of all of these steps

mod compiled;
pub(crate) mod derivative;
mod error;
mod function;
mod program;

pub use compiled::Compiled;
pub use error::{Diagnostics, Error};
pub use function::Function;
pub use program::Program;
