//! Work within the limits of a session: `within(work)` returns the result of `work`, or the error of the exceeded limit
//! after restoring the previous state of the session.

use super::Session;
use crate::{Diagnostic, Limits, Span};
use riesz_core::Program;
use riesz_core::evaluate::problem;

/// How many operations the compiler may write for one evaluation, where nothing else is said.
pub(super) const MOST_CODE: u64 = 10_000_000;

impl Session {
    /// Work that leaves the session alone, such as drawing what it gave.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> Result<T, Vec<Diagnostic>> {
        let limits = &self.options.limits;
        riesz_limit::within(&limits.bounds(self.options.code), work).map_err(|reason| stopped(reason, limits, None))
    }

    /// Work that adds to what names mean.
    pub(super) fn adding<T>(
        &mut self,
        place: Option<Span>,
        work: impl FnOnce(&mut Session) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let before = self.checker.names_now();
        let limits = self.options.limits.clone();
        riesz_limit::within(&limits.bounds(self.options.code), || work(self)).unwrap_or_else(|reason| {
            self.checker.abandon(before);
            Err(stopped(reason, &limits, place))
        })
    }

    /// Work that compiles the program, which may have been lost where that is stopped; then it is what it was before.
    pub(crate) fn compiling<T>(
        &mut self,
        before: Option<&Program>,
        place: Option<Span>,
        work: impl FnOnce(&mut Session) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let limits = self.options.limits.clone();
        riesz_limit::within(&limits.bounds(self.options.code), || work(self)).unwrap_or_else(|reason| {
            if let Some(before) = before {
                self.checker.program = before.clone();
            }
            Err(stopped(reason, &limits, place))
        })
    }
}

/// The error of a limit, at a place if there is one.
fn stopped(reason: riesz_limit::Stopped, limits: &Limits, place: Option<Span>) -> Vec<Diagnostic> {
    let nowhere = Span { file: crate::FileId(0), start: 0, end: 0 };
    let mut diagnostic = *problem::stopped(reason, limits, place.unwrap_or(nowhere));
    if place.is_none() {
        diagnostic.labels.clear();
    }
    vec![diagnostic]
}
