//! Transposition, in squares of eight by eight that stay in registers.

use crate::tile::Block;

/// The side of a square.
const SIDE: usize = 8;

/// Writes the transpose of a block: `to[into + (j, i)] = from[at + (i, j)]`. Without a buffer of its own, the block lies in
/// that of the result, apart from it.
pub(crate) fn transpose(
    to: &mut [f64],
    (from, at): (Option<&[f64]>, Block),
    into: Block,
    (rows, columns): (usize, usize),
) {
    for i in (0..rows).step_by(SIDE) {
        for j in (0..columns).step_by(SIDE) {
            let (at, into) = (at.at(i, j), into.at(j, i));
            if i + SIDE <= rows && j + SIDE <= columns {
                transpose_square(to, (from, at), into);
                continue;
            }
            for i in 0..SIDE.min(rows - i) {
                for j in 0..SIDE.min(columns - j) {
                    to[into.at(j, i).first] = from.unwrap_or(to)[at.at(i, j).first];
                }
            }
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn transpose_square(to: &mut [f64], (from, at): (Option<&[f64]>, Block), into: Block) {
    use std::arch::x86_64::{_mm512_loadu_pd, _mm512_storeu_pd};
    assert!(at.at(SIDE - 1, SIDE - 1).first < from.unwrap_or(to).len() && into.at(SIDE - 1, SIDE - 1).first < to.len());
    let to = to.as_mut_ptr();
    let from = from.map_or(to.cast_const(), <[f64]>::as_ptr);
    // Eight rows of eight numbers are inside of both, as was found above, and all are read before any is written.
    crate::rows::transpose(
        |row| unsafe { _mm512_loadu_pd(from.add(at.at(row, 0).first)) },
        |column, numbers| unsafe { _mm512_storeu_pd(to.add(into.at(column, 0).first), numbers) },
    );
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn transpose_square(to: &mut [f64], (from, at): (Option<&[f64]>, Block), into: Block) {
    for i in 0..SIDE {
        for j in 0..SIDE {
            to[into.at(j, i).first] = from.unwrap_or(to)[at.at(i, j).first];
        }
    }
}

/// Transposes a matrix of which the half on one side of the diagonal is zero.
pub(crate) fn transpose_upper(to: &mut [f64], n: usize) {
    let at = Block { first: 0, step: n };
    for i in (0..n).step_by(SIDE) {
        let side = SIDE.min(n - i);
        for row in i..i + side {
            (row + 1..i + side).for_each(|column| to[column * n + row] = to[row * n + column]);
        }
        transpose(to, (None, at.at(i, i + side)), at.at(i + side, i), (side, n - i - side));
        (i..i + side).for_each(|row| to[row * n + row + 1..(row + 1) * n].fill(0.0));
    }
}
