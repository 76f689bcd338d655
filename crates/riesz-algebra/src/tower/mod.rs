//! Values with derivatives that are linear maps.   [001 §8]
//!
//! | type | holds | paper |
//! |---|---|---|
//! | [`Function`] | a function as a number: `sin u` is `x ↦ sin (u x)` | 001 §2 |
//! | [`Differential`] | `u ▷ v`: a value and its derivative | 001 §10.1 |
//! | [`Differentiable`] | `u ↪ v`: a function and its derivative | 001 §10.5 |
//! | [`Tower`] | `u ▷* v`: a value and its derivatives of every order | 001 §10.6 |

mod differential;
mod function;
mod lazy;

pub use differential::{Differentiable, Differential, naturality_law, pairing_law};
pub use function::Function;
pub use lazy::Tower;
