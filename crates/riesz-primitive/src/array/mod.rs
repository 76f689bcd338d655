//! The first-order functions of arrays.

mod algebra;
mod index;
mod kind;
mod structure;

pub use algebra::*;
pub use index::{Backward, Bounds, Direction, Index, Indexing, Indices, Reindex};
pub use kind::{Adjoint, Array, Contraction, LinearIn, Matrix, MatrixResult, Product};
pub use structure::*;

use crate::primitive::Primitive;

pub(crate) static FILES: &[&[&Primitive]] = &[structure::ROWS, algebra::ROWS];
