//! Matrices: a linear map applied to every unit vector.   [002 §2.4]
//!
//! `mᵢⱼ = (m eⱼ)ᵢ = (mᵀ eᵢ)ⱼ`, by columns or by rows, whichever costs less. All unit vectors go through the map at once,
//! as the rows of the identity matrix, which are sparse until something fills them: a diagonal map of a million numbers
//! makes a million entries, and the matrix of `(a *)` is `a`, at the cost of copying it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::cost::materialise;
use crate::map::{Form, LinearMap};
use crate::plan::Plan;
use crate::row::Row;
use crate::space::SpaceError;

/// A matrix, dense or banded. Its numbers are shared, also with its transpose.
#[derive(Clone)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    band: Option<Band>,
    /// Whether the numbers lie column by column.
    by_columns: bool,
    /// The numbers of all rows or columns; of those of a band, as many for each as the band is wide.
    values: Arc<[f64]>,
}

/// The entries `(i, j)` of a matrix with `i - lower ≤ j ≤ i + upper`. Others are structurally zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// How many diagonals there are below the main one.
    pub lower: usize,
    /// How many there are above it.
    pub upper: usize,
}

impl Band {
    fn width(self) -> usize {
        self.lower + self.upper + 1
    }

    /// How many entries of a matrix are in the band.
    pub(crate) fn entries(self, rows: usize, columns: usize) -> u64 {
        // A diagonal beyond the corner has no entries.
        let above = (0..=self.upper.min(columns)).map(|at| rows.min(columns - at) as u64);
        let below = (1..=self.lower.min(rows)).map(|at| columns.min(rows - at) as u64);
        above.chain(below).sum()
    }

    fn transpose(self) -> Band {
        Band { lower: self.upper, upper: self.lower }
    }
}

impl Matrix {
    /// A matrix from its rows, one after the other.
    ///
    /// # Errors
    /// Where there are not as many numbers as rows times columns.
    pub fn new(rows: usize, columns: usize, values: impl Into<Arc<[f64]>>) -> Result<Matrix, SpaceError> {
        let values = values.into();
        if rows.checked_mul(columns) != Some(values.len()) {
            let given = values.len();
            return Err(SpaceError::new(format!("{given} numbers do not fill {rows} rows of {columns}")));
        }
        Ok(Matrix { rows, columns, band: None, by_columns: false, values })
    }

    /// A matrix that is zero outside of a band, from the numbers in the band, row by row.
    ///
    /// # Errors
    /// Where the band is wider than the matrix, or a row has another length than the band has there.
    pub fn banded(band: Band, columns: usize, rows: &[Vec<f64>]) -> Result<Matrix, SpaceError> {
        let matrix = Matrix { rows: rows.len(), columns, band: Some(band), by_columns: false, values: Arc::new([]) };
        if !matrix.fits_band() {
            let (Band { lower, upper }, rows) = (band, rows.len());
            return Err(SpaceError::new(format!(
                "a band of {lower} diagonals below and {upper} above the main one does not fit a matrix of {rows} rows \
                 and {columns} columns"
            )));
        }
        let wrong = |(at, row): (usize, &Vec<f64>)| matrix.span(at).len() != row.len();
        if let Some((at, row)) = rows.iter().enumerate().find(|row| wrong(*row)) {
            let (given, wanted) = (row.len(), matrix.span(at).len());
            return Err(SpaceError::new(format!("row {at} of the band has {wanted} numbers, and here are {given}")));
        }
        let mut values = vec![0.0; rows.len() * band.width()];
        for (at, row) in rows.iter().enumerate() {
            let span = matrix.span(at);
            let start = at * band.width() + span.start + band.lower - at;
            values[start..start + row.len()].copy_from_slice(row);
        }
        Ok(Matrix { values: values.into(), ..matrix })
    }

    /// The band outside of which the matrix is zero, where it has one.
    pub fn band(&self) -> Option<Band> {
        self.band
    }

    /// Whether the band lies within the matrix, and its corners outside of the matrix are small.
    fn fits_band(&self) -> bool {
        self.band.is_none_or(|band| {
            let within = band.lower <= self.rows && band.upper <= self.columns;
            within && (self.rows as u64).saturating_mul(band.width() as u64) <= 4 * self.entries().min(1 << 60) + 64
        })
    }

    /// The columns of a row that are not structurally zero.
    pub fn span(&self, row: usize) -> Range<usize> {
        match self.band {
            None => 0..self.columns,
            Some(Band { lower, upper }) => {
                let end = (row + upper + 1).min(self.columns);
                row.saturating_sub(lower).min(end)..end
            }
        }
    }

    /// How many rows are structurally zero: those below the band.
    pub(crate) fn empty_rows(&self) -> usize {
        self.band.map_or(0, |band| self.rows.saturating_sub(self.columns + band.lower))
    }

