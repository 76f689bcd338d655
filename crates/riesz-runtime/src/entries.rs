//! The entries of a linear system, and how far from the diagonal they are.

use crate::LANES;
use crate::matrix::any;

/// A list of entries, of the matrix or of its transpose.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub rows: &'a [f64],
    pub columns: &'a [f64],
    pub numbers: &'a [f64],
    /// The number of unknowns.
    pub n: usize,
    /// How many diagonals are below the main one, and above it.
    pub band: (usize, usize),
}

impl<'a> Entries<'a> {
    /// None where a place is outside of the matrix, or a number is NaN.
    pub fn new(a: &'a [f64], n: usize, transposed: bool) -> Option<Entries<'a>> {
        let k = a.len() / 3;
        let (rows, rest) = a.split_at(k);
        let (columns, numbers) = rest.split_at(k);
        let (rows, columns) = if transposed { (columns, rows) } else { (rows, columns) };
        let numbers = &numbers[..k];
        let mut extent = Extent::default();
        let ((many_rows, rest_rows), (many_columns, rest_columns)) =
            (rows.as_chunks::<LANES>(), columns.as_chunks::<LANES>());
        let mut extents = [Extent::default(); LANES];
        for (rows, columns) in many_rows.iter().zip(many_columns) {
            extents
                .iter_mut()
                .zip(rows.iter().zip(columns))
                .for_each(|(extent, (row, column))| extent.see(*row, *column));
        }
        extents.iter().for_each(|lane| extent.join(lane));
        rest_rows.iter().zip(rest_columns).for_each(|(row, column)| extent.see(*row, *column));
        let Extent { least, most, below, above, is_number } = extent;
        let inside = k == 0 || (is_number && least >= 0.0 && most < n as f64);
        let band = (below as usize, above as usize);
        (inside && !any(numbers, f64::is_nan)).then_some(Entries { rows, columns, numbers, n, band })
    }

    /// Row, column and number of each entry.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize, f64)> + DoubleEndedIterator {
        // Places are in range, as was seen when the list was made.
        let place = |place: &f64| unsafe { place.to_int_unchecked::<i64>() as usize };
        let places = self.rows.iter().zip(self.columns);
        places.zip(self.numbers).map(move |((row, column), number)| (place(row), place(column), *number))
    }
}

/// Where some entries are.
#[derive(Clone, Copy)]
struct Extent {
    least: f64,
    most: f64,
    below: f64,
    above: f64,
    is_number: bool,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { least: 0.0, most: 0.0, below: 0.0, above: 0.0, is_number: true }
    }
}

impl Extent {
    #[inline(always)]
    fn see(&mut self, row: f64, column: f64) {
        let below = row - column;
        self.join(&Extent {
            least: if row < column { row } else { column },
            most: if row < column { column } else { row },
            below,
            above: -below,
            is_number: !below.is_nan(),
        });
    }

    #[inline(always)]
    fn join(&mut self, other: &Extent) {
        let most = |a: f64, b: f64| if b > a { b } else { a };
        self.least = if other.least < self.least { other.least } else { self.least };
        self.most = most(self.most, other.most);
        self.below = most(self.below, other.below);
        self.above = most(self.above, other.above);
        self.is_number &= other.is_number;
    }
}
