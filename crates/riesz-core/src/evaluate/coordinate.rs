//! The coordinates of a value: its varying numbers, in order.
//!
//! ```text
//! coordinates (a, b)      =  coordinates a, coordinates b
//! coordinates (a -o b)    =  the entries of its matrix, row by row
//! coordinates (a -> b)    =  none
//! ```
//!
//! The coordinates of a linear map are available if the map is a table of all its entries ([`Machine::with_tables`]).

use super::Machine;
use super::limits::Fault;
use super::value::{Closure, Map, Table, Value};
use riesz_primitive::Number;
use riesz_syntax::Span;
use std::rc::Rc;

impl<S: Number> Value<S> {
    /// Calls a function on every coordinate, in order.
    pub fn visit_coordinates(&self, f: &mut dyn FnMut(&S)) {
        match self {
            Value::Tuple(parts) => parts.iter().for_each(|part| part.visit_coordinates(f)),
            Value::Values(elements) => elements.iter().for_each(|element| element.visit_coordinates(f)),
            Value::Map(map) => map.entries().for_each(f),
            other => other.visit_reals(f),
        }
    }

    /// How many coordinates it has.
    pub fn count_coordinates(&self) -> usize {
        let mut count = 0;
        self.visit_coordinates(&mut |_| count += 1);
        count
    }

    /// The value over another algebra, with a number for every coordinate. Other numbers, such as those that a function
    /// captured, are constants.
    pub fn with_coordinates<T: Number>(&self, f: &mut dyn FnMut(&S) -> T) -> Value<T> {
        let constant = &mut |x: &S| T::constant(x.decided());
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.with_coordinates(f)).collect()),
            Value::Values(elements) => {
                Value::values(elements.iter().map(|element| element.with_coordinates(f)).collect())
            }
            Value::Map(map) => match &**map {
                Map::Table(table) => {
                    let (domain, codomain) = (table.domain.over(constant), table.codomain.over(constant));
                    Value::Map(Map::Table(Table { domain, codomain, rows: table.rows_with(f) }).share())
                }
                map => Value::Map(map.over(constant)),
            },
            Value::Closure(closure) => {
                let captured = closure.captured().iter().map(|value| value.over(constant)).collect();
                Value::Closure(Rc::new(Closure::new(closure.function, captured)))
            }
            other => other.over(f),
        }
    }

    /// The value with another number for every coordinate. What functions captured stays as it is.
    pub fn map_coordinates(&self, f: &mut dyn FnMut(&S) -> S) -> Value<S> {
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.map_coordinates(f)).collect()),
            Value::Values(elements) => {
                Value::values(elements.iter().map(|element| element.map_coordinates(f)).collect())
            }
            Value::Map(map) => match &**map {
                Map::Table(table) => {
                    let (domain, codomain) = (table.domain.clone(), table.codomain.clone());
                    Value::Map(Map::Table(Table { domain, codomain, rows: table.rows_with(f) }).share())
                }
                _ => self.clone(),
            },
            Value::Closure(_) => self.clone(),
            other => other.over(f),
        }
    }

    /// The vector of the tangent space at the value that has these coordinates, and zeros where there are no more.
    pub fn tangent(&self, coordinates: &mut dyn Iterator<Item = S>) -> Value<S> {
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| part.tangent(coordinates)).collect()),
            Value::Values(elements) => {
                Value::values(elements.iter().map(|element| element.tangent(coordinates)).collect())
            }
            Value::Map(map) if matches!(**map, Map::Table(_)) => {
                self.with_coordinates(&mut |_| coordinates.next().unwrap_or_else(S::zero))
            }
            Value::Map(_) => self.zero_tangent(),
            other => other.zero_tangent().map_reals(&mut |_| coordinates.next().unwrap_or_else(S::zero)),
        }
    }

    /// The value with the matrix in the place of every table of all entries.
    pub fn with_matrices(&self) -> Value<S> {
        match self {
            value if !value.holds_maps() => value.clone(),
            Value::Map(map) => match &**map {
                Map::Table(table) => table.matrix(),
                _ => self.clone(),
            },
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(Value::with_matrices).collect()),
            other => {
                let elements: Vec<Value<S>> = other.elements().map(|element| element.with_matrices()).collect();
                match elements.first() {
                    Some(Value::Real(_)) => Value::reals(elements.iter().map(Value::real).collect()),
                    _ => Value::values(elements),
                }
            }
        }
    }

    /// Whether there are linear maps in it, but for those that a function captured.
    pub fn holds_maps(&self) -> bool {
        match self {
            Value::Map(_) => true,
            Value::Tuple(parts) => parts.iter().any(Value::holds_maps),
            Value::Values(elements) => elements.iter().any(Value::holds_maps),
            _ => false,
        }
    }
}

