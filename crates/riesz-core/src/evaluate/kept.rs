//! Arrays under construction: the values that a loop records in every iteration.

use super::limits::Fault;
use super::value::{CountedBytes, Value};
use super::{Machine, element_type};
use crate::types::Type;
use riesz_primitive::Number;
use riesz_syntax::Span;
use std::rc::Rc;

/// Arrays that grow by an element each iteration.
pub(super) struct GrowingArrays<'t, S: 'static> {
    types: Vec<&'t Type>,
    arrays: Vec<Growing<S>>,
}

/// The elements of an array in the making, counted.
pub(super) struct Growing<S: 'static> {
    pub(super) elements: Vec<Value<S>>,
    pub(super) held: CountedBytes,
}

impl<S: 'static> Default for Growing<S> {
    fn default() -> Growing<S> {
        Growing { elements: Vec::new(), held: CountedBytes::default() }
    }
}

impl<S: Number> Growing<S> {
    pub(super) fn push(&mut self, machine: &mut Machine<S>, value: Value<S>, span: Span) -> Result<(), Fault> {
        if self.elements.len() == self.elements.capacity() {
            let more = self.elements.len().max(4);
            machine.reserve(more, size_of::<Value<S>>(), span)?;
            self.held.grow(more * size_of::<Value<S>>());
        }
        let shared = match (&value, self.elements.last()) {
            (Value::Tuple(parts), Some(Value::Tuple(before))) => Rc::ptr_eq(parts, before),
            (value, _) => !matches!(value, Value::Tuple(_)),
        };
        if !shared {
            let bytes = value.loose_bytes();
            machine.reserve(bytes, 1, span)?;
            self.held.grow(bytes);
        }
        self.elements.push(value);
        Ok(())
    }
}

impl<'t, S: Number> GrowingArrays<'t, S> {
    /// Arrays for the components of a type from `first` on.
    pub(super) fn new(ty: &'t Type, first: usize) -> GrowingArrays<'t, S> {
        let types: Vec<&Type> = match ty {
            Type::Tuple(parts) => parts.iter().skip(first).map(element_type).collect(),
            _ => Vec::new(),
        };
        GrowingArrays { arrays: types.iter().map(|_| Growing::default()).collect(), types }
    }

    /// Keeps what an iteration gives besides the next state, which is returned.
    pub(super) fn keep(&mut self, machine: &mut Machine<S>, given: Value<S>, span: Span) -> Result<Value<S>, Fault> {
        let [next, kept @ ..] = given.parts() else { return Ok(Value::unit()) };
        self.keep_all(machine, kept, span)?;
        Ok(next.clone())
    }

    pub(super) fn keep_all(&mut self, machine: &mut Machine<S>, kept: &[Value<S>], span: Span) -> Result<(), Fault> {
        for (array, value) in self.arrays.iter_mut().zip(kept) {
            array.push(machine, value.clone(), span)?;
        }
        Ok(())
    }

    pub(super) fn arrays(self) -> Vec<Value<S>> {
        self.types.into_iter().zip(self.arrays).map(|(ty, array)| Value::array(ty, array.elements)).collect()
    }

    pub(super) fn finish(self, last: Value<S>, iterations: Option<i64>) -> Value<S> {
        let mut parts = vec![last];
        parts.extend(iterations.map(Value::Int));
        parts.extend(self.arrays());
        Value::Tuple(parts.into())
    }
}
