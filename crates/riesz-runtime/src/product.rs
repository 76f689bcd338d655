//! Products of matrices.
//!
//! ```text
//! to[i, j] = Σₖ left[i, k] · right[k, j]
//! ```
//!
//! A product with a vector consists of sums over rows, or is a sum of rows; every element of the matrix is read once.
//! If both factors are matrices, tiles of the result stay in registers (`tile`).

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx512f")))]
use crate::instructions::{Avx2, Avx512};
use crate::instructions::{Compiled, Instructions, by_instructions};
use crate::matrix::any;
use crate::tile::{Block, Update, multiply};
use crate::{LANES, Lanes};

/// Below this number of products, tiles do not pay.
const WORTH_TILES: usize = 256;

/// A matrix in a buffer: where it begins, and how far apart rows and columns are.
#[derive(Clone, Copy, Debug)]
pub struct Strides {
    /// The position of the first element.
    pub first: i64,
    /// From a row to the next.
    pub row: i64,
    /// From a column to the next.
    pub column: i64,
}

/// `to = left · right`, an `rows × inner` by an `inner × columns` matrix; `to` row by row.
pub fn product(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
) {
    if inner > 0 && rows > 0 && columns > 0 {
        let (height, depth, width) = (rows as usize, inner as usize, columns as usize);
        if columns == 1 && left_at.column == 1 && right_at.row == 1 {
            let vector = &right[right_at.first as usize..][..depth];
            return rows_with_vector(&mut to[..height], left, left_at, vector);
        }
        // The transpose of a matrix that lies row by row, with a vector: the sum of its rows.
        if columns == 1 && left_at.row == 1 {
            let factor = |k: usize| right[(right_at.first + k as i64 * right_at.row) as usize];
            return sum_of_rows(&mut to[..height], (left, left_at.first, left_at.column), factor, depth);
        }
        if rows == 1 && right_at.column == 1 {
            let factor = |k: usize| left[(left_at.first + k as i64 * left_at.column) as usize];
            return sum_of_rows(&mut to[..width], (right, right_at.first, right_at.row), factor, depth);
        }
        // A vector with the columns of a matrix that lies column by column.
        if rows == 1 && right_at.row == 1 && left_at.column == 1 {
            let columns = Strides { first: right_at.first, row: right_at.column, column: 1 };
            return rows_with_vector(&mut to[..width], right, columns, &left[left_at.first as usize..][..depth]);
        }
        if inner == 1 && right_at.column == 1 {
            let row = &right[right_at.first as usize..][..width];
            for (i, to) in to.chunks_exact_mut(width).enumerate().take(height) {
                let factor = left[(left_at.first + i as i64 * left_at.row) as usize];
                to.iter_mut().zip(row).for_each(|(to, x)| *to = 0.0 + factor * x);
            }
            return;
        }
        if height * depth * width >= WORTH_TILES && (height > 3 || depth > 8) {
            let place = Block { first: 0, step: width };
            let (left, right) = ((Some(left), left_at), (Some(right), right_at));
            return multiply(to, place, left, right, (height, depth, width), Update::Store);
        }
    }
    contract(to, (left, left_at), (right, right_at), (rows, inner, columns), |a, b| a * b);
}

/// The inner product, in four sums of eight lanes.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut to = [0.0];
    rows_with_vector(&mut to, a, Strides { first: 0, row: 0, column: 1 }, b);
    to[0]
}

/// The rows of a matrix with a vector, four of them at a time.
fn rows_with_vector(to: &mut [f64], left: &[f64], at: Strides, vector: &[f64]) {
    let row = |i: usize| &left[(at.first + i as i64 * at.row) as usize..][..vector.len()];
    for (block, to) in to.chunks_mut(4).enumerate() {
        match to {
            [a, b, c, d] => {
                let rows = [row(4 * block), row(4 * block + 1), row(4 * block + 2), row(4 * block + 3)];
                // The processor is asked for its instructions.
                let [e, f, g, h] = unsafe { dots(rows, vector) };
                (*a, *b, *c, *d) = (e, f, g, h);
            }
            fewer => {
                for (i, to) in fewer.iter_mut().enumerate() {
                    [*to] = unsafe { dots([row(4 * block + i)], vector) };
                }
            }
        }
    }
}

by_instructions! {
    /// The inner products of some rows with a vector.
    ///
    /// # Safety
    /// There is nothing to see to: it is unsafe as all kernels are.
    unsafe fn dots[const N: usize](rows: [&[f64]; N], vector: &[f64]) -> [f64; N]
        = [inner_products::<N, Compiled>, inner_products::<N, Avx2>, inner_products::<N, Avx512>]
}

/// The inner products of some rows with a vector, each in two sums of eight lanes.
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn inner_products<const N: usize, I: Instructions>(rows: [&[f64]; N], vector: &[f64]) -> [f64; N] {
    const STEP: usize = 2 * LANES;
    let whole = vector.len() / STEP * STEP;
    let mut sums = [[Lanes::splat(0.0); 2]; N];
    for k in (0..whole).step_by(STEP) {
        for half in 0..2 {
            // `k` is below `whole`, which no row is shorter than.
            let x = unsafe { Lanes::load(vector, (k + half * LANES) as i64, 1) };
            for (row, sums) in rows.iter().zip(&mut sums) {
                sums[half] = unsafe { I::fma(Lanes::load(row, (k + half * LANES) as i64, 1), x, sums[half]) };
            }
        }
    }
    let mut totals = [0.0; N];
    for ((row, sums), total) in rows.iter().zip(&sums).zip(&mut totals) {
        let rest: f64 = row[whole..].iter().zip(&vector[whole..]).map(|(a, b)| a * b).sum();
        *total = (sums[0] + sums[1]).sum() + rest;
    }
    totals
}

