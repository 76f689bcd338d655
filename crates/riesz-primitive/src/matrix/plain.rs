//! Linear algebra on plain numbers, by the library that generated code calls: every backend gives the same digits.

use super::MatrixFunction;
use riesz_runtime as runtime;
use riesz_runtime::{Context, Outcome};
use std::alloc::{Layout, handle_alloc_error};

/// A function of the `n × n` matrix `a`, and of the `n × columns` matrix `b` for those of two, row by row.
pub(crate) fn evaluate(function: MatrixFunction, n: usize, columns: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut to = vec![0.0; function.count(n, columns)];
    // A context without limits fails only where the system has no memory.
    if call(function, &mut to, (n as i64, columns as i64), a, b).is_err() {
        handle_alloc_error(Layout::array::<f64>(n * n).unwrap_or(Layout::new::<f64>()));
    }
    to
}

fn call(function: MatrixFunction, to: &mut [f64], (n, columns): (i64, i64), a: &[f64], b: &[f64]) -> Outcome<()> {
    let context = &mut Context::unlimited();
    match function {
        MatrixFunction::Cholesky => runtime::cholesky(context, 0, to, a, n),
        MatrixFunction::Solve => runtime::solve(context, 0, to, a, n, b, columns),
        MatrixFunction::ExactSolve => runtime::exact_solve(context, 0, to, a, n, b, columns),
        MatrixFunction::SparseSolve => runtime::sparse_solve(context, 0, to, a, n, b, columns),
        MatrixFunction::ExactSparseSolve => runtime::exact_sparse_solve(context, 0, to, a, n, b, columns),
        MatrixFunction::ExactSparseSolveTransposed => {
            runtime::exact_sparse_solve_transposed(context, 0, to, a, n, b, columns)
        }
        MatrixFunction::Inverse => runtime::inv(context, 0, to, a, n),
        MatrixFunction::Determinant => runtime::det(context, 0, to, a, n),
        MatrixFunction::LogDeterminant => runtime::logdet(context, 0, to, a, n),
        MatrixFunction::Cofactor => runtime::cofactor(context, 0, to, a, n, b, columns),
        MatrixFunction::CholeskyTangent => runtime::cholesky_tangent(context, 0, to, a, n, b, columns),
        MatrixFunction::CholeskyCotangent => runtime::cholesky_cotangent(context, 0, to, a, n, b, columns),
    }
}
