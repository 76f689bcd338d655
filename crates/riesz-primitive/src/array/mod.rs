//! The first-order functions of arrays.

mod algebra;
mod structure;

pub use algebra::*;
pub use structure::*;

use crate::primitive::Primitive;

pub(crate) static FILES: &[&[&Primitive]] = &[structure::ROWS, algebra::ROWS];
