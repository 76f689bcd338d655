//! The functions of linear algebra: on plain numbers, and their derivatives in every algebra.

mod cholesky;
mod cofactor;
mod elimination;
mod plain;
mod sparse;
mod tangent;

pub use cholesky::{cholesky_cotangent, cholesky_tangent};
pub use cofactor::{cofactor, determinant};
pub use elimination::by_elimination;
pub(crate) use plain::evaluate;
pub use sparse::{Entry, as_dense, entries};
pub use tangent::tangent;

use crate::array;
use crate::primitive::{Kind, Primitive};

/// A function of a square matrix, or of two. None of them fails: a matrix it cannot treat gives NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFunction {
    /// The lower triangular `l` with `l lᵀ = a`, zero above the diagonal. Of the symmetric part of `a`. NaN
    /// on and below the diagonal where that is not positive definite.
    Cholesky,
    /// The solution `x` of `a x = b`; NaN where `a` is singular.
    Solve,
    /// The solution `x` of `a x = b`, in which a column of zeros has the solution zero; NaN in other columns where `a` is
    /// singular.
    ExactSolve,
    /// The solution `x` of `a x = b`, where `a` is a list of entries: all rows, all columns, all numbers. NaN where `a` is
    /// singular.
    SparseSolve,
    /// The same, in which a column of zeros has the solution zero.
    ExactSparseSolve,
    /// The solution `x` of `aᵀ x = b`, likewise.
    ExactSparseSolveTransposed,
    /// The inverse; NaN where `a` is singular.
    Inverse,
    /// The determinant.
    Determinant,
    /// The logarithm of the absolute value of the determinant; −inf where `a` is singular.
    LogDeterminant,
    /// The gradient of the determinant, `det(a) a⁻ᵀ`, and its derivatives: `Dᵏ cof a (h₁, …, hₖ)`, where the `n × n` matrices
    /// `hᵢ` follow each other in `b`, which has `k · n` columns. Also where `a` is singular.
    Cofactor,
    /// The derivative of [`Cholesky`](MatrixFunction::Cholesky) where the factor is the lower triangular `a`, applied to
    /// the `n × n` matrix `b`.
    CholeskyTangent,
    /// The adjoint of that derivative, applied to `b`.
    CholeskyCotangent,
}

impl MatrixFunction {
    /// The row of the function.
    pub fn primitive(self) -> &'static Primitive {
        match self {
            MatrixFunction::Cholesky => &array::CHOLESKY,
            MatrixFunction::Solve => &array::SOLVE,
            MatrixFunction::ExactSolve => &array::EXACT_SOLVE,
            MatrixFunction::SparseSolve => &array::SPARSE_SOLVE,
            MatrixFunction::ExactSparseSolve => &array::EXACT_SPARSE_SOLVE,
            MatrixFunction::ExactSparseSolveTransposed => &array::EXACT_SPARSE_SOLVE_TRANSPOSED,
            MatrixFunction::Inverse => &array::INV,
            MatrixFunction::Determinant => &array::DET,
            MatrixFunction::LogDeterminant => &array::LOGDET,
            MatrixFunction::Cofactor => &array::COFACTOR,
            MatrixFunction::CholeskyTangent => &array::CHOLESKY_TANGENT,
            MatrixFunction::CholeskyCotangent => &array::CHOLESKY_COTANGENT,
        }
    }

    /// Whether its matrix is a list of entries, with three rows.
    pub fn is_sparse(self) -> bool {
        matches!(
            self,
            MatrixFunction::SparseSolve | MatrixFunction::ExactSparseSolve | MatrixFunction::ExactSparseSolveTransposed
        )
    }

    /// How many numbers the result has, of an `n × n` and an `n × columns` matrix.
    pub fn count(self, n: usize, columns: usize) -> usize {
        match self {
            MatrixFunction::Determinant | MatrixFunction::LogDeterminant => 1,
            MatrixFunction::Solve | MatrixFunction::ExactSolve => n * columns,
            function if function.is_sparse() => n * columns,
            _ => n * n,
        }
    }

    /// The row of the function.
    ///
    /// # Panics
    /// If [`primitive`](MatrixFunction::primitive) is not the row of a function of linear algebra.
    pub fn row(self) -> &'static array::Matrix {
        match &self.primitive().kind {
            Kind::Array(array::Array::Matrix(row)) => row,
            _ => panic!("{self:?} has a row of another kind"),
        }
    }
}
