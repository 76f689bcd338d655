//! Loop programs as Rust source, which needs only `riesz-runtime`.
//!
//! A procedure becomes a function: numbers are `f64`, `i64` and `bool`, buffers are `Vec`s and slices, with the names
//! of the source. A comment on each function names its source.
//!
//! # Why positions are not checked
//!
//! Elements are accessed by `at`, `put` and `add`, which do not check positions. A position is the sum of an offset and
//! of products `i · s` of an index and a stride, one for each array around the element. Lowering makes a view of an
//! array only if every index has been checked against the length of its array, by an earlier `Check`, or is proven to
//! be below it (`riesz-program/src/lower/bound.rs`). The strides of a view are those of the allocation of the buffer,
//! so a position made of such indices is below the number of allocated elements. Buffers that are passed in hold as
//! many elements as the lengths passed with them: the callers are generated too, and the host counts. Compiled with
//! debug assertions, the functions check positions, and the tests use this mode.
//!
//! - `function`: one procedure as one function
//! - `target`: the machine that loops are scheduled for
//! - `lanes`: loops whose schedule has lanes
//! - `chunk`: loops whose schedule has chunks
//! - `boundary`: functions for callers that are not Rust

mod boundary;
mod chunk;
mod function;
mod lanes;
mod precision;
mod target;

pub(crate) use precision::Spelling;
pub use riesz_program::Precision;
pub use target::target;

use riesz_program::foreign::{Dialect, Draft, settle};
use riesz_program::{ProcedureId, Program};
use riesz_syntax::Span;
use std::fmt::Write;

/// The program and the functions to write.
pub struct Options<'a> {
    /// A place as a person finds it: file, line and column.
    pub place: &'a dyn Fn(Span) -> String,
    /// Procedures that are called from outside of Rust, each by the name `riesz_` and its position here.
    pub exports: &'a [ProcedureId],
    /// How long real numbers are.
    pub precision: Precision,
}

/// A program as a Rust source file. Loops run as their schedules say, which are for a [`target`] of the same precision.
pub fn emit(program: &Program, options: &Options) -> String {
    let mut drafts = Vec::new();
    for at in 0..program.procedures.len() {
        let procedure = ProcedureId(at as u32);
        drafts.push(Draft {
            procedure: Some(procedure),
            text: format!("\n{}", function::write(program, procedure, options)),
        });
    }
    for (at, procedure) in options.exports.iter().enumerate() {
        let mut text = format!("\n{}", boundary::write(program, *procedure, at, options.precision));
        if at + 1 == options.exports.len() {
            let _ = write!(text, "\n{}", boundary::BUFFERS);
        }
        drafts.push(Draft { procedure: Some(*procedure), text });
    }
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "use {}::*;", options.precision.runtime());
    text + &settle(program, options.place, &drafts, RUST)
}

const HEAD: &str = "\
// Written by Riesz.

#![allow(unused_variables, unused_mut, unused_unsafe, unused_parens, unused_assignments, dead_code, non_snake_case)]
#![allow(clippy::all)]
";

/// The keywords of Rust, also those that are only reserved.
const RUST: Dialect = Dialect {
    keywords: "
        as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref
        return self Self static struct super trait true type unsafe use where while async await dyn abstract become box
        do final macro override priv typeof unsized virtual yield try gen _
    ",
};
