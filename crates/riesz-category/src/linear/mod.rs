//! Representations of linear maps, each a category with biproducts, and three ways to make one of another.

mod additive;
mod matrix;
mod nothing;
mod term;

mod begin;
mod cont;
mod dual;

pub use additive::{Additive, Arrow};
pub use begin::{Begin, Beginning};
pub use cont::{Cont, Continued};
pub use dual::{Dual, Reversed};
pub use matrix::{Matrices, Rows};
pub use nothing::Nothing;
pub use term::Terms;
