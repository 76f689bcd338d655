//! Products of matrices in tiles: eight rows by twenty-four columns of the result, which stay in registers while the sum
//! over the inner index runs.
//!
//! ```text
//! for each stretch of k, for each block of rows, for each panel of columns, for each tile of both:   C += A B
//! ```
//!
//! The factors are copied into a layout in which values that are used together are adjacent: the left one by columns of
//! eight rows, the right one by rows of twenty-four columns. A matrix in the other order is transposed during the copy,
//! in registers. A panel stays in the first-level cache for a column of tiles, and a block of rows stays in the
//! second-level cache for all panels.

use crate::product::Strides;
use crate::{Element, LANES, Lanes};

/// Below this number of products, copying a matrix into tiles does not pay.
pub(crate) const WORTH_PACKING: usize = 4096;

/// The rows of a tile.
const HEIGHT: usize = 8;
/// The vectors in a row of a tile, and the columns.
const VECTORS: usize = 3;
const WIDTH: usize = VECTORS * LANES;
/// How much of the sum over the inner index is done at a time.
const DEPTH: usize = 512;
/// How many rows of the left factor are laid out at a time.
const ROWS: usize = 128;

/// `to = left · right`, for factors that are not empty.
pub(crate) fn packed(
    to: &mut [f64],
    (left, left_at): (&[f64], Strides),
    (right, right_at): (&[f64], Strides),
    (rows, inner, columns): (usize, usize, usize),
) {
    // What is read of them is laid out before.
    let stretch = inner.div_ceil(inner.div_ceil(DEPTH)).next_multiple_of(LANES);
    let mut lefts = Lanes::buffer(rows.min(ROWS).div_ceil(HEIGHT) * stretch * HEIGHT / LANES);
    let mut panel = Lanes::buffer(VECTORS * stretch);
    for start in (0..inner).step_by(stretch) {
        let depth = stretch.min(inner - start);
        for top in (0..rows).step_by(ROWS) {
            let height = ROWS.min(rows - top);
            let lefts = numbers(&mut lefts[..height.div_ceil(HEIGHT) * depth * HEIGHT / LANES]);
            for (tile, packed) in lefts.chunks_exact_mut(HEIGHT * depth).enumerate() {
                let row = top + tile * HEIGHT;
                let first = left_at.first + row as i64 * left_at.row + start as i64 * left_at.column;
                pack::<HEIGHT>(packed, left, (first, left_at.column, left_at.row), HEIGHT.min(rows - row));
            }
            for column in (0..columns).step_by(WIDTH) {
                let first = right_at.first + start as i64 * right_at.row + column as i64 * right_at.column;
                let from = (first, right_at.row, right_at.column);
                let (width, to) = (columns - column, &mut to[top * columns + column..]);
                let size = (height, WIDTH.min(width));
                match width.div_ceil(LANES) {
                    1 => tiles::<1, LANES>(to, columns, lefts, &mut panel[..depth], (right, from), size, start > 0),
                    2 => {
                        let panel = &mut panel[..2 * depth];
                        tiles::<2, { 2 * LANES }>(to, columns, lefts, panel, (right, from), size, start > 0);
                    }
                    _ => {
                        let panel = &mut panel[..VECTORS * depth];
                        tiles::<VECTORS, WIDTH>(to, columns, lefts, panel, (right, from), size, start > 0);
                    }
                }
            }
        }
    }
}

/// The tiles below each other, of as many vectors in a row.
#[inline(always)]
fn tiles<const V: usize, const N: usize>(
    to: &mut [f64],
    step: usize,
    lefts: &[f64],
    panel: &mut [Lanes],
    (right, from): (&[f64], (i64, i64, i64)),
    (height, width): (usize, usize),
    add: bool,
) {
    pack::<N>(numbers(panel), right, from, width);
    for (at, left) in lefts.chunks_exact(HEIGHT * (panel.len() / V)).enumerate() {
        let row = at * HEIGHT;
        tile::<V>(left, panel, &mut to[row * step..], step, (HEIGHT.min(height - row), width), add);
    }
}

