//! Where a NaN starts: the first operation that gives a NaN or an infinity for finite numbers, and each product `0 · inf`
//! that a derivative counts as zero.
//!
//! A machine with a trap runs the same operations in the same order, and looks at the operands and the result of each.

use super::{Fault, Machine, Value, atom, show_real};
use crate::check::PRELUDE_FILE;
use crate::term::{Binding, Function, Op};
use riesz_primitive::{Number, Primitive, array, scalar};
use riesz_syntax::{Diagnostic, Severity, Span};
use std::sync::{Arc, Mutex, PoisonError};

/// How many places where a product counted as zero are reported.
const MOST_PLACES: usize = 20;
/// How many numbers of an operand are shown.
const MOST_NUMBERS: usize = 4;

/// The reports of evaluations, in order.
#[derive(Debug, Default)]
pub struct Trap {
    found: Mutex<Trapped>,
}

#[derive(Debug, Default)]
struct Trapped {
    /// The first result that is not finite, of finite operands.
    first: Option<Diagnostic>,
    /// The products that counted as zero, one for each place.
    zeros: Vec<Diagnostic>,
}

impl Trap {
    /// The findings since the last call: the first result that is not finite, then the products.
    pub fn take(&self) -> Vec<Diagnostic> {
        let Trapped { first, zeros } = std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner));
        first.into_iter().chain(zeros).collect()
    }

    fn not_finite(&self, span: Span, what: impl FnOnce() -> String) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.first.is_none() {
            let message = "this is the first operation that gives a NaN or an infinity for finite operands";
            found.first = Some(warning(Diagnostic::error("not-finite", span, message).here(what())));
        }
    }

    fn counted_as_zero(&self, span: Span, what: impl FnOnce() -> String) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = found.zeros.iter().all(|other| other.labels.first().is_none_or(|label| label.span != span));
        if is_new && found.zeros.len() < MOST_PLACES {
            let message = "the derivative takes zero times a number that is not finite to be zero";
            found.zeros.push(warning(Diagnostic::error("exact-zero", span, message).here(what()).help(
                "this is right for a branch that is not taken, and wrong if the zero is the result of rounding",
            )));
        }
    }
}

fn warning(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..diagnostic }
}

impl<'p, S: Number> Machine<'p, S> {
    /// Reports the operations in which a NaN or an infinity starts, if there is a trap.
    pub fn with_trap(self, trap: Option<Arc<Trap>>) -> Self {
        Machine { trap, ..self }
    }

    /// Runs bindings, and looks at what each makes of its operands.
    pub(super) fn trapped(
        &mut self,
        trap: &Trap,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        bindings: &'p [Binding],
    ) -> Result<(), Fault> {
        for binding in bindings {
            let value = self.operation(function, frame, binding)?;
            self.inspect(trap, function, frame, binding, &value)?;
            frame[binding.var.0 as usize] = value;
        }
        Ok(())
    }

    fn inspect(
        &mut self,
        trap: &Trap,
        function: &'p Function,
        frame: &[Value<S>],
        binding: &'p Binding,
        value: &Value<S>,
    ) -> Result<(), Fault> {
        let span = binding.span;
        // The functions of the prelude treat their own extremes; the result of a call counts.
        if span.file == PRELUDE_FILE {
            return Ok(());
        }
        let (name, operands): (&str, Vec<Value<S>>) = match &binding.op {
            Op::Scalar(primitive, operands) | Op::ArrayFunction(primitive, operands) => {
                (plain(primitive).name, operands.iter().map(|operand| atom(frame, *operand)).collect())
            }
            Op::Call(called, operands) if self.program.function(*called).span.file == PRELUDE_FILE => {
                let name = &self.program.function(*called).name;
                // Sizes come first.
                let values = operands.iter().map(|operand| atom(frame, *operand));
                (name, values.filter(|value| !matches!(value, Value::Int(_))).collect())
            }
            Op::Plus(a, b) => (scalar::ADD.name, vec![atom(frame, *a), atom(frame, *b)]),
            _ => return Ok(()),
        };
        let finite = operands.iter().all(is_finite);
        if finite && !is_finite(value) {
            trap.not_finite(span, || gives(name, &operands, value));
        }
        // The same function with ordinary products gives NaN where a product counts as zero.
        if let Op::Scalar(primitive, _) | Op::ArrayFunction(primitive, _) = &binding.op
            && !finite
            && plain(primitive) != *primitive
        {
            let ordinary = match &binding.op {
                Op::Scalar(..) => super::binary(plain(primitive), &operands[0], &operands[1], span)?,
                _ => self.array_function(plain(primitive), &operands, frame, &function.var(binding.var).ty, span)?,
            };
            if count_nan(&ordinary) > count_nan(value) {
                trap.counted_as_zero(span, || match &operands[..] {
                    [Value::Real(a), Value::Real(b)] => {
                        format!("{} times {}", show_real(a.value()), show_real(b.value()))
                    }
                    _ => format!("in `{name}` of {}", list(&operands)),
                });
            }
        }
        Ok(())
    }
}

