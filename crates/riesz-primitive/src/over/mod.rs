//! Algebras of which a number is not one real number: intervals, and semirings without subtraction.
//!
//! The same program is evaluated over any of them. Some operations have no answer over an algebra, such as the comparison
//! of two intervals that overlap, or the sine of a cost. Such a question is stored for this thread, and the evaluation
//! stops with its place.

mod formal;
mod interval;
mod path;

pub use formal::{Formal, Provenance, Semantics};
pub use interval::Range;
pub(crate) use interval::{arithmetic, bounds};
pub use path::{Answers, explore};

use std::cell::Cell;

/// A question to numbers that has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The answer is not the same for all numbers of an interval.
    Undecided,
    /// The semiring does not have the operation.
    Meaningless(&'static str),
}

thread_local! {
    static UNANSWERED: Cell<Option<Unanswered>> = const { Cell::new(None) };
}

/// Remembers the first question without an answer.
fn ask(question: Unanswered) {
    UNANSWERED.set(UNANSWERED.get().or(Some(question)));
}

/// The first question without an answer since this was last called.
pub fn take_unanswered() -> Option<Unanswered> {
    UNANSWERED.take()
}
