//! The functions of linear algebra: their laws, their derivatives compared with differences, and their edge cases.

use proptest::prelude::*;
use riesz_algebra::order::Stream;
use riesz_algebra::{Monoid, Nagata, Semiring};
use riesz_primitive::MatrixFunction::{
    self, Cholesky, CholeskyCotangent, CholeskyTangent, Cofactor, Determinant, ExactSparseSolve,
    ExactSparseSolveTransposed, Inverse, LogDeterminant, Solve, SparseSolve,
};
use riesz_primitive::array::Array;
use riesz_primitive::{Number, Series, table};

type Dual = Nagata<f64, f64>;

const COLUMNS: usize = 2;

fn functions() -> impl Iterator<Item = MatrixFunction> {
    table().iter().filter_map(|row| match row.array() {
        Some(Array::Matrix(matrix)) => Some(matrix.function),
        _ => None,
    })
}

fn entries(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, count)
}

/// A matrix that is far from singular, a right-hand side, and a direction for both.
fn systems() -> impl Strategy<Value = (usize, [Vec<f64>; 4])> {
    (0usize..5).prop_flat_map(|n| {
        let right = n * COLUMNS;
        (entries(n * n), entries(right), entries(n * n), entries(right)).prop_map(move |(a, b, da, db)| {
            let shifted = |k: usize| a[k] + if k.is_multiple_of(n + 1) { 2.0 + n as f64 } else { 0.0 };
            (n, [(0..n * n).map(shifted).collect(), b, da, db])
        })
    })
}

/// What a function is of: the columns of the right-hand side, and as many entries as it has. A factor of Cholesky is lower
/// triangular, and what goes with it is as large.
fn inputs(function: MatrixFunction, n: usize, [a, b, da, db]: &[Vec<f64>; 4]) -> (usize, [Vec<f64>; 4]) {
    match function {
        CholeskyTangent | CholeskyCotangent => (n, [lower(n, a), da.clone(), lower(n, da), transpose(n, da)]),
        // Two directions.
        Cofactor => {
            let twice = |h: &[f64]| [h, &transpose(n, h)].concat();
            (2 * n, [a.clone(), twice(da), da.clone(), twice(a)])
        }
        // All entries, whose places do not vary, with one of them in two parts.
        sparse if sparse.is_sparse() => {
            let with_places = |varies: bool, numbers: &[f64]| -> Vec<f64> {
                let places = (0..n * n).chain((n > 0).then_some(0));
                let part = |place: fn(usize, usize) -> usize| {
                    places.clone().map(move |at| if varies { 0.0 } else { place(at, n) as f64 })
                };
                let halved = |at: usize| if at == 0 { 0.5 * numbers[at] } else { numbers[at] };
                part(|at, n| at / n).chain(part(|at, n| at % n)).chain(places.clone().map(halved)).collect()
            };
            (COLUMNS, [with_places(false, a), b.clone(), with_places(true, da), db.clone()])
        }
        _ => (COLUMNS, [a.clone(), b.clone(), da.clone(), db.clone()]),
    }
}

fn lower(n: usize, a: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| if k / n < k % n { 0.0 } else { a[k] }).collect()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn product(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let columns = b.len().checked_div(n).unwrap_or(0);
    let entry = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * b[k * columns + j]).sum();
    (0..n).flat_map(|i| (0..columns).map(move |j| entry(i, j))).collect()
}

fn transpose(n: usize, a: &[f64]) -> Vec<f64> {
    (0..n * n).map(|k| a[k % n * n + k / n]).collect()
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

fn along(x: &[f64], dx: &[f64], t: f64) -> Vec<f64> {
    x.iter().zip(dx).map(|(x, dx)| x + t * dx).collect()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * 1f64.max(a.abs()))
}

/// A function of a matrix alone.
fn of(function: MatrixFunction, n: usize, a: &[f64]) -> Vec<f64> {
    f64::matrix(function, n, 0, a, &[])
}

