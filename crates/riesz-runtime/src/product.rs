//! Products of matrices.
//!
//! ```text
//! to[i, j] = Σₖ left[i, k] · right[k, j]
//! ```
//!
//! A vector makes a product of sums over rows, or of a sum of rows; every element of the matrix is read once. Where both
//! factors are matrices, blocks of the result stay in registers.

use crate::{Element, LANES, Lanes};

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
        if height * depth * width >= WORTH_PACKING {
            return packed(to, (left, left_at), (right, right_at), (height, depth, width));
        }
    }
    contract(to, (left, left_at), (right, right_at), (rows, inner, columns), |a, b| a * b);
}

/// Below so many products a matrix is not worth laying out anew.
const WORTH_PACKING: usize = 4096;

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
                let [e, f, g, h] =
                    dots([row(4 * block), row(4 * block + 1), row(4 * block + 2), row(4 * block + 3)], vector);
                (*a, *b, *c, *d) = (e, f, g, h);
            }
            fewer => {
                for (i, to) in fewer.iter_mut().enumerate() {
                    [*to] = dots([row(4 * block + i)], vector);
                }
            }
        }
    }
}

/// The inner products of some rows with a vector, each in two sums of eight lanes.
#[inline(always)]
fn dots<const N: usize>(rows: [&[f64]; N], vector: &[f64]) -> [f64; N] {
    const STEP: usize = 2 * LANES;
    let whole = vector.len() / STEP * STEP;
    let mut sums = [[Lanes::splat(0.0); 2]; N];
    for k in (0..whole).step_by(STEP) {
        for half in 0..2 {
            // `k` is below `whole`, which no row is shorter than.
            let x = unsafe { Lanes::load(vector, (k + half * LANES) as i64, 1) };
            for (row, sums) in rows.iter().zip(&mut sums) {
                sums[half] = unsafe { Lanes::load(row, (k + half * LANES) as i64, 1) }.fma(x, sums[half]);
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
        add_multiples(to, factors, [row(k), row(k + 1), row(k + 2), row(k + 3)]);
        k += 4;
    }
    for k in k..count {
        add_multiples(to, [factor(k)], [row(k)]);
    }
}

/// `to += Σ factor · row`
#[inline(always)]
fn add_multiples<const N: usize>(to: &mut [f64], factors: [f64; N], rows: [&[f64]; N]) {
    let whole = to.len() / LANES * LANES;
    let factors_wide = factors.map(Lanes::splat);
    for at in (0..whole).step_by(LANES) {
        // `at` is below `whole`, which no row is shorter than.
        unsafe {
            let mut sum = Lanes::load(to, at as i64, 1);
            for (factor, row) in factors_wide.iter().zip(&rows) {
                sum = factor.fma(Lanes::load(row, at as i64, 1), sum);
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

/// How many rows and columns of a result are computed at a time: they stay in registers.
const HEIGHT: usize = 8;
const WIDTH: usize = 3 * LANES;
/// How much of the sum over the inner index is done at a time.
const DEPTH: usize = 512;

/// The factors are laid out anew, so that what is used together lies together: the left one by columns of eight rows, the
/// right one by rows of twenty-four columns.
fn packed(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (usize, usize, usize),
) {
    let blocks = rows.div_ceil(HEIGHT);
    // What is read of them is laid out before.
    let mut lefts = f64::buffer(blocks * HEIGHT * inner.min(DEPTH));
    let mut panel = f64::buffer(WIDTH * inner.min(DEPTH));
    let mut sums = [[Lanes::splat(0.0); 3]; HEIGHT];
    for start in (0..inner).step_by(DEPTH) {
        let depth = DEPTH.min(inner - start);
        for (block, packed) in lefts.chunks_exact_mut(HEIGHT * depth).take(blocks).enumerate() {
            let first = left_at.first + (block * HEIGHT) as i64 * left_at.row + start as i64 * left_at.column;
            pack::<HEIGHT>(packed, left, (first, left_at.column, left_at.row), HEIGHT.min(rows - block * HEIGHT));
        }
        for column in (0..columns).step_by(WIDTH) {
            let width = WIDTH.min(columns - column);
            let first = right_at.first + start as i64 * right_at.row + column as i64 * right_at.column;
            pack::<WIDTH>(&mut panel[..WIDTH * depth], right, (first, right_at.row, right_at.column), width);
            for block in 0..blocks {
                let left = &lefts[block * HEIGHT * depth..][..HEIGHT * depth];
                block_product(left, &panel[..WIDTH * depth], &mut sums);
                for (i, sums) in sums.iter().enumerate().take(rows - block * HEIGHT) {
                    let to = &mut to[(block * HEIGHT + i) * columns + column..][..width];
                    write(to, sums, start > 0);
                }
            }
        }
    }
}

/// Lays out `count` of `N` elements of each step side by side, the rest zero.
#[inline(always)]
fn pack<const N: usize>(packed: &mut [f64], from: &[f64], (first, step, apart): (i64, i64, i64), count: usize) {
    if count < N {
        packed.fill(0.0);
    }
    if apart == 1 {
        for (k, packed) in packed.chunks_exact_mut(N).enumerate() {
            let from = &from[(first + k as i64 * step) as usize..][..count];
            match from.first_chunk::<N>() {
                Some(from) => packed.copy_from_slice(from),
                None => packed[..count].copy_from_slice(from),
            }
        }
        return;
    }
    let done = if step == 1 { pack_squares::<N>(packed, from, (first, apart), count) } else { 0 };
    for i in 0..count {
        let first = first + i as i64 * apart;
        for (k, packed) in packed.chunks_exact_mut(N).enumerate().skip(done) {
            packed[i] = from[(first + k as i64 * step) as usize];
        }
    }
}

/// Lays out the elements of steps that follow each other, eight by eight; gives the number of steps done.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn pack_squares<const N: usize>(packed: &mut [f64], from: &[f64], (first, apart): (i64, i64), count: usize) -> usize {
    use std::arch::x86_64::{_mm512_loadu_pd, _mm512_mask_storeu_pd, _mm512_setzero_pd};
    let whole = packed.len() / N / 8 * 8;
    for i in (0..count).step_by(8) {
        let some = 8.min(count - i);
        let rows: [&[f64]; 8] = std::array::from_fn(|row| match row < some {
            true => &from[(first + (i + row) as i64 * apart) as usize..][..whole],
            false => &[],
        });
        let mask = (0xFF_u16 >> (8 - some)) as u8;
        for k in (0..whole).step_by(8) {
            // Eight elements behind `k` are in each row, and `some` behind `i` in each step.
            let load = |row: usize| match row < some {
                true => unsafe { _mm512_loadu_pd(rows[row].as_ptr().add(k)) },
                false => unsafe { _mm512_setzero_pd() },
            };
            let to = packed[k * N..(k + 8) * N].as_mut_ptr();
            crate::rows::transpose(load, |at, column| unsafe {
                _mm512_mask_storeu_pd(to.add(at * N + i), mask, column);
            });
        }
    }
    whole
}

/// Lays out the elements of steps that follow each other, eight by eight; gives the number of steps done.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn pack_squares<const N: usize>(_: &mut [f64], _: &[f64], _: (i64, i64), _: usize) -> usize {
    0
}

/// Eight rows by twenty-four columns, of factors that have been laid out so.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
fn block_product(left: &[f64], right: &[f64], to: &mut [[Lanes; 3]; HEIGHT]) {
    use std::arch::x86_64::{_mm512_fmadd_pd, _mm512_loadu_pd, _mm512_set1_pd, _mm512_setzero_pd, _mm512_storeu_pd};
    // The chunks have as many elements as are read of them, and `to` holds what is written.
    unsafe {
        let mut sums = [[_mm512_setzero_pd(); 3]; HEIGHT];
        for (a, b) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
            let (p, q, r) = (
                _mm512_loadu_pd(b.as_ptr()),
                _mm512_loadu_pd(b.as_ptr().add(LANES)),
                _mm512_loadu_pd(b.as_ptr().add(2 * LANES)),
            );
            for (sums, a) in sums.iter_mut().zip(a) {
                let a = _mm512_set1_pd(*a);
                sums[0] = _mm512_fmadd_pd(a, p, sums[0]);
                sums[1] = _mm512_fmadd_pd(a, q, sums[1]);
                sums[2] = _mm512_fmadd_pd(a, r, sums[2]);
            }
        }
        for (to, sums) in to.iter_mut().zip(&sums) {
            for (to, sum) in to.iter_mut().zip(sums) {
                _mm512_storeu_pd(to.0.as_mut_ptr(), *sum);
            }
        }
    }
}

/// Eight rows by twenty-four columns, of factors that have been laid out so.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn block_product(left: &[f64], right: &[f64], to: &mut [[Lanes; 3]; HEIGHT]) {
    *to = [[Lanes::splat(0.0); 3]; HEIGHT];
    for (a, b) in left.chunks_exact(HEIGHT).zip(right.chunks_exact(WIDTH)) {
        // A chunk has three times eight elements.
        let b = [0, 1, 2].map(|part| unsafe { Lanes::load(b, part * LANES as i64, 1) });
        for (sums, a) in to.iter_mut().zip(a) {
            let a = Lanes::splat(*a);
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = a.fma(b, *sum);
            }
        }
    }
}

/// Writes a row of a block, or adds it to what is there.
#[inline(always)]
fn write(to: &mut [f64], sums: &[Lanes; 3], add: bool) {
    for (part, to) in to.chunks_mut(LANES).enumerate() {
        for (lane, to) in to.iter_mut().enumerate() {
            *to = if add { *to + sums[part].0[lane] } else { sums[part].0[lane] };
        }
    }
}

/// The same with products in which zero times anything is zero.
pub fn exact_product(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (i64, i64, i64),
) {
    contract(to, (left, left_at), (right, right_at), (rows, inner, columns), crate::exact_mul);
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
