//! Values as text: the output of `eval`, which reads back as the same value.

use super::value::{Map, Value};
use crate::types::Type;
use riesz_primitive::Number;

impl<S: Number> Value<S> {
    /// The value of a type as text; of linear maps only the type.
    pub fn show(&self, ty: &Type) -> String {
        self.show_with(ty, &mut |_| None)
    }

    /// The value of a type as text, with linear maps as `map` shows them.
    pub fn show_with(&self, ty: &Type, map: &mut dyn FnMut(&Map<S>) -> Option<String>) -> String {
        self.show_parts(ty, &|number| show_real(number.value()), map)
    }

    /// The value of a type as text, with numbers and linear maps as functions show them.
    pub fn show_parts(
        &self,
        ty: &Type,
        number: &dyn Fn(&S) -> String,
        map: &mut dyn FnMut(&Map<S>) -> Option<String>,
    ) -> String {
        let mut text = String::new();
        self.write(ty, number, map, &mut text);
        text
    }

    fn write(
        &self,
        ty: &Type,
        number: &dyn Fn(&S) -> String,
        map: &mut dyn FnMut(&Map<S>) -> Option<String>,
        text: &mut String,
    ) {
        let mut list = |text: &mut String, parts: &mut dyn Iterator<Item = (Value<S>, &Type)>| {
            for (at, (part, ty)) in parts.enumerate() {
                if at > 0 {
                    *text += ", ";
                }
                part.write(ty, number, map, text);
            }
        };
        match (self, ty) {
            (Value::Real(value), _) => *text += &number(value),
            (Value::Int(value), _) => *text += &value.to_string(),
            (Value::Bool(value), _) => *text += if *value { "true" } else { "false" },
            (Value::Tuple(parts), Type::Record(record)) => {
                for (at, &field) in record.shown.iter().enumerate() {
                    let (name, ty) = &record.fields[field as usize];
                    *text += if at > 0 { ", " } else { "{" };
                    *text += name;
                    *text += " = ";
                    parts[field as usize].write(ty, number, map, text);
                }
                text.push('}');
            }
            (Value::Tuple(parts), Type::Tuple(types)) => {
                text.push('(');
                list(text, &mut parts.iter().cloned().zip(types.iter()));
                text.push(')');
            }
            (Value::Reals(_) | Value::Ints(_) | Value::Values(_), Type::Array(_, element)) => {
                text.push('[');
                list(text, &mut self.elements().map(|value| (value, &**element)));
                text.push(']');
            }
            (Value::Map(linear), _) => {
                let shown = map(linear)
                    .unwrap_or_else(|| format!("<linear map {}>", ty.show(&|_| "_".into(), &|_| "_".into())));
                *text += &shown;
            }
            _ => *text += &format!("<function {}>", ty.show(&|_| "_".into(), &|_| "_".into())),
        }
    }
}

/// The shortest digits that read back the same, with an exponent below 1e-4 and from 1e16.
pub fn show_real(value: f64) -> String {
    if value.is_nan() { "nan".to_string() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::show_real;

    #[test]
    fn reals_read_back() {
        let shown = [
            (0.1, "0.1"),
            (1.0, "1.0"),
            (1e-7, "1e-7"),
            (1e-4, "0.0001"),
            (9.9e-5, "9.9e-5"),
            (1e16, "1e16"),
            (9999999999999998.0, "9999999999999998.0"),
            (-0.0, "-0.0"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e308"),
        ];
        for (value, text) in shown {
            assert_eq!(show_real(value), text);
        }
    }
}
