//! Programs of Riesz as native code.
//!
//! ```text
//! core ──lower──▶ loop program ──emit──▶ Rust ──rustc──▶ library ──call──▶ value
//! ```
//!
//! A [`Compiler`] is the `rustc` of the machine, and a [`Cache`] has what it has built, by the hash of all that it was
//! built from. [`Code`] is a library that has been loaded, with the functions it holds. Values go in and out as the
//! interpreter has them, and so do errors: code and interpreter can stand for each other.
//!
//! - [`compiler`]: `rustc`, and how it is called
//! - [`cache`]: what it has built
//! - `directory`, `work`, `child`: places that are the user's alone, and compilers that leave nothing behind
//! - `runtime`, [`processor`](mod@processor): what generated code is built with, and for
//! - [`problem`]: why there is no native code
//! - [`code`]: functions that can be called
//! - [`fault`](mod@fault): what went wrong in a run, as the interpreter says it
//! - [`native`]: functions compiled as they are needed, with the interpreter behind them
//! - `marshal`: values as words, and back

pub mod cache;
mod child;
pub mod code;
pub mod compiler;
mod directory;
pub mod fault;
mod marshal;
pub mod native;
pub mod problem;
pub mod processor;
mod runtime;
mod work;

pub use cache::Cache;
pub use child::{Building, Watch};
pub use code::{Code, Function, Signature, Stop};
pub use compiler::{Compiler, Settings};
pub use native::{Native, Run};
pub use problem::Problem;
pub use processor::processor;
pub use riesz_runtime::Pool;
pub use riesz_rust::Precision;
pub use work::abandon_builds;
