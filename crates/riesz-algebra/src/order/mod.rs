//! Derivatives of higher order.   [000 §6.3]
//!
//! Nagata numbers over Nagata numbers have second derivatives, but store the first ones twice; nested `n` times they
//! store `2ⁿ` values of which `n + 1` differ. [`Second`] stores each once, [`Stream`] has derivatives of every order,
//! and [`hybrid`](hessian_vector) differentiates the reverse-mode gradient in one direction.

mod hybrid;
mod second;
mod stream;

pub use hybrid::{HessianVector, hessian_vector};
pub use second::Second;
pub use stream::Stream;
