//! Data from outside as values.

use super::element_type;
use super::value::Value;
use crate::data::{Data, Elements};
use crate::types::Type;
use riesz_primitive::Number;

/// Data from outside as a value of a type that it fits.
pub fn from_data<S: Number>(data: &Data, ty: &Type) -> Value<S> {
    match (data, ty) {
        (Data::Bool(value), _) => Value::Bool(*value),
        (Data::Int(value), Type::Real) => Value::Real(S::constant(*value as f64)),
        (Data::Int(value), _) => Value::Int(*value),
        (Data::Real(value), _) => Value::Real(S::constant(*value)),
        (Data::List(items), Type::Tuple(parts)) => {
            Value::Tuple(items.iter().zip(parts.iter()).map(|(item, ty)| from_data(item, ty)).collect())
        }
        (Data::List(items), ty) => {
            let element = element_type(ty);
            Value::array(element, items.iter().map(|item| from_data(item, element)).collect())
        }
        (Data::Record(fields), Type::Record(record)) => {
            let value = |name: &str, ty: &Type| {
                fields.iter().find(|(field, _)| &**field == name).map(|(_, data)| from_data(data, ty))
            };
            Value::Tuple(record.fields.iter().filter_map(|(name, ty)| value(name, ty)).collect())
        }
        (Data::Record(_), _) => Value::unit(),
        (Data::Tensor { shape, elements }, ty) => from_tensor(shape, elements, 0, ty),
    }
}

fn from_tensor<S: Number>(shape: &[usize], elements: &Elements, offset: usize, ty: &Type) -> Value<S> {
    let Some((&size, inner)) = shape.split_first() else {
        return match (elements, ty) {
            (Elements::Real(values), _) => Value::Real(S::constant(values[offset])),
            (Elements::Int(values), Type::Real) => Value::Real(S::constant(values[offset] as f64)),
            (Elements::Int(values), _) => Value::Int(values[offset]),
            (Elements::Bool(values), _) => Value::Bool(values[offset]),
        };
    };
    // Where there are no elements the others' sizes may be anything.
    let stride: usize = inner.iter().fold(1, |stride, size| stride.saturating_mul(*size));
    let element = element_type(ty);
    Value::array(element, (0..size).map(|at| from_tensor(inner, elements, offset + at * stride, element)).collect())
}
