//! Single precision: sixteen numbers side by side.
//!
//! Arithmetic is in single precision. Elementary functions are computed in double precision and rounded, so their error
//! is hardly more than half a unit in the last place; so are products of matrices and linear algebra.

#[path = "../arithmetic.rs"]
pub mod arithmetic;
#[path = "../gather.rs"]
pub mod gather;
#[path = "../integer.rs"]
pub mod integer;
#[path = "../lanes.rs"]
pub mod lanes;
pub mod math;
pub mod matrix;
#[path = "../number.rs"]
pub mod number;
#[path = "../rows.rs"]
pub mod rows;
#[path = "../strip.rs"]
pub mod strip;

pub use crate::special::rounded::*;
pub use crate::{
    Buffer, Chunks, Context, Element, Fault, Outcome, Room, Shared, Strides, Target, add, at, fault, in_chunks, part,
    part_mut, product_in_lanes, put,
};
pub use gather::*;
pub use lanes::*;
pub use math::{polygamma, sin_cos};
pub use matrix::*;
pub use number::*;
pub use rows::{store_interleaved, store_rows};
pub use strip::*;

/// A real number.
pub type R = f32;
