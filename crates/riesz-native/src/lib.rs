//! Programs of Riesz as native code.
//!
//! ```text
//! core ──lower──▶ loop program ──emit──▶ Rust ──rustc──▶ library ──call──▶ value
//! ```
//!
//! A [`Compiler`] is the `rustc` of the machine, and a [`Cache`] holds the libraries that it has built, by a hash of
//! their inputs. [`Code`] is a loaded library with its functions. Values and errors are those of the interpreter, so
//! that native code and interpreter can replace each other.
//!
//! - [`compiler`]: `rustc`, and how it is called
//! - [`cache`]: the libraries that it has built
//! - `directory`, `work`, `child`: private directories, and compiler processes that leave no files behind
//! - `runtime`, [`processor`](mod@processor): the library that generated code uses, and the processor that it is
//!   compiled for
//! - [`problem`]: reasons why there is no native code
//! - [`code`]: loaded functions
//! - [`interface`], [`call`]: calls with borrowed numbers
//! - [`fault`](mod@fault): run-time errors, with the messages of the interpreter
//! - `marshal`: values as words, and back

pub mod cache;
pub mod call;
mod child;
pub mod code;
pub mod compiler;
mod directory;
pub mod fault;
pub mod interface;
mod marshal;
pub mod problem;
pub mod processor;
mod runtime;
mod work;

pub use cache::Cache;
pub use call::{Call, Refused};
pub use child::{Building, Watch};
pub use code::{Code, Function, Stop};
pub use compiler::{Compiler, Settings};
pub use interface::{Argument, Interface, Leaf, Misfit, Output};
pub use problem::Problem;
pub use processor::processor;
pub use riesz_program::Signature;
pub use riesz_runtime::Pool;
pub use riesz_rust::Precision;
pub use work::abandon_builds;
