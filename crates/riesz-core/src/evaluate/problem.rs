//! The run-time errors, one message each, shared by the interpreter and native code.

use super::limits::{Fault, Limits};
use super::show_real;
use crate::term::Reduction;
use riesz_limit::Stopped;
use riesz_primitive::over::Unanswered;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};

/// How many calls around an error its message shows.
const CALLS_SHOWN: usize = 3;

/// An index is outside of an array.
pub fn out_of_range(at: i64, len: usize, span: Span) -> Fault {
    let range = match len {
        0 => "the array is empty".to_string(),
        1 => "the only index is 0".to_string(),
        len => format!("indices run from 0 to {}", len - 1),
    };
    Box::new(Diagnostic::error("index-out-of-range", span, format!("index {at} is out of range")).here(range))
}

/// A slice is outside of an array.
pub fn slice_out_of_range(from: i64, to: i64, len: usize, span: Span) -> Fault {
    let message = format!("the slice from {from} to {to} is out of range");
    Box::new(Diagnostic::error("index-out-of-range", span, message).here(format!("the array has {len} elements")))
}

/// Numbers of an algebra were asked a question that has no answer there.
pub fn unanswered(question: Unanswered, span: Span) -> Fault {
    Box::new(match question {
        Unanswered::Undecided => {
            Diagnostic::error("undecided", span, "the answer is not the same for all numbers of the intervals")
                .help("make the intervals smaller")
        }
        Unanswered::Meaningless(operation) => {
            let what = if operation.contains(' ') { operation.to_string() } else { format!("`{operation}`") };
            Diagnostic::error("no-meaning", span, format!("{what} has no meaning in this semiring"))
                .help("a program over a semiring has sums, products, powers and natural numbers")
        }
    })
}

/// An array would have fewer elements than none.
pub fn negative_size(count: i64, span: Span) -> Fault {
    Box::new(Diagnostic::error("negative-size", span, format!("an array cannot have {count} elements")))
}

/// Two sizes that have to be the same are not, or the first of them is that of no array.
pub fn sizes_differ(a: i64, b: i64, span: Span) -> Fault {
    if a < 0 {
        return negative_size(a, span);
    }
    Box::new(Diagnostic::error("size-mismatch", span, format!("sizes differ: {a} and {b}")))
}

/// Arrays that are combined element by element are not of one size.
pub fn elements_differ(a: usize, b: usize, span: Span) -> Fault {
    Box::new(Diagnostic::error("size-mismatch", span, format!("the elements differ in size: {a} and {b}")))
}

/// The arrays in an array are not of one size.
pub fn ragged(a: usize, b: usize, span: Span) -> Fault {
    let message = format!("the elements of this array differ in size: {a} and {b}");
    Box::new(Diagnostic::error("ragged-array", span, message).help("an array is rectangular"))
}

/// A matrix has more columns than rows, or fewer, or does not fit another.
pub fn not_square(rows: usize, span: Span) -> Fault {
    let message = format!("a matrix of {rows} rows is not square, or does not have the size of the other one");
    Box::new(Diagnostic::error("size-mismatch", span, message))
}

/// A function of integers has no result, or none of 64 bits.
pub fn integer(primitive: &Primitive, arguments: &[i64], span: Span) -> Fault {
    let shown: Vec<String> = arguments.iter().map(i64::to_string).collect();
    Box::new(if [&scalar::FLOOR_DIV, &scalar::FLOOR_MOD].contains(&primitive) && arguments.get(1) == Some(&0) {
        Diagnostic::error("division-by-zero", span, format!("`{}` of {} by zero", primitive.name, shown[0]))
    } else {
        Diagnostic::error("integer-overflow", span, "this integer does not fit into 64 bits")
            .here(format!("computed from {}", shown.join(" and ")))
            .help("compute with real numbers: write `real(...)`, or a point after a literal")
    })
}

/// A real number is too large for an integer, or is none.
pub fn no_integer_part(value: f64, span: Span) -> Fault {
    let message = format!("{} has no integer part that fits into 64 bits", show_real(value));
    Box::new(Diagnostic::error("integer-overflow", span, message))
}