/// One tile, written to where it belongs or added to what is there.
#[inline(never)]
fn tile<const V: usize>(
    left: &[f64],
    right: &[Lanes],
    to: &mut [f64],
    step: usize,
    (height, width): (usize, usize),
    add: bool,
) {
    let mut sums = [[Lanes::splat(0.0); V]; HEIGHT];
    for (a, b) in left.as_chunks::<HEIGHT>().0.iter().zip(right.as_chunks::<V>().0) {
        for i in 0..HEIGHT {
            let a = Lanes::splat(a[i]);
            for part in 0..V {
                sums[i][part] = a.fma(b[part], sums[i][part]);
            }
        }
    }
    for i in 0..HEIGHT {
        if i < height {
            let to = &mut to[i * step..][..width];
            for part in 0..V {
                match to[part * LANES..].first_chunk_mut::<LANES>() {
                    Some(to) => *to = if add { (Lanes(*to) + sums[i][part]).0 } else { sums[i][part].0 },
                    None => {
                        for (to, sum) in to[part * LANES..].iter_mut().zip(sums[i][part].0) {
                            *to = if add { *to + sum } else { sum };
                        }
                    }
                }
            }
        }
    }
}

/// The numbers in lanes, one after the other.
fn numbers(lanes: &mut [Lanes]) -> &mut [f64] {
    // Lanes are an array of numbers without padding.
    unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast::<f64>(), lanes.len() * LANES) }
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
                // By eights: a copy of more is a call.
                Some(from) => {
                    for (to, from) in packed.as_chunks_mut::<LANES>().0.iter_mut().zip(from.as_chunks::<LANES>().0) {
                        *to = *from;
                    }
                }
                None => packed[..count].copy_from_slice(from),
            }
        }
        return;
    }
    let done = if step == 1 { pack_squares::<N>(packed, from, (first, apart), count) } else { (0, 0) };
    for i in 0..count {
        let first = first + i as i64 * apart;
        let done = if i < done.0 { done.1 } else { 0 };
        for (k, packed) in packed.chunks_exact_mut(N).enumerate().skip(done) {
            packed[i] = from[(first + k as i64 * step) as usize];
        }
    }
}

/// Lays out elements of steps that follow each other, in squares of eight by eight; gives how many of each step are done,
/// and how many steps.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn pack_squares<const N: usize>(
    packed: &mut [f64],
    from: &[f64],
    (first, apart): (i64, i64),
    count: usize,
) -> (usize, usize) {
    use std::arch::x86_64::{_mm512_loadu_pd, _mm512_storeu_pd};
    let (count, steps) = (count / 8 * 8, packed.len() / N / 8 * 8);
    for i in (0..count).step_by(8) {
        let rows: [&[f64]; 8] =
            std::array::from_fn(|row| &from[(first + (i + row) as i64 * apart) as usize..][..steps]);
        for k in (0..steps).step_by(8) {
            let to = packed[k * N..(k + 8) * N].as_mut_ptr();
            // Each row has eight elements from `k` on, and each step eight from `i` on.
            crate::rows::transpose(
                |row| unsafe { _mm512_loadu_pd(rows[row].as_ptr().add(k)) },
                |at, column| unsafe { _mm512_storeu_pd(to.add(at * N + i), column) },
            );
        }
    }
    (count, steps)
}

/// Lays out elements of steps that follow each other; gives how many of each step are done, and how many steps.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn pack_squares<const N: usize>(_: &mut [f64], _: &[f64], _: (i64, i64), _: usize) -> (usize, usize) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_the_sums_of_products_that_they_should_be() {
        let sizes = [(1, 1, 1), (8, 8, 24), (7, 9, 23), (64, 784, 256), (256, 64, 10), (131, 515, 33), (130, 1030, 17)];
        for (rows, inner, columns) in sizes {
            let number = |at: usize| (at as f64 * 0.37).sin();
            let left: Vec<f64> = (0..rows * inner).map(number).collect();
            let right: Vec<f64> = (0..inner * columns).map(|at| number(at + 5)).collect();
            let by_rows = |columns: usize| Strides { first: 0, row: columns as i64, column: 1 };
            let by_columns = |rows: usize| Strides { first: 0, row: 1, column: rows as i64 };
            for left_at in [by_rows(inner), by_columns(rows)] {
                for right_at in [by_rows(columns), by_columns(inner)] {
                    let mut to = vec![f64::NAN; rows * columns];
                    packed(&mut to, (&left, left_at), (&right, right_at), (rows, inner, columns));
                    for (at, found) in to.iter().enumerate() {
                        let (i, j) = ((at / columns) as i64, (at % columns) as i64);
                        let term = |k: i64| {
                            left[(i * left_at.row + k * left_at.column) as usize]
                                * right[(k * right_at.row + j * right_at.column) as usize]
                        };
                        let expected: f64 = (0..inner as i64).map(term).sum();
                        assert!((found - expected).abs() < 1e-11, "{rows} × {inner} × {columns} at {i}, {j}: {found}");
                    }
                }
            }
        }
    }
}
