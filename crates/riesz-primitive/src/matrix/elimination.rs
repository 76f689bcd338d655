//! The functions of linear algebra over any algebra, step by step: elimination with the largest pivot, and Cholesky
//! factorisation. If a function has no value, as the inverse of a singular matrix, its derivatives of every order are
//! NaN, as are those that its row states.

use super::{MatrixFunction, as_dense, cholesky_cotangent, cholesky_tangent, cofactor, determinant};
use crate::number::Number;
use crate::scalar;

/// A function of the `n × n` matrix `a` and the `n × columns` matrix `b`, row by row.
pub fn by_elimination<S: Number>(function: MatrixFunction, n: usize, columns: usize, a: &[S], b: &[S]) -> Vec<S> {
    if let Some((function, a)) = as_dense(function, n, a) {
        return by_elimination(function, n, columns, &a, b);
    }
    if let Some(result) = without_value(function, n, columns, a, b) {
        return result;
    }
    match function {
        MatrixFunction::Cholesky => factor(n, a),
        MatrixFunction::CholeskyTangent => cholesky_tangent(n, a, b),
        MatrixFunction::CholeskyCotangent => cholesky_cotangent(n, a, b),
        MatrixFunction::Solve | MatrixFunction::ExactSolve => Eliminated::new(n, columns, a, b).solve(),
        MatrixFunction::Inverse => Eliminated::new(n, n, a, &identity(n)).solve(),
        MatrixFunction::Determinant => vec![determinant(n, a, S::ORDER)],
        MatrixFunction::LogDeterminant => {
            let pivots = Eliminated::new(n, 0, a, &[]).pivots();
            let logarithm = |pivot: &S| {
                let size = S::apply(&scalar::ABS, std::slice::from_ref(pivot));
                S::apply(&scalar::LOG, &[size])
            };
            vec![pivots.iter().map(logarithm).reduce(|sum, term| sum.add(&term)).unwrap_or_else(S::zero)]
        }
        MatrixFunction::Cofactor => cofactor(n, a, b, S::ORDER),
        MatrixFunction::SparseSolve | MatrixFunction::ExactSparseSolve | MatrixFunction::ExactSparseSolveTransposed => {
            unreachable!("the matrix is dense")
        }
    }
}

/// The result where the matrix is singular or indefinite.
fn without_value<S: Number>(function: MatrixFunction, n: usize, columns: usize, a: &[S], b: &[S]) -> Option<Vec<S>> {
    let plain = |numbers: &[S]| numbers.iter().map(S::value).collect::<Vec<f64>>();
    let regular = match function {
        MatrixFunction::Solve
        | MatrixFunction::ExactSolve
        | MatrixFunction::Inverse
        | MatrixFunction::LogDeterminant => {
            f64::matrix(MatrixFunction::LogDeterminant, n, 0, &plain(a), &[])[0].is_finite()
        }
        MatrixFunction::Cholesky => !f64::matrix(function, n, 0, &plain(a), &[]).iter().any(|x| x.is_nan()),
        _ => true,
    };
    if regular {
        return None;
    }
    let of_matrix = undefined(a.iter());
    let values = f64::matrix(function, n, columns, &plain(a), &plain(b)).into_iter().enumerate();
    let entry = |(at, value): (usize, f64)| match function {
        MatrixFunction::Solve => {
            let column = b.iter().skip(at % columns).step_by(columns);
            S::constant(value).add(&of_matrix).add(&undefined(column))
        }
        // The tangent of a solution that is zero, `a⁻¹ (db − da · 0)`, does not depend on that of the matrix.
        MatrixFunction::ExactSolve => {
            let column = b.iter().skip(at % columns).step_by(columns);
            let zero = column.clone().all(|x| x.value() == 0.0);
            let moved = S::constant(value).add(&undefined(column));
            if zero { moved } else { moved.add(&of_matrix) }
        }
        MatrixFunction::Cholesky if at / n < at % n => S::constant(value),
        _ => S::constant(value).add(&of_matrix),
    };
    Some(values.map(entry).collect())
}