fn jvp(function: MatrixFunction, n: usize, [a, b, da, db]: [&[f64]; 4]) -> Vec<f64> {
    let dual = |x: &[f64], dx: &[f64]| -> Vec<Dual> {
        x.iter().zip(dx).map(|(&primal, &tangent)| Nagata { primal, tangent }).collect()
    };
    let columns = b.len().checked_div(n).unwrap_or(0);
    let result = Dual::matrix(function, n, columns, &dual(a, da), &dual(b, db));
    result.iter().map(|number| number.tangent).collect()
}

fn difference(f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3;
    let stencil = |k: usize| (8.0 * (f(h)[k] - f(-h)[k]) - (f(2.0 * h)[k] - f(-2.0 * h)[k])) / (12.0 * h);
    (0..f(0.0).len()).map(stencil).collect()
}

proptest! {
    #[test]
    fn laws((n, [a, b, _, _]) in systems()) {
        let inverse = of(Inverse, n, &a);
        prop_assert!(close(&product(n, &a, &inverse), &identity(n), 1e-13));
        let solution = f64::matrix(Solve, n, COLUMNS, &a, &b);
        prop_assert!(close(&product(n, &a, &solution), &b, 1e-13));
        prop_assert!(close(&product(n, &inverse, &b), &solution, 1e-13));
        let determinant = of(Determinant, n, &a)[0];
        prop_assert!(close(&of(LogDeterminant, n, &a), &[determinant.abs().ln()], 1e-13));
        let cofactor = of(Cofactor, n, &a);
        let diagonal: Vec<f64> = identity(n).iter().map(|x| x * determinant).collect();
        prop_assert!(close(&product(n, &a, &transpose(n, &cofactor)), &diagonal, 1e-12));
        let positive = product(n, &a, &transpose(n, &a));
        let lower = of(Cholesky, n, &positive);
        prop_assert!(close(&product(n, &lower, &transpose(n, &lower)), &positive, 1e-13));
        prop_assert!((0..n).all(|i| (i + 1..n).all(|j| lower[i * n + j] == 0.0)));
    }

    #[test]
    fn a_list_of_entries_is_a_matrix((n, all) in systems()) {
        let [a, b, ..] = &all;
        for (function, matrix) in [
            (SparseSolve, a.clone()),
            (ExactSparseSolve, a.clone()),
            (ExactSparseSolveTransposed, transpose(n, a)),
        ] {
            let (columns, [list, ..]) = inputs(function, n, &all);
            let expected = f64::matrix(Solve, n, columns, &matrix, b);
            prop_assert!(close(&f64::matrix(function, n, columns, &list, b), &expected, 1e-12));
            // Series and towers take the dense matrix, or one order after the other.
            let constants: Vec<Series<f64>> = list.iter().map(|x| Series::constant(*x)).collect();
            let right: Vec<Series<f64>> = b.iter().zip(&expected).map(|(b, x)| Series::line(*b, *x, 2)).collect();
            let twice = f64::matrix(Solve, n, columns, &matrix, &expected);
            for (number, (x, y)) in Series::matrix(function, n, columns, &constants, &right)
                .iter()
                .zip(expected.iter().zip(&twice))
            {
                prop_assert!(close(&[number.coefficient(0), number.coefficient(1)], &[*x, *y], 1e-12));
            }
        }
    }

    #[test]
    fn the_derivative_of_a_factor_has_its_adjoint((n, [a, _, s, _]) in systems()) {
        let w = transpose(n, &a);
        let l = of(Cholesky, n, &product(n, &a, &w));
        let forward = f64::matrix(CholeskyTangent, n, n, &l, &s);
        let reverse = f64::matrix(CholeskyCotangent, n, n, &l, &w);
        prop_assert!(close(&[inner(&forward, &w)], &[inner(&s, &reverse)], 1e-12));
        // d(l lᵀ) = dl lᵀ + l dlᵀ
        let half = product(n, &forward, &transpose(n, &l));
        let moved: Vec<f64> = half.iter().zip(transpose(n, &half)).map(|(x, y)| x + y).collect();
        let symmetric: Vec<f64> = s.iter().zip(transpose(n, &s)).map(|(x, y)| (x + y) / 2.0).collect();
        prop_assert!(close(&moved, &symmetric, 1e-12));
    }

    #[test]
    fn derivatives_agree_with_differences((n, all) in systems()) {
        for function in functions() {
            let (columns, [a, b, da, db]) = inputs(function, n, &all);
            let value = |t| f64::matrix(function, n, columns, &along(&a, &da, t), &along(&b, &db, t));
            let expected = difference(value);
            let actual = jvp(function, n, [&a, &b, &da, &db]);
            prop_assert!(close(&actual, &expected, 1e-7), "{:?}: {:?} but {:?}", function, actual, expected);
        }
    }

    #[test]
    fn second_derivatives_agree_with_differences_of_the_first((n, all) in systems()) {
        for function in functions() {
            let (columns, [a, b, da, db]) = inputs(function, n, &all);
            let first = |t| jvp(function, n, [&along(&a, &da, t), &along(&b, &db, t), &da, &db]);
            let expected = difference(first);
            let nested = |x: &[f64], dx: &[f64]| -> Vec<Nagata<Dual, Dual>> {
                let number = |(&x, &dx)| Nagata {
                    primal: Nagata { primal: x, tangent: dx },
                    tangent: Nagata { primal: dx, tangent: 0.0 },
                };
                x.iter().zip(dx).map(number).collect()
            };
            let result = Nagata::matrix(function, n, columns, &nested(&a, &da), &nested(&b, &db));
            let actual: Vec<f64> = result.iter().map(|number| number.tangent.tangent).collect();
            prop_assert!(close(&actual, &expected, 1e-6), "{:?}: {:?} but {:?}", function, actual, expected);
        }
    }
}

