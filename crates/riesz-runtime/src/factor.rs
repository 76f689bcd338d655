//! `p a = l u`, by elimination with the largest pivot of each column.
//!
//! ```text
//! p (a₁ a₂) = l (u₁ u₂):   a₁ = l₁ u₁,   u₁₂ = l₁₁⁻¹ a₁₂,   a₂₂ − l₂₁ u₁₂ = l₂₂ u₂₂
//! ```
//!
//! The columns are split in halves, down to eight columns, so that nearly all of the work is in products. Every element
//! has its multiples of rows above subtracted one after the other, from the first row on, wherever that is done: equal
//! rows stay equal, and a singular matrix with such rows has a pivot that is zero.

use crate::circle::fma;
use crate::matrix::any;
use crate::tile::{Block, Update, multiply};
use crate::triangular::{SMALL, Triangle, half, solve};
use crate::{LANES, Lanes};

/// Both triangles in one matrix, the rows of `a` in the order of the factors, and the sign of that permutation.
pub(crate) struct Factors<'r> {
    pub n: usize,
    pub lu: &'r mut [f64],
    rows: &'r mut [f64],
    pub sign: f64,
}

/// How many numbers there must be room for.
pub(crate) fn room(n: usize) -> usize {
    n * n + n
}

impl<'r> Factors<'r> {
    /// None where an entry is NaN, since elimination may never touch it.
    pub fn new(a: &[f64], n: usize, room: &'r mut [f64]) -> Option<Factors<'r>> {
        if any(a, f64::is_nan) {
            return None;
        }
        let (lu, rows) = room.split_at_mut(n * n);
        lu.copy_from_slice(a);
        (0..n).for_each(|row| rows[row] = row as f64);
        let mut factors = Factors { n, lu, rows: &mut rows[..n], sign: 1.0 };
        factors.eliminate(0, n);
        Some(factors)
    }

    pub fn pivots(&self) -> impl Iterator<Item = f64> {
        self.lu.iter().step_by(self.n + 1).copied()
    }

    pub fn is_regular(&self) -> bool {
        self.pivots().all(|pivot| pivot != 0.0)
    }

    /// Which row of `a` a row of the factors is.
    pub fn row(&self, row: usize) -> usize {
        self.rows[row] as usize
    }

    /// Eliminates below the diagonal in some columns.
    fn eliminate(&mut self, first: usize, width: usize) {
        if width <= SMALL {
            return self.eliminate_few(first, width);
        }
        let (n, k) = (self.n, half(width));
        let (middle, rest) = (first + k, width - k);
        self.eliminate(first, k);
        let whole = Block { first: 0, step: n };
        let (corner, right) = (whole.at(first, first), whole.at(first, middle));
        solve(self.lu, right, (k, rest), (None, corner.strides()), Triangle::UnitLower);
        let left = (None, whole.at(middle, first).strides());
        let size = (n - middle, k, rest);
        multiply(self.lu, whole.at(middle, middle), left, (None, right.strides()), size, Update::Add(-1.0));
        self.eliminate(middle, rest);
    }

    fn eliminate_few(&mut self, first: usize, width: usize) {
        let n = self.n;
        for k in first..first + width {
            let mut pivot = k;
            for row in k + 1..n {
                if self.lu[row * n + k].abs() > self.lu[pivot * n + k].abs() {
                    pivot = row;
                }
            }
            if pivot != k {
                let (above, below) = self.lu.split_at_mut(pivot * n);
                above[k * n..][..n].swap_with_slice(&mut below[..n]);
                self.rows.swap(k, pivot);
                self.sign = -self.sign;
            }
            let (above, below) = self.lu.split_at_mut((k + 1) * n);
            let top = &above[k * n..];
            if top[k] == 0.0 {
                continue;
            }
            if width < LANES {
                for row in below.chunks_exact_mut(n) {
                    let factor = row[k] / top[k];
                    row[k] = factor;
                    for j in k + 1..first + width {
                        // As the interpreter does for small matrices, as products do for large ones.
                        row[j] = if n < LANES { row[j] - factor * top[j] } else { fma(-factor, top[j], row[j]) };
                    }
                }
                continue;
            }
            // The columns behind the pivot.
            let mut behind = Lanes(std::array::from_fn(|lane| top[first + lane]));
            behind.0[..=k - first].fill(0.0);
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / top[k];
                let Some(columns) = row[first..].first_chunk_mut::<LANES>() else { return };
                *columns = Lanes::splat(-factor).fma(behind, Lanes(*columns)).0;
                columns[k - first] = factor;
            }
        }
    }
}
