//! Functions for callers that are not Rust, or not of the same compilation: arguments and results are words.
//!
//! A number is one word, its bits; a buffer is two, its address and its length. A buffer in the results belongs to the
//! caller, who returns it to `riesz_free`. The function returns 0, or 1 and the error: the site, the numbers of its
//! message, the number of surrounding calls, and the calls.

use crate::{Precision, Spelling};
use riesz_program::foreign::Foreign;
use riesz_program::program::{Kind, Outcome, Parameter};
use riesz_program::{ProcedureId, Program};
use std::fmt::Write;

/// Writes the function of a procedure that is called from outside.
pub(crate) fn write(program: &Program, id: ProcedureId, at: usize, precision: Precision) -> String {
    let (procedure, mut text) = (program.procedure(id), String::new());
    let _ = writeln!(text, "/// `{}`, for callers outside.", Foreign::NameOf(id));
    let _ = writeln!(text, "#[unsafe(no_mangle)]");
    let _ = writeln!(
        text,
        "pub unsafe extern \"C\" fn riesz_{at}(context: *mut Context, arguments: *const u64, results: *mut u64, told: *mut u64) -> i32 {{"
    );
    let _ = writeln!(text, "    unsafe {{");
    let mut word = 0;
    let mut arguments = Vec::new();
    for parameter in &procedure.parameters {
        arguments.push(match parameter {
            Parameter::Number(register) => {
                word += 1;
                from_word(
                    procedure.registers[register.0 as usize].kind,
                    &format!("*arguments.add({})", word - 1),
                    precision,
                )
            }
            Parameter::Read(_) => {
                word += 2;
                format!("riesz_runtime::boundary::words(arguments.add({}))", word - 2)
            }
            Parameter::Added(_) => {
                word += 2;
                format!("riesz_runtime::boundary::words_mut(arguments.add({}))", word - 2)
            }
            // No caller outside has a buffer that grows: see `layout`.
            Parameter::Grown(_) => "&mut Buffer::new()".into(),
        });
    }
    arguments.insert(0, "&mut *context".into());
    let _ = writeln!(text, "        match {}({}) {{", Foreign::Function(id), arguments.join(", "));
    let names: Vec<String> = (0..procedure.results.len()).map(|at| format!("r{at}")).collect();
    let pattern = match &names[..] {
        [one] => one.clone(),
        names => format!("({})", names.join(", ")),
    };
    let _ = writeln!(text, "            Ok({pattern}) => {{");
    let mut word = 0;
    for (result, name) in procedure.results.iter().zip(&names) {
        match result {
            Outcome::Number(operand) => {
                let value = to_word(procedure.kind(*operand), name);
                let _ = writeln!(text, "                *results.add({word}) = {value};");
                word += 1;
            }
            Outcome::Buffer(_) => {
                let _ = writeln!(text, "                riesz_runtime::boundary::give({name}, results.add({word}));");
                word += 2;
            }
        }
    }
    text.push_str("                0\n            }\n            Err(fault) => riesz_runtime::boundary::tell(&fault, told),\n        }\n    }\n}\n");
    text
}

fn from_word(kind: Kind, word: &str, precision: Precision) -> String {
    match kind {
        Kind::Real => format!("{}::from_bits(({word}) as _)", precision.real()),
        Kind::Int => format!("({word}) as i64"),
        Kind::Bool => format!("({word}) != 0"),
    }
}

fn to_word(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Real => format!("{name}.to_bits() as u64"),
        Kind::Int | Kind::Bool => format!("{name} as u64"),
    }
}

/// The functions that make buffers and take them back.
pub(crate) const BUFFERS: &str = "\
/// Where buffers begin is for it to say.
#[global_allocator]
static MEMORY: riesz_runtime::Aligned = riesz_runtime::Aligned;

/// Takes back a buffer of elements of a size.
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn riesz_free(at: *mut u64, len: u64, size: u64) {
    unsafe { riesz_runtime::boundary::free(at, len, size) }
}
";
