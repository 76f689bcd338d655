//! Derivatives of higher order.   [000 §6.3]
//!
//! Nagata numbers over Nagata numbers have second derivatives, and hold the first ones twice; nested `n` times they hold
//! `2ⁿ` values of which `n + 1` differ. [`Second`] holds each once, [`Stream`] has derivatives of every order, and
//! [`hybrid`](hessian_vector) differentiates in one direction what reverse mode differentiates in all.

mod hybrid;
mod second;
mod stream;

pub use hybrid::{HessianVector, hessian_vector};
pub use second::Second;
pub use stream::Stream;
