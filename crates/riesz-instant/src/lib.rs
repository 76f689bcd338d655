//! Programs of Riesz as machine code in memory: in milliseconds, and without a compiler on the machine.
//!
//! ```text
//! core ──lower──▶ loop program ──translate──▶ Cranelift's IR ──▶ machine code ──call──▶ value
//! ```
//!
//! The third backend of the same loop programs, after `riesz-rust` and `riesz-c`, with the meaning of the evaluator of
//! `riesz-program`. Numbers are values of the IR, buffers are addresses. An operation of more than a few instructions
//! calls a function of the host, which is `riesz-runtime` for numbers and matrices.
//!
//! - [`compile`], [`build`]: functions of a program as [`Code`]
//! - `machine`: the module of machine code, and how it is entered
//! - `function`: one procedure as one function of the IR
//! - `primitive`: functions of numbers as instructions
//! - `entry`: the functions that the host enters
//! - `host`: the functions of the host that machine code calls
//! - `kernel`: functions of many numbers at once, which loops in strips call
//! - `run`: the limits, the buffers and the errors of a run

mod entry;
mod function;
mod host;
mod kernel;
mod machine;
mod primitive;
mod run;

use machine::{Module, Settled};
use riesz_call::{Code, Machine};
use riesz_core::term::FunctionId;
use riesz_program::{Precision, ProcedureId, Program, Signature, Unsupported};

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether products in which zero is exact are computed so from the start, and not only where plain ones give NaN.
    pub careful: bool,
    /// Whether the IR is verified before it becomes machine code: for tests.
    pub checked: bool,
}

/// Why there is no machine code of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// Functions of a program without derivatives as machine code. Each that cannot be lowered says why.
pub fn compile(program: &riesz_core::Program, functions: &[FunctionId], settings: Settings) -> Result<Code, Refused> {
    let (lowered, entries) = riesz_program::lower(program, functions);
    let signatures = functions.iter().zip(entries).map(|(id, entry)| Ok(Signature::of(program, *id, entry?)));
    build(lowered, signatures.collect(), settings)
}

/// The same for functions that have been lowered.
pub fn build(
    lowered: Program,
    signatures: Vec<Result<Signature, Unsupported>>,
    settings: Settings,
) -> Result<Code, Refused> {
    let make = move |program: &Program, exports: &[ProcedureId]| assemble(program, exports, settings);
    match settings.careful {
        true => Code::exact(lowered, signatures, Precision::Double, &make),
        false => {
            let again = move |program: &Program, exports: &[ProcedureId]| make(program, exports).ok();
            Code::make(lowered, signatures, Precision::Double, &make, Box::new(again))
        }
    }
}

/// The machine code of a program, some of whose procedures the host enters.
fn assemble(program: &Program, exports: &[ProcedureId], settings: Settings) -> Result<Box<dyn Machine>, Refused> {
    riesz_limit::pass("assemble");
    let mut program = program.clone();
    riesz_program::passes::reuse::reuse(&mut program);
    let program = &program;
    // Another backend has a compiler that checks its types. Here nothing stands between a wrong program and memory.
    riesz_program::verify::verify(program).map_err(|problem| Refused(problem.to_string()))?;
    let mut module = Module::new(settings)?;
    let reached = riesz_program::scope::reached(program, exports.iter().copied());
    for id in &reached {
        module.declare(program, *id)?;
    }
    for id in &reached {
        function::translate(&mut module, program, *id)?;
    }
    for id in exports {
        entry::translate(&mut module, program, *id)?;
    }
    let settled: Settled = module.settle()?;
    Ok(Box::new(settled))
}
