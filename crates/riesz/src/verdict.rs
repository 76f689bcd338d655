//! The message for a failed `check`: both sides, and how far they differ.

use crate::{Check, Diagnostic, Span, Type, Value, show_real};

/// How many characters of a value a message shows.
const SHOWN: usize = 120;

/// Whether the value of a check, its condition or the condition with both sides, says that it holds.
pub(crate) fn verdict(check: &Check, sides: Option<(Span, Span)>, value: &Value) -> Result<(), Box<Diagnostic>> {
    let (holds, compared) = match (value, &check.sides) {
        (Value::Tuple(parts), Some(ty)) if parts.len() == 3 => (parts[0].bool(), Some((&parts[1], &parts[2], ty))),
        (value, _) => (value.bool(), None),
    };
    if holds {
        return Ok(());
    }
    let message = match &check.label {
        Some(label) => format!("the check \"{label}\" fails"),
        None => "this check fails".to_string(),
    };
    let diagnostic = Diagnostic::error("check-failed", check.condition, message);
    let Some((left, right, ty)) = compared else { return Err(Box::new(diagnostic.here("this is false"))) };
    let (shown_left, shown_right) = (shorten(&left.show(ty)), shorten(&right.show(ty)));
    let diagnostic = match sides {
        Some((left, right)) => {
            let mut diagnostic = diagnostic;
            diagnostic.labels[0].span = left;
            diagnostic.here(shown_left).label(right, shown_right)
        }
        None => {
            diagnostic.help(format!("the left side is {shown_left}")).help(format!("the right side is {shown_right}"))
        }
    };
    // Of two integers or truth values nothing is left to say.
    let plain = matches!(ty, Type::Int | Type::Bool);
    Err(Box::new(match difference(left, right, ty) {
        Some(apart) if !plain => diagnostic.help(apart.to_string()),
        _ => diagnostic,
    }))
}

/// A check that stopped with an error: the error, and which check it was.
pub(crate) fn could_not_run(check: &Check, mut diagnostic: Diagnostic) -> Box<Diagnostic> {
    let inside =
        |span: &Span| span.file == check.span.file && span.start >= check.span.start && span.end <= check.span.end;
    if !diagnostic.labels.iter().any(|label| inside(&label.span)) {
        diagnostic = diagnostic.label(check.condition, "in this check");
    }
    Box::new(diagnostic)
}

/// Where two values differ most.
#[derive(Clone, Debug, PartialEq)]
enum LargestDifference {
    /// Numbers: by how much, that as text, and where inside the values.
    By(f64, String, String),
    /// Arrays of different sizes, and where.
    Sizes(usize, usize, String),
    /// Truth values, and where.
    Unequal(String),
}

impl std::fmt::Display for LargestDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (text, place) = match self {
            LargestDifference::By(_, by, place) => (format!("the largest difference is {by}"), place),
            LargestDifference::Sizes(left, right, place) => (format!("the sizes differ: {left} and {right}"), place),
            LargestDifference::Unequal(place) => ("the sides differ".to_string(), place),
        };
        match place.is_empty() {
            true => f.write_str(&text),
            false => write!(f, "{text}, at {place}"),
        }
    }
}

/// Where two values of a type differ most, if they do. A difference in kind is larger than any in number.
fn difference(left: &Value, right: &Value, ty: &Type) -> Option<LargestDifference> {
    let mut largest = None;
    compare(left, right, ty, &mut String::new(), &mut largest);
    largest
}

fn compare(left: &Value, right: &Value, ty: &Type, place: &mut String, largest: &mut Option<LargestDifference>) {
    let mut inside = |step: &str, left: &Value, right: &Value, ty: &Type| {
        let length = place.len();
        place.push_str(step);
        compare(left, right, ty, place, largest);
        place.truncate(length);
    };
    match (left, right) {
        (Value::Tuple(a), Value::Tuple(b)) => {
            let steps = |at: usize| match ty {
                Type::Record(record) => format!(".{}", record.fields[at].0),
                _ => format!(".{at}"),
            };
            let types = ty.components().unwrap_or_default();
            for (at, ((a, b), ty)) in a.iter().zip(b.iter()).zip(&types).enumerate() {
                inside(&steps(at), a, b, ty);
            }
        }
        (Value::Reals(_) | Value::Ints(_) | Value::Values(_), _) => {
            if left.len() != right.len() {
                *largest = Some(LargestDifference::Sizes(left.len(), right.len(), place.clone()));
                return;
            }
            let Type::Array(_, element) = ty else { return };
            for (at, (a, b)) in left.elements().zip(right.elements()).enumerate() {
                inside(&format!("[{at}]"), &a, &b, element);
            }
        }
        (Value::Bool(a), Value::Bool(b)) if a != b => *largest = Some(LargestDifference::Unequal(place.clone())),
        (Value::Int(a), Value::Int(b)) if a != b => {
            let by = a.abs_diff(*b);
            enlarge(largest, by as f64, || by.to_string(), place);
        }
        (Value::Real(a), Value::Real(b)) if a != b && !(a.is_nan() && b.is_nan()) => {
            let by = (a - b).abs();
            enlarge(largest, by, || show_real(by), place);
        }
        _ => {}
    }
}

fn enlarge(largest: &mut Option<LargestDifference>, by: f64, shown: impl FnOnce() -> String, place: &str) {
    let larger = match largest {
        None => true,
        // NaN is the largest of all.
        Some(LargestDifference::By(before, ..)) => by > *before || by.is_nan() && !before.is_nan(),
        Some(LargestDifference::Sizes(..) | LargestDifference::Unequal(_)) => false,
    };
    if larger {
        *largest = Some(LargestDifference::By(by, shown(), place.to_string()));
    }
}

/// The beginning and the end of a long text.
fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_string();
    }
    let beginning: String = text.chars().take(SHOWN - 20).collect();
    let end: String = text.chars().skip(count - 15).collect();
    format!("{} ... {}", beginning.trim_end(), end.trim_start())
}
