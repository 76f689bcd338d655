//! Tests whether a value has the shape of its type. This must hold at the end of every evaluation, where placeholders
//! and zeros of unknown shape must have become ordinary values.
//!
//! ```text
//! (a, b) fits (A, B)      if a fits A and b fits B
//! [a, ...] fits [n]A      if it has n elements, where n is known, and all fit A with the sizes that the first has
//! m fits A -o B           if, where it is a table, the zeros of its spaces fit A and B
//! ```

use super::value::{Map, Value};
use crate::size::Size;
use crate::types::Type;
use riesz_primitive::Number;

impl<S: Number> Value<S> {
    /// Whether the value has the shape of a type, sizes included where the type says them.
    pub fn fits(&self, ty: &Type) -> bool {
        self.misfit(ty).is_none()
    }

    /// Where the value does not have the shape of a type, as a sentence: the place in it, what is there and what the type
    /// asks for.
    pub fn misfit(&self, ty: &Type) -> Option<String> {
        self.misfit_at(ty, &mut String::new())
    }

    /// The type with the sizes that the value has.
    pub fn measured(&self, ty: &Type) -> Type {
        match ty {
            Type::Array(_, element) => {
                let element = self.get(0).map_or_else(|| Type::clone(element), |first| first.measured(element));
                Type::array(Size::Constant(self.len() as i64), element)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                ty.with_components(parts.iter().zip(self.parts()).map(|(ty, value)| value.measured(ty)).collect())
            }
            _ => ty.clone(),
        }
    }

    /// The value with empty arrays stored as those of its type are: an array of numbers is flat, and one without elements
    /// does not say what they would be.
    pub(super) fn stored_as(self, ty: &Type) -> Value<S> {
        match (&self, ty) {
            (Value::Values(elements), Type::Array(_, element)) if elements.is_empty() => {
                Value::array(element, Vec::new())
            }
            (Value::Values(elements), Type::Array(_, element)) if !is_flat(element) => {
                let needs = |value: &Value<S>| matches!(value, Value::Values(_) | Value::Tuple(_));
                match elements.first().is_some_and(needs) {
                    true => Value::values(elements.iter().map(|value| value.clone().stored_as(element)).collect()),
                    false => self,
                }
            }
            (Value::Tuple(parts), Type::Tuple(_) | Type::Record(_)) => {
                let types = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().zip(&types).map(|(part, ty)| part.clone().stored_as(ty)).collect())
            }
            _ => self,
        }
    }

    /// The value with every zero of unknown shape replaced by the zero of its type, where the type says its sizes: what
    /// leaves an evaluation.
    pub fn settled(&self, ty: &Type) -> Value<S> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || match (self, ty) {
            (Value::Zero, ty) => zero(ty).unwrap_or(Value::Zero),
            (Value::Tuple(parts), Type::Tuple(_) | Type::Record(_)) => {
                let types = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().zip(&types).map(|(part, ty)| part.settled(ty)).collect())
            }
            (Value::Values(elements), Type::Array(_, element)) if may_hold_zeros(element) => {
                let known = elements.iter().find(|value| !matches!(value, Value::Zero));
                let element = known.map_or_else(|| Type::clone(element), |known| known.measured(element));
                Value::values(elements.iter().map(|value| value.settled(&element)).collect())
            }
            _ => self.clone(),
        })
    }

    fn misfit_at(&self, ty: &Type, path: &mut String) -> Option<String> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.misfit_here(ty, path))
    }

    fn misfit_here(&self, ty: &Type, path: &mut String) -> Option<String> {
        let fits = match (self, ty) {
            (Value::Real(_), Type::Real) | (Value::Int(_), Type::Int) | (Value::Bool(_), Type::Bool) => true,
            (Value::Tuple(values), Type::Tuple(_) | Type::Record(_)) => {
                let types = ty.components().unwrap_or_default();
                let name = |at: usize| match ty {
                    Type::Record(record) => record.fields[at].0.to_string(),
                    _ => at.to_string(),
                };
                for (at, (value, ty)) in values.iter().zip(&types).enumerate() {
                    let found = inside(path, &format!(".{}", name(at)), |path| value.misfit_at(ty, path));
                    if found.is_some() {
                        return found;
                    }
                }
                values.len() == types.len()
            }
            (Value::Reals(_), Type::Array(size, element)) => **element == Type::Real && has_size(self, size),
            (Value::Ints(_), Type::Array(size, element)) => **element == Type::Int && has_size(self, size),
            (Value::Values(elements), Type::Array(size, element)) if !is_flat(element) && has_size(self, size) => {
                let first = elements.first().map(|first| first.measured(element));
                for (at, value) in elements.iter().enumerate() {
                    let found = inside(path, &format!("[{at}]"), |path| {
                        let same = if at == 0 { None } else { first.as_ref() };
                        value.misfit_at(same.unwrap_or(element), path)
                    });
                    if found.is_some() {
                        return found;
                    }
                }
                true
            }
            (Value::Map(map), Type::Linear(arrow)) => {
                if let Map::Table(table) = &**map {
                    for (space, ty, name) in
                        [(&table.domain, &arrow.0, "domain"), (&table.codomain, &arrow.1, "codomain")]
                    {
                        let found = inside(path, &format!(".{name}"), |path| space.misfit_at(ty, path));
                        if found.is_some() {
                            return found;
                        }
                    }
                }
                true
            }
            // A linear map may stand for a function.
            (Value::Closure(_) | Value::Map(_), Type::Function(_)) => true,
            _ => false,
        };
        (!fits).then(|| {
            let place = if path.is_empty() { String::new() } else { format!("`{path}` is ") };
            format!("{place}{} where {} is expected", self.kind(), ty.show(&|_| "_".into(), &|_| "_".into()))
        })
    }

    fn kind(&self) -> String {
        match self {
            Value::Real(_) => "an R".into(),
            Value::Int(_) => "an Int".into(),
            Value::Bool(_) => "a Bool".into(),
            Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Value::Reals(elements) => format!("an array of {} R", elements.len()),
            Value::Ints(elements) => format!("an array of {} Int", elements.len()),
            Value::Values(elements) => format!("an array of {} values", elements.len()),
            Value::Closure(_) => "a function".into(),
            Value::Map(_) => "a linear map".into(),
            Value::Zero => "a zero of unknown shape".into(),
            Value::Accumulator(_) => "an accumulator".into(),
        }
    }
}

