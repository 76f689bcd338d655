//! Matrices of linear maps, and maps of matrices.
//!
//! The matrix of a map consists of the images of a basis under the map or under its adjoint, whichever is smaller; its
//! sparse matrix consists of the images of sparse linear forms. `⟨Σ vₖ eᵢₖ ⊗ eⱼₖ, m⟩ = Σ vₖ mᵢₖⱼₖ`: making a map from
//! numbers at some positions is the adjoint of reading these numbers from a map.

use super::Machine;
use super::limits::Fault;
use super::map::NOWHERE;
use super::value::{Map, Table, Value};
use crate::order::{Orders, Places};
use riesz_algebra::{Nagata, Sparse};
use riesz_primitive::{Erased, Number};
use riesz_syntax::Span;
use std::any::TypeId;
use std::collections::BTreeMap;

/// A place in a matrix: the row and the column.
type EntryIndex = (usize, usize);

impl<S: Number> Machine<'_, S> {
    /// The codomain with every number replaced by a row of the matrix, a vector of the domain.
    pub(super) fn matrix(&mut self, map: &Map<S>, domain: Value<S>, span: Span) -> Result<Value<S>, Fault> {
        let codomain = self.apply_map(map, domain.clone(), false, span)?;
        if domain.holds_maps() || codomain.holds_maps() {
            return Ok(Value::Map(Map::Table(self.table(map, span)?).share()).with_matrices());
        }
        let (columns, rows) = (domain.count_reals(), codomain.count_reals());
        self.reserve(rows.saturating_mul(columns), size_of::<S>(), span)?;
        if let Map::Term(term) = map {
            return Ok(term.matrix());
        }
        if rows <= columns {
            let mut at = 0;
            return codomain.try_map_leaves(&domain, &mut || {
                let unit = codomain.unit_at(at);
                at += 1;
                self.apply_map(map, unit, true, span)
            });
        }
        let mut transposed: Vec<Vec<S>> = Vec::with_capacity(columns);
        for at in 0..columns {
            let mut column = Vec::with_capacity(rows);
            self.apply_map(map, domain.unit_at(at), false, span)?.visit_reals(&mut |x| column.push(x.clone()));
            transposed.push(column);
        }
        let mut row = 0;
        codomain.try_map_leaves(&domain, &mut || {
            let mut column = 0;
            let value = domain.map_reals(&mut |_| {
                column += 1;
                transposed[column - 1].get(row).cloned().unwrap_or_else(S::zero)
            });
            row += 1;
            Ok(value)
        })
    }

    /// The entries of a map's matrix that are not structurally zero, by row, then column.
    pub fn entries(&mut self, map: &Map<S>) -> Result<Vec<(usize, usize, f64)>, Fault> {
        let domain = self.domain(map, NOWHERE)?;
        self.entries_from(map, &domain, NOWHERE)
    }

    /// The images of sparse linear forms under the map.
    fn entries_from(&mut self, map: &Map<S>, domain: &Value<S>, span: Span) -> Result<Vec<(usize, usize, f64)>, Fault> {
        type Form = Nagata<f64, Sparse>;
        let domain = self.with_tables(domain.clone(), span)?;
        let result = Erased::in_any(|| {
            let constant = &mut |x: &S| Erased::constant(x.decided());
            let mut machine = self.lend(constant);
            let mut column = 0;
            let unknowns = domain.with_coordinates(&mut |_| {
                column += 1;
                Erased::new(&Form { primal: 0.0, tangent: Sparse::unit(column - 1) })
            });
            let result = machine.apply_map(&map.over(constant), unknowns, false, span);
            let result = result.and_then(|result| machine.with_tables(result, span));
            self.take_back(machine);
            result
        })?;
        let (mut entries, mut row) = (Vec::new(), 0);
        result.visit_coordinates(&mut |form| {
            let form = form.number::<Form>();
            entries.extend(form.tangent.entries().map(|(column, value)| (row, *column, *value)));
            row += 1;
        });
        Ok(entries)
    }

    /// The places at which the rows and columns of a map are counted.
    fn counted(&mut self, orders: &Orders, map: &Map<S>, span: Span) -> Result<Places, Fault> {
        if *orders == Orders::KEPT {
            return Ok(orders.places(&Value::<S>::unit(), &Value::unit()));
        }
        let (domain, codomain) = self.table_spaces(map, span)?;
        Ok(orders.places(&codomain, &domain))
    }

    /// The places of entries whose columns and rows, as they are counted, stand in two arrays.
    pub(super) fn kept_places(
        &mut self,
        orders: &Orders,
        map: &Map<S>,
        columns: &Value<S>,
        rows: &Value<S>,
        span: Span,
    ) -> Result<Vec<EntryIndex>, Fault> {
        let place = |(row, column): (Value<S>, Value<S>)| (row.int() as usize, column.int() as usize);
        let counted = rows.elements().zip(columns.elements()).map(place).collect();
        Ok(self.counted(orders, map, span)?.kept(counted))
    }

    /// The columns, the rows and the values of a map's entries.
    pub(super) fn coo(&mut self, map: &Map<S>, orders: &Orders, span: Span) -> Result<Value<S>, Fault> {
        let domain = self.domain(map, span)?;
        let mut entries = self.entries_from(map, &domain, span)?;
        let counted = self.counted(orders, map, span)?;
        let place = |(row, column, _): &(usize, usize, f64)| counted.counted((*row, *column));
        if !counted.are_kept() {
            entries.sort_by_key(place);
        }
        let rows = entries.iter().map(|entry| place(entry).0 as i64).collect();
        let columns = entries.iter().map(|entry| place(entry).1 as i64).collect();
        let values = match TypeId::of::<S>() == TypeId::of::<f64>() {
            true => Value::reals(entries.iter().map(|(.., value)| S::constant(*value)).collect()),
            // Numbers of another algebra are more than their values.
            false => {
                let places: Vec<EntryIndex> = entries.iter().map(|(row, column, _)| (*row, *column)).collect();
                self.numbers_at(map, &places, span)?
            }
        };
        // A record's fields are sorted by name: cols, rows, vals.
        Ok(Value::Tuple([Value::ints(columns), Value::ints(rows), values].into()))
    }

    /// The numbers of a map's matrix at some places, by its columns there or by its rows, whichever are fewer.
    pub(super) fn numbers_at(&mut self, map: &Map<S>, places: &[EntryIndex], span: Span) -> Result<Value<S>, Fault> {
        let domain = self.domain(map, span)?;
        let by = |line: fn(&EntryIndex) -> usize| {
            let mut lines: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            places.iter().enumerate().for_each(|(at, place)| lines.entry(line(place)).or_default().push(at));
            lines
        };
        let (rows, columns) = (by(|place| place.0), by(|place| place.1));
        let adjoint = rows.len() < columns.len();
        let space = if adjoint { self.apply_map(map, domain, false, span)? } else { domain };
        let space = self.with_tables(space, span)?;
        let mut numbers = vec![S::zero(); places.len()];
        for (line, entries) in if adjoint { rows } else { columns } {
            let mut image = Vec::new();
            let line = self.apply_map(map, space.unit_at(line), adjoint, span)?;
            self.with_tables(line, span)?.visit_coordinates(&mut |x| image.push(x.clone()));
            for at in entries {
                let (row, column) = places[at];
                numbers[at] = image.get(if adjoint { column } else { row }).cloned().unwrap_or_else(S::zero);
            }
        }
        Ok(Value::reals(numbers))
    }

    /// The map between the spaces of another that has some numbers at some places of its matrix.
    pub(super) fn map_of(
        &mut self,
        numbers: &Value<S>,
        places: &[EntryIndex],
        like: &Map<S>,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let (domain, codomain) = self.table_spaces(like, span)?;
        let mut rows: Vec<Vec<(usize, S)>> = vec![Vec::new(); codomain.count_coordinates()];
        for ((row, column), number) in places.iter().zip(numbers.elements()) {
            if let Some(entries) = rows.get_mut(*row) {
                entries.push((*column, number.real()));
            }
        }
        Ok(Value::Map(Map::Table(Table { domain, codomain, rows }).share()))
    }

    /// The map between the spaces of another that has a matrix.
    pub(super) fn map_of_matrix(&mut self, matrix: &Value<S>, like: &Map<S>, span: Span) -> Result<Value<S>, Fault> {
        let (domain, codomain) = self.table_spaces(like, span)?;
        let columns = domain.count_coordinates();
        let mut numbers = Vec::new();
        matrix.visit_reals(&mut |number| numbers.push(number.clone()));
        let mut numbers = numbers.into_iter();
        let row = |_| numbers.by_ref().take(columns).enumerate().collect();
        let rows = (0..codomain.count_coordinates()).map(row).collect();
        Ok(Value::Map(Map::Table(Table { domain, codomain, rows }).share()))
    }

    /// The zeros of a map's domain and codomain, in which maps are tables of all their entries.
    pub(super) fn table_spaces(&mut self, map: &Map<S>, span: Span) -> Result<(Value<S>, Value<S>), Fault> {
        let domain = self.domain(map, span)?;
        let codomain = self.apply_map(map, domain.clone(), false, span)?;
        let (domain, codomain) = (self.with_tables(domain, span)?, self.with_tables(codomain, span)?);
        let zero = |space: Value<S>| if space.holds_maps() { space.tangent(&mut std::iter::empty()) } else { space };
        Ok((zero(domain), zero(codomain)))
    }
}

