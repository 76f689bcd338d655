//! Conversion between values and the arguments and results of the evaluator.

use crate::evaluate::{Number, Passed};
use crate::layout::Passing;
use riesz_core::evaluate::Value;
use riesz_core::types::Type;

/// A value of a type as arguments.
pub fn pass(value: &Value<f64>, ty: &Type) -> Vec<Passed> {
    let mut passed = Vec::new();
    push(value, ty, &mut passed);
    passed
}

fn push(value: &Value<f64>, ty: &Type, passed: &mut Vec<Passed>) {
    match ty {
        Type::Array(..) => push_inside(std::slice::from_ref(value), ty, passed),
        Type::Tuple(_) | Type::Record(_) => {
            for (part, ty) in value.parts().iter().zip(ty.components().unwrap_or_default()) {
                push(part, &ty, passed);
            }
        }
        _ => passed.push(Passed::Number(number(value, ty))),
    }
}

/// Values that stand beside each other in an array.
fn push_inside(values: &[Value<f64>], ty: &Type, passed: &mut Vec<Passed>) {
    match ty {
        Type::Array(size, element) => {
            if Passing::Argument.with_length(size) {
                passed.push(Passed::Number(Number::Int(values.first().map_or(0, Value::len) as i64)));
            }
            let inner: Vec<Value<f64>> = values.iter().flat_map(|value| value.elements()).collect();
            push_inside(&inner, element, passed);
        }
        Type::Tuple(_) | Type::Record(_) => {
            for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                let parts: Vec<Value<f64>> = values.iter().filter_map(|value| value.parts().get(at).cloned()).collect();
                push_inside(&parts, part, passed);
            }
        }
        _ => passed.push(Passed::Elements(values.iter().map(|value| number(value, ty)).collect())),
    }
}

fn number(value: &Value<f64>, ty: &Type) -> Number {
    match ty {
        Type::Real => Number::Real(value.real()),
        Type::Bool => Number::Bool(value.bool()),
        _ => Number::Int(value.int()),
    }
}

/// The value of a type that results are.
pub fn receive(results: &[Passed], ty: &Type) -> Value<f64> {
    take(&mut results.iter(), ty)
}

fn take(results: &mut std::slice::Iter<Passed>, ty: &Type) -> Value<f64> {
    match ty {
        Type::Array(..) => take_inside(results, ty, 1).pop().unwrap_or_else(Value::unit),
        Type::Tuple(_) | Type::Record(_) => {
            Value::Tuple(ty.components().unwrap_or_default().iter().map(|ty| take(results, ty)).collect())
        }
        _ => match results.next() {
            Some(Passed::Number(number)) => value(*number),
            _ => Value::unit(),
        },
    }
}

/// A number of values that are adjacent in an array.
fn take_inside(results: &mut std::slice::Iter<Passed>, ty: &Type, count: usize) -> Vec<Value<f64>> {
    match ty {
        Type::Array(_, element) => {
            let len = match results.next() {
                Some(Passed::Number(Number::Int(len))) => *len as usize,
                _ => 0,
            };
            let mut inner = take_inside(results, element, count * len).into_iter();
            (0..count).map(|_| Value::array(element, inner.by_ref().take(len).collect())).collect()
        }
        Type::Tuple(_) | Type::Record(_) => {
            let parts = ty.components().unwrap_or_default();
            let parts: Vec<Vec<Value<f64>>> = parts.iter().map(|part| take_inside(results, part, count)).collect();
            let part = |at: usize| parts.iter().map(|part| part.get(at).cloned().unwrap_or_else(Value::unit)).collect();
            (0..count).map(|at| Value::Tuple(part(at))).collect()
        }
        _ => match results.next() {
            Some(Passed::Elements(elements)) => elements.iter().map(|number| value(*number)).collect(),
            _ => Vec::new(),
        },
    }
}

fn value(number: Number) -> Value<f64> {
    match number {
        Number::Real(value) => Value::Real(value),
        Number::Int(value) => Value::Int(value),
        Number::Bool(value) => Value::Bool(value),
    }
}
