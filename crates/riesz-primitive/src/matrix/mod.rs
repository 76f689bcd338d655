//! The functions of linear algebra: on plain numbers, and their derivatives in every algebra.

mod plain;
mod tangent;

pub(crate) use plain::evaluate;
pub use tangent::tangent;

use crate::array;
use crate::primitive::Primitive;

/// A function of a square matrix. None of them fails: a matrix it cannot treat gives NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFunction {
    /// The lower triangular `l` with `l lᵀ = a`, zero above the diagonal. Of the symmetric part of `a`. NaN
    /// on and below the diagonal where that is not positive definite.
    Cholesky,
    /// The solution `x` of `a x = b`; NaN where `a` is singular.
    Solve,
    /// The inverse; NaN where `a` is singular.
    Inverse,
    /// The determinant.
    Determinant,
    /// The logarithm of the absolute value of the determinant; −inf where `a` is singular.
    LogDeterminant,
    /// The gradient of the determinant, `det(a) a⁻ᵀ`, finite also where `a` is singular.
    Cofactor,
}

impl MatrixFunction {
    /// The row of the function.
    pub fn primitive(self) -> &'static Primitive {
        match self {
            MatrixFunction::Cholesky => &array::CHOLESKY,
            MatrixFunction::Solve => &array::SOLVE,
            MatrixFunction::Inverse => &array::INV,
            MatrixFunction::Determinant => &array::DET,
            MatrixFunction::LogDeterminant => &array::LOGDET,
            MatrixFunction::Cofactor => &array::COFACTOR,
        }
    }
}