/// Works with a path that is one step longer.
fn inside<T>(path: &mut String, step: &str, work: impl FnOnce(&mut String) -> T) -> T {
    let before = path.len();
    *path += step;
    let result = work(path);
    path.truncate(before);
    result
}

/// The zero of a type that says its sizes.
fn zero<S: Number>(ty: &Type) -> Option<Value<S>> {
    Some(match ty {
        Type::Real => Value::Real(S::zero()),
        Type::Tuple(_) | Type::Record(_) => {
            Value::Tuple(ty.components().unwrap_or_default().iter().map(zero).collect::<Option<_>>()?)
        }
        Type::Array(Size::Constant(0), element) => Value::array(element, Vec::new()),
        Type::Array(Size::Constant(count), element) => {
            Value::array(element, vec![zero(element)?; usize::try_from(*count).ok()?])
        }
        _ => return None,
    })
}

/// Whether values of a type can have parts that are zeros of unknown shape: arrays inside of it.
fn may_hold_zeros(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Array(..)))
}

/// Whether arrays of a type are stored flat.
fn is_flat(element: &Type) -> bool {
    matches!(element, Type::Real | Type::Int)
}

/// Whether an array has as many elements as a size says, where that is known.
fn has_size<S: Number>(array: &Value<S>, size: &Size) -> bool {
    match size {
        Size::Constant(count) => usize::try_from(*count) == Ok(array.len()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_fits_its_type_and_no_other() {
        let vector = |size: i64| Type::array(Size::Constant(size), Type::Real);
        let (two, none) = (Value::reals(vec![1.0, 2.0]), Value::<f64>::reals(Vec::new()));
        assert!(two.fits(&vector(2)) && none.fits(&vector(0)));
        assert!(two.fits(&Type::array(Size::Hole, Type::Real)));
        assert!(!two.fits(&vector(3)) && !Value::<f64>::Zero.fits(&vector(0)));
        let pair = Type::Tuple([vector(0), Type::Real].into());
        let found = Value::Tuple([Value::Zero, Value::Real(1.0)].into()).misfit(&pair);
        assert_eq!(found.as_deref(), Some("`.0` is a zero of unknown shape where [0]R is expected"));
        assert!(!Value::<f64>::values(Vec::new()).fits(&vector(0)), "arrays of numbers are flat");
    }

    #[test]
    fn zeros_get_the_shape_of_their_type() {
        let vector = |size: i64| Type::array(Size::Constant(size), Type::Real);
        assert!(Value::<f64>::Zero.settled(&vector(2)).fits(&vector(2)));
        let rows = Type::array(Size::Constant(2), Type::array(Size::Hole, Type::Real));
        let settled = Value::values(vec![Value::Zero, Value::reals(vec![1.0])]).settled(&rows);
        assert_eq!(settled.misfit(&rows), None);
        let pair = Type::Tuple([vector(0), Type::Real].into());
        assert!(Value::Tuple([Value::Zero, Value::Real(1.0)].into()).settled(&pair).fits(&pair));
    }

    #[test]
    fn arrays_are_rectangular() {
        let rows = Type::array(Size::Hole, Type::array(Size::Hole, Type::Real));
        let ragged = Value::values(vec![Value::reals(vec![1.0]), Value::reals(vec![1.0, 2.0])]);
        assert_eq!(ragged.misfit(&rows).as_deref(), Some("`[1]` is an array of 2 R where [1]R is expected"));
    }
}
