//! Matrices that are lists of entries: all rows, then all columns, then all numbers.

use super::MatrixFunction;
use crate::number::Number;

/// The place of an entry, and where its number stands in the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The row.
    pub row: usize,
    /// The column.
    pub column: usize,
    /// Where the number is.
    pub number: usize,
}

/// The entries of a list that are inside of an `n × n` matrix.
pub fn entries<S: Number>(n: usize, list: &[S]) -> impl Iterator<Item = Entry> {
    let count = list.len() / 3;
    let place = |at: usize| list[at].value();
    let inside = move |place: f64| place >= 0.0 && place < n as f64;
    let places = (0..count).map(move |at| (place(at), place(count + at), 2 * count + at));
    let found = places.filter(move |(row, column, _)| inside(*row) && inside(*column));
    found.map(|(row, column, number)| Entry { row: row as usize, column: column as usize, number })
}

/// The function of a dense matrix, and that matrix, for one of a list of entries.
pub fn as_dense<S: Number>(function: MatrixFunction, n: usize, list: &[S]) -> Option<(MatrixFunction, Vec<S>)> {
    let (function, transposed) = match function {
        MatrixFunction::SparseSolve => (MatrixFunction::Solve, false),
        MatrixFunction::ExactSparseSolve => (MatrixFunction::ExactSolve, false),
        MatrixFunction::ExactSparseSolveTransposed => (MatrixFunction::ExactSolve, true),
        _ => return None,
    };
    let mut matrix = vec![S::zero(); n * n];
    for Entry { row, column, number } in entries(n, list) {
        let at = if transposed { column * n + row } else { row * n + column };
        matrix[at] = matrix[at].add(&list[number]);
    }
    Some((function, matrix))
}
