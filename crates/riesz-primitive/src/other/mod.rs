//! What is neither a function of numbers nor a first-order function of arrays: conversions, constants, the forms of the
//! core, the operators of the calculus, and the functions of the prelude. Their rows name and describe them.

pub mod constant;
pub mod conversion;
pub mod form;
pub mod operator;
pub mod prelude;

use crate::primitive::Primitive;

pub(crate) static FILES: &[&[&Primitive]] =
    &[form::ROWS, operator::ROWS, conversion::ROWS, constant::ROWS, prelude::ROWS];
