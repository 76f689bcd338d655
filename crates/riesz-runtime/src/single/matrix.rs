//! Products of matrices and linear algebra: computed in double precision, and rounded.

use crate::matrix::with_room;
use crate::{Context, ELSEWHERE, Outcome, Strides, fault};

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

/// The greatest number of rows and of columns that are multiplied at a time.
const SIDE: i64 = 32;

/// Block by block: a block of each factor in double precision is small enough for the stack.
fn multiply(to: &mut [f32], left: Factor, right: Factor, (rows, inner, columns): (i64, i64, i64), f: Multiply) {
    const BLOCK: usize = (SIDE * SIDE) as usize;
    let steps = |count: i64| (0..count.max(0)).step_by(SIDE as usize);
    let by_rows = |columns: i64| Strides { first: 0, row: columns, column: 1 };
    for top in steps(rows) {
        for side in steps(columns) {
            let (height, width) = (SIDE.min(rows - top), SIDE.min(columns - side));
            let mut sums = [0.0; BLOCK];
            for start in steps(inner) {
                let depth = SIDE.min(inner - start);
                let left = dense(left, (top, height), (start, depth));
                let right = dense(right, (start, depth), (side, width));
                let mut part = [0.0; BLOCK];
                let size = (height, depth, width);
                f(&mut part[..(height * width) as usize], (&left, by_rows(depth)), (&right, by_rows(width)), size);
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
            for at in 0..height * width {
                to[((top + at / width) * columns + side + at % width) as usize] = sums[at as usize] as f32;
            }
        }
    }
}

/// A block of a matrix, row by row: the first row and how many, then the columns.
fn dense((buffer, at): Factor, (top, rows): (i64, i64), (side, columns): (i64, i64)) -> [f64; (SIDE * SIDE) as usize] {
    std::array::from_fn(|place| {
        let (row, column) = (place as i64 / columns, place as i64 % columns);
        match row < rows {
            true => f64::from(buffer[(at.first + (top + row) * at.row + (side + column) * at.column) as usize]),
            false => 0.0,
        }
    })
}

/// A function of numbers in double precision, its result rounded.
fn rounded(
    (context, site): (&mut Context, u32),
    to: &mut [f32],
    (a, b): (&[f32], &[f32]),
    run: impl FnOnce(&mut Context, &mut [f64], &[f64], &[f64]) -> Outcome<()>,
) -> Outcome<()> {
    with_room(context, to.len() + a.len() + b.len(), site, |context, room| {
        let (result, room) = room.split_at_mut(to.len());
        room.iter_mut().zip(a.iter().chain(b)).for_each(|(long, short)| *long = f64::from(*short));
        let (a, b) = room.split_at(a.len());
        run(context, result, a, b)?;
        to.iter_mut().zip(result).for_each(|(to, result)| *to = *result as f32);
        Ok(())
    })?
}

macro_rules! of_one {
    ($($name:ident $summary:literal),*) => {$(
        #[doc = $summary]
        pub fn $name(context: &mut Context, site: u32, to: &mut [f32], a: &[f32], n: i64) -> Outcome<()> {
            rounded((context, site), to, (a, &[]), |context, to, a, _| crate::$name(context, site, to, a, n))
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
    ($($name:ident $summary:literal $(if $supported:ident)?),*) => {$(
        #[doc = $summary]
        pub fn $name(
            context: &mut Context,
            site: u32,
            to: &mut [f32],
            a: &[f32],
            n: i64,
            b: &[f32],
            columns: i64,
        ) -> Outcome<()> {
            $(if !$supported(n) {
                return Err(fault(ELSEWHERE, &[]));
            })?
            rounded((context, site), to, (a, b), |context, to, a, b| crate::$name(context, site, to, a, n, b, columns))
        }
    )*};
}

/// Whether every row of a matrix of `n` rows is a number in single precision.
fn has_places(n: i64) -> bool {
    n < 1 << 24
}

of_two! {
    solve "The solution of a linear equation.",
    exact_solve "The solution of a linear equation, zero for a column of zeros.",
    cofactor "The matrix of cofactors, or its derivative in some directions.",
    cholesky_tangent "The tangent of the factor of `cholesky`.",
    cholesky_cotangent "The cotangent of the matrix of `cholesky`.",
    sparse_solve "The solution of a sparse system." if has_places,
    exact_sparse_solve "The solution of a sparse system, zero for a column of zeros." if has_places,
    exact_sparse_solve_transposed "The solution of the transposed system, zero for a column of zeros." if has_places
}
