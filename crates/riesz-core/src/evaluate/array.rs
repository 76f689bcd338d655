//! Functions of arrays.

use super::limits::Fault;
use super::{Machine, binary, element_type, problem};
use crate::evaluate::{Map, Value};
use crate::term::{Place, Step};
use crate::types::Type;
use riesz_primitive::array::{Array, Contraction, LinearIn, Matrix, MatrixResult};
use riesz_primitive::{Number, Primitive, scalar};
use riesz_syntax::Span;
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
        let Some(row) = primitive.array() else {
            unreachable!("`{}` is no function of arrays", primitive.name);
        };
        let first = &arguments[0];
        if !row.has_shape_of_zero() && arguments.iter().any(|argument| matches!(argument, Value::Zero)) {
            return Ok(Value::Zero);
        }
        Ok(match row {
            Array::Reindex(reindex) => self.reindex(reindex, arguments, frame, ty, span)?,
            Array::Concatenate => {
                let element = element_type(ty);
                Value::array(element, arguments.iter().flat_map(|array| array.elements().collect::<Vec<_>>()).collect())
            }
            Array::Replace => {
                let at = in_range(arguments[1].int(), first.len(), span)?;
                updated(first.clone(), at, arguments[2].clone())
            }
            Array::Exchange => {
                let Type::Array(columns, row_type) = ty else { return Ok(Value::unit()) };
                let rows: Vec<Value<S>> = first.elements().collect();
                let columns = rows.first().map_or_else(|| self.size(columns, frame), Value::len);
                self.reserve((rows.len() + 1).saturating_mul(columns), size_of::<Value<S>>(), span)?;
                let column = |at: usize| {
                    Value::array(element_type(row_type), rows.iter().filter_map(|row| row.get(at)).collect())
                };
                Value::values((0..columns).map(column).collect())
            }
            Array::Merge => {
                let total: usize = first.elements().map(|row| row.len()).sum();
                self.reserve(total, size_of::<Value<S>>(), span)?;
                Value::array(
                    element_type(ty),
                    first.elements().flat_map(|row| row.elements().collect::<Vec<_>>()).collect(),
                )
            }
            Array::Product(product) => {
                let times = if product.is_exact() { S::exact_product } else { S::mul };
                match product.contraction {
                    Contraction::Inner => self.dot((first, &arguments[1]), times, frame, ty, span)?,
                    Contraction::Outer => {
                        let (u, v) = (reals(first), reals(&arguments[1]));
                        self.reserve(u.len().saturating_mul(v.len()), size_of::<S>(), span)?;
                        Value::values(u.iter().map(|u| Value::reals(v.iter().map(|v| times(u, v)).collect())).collect())
                    }
                }
            }
            Array::Matrix(matrix) => self.matrix_function(matrix, arguments, frame, ty, span)?,
        })
    }

    fn matrix_function(
        &mut self,
        matrix: &Matrix,
        arguments: &[Value<S>],
        frame: &[Value<S>],
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let first = &arguments[0];
        let is_sparse = matrix.function.is_sparse();
        let n = if is_sparse { arguments[1].len() } else { first.len() };
        // The matrix, a copy to work on, and the result.
        let room = arguments.iter().fold(0usize, |room, argument| room.saturating_add(argument.numbers()));
        self.reserve(room.saturating_mul(3), size_of::<S>(), span)?;
        let a = flat(first);
        let (columns, b) = match (&matrix.linear, arguments.get(1)) {
            // Directions, one behind the other.
            (LinearIn::Directions, Some(_)) => {
                (n * (arguments.len() - 1), arguments[1..].iter().flat_map(flat).collect())
            }
            (_, Some(b @ Value::Reals(_))) => (1, reals(b)),
            (_, Some(b)) => (b.get(0).map_or_else(|| self.inner_size(ty, frame), |row| row.len()), flat(b)),
            (_, None) => (0, Vec::new()),
        };
        self.fuel.poll(span)?;
        if (!is_sparse && a.len() != n * n) || b.len() != n * columns {
            return Err(problem::not_square(n, span));
        }
        let result = S::matrix(matrix.function, n, columns, &a, &b);
        Ok(match (ty, matrix.result) {
            (Type::Real, _) => Value::Real(result.into_iter().next().unwrap_or_else(S::zero)),
            (Type::Array(_, element), _) if **element == Type::Real => Value::reals(result),
            (_, MatrixResult::Like(1..)) => rows(n, columns, result),
            (_, MatrixResult::Number | MatrixResult::Like(0)) => rows(n, n, result),
        })
    }

    fn inner_size(&self, ty: &Type, frame: &[Value<S>]) -> usize {
        match element_type(ty) {
            Type::Array(size, _) => self.size(size, frame),
            _ => 0,
        }
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

pub(super) fn in_range(at: i64, len: usize, span: Span) -> Result<usize, Fault> {
    match usize::try_from(at) {
        Ok(index) if index < len => Ok(index),
        _ => Err(problem::out_of_range(at, len, span)),
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

/// The role of an array without elements in a sum with one that has some.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// One of another size.
    Differs,
    /// The zero, where no type tells its size: a sum over nothing, or in a derivative what a branch keeps that was not
    /// taken.
    IsZero,
}

/// Combines two values of one type component by component, the first in place where nothing else holds it.
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

/// Adds to the part of a value that a path leads to, in place where nothing else holds it.
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
