//! Linear algebra over complex numbers: elimination with the pivots of the real parts.

use super::{Complex, complex};
use riesz_algebra::{Monoid, Ring, Semiring};
use riesz_primitive::{MatrixFunction, matrix};

pub fn evaluate(function: MatrixFunction, n: usize, columns: usize, a: &[Complex], b: &[Complex]) -> Vec<Complex> {
    let identity: Vec<Complex> =
        (0..n * n).map(|at| if at / n == at % n { Complex::one() } else { Complex::zero() }).collect();
    if let Some((function, a)) = matrix::as_dense(function, n, a) {
        return evaluate(function, n, columns, &a, b);
    }
    match function {
        MatrixFunction::Solve | MatrixFunction::ExactSolve => eliminate(n, columns, a, b).0,
        MatrixFunction::Inverse => eliminate(n, n, a, &identity).0,
        MatrixFunction::Determinant => vec![eliminate(n, 0, a, &[]).1],
        MatrixFunction::LogDeterminant => {
            let determinant = eliminate(n, 0, a, &[]).1;
            vec![if determinant.re < 0.0 { determinant.neg().log() } else { determinant.log() }]
        }
        MatrixFunction::Cofactor => matrix::cofactor(n, a, b, None),
        MatrixFunction::Cholesky => cholesky(n, a),
        MatrixFunction::CholeskyTangent => matrix::cholesky_tangent(n, a, b),
        MatrixFunction::CholeskyCotangent => matrix::cholesky_cotangent(n, a, b),
        MatrixFunction::SparseSolve | MatrixFunction::ExactSparseSolve | MatrixFunction::ExactSparseSolveTransposed => {
            unreachable!("the matrix is dense")
        }
    }
}

/// `a⁻¹ b` and `det a`
fn eliminate(n: usize, columns: usize, a: &[Complex], b: &[Complex]) -> (Vec<Complex>, Complex) {
    let width = n + columns;
    let mut rows: Vec<Vec<Complex>> =
        (0..n).map(|i| [&a[i * n..(i + 1) * n], &b[i * columns..(i + 1) * columns]].concat()).collect();
    let mut determinant = Complex::one();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].re.abs().total_cmp(&rows[j][k].re.abs())).unwrap_or(k);
        if pivot != k {
            rows.swap(k, pivot);
            determinant = determinant.neg();
        }
        determinant = determinant.mul(&rows[k][k]);
        for i in (0..n).filter(|i| *i != k) {
            let factor = rows[i][k].divide(rows[k][k]);
            #[allow(clippy::needless_range_loop)]
            for j in k..width {
                rows[i][j] = rows[i][j].sub(&factor.mul(&rows[k][j]));
            }
        }
    }
    let solution = (0..n).flat_map(|i| (0..columns).map(move |j| (i, j)));
    (solution.map(|(i, j)| rows[i][n + j].divide(rows[i][i])).collect(), determinant)
}

/// Of the symmetric part, without conjugation, which is not analytic.
fn cholesky(n: usize, a: &[Complex]) -> Vec<Complex> {
    let mut l = vec![Complex::zero(); n * n];
    for i in 0..n {
        for j in 0..=i {
            let mut rest = a[i * n + j].add(&a[j * n + i]).mul(&complex(0.5, 0.0));
            for k in 0..j {
                rest = rest.sub(&l[i * n + k].mul(&l[j * n + k]));
            }
            l[i * n + j] = if i == j { rest.root(2.0) } else { rest.divide(l[j * n + j]) };
        }
    }
    l
}
