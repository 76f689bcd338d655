//! The one table of primitives.
//!
//! A row of the [`table()`] contains everything about a built-in function: its name, its signatures in the language
//! itself, its manual entry, its evaluation, its derivative as data, the domain of its tests, and its spelling in
//! generated code. Evaluation in every scalar algebra, every mode of differentiation, completion, `:help` and the tests
//! read the row. `docs/add-a-primitive.md` explains how to add one.
//!
//! - [`primitive`]: the type of a row
//! - [`derivative`]: a derivative as data, and its evaluation
//! - [`number`]: the scalar algebras a program can be evaluated in
//! - [`counted`]: numbers that count the operations on them
//! - [`matrix`]: the functions of linear algebra, and their derivatives in every algebra
//! - [`scalar`], [`array`](mod@array), [`other`]: the rows

pub mod counted;
pub mod derivative;
pub mod erased;
pub mod matrix;
pub mod nagata;
pub mod number;
pub mod over;
pub mod primitive;
pub mod series;
pub mod stream;
mod table;

pub mod array;
pub mod other;
pub mod scalar;

pub use array::Array;
pub use counted::{Counted, Operations, count, record};
pub use derivative::{Coefficient, Comparison, Derivative, LinearTerm};
pub use erased::Erased;
pub use matrix::MatrixFunction;
pub use number::Number;
pub use primitive::{
    Conversion, Differentiation, Domain, Form, Integer, Kind, OnIntegers, OnReals, Operator, Primitive, Scalar, Work,
};
pub use riesz_algebra::real::gamma;
pub use series::Series;
pub use table::{find, table};
