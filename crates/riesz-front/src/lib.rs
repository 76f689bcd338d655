//! The front end of Riesz for functions written in Rust.
//!
//! ```text
//! Rust ──read──▶ terms ──recognise──▶ Riesz text ──check, differentiate, lower──▶ Rust
//!        lower                                    compile: the language's own compiler
//! ```
//!
//! [`differentiable`] implements the attribute `#[differentiable]`: it does not change the function, and adds an empty
//! enum of the same name, whose associated functions are the derivatives. A function of Rust becomes a function of the
//! language, which the language's own checker, calculus, optimiser, lowering and printer compile.
//!
//! - `module`, `unit`, `attribute`: the item with the attribute, its options, and the generated items
//! - `world`, `link`: the scope of functions, in their module and in others
//! - `generic`: functions that are generic over a float
//! - `operator`: operators of types, as methods
//! - `types`, `signature`: the types of the subset, in signatures and inside functions
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
mod operator;
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
pub use module::{Expansion, derivative, derive, differentiable, link, without_derivatives};
