//! The spaces of values: `R` for a number, `()` for a value that does not vary, products for tuples.
//!
//! A function value varies with its captured values, so its space is the product of theirs; so does a linear map, which
//! may also vary with its entries, or with the maps that it consists of. Elements of an array that have one space make
//! a power. Functions in an array, and arrays of residuals, may have different spaces: then they make a product.

use crate::closure::with_room;
use crate::tangent::{Real, Tangent};
use riesz_core::evaluate::{Map, Value};
use riesz_linear::Space;

/// The tangent space at a value.
pub fn space(value: &Value<f64>) -> Space {
    match value {
        Value::Real(_) => Space::Real,
        Value::Tuple(parts) => Space::product(parts.iter().map(space)),
        Value::Closure(closure) => Space::product(closure.captured().iter().map(space)),
        Value::Reals(numbers) => power(numbers.len(), || Space::Real),
        Value::Ints(numbers) => power(numbers.len(), || Space::product([])),
        Value::Values(elements) if unlike(elements) => Space::product(elements.iter().map(space)),
        Value::Values(elements) => power(elements.len(), || space(&elements[0])),
        Value::Map(map) => space_of_map(map),
        Value::Int(_) | Value::Bool(_) | Value::Zero | Value::Accumulator(_) => Space::product([]),
    }
}

fn space_of_map(map: &Map<f64>) -> Space {
    with_room(|| match map {
        Map::Functions { captured, .. } => Space::product(captured.iter().map(space)),
        Map::Table(table) => power(table.rows.iter().map(Vec::len).sum(), || Space::Real),
        Map::Term(term) => power(term.made.coo().len(), || Space::Real),
        Map::Adjoint(map) => space_of_map(map),
        Map::Compose(left, right) | Map::Add(left, right) => Space::product([space_of_map(left), space_of_map(right)]),
        Map::Scale(_, map) => Space::product([Space::Real, space_of_map(map)]),
    })
}

fn power(n: usize, element: impl FnOnce() -> Space) -> Space {
    Space::array(n, if n == 0 { Space::product([]) } else { element() })
}

/// Whether elements of an array have different spaces: functions that captured different things, also as the tuples of what
/// they captured, and arrays of different lengths, which derivatives keep.
fn unlike(elements: &[Value<f64>]) -> bool {
    elements.windows(2).any(|pair| !alike(&pair[0], &pair[1]))
}

/// Whether two values have one space, which is seldom written down to find out.
fn alike(a: &Value<f64>, b: &Value<f64>) -> bool {
    match (a, b) {
        (Value::Reals(a), Value::Reals(b)) => a.len() == b.len(),
        (Value::Ints(a), Value::Ints(b)) => a.len() == b.len(),
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| alike(a, b)),
        (Value::Values(a), Value::Values(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| alike(a, b)),
        (a, b) => space(a) == space(b),
    }
}

/// The real numbers in a value, in the order of its space.
pub fn numbers(value: &Value<f64>) -> Vec<f64> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value<f64>, found: &mut Vec<f64>) {
    match value {
        Value::Real(number) => found.push(*number),
        Value::Reals(numbers) => found.extend_from_slice(numbers),
        Value::Tuple(parts) => parts.iter().for_each(|part| collect(part, found)),
        Value::Values(elements) => elements.iter().for_each(|element| collect(element, found)),
        Value::Closure(closure) => closure.captured().iter().for_each(|value| collect(value, found)),
        Value::Map(map) => collect_from_map(map, found),
        Value::Int(_) | Value::Bool(_) | Value::Ints(_) | Value::Zero | Value::Accumulator(_) => {}
    }
}

fn collect_from_map(map: &Map<f64>, found: &mut Vec<f64>) {
    with_room(|| match map {
        Map::Functions { captured, .. } => captured.iter().for_each(|value| collect(value, found)),
        Map::Table(table) => found.extend(table.rows.iter().flatten().map(|(_, entry)| *entry)),
        Map::Term(term) => found.extend(term.made.coo().vals),
        Map::Adjoint(map) => collect_from_map(map, found),
        Map::Compose(left, right) | Map::Add(left, right) => {
            collect_from_map(left, found);
            collect_from_map(right, found);
        }
        Map::Scale(factor, map) => {
            found.push(*factor);
            collect_from_map(map, found);
        }
    })
}

/// A tangent at a value, as a value of the tangent space: numbers in the places of numbers, `()` in place of what does not
/// vary.
pub fn tangent_value(at: &Value<f64>, numbers: &[f64]) -> Value<f64> {
    write(at, &mut numbers.iter().copied())
}

fn write(at: &Value<f64>, numbers: &mut dyn Iterator<Item = f64>) -> Value<f64> {
    match at {
        Value::Real(_) => Value::Real(numbers.next().unwrap_or(0.0)),
        Value::Reals(elements) => Value::reals(elements.iter().map(|_| numbers.next().unwrap_or(0.0)).collect()),
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| write(part, numbers)).collect()),
        Value::Values(elements) => Value::values(elements.iter().map(|element| write(element, numbers)).collect()),
        Value::Ints(elements) => Value::values(elements.iter().map(|_| Value::unit()).collect()),
        Value::Int(_) | Value::Bool(_) | Value::Closure(_) | Value::Map(_) | Value::Zero | Value::Accumulator(_) => {
            Value::unit()
        }
    }
}

/// The zero of a space, as a value.
pub(crate) fn zero_value(space: &Space) -> Value<f64> {
    match space {
        Space::Real => Value::Real(0.0),
        Space::Product(parts) => Value::Tuple(parts.iter().map(zero_value).collect()),
        Space::Array(size, element) if **element == Space::Real => Value::reals(vec![0.0; *size]),
        Space::Array(size, element) => Value::values(vec![zero_value(element); *size]),
    }
}

/// A vector from flat numbers.
pub(crate) fn vector(space: &Space, numbers: &[f64]) -> Tangent {
    Tangent::from_numbers(space, &numbers.iter().map(|number| Real(*number)).collect::<Vec<_>>())
}

/// Flat numbers from a vector.
pub(crate) fn flat(space: &Space, vector: &Tangent) -> Vec<f64> {
    vector.numbers(space).into_iter().map(|number| number.0).collect()
}
