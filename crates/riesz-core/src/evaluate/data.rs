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

/// A value of a type as data, which reads back as the same value at that type; none where it holds a function or a linear
/// map.
pub fn to_data(value: &Value<f64>, ty: &Type) -> Option<Data> {
    Some(match (value, ty) {
        (Value::Real(number), _) => Data::Real(*number),
        (Value::Int(number), _) => Data::Int(*number),
        (Value::Bool(truth), _) => Data::Bool(*truth),
        (_, Type::Array(..)) => {
            let (mut shape, mut element) = (vec![value.len()], element_type(ty));
            let mut first = value.get(0);
            while let Type::Array(_, inner) = element {
                shape.push(first.as_ref().map_or(0, Value::len));
                first = first.and_then(|array| array.get(0));
                element = inner;
            }
            let mut elements = match element {
                Type::Real => Elements::Real(Vec::new()),
                Type::Int => Elements::Int(Vec::new()),
                Type::Bool => Elements::Bool(Vec::new()),
                _ => {
                    let element = element_type(ty);
                    return value.elements().map(|part| to_data(&part, element)).collect::<Option<_>>().map(Data::List);
                }
            };
            collect(value, &mut elements);
            Data::Tensor { shape, elements }
        }
        (Value::Tuple(parts), Type::Record(record)) => {
            let field = |((name, ty), part): (&(_, Type), &Value<f64>)| Some((Clone::clone(name), to_data(part, ty)?));
            Data::Record(record.fields.iter().zip(parts.iter()).map(field).collect::<Option<_>>()?)
        }
        (Value::Tuple(parts), _) => {
            let types = ty.components()?;
            Data::List(parts.iter().zip(&types).map(|(part, ty)| to_data(part, ty)).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// Adds the numbers of an array, row by row.
fn collect(value: &Value<f64>, elements: &mut Elements) {
    match (value, elements) {
        (Value::Reals(numbers), Elements::Real(all)) => all.extend_from_slice(numbers),
        (Value::Ints(numbers), Elements::Int(all)) => all.extend_from_slice(numbers),
        (Value::Real(number), Elements::Real(all)) => all.push(*number),
        (Value::Int(number), Elements::Int(all)) => all.push(*number),
        (Value::Bool(truth), Elements::Bool(all)) => all.push(*truth),
        (value, elements) => value.elements().for_each(|part| collect(&part, elements)),
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
    if let (Elements::Real(values), [], Type::Real) = (elements, inner, element_type(ty)) {
        return Value::reals(values[offset..offset + size].iter().map(|value| S::constant(*value)).collect());
    }
    // Where there are no elements the others' sizes may be anything.
    let stride: usize = inner.iter().fold(1, |stride, size| stride.saturating_mul(*size));
    let element = element_type(ty);
    Value::array(element, (0..size).map(|at| from_tensor(inner, elements, offset + at * stride, element)).collect())
}