/// Zero, with derivatives of every order by each of some numbers that are NaN: `NaN · (exp(Σᵢ wᵢ (xᵢ − aᵢ)) − 1)` at `x = a`.
/// The weights `wᵢ` differ, so that tangents which are each other's negatives do not cancel.
fn undefined<'a, S: Number>(numbers: impl Iterator<Item = &'a S>) -> S {
    let weight = |at: usize| 1.0 + (at as f64 * 0.618_033_988_749_894_9).fract();
    let moved = numbers.enumerate().map(|(at, x)| {
        let moved = x.sub(&S::constant(x.value()));
        moved.exact_product(&S::constant(weight(at)))
    });
    let sum = moved.reduce(|sum, x| sum.add(&x)).unwrap_or_else(S::zero);
    S::apply(&scalar::EXPM1, &[sum]).exact_product(&S::constant(f64::NAN))
}

fn identity<S: Number>(n: usize) -> Vec<S> {
    (0..n * n).map(|at| if at / n == at % n { S::one() } else { S::zero() }).collect()
}

/// `l` with `l lᵀ` the symmetric part of `a`.
fn factor<S: Number>(n: usize, a: &[S]) -> Vec<S> {
    let half = S::constant(0.5);
    let mut l = vec![S::zero(); n * n];
    for i in 0..n {
        for j in 0..=i {
            let symmetric = a[i * n + j].add(&a[j * n + i]).mul(&half);
            let rest = (0..j).fold(symmetric, |rest, k| rest.sub(&l[i * n + k].mul(&l[j * n + k])));
            l[i * n + j] = match i == j {
                true => S::apply(&scalar::SQRT, &[rest]),
                false => S::apply(&scalar::DIV, &[rest, l[j * n + j].clone()]),
            };
        }
    }
    l
}

/// Rows `(u | z)` with `u` upper triangular and `u x = z` for the solution `x` of `a x = b`.
struct Eliminated<S> {
    rows: Vec<Vec<S>>,
    columns: usize,
}

impl<S: Number> Eliminated<S> {
    fn new(n: usize, columns: usize, a: &[S], b: &[S]) -> Eliminated<S> {
        let row = |i: usize| [&a[i * n..(i + 1) * n], &b[i * columns..(i + 1) * columns]].concat();
        let mut rows: Vec<Vec<S>> = (0..n).map(row).collect();
        for k in 0..n {
            let size = |row: &Vec<S>| row[k].value().abs();
            let largest = (k..n).reduce(|best, i| if size(&rows[i]) > size(&rows[best]) { i } else { best });
            if let Some(largest) = largest.filter(|largest| *largest != k) {
                rows.swap(k, largest);
            }
            let (above, below) = rows.split_at_mut(k + 1);
            let pivot = &above[k];
            for row in below {
                let factor = S::apply(&scalar::DIV, &[row[k].clone(), pivot[k].clone()]);
                for j in k..n + columns {
                    row[j] = row[j].sub(&factor.mul(&pivot[j]));
                }
            }
        }
        Eliminated { rows, columns }
    }

    fn pivots(&self) -> Vec<S> {
        self.rows.iter().enumerate().map(|(k, row)| row[k].clone()).collect()
    }

    fn solve(&self) -> Vec<S> {
        let n = self.rows.len();
        let mut x = vec![S::zero(); n * self.columns];
        for (i, row) in self.rows.iter().enumerate().rev() {
            for j in 0..self.columns {
                let rest =
                    (i + 1..n).fold(row[n + j].clone(), |rest, k| rest.sub(&row[k].mul(&x[k * self.columns + j])));
                x[i * self.columns + j] = S::apply(&scalar::DIV, &[rest, row[i].clone()]);
            }
        }
        x
    }
}