/// Looks at a step of a reduction.
pub(super) fn inspect_step<S: Number>(
    trap: Option<&Trap>,
    span: Span,
    (total, element): (&Value<S>, &Value<S>),
    primitive: &'static Primitive,
    combined: &Value<S>,
) {
    if let Some(trap) = trap
        && !is_finite(combined)
        && is_finite(total)
        && is_finite(element)
    {
        trap.not_finite(span, || gives(primitive.name, &[total.clone(), element.clone()], combined));
    }
}

/// The row without exact zeros.
fn plain(primitive: &'static Primitive) -> &'static Primitive {
    let pairs: [(&'static Primitive, &'static Primitive); 3] =
        [(&scalar::EXACT_MUL, &scalar::MUL), (&array::EXACT_DOT, &array::DOT), (&array::EXACT_SOLVE, &array::SOLVE)];
    pairs.into_iter().find(|(exact, _)| *exact == primitive).map_or(primitive, |(_, plain)| plain)
}

/// Such as "`log` of 0.0 gives -inf".
fn gives<S: Number>(name: &str, operands: &[Value<S>], value: &Value<S>) -> String {
    format!("`{name}` of {} gives {}", list(operands), show(value))
}

fn list<S: Number>(operands: &[Value<S>]) -> String {
    operands.iter().map(show).collect::<Vec<String>>().join(" and ")
}

/// The first numbers of a value.
fn show<S: Number>(value: &Value<S>) -> String {
    let mut numbers = Vec::new();
    each_number(value, &mut |x| numbers.push(x));
    let is_number = matches!(value, Value::Real(_) | Value::Int(_));
    let shown: Vec<String> = numbers.iter().take(MOST_NUMBERS).map(|x| show_real(*x)).collect();
    match (is_number, numbers.len() > MOST_NUMBERS) {
        (true, _) => shown.join(""),
        (false, false) => format!("[{}]", shown.join(", ")),
        (false, true) => format!("[{}, …]", shown.join(", ")),
    }
}

fn is_finite<S: Number>(value: &Value<S>) -> bool {
    let mut finite = true;
    each_number(value, &mut |x| finite &= x.is_finite());
    finite
}

fn count_nan<S: Number>(value: &Value<S>) -> usize {
    let mut count = 0;
    each_number(value, &mut |x| count += usize::from(x.is_nan()));
    count
}

/// The numbers of a value; functions and maps have none.
fn each_number<S: Number>(value: &Value<S>, seen: &mut dyn FnMut(f64)) {
    match value {
        Value::Real(x) => seen(x.value()),
        Value::Int(x) => seen(*x as f64),
        Value::Reals(numbers) => numbers.iter().for_each(|x| seen(x.value())),
        Value::Values(parts) => parts.iter().for_each(|part| each_number(part, seen)),
        Value::Tuple(parts) => parts.iter().for_each(|part| each_number(part, seen)),
        _ => {}
    }
}
