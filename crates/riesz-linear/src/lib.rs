//! Linear maps as terms: the language in which Riesz writes derivatives down.
//!
//! The derivative of `f : S -> T` at a point is a [`LinearMap`] from `S` to `T`. Here it is not a matrix and not a
//! closure but a term over a closed set of [`Form`]s, so it can be applied (forward mode), transposed and applied (reverse
//! mode), simplified by the laws of linear algebra, written out as a dense or sparse matrix, printed and read back, and
//! each of these is one short file.
//!
//! The derivative of `b * sin(dot(a, x))` is a column after a multiple after a row. The laws find that this is
//! `c · (b ⊗ a)`, which keeps `m + n` numbers where the matrix has `m · n`:
//!
//! ```
//! use riesz_linear::{LinearMap, Space, Vector};
//!
//! let (a, b) = (Vector::of_reals([1.0, 2.0, 3.0]), Vector::of_reals([4.0, 5.0]));
//! let derivative = LinearMap::compose(vec![
//!     LinearMap::column(b),
//!     LinearMap::scale(0.5, Space::Real),
//!     LinearMap::row(a),
//! ])?;
//!
//! let (simple, steps) = derivative.simplify_with_steps();
//! assert_eq!(simple.to_string(), "0.5 · ([4.0, 5.0] ⊗ [1.0, 2.0, 3.0])");
//! assert_eq!(steps[0].law.name, "scale slides");
//!
//! // forward, and reverse
//! assert_eq!(simple.apply(&[1.0, 0.0, 0.0]), [2.0, 2.5]);
//! assert_eq!(simple.adjoint().apply(&[1.0, 0.0]), [2.0, 4.0, 6.0]);
//!
//! // what it costs: 3 + 1 + 2 multiplications, not 6 for each of 3 columns
//! assert_eq!(simple.cost().multiplications, 6);
//! assert_eq!(simple.matrix().values(), [2.0, 4.0, 6.0, 2.5, 5.0, 7.5]);
//!
//! // text reads back
//! let read: LinearMap = "0.5 · ([4.0, 5.0] ⊗ [1.0, 2.0, 3.0])".parse()?;
//! assert_eq!(read, simple);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`space`](Space) and [`vector`](Vector), [`map`](LinearMap) and its forms, then one verb after the
//! other. [`law`] is the table that the simplifier, the tests and the book share.

mod space;
mod vector;

mod language;
mod numbers;
mod pattern;

mod relation;
mod unitary;

mod construct;
mod entries;
mod map;

mod adjoint;
mod apply;
mod coo;
mod cost;
pub mod count;
mod matrix;

mod associate;
pub mod law;
mod measure;
mod rules;
mod simplify;

mod parse;
pub mod print;

mod fold;
mod plan;
mod row;
mod sample;

pub use associate::Association;
pub use coo::Coo;
pub use cost::{Cost, Costs};
pub use entries::Entries;
pub use language::{Extra, Language};
pub use map::{Contraction, Family, Form, LinearMap, Map, RankOne, Side};
pub use matrix::{Band, Matrix};
pub use measure::Measure;
pub use numbers::Numbers;
pub use parse::ParseError;
pub use pattern::{Argument, Function, Kind, Value, When};
pub use relation::{Line, Relation, Walk};
pub use sample::Sampler;
pub use simplify::Step;
pub use space::{Space, SpaceError, inner};
pub use unitary::Unitary;
pub use vector::Vector;
