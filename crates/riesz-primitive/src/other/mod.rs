//! Rows that are neither functions of numbers nor first-order functions of arrays: conversions, constants, the forms of
//! the core, the operators of the calculus, and the functions of the prelude. Their rows only name and describe them.

pub mod constant;
pub mod conversion;
pub mod form;
pub mod operator;
pub mod prelude;

use crate::primitive::Primitive;

pub(crate) static FILES: &[&[&Primitive]] =
    &[form::ROWS, operator::ROWS, conversion::ROWS, constant::ROWS, prelude::ROWS];
