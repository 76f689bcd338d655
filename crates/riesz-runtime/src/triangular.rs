//! Triangular systems.
//!
//! ```text
//! l x = b:   l₁₁ x₁ = b₁,   l₂₂ x₂ = b₂ − l₂₁ x₁        u x = b:   u₂₂ x₂ = b₂,   u₁₁ x₁ = b₁ − u₁₂ x₂
//! ```
//!
//! The halves are solved in the same way, down to eight rows, so that nearly all of the work is in products.

use crate::circle::fma;
use crate::product::{Strides, dot};
use crate::tile::{Block, Factor, Update, multiply};
use crate::{LANES, Lanes};

/// Which half of a matrix is not zero, and what is on its diagonal.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Triangle {
    Lower,
    /// With ones on the diagonal, which are not stored.
    UnitLower,
    Upper,
}

/// The largest system that is solved row by row.
pub(crate) const SMALL: usize = 8;

/// Where a matrix of more than [`SMALL`] rows is split.
pub(crate) fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(SMALL)
}

/// The element at a row and a column.
fn element(to: &[f64], (a, at): Factor, row: usize, column: usize) -> f64 {
    a.unwrap_or(to)[(at.first + row as i64 * at.row + column as i64 * at.column) as usize]
}

/// The part of a factor further down and to the right.
fn part((a, at): Factor, row: usize, column: usize) -> Factor {
    (a, Strides { first: at.first + row as i64 * at.row + column as i64 * at.column, ..at })
}

/// Solves `a x = b` for a triangular matrix `a`, in place: `b` is the block at `place`, and becomes `x`.
pub(crate) fn solve(to: &mut [f64], place: Block, (n, columns): (usize, usize), a: Factor, triangle: Triangle) {
    if columns == 1 && place.step == 1 && a.1.column == 1 && a.0.is_some() {
        return solve_vector(&mut to[place.first..][..n], a, triangle);
    }
    if n <= SMALL {
        return solve_rows(to, place, (n, columns), a, triangle);
    }
    let k = half(n);
    let (above, below) = ((k, columns), (n - k, columns));
    let below_at = place.at(k, 0);
    if triangle == Triangle::Upper {
        solve(to, below_at, below, part(a, k, k), triangle);
        multiply(to, place, part(a, 0, k), (None, below_at.strides()), (k, n - k, columns), Update::Add(-1.0));
        solve(to, place, above, a, triangle);
    } else {
        solve(to, place, above, a, triangle);
        multiply(to, below_at, part(a, k, 0), (None, place.strides()), (n - k, k, columns), Update::Add(-1.0));
        solve(to, below_at, below, part(a, k, k), triangle);
    }
}

/// Solves for one right-hand side, each row by an inner product.
fn solve_vector(x: &mut [f64], a: Factor, triangle: Triangle) {
    let (n, entries, at) = (x.len(), a.0.unwrap_or(&[]), a.1);
    for step in 0..n {
        let (i, known) = match triangle {
            Triangle::Upper => (n - 1 - step, n - step..n),
            Triangle::Lower | Triangle::UnitLower => (step, 0..step),
        };
        let row = &entries[(at.first + i as i64 * at.row) as usize..][..n];
        let rest = match n <= SMALL {
            true => known.fold(x[i], |rest, k| rest - row[k] * x[k]),
            false => x[i] - dot(&row[known.clone()], &x[known]),
        };
        x[i] = if triangle == Triangle::UnitLower { rest } else { rest / row[i] };
    }
}

/// Solves for at most [`SMALL`] rows, which stay in registers.
fn solve_rows(to: &mut [f64], place: Block, (n, columns): (usize, usize), a: Factor, triangle: Triangle) {
    // The rows in the order in which they are solved, each with its multiples of those before it.
    let row = |step: usize| if triangle == Triangle::Upper { n - 1 - step } else { step };
    let mut multiples = [[0.0; SMALL]; SMALL];
    let mut pivots = [1.0; SMALL];
    for i in 0..n {
        (0..i).for_each(|k| multiples[i][k] = element(to, a, row(i), row(k)));
        if triangle != Triangle::UnitLower {
            pivots[i] = element(to, a, row(i), row(i));
        }
    }
    let unit = triangle == Triangle::UnitLower;
    let whole = columns / LANES * LANES;
    let at = |i: usize, column: usize| place.at(row(i), column).first;
    assert!(n == 0 || columns == 0 || place.at(n - 1, columns - 1).first < to.len());
    for column in (0..whole).step_by(LANES) {
        let mut x = [Lanes::splat(0.0); SMALL];
        for i in 0..n {
            // The last column of this row is in bounds, as was found above.
            let mut rest = unsafe { Lanes::load(to, at(i, column) as i64, 1) };
            for k in 0..i {
                rest = Lanes::splat(-multiples[i][k]).fma(x[k], rest);
            }
            x[i] = if unit { rest } else { rest / Lanes::splat(pivots[i]) };
            unsafe { x[i].store(&mut *to, at(i, column) as i64, 1) };
        }
    }
    for column in whole..columns {
        let mut x = [0.0; SMALL];
        for i in 0..n {
            let mut rest = to[at(i, column)];
            (0..i).for_each(|k| rest = fma(-multiples[i][k], x[k], rest));
            x[i] = if unit { rest } else { rest / pivots[i] };
            to[at(i, column)] = x[i];
        }
    }
}

/// The inverse of a triangular matrix, written to the block at `place`, with the zeros of the other half.
pub(crate) fn invert(to: &mut [f64], place: Block, n: usize, a: Factor, triangle: Triangle) {
    let mut fill = |row: usize, column: usize, (height, width): (usize, usize)| {
        (row..row + height).for_each(|row| to[place.at(row, column).first..][..width].fill(0.0));
    };
    if n <= SMALL {
        fill(0, 0, (n, n));
        (0..n).for_each(|row| to[place.at(row, row).first] = 1.0);
        return solve_rows(to, place, (n, n), a, triangle);
    }
    let k = half(n);
    let (last, last_at) = (part(a, k, k), place.at(k, k));
    fill(0, k, (k, n - k));
    fill(k, 0, (n - k, k));
    invert(to, place, k, a, triangle);
    invert(to, last_at, n - k, last, triangle);
    if triangle == Triangle::Upper {
        let (corner, factor) = (place.at(0, k), (None, last_at.strides()));
        multiply(to, corner, part(a, 0, k), factor, (k, n - k, n - k), Update::Add(-1.0));
        solve(to, corner, (k, n - k), a, triangle);
    } else {
        let (corner, factor) = (place.at(k, 0), (None, place.strides()));
        multiply(to, corner, part(a, k, 0), factor, (n - k, k, k), Update::Add(-1.0));
        solve(to, corner, (n - k, k), last, triangle);
    }
}
