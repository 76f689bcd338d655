//! Linear algebra on plain numbers, by `p a = l u`, or by substitution where `a` is triangular.

use nalgebra::{Cholesky, DMatrix, Dyn, LU};

use super::cofactor::NEARLY_SINGULAR;
use super::{MatrixFunction, cholesky_cotangent, cholesky_tangent, cofactor};

/// A function of the `n × n` matrix `a`, and of the `n × columns` matrix `b` for those of two, row by row.
pub(crate) fn evaluate(function: MatrixFunction, n: usize, columns: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let matrix = || DMatrix::from_row_slice(n, n, a);
    match function {
        MatrixFunction::Cholesky => by_rows(&cholesky(matrix())),
        MatrixFunction::Solve => by_rows(&solve(matrix(), DMatrix::from_row_slice(n, columns, b))),
        MatrixFunction::ExactSolve => exact_solve(matrix(), DMatrix::from_row_slice(n, columns, b)),
        MatrixFunction::Inverse => by_rows(&inverse(matrix())),
        MatrixFunction::Determinant => vec![pivots(matrix()).map_or(f64::NAN, determinant)],
        // log |det a| = Σᵢ log |uᵢᵢ|
        MatrixFunction::LogDeterminant => {
            vec![pivots(matrix()).map_or(f64::NAN, |(_, pivots)| pivots.iter().map(|pivot| pivot.abs().ln()).sum())]
        }
        MatrixFunction::Cofactor => cofactors(matrix(), a, b),
        MatrixFunction::CholeskyTangent => cholesky_tangent(n, a, b),
        MatrixFunction::CholeskyCotangent => cholesky_cotangent(n, a, b),
    }
}

/// Of the symmetric part, so that the derivative is symmetric too.
fn cholesky(a: DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    match Cholesky::new((&a + a.transpose()) * 0.5) {
        Some(factors) => factors.l(),
        None => DMatrix::from_fn(n, n, |i, j| if i < j { 0.0 } else { f64::NAN }),
    }
}

fn solve(a: DMatrix<f64>, b: DMatrix<f64>) -> DMatrix<f64> {
    if a.is_empty() {
        return b;
    }
    let solution = match triangle(&a) {
        Some(Triangle::Lower) => a.solve_lower_triangular(&b),
        Some(Triangle::Upper) => a.solve_upper_triangular(&b),
        None => factor(a).and_then(|factors| factors.solve(&b)),
    };
    solution.unwrap_or_else(|| DMatrix::from_element(b.nrows(), b.ncols(), f64::NAN))
}

fn exact_solve(a: DMatrix<f64>, b: DMatrix<f64>) -> Vec<f64> {
    let zero: Vec<bool> = b.column_iter().map(|column| column.iter().all(|x| *x == 0.0)).collect();
    let mut solution = solve(a, b);
    for (mut column, zero) in solution.column_iter_mut().zip(zero) {
        if zero {
            column.fill(0.0);
        }
    }
    by_rows(&solution)
}

fn inverse(a: DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    let inverse = match triangle(&a) {
        Some(triangle) => invert_triangle(&a, triangle),
        None => factor(a).and_then(|factors| invert(&factors)),
    };
    inverse.unwrap_or_else(|| DMatrix::from_element(n, n, f64::NAN))
}

/// The half of a matrix that has all entries that are not zero.
#[derive(Clone, Copy, PartialEq)]
enum Triangle {
    Lower,
    Upper,
}

/// None also where an entry is NaN.
fn triangle(a: &DMatrix<f64>) -> Option<Triangle> {
    let n = a.nrows();
    let zero = |i: usize, j: usize| a[(i, j)] == 0.0;
    if a.iter().any(|x| x.is_nan()) {
        None
    } else if (0..n).all(|i| (i + 1..n).all(|j| zero(i, j))) {
        Some(Triangle::Lower)
    } else {
        (0..n).all(|i| (0..i).all(|j| zero(i, j))).then_some(Triangle::Upper)
    }
}

/// Whether a matrix, row by row, is triangular.
pub(crate) fn is_triangular(n: usize, a: &[f64]) -> bool {
    triangle(&DMatrix::from_row_slice(n, n, a)).is_some()
}

