//! Functions that move the elements of an array, on values.

use super::array::{Empty, combine, count_of, in_range};
use super::limits::Fault;
use super::map::NOWHERE;
use super::{Machine, element_type, number, problem};
use crate::evaluate::Value;
use crate::types::Type;
use riesz_primitive::array::{Bounds, Direction, Indexing, Indices, Reindex};
use riesz_primitive::{Number, Primitive, scalar};
use riesz_syntax::Span;

/// The indices that a function moves the elements of an array by, and the size of the array that they lead to, where the
/// moved array has a length and the other arguments have values. None where that is an error.
pub fn indices<S: Number>(
    reindex: &Reindex,
    length: usize,
    value: &dyn Fn(usize) -> Value<S>,
) -> Option<(Indices, usize)> {
    let mut operands = Operands { array: reindex.array, length, value, span: NOWHERE };
    let range = usize::try_from(reindex.range(&mut operands).ok()?).ok()?;
    let indices = reindex.indices(&mut operands).ok()?;
    indices.outside(range).is_none().then_some((indices, range))
}

/// The arguments of a function that moves elements.
struct Operands<'a, S: Number> {
    array: usize,
    length: usize,
    value: &'a dyn Fn(usize) -> Value<S>,
    span: Span,
}

impl<S: Number> Indexing for Operands<'_, S> {
    type Value = i64;
    type Error = Fault;

    fn constant(&mut self, value: i64) -> i64 {
        value
    }

    fn length(&mut self, argument: usize) -> Result<i64, Fault> {
        Ok(if argument == self.array { self.length } else { (self.value)(argument).len() } as i64)
    }

    fn integer(&mut self, argument: usize) -> Result<i64, Fault> {
        Ok((self.value)(argument).int())
    }

    fn element(&mut self, argument: usize, at: i64) -> Result<i64, Fault> {
        let array = (self.value)(argument);
        let at = in_range(at, array.len(), self.span)?;
        Ok(array.get(at).map_or(0, |index| index.int()))
    }

    fn apply(&mut self, primitive: &'static Primitive, a: i64, b: i64) -> Result<i64, Fault> {
        number::integer::<S>(primitive, &[a, b], self.span).map(|value| value.int())
    }
}

impl<S: Number> Machine<'_, S> {
    pub(super) fn reindex(
        &mut self,
        reindex: &Reindex,
        arguments: &[Value<S>],
        frame: &[Value<S>],
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let array = &arguments[reindex.array];
        if let Bounds::Range(from, to) = reindex.bounds {
            let (from, to) = (arguments[from].int(), arguments[to].int());
            if !(0 <= from && from <= to && to <= array.len() as i64) {
                return Err(problem::slice_out_of_range(from, to, array.len(), span));
            }
        }
        let value = |at: usize| arguments[at].clone();
        let mut operands = Operands { array: reindex.array, length: array.len(), value: &value, span };
        let count = count_of(reindex.count(&mut operands)?, span)?;
        self.reserve(count, size_of::<Value<S>>(), span)?;
        let indices = reindex.indices(&mut operands)?;
        let len = reindex.range(&mut operands)? as usize;
        if let Some(index) = indices.outside(len) {
            return Err(problem::out_of_range(index, len, span));
        }
        match reindex.direction {
            Direction::Gather => Ok(take(array, &mut indices.iter().map(|index| index as usize))),
            Direction::Scatter => {
                let zero = self.filled(element_type(ty), 0.0, frame, span)?;
                let mut elements = vec![zero; count];
                for (index, value) in indices.iter().zip(array.elements()) {
                    let total = &mut elements[index as usize];
                    let before = std::mem::replace(total, Value::Int(0));
                    *total = combine(before, &value, &scalar::ADD, Empty::Differs, span)?;
                }
                Ok(Value::array(element_type(ty), elements))
            }
        }
    }
}

/// The elements at certain places, all in range.
fn take<S: Number>(array: &Value<S>, at: &mut dyn Iterator<Item = usize>) -> Value<S> {
    match array {
        Value::Reals(elements) => Value::reals(at.map(|at| elements[at].clone()).collect()),
        Value::Ints(elements) => Value::ints(at.map(|at| elements[at]).collect()),
        Value::Values(elements) => Value::values(at.map(|at| elements[at].clone()).collect()),
        _ => Value::unit(),
    }
}
