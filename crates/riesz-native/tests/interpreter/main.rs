//! Native code agrees with the interpreter: for all kinds of lane code, for every reduction, with every number of
//! threads, in both precisions, with exact zeros, for arrays of dynamic size, and for all of GradBench.

#[path = "../../../riesz-program/tests/cases/mod.rs"]
mod cases;
mod directions;
mod dynamic_size;
mod gradbench;
mod lanes;
mod overflow;
mod reductions;
mod single;
mod threads;
mod zeros;

use cases::Cases;
use riesz_native::{Code, Compiler, Settings};

/// Functions as native code.
fn code(all: &Cases, settings: Settings) -> Code {
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let (lowered, signatures) = (all.lowered.clone(), all.signatures.clone());
    let code = riesz_native::build(lowered, signatures, &compiler, settings, &|_| "a test".into());
    code.unwrap_or_else(|problem| panic!("{problem}"))
}
