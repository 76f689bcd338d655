//! Matrices: a linear map applied to every unit vector.   [002 §2.4]
//!
//! `mᵢⱼ = (m eⱼ)ᵢ = (mᵀ eᵢ)ⱼ`, by columns or by rows, whichever costs less. All unit vectors go through the map at once,
//! as the rows of the identity matrix, which are sparse until something fills them: a diagonal map of a million numbers
//! makes a million entries, and the matrix of `(a *)` is `a`, at the cost of copying it.

use std::fmt;
use std::sync::Arc;

use crate::cost::materialise;
use crate::map::{Form, LinearMap};
use crate::plan::Plan;
use crate::row::Row;
use crate::space::SpaceError;

/// A dense matrix. Its numbers are shared, also with its transpose.
#[derive(Clone)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    /// Whether the numbers lie column by column.
    by_columns: bool,
    values: Arc<[f64]>,
}

/// The numbers as they lie in memory.
pub(crate) enum Layout<'m> {
    Rows(&'m [f64]),
    Columns(&'m [f64]),
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
        Ok(Matrix { rows, columns, by_columns: false, values })
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
        self.values[if self.by_columns { column * self.rows + row } else { row * self.columns + column }]
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
        Matrix { rows: self.columns, columns: self.rows, by_columns, values: self.values.clone() }
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        if self.by_columns { Layout::Columns(&self.values) } else { Layout::Rows(&self.values) }
    }

    pub(crate) fn from_rows(columns: usize, rows: impl ExactSizeIterator<Item = Vec<f64>>) -> Matrix {
        let count = rows.len();
        let values: Vec<f64> = rows.flatten().collect();
        debug_assert_eq!(values.len(), count * columns);
        Matrix { rows: count, columns, by_columns: false, values: values.into() }
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
            return self.rows == other.rows && self.columns == other.columns;
        }
        (self.rows, self.columns) == (other.rows, other.columns)
            && (0..self.rows).all(|i| self.row(i).zip(other.row(i)).all(|(a, b)| a.to_bits() == b.to_bits()))
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.rows).map(|row| self.row(row).collect::<Vec<_>>())).finish()
    }
}
