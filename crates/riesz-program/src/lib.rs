//! Loop programs: what core programs become before they become code.
//!
//! - [`program`]: procedures over numbers and flat buffers
//! - [`lower`]: functions of the core as procedures
//! - [`layout`]: how values are passed to procedures and from them
//! - [`improve`](mod@improve): the passes over loop programs, which are these:
//! - [`cell`](mod@cell): a buffer of one number is a register
//! - [`join`](mod@join): arrays that are only joined are written where they go
//! - [`once`](mod@once): what every turn of a loop writes alike is written once
//! - [`place`](mod@place): a product of matrices that is only copied is computed where it goes
//! - [`fuse`](mod@fuse): loops over the same indices, or a few less, are one
//! - [`pull`](mod@pull): linear maps come out of sums
//! - [`tabulate`](mod@tabulate): what costs much and is the same in every turn of a loop is computed once
//! - [`edge`](mod@edge): the turns at the edges of a loop apart from those inside
//! - [`own`](mod@own): what a turn writes for others to keep, it reads from a copy of its own
//! - [`stage`](mod@stage): what a turn reads far apart from its neighbours, it reads once
//! - [`double`](mod@double): `b · c + b · c` as `b · 2c`, for a number `c`
//! - [`tidy`]: what a procedure computes to no end is left out, and what its loops need is made before them
//! - [`relax`](mod@relax): products in which zero is exact, without the price
//! - [`watch`](mod@watch): whether a result is NaN, noticed while it is written
//! - [`polynomial`]: what integers are, which passes compare positions and sizes by
//! - [`verify`](mod@verify): what every loop program is
//! - [`evaluate`]: what a loop program computes
//! - [`pass`]: values for the evaluator
//! - [`print`](mod@print): loop programs as text

mod apart;
pub mod cell;
pub mod double;
pub mod edge;
pub mod evaluate;
mod expand;
pub mod fuse;
pub mod improve;
pub mod join;
pub mod layout;
pub mod lower;
pub mod once;
pub mod own;
pub mod pass;
pub mod place;
pub mod polynomial;
pub mod print;
pub mod program;
pub mod pull;
pub mod relax;
pub mod stage;
pub mod tabulate;
pub mod tidy;
mod turns;
pub mod verify;
mod visit;
pub mod watch;

pub use improve::improve;
pub use lower::{Entry, Unsupported, lower, lower_plainly};
pub use program::{Procedure, ProcedureId, Program};
pub use relax::relax;
pub use visit::{any_buffer, blocks, each_operand, each_statement};
pub use watch::watch;
