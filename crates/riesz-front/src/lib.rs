//! The front end of Riesz for functions written in Rust.
//!
//! ```text
//! Rust ──read──▶ terms ──recognise──▶ Riesz text ──check, differentiate, lower──▶ Rust
//!        lower                                    compile: the language's own compiler
//! ```
//!
//! [`differentiable`] is what the attribute `#[differentiable]` does: it leaves the function as it is, and adds an empty
//! enum of the same name, whose methods are the derivatives. A function of Rust becomes a function of the language, and
//! everything behind that is shared with the language: the checker, the calculus, the optimiser, the lowering and the
//! printer.
//!
//! - `module`, `unit`, `attribute`: what the attribute is on, and what it adds
//! - `world`, `link`: what functions see, in their module and in others
//! - `generic`: functions that are generic over a float
//! - `types`, `signature`: the types of the subset, in signatures and inside of functions
//! - `lower`: functions as terms; mutation and control flow become values
//! - `rule`: `#[derivative(of = f)]`, the derivatives of functions that the compiler cannot see
//! - `recognise`: loops as sums and arrays
//! - `print`: terms as text, with places
//! - `compile`: text as Rust functions
//! - `expand`: the derivatives' methods

mod attribute;
mod compile;
mod error;
mod expand;
mod generic;
mod link;
mod lower;
mod module;
mod print;
mod recognise;
mod rule;
mod signature;
mod term;
mod types;
mod unit;
mod world;

#[doc(hidden)]
pub use compile::LIBRARY;
pub use module::{Expansion, derivative, derive, differentiable, link};
