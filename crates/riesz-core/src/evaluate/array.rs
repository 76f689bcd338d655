//! Functions of arrays.

use super::limits::Fault;
use super::{Machine, binary, element_type, problem};
use crate::evaluate::{Map, Value};
use crate::term::{Place, Step};
use crate::types::Type;
use riesz_primitive::{MatrixFunction, Number, Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

impl<S: Number> Machine<'_, S> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Value<S>],
        frame: &[Value<S>],
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let elements: usize = arguments.iter().map(Value::len).sum();
        self.reserve(elements, size_of::<Value<S>>(), span)?;
        let first = &arguments[0];
        let shaped = matches!(primitive.name, "concat" | "update" | "scatter_add");
        if !shaped && arguments.iter().any(|argument| matches!(argument, Value::Zero)) {
            return Ok(Value::Zero);
        }
        Ok(match primitive.name {
            "reverse" => take(first, &mut (0..first.len()).rev()),
            "concat" => {
                let element = element_type(ty);
                Value::array(element, arguments.iter().flat_map(|array| array.elements().collect::<Vec<_>>()).collect())
            }
            "slice" => {
                let (from, to) = (arguments[1].int(), arguments[2].int());
                let fits = 0 <= from && from <= to && to <= first.len() as i64;
                if !fits {
                    return Err(problem::slice_out_of_range(from, to, first.len(), span));
                }
                take(first, &mut (from as usize..to as usize))
            }
            "flatten" => {
                let total: usize = first.elements().map(|row| row.len()).sum();
                self.reserve(total, size_of::<Value<S>>(), span)?;
                Value::array(
                    element_type(ty),
                    first.elements().flat_map(|row| row.elements().collect::<Vec<_>>()).collect(),
                )
            }
            "transpose" => {
                let Type::Array(columns, row_type) = ty else { return Ok(Value::unit()) };
                let rows: Vec<Value<S>> = first.elements().collect();
                let columns = rows.first().map_or_else(|| self.size(columns, frame), Value::len);
                self.reserve((rows.len() + 1).saturating_mul(columns), size_of::<Value<S>>(), span)?;
                let column = |at: usize| {
                    Value::array(element_type(row_type), rows.iter().filter_map(|row| row.get(at)).collect())
                };
                Value::values((0..columns).map(column).collect())
            }
            "gather" => {
                let mut indices = Vec::with_capacity(arguments[1].len());
                for index in arguments[1].elements() {
                    indices.push(in_range(index.int(), first.len(), span)?);
                }
                self.reserve(indices.len(), size_of::<Value<S>>(), span)?;
                take(first, &mut indices.into_iter())
            }
            "scatter_add" => self.scatter_add(arguments, frame, ty, span)?,
            "update" => {
                let at = in_range(arguments[1].int(), first.len(), span)?;
                updated(first.clone(), at, arguments[2].clone())
            }
            "dot" => self.dot((first, &arguments[1]), S::mul, frame, ty, span)?,
            "exact dot" => self.dot((first, &arguments[1]), exact_product, frame, ty, span)?,
            "outer" => {
                let (u, v) = (reals(first), reals(&arguments[1]));
                self.reserve(u.len().saturating_mul(v.len()), size_of::<S>(), span)?;
                Value::values(u.iter().map(|u| Value::reals(v.iter().map(|v| u.mul(v)).collect())).collect())
            }
            _ => match primitive.array().and_then(|row| row.matrix) {
                Some(function) => {
                    let n = first.len();
                    // The matrix, a copy to work on, and the result.
                    let room = arguments.iter().fold(0usize, |room, argument| room.saturating_add(argument.numbers()));
                    self.reserve(room.saturating_mul(3), size_of::<S>(), span)?;
                    let a = flat(first);
                    let (columns, b) = match arguments.get(1) {
                        // Directions, one behind the other.
                        Some(_) if function == MatrixFunction::Cofactor => {
                            (n * (arguments.len() - 1), arguments[1..].iter().flat_map(flat).collect())
                        }
                        Some(b @ Value::Reals(_)) => (1, reals(b)),
                        Some(b) => (b.get(0).map_or_else(|| self.inner_size(ty, frame), |row| row.len()), flat(b)),
                        None => (0, Vec::new()),
                    };
                    self.fuel.poll(span)?;
                    if a.len() != n * n || b.len() != n * columns {
                        return Err(problem::not_square(n, span));
                    }
                    let result = S::matrix(function, n, columns, &a, &b);
                    match ty {
                        Type::Real => Value::Real(result.into_iter().next().unwrap_or_else(S::zero)),
                        Type::Array(_, element) if **element == Type::Real => Value::reals(result),
                        _ => {
                            let width = if function == MatrixFunction::Solve { columns } else { n };
                            rows(n, width, result)
                        }
                    }
                }
                None => {
                    let message = format!("the interpreter does not know `{}`", primitive.name);
                    return Err(Box::new(Diagnostic::error("not-yet", span, message)));
                }
            },
        })
    }

    fn inner_size(&self, ty: &Type, frame: &[Value<S>]) -> usize {
        match element_type(ty) {
            Type::Array(size, _) => self.size(size, frame),
            _ => 0,
        }
    }

    fn scatter_add(
        &mut self,
        arguments: &[Value<S>],
        frame: &[Value<S>],
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let [count, indices, values] = arguments else { return Ok(Value::unit()) };
        let count = count_of(count.int(), span)?;
        self.reserve(count, size_of::<Value<S>>(), span)?;
        let zero = self.filled(element_type(ty), 0.0, frame, span)?;
        let mut elements = vec![zero; count];
        for (index, value) in indices.elements().zip(values.elements()) {
            let at = in_range(index.int(), count, span)?;
            let before = std::mem::replace(&mut elements[at], Value::Int(0));
            elements[at] = combine(before, &value, &scalar::ADD, Empty::Differs, span)?;
        }
        Ok(Value::array(element_type(ty), elements))
    }

    /// Contracts the last axis of `a` with the first of `b`.
    fn dot(
        &mut self,
        (a, b): (&Value<S>, &Value<S>),
        times: fn(&S, &S) -> S,
        frame: &[Value<S>],
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        self.whole(a, span)?;
        self.whole(b, span)?;
        Ok(match (a, b) {
            (Value::Reals(a), Value::Reals(b)) => Value::Real(product(a, b, times)),
            (Value::Values(rows), Value::Reals(b)) => {
                Value::reals(rows.iter().map(|row| product(&reals(row), b, times)).collect())
            }
            (Value::Reals(a), Value::Values(rows)) => {
                let width = self.vector_size(ty, frame, rows);
                self.reserve(width, size_of::<S>(), span)?;
                Value::reals(combination(a, rows, width, times))
            }
            (Value::Values(left), Value::Values(right)) => {
                let width = right.first().map_or_else(|| self.inner_size(ty, frame), Value::len);
                self.reserve(left.len().saturating_mul(width), size_of::<S>(), span)?;
                let mut rows = Vec::with_capacity(left.len());
                for row in left.iter() {
                    self.fuel.poll(span)?;
                    rows.push(Value::reals(combination(&reals(row), right, width, times)));
                }
                Value::values(rows)
            }
            _ => Value::unit(),
        })
    }

    fn vector_size(&self, ty: &Type, frame: &[Value<S>], rows: &[Value<S>]) -> usize {
        match (rows.first(), ty) {
            (Some(row), _) => row.len(),
            (None, Type::Array(size, _)) => self.size(size, frame),
            (None, _) => 0,
        }
    }
}

