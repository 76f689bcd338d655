//! The errors of a loop program and their messages: as diagnostics of the interpreter, and as texts with places for values.

use riesz_core::evaluate::{Limits, problem};
use riesz_core::term::Reduction;
use riesz_primitive::Primitive;
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, FileId, Span};

/// The errors of a loop program.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// An index is outside of an array: the index, the length.
    Index,
    /// A slice is outside of an array: from, to, the length.
    Slice,
    /// A size is negative: the size.
    NegativeSize,
    /// Two sizes differ: both.
    Sizes,
    /// The elements of an array differ in size: both.
    Elements,
    /// Arrays inside an array differ in size: both.
    Ragged,
    /// A matrix is not square, or does not fit: its rows.
    NotSquare,
    /// A primitive of integers has no result: the arguments.
    Integer(&'static Primitive),
    /// A real number has no integer part of 64 bits: the bits of the number.
    Truncate,
    /// A reduction has nothing to reduce.
    Empty(Reduction),
    /// The inferred sizes of an array do not hold. Nothing is wrong with the program, but it has to be run
    /// in another way.
    WrongShape,
    /// Too many steps.
    Steps,
    /// Too much memory: the number of elements.
    Memory,
    /// A call, which the message of an error inside names; calls may nest too deep.
    Call(Name),
}

impl Fault {
    /// The message of the interpreter, from the numbers that a run tells: integers, or `real` where the fault is about a
    /// real number. None for what is no error of the program.
    pub fn diagnostic(&self, told: [i64; 3], real: f64, limits: &Limits, span: Span) -> Option<Box<Diagnostic>> {
        let [a, b, c] = told;
        Some(match self {
            Fault::Index => problem::out_of_range(a, b as usize, span),
            Fault::Slice => problem::slice_out_of_range(a, b, c as usize, span),
            Fault::NegativeSize => problem::negative_size(a, span),
            Fault::Sizes => problem::sizes_differ(a, b, span),
            Fault::Elements => problem::elements_differ(a as usize, b as usize, span),
            Fault::Ragged => problem::ragged(a as usize, b as usize, span),
            Fault::NotSquare => problem::not_square(a as usize, span),
            Fault::Integer(primitive) => {
                let count = primitive.signatures.first().map_or(2, |signature| signature.matches(':').count() - 1);
                problem::integer(primitive, &[a, b][..count.clamp(1, 2)], span)
            }
            Fault::Truncate => problem::no_integer_part(real, span),
            Fault::Empty(reduction) => problem::empty(*reduction, span),
            Fault::Steps => problem::too_many_steps(limits.steps, span),
            Fault::Memory => problem::too_much_memory(limits.memory, a as usize, span),
            Fault::Call(_) => problem::too_deep(limits.depth, span),
            Fault::WrongShape => return None,
        })
    }

    /// The code of the message and its text, for code that fills in the numbers when it runs: `{0}`, `{1}` and `{2}`, in this
    /// order, stand for what is told, and `{0}` for the limit where one is reached. A divisor is zero if `zero`.
    pub fn template(&self, zero: bool) -> (&'static str, String) {
        // Numbers that no message has by itself; a limit of memory is told in bytes while it is small.
        let told = [714_025_001, if zero { 0 } else { 714_025_002 }, 714_025_003];
        let limits = Limits { steps: 714_025_001, depth: 714_025_001, memory: 977, interrupt: None };
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let Some(diagnostic) = self.diagnostic(told, f64::NAN, &limits, span) else {
            return ("unknown-size", "the elements of this array differ in size, so it needs the interpreter".into());
        };
        let mut text = diagnostic.message;
        for (at, number) in told.iter().enumerate().filter(|(_, number)| **number != 0) {
            text = text.replace(&number.to_string(), &format!("{{{at}}}"));
        }
        match self {
            Fault::Memory => text = text.replace("977 bytes", "{0} bytes"),
            Fault::Truncate => text = text.replace("nan", "this number"),
            _ => {}
        }
        (diagnostic.code, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use riesz_primitive::scalar;

    #[test]
    fn templates_have_places_for_what_is_told() {
        for (fault, zero, code, text) in [
            (Fault::Index, false, "index-out-of-range", "index {0} is out of range"),
            (Fault::Slice, false, "index-out-of-range", "the slice from {0} to {1} is out of range"),
            (Fault::Sizes, false, "size-mismatch", "sizes differ: {0} and {1}"),
            (Fault::Integer(&scalar::ADD), false, "integer-overflow", "this integer does not fit into 64 bits"),
            (Fault::Integer(&scalar::FLOOR_DIV), true, "division-by-zero", "`div` of {0} by zero"),
            (Fault::Truncate, false, "integer-overflow", "this number has no integer part that fits into 64 bits"),
            (Fault::Steps, false, "step-limit", "the evaluation takes more than {0} steps"),
            (Fault::Memory, false, "memory-limit", "the evaluation needs more than {0} bytes of memory"),
            (Fault::Call("f".into()), false, "depth-limit", "more than {0} calls are nested"),
        ] {
            assert_eq!(fault.template(zero), (code, text.to_string()));
        }
    }
}
