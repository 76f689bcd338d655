//! Functions of arrays as terms.

use super::{Frame, Stop, Terms};
use riesz_core::evaluate::Value;
use riesz_core::term::Atom;
use riesz_linear::{LinearMap, Matrix, Relation, Space, Vector};

impl Terms<'_, '_> {
    pub(super) fn array_function(&mut self, frame: &Frame, name: &str, arguments: &[Atom]) -> Result<LinearMap, Stop> {
        let first = arguments[0];
        let integer =
            |terms: &Self, atom: Atom| usize::try_from(terms.value(frame, atom).int()).map_err(|_| Stop::NoTerm);
        let related = |relation: Relation, map: LinearMap| -> Result<LinearMap, Stop> {
            let Space::Array(_, element) = map.codomain() else { return Err(Stop::NoTerm) };
            Ok(LinearMap::reduce(relation, (**element).clone()).after(&map)?)
        };
        let size = |map: &LinearMap| match map.codomain() {
            Space::Array(size, _) => Ok(*size),
            _ => Err(Stop::NoTerm),
        };
        match name {
            "reverse" => {
                let map = self.operand(frame, first)?;
                related(Relation::reverse(size(&map)?), map)
            }
            "slice" => {
                let map = self.operand(frame, first)?;
                let (from, to) = (integer(self, arguments[1])?, integer(self, arguments[2])?);
                related(Relation::slice(from, to, size(&map)?)?, map)
            }
            "gather" => {
                let map = self.operand(frame, first)?;
                let indices: Vec<usize> =
                    self.value(frame, arguments[1]).elements().map(|at| at.int() as usize).collect();
                related(Relation::gather(indices, size(&map)?)?, map)
            }
            "scatter_add" => {
                let map = self.operand(frame, arguments[2])?;
                let indices: Vec<usize> =
                    self.value(frame, arguments[1]).elements().map(|at| at.int() as usize).collect();
                related(Relation::scatter(indices, integer(self, first)?)?, map)
            }
            "exact dot" => {
                let (a, b) = (first, arguments[1]);
                match (self.is_linear(frame, a), self.is_linear(frame, b)) {
                    (false, true) => {
                        let map = self.operand(frame, b)?;
                        match (self.value(frame, a), map.codomain().clone()) {
                            (Value::Reals(v), Space::Array(_, element)) if *element == Space::Real => {
                                Ok(LinearMap::row(vector(&v)?).after(&map)?)
                            }
                            (Value::Values(rows), Space::Array(columns, element)) => {
                                let matrix = matrix(&rows, columns)?;
                                Ok(LinearMap::left(matrix, (*element).clone()).after(&map)?)
                            }
                            _ => Err(Stop::NoTerm),
                        }
                    }
                    (true, false) => {
                        let map = self.operand(frame, a)?;
                        match (self.value(frame, b), map.codomain().clone()) {
                            (Value::Reals(v), Space::Array(_, element)) if *element == Space::Real => {
                                Ok(LinearMap::row(vector(&v)?).after(&map)?)
                            }
                            (Value::Values(rows), Space::Array(size, element)) if *element == Space::Real => {
                                let columns = rows.first().map_or(0, Value::len);
                                let transposed = matrix(&rows, columns)?.transpose();
                                debug_assert_eq!(transposed.columns(), size);
                                Ok(LinearMap::left(transposed, Space::Real).after(&map)?)
                            }
                            _ => Err(Stop::NoTerm),
                        }
                    }
                    _ => Err(Stop::NoTerm),
                }
            }
            _ => Err(Stop::NoTerm),
        }
    }
}

pub(super) fn vector(values: &[f64]) -> Result<Vector, Stop> {
    numbers(values.to_vec())
}

pub(super) fn numbers(values: Vec<f64>) -> Result<Vector, Stop> {
    let space = Space::reals(values.len());
    Ok(Vector::new(space, values)?)
}

fn matrix(rows: &[Value<f64>], columns: usize) -> Result<Matrix, Stop> {
    let values: Vec<f64> = rows.iter().flat_map(|row| row.elements().map(|x| x.real()).collect::<Vec<_>>()).collect();
    Ok(Matrix::new(rows.len(), columns, values)?)
}
