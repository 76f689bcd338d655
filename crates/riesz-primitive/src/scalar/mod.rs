//! The functions of numbers.
//!
//! Each file contains a family. Its list of rows comes first, then the rows, each under the equation of its derivative.
//! In the coefficients, `X` and `Y` are the arguments and `R` is the result.

mod arithmetic;
mod exponential;
mod hyperbolic;
mod power;
mod special;
mod step;
mod trigonometric;

pub use arithmetic::*;
pub use exponential::*;
pub use hyperbolic::*;
pub use power::*;
pub use special::*;
pub use step::*;
pub use trigonometric::*;

use crate::derivative::Coefficient;
use crate::primitive::{Domain, Primitive};

pub(crate) static FILES: &[&[&Primitive]] = &[
    arithmetic::ROWS,
    power::ROWS,
    exponential::ROWS,
    trigonometric::ROWS,
    hyperbolic::ROWS,
    step::ROWS,
    special::ROWS,
];

/// The first argument.
const X: Coefficient = Coefficient::Argument(0);
/// The second argument.
const Y: Coefficient = Coefficient::Argument(1);
/// The result.
const R: Coefficient = Coefficient::Result;
/// 0
const ZERO: Coefficient = Coefficient::Constant(0.0);
/// 1
const ONE: Coefficient = Coefficient::Constant(1.0);

/// Where nothing overflows, nor stands too close to an edge for a difference to say anything.
const ANYWHERE: Domain = Domain::Reals(-4.0, 4.0);
const POSITIVE: Domain = Domain::Reals(0.05, 8.0);
