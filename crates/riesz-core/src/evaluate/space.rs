//! Memory for values, and the values that a type alone determines: its zero, and a placeholder for values that are
//! never read.

use super::limits::Fault;
use super::room::has_room;
use super::value::{CountedBytes, Map, Table, Value, memory};
use super::{Machine, problem};
use crate::size::{self, Size};
use crate::types::Type;
use riesz_primitive::Number;
use riesz_syntax::Span;

/// The contents of an array of arrays of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Grid {
    Reals,
    Ints,
}

impl<S: Number> Machine<'_, S> {
    /// Makes sure that `count` more elements of a size are allowed.
    pub(super) fn reserve(&mut self, count: usize, bytes: usize, span: Span) -> Result<(), Fault> {
        self.fuel.moved(count, span)?;
        let asked = count.checked_mul(bytes);
        let needed = asked.and_then(|asked| asked.checked_add(memory()));
        match (needed, asked) {
            (Some(needed), Some(asked)) if needed <= self.limits.memory => match has_room(asked) {
                true => Ok(()),
                false => Err(problem::no_memory(asked, count, span)),
            },
            _ => Err(problem::too_much_memory(self.limits.memory, count, span)),
        }
    }

    /// Room for elements, counted from now on.
    pub(super) fn storage<T>(&mut self, count: usize, span: Span) -> Result<(Vec<T>, CountedBytes), Fault> {
        self.reserve(count, size_of::<T>(), span)?;
        Ok((Vec::with_capacity(count), CountedBytes::new(count * size_of::<T>())))
    }

    /// Makes sure that a value can be looked at as a whole.
    pub(super) fn whole(&mut self, value: &Value<S>, span: Span) -> Result<(), Fault> {
        match value {
            Value::Tuple(_) | Value::Values(_) => self.reserve(value.numbers(), size_of::<f64>(), span),
            _ => Ok(()),
        }
    }

    /// The values of places that are never read: zeros of the size that the type says, made once for all places.
    pub(super) fn nothing(&mut self, ty: &Type, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        let Some((sizes, kind)) = self.grid(ty, frame) else { return self.zero(ty, frame, span) };
        if let Some(known) = self.nothings.get(&(sizes.clone(), kind)) {
            return Ok(known.clone());
        }
        let mut value = match kind {
            Grid::Reals => Value::Real(S::zero()),
            Grid::Ints => Value::Int(0),
        };
        let mut element = if kind == Grid::Reals { &Type::Real } else { &Type::Int };
        for &size in sizes.iter().rev() {
            self.reserve(size, size_of::<Value<S>>(), span)?;
            value = Value::array(element, vec![value; size]);
            element = ty;
        }
        self.nothings.insert((sizes, kind), value.clone());
        Ok(value)
    }

    /// The sizes of an array of arrays of numbers, where its type says them.
    pub(super) fn grid(&self, mut ty: &Type, frame: &[Value<S>]) -> Option<(Vec<usize>, Grid)> {
        let mut sizes = Vec::new();
        loop {
            match ty {
                Type::Array(Size::Hole, _) => return None,
                Type::Array(size, element) => {
                    sizes.push(self.size(size, frame));
                    ty = element;
                }
                Type::Real => return Some((sizes, Grid::Reals)),
                Type::Int => return Some((sizes, Grid::Ints)),
                _ => return None,
            }
        }
    }

    /// The zero of a type, as far as its shape is known.
    pub(super) fn zero(&mut self, ty: &Type, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        Ok(match ty {
            // What is added to a map says between which spaces it is.
            Type::Array(Size::Hole, _) | Type::Linear(_) => Value::Zero,
            Type::Array(size, element) if **element != Type::Real => {
                let count = self.size(size, frame);
                self.reserve(count, size_of::<Value<S>>(), span)?;
                let element_value = self.zero(element, frame, span)?;
                Value::array(element, vec![element_value; count])
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().map(|part| self.zero(part, frame, span)).collect::<Result<_, Fault>>()?)
            }
            _ => self.filled(ty, 0.0, frame, span)?,
        })
    }

    /// The zero of a part to which nothing was added. A size of 0 may be one that a branch which was not taken left open:
    /// then it is a zero of any size.
    pub(super) fn untouched(&mut self, ty: &Type, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        Ok(match ty {
            Type::Array(size, element) => match self.size(size, frame) {
                0 => Value::Zero,
                count => {
                    self.reserve(count, size_of::<Value<S>>(), span)?;
                    let element_value = self.untouched(element, frame, span)?;
                    Value::array(element, vec![element_value; count])
                }
            },
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().map(|part| self.untouched(part, frame, span)).collect::<Result<_, Fault>>()?)
            }
            Type::Linear(_) => Value::Zero,
            _ => self.filled(ty, 0.0, frame, span)?,
        })
    }

    /// The value of a type whose every number is the same.
    pub(super) fn filled(&mut self, ty: &Type, number: f64, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        Ok(match ty {
            Type::Real => Value::Real(S::constant(number)),
            Type::Int => Value::Int(number as i64),
            Type::Array(size, element) => {
                let count = self.size(size, frame);
                self.reserve(count, size_of::<Value<S>>(), span)?;
                let element_value = self.filled(element, number, frame, span)?;
                Value::array(element, vec![element_value; count])
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut parts = Vec::new();
                for part in ty.components().unwrap_or_default() {
                    parts.push(self.filled(&part, number, frame, span)?);
                }
                Value::Tuple(parts.into())
            }
            Type::Linear(arrow) if !ty.sizes().contains(&Size::Hole) => {
                let (domain, codomain) =
                    (self.filled(&arrow.0, 0.0, frame, span)?, self.filled(&arrow.1, 0.0, frame, span)?);
                let (domain, codomain) = (self.with_tables(domain, span)?, self.with_tables(codomain, span)?);
                let rows = codomain.count_coordinates();
                self.reserve(rows, size_of::<Vec<(usize, S)>>(), span)?;
                Value::Map(Map::Table(Table { domain, codomain, rows: vec![Vec::new(); rows] }).share())
            }
            Type::Kept | Type::Linear(_) => Value::Zero,
            _ => Value::Int(0),
        })
    }

    /// The value of a size; zero where only an array without elements could tell.
    pub(super) fn size(&self, size: &Size, frame: &[Value<S>]) -> usize {
        let value = size.evaluate(&mut |atom| match atom {
            size::Atom::Var(var) => Some(frame[var.0 as usize].int()),
            size::Atom::Global(global) => self.globals.get(&global).map(Value::int),
            size::Atom::Parameter(_) | size::Atom::Unknown(_) => None,
        });
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
    }
}
