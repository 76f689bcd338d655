//! Data from outside: numbers, arrays and records whose exact type depends on their use.

use crate::size::Size;
use crate::types::{Record, Type};
use riesz_syntax::tree::Name;

/// A value as a file has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A truth value.
    Bool(bool),
    /// A number without a point.
    Int(i64),
    /// Any other number.
    Real(f64),
    /// A list: an array, or a tuple where one is needed.
    List(Vec<Data>),
    /// A record.
    Record(Vec<(Name, Data)>),
    /// A rectangular array in row-major order.
    Tensor {
        /// The sizes, outermost first.
        shape: Vec<usize>,
        /// The elements.
        elements: Elements,
    },
}

/// The elements of a [`Data::Tensor`].
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Reals.
    Real(Vec<f64>),
    /// Integers.
    Int(Vec<i64>),
    /// Truth values.
    Bool(Vec<bool>),
}

impl Data {
    /// The same with every number an `R`.
    pub fn real(self) -> Data {
        match self {
            Data::Int(value) => Data::Real(value as f64),
            Data::List(items) => Data::List(items.into_iter().map(Data::real).collect()),
            Data::Record(fields) => {
                Data::Record(fields.into_iter().map(|(name, value)| (name, value.real())).collect())
            }
            Data::Tensor { shape, elements: Elements::Int(values) } => {
                let elements = Elements::Real(values.into_iter().map(|value| value as f64).collect());
                Data::Tensor { shape, elements }
            }
            other => other,
        }
    }

    /// The type to read the data at where `hint` is expected, if anything is. An error says what does not fit.
    pub(crate) fn type_at(&self, hint: Option<&Type>) -> Result<Type, String> {
        match (self, hint) {
            (Data::Bool(_), _) => Ok(Type::Bool),
            (Data::Int(_), Some(Type::Real)) | (Data::Real(_), _) => Ok(Type::Real),
            (Data::Int(_), _) => Ok(Type::Int),
            (Data::List(items), Some(Type::Tuple(parts))) => {
                if items.len() != parts.len() {
                    return Err(format!("a list of {} where a tuple of {} is needed", items.len(), parts.len()));
                }
                let types: Result<Vec<Type>, String> =
                    items.iter().zip(parts.iter()).map(|(item, part)| item.type_at(Some(part))).collect();
                Ok(Type::Tuple(types?.into()))
            }
            (Data::List(items), hint) => {
                let element = match hint {
                    Some(Type::Array(_, element)) => Some(&**element),
                    _ => None,
                };
                let mut joined: Option<Type> = None;
                for (at, item) in items.iter().enumerate() {
                    let ty = item.type_at(element)?;
                    joined = match joined {
                        None => Some(ty),
                        Some(before) => match join(&before, &ty) {
                            Some(ty) => Some(ty),
                            None if hint.is_some() => {
                                return Err(format!("element {at} of a list differs from those before it"));
                            }
                            // Nothing asks for an array: a list of different things is a tuple.
                            None => {
                                let types: Result<Vec<Type>, String> =
                                    items.iter().map(|item| item.type_at(None)).collect();
                                return Ok(Type::Tuple(types?.into()));
                            }
                        },
                    };
                }
                let element = joined.or_else(|| element.cloned()).unwrap_or(Type::Real);
                Ok(Type::array(Size::Constant(items.len() as i64), element))
            }
            // Programs write no record without fields: `{}` is the value of which nothing is known.
            (Data::Record(fields), hint) if fields.is_empty() && !matches!(hint, Some(Type::Record(_))) => {
                Ok(Type::Tuple([].into()))
            }
            (Data::Record(fields), hint) => {
                let hints = match hint {
                    Some(Type::Record(record)) => Some(record),
                    _ => None,
                };
                let mut read = Vec::with_capacity(fields.len());
                for (name, value) in fields {
                    let hint = hints.and_then(|record| Some(&record.fields[record.position(name)?].1));
                    let ty = value.type_at(hint).map_err(|problem| format!("in the field `{name}`: {problem}"))?;
                    read.push((name.clone(), ty));
                }
                Ok(Type::Record(Record::new(read)))
            }
            (Data::Tensor { shape, elements }, hint) => {
                let mut innermost = hint;
                for _ in shape {
                    innermost = match innermost {
                        Some(Type::Array(_, element)) => Some(&**element),
                        _ => None,
                    };
                }
                let scalar = match (elements, innermost) {
                    (Elements::Real(_), _) | (Elements::Int(_), Some(Type::Real)) => Type::Real,
                    (Elements::Int(_), _) => Type::Int,
                    (Elements::Bool(_), _) => Type::Bool,
                };
                Ok(shape.iter().rev().fold(scalar, |ty, &size| Type::array(Size::Constant(size as i64), ty)))
            }
        }
    }
}

impl Data {
    /// The bytes that the data need as a value, at most; the largest number where that is more than a number can say.
    pub fn room(&self) -> usize {
        const VALUE: usize = size_of::<crate::evaluate::Value<f64>>();
        match self {
            Data::Bool(_) | Data::Int(_) | Data::Real(_) => VALUE,
            Data::List(items) => items.iter().fold(VALUE, |room, item| room.saturating_add(item.room())),
            Data::Record(fields) => fields.iter().fold(VALUE, |room, (_, value)| room.saturating_add(value.room())),
            // An array of arrays has a value for each row, whether or not the rows have elements.
            Data::Tensor { shape, .. } => {
                let (mut rows, mut room) = (1usize, VALUE);
                for &size in shape {
                    rows = rows.saturating_mul(size);
                    room = room.saturating_add(rows.saturating_mul(VALUE));
                }
                room
            }
        }
    }
}

/// The type that data of both types can be read at.
fn join(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Type::Int, Type::Real) | (Type::Real, Type::Int) => Some(Type::Real),
        (Type::Array(m, a), Type::Array(n, b)) if m == n => Some(Type::array(m.clone(), join(a, b)?)),
        (Type::Tuple(x), Type::Tuple(y)) if x.len() == y.len() => {
            let parts: Option<Vec<Type>> = x.iter().zip(y.iter()).map(|(a, b)| join(a, b)).collect();
            Some(Type::Tuple(parts?.into()))
        }
        (Type::Record(x), Type::Record(y)) if x.fields.iter().map(|(n, _)| n).eq(y.fields.iter().map(|(n, _)| n)) => {
            let parts: Option<Vec<Type>> =
                x.fields.iter().zip(y.fields.iter()).map(|((_, a), (_, b))| join(a, b)).collect();
            Some(a.with_components(parts?))
        }
        _ => None,
    }
}
