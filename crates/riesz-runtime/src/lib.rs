//! The library that generated code calls. It has no dependencies, so that its source can be compiled by itself.
//!
//! - [`context`]: the limits of a run, and its errors
//! - [`boundary`]: the interface for outside callers
//! - [`memory`]: the alignment of buffers
//! - [`recycle`]: buffers, whose memory is used again
//! - [`chunk`], [`crew`]: loops in chunks, and threads that share them
//! - [`buffer`]: elements of buffers, with positions that are known to be in bounds
//! - [`number`]: functions of numbers that the standard library lacks
//! - [`circle`]: sine and cosine of one number together
//! - [`gamma`]: the derivatives of `log Γ`
//! - [`special`]: functions that are computed number by number
//! - [`lanes`], [`arithmetic`], [`integer`], [`gather`], [`math`], [`power`], [`elementary`], [`angle`]:
//!   eight numbers side by side, and functions of them
//! - [`strip`]: four times eight
//! - [`single`]: the same in single precision
//! - [`product`], `tile`: products of matrices, and their tiles
//! - `instructions`: sums of products by the best instructions of the processor
//! - [`system`], `entries`, `bordered`, `elimination`: linear systems of which few entries are not zero
//! - [`matrix`], `triangular`, `factor`, `cholesky`, `cofactor`, `transpose`: linear algebra, nearly all of it by products

// Lanes are written once, over `R`, which is one type here and another in `single`.
#![allow(clippy::duplicate_mod)]

pub mod angle;
pub mod arithmetic;
mod bordered;
pub mod boundary;
pub mod buffer;
mod cholesky;
pub mod chunk;
pub mod circle;
mod cofactor;
pub mod context;
pub mod crew;
pub mod elementary;
mod elimination;
mod entries;
mod factor;
pub mod gamma;
pub mod gather;
mod instructions;
pub mod integer;
pub mod lanes;
pub mod math;
pub mod matrix;
pub mod memory;
pub mod number;
pub mod power;
pub mod product;
pub mod recycle;
pub mod rows;
pub mod single;
#[cfg(feature = "source")]
#[path = "../source.rs"]
pub mod source;
pub mod special;
pub mod strip;
pub mod system;
mod tile;
mod transpose;
mod triangular;

pub use buffer::*;
pub use cholesky::*;
pub use chunk::{Chunks, in_chunks};
pub use circle::sin_cos;
pub use context::*;
pub use crew::{Crew, Pool};
pub use gamma::polygamma;
pub use gather::*;
pub use lanes::*;
pub use matrix::*;
pub use memory::Aligned;
pub use number::*;
pub use product::*;
pub use recycle::Buffer;
pub use rows::{store_interleaved, store_rows};
pub use special::*;
pub use strip::*;
pub use system::*;

/// A real number.
pub type R = f64;