impl<S: Number> Map<S> {
    fn entries(&self) -> impl Iterator<Item = &S> {
        let rows = if let Map::Table(table) = self { &table.rows[..] } else { &[] };
        rows.iter().flatten().map(|(_, entry)| entry)
    }
}

impl<S: Number> Table<S> {
    /// The matrix, where the table has all entries: the codomain with every number replaced by a row, a vector of the
    /// domain.
    fn matrix(&self) -> Value<S> {
        let (domain, codomain) = (self.domain.with_matrices(), self.codomain.with_matrices());
        let mut rows = self.rows.iter();
        codomain.map_leaves(&domain, &mut || {
            let mut entries = rows.next().into_iter().flatten();
            domain.map_reals(&mut |_| entries.next().map_or_else(S::zero, |(_, entry)| entry.clone()))
        })
    }

    fn rows_with<T>(&self, f: &mut dyn FnMut(&S) -> T) -> Vec<Vec<(usize, T)>> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            rows.push(row.iter().map(|(column, entry)| (*column, f(entry))).collect());
        }
        rows
    }
}

impl<S: Number> Machine<'_, S> {
    /// The value with a table of all its entries in the place of every linear map.
    pub fn with_tables(&mut self, value: Value<S>, span: Span) -> Result<Value<S>, Fault> {
        Ok(match value {
            value if !value.holds_maps() => value,
            Value::Map(map) => Value::Map(Map::Table(self.table(&map, span)?).share()),
            Value::Tuple(parts) => {
                let parts: Result<Vec<_>, Fault> =
                    parts.iter().map(|part| self.with_tables(part.clone(), span)).collect();
                Value::Tuple(parts?.into())
            }
            Value::Values(elements) => {
                let elements: Result<Vec<_>, Fault> =
                    elements.iter().map(|element| self.with_tables(element.clone(), span)).collect();
                Value::values(elements?)
            }
            other => other,
        })
    }

    /// All entries of a map: what it makes of a basis, or what its adjoint makes of one, whichever is smaller.
    pub(super) fn table(&mut self, map: &Map<S>, span: Span) -> Result<Table<S>, Fault> {
        stacker::maybe_grow(128 * 1024, 8 * 1024 * 1024, || {
            let domain = self.domain(map, span)?;
            let domain = self.with_tables(domain, span)?;
            let codomain = self.apply_map(map, domain.clone(), false, span)?;
            let codomain = self.with_tables(codomain, span)?;
            let zero = |space: &Value<S>| space.tangent(&mut std::iter::empty());
            let (domain, codomain) = (zero(&domain), zero(&codomain));
            let (columns, rows) = (domain.count_coordinates(), codomain.count_coordinates());
            self.reserve(rows.saturating_mul(columns), size_of::<(usize, S)>(), span)?;
            let adjoint = rows <= columns;
            let space = if adjoint { &codomain } else { &domain };
            let zeros: Vec<(usize, S)> = (0..columns).map(|column| (column, S::zero())).collect();
            let mut entries = vec![zeros; rows];
            for at in 0..rows.min(columns) {
                let unit = space.tangent(&mut (0..=at).map(|other| if other == at { S::one() } else { S::zero() }));
                let image = self.apply_map(map, unit, adjoint, span)?;
                let mut other = 0;
                self.with_tables(image, span)?.visit_coordinates(&mut |entry| {
                    let (row, column) = if adjoint { (at, other) } else { (other, at) };
                    if let Some(place) = entries.get_mut(row).and_then(|row| row.get_mut(column)) {
                        place.1 = entry.clone();
                    }
                    other += 1;
                });
            }
            Ok(Table { domain, codomain, rows: entries })
        })
    }
}
