//! Loop programs as Rust source, which needs nothing but `riesz-runtime`.
//!
//! A procedure becomes a function: numbers are `f64`, `i64` and `bool`, buffers `Vec`s and slices, in the names of the
//! source. Each function says where it comes from.
//!
//! # Why positions are not checked
//!
//! Elements are read and written by `at`, `put` and `add`, which check nothing. A position is the sum of an offset and of
//! products `i · s` of an index and a stride, one for each array around the element. Lowering makes a view of an array
//! only where every index has been checked against the length of its array, by a `Check` before it, or is proven to be
//! below it (`riesz-program/src/lower/bound.rs`); the strides of a view are those that the buffer was allocated with, so
//! that a position made of such indices is below the number of elements allocated. Buffers that are passed in hold as many
//! elements as the lengths passed with them say: the callers are generated too, and the host counts. Compiled with debug
//! assertions the functions check all the same, and the tests run so.
//!
//! - `names`: how names and paths of users get into code, and only there
//! - `function`: one procedure as one function
//! - `lanes`, `classify`: loops whose turns are independent, eight turns at a time
//! - `choose`: which of two loops inside of each other that is
//! - `strip`: which of them can be taken thirty-two turns at a time
//! - `chunk`: loops whose turns are independent, in chunks that threads share
//! - `boundary`: functions for callers that are not Rust

mod boundary;
mod choose;
mod chunk;
mod classify;
mod function;
mod lanes;
mod names;
mod precision;
mod strip;

pub use boundary::FAULT_WORDS;
pub use precision::Precision;

use names::Draft;
use riesz_program::{ProcedureId, Program};
use riesz_syntax::Span;
use std::fmt::Write;

/// What to write.
pub struct Options<'a> {
    /// A place as a person finds it: file, line and column.
    pub place: &'a dyn Fn(Span) -> String,
    /// Procedures that are called from outside of Rust, each by the name `riesz_` and its position here.
    pub exports: &'a [ProcedureId],
    /// Whether loops are cut into as many chunks as there can be, however little they do: for tests.
    pub fine: bool,
    /// How long real numbers are.
    pub precision: Precision,
}

/// A program as a Rust source file.
pub fn emit(program: &Program, options: &Options) -> String {
    let mut drafts = Vec::new();
    for at in 0..program.procedures.len() {
        let procedure = ProcedureId(at as u32);
        drafts.push(Draft { procedure, text: format!("\n{}", function::write(program, procedure, options)) });
    }
    for (at, procedure) in options.exports.iter().enumerate() {
        let mut text = format!("\n{}", boundary::write(program, *procedure, at, options.precision));
        if at + 1 == options.exports.len() {
            let _ = write!(text, "\n{}", boundary::BUFFERS);
        }
        drafts.push(Draft { procedure: *procedure, text });
    }
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "use {}::*;", options.precision.runtime());
    text + &names::settle(program, options.place, &drafts)
}

const HEAD: &str = "\
// Written by Riesz.

#![allow(unused_variables, unused_mut, unused_unsafe, unused_parens, unused_assignments, dead_code, non_snake_case)]
#![allow(clippy::all)]
";
