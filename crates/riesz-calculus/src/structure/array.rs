//! Functions of arrays as terms.

use super::{Frame, Stop, Terms};
use riesz_core::evaluate::{Value, indices};
use riesz_core::term::Atom;
use riesz_linear::{Line, LinearMap, Matrix, Relation, Space, Vector, Walk};
use riesz_primitive::Primitive;
use riesz_primitive::array::{Array, Contraction, Direction, Indices, Product};

impl Terms<'_, '_> {
    pub(super) fn array_function(
        &mut self,
        frame: &Frame,
        primitive: &'static Primitive,
        arguments: &[Atom],
    ) -> Result<LinearMap, Stop> {
        match primitive.array() {
            Some(Array::Reindex(reindex)) => {
                let map = self.operand(frame, arguments[reindex.array])?;
                let Space::Array(size, element) = map.codomain() else { return Err(Stop::NoTerm) };
                let (indices, range) =
                    indices(reindex, *size, &|at| self.value(frame, arguments[at])).ok_or(Stop::NoTerm)?;
                let relation = match indices {
                    Indices::Line { start, step, count } => {
                        let source = Walk { start: start as usize, step: step as isize, size: range };
                        let count = count as usize;
                        Relation::line(Line { count, source, target: Walk { start: 0, step: 1, size: count } })?
                    }
                    Indices::Table(indices) => {
                        Relation::gather(indices.into_iter().map(|index| index as usize).collect::<Vec<_>>(), range)?
                    }
                };
                let relation = match reindex.direction {
                    Direction::Gather => relation,
                    Direction::Scatter => relation.converse(),
                };
                Ok(LinearMap::reduce(relation, (**element).clone()).after(&map)?)
            }
            Some(Array::Product(Product { contraction: Contraction::Inner, .. })) => {
                self.contraction(frame, arguments[0], arguments[1])
            }
            Some(
                Array::Concatenate
                | Array::Replace
                | Array::Exchange
                | Array::Merge
                | Array::Product(Product { contraction: Contraction::Outer, .. })
                | Array::Matrix(_),
            )
            | None => Err(Stop::NoTerm),
        }
    }

    fn contraction(&mut self, frame: &Frame, a: Atom, b: Atom) -> Result<LinearMap, Stop> {
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