impl<S: Number> Value<S> {
    /// The vector of the same space that is 1 at one place and 0 elsewhere; maps are tables.
    fn unit_at(&self, at: usize) -> Value<S> {
        let number = |next: usize| if next == at { S::one() } else { S::zero() };
        if self.holds_maps() {
            return self.tangent(&mut (0..=at).map(number));
        }
        let mut next = 0;
        self.map_reals(&mut |_| {
            next += 1;
            number(next - 1)
        })
    }

    /// The value with every real number replaced by a vector of the space of a row.
    pub(super) fn map_leaves(&self, row: &Value<S>, f: &mut dyn FnMut() -> Value<S>) -> Value<S> {
        self.try_map_leaves(row, &mut || Ok(f())).unwrap_or_else(|_: Fault| unreachable!("nothing fails"))
    }

    fn try_map_leaves(
        &self,
        row: &Value<S>,
        f: &mut dyn FnMut() -> Result<Value<S>, Fault>,
    ) -> Result<Value<S>, Fault> {
        Ok(match self {
            Value::Real(_) => f()?,
            Value::Tuple(parts) => {
                let parts: Result<Vec<_>, Fault> = parts.iter().map(|part| part.try_map_leaves(row, f)).collect();
                Value::Tuple(parts?.into())
            }
            Value::Reals(elements) => {
                let leaves: Vec<Value<S>> = elements.iter().map(|_| f()).collect::<Result<_, Fault>>()?;
                // Also where there are no elements, which would tell.
                match row {
                    Value::Real(_) => Value::reals(leaves.iter().map(Value::real).collect()),
                    _ => Value::values(leaves),
                }
            }
            Value::Values(elements) => {
                let elements: Result<_, Fault> =
                    elements.iter().map(|element| element.try_map_leaves(row, f)).collect();
                Value::values(elements?)
            }
            other => other.clone(),
        })
    }
}
