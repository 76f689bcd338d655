//! Programs of Riesz as native code.
//!
//! ```text
//! core ──lower──▶ loop program ──emit──▶ Rust ──rustc──▶ library ──call──▶ value
//! ```
//!
//! A [`Compiler`] is the `rustc` of the machine and a directory in which what it has built is kept, by the hash of the
//! source. [`Code`] is a library that has been loaded, with the functions it holds. Values go in and out as the
//! interpreter has them, and so do errors: code and interpreter can stand for each other.
//!
//! - [`compile`]: `rustc`, and the cache
//! - [`code`]: functions that can be called
//! - [`fault`](mod@fault): what went wrong in a run, as the interpreter says it
//! - [`native`]: functions compiled as they are needed, with the interpreter behind them
//! - `marshal`: values as words, and back

pub mod code;
pub mod compile;
pub mod fault;
mod marshal;
pub mod native;

pub use code::{Code, Function, Signature, Stop};
pub use compile::{Compiler, Settings};
pub use native::{Native, Run};
pub use riesz_runtime::Pool;
pub use riesz_rust::Precision;
