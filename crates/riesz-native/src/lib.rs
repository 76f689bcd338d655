//! Programs of Riesz as native code.
//!
//! ```text
//! core ──lower──▶ loop program ──emit──▶ Rust ──rustc──▶ library ──call──▶ value
//! ```
//!
//! A [`Compiler`] is the `rustc` of the machine, and a [`Cache`] holds the libraries that it has built, by a hash of
//! their inputs. [`compile`] gives the functions of a program as [`Code`].
//!
//! - [`compiler`]: `rustc`, and how it is called
//! - [`cache`]: the libraries that it has built
//! - `directory`, `work`, `child`: private directories, and compiler processes that leave no files behind
//! - `runtime`, [`processor`](mod@processor): the library that generated code uses, and the processor that it is
//!   compiled for
//! - [`problem`]: reasons why there is no native code
//! - [`code`]: loaded functions

pub mod cache;
mod child;
pub mod code;
pub mod compiler;
mod directory;
pub mod problem;
pub mod processor;
mod runtime;
mod work;

pub use cache::Cache;
pub use child::{BuildObserver, Building};
pub use code::{build, compile};
pub use compiler::{Compiler, Settings};
pub use problem::Problem;
pub use processor::processor;
pub use riesz_call::{Code, Pool, Precision, Signature, Stop};
pub use work::abandon_builds;
