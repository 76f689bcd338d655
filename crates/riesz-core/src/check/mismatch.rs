//! Messages about types and sizes that do not match.

use super::draft::Draft;
use crate::size::{self, Size};
use crate::types::Type;
use riesz_syntax::{Diagnostic, Span};

/// How many letters of a type a message shows.
const LONGEST_TYPE: usize = 300;

/// Why two types do not fit.
pub(crate) enum Mismatch {
    /// They are different.
    Types,
    /// Two sizes differ whatever the program's input.
    Sizes(Size, Size),
}

impl Mismatch {
    /// The same, with the two sides exchanged.
    pub fn swapped(self) -> Mismatch {
        match self {
            Mismatch::Types => Mismatch::Types,
            Mismatch::Sizes(a, b) => Mismatch::Sizes(b, a),
        }
    }
}

impl Draft<'_> {
    pub fn show(&self, ty: &Type) -> String {
        let shown =
            self.resolve_deep(ty).show(&|atom| self.atom_name(atom), &|index| self.checker.variable_name(index));
        match shown.char_indices().nth(LONGEST_TYPE) {
            Some((end, _)) => format!("{} …", &shown[..end]),
            None => shown,
        }
    }

    pub fn show_size(&self, size: &Size) -> String {
        self.resolve_size(size).show(&|atom| self.atom_name(atom))
    }

    pub(super) fn atom_name(&self, atom: size::Atom) -> String {
        match atom {
            size::Atom::Var(var) => self.vars[var.0 as usize].name.as_deref().unwrap_or("_").to_string(),
            size::Atom::Global(global) => self.checker.program.global(global).name.to_string(),
            size::Atom::Unknown(unknown) => {
                self.unknowns.size_names[unknown as usize].as_deref().unwrap_or("_").to_string()
            }
            size::Atom::Parameter(_) => "_".to_string(),
        }
    }

    /// The message for two sides of an operator, in the order of the mismatch, that do not fit each other.
    pub fn differ(&self, mismatch: Mismatch, a: &Type, b: &Type, sign: &str, span: Span) -> Diagnostic {
        let sizes = match &mismatch {
            Mismatch::Sizes(m, n) => Some(format!("sizes differ: {} and {}", self.show_size(m), self.show_size(n))),
            Mismatch::Types => None,
        };
        let mut diagnostic = self.mismatch(mismatch, b, a, span);
        diagnostic.message = sizes.unwrap_or(diagnostic.message);
        diagnostic.here(format!("`{sign}` between {} and {}", self.show(a), self.show(b)))
    }

    /// The message for a value that does not fit.
    pub fn mismatch(&self, mismatch: Mismatch, found: &Type, expected: &Type, span: Span) -> Diagnostic {
        let any_map = matches!(self.resolve(expected), Type::Linear(arrow)
            if [&arrow.0, &arrow.1].iter().all(|space| matches!(self.resolve(space), Type::Unknown(_))));
        let expected_text = if any_map { "a linear map".to_string() } else { self.show(expected) };
        let found_text = self.show(found);
        match mismatch {
            Mismatch::Sizes(a, b) => {
                let (a, b) = (self.show_size(&a), self.show_size(&b));
                let diagnostic =
                    Diagnostic::error("size-mismatch", span, format!("sizes differ: {a} here, {b} needed"));
                if matches!(found, Type::Error) {
                    diagnostic
                } else {
                    diagnostic.here(format!("this is {found_text}, not {expected_text}"))
                }
            }
            Mismatch::Types => {
                let diagnostic =
                    Diagnostic::error("type-mismatch", span, format!("expected {expected_text}, found {found_text}"))
                        .here(format!("this is {found_text}"));
                match (self.resolve(found), self.resolve(expected)) {
                    (Type::Real, Type::Int | Type::Number(_)) => diagnostic
                        .help("an `R` is not converted to an `Int`: `trunc(x)` drops the fraction, `div(a, b)` divides integers"),
                    (Type::Bool, Type::Real | Type::Int | Type::Number(_)) => {
                        diagnostic.help("to convert a condition to a number, write `if ... then 1 else 0`")
                    }
                    (Type::Real | Type::Int | Type::Number(_), Type::Bool) => {
                        diagnostic.help("a number is not a condition: compare it, as in `x != 0`")
                    }
                    (Type::Array(..), Type::Linear(_)) => diagnostic
                        .help("the map of a matrix `a` is `linear(\\x -> dot(a, x), x0)`, where `x0` is a vector of its domain"),
                    (Type::Function(_), Type::Linear(_)) => diagnostic
                        .help("a function need not be linear; its derivative at a point is a linear map: `D(f, x)`"),
                    (Type::Real | Type::Number(_), Type::Tuple(parts)) | (Type::Tuple(parts), Type::Real)
                        if parts.is_empty() =>
                    {
                        diagnostic.help("an `Int` does not vary, so its derivatives are `()`: differentiate at an `R`, as in `real(k)`")
                    }
                    (Type::Array(size, element), expected)
                        if self.resolve_size(&size) == Size::Constant(1) && self.resolve(&element) == expected =>
                    {
                        diagnostic.help("this is an array of one element: write `[0]` after it to take the element")
                    }
                    (Type::Record(found), Type::Record(expected)) => {
                        let missing = |of: &crate::types::Record, from: &crate::types::Record| {
                            let names = of.fields.iter().filter(|(name, _)| from.position(name).is_none());
                            names.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                        };
                        let (lacking, extra) = (missing(&expected, &found), missing(&found, &expected));
                        match (lacking.is_empty(), extra.is_empty()) {
                            (true, true) => diagnostic,
                            (false, true) => diagnostic.help(format!("the record lacks {lacking}")),
                            (true, false) => diagnostic.help(format!("the record should not have {extra}")),
                            (false, false) => diagnostic.help(format!("the record has {extra} and lacks {lacking}")),
                        }
                    }
                    (Type::Function(_), Type::Real | Type::Int | Type::Number(_) | Type::Array(..)) => {
                        diagnostic.help("this is a function: call it with its arguments in parentheses")
                    }
                    _ => diagnostic,
                }
            }
        }
    }

    pub(super) fn report_unknown_sizes(&mut self, a: &Size, b: &Size, span: Span) {
        let (a, b) = (self.show_size(a), self.show_size(b));
        self.report(
            Diagnostic::error("unknown-size", span, format!("cannot tell what sizes make {a} equal to {b}"))
                .help("write the type of the value, or pass the size as an `Int`"),
        );
    }
}