/// `to = Σₖ factor(k) · rowₖ`, four rows at a time.
fn sum_of_rows(to: &mut [f64], (rows, first, step): (&[f64], i64, i64), factor: impl Fn(usize) -> f64, count: usize) {
    to.fill(0.0);
    let width = to.len();
    let row = |k: usize| &rows[(first + k as i64 * step) as usize..][..width];
    let mut k = 0;
    while k + 4 <= count {
        let factors = [factor(k), factor(k + 1), factor(k + 2), factor(k + 3)];
        // The processor is asked for its instructions.
        unsafe { add_multiples(to, factors, [row(k), row(k + 1), row(k + 2), row(k + 3)]) };
        k += 4;
    }
    for k in k..count {
        unsafe { add_multiples(to, [factor(k)], [row(k)]) };
    }
}

by_instructions! {
    /// `to += Σ factor · row`
    ///
    /// # Safety
    /// There is nothing to see to: it is unsafe as all kernels are.
    unsafe fn add_multiples[const N: usize](to: &mut [f64], factors: [f64; N], rows: [&[f64]; N])
        = [multiples::<N, Compiled>, multiples::<N, Avx2>, multiples::<N, Avx512>]
}

/// `to += Σ factor · row`
///
/// # Safety
/// The processor has the instructions.
#[inline(always)]
unsafe fn multiples<const N: usize, I: Instructions>(to: &mut [f64], factors: [f64; N], rows: [&[f64]; N]) {
    let whole = to.len() / LANES * LANES;
    let factors_wide = factors.map(Lanes::splat);
    for at in (0..whole).step_by(LANES) {
        // `at` is below `whole`, which no row is shorter than.
        unsafe {
            let mut sum = Lanes::load(to, at as i64, 1);
            for (factor, row) in factors_wide.iter().zip(&rows) {
                sum = I::fma(*factor, Lanes::load(row, at as i64, 1), sum);
            }
            sum.store(&mut *to, at as i64, 1);
        }
    }
    for at in whole..to.len() {
        for (factor, row) in factors.iter().zip(&rows) {
            to[at] += factor * row[at];
        }
    }
}

/// The same with products in which zero times anything is zero. They differ from others only where those are NaN.
pub fn exact_product(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
) {
    product(to, (left, left_at), (right, right_at), (rows, inner, columns));
    let count = rows.max(0) as usize * columns.max(0) as usize;
    if any(&to[..count], f64::is_nan) {
        contract(to, (left, left_at), (right, right_at), (rows, inner, columns), crate::exact_mul);
    }
}

#[inline(always)]
fn contract(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
    times: impl Fn(f64, f64) -> f64,
) {
    let (rows, inner, columns) = (rows.max(0) as usize, inner.max(0), columns.max(0) as usize);
    if columns == 1 {
        for (row, to) in to.iter_mut().enumerate().take(rows) {
            let start = left_at.first + row as i64 * left_at.row;
            let mut total = 0.0;
            for k in 0..inner {
                let b = right[(right_at.first + k * right_at.row) as usize];
                total += times(left[(start + k * left_at.column) as usize], b);
            }
            *to = total;
        }
        return;
    }
    if rows == 0 || columns == 0 {
        return;
    }
    for (row, to) in to.chunks_exact_mut(columns).enumerate().take(rows) {
        to.fill(0.0);
        let start = left_at.first + row as i64 * left_at.row;
        for k in 0..inner {
            let a = left[(start + k * left_at.column) as usize];
            let from = right_at.first + k * right_at.row;
            if right_at.column == 1 {
                for (to, b) in to.iter_mut().zip(&right[from as usize..][..columns]) {
                    *to += times(a, *b);
                }
            } else {
                for (column, to) in to.iter_mut().enumerate() {
                    *to += times(a, right[(from + column as i64 * right_at.column) as usize]);
                }
            }
        }
    }
}

/// How many rows of a product in lanes are summed side by side: no sum waits for another, and vectors stay in registers.
const ROWS: usize = if cfg!(target_feature = "avx512f") { 8 } else { 4 };

/// A product of matrices whose elements are vectors: `left(row, at)` and `right(at, column)` are the elements of the
/// factors, and `onto(a, b, total)` is `total + a · b`. Every sum has the order of its terms.
#[inline(always)]
pub fn product_in_lanes<A: Copy, B: Copy, T: Copy>(
    [rows, inner, columns]: [i64; 3],
    zero: T,
    left: impl Fn(i64, i64) -> A,
    right: impl Fn(i64, i64) -> B,
    onto: impl Fn(A, B, T) -> T,
    mut write: impl FnMut(i64, i64, T),
) {
    let whole = rows.max(0) / ROWS as i64 * ROWS as i64;
    for first in (0..whole).step_by(ROWS) {
        for column in 0..columns {
            let mut totals = [zero; ROWS];
            for at in 0..inner {
                let factor = right(at, column);
                for (row, total) in totals.iter_mut().enumerate() {
                    *total = onto(left(first + row as i64, at), factor, *total);
                }
            }
            for (row, total) in totals.into_iter().enumerate() {
                write(first + row as i64, column, total);
            }
        }
    }
    for row in whole..rows {
        for column in 0..columns {
            let mut total = zero;
            for at in 0..inner {
                total = onto(left(row, at), right(at, column), total);
            }
            write(row, column, total);
        }
    }
}
