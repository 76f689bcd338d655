//! Calls of machine code, for every backend that makes it.
//!
//! ```text
//! values, or borrowed numbers ──words──▶ machine code ──words──▶ a value, or the caller's buffers
//! ```
//!
//! [`Code`] is a loop program as machine code: its functions, and how each is called. A backend gives it a [`Machine`],
//! which enters procedures. Values and errors are those of the interpreter, so that all backends and the interpreter can
//! replace each other.
//!
//! - [`code`]: functions of a program, with plain products first and exact ones where a NaN appears
//! - [`interface`], [`call`]: calls with borrowed numbers
//! - [`fault`](mod@fault): run-time errors, with the messages of the interpreter
//! - `marshal`: values as words, and back

pub mod call;
pub mod code;
pub mod fault;
pub mod interface;
mod marshal;

pub use call::{Call, Refused};
pub use code::{Code, Function, Machine, Stop, keep_memory};
pub use interface::{Argument, Interface, Leaf, Misfit, Output};
pub use riesz_program::{Precision, Signature};
pub use riesz_runtime::Pool;
