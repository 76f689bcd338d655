//! Functions of arrays as terms.

use super::{Frame, Stop, Terms};
use riesz_core::evaluate::{Value, indices};
use riesz_core::term::Atom;
use riesz_linear::{Entries, Line, LinearMap, Matrix, Relation, Space, Vector, Walk};
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
            Some(Array::Exchange) => {
                let map = self.operand(frame, arguments[0])?;
                let Space::Array(m, row) = map.codomain() else { return Err(Stop::NoTerm) };
                let Space::Array(n, element) = &**row else { return Err(Stop::NoTerm) };
                let transpose = LinearMap::transpose(Space::reals(*m), Space::reals(*n), Space::clone(element));
                Ok(transpose.after(&map)?)
            }
            Some(Array::Merge) => {
                let map = self.operand(frame, arguments[0])?;
                let Space::Array(m, row) = map.codomain() else { return Err(Stop::NoTerm) };
                let Space::Array(n, element) = &**row else { return Err(Stop::NoTerm) };
                let merged = Space::array(m * n, Space::clone(element));
                Ok(LinearMap::reshape(map.codomain().clone(), merged)?.after(&map)?)
            }
            Some(Array::Concatenate) => self.concatenation(frame, arguments),
            Some(Array::Replace) => {
                let (array, value) = (self.operand(frame, arguments[0])?, self.operand(frame, arguments[2])?);
                let at = usize::try_from(self.value(frame, arguments[1]).int()).map_err(|_| Stop::NoTerm)?;
                let space = array.codomain().clone();
                let replaced = LinearMap::inject(at, space.clone())?;
                let own = space.offset(at)..space.offset(at) + replaced.columns();
                let row = |row: usize| if own.contains(&row) { Vec::new() } else { vec![(row, 1.0)] };
                let rows: Vec<Entries> = (0..space.dimension()).map(row).collect();
                let others = LinearMap::of_entries(&space, &space, &rows)?;
                Ok(others.after(&array)?.plus(&replaced.after(&value)?)?)
            }
            Some(Array::Product(Product { contraction: Contraction::Outer, .. })) => {
                self.outer(frame, arguments[0], arguments[1])
            }
            Some(Array::Matrix(_)) | None => Err(Stop::NoTerm),
        }
    }

    /// `Σₖ padₖ ∘ xₖ`
    fn concatenation(&mut self, frame: &Frame, arguments: &[Atom]) -> Result<LinearMap, Stop> {
        let pieces: Vec<LinearMap> =
            arguments.iter().map(|atom| self.operand(frame, *atom)).collect::<Result<_, Stop>>()?;
        let sizes = pieces.iter().map(|piece| match piece.codomain() {
            Space::Array(size, element) => Ok((*size, Space::clone(element))),
            _ => Err(Stop::NoTerm),
        });
        let sizes = sizes.collect::<Result<Vec<_>, Stop>>()?;
        let total = sizes.iter().map(|(size, _)| size).sum();
        let mut start = 0;
        let mut padded = Vec::new();
        for (piece, (size, element)) in pieces.iter().zip(sizes) {
            if size > 0 {
                let pad = Relation::slice(start, start + size, total)?.converse();
                padded.push(LinearMap::reduce(pad, element).after(piece)?);
            }
            start += size;
        }
        Ok(LinearMap::add(padded)?)
    }

    /// `(a ⊗ _) : V ⊸ [m]V` and `(_ ⊗ b) : V ⊸ V ⊗ [n]R`, as products with a matrix of one column, and of one row.
    fn outer(&mut self, frame: &Frame, a: Atom, b: Atom) -> Result<LinearMap, Stop> {
        let is_left = self.is_linear(frame, a);
        if is_left == self.is_linear(frame, b) {
            return Err(Stop::NoTerm);
        }
        let (map, other) = if is_left { (self.operand(frame, a)?, b) } else { (self.operand(frame, b)?, a) };
        let Value::Reals(numbers) = self.value(frame, other) else { return Err(Stop::NoTerm) };
        let space = map.codomain().clone();
        let product = match is_left {
            true => LinearMap::right(Matrix::new(1, numbers.len(), numbers.to_vec())?, space.clone()),
            false => LinearMap::left(Matrix::new(numbers.len(), 1, numbers.to_vec())?, space.clone()),
        };
        let reshape = LinearMap::reshape(space, product.domain().clone())?;
        Ok(LinearMap::compose(vec![product, reshape, map])?)
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
                    (Value::Reals(v), Space::Array(_, element)) => {
                        let product = LinearMap::left(Matrix::new(1, v.len(), v.to_vec())?, (*element).clone());
                        let reshape = LinearMap::reshape(product.codomain().clone(), (*element).clone())?;
                        Ok(LinearMap::compose(vec![reshape, product, map])?)
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
                    (Value::Values(rows), Space::Array(size, row)) if *row == Space::reals(rows.len()) => {
                        let columns = rows.first().map_or(0, Value::len);
                        Ok(LinearMap::right(matrix(&rows, columns)?, Space::reals(size)).after(&map)?)
                    }
                    (Value::Reals(v), Space::Array(size, row)) if *row == Space::reals(v.len()) => {
                        let product = LinearMap::right(Matrix::new(v.len(), 1, v.to_vec())?, Space::reals(size));
                        let reshape = LinearMap::reshape(product.codomain().clone(), Space::reals(size))?;
                        Ok(LinearMap::compose(vec![reshape, product, map])?)
                    }
                    _ => Err(Stop::NoTerm),
                }
            }
            _ => Err(Stop::NoTerm),
        }
    }
}

fn vector(values: &[f64]) -> Result<Vector, Stop> {
    Ok(Vector::new(Space::reals(values.len()), values.to_vec())?)
}

fn matrix(rows: &[Value<f64>], columns: usize) -> Result<Matrix, Stop> {
    let values: Vec<f64> = rows.iter().flat_map(|row| row.elements().map(|x| x.real()).collect::<Vec<_>>()).collect();
    Ok(Matrix::new(rows.len(), columns, values)?)
}
