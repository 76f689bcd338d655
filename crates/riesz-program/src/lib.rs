//! Loop programs: the form of a program between core and generated code.
//!
//! - [`program`]: procedures over numbers and flat buffers
//! - [`lower`]: functions of the core as procedures
//! - [`layout`]: the layout of arguments and results
//! - [`improve`](mod@improve): the list of passes over loop programs:
//! - [`cell`](mod@cell): a buffer of one number becomes a register
//! - [`join`](mod@join): arrays that are only concatenated are written to their final place
//! - [`once`](mod@once): loop-invariant stores are hoisted
//! - [`place`](mod@place): a product of matrices that is only copied is computed in its final place
//! - [`fuse`](mod@fuse): loops over the same indices, or a few less, are fused
//! - [`pull`](mod@pull): linear maps come out of sums
//! - [`tabulate`](mod@tabulate): expensive loop-invariant values are computed once, into tables
//! - [`edge`](mod@edge): boundary iterations are split off
//! - [`own`](mod@own): privatisation: an iteration reads its results from its own copy
//! - [`stage`](mod@stage): preloading: distant elements are read once
//! - [`double`](mod@double): `b · c + b · c` as `b · 2c`, for a number `c`
//! - [`tidy`]: dead code is removed, and buffers and invariant values are moved out of loops
//! - [`relax`](mod@relax): plain zeros: ordinary products run first, and exact ones only if a NaN appears
//! - [`watch`](mod@watch): the NaN flag: a NaN in a result is detected while it is written
//! - [`schedule`]: how the iterations of loops run on a machine
//! - [`polynomial`]: the polynomials by which passes compare positions and sizes
//! - [`verify`](mod@verify): the invariants of loop programs
//! - [`evaluate`]: the reference evaluator
//! - [`pass`]: values for the evaluator
//! - [`print`](mod@print): loop programs as text
//!
//! Modules that all backends share:
//!
//! - [`name`]: names as the user wrote them, which cannot be printed by accident
//! - [`foreign`]: the insertion of the user's names and paths into code
//! - [`scope`]: where mutable registers are declared, and which loops count their iterations
//! - [`sizes`]: the sizes that may exceed the integers
//! - [`fault`]: the messages of run-time errors
//! - [`interface`]: the parameters and results of a procedure for outside callers

mod apart;
pub mod cell;
pub mod double;
pub mod edge;
pub mod evaluate;
mod expand;
pub mod fault;
pub mod foreign;
pub mod fuse;
pub mod improve;
pub mod interface;
pub mod join;
pub mod layout;
pub mod lower;
pub mod name;
pub mod once;
pub mod own;
pub mod pass;
pub mod pieces;
pub mod place;
pub mod polynomial;
pub mod print;
pub mod program;
pub mod pull;
pub mod relax;
pub mod schedule;
pub mod scope;
pub mod sizes;
pub mod stage;
pub mod tabulate;
pub mod tidy;
mod turns;
pub mod verify;
mod visit;
pub mod watch;

pub use improve::improve;
pub use interface::Signature;
pub use lower::{Entry, Unsupported, lower, lower_plainly};
pub use program::{Procedure, ProcedureId, Program};
pub use relax::relax;
pub use visit::{any_buffer, blocks, each_operand, each_statement};
pub use watch::watch;
