//! The matrices of maps that are values: their rows, their numbers and their places.

use super::keep::fork_to_array;
use crate::category::Linear;
use crate::space::space;
use riesz_core::evaluate::Value;
use riesz_linear::Space;

/// The zeros of the spaces of a map, and the rows of its matrix.
pub(super) struct Rows<M> {
    pub domain: Value<f64>,
    pub codomain: Value<f64>,
    pub rows: Vec<(Value<f64>, M)>,
}

/// The zeros of the spaces of a map, and the numbers of its matrix, row by row, as one array.
pub(super) struct Flat<M> {
    pub domain: Value<f64>,
    pub codomain: Value<f64>,
    pub columns: usize,
    pub rows: Vec<Vec<f64>>,
    pub map: M,
}

/// A place in a matrix: the row and the column.
pub(super) type EntryIndex = (usize, usize);

/// The places whose columns and rows stand in two arrays.
pub(super) fn places(columns: &Value<f64>, rows: &Value<f64>) -> Vec<EntryIndex> {
    rows.elements().zip(columns.elements()).map(|(row, column)| (row.int() as usize, column.int() as usize)).collect()
}

/// The codomain with every number replaced by a row.
pub(super) fn assemble<K: Linear>(
    codomain: &Value<f64>,
    is_flat: bool,
    rows: &mut std::vec::IntoIter<(Value<f64>, K::Morphism)>,
    from: &Space,
) -> (Value<f64>, K::Morphism) {
    let mut row = || rows.next().unwrap_or_else(|| (Value::Real(0.0), K::zero(from, &Space::Real)));
    match codomain {
        Value::Real(_) => row(),
        Value::Reals(elements) => {
            let (values, maps): (Vec<_>, Vec<_>) = elements.iter().map(|_| row()).unzip();
            // Also where there are no rows, which would tell.
            let value = match is_flat {
                true => Value::reals(values.iter().map(Value::real).collect()),
                false => Value::values(values),
            };
            let map = if maps.is_empty() { K::zero(from, &space(&value)) } else { fork_to_array::<K>(from, maps) };
            (value, map)
        }
        Value::Tuple(parts) if !parts.is_empty() => {
            let (values, maps): (Vec<_>, Vec<_>) =
                parts.iter().map(|part| assemble::<K>(part, is_flat, rows, from)).unzip();
            (Value::Tuple(values.into()), K::fork(from, maps))
        }
        Value::Values(elements) if !elements.is_empty() => {
            let (values, maps): (Vec<_>, Vec<_>) =
                elements.iter().map(|element| assemble::<K>(element, is_flat, rows, from)).unzip();
            (Value::values(values), fork_to_array::<K>(from, maps))
        }
        other => (other.clone(), K::zero(from, &space(other))),
    }
}