/// None where an entry of the diagonal is zero. The inverse has the same zeros.
fn invert_triangle(a: &DMatrix<f64>, triangle: Triangle) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    if a.diagonal().iter().any(|pivot| *pivot == 0.0) {
        return None;
    }
    let mut inverse = DMatrix::identity(n, n);
    for (at, mut column) in inverse.column_iter_mut().enumerate() {
        let count = if triangle == Triangle::Lower { n - at } else { at + 1 };
        for step in 0..count {
            let (k, rest) = match triangle {
                Triangle::Lower => (at + step, at + step + 1..n),
                Triangle::Upper => (at - step, 0..at - step),
            };
            let known = column[k] / a[(k, k)];
            column[k] = known;
            rest.for_each(|i| column[i] -= known * a[(i, k)]);
        }
    }
    Some(inverse)
}

/// `a⁻¹ = u⁻¹ (l⁻¹ p)`; none where a pivot is zero. A column of `l⁻¹` is zero down to its diagonal, and substitution starts
/// there.
fn invert(factors: &LU<f64, Dyn, Dyn>) -> Option<DMatrix<f64>> {
    let packed = factors.lu_internal();
    let n = packed.nrows();
    if packed.diagonal().iter().any(|pivot| *pivot == 0.0) {
        return None;
    }
    let mut inverse = DMatrix::identity(n, n);
    factors.p().permute_rows(&mut inverse);
    for mut column in inverse.column_iter_mut() {
        let first = column.iter().position(|x| *x != 0.0).unwrap_or(n);
        for k in first..n {
            let known = column[k];
            (k + 1..n).for_each(|i| column[i] -= known * packed[(i, k)]);
        }
        for k in (0..n).rev() {
            let known = column[k] / packed[(k, k)];
            column[k] = known;
            (0..k).for_each(|i| column[i] -= known * packed[(i, k)]);
        }
    }
    Some(inverse)
}

/// The sign of the permutation, and the diagonal of `u`; none where an entry is NaN.
fn pivots(a: DMatrix<f64>) -> Option<(f64, Vec<f64>)> {
    match triangle(&a) {
        Some(_) => Some((1.0, a.diagonal().as_slice().to_vec())),
        None => factor(a).map(|factors| pivots_of(&factors)),
    }
}

fn pivots_of(factors: &LU<f64, Dyn, Dyn>) -> (f64, Vec<f64>) {
    (factors.p().determinant(), factors.u().diagonal().as_slice().to_vec())
}

/// `det a = ± Πᵢ uᵢᵢ`, with the exponents added apart so that no partial product overflows; the sum with 0 turns −0 into
/// 0.
fn determinant((sign, pivots): (f64, Vec<f64>)) -> f64 {
    let (mut product, mut exponent) = (sign, 0i32);
    for pivot in pivots {
        let (mantissa, power) = libm::frexp(pivot);
        let (normalised, carry) = libm::frexp(product * mantissa);
        product = normalised;
        exponent = exponent.saturating_add(power).saturating_add(carry);
    }
    libm::ldexp(product, exponent) + 0.0
}

/// `c = det(a) a⁻ᵀ` and `D cof a (h) = ⟨c, h⟩ a⁻ᵀ − a⁻ᵀ hᵀ c`, where no digits are lost by it.
fn cofactors(matrix: DMatrix<f64>, a: &[f64], directions: &[f64]) -> Vec<f64> {
    let n = matrix.nrows();
    let Some(factors) = factor(matrix) else { return vec![f64::NAN; n * n] };
    let pivots = factors.u().diagonal().abs();
    let regular = n > 0 && pivots.min() > NEARLY_SINGULAR * pivots.max();
    if let (true, true, Some(inverse)) = (regular, directions.len() <= n * n, invert(&factors)) {
        let inverse = inverse.transpose();
        let cofactor = &inverse * determinant(pivots_of(&factors));
        if directions.is_empty() {
            return by_rows(&cofactor);
        }
        let h = DMatrix::from_row_slice(n, n, directions);
        return by_rows(&(&inverse * cofactor.dot(&h) - &inverse * h.transpose() * cofactor));
    }
    match a.iter().all(|x| x.is_finite()) {
        true => cofactor(n, a, directions, Some(0)),
        false => vec![f64::NAN; n * n],
    }
}

/// `p a = l u`; none where an entry is NaN, since elimination may never touch it.
fn factor(a: DMatrix<f64>) -> Option<LU<f64, Dyn, Dyn>> {
    if a.iter().any(|x| x.is_nan()) { None } else { Some(LU::new(a)) }
}

fn by_rows(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().as_slice().to_vec()
}
