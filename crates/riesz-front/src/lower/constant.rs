//! Paths that are no variables: constants.

use super::{Lower, Value};
use crate::term::Term;
use crate::types::{Integer, SignatureType, Ty, ordering, show};
use quote::ToTokens;
use riesz_rust::Precision;

/// How deep closures and constants may be expanded inside of each other.
pub(super) const MOST_EXPANSIONS: usize = 64;

impl Lower<'_> {
    /// A path that is no variable: a constant.
    pub(super) fn path(&mut self, path: &syn::ExprPath) -> Value {
        let text = show(path);
        let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let before = path.path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string());
        match before.as_deref() {
            Some("consts") if constant(&last).is_some() => {
                let value = constant(&last).unwrap_or(0.0);
                // The path may mean something else here: the expansion asserts that it does not.
                let first = path.path.segments.first().map(|segment| segment.ident.to_string());
                if !matches!(first.as_deref(), Some("std" | "core")) && !self.imported.contains_key("consts") {
                    self.checks.push((path.to_token_stream(), value));
                }
                return Value::new(Term::Real(value), Ty::Float);
            }
            Some("f32") if self.precision == Precision::Single => {
                let value = match last.as_str() {
                    "INFINITY" => f32::INFINITY,
                    "NEG_INFINITY" => f32::NEG_INFINITY,
                    "NAN" => f32::NAN,
                    "EPSILON" => f32::EPSILON,
                    "MAX" => f32::MAX,
                    "MIN" => f32::MIN,
                    "MIN_POSITIVE" => f32::MIN_POSITIVE,
                    _ => {
                        let message = format!("`{text}` is not a constant that Riesz knows");
                        return self.refuse(path, message, "write the number");
                    }
                };
                return Value::new(Term::Real(f64::from(value)), Ty::Float);
            }
            Some("f64") if self.precision == Precision::Double => {
                let value = match last.as_str() {
                    "INFINITY" => f64::INFINITY,
                    "NEG_INFINITY" => f64::NEG_INFINITY,
                    "NAN" => f64::NAN,
                    "EPSILON" => f64::EPSILON,
                    "MAX" => f64::MAX,
                    "MIN" => f64::MIN,
                    "MIN_POSITIVE" => f64::MIN_POSITIVE,
                    _ => {
                        let message = format!("`{text}` is not a constant that Riesz knows");
                        return self.refuse(path, message, "write the number");
                    }
                };
                return Value::new(Term::Real(value), Ty::Float);
            }
            Some(of) if Integer::named(of).is_some() && matches!(&*last, "MAX" | "MIN" | "BITS") => {
                let integer = Integer::named(of).unwrap_or(Integer::USIZE);
                let (least, most) = integer.range();
                return match (&*last, integer) {
                    ("BITS", _) => Value::new(
                        Term::Int(i64::from(integer.bits)),
                        Ty::Int(Integer::named("u32").unwrap_or(integer)),
                    ),
                    ("MAX", Integer { signed: false, bits: 64 }) => {
                        self.refuse(path, format!("`{text}` does not fit 63 bits"), "use a smaller number")
                    }
                    ("MAX", _) => Value::new(Term::Int(most), Ty::Int(integer)),
                    _ => Value::new(Term::Int(least), Ty::Int(integer)),
                };
            }
            Some("Ordering")
                if matches!(&*last, "Less" | "Equal" | "Greater")
                    && !self.world.types.enums.contains_key("Ordering") =>
            {
                let at = ["Less", "Equal", "Greater"].iter().position(|name| *name == last).unwrap_or(0);
                return Value::new(Term::Int(at as i64), ordering());
            }
            Some(of) => {
                if let Some((ty, value)) = self.world.constants.get(&text) {
                    return self.constant_item(&text, ty, value, path);
                }
                let mut whole = path.path.clone();
                whole.segments.pop();
                whole.segments.pop_punct();
                if let Some(of) = self.world.types.enums.get(&crate::types::key(&whole))
                    && let Some(at) = of.variants.iter().position(|variant| *variant == last)
                {
                    return Value::new(Term::Int(at as i64), Ty::Enum(of.clone()));
                }
                // A variant of an enum of another module.
                let is_type = |name: &str| name.starts_with(char::is_uppercase) && name.chars().any(char::is_lowercase);
                if is_type(of) && is_type(&last) && of != "Self" {
                    self.errors.need(&whole);
                    return Value::error();
                }
            }
            None => {
                if last == "None" {
                    return Self::none();
                }
                if let Some(Some(value)) = self.imported.get(&last) {
                    return Value::new(Term::Real(*value), Ty::Float);
                }
                if let Some((ty, value)) = self.world.constants.get(&last) {
                    return self.constant_item(&last, ty, value, path);
                }
                if let Some(value) = constant(&last) {
                    // The name may mean something else here: the expansion asserts that it does not.
                    self.checks.push((path.to_token_stream(), value));
                    return Value::new(Term::Real(value), Ty::Float);
                }
            }
        }
        self.refuse(
            path,
            format!("the value of `{text}` is not visible to `#[differentiable]`"),
            "pass it as an argument, define it by `const` inside the function, or put it into one module with the function and `#[differentiable]` on the module",
        )
    }

    /// The value of a `const` outside of the function, written where it is used.
    pub(super) fn constant_item(&mut self, name: &str, ty: &syn::Type, value: &syn::Expr, at: &dyn ToTokens) -> Value {
        // It sees nothing of what is inside of the function.
        let scopes = std::mem::replace(&mut self.scopes, vec![Vec::new()]);
        let imported = std::mem::take(&mut self.imported);
        let found = self.constant_here(name, ty, value, at);
        (self.scopes, self.imported) = (scopes, imported);
        found
    }

    /// The value of a `const` that sees what is visible here.
    pub(super) fn constant_here(&mut self, name: &str, ty: &syn::Type, value: &syn::Expr, at: &dyn ToTokens) -> Value {
        if self.consts.iter().any(|known| known == name) || self.depth >= MOST_EXPANSIONS {
            return self.refuse(at, "this constant depends on itself", "write its value");
        }
        self.consts.push(name.to_string());
        let found = self.value(value);
        self.consts.pop();
        match self.written_type(ty) {
            Some(shape) if self.agrees(&shape.plain(), &found.ty) => Value { ty: merge(&found.ty, &shape), ..found },
            Some(_) => self.refuse(at, "the type of this constant is not clear", "write its value"),
            None => Value::error(),
        }
    }
}

