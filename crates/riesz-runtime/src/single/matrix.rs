//! Products of matrices and linear algebra: computed in double precision, and rounded.

use crate::Strides;

type Factor<'a> = (&'a [f32], Strides);

/// `to = left · right`, an `rows × inner` by an `inner × columns` matrix.
pub fn product(to: &mut [f32], left: Factor, right: Factor, sizes: (i64, i64, i64)) {
    multiply(to, left, right, sizes, crate::product);
}

/// The same with products in which zero times anything is zero.
pub fn exact_product(to: &mut [f32], left: Factor, right: Factor, sizes: (i64, i64, i64)) {
    multiply(to, left, right, sizes, crate::exact_product);
}

type Multiply = fn(&mut [f64], (&[f64], Strides), (&[f64], Strides), (i64, i64, i64));

fn multiply(to: &mut [f32], left: Factor, right: Factor, (rows, inner, columns): (i64, i64, i64), f: Multiply) {
    let (left, right) = (dense(left, rows, inner), dense(right, inner, columns));
    let by_rows = |columns: i64| Strides { first: 0, row: columns, column: 1 };
    rounded(to, |to| f(to, (&left, by_rows(inner)), (&right, by_rows(columns)), (rows, inner, columns)));
}

/// A matrix row by row.
fn dense((buffer, at): Factor, rows: i64, columns: i64) -> Vec<f64> {
    let element = |row: i64, column: i64| f64::from(buffer[(at.first + row * at.row + column * at.column) as usize]);
    (0..rows.max(0)).flat_map(|row| (0..columns.max(0)).map(move |column| element(row, column))).collect()
}

/// What a function writes, rounded.
fn rounded(to: &mut [f32], f: impl FnOnce(&mut [f64])) {
    let mut result = long(to);
    f(&mut result);
    for (to, result) in to.iter_mut().zip(result) {
        *to = result as f32;
    }
}

fn long(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|number| f64::from(*number)).collect()
}

macro_rules! of_one {
    ($($name:ident $summary:literal),*) => {$(
        #[doc = $summary]
        pub fn $name(to: &mut [f32], a: &[f32], n: i64) {
            rounded(to, |to| crate::$name(to, &long(a), n));
        }
    )*};
}

of_one! {
    cholesky "The lower triangular factor of a positive definite matrix.",
    inv "The inverse of a matrix.",
    det "The determinant of a matrix.",
    logdet "The logarithm of the absolute value of the determinant."
}

macro_rules! of_two {
    ($($name:ident $summary:literal),*) => {$(
        #[doc = $summary]
        pub fn $name(to: &mut [f32], a: &[f32], n: i64, b: &[f32], columns: i64) {
            rounded(to, |to| crate::$name(to, &long(a), n, &long(b), columns));
        }
    )*};
}

of_two! {
    solve "The solution of a linear equation.",
    cofactor "The matrix of cofactors, or its derivative in some directions.",
    cholesky_tangent "The tangent of the factor of `cholesky`.",
    cholesky_cotangent "The cotangent of the matrix of `cholesky`."
}
