//! Work within the limits of a session: `within(work)` returns the result of `work`, or the error of the exceeded limit
//! after restoring the previous state of the session.

use super::Session;
use crate::compilation::stopped;
use crate::{Diagnostic, Span};

/// How many operations the compiler may write for one evaluation, where nothing else is said.
pub(super) const MOST_CODE: u64 = 2_000_000;

impl Session {
    /// Work that leaves the session alone, such as drawing what it gave.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> Result<T, Vec<Diagnostic>> {
        let limits = &self.options.limits;
        riesz_limit::within(&limits.bounds(self.options.code), work)
            .map_err(|reason| vec![stopped(reason, limits, None)])
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
            Err(vec![stopped(reason, &limits, place)])
        })
    }

    /// Work that compiles the program, which is lost if the work is stopped: the caller restores it.
    pub(super) fn compiling<T>(
        &mut self,
        place: Span,
        work: impl FnOnce(&mut Session) -> Result<T, Vec<Diagnostic>>,
    ) -> Result<T, Vec<Diagnostic>> {
        let limits = self.options.limits.clone();
        riesz_limit::within(&limits.bounds(self.options.code), || work(self))
            .unwrap_or_else(|reason| Err(vec![stopped(reason, &limits, Some(place))]))
    }
}