/// An empty array has no greatest element.
pub fn empty(reduction: Reduction, span: Span) -> Fault {
    let (what, name) = match reduction {
        Reduction::Max => ("greatest", "max"),
        Reduction::ArgMax => ("greatest", "argmax"),
        Reduction::ArgMin => ("least", "argmin"),
        _ => ("least", "min"),
    };
    Box::new(
        Diagnostic::error("empty-array", span, format!("an empty array has no {what} element"))
            .help(format!("give `{name}` at least one element")),
    )
}

/// The steps have run out.
pub fn too_many_steps(limit: u64, span: Span) -> Fault {
    Box::new(
        Diagnostic::error("step-limit", span, format!("the evaluation takes more than {limit} steps"))
            .here("while computing this")
            .help("a loop may have no end; `--max-steps N` allows more"),
    )
}

/// Calls are nested too deep.
pub fn too_deep(limit: usize, span: Span) -> Fault {
    Box::new(
        Diagnostic::error("depth-limit", span, format!("more than {limit} calls are nested"))
            .here("one call too many")
            .help("a recursion may have no end; a `loop` needs no nested calls; `--max-depth N` allows more"),
    )
}

/// The memory limit is reached by an array of `count` elements.
pub fn too_much_memory(limit: usize, count: usize, span: Span) -> Fault {
    let limit = show_bytes(limit);
    Box::new(
        Diagnostic::error("memory-limit", span, format!("the evaluation needs more than {limit} of memory"))
            .here(format!("an array of {count} elements"))
            .help("`--max-memory BYTES` allows more; a `sum` over a generator needs no array"),
    )
}

/// The system has no memory for an array of `count` elements, though the limit allows it.
pub fn no_memory(bytes: usize, count: usize, span: Span) -> Fault {
    let bytes = show_bytes(bytes);
    Box::new(
        Diagnostic::error("memory-limit", span, format!("the system has no {bytes} of memory more"))
            .here(format!("an array of {count} elements"))
            .help("other programs or a limit of the system (`ulimit -v`) leave too little; a `sum` over a generator needs no array"),
    )
}

/// Data from outside need more memory than an evaluation may use.
pub fn too_much_data(name: &str, limit: usize) -> Fault {
    let limit = show_bytes(limit);
    let message = format!("the data of `{name}` need more than {limit} of memory");
    Box::new(Diagnostic::placeless("memory-limit", message).help("`--max-memory BYTES` allows more"))
}

/// The memory has run out, for something that is not an array.
pub fn no_memory_left(limit: usize, span: Span) -> Fault {
    let limit = show_bytes(limit);
    Box::new(
        Diagnostic::error("memory-limit", span, format!("the evaluation needs more than {limit} of memory"))
            .here("while computing this")
            .help("`--max-memory BYTES` allows more"),
    )
}

/// Work inside one operation, or of the compiler, has been stopped.
pub fn stopped(reason: Stopped, limits: &Limits, span: Span) -> Fault {
    match reason {
        Stopped::Steps(limit) => too_many_steps(limit, span),
        Stopped::Memory(_) => no_memory_left(limits.memory, span),
        Stopped::Interrupted => Box::new(
            Diagnostic::error("interrupted", span, "the evaluation was interrupted").here("while computing this"),
        ),
        Stopped::Code(limit) => Box::new(
            Diagnostic::error("code-limit", span, format!("the compiler writes more than {limit} operations for this"))
                .here("while compiling this")
                .help("nested derivatives multiply the size of a program; `--max-code N` allows more"),
        ),
    }
}

/// An error inside a call, with the place of the call.
pub fn in_call(mut fault: Fault, name: &str, span: Span) -> Fault {
    if fault.labels.len() <= CALLS_SHOWN && fault.labels.first().is_some_and(|label| label.span != span) {
        let text = match name {
            "lambda" => "in this call".to_string(),
            name => format!("in this call of `{name}`"),
        };
        *fault = fault.label(span, text);
    }
    fault
}

fn show_bytes(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{} {}", (amount * 10.0).round() / 10.0, UNITS[unit])
}
