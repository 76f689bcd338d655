//! Linear maps as terms.

mod adjoint;
mod apply;
mod associate;
mod coo;
mod cost;
mod fold;
pub mod law;
mod map;
mod matrix;
mod parse;
mod plan;
mod print;
mod relation;
mod row;
mod sample;
mod simplify;
mod space;
mod unitary;
mod vector;

pub use associate::Association;
pub use coo::Coo;
pub use cost::{Cost, Costs};
pub use map::{Contraction, Form, LinearMap, RankOne, Side};
pub use matrix::Matrix;
pub use parse::ParseError;
pub use relation::{Line, Relation, Walk};
pub use sample::Sampler;
pub use simplify::Step;
pub use space::{Space, SpaceError, inner};
pub use unitary::Unitary;
pub use vector::Vector;