#[test]
fn the_empty_matrix() {
    for function in [Cholesky, Inverse, Cofactor] {
        assert_eq!(of(function, 0, &[]), []);
    }
    assert_eq!(f64::matrix(Solve, 0, 3, &[], &[]), []);
    assert_eq!(f64::matrix(Solve, 2, 0, &[1.0, 0.0, 0.0, 1.0], &[]), []);
    assert_eq!(of(Determinant, 0, &[]), [1.0]);
    assert_eq!(of(LogDeterminant, 0, &[]), [0.0]);
    assert_eq!(jvp(Determinant, 0, [&[], &[], &[], &[]]), [0.0]);
    assert_eq!(jvp(Cofactor, 1, [&[3.0], &[1.0, 2.0], &[1.0], &[0.0, 0.0]]), [0.0]);
    assert_eq!(of(Cofactor, 1, &[3.0]), [1.0]);
}

#[test]
fn singular_and_indefinite_matrices_give_nan() {
    let singular = [1.0, 2.0, 2.0, 4.0];
    assert!(of(Inverse, 2, &singular).iter().all(|x| x.is_nan()));
    assert!(f64::matrix(Solve, 2, 1, &singular, &[1.0, 1.0]).iter().all(|x| x.is_nan()));
    assert_eq!(of(Determinant, 2, &singular)[0].to_bits(), 0.0f64.to_bits());
    assert_eq!(of(LogDeterminant, 2, &singular), [f64::NEG_INFINITY]);
    for indefinite in [[1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
        let lower = of(Cholesky, 2, &indefinite);
        assert!(lower[0].is_nan() && lower[2].is_nan() && lower[3].is_nan() && lower[1] == 0.0);
    }
    for x in [f64::INFINITY, f64::NEG_INFINITY] {
        for function in functions() {
            let result = |a: &[f64]| f64::matrix(function, 2, 2, a, &[1.0; 4]).len();
            assert_eq!(result(&[x, x, x, x]), result(&singular));
        }
    }
}

#[test]
fn nan_in_the_matrix_is_nan_in_the_result() {
    for place in 0..4 {
        let mut a = [0.0, 0.0, 0.0, 1.0];
        a[place] = f64::NAN;
        for function in [Inverse, Determinant, LogDeterminant, Cofactor] {
            assert!(of(function, 2, &a).iter().all(|x| x.is_nan()), "{function:?} {a:?}");
        }
        assert!(f64::matrix(Solve, 2, 1, &a, &[1.0, 1.0]).iter().all(|x| x.is_nan()));
    }
}

#[test]
fn a_nan_on_the_right_stays_in_its_column() {
    let solution = f64::matrix(Solve, 2, 2, &[2.0, 0.0, 0.0, 4.0], &[f64::NAN, 2.0, 1.0, 2.0]);
    assert!(solution[0].is_nan());
    assert_eq!((solution[1], solution[3]), (1.0, 0.5));
}

#[test]
fn the_determinant_has_its_derivative_where_it_is_zero() {
    assert!(close(&of(Cofactor, 2, &[1.0, 2.0, 2.0, 4.0]), &[4.0, -2.0, -2.0, 1.0], 1e-14));
    assert!(close(&of(Cofactor, 1, &[0.0]), &[1.0], 0.0));
    assert!(close(&of(Cofactor, 2, &[0.0; 4]), &[0.0; 4], 0.0));
    // of rank 2: the cofactors are those of the rows (1, 2, 3) and (4, 5, 6), up to multiples
    let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    assert!(close(&of(Cofactor, 3, &a), &[-3.0, 6.0, -3.0, 6.0, -12.0, 6.0, -3.0, 6.0, -3.0], 1e-13));
    let tangent = jvp(Determinant, 2, [&[1.0, 2.0, 2.0, 4.0], &[], &[1.0, 0.0, 0.0, 0.0], &[]]);
    assert!(close(&tangent, &[4.0], 1e-14));
}

/// A matrix of a rank, from two of its factors: exact, with rounding, and a permutation.
fn of_rank(n: usize, rank: usize, kind: usize) -> Vec<f64> {
    let number = |i: usize, j: usize| match kind {
        0 => ((3 * i + 5 * j + i * j) % 7) as f64 - 3.0,
        _ => (1.7 * i as f64 + 0.9 * (j * j) as f64 + 0.3).sin(),
    };
    match kind {
        2 => (0..n * n).map(|at| if at / n < rank && at % n == (at / n + 1) % n { 1.0 } else { 0.0 }).collect(),
        _ => {
            let entry = |at: usize| (0..rank).map(|k| number(at / n, k) * number(k + 2, at % n)).sum();
            (0..n * n).map(entry).collect()
        }
    }
}

/// The polynomial itself: the sum over all permutations, by the first row.
fn polynomial<S: Number>(n: usize, a: &[S]) -> S {
    if n == 0 {
        return S::one();
    }
    let minor = |j: usize| -> Vec<S> { (n..n * n).filter(|at| at % n != j).map(|at| a[at].clone()).collect() };
    (0..n).fold(S::zero(), |sum, j| {
        let term = a[j].mul(&polynomial(n - 1, &minor(j)));
        if j % 2 == 0 { sum.add(&term) } else { sum.sub(&term) }
    })
}

/// A determinant is a polynomial, and has the derivatives of one at matrices of every rank, in every algebra.
#[test]
fn determinants_have_all_derivatives_at_every_rank() {
    type Second = Nagata<Dual, Dual>;
    let mut count = 0;
    for n in 1..6usize {
        for (rank, kind) in (0..=n).flat_map(|rank| (0..3).map(move |kind| (rank, kind))) {
            let a = of_rank(n, rank, kind);
            let [da, h] =
                [0.7, 1.3].map(|k| (0..n * n).map(|at| (k * (at * at) as f64 + 0.2).cos()).collect::<Vec<f64>>());
            let scale = a.iter().fold(1.0, |scale: f64, x| scale.max(x.abs())).powi(n as i32);
            let tolerance = 1e-11 * scale;
            let told = |what: &str, found: f64, expected: f64| {
                assert!((found - expected).abs() <= tolerance, "{what} of {a:?}: {found}, not {expected}");
            };
            // Values, first and second derivatives in nested numbers.
            let nested = |at: usize| Nagata {
                primal: Nagata { primal: a[at], tangent: da[at] },
                tangent: Nagata { primal: h[at], tangent: 0.5 * da[at] },
            };
            let matrix: Vec<Second> = (0..n * n).map(nested).collect();
            let (found, expected) = (Second::matrix(Determinant, n, 0, &matrix, &[]).remove(0), polynomial(n, &matrix));
            told("value", found.primal.primal, expected.primal.primal);
            told("first", found.primal.tangent, expected.primal.tangent);
            told("other first", found.tangent.primal, expected.tangent.primal);
            told("second", found.tangent.tangent, expected.tangent.tangent);
            // Derivatives of the cofactors of every order, along the cofactors of a series.
            let order = 4;
            let line: Vec<Series<f64>> = (0..n * n).map(|at| Series::line(a[at], da[at], order)).collect();
            let (found, expected) = (Series::matrix(Determinant, n, 0, &line, &[]).remove(0), polynomial(n, &line));
            (0..=order).for_each(|k| told("series", found.coefficient(k), expected.coefficient(k)));
            let along: Vec<f64> = (0..3).flat_map(|_| da.iter().copied()).collect();
            let third = f64::matrix(Cofactor, n, 3 * n, &a, &along);
            told("third by one more", inner(&third, &da) / 24.0, expected.coefficient(4));
            let second = f64::matrix(Cofactor, n, 2 * n, &a, &along[..2 * n * n]);
            told("second by one more", inner(&second, &da) / 6.0, expected.coefficient(3));
            let first = f64::matrix(Cofactor, n, n, &a, &da);
            told("first by one more", inner(&first, &da) / 2.0, expected.coefficient(2));
            // Towers.
            let tower: Vec<Stream<(), f64>> = (0..n * n)
                .map(|at| Stream::constant(a[at]).add(&Stream::variable((), 0.0).mul(&Stream::constant(da[at]))))
                .collect();
            let mut derivative = Stream::matrix(Determinant, n, 0, &tower, &[]).remove(0);
            for factor in [1.0, 1.0, 2.0, 6.0] {
                let k = count % 4;
                told("tower", *Stream::value(&derivative) / factor, expected.coefficient(k));
                derivative = derivative.derivative(&());
                count += 1;
            }
        }
    }
    assert!(count > 200);
}

#[test]
fn determinants_do_not_overflow_on_the_way() {
    let diagonal =
        |pivots: [f64; 4]| -> Vec<f64> { (0..16).map(|k| if k % 5 == 0 { pivots[k / 5] } else { 0.0 }).collect() };
    assert!(close(&of(Determinant, 4, &diagonal([1e200, 1e200, 1e-200, 1e-200])), &[1.0], 1e-14));
    assert_eq!(of(Determinant, 4, &diagonal([2.0, -3.0, 5.0, 7.0])), [-210.0]);
    assert_eq!(of(Determinant, 4, &diagonal([1e200, 1e200, 1.0, 1.0])), [f64::INFINITY]);
    let logarithm = 4.0 * 200.0 * std::f64::consts::LN_10;
    assert!(close(&of(LogDeterminant, 4, &diagonal([1e200; 4])), &[logarithm], 1e-14));
    assert!(close(&of(LogDeterminant, 4, &diagonal([-1e-200; 4])), &[-logarithm], 1e-14));
}

#[test]
fn cholesky_is_of_the_symmetric_part() {
    assert_eq!(of(Cholesky, 2, &[4.0, 1.0, 3.0, 5.0]), [2.0, 0.0, 1.0, 2.0]);
    let a = [4.0, 2.0, 2.0, 5.0];
    let (above, below) = ([0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(jvp(Cholesky, 2, [&a, &[], &above, &[]]), jvp(Cholesky, 2, [&a, &[], &below, &[]]));
}

#[test]
fn exact_zero_tangents_stay_zero_where_values_are_nan() {
    let singular = [1.0, 2.0, 2.0, 4.0];
    for function in functions() {
        let tangent = jvp(function, 2, [&singular, &[1.0; 4], &[0.0; 4], &[0.0; 4]]);
        assert!(tangent.iter().all(|dx| *dx == 0.0), "{function:?} {tangent:?}");
    }
}