/// The known facts of a type, together with the type that is written for it.
fn merge(found: &Ty, shape: &SignatureType) -> Ty {
    match (found, shape) {
        (Ty::Array(..), _) => found.clone(),
        _ => shape.plain(),
    }
}

/// The constants of `std::f64::consts`.
pub(super) const CONSTANTS: [(&str, f64); 19] = {
    use std::f64::consts::*;
    [
        ("PI", PI),
        ("TAU", TAU),
        ("E", E),
        ("SQRT_2", SQRT_2),
        ("FRAC_1_SQRT_2", FRAC_1_SQRT_2),
        ("FRAC_1_PI", FRAC_1_PI),
        ("FRAC_2_PI", FRAC_2_PI),
        ("FRAC_2_SQRT_PI", FRAC_2_SQRT_PI),
        ("FRAC_PI_2", FRAC_PI_2),
        ("FRAC_PI_3", FRAC_PI_3),
        ("FRAC_PI_4", FRAC_PI_4),
        ("FRAC_PI_6", FRAC_PI_6),
        ("FRAC_PI_8", FRAC_PI_8),
        ("LN_2", LN_2),
        ("LN_10", LN_10),
        ("LOG2_E", LOG2_E),
        ("LOG10_E", LOG10_E),
        ("LOG2_10", LOG2_10),
        ("LOG10_2", LOG10_2),
    ]
};

/// The constant of a name.
pub(super) fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}