fn in_range(at: i64, len: usize, span: Span) -> Result<usize, Fault> {
    match usize::try_from(at) {
        Ok(index) if index < len => Ok(index),
        _ => Err(problem::out_of_range(at, len, span)),
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

/// The array with one element replaced.
fn updated<S: Number>(array: Value<S>, at: usize, element: Value<S>) -> Value<S> {
    match array {
        Value::Reals(mut elements) => {
            Rc::make_mut(&mut elements).elements_mut()[at] = element.real();
            Value::Reals(elements)
        }
        Value::Ints(mut elements) => {
            Rc::make_mut(&mut elements).elements_mut()[at] = element.int();
            Value::Ints(elements)
        }
        Value::Values(mut elements) => {
            Rc::make_mut(&mut elements).elements_mut()[at] = element;
            Value::Values(elements)
        }
        other => other,
    }
}

/// What an array without elements is to one that has some.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// One of another size.
    Differs,
    /// The zero, where no type tells its size: a sum over nothing, or in a derivative what a branch keeps that was not
    /// taken.
    IsZero,
}

/// Combines two values of one type component by component, the first in place where nobody else holds it.
pub(super) fn combine<S: Number>(
    total: Value<S>,
    element: &Value<S>,
    primitive: &'static Primitive,
    empty: Empty,
    span: Span,
) -> Result<Value<S>, Fault> {
    let differ = |a: usize, b: usize| problem::elements_differ(a, b, span);
    let is_nothing =
        |value: &Value<S>| matches!(value, Value::Reals(_) | Value::Ints(_) | Value::Values(_)) && value.is_empty();
    match (total, element) {
        // What has a shape, be it an empty one, keeps it beside a zero that has none.
        (Value::Zero, element) => Ok(element.clone()),
        (total, Value::Zero) => Ok(total),
        (total, element) if empty == Empty::IsZero && is_nothing(&total) => Ok(element.clone()),
        (total, element) if empty == Empty::IsZero && is_nothing(element) => Ok(total),
        (Value::Map(total), Value::Map(element)) if total.has_no_entries() => Ok(Value::Map(element.clone())),
        (Value::Map(total), Value::Map(element)) if element.has_no_entries() => Ok(Value::Map(total)),
        (Value::Map(total), Value::Map(element)) => Ok(Value::Map(Map::Add(total, element.clone()).share())),
        (Value::Reals(mut total), Value::Reals(element)) => {
            if total.len() != element.len() {
                return Err(differ(total.len(), element.len()));
            }
            for (total, element) in Rc::make_mut(&mut total).elements_mut().iter_mut().zip(element.iter()) {
                *total = S::apply(primitive, &[total.clone(), element.clone()]);
            }
            Ok(Value::Reals(total))
        }
        (total @ (Value::Ints(_) | Value::Values(_)), element) => {
            if total.len() != element.len() {
                return Err(differ(total.len(), element.len()));
            }
            let mut combined = Vec::with_capacity(total.len());
            for (total, element) in total.elements().zip(element.elements()) {
                combined.push(combine(total, &element, primitive, empty, span)?);
            }
            Ok(match total {
                Value::Ints(_) => Value::ints(combined.iter().map(Value::int).collect()),
                _ => Value::values(combined),
            })
        }
        (Value::Tuple(total), Value::Tuple(element)) => {
            let mut combined = Vec::with_capacity(total.len());
            // What has no shape yet may also have fewer parts.
            for at in 0..total.len().max(element.len()) {
                let part = |parts: &[Value<S>]| parts.get(at).cloned().unwrap_or(Value::Zero);
                combined.push(combine(part(&total), &part(element), primitive, empty, span)?);
            }
            Ok(Value::Tuple(combined.into()))
        }
        (total, element) => binary(primitive, &total, element, span),
    }
}

/// Adds to the part of a value that a path leads to, in place where nobody else holds it.
pub(super) fn add_to<S: Number>(
    total: &mut Value<S>,
    path: &[Place],
    frame: &[Value<S>],
    value: &Value<S>,
    span: Span,
) -> Result<(), Fault> {
    match (path, total) {
        ([], total) => {
            let before = std::mem::replace(total, Value::Int(0));
            *total = combine(before, value, &scalar::ADD, Empty::IsZero, span)?;
        }
        ([Place::Element(index), rest @ ..], total) => {
            let len = total.len();
            let at = in_range(super::atom(frame, *index).int(), len, span)?;
            match (total, rest) {
                (Value::Reals(elements), []) => {
                    let slot = &mut Rc::make_mut(elements).elements_mut()[at];
                    *slot = slot.add(&value.real());
                }
                (Value::Values(elements), rest) => {
                    add_to(&mut Rc::make_mut(elements).elements_mut()[at], rest, frame, value, span)?;
                }
                _ => {}
            }
        }
        ([Place::Component(at), rest @ ..], total @ (Value::Zero | Value::Tuple(_))) => {
            if total.parts().len() <= *at {
                let mut parts = total.parts().to_vec();
                parts.resize(at + 1, Value::Zero);
                *total = Value::Tuple(parts.into());
            }
            let Value::Tuple(parts) = total else { return Ok(()) };
            if let Some(part) = Rc::make_mut(parts).get_mut(*at) {
                add_to(part, rest, frame, value, span)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn reals<S: Number>(value: &Value<S>) -> Vec<S> {
    match value {
        Value::Reals(elements) => elements.to_vec(),
        other => other.elements().map(|element| element.real()).collect(),
    }
}

fn flat<S: Number>(matrix: &Value<S>) -> Vec<S> {
    matrix.elements().flat_map(|row| reals(&row)).collect()
}

fn rows<S: Number>(count: usize, width: usize, elements: Vec<S>) -> Value<S> {
    Value::values((0..count).map(|at| Value::reals(elements[at * width..(at + 1) * width].to_vec())).collect())
}

fn product<S: Number>(a: &[S], b: &[S], times: fn(&S, &S) -> S) -> S {
    a.iter().zip(b).map(|(a, b)| times(a, b)).reduce(|total, term| total.add(&term)).unwrap_or_else(S::zero)
}

/// The product in which zero times anything is zero.
fn exact_product<S: Number>(a: &S, b: &S) -> S {
    S::apply(&scalar::EXACT_MUL, &[a.clone(), b.clone()])
}

/// `Σᵢ aᵢ · rowsᵢ`
fn combination<S: Number>(a: &[S], rows: &[Value<S>], width: usize, times: fn(&S, &S) -> S) -> Vec<S> {
    let mut total = vec![S::zero(); width];
    for (a, row) in a.iter().zip(rows) {
        if let Value::Reals(row) = row {
            for (total, element) in total.iter_mut().zip(row.iter()) {
                *total = total.add(&times(a, element));
            }
        }
    }
    total
}

/// A number of elements, which is no negative one.
pub(super) fn count_of(count: i64, span: Span) -> Result<usize, Fault> {
    usize::try_from(count).map_err(|_| problem::negative_size(count, span))
}

/// The size at the end of a path; arrays on the way must agree on it.
pub(super) fn size_at<S: Number>(value: &Value<S>, path: &[Step], span: Span) -> Result<usize, Fault> {
    match path {
        [] => Ok(value.len()),
        [Step::Component(at), rest @ ..] => match value.parts().get(*at) {
            Some(part) => size_at(part, rest, span),
            None => Ok(0),
        },
        [Step::Elements, rest @ ..] => {
            let mut size = None;
            for element in value.elements() {
                let here = size_at(&element, rest, span)?;
                if let Some(size) = size
                    && size != here
                {
                    return Err(problem::ragged(size, here, span));
                }
                size = Some(here);
            }
            Ok(size.unwrap_or(0))
        }
    }
}
