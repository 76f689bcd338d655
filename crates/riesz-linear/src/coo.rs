//! Sparse matrices: the entries that are not structurally zero, by row and then by column.
//!
//! An entry is included if the structure of the map connects its column with its row, whatever its value: a coefficient
//! that happens to be `0.0` is an entry, while the zero map and absent pairs of a relation have none. The structure of
//! a composition is the product of the structures, so it does not depend on the bracketing of the term.

use crate::map::LinearMap;
use crate::matrix::{by_columns, images};

/// A matrix by coordinates: `vals[i]` in row `rows[i]` and column `cols[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coo {
    /// The rows, in order.
    pub rows: Vec<usize>,
    /// The columns, in order within a row.
    pub cols: Vec<usize>,
    /// The values, which may be 0.
    pub vals: Vec<f64>,
}

impl LinearMap {
    /// The entries that are not structurally zero, over flat indices. Nothing dense is made on the way.
    pub fn coo(&self) -> Coo {
        if by_columns(self) {
            Coo::from_rows(images(self).into_iter().map(|row| row.into_entries()))
        } else {
            let columns = images(&self.adjoint()).into_iter().map(|row| row.into_entries());
            Coo::from_rows(transpose(columns, self.rows()))
        }
    }
}

impl Coo {
    fn from_rows(rows: impl IntoIterator<Item = Vec<(usize, f64)>>) -> Coo {
        let mut coo = Coo::default();
        for (row, entries) in rows.into_iter().enumerate() {
            for (column, value) in entries {
                coo.rows.push(row);
                coo.cols.push(column);
                coo.vals.push(value);
            }
        }
        coo
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.vals.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vals.is_empty()
    }
}

fn transpose(columns: impl Iterator<Item = Vec<(usize, f64)>>, rows: usize) -> Vec<Vec<(usize, f64)>> {
    let mut transposed = vec![Vec::new(); rows];
    for (column, entries) in columns.enumerate() {
        for (row, value) in entries {
            transposed[row].push((column, value));
        }
    }
    transposed
}
