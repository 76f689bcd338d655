//! Limits on an evaluation, each with its own error.

use riesz_limit::Bounds;
use riesz_syntax::{Diagnostic, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The limits of an evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Calls and iterations of loops.
    pub steps: u64,
    /// Nested calls.
    pub depth: usize,
    /// Bytes of arrays and closures.
    pub memory: usize,
    /// Set from outside to stop the evaluation.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 1_000_000_000, depth: 100_000, memory: 4 << 30, interrupt: None }
    }
}

/// How much memory is left to the program itself and to what runs it, beside what [`Limits::memory`] allows: a limit of a few
/// kilobytes for arrays does not stop the compiler.
const BESIDE: usize = 64 << 20;

impl Limits {
    /// The same for work in which arrays are not counted: what the thread holds, steps inside of operations, and operations that
    /// the compiler writes.
    pub fn bounds(&self, code: u64) -> Bounds {
        let memory = self.memory.saturating_add(BESIDE);
        Bounds { steps: self.steps, code, memory, interrupt: self.interrupt.clone() }
    }
}

/// An error of an evaluation. Boxed, since most evaluations have none.
pub type Fault = Box<Diagnostic>;

/// How many steps pass between two looks at the interrupt.
const STRETCH: u64 = 1 << 14;

/// Counts steps down.
pub(super) struct Fuel {
    /// Steps left in this stretch.
    stretch: u64,
    /// Steps left after it.
    rest: u64,
    limit: u64,
    memory: usize,
    interrupt: Option<Arc<AtomicBool>>,
    /// Whether arrays that operations read or make count as steps too.
    weighs: bool,
}

/// How many numbers that an operation moves count as a step, where they count.
const MOVED: u64 = 64;

impl Fuel {
    pub fn new(limits: &Limits) -> Fuel {
        let Limits { steps, memory, interrupt, .. } = limits.clone();
        Fuel { stretch: 0, rest: steps, limit: steps, memory, interrupt, weighs: false }
    }

    /// From now on, long operations take steps as long loops do.
    pub fn weigh(&mut self) {
        self.weighs = true;
    }

    /// Takes steps for the numbers that an operation moves, if these count.
    pub fn moved(&mut self, numbers: usize, span: Span) -> Result<(), Fault> {
        match self.weighs {
            true => (0..numbers as u64 / MOVED).try_for_each(|_| self.step(span)),
            false => Ok(()),
        }
    }

    /// Takes one step.
    #[inline]
    pub fn step(&mut self, span: Span) -> Result<(), Fault> {
        if self.stretch == 0 || riesz_limit::is_full() {
            self.refill(span)?;
        }
        self.stretch -= 1;
        Ok(())
    }

    /// Looks whether the evaluation is to stop, apart from steps: for long work inside one operation.
    pub fn poll(&self, span: Span) -> Result<(), Fault> {
        match &self.interrupt {
            Some(interrupt) if interrupt.load(Ordering::Relaxed) => Err(Box::new(
                Diagnostic::error("interrupted", span, "the evaluation was interrupted").here("while computing this"),
            )),
            _ => Ok(()),
        }
    }

    #[cold]
    fn refill(&mut self, span: Span) -> Result<(), Fault> {
        self.poll(span)?;
        if riesz_limit::is_full() {
            return Err(super::problem::no_memory_left(self.memory, span));
        }
        self.stretch = self.rest.min(STRETCH);
        self.rest -= self.stretch;
        if self.stretch > 0 {
            return Ok(());
        }
        Err(super::problem::too_many_steps(self.limit, span))
    }
}
