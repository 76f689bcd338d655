//! Loop programs: the form of a program between core and generated code.
//!
//! In the order in which they run:
//!
//! - [`program`]: procedures over numbers and flat buffers
//! - [`lower`](mod@lower): functions of the core as procedures
//! - [`layout`]: the layout of arguments and results
//! - [`passes`]: the passes over loop programs
//! - [`schedule`]: how the iterations of loops run on a machine; plain zeros and the NaN flag
//! - [`verify`](mod@verify): the invariants of loop programs
//! - [`evaluate`]: the reference evaluator
//! - [`pass`]: values for the evaluator
//! - [`print`](mod@print): loop programs as text
//!
//! Analyses that several of them share:
//!
//! - `visit`: the operands, buffers and blocks of statements
//! - `iterations`: loop-invariant values
//! - [`polynomial`]: the polynomials by which positions and sizes are compared
//!
//! Modules that all backends share:
//!
//! - [`name`]: names as the user wrote them, which cannot be printed by accident
//! - [`foreign`]: the insertion of the user's names and paths into code
//! - [`scope`]: where mutable registers are declared, and which loops count their iterations
//! - [`sizes`]: the sizes that may exceed the integers
//! - [`pieces`]: the parts of a runtime that generated code uses
//! - [`fault`]: the messages of run-time errors
//! - [`interface`]: the parameters and results of a procedure for outside callers

pub mod evaluate;
pub mod fault;
pub mod foreign;
pub mod interface;
mod iterations;
pub mod layout;
pub mod lower;
pub mod name;
pub mod pass;
pub mod passes;
pub mod pieces;
pub mod polynomial;
mod precision;
pub mod print;
pub mod program;
pub mod schedule;
pub mod scope;
pub mod sizes;
pub mod verify;
mod visit;

pub use interface::Signature;
pub use lower::{Entry, Unsupported, lower, lower_plainly};
pub use passes::improve;
pub use precision::Precision;
pub use program::{Procedure, ProcedureId, Program};
pub use visit::{any_buffer, blocks, each_operand, each_statement};