    /// How many entries are not structurally zero.
    pub fn entries(&self) -> u64 {
        let (rows, columns) = (self.rows as u64, self.columns as u64);
        match self.band {
            None => rows.saturating_mul(columns),
            Some(band) => band.entries(self.rows, self.columns),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number in a row and a column.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        assert!(row < self.rows && column < self.columns, "row {row} and column {column} are in the matrix");
        match self.band {
            None if self.by_columns => self.values[column * self.rows + row],
            None => self.values[row * self.columns + column],
            Some(_) if !self.span(row).contains(&column) => 0.0,
            Some(band) if self.by_columns => self.values[column * band.width() + row + band.upper - column],
            Some(band) => self.values[row * band.width() + column + band.lower - row],
        }
    }

    /// The numbers of a row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.columns).map(move |column| self.at(row, column))
    }

    /// All numbers, row by row.
    pub fn values(&self) -> Vec<f64> {
        (0..self.rows).flat_map(|row| self.row(row)).collect()
    }

    /// `aᵀ`, without copying
    pub fn transpose(&self) -> Matrix {
        let by_columns = !self.by_columns;
        let band = self.band.map(Band::transpose);
        Matrix { rows: self.columns, columns: self.rows, band, by_columns, values: self.values.clone() }
    }

    /// Calls `f` with the row, the column and the number of every entry that is not structurally zero, in the order in
    /// which they lie in memory.
    pub(crate) fn each_entry(&self, mut f: impl FnMut(usize, usize, f64)) {
        let (lines, length) = if self.by_columns { (self.columns, self.rows) } else { (self.rows, self.columns) };
        let band = if self.by_columns { self.band.map(Band::transpose) } else { self.band };
        for line in 0..lines {
            // The numbers of the line, and the place that the first of them stands for.
            let (span, first) = match band {
                None => (0..length, line * length),
                Some(band) => {
                    let end = (line + band.upper + 1).min(length);
                    let start = line.saturating_sub(band.lower).min(end);
                    (start..end, line * band.width() + start + band.lower - line.min(start + band.lower))
                }
            };
            for (place, value) in span.clone().zip(&self.values[first..first + span.len()]) {
                if self.by_columns { f(place, line, *value) } else { f(line, place, *value) }
            }
        }
    }

    /// The matrix whose entries in a band are given; dense where the band is nearly as wide as the matrix.
    pub(crate) fn in_band(
        rows: usize,
        columns: usize,
        band: Option<Band>,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Matrix {
        let full = Matrix { rows, columns, band: None, by_columns: false, values: Arc::new([]) };
        let banded = Matrix { band: band.filter(|band| band.width() < columns), ..full.clone() };
        let matrix = if banded.fits_band() { banded } else { full };
        let narrow = matrix.band;
        let mut values = vec![0.0; rows * narrow.map_or(columns, Band::width)];
        for row in 0..rows {
            for column in matrix.span(row) {
                let place = match narrow {
                    None => row * columns + column,
                    Some(band) => row * band.width() + column + band.lower - row,
                };
                values[place] = entry(row, column);
            }
        }
        Matrix { values: values.into(), ..matrix }
    }

    pub(crate) fn from_rows(columns: usize, rows: impl ExactSizeIterator<Item = Vec<f64>>) -> Matrix {
        let count = rows.len();
        let values: Vec<f64> = rows.flatten().collect();
        debug_assert_eq!(values.len(), count * columns);
        Matrix { rows: count, columns, band: None, by_columns: false, values: values.into() }
    }

    pub(crate) fn address(&self) -> usize {
        self.values.as_ptr() as usize
    }
}

impl LinearMap {
    /// The matrix of the map between flat vectors: as many rows as the codomain has dimensions. Row by row, it is a vector
    /// of `W ⊗ V` for a map from `V` to `W`.
    pub fn matrix(&self) -> Matrix {
        let adjoint = self.adjoint();
        let (forward, reverse) = (materialise(self), materialise(&adjoint));
        if matches!(self.form(), Form::Compose(_)) {
            let association = self.associate();
            if association.cost.work() < forward.work().min(reverse.work()) {
                return association.matrix();
            }
        }
        if forward <= reverse { rows(self) } else { rows(&adjoint).transpose() }
    }
}

/// The matrix, all columns at once.
fn rows(map: &LinearMap) -> Matrix {
    let columns = map.columns();
    Matrix::from_rows(columns, images(map).into_iter().map(|row| row.to_dense(columns)))
}

/// Whether sending the unit vectors of the domain through the map costs no more than those of the codomain through its
/// adjoint.
pub(crate) fn by_columns(map: &LinearMap) -> bool {
    materialise(map) <= materialise(&map.adjoint())
}

/// The rows of a map, as the map applied to the rows of the identity.
pub(crate) fn images(map: &LinearMap) -> Vec<Row> {
    let width = map.columns();
    let identity: Vec<Row> = (0..width).map(|column| Row::unit(column, width)).collect();
    Plan::new(map).run(&identity)
}

/// Equal numbers, bit by bit.
impl PartialEq for Matrix {
    fn eq(&self, other: &Matrix) -> bool {
        if self.by_columns == other.by_columns && Arc::ptr_eq(&self.values, &other.values) {
            return (self.rows, self.columns, self.band) == (other.rows, other.columns, other.band);
        }
        (self.rows, self.columns, self.band) == (other.rows, other.columns, other.band)
            && (0..self.rows).all(|i| self.row(i).zip(other.row(i)).all(|(a, b)| a.to_bits() == b.to_bits()))
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.rows).map(|row| self.row(row).collect::<Vec<_>>())).finish()
    }
}
