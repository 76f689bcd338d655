//! Bounds on the work of a thread: `within(bounds, work)` returns the result of `work`, or the reason why it was
//! stopped.
//!
//! A compiler pass, a rewriting of terms or a product of series can take unpredictable time and memory, and most of
//! them have no error to return. They report their work instead: [`spend`] for iterations inside one operation,
//! [`write`] for operations of a program that they write, [`poll`] for other repeated work. If a bound is exceeded, the
//! work ends at once, by unwinding to the surrounding [`within`] without a panic. The data that were being changed are
//! discarded with the work, and the caller of `within` returns to its previous state.
//!
//! The allocator of the program reports memory by [`allocated`]. Without such an allocator the bound on memory is never
//! exceeded.

mod memory;
mod pass;

pub use memory::{allocated, held, most};
pub use pass::{pass, passes};

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The resources that work may use.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Iterations of loops inside operations.
    pub steps: u64,
    /// Operations of a program that passes over it write.
    pub code: u64,
    /// Bytes held beyond those that were held before.
    pub memory: usize,
    /// Set from outside to stop the work.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Which bound work has passed, and where that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The number of steps allowed.
    Steps(u64),
    /// The number of operations of a program allowed.
    Code(u64),
    /// The number of bytes allowed.
    Memory(usize),
    /// It was interrupted.
    Interrupted,
}

/// The resources that the work of a thread has left.
struct Remaining {
    steps: Cell<u64>,
    code: Cell<u64>,
    /// How many polls may pass until the interrupt is looked at again.
    quiet: Cell<u32>,
}

thread_local! {
    static LEFT: Remaining = const { Remaining { steps: Cell::new(u64::MAX), code: Cell::new(u64::MAX), quiet: Cell::new(QUIET) } };
    /// The bounds of the current work.
    static ALLOWED: RefCell<Option<Bounds>> = const { RefCell::new(None) };
}

/// How many steps pass between two looks at the interrupt.
const QUIET: u32 = 1 << 12;
/// How many steps a poll counts as, which tells of no more than one piece of work.
const PIECE: u64 = 16;

/// The result of work, if it stays within bounds. Inside other work, only the bounds of the outer work hold; then this
/// function only tells where the work was stopped.
pub fn within<T>(bounds: &Bounds, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    if ALLOWED.with_borrow(Option::is_some) {
        return stopped(work);
    }
    let _bounded = Bounded::begin(bounds.clone());
    stopped(work)
}

/// While it is there, the work of the thread is bounded.
struct Bounded;

impl Bounded {
    fn begin(bounds: Bounds) -> Bounded {
        LEFT.with(|left| {
            left.steps.set(bounds.steps);
            left.code.set(bounds.code);
            left.quiet.set(QUIET);
        });
        memory::set_bound(bounds.memory);
        ALLOWED.set(Some(bounds));
        Bounded
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        ALLOWED.set(None);
        LEFT.with(|left| {
            left.steps.set(u64::MAX);
            left.code.set(u64::MAX);
        });
        memory::lift_bound();
    }
}

fn stopped<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    // What the work was changing is not looked at again.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Ok(value),
        Err(thrown) => Err(reason(thrown)),
    }
}

fn reason(thrown: Box<dyn Any + Send>) -> Stopped {
    match thrown.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        // A mistake of the program, which has been reported.
        Err(panic) => resume_unwind(panic),
    }
}

/// Takes steps: iterations of a loop inside one operation.
#[inline]
pub fn spend(steps: u64) {
    LEFT.with(|left| match left.steps.get().checked_sub(steps) {
        Some(rest) => left.steps.set(rest),
        None => stop(|allowed| Stopped::Steps(allowed.steps)),
    });
    pass_time(steps.max(PIECE));
}

/// Counts operations of a program that are written.
#[inline]
pub fn write(code: u64) {
    LEFT.with(|left| match left.code.get().checked_sub(code) {
        Some(rest) => left.code.set(rest),
        None => stop(|allowed| Stopped::Code(allowed.code)),
    });
    poll();
}

/// Looks whether the work is to stop. Cheap enough for the body of any loop.
#[inline]
pub fn poll() {
    pass_time(PIECE);
}

/// The same after a number of steps: many of them count for more than a poll does.
#[inline]
fn pass_time(steps: u64) {
    if is_full() {
        stop(|allowed| Stopped::Memory(allowed.memory));
    }
    LEFT.with(|left| match u64::from(left.quiet.get()).checked_sub(steps) {
        Some(quiet) => left.quiet.set(quiet as u32),
        None => look(left),
    });
}

/// Whether the work holds more memory than it may: for those who have an error to return.
#[inline]
pub fn is_full() -> bool {
    memory::is_beyond_bound()
}

#[cold]
fn look(left: &Remaining) {
    left.quiet.set(QUIET);
    let interrupted = ALLOWED.with_borrow(|allowed| match allowed {
        Some(Bounds { interrupt: Some(interrupt), .. }) => interrupt.load(Ordering::Relaxed),
        _ => false,
    });
    if interrupted {
        stop(|_| Stopped::Interrupted);
    }
}

#[cold]
fn stop(reason: impl FnOnce(&Bounds) -> Stopped) {
    // Work does not unwind twice at a time: what is thrown away may poll.
    if std::thread::panicking() {
        return;
    }
    if let Some(stopped) = ALLOWED.with_borrow(|allowed| allowed.as_ref().map(reason)) {
        resume_unwind(Box::new(stopped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds { steps: 1000, code: 1000, memory: 1 << 20, interrupt: None }
    }

    #[test]
    fn work_within_its_bounds_gives_what_it_gives() {
        assert_eq!(within(&bounds(), || (0..10).map(|_| spend(100)).count()), Ok(10));
        assert_eq!(within(&bounds(), || (0..1000).map(|_| write(1)).count()), Ok(1000));
    }

    #[test]
    fn work_beyond_its_bounds_is_stopped() {
        assert_eq!(within(&bounds(), || (0..11).for_each(|_| spend(100))), Err(Stopped::Steps(1000)));
        assert_eq!(within(&bounds(), || (0..1001).for_each(|_| write(1))), Err(Stopped::Code(1000)));
        let full = within(&bounds(), || {
            allocated(2 << 20);
            poll();
        });
        allocated(-(2 << 20));
        assert_eq!(full, Err(Stopped::Memory(1 << 20)));
        let interrupt = Some(Arc::new(AtomicBool::new(true)));
        let forever = || -> () {
            loop {
                poll();
            }
        };
        assert_eq!(within(&Bounds { interrupt, ..bounds() }, forever), Err(Stopped::Interrupted));
        // Where nothing is bounded, nothing is stopped.
        spend(u64::MAX);
        write(u64::MAX);
        poll();
    }

    #[test]
    fn work_inside_of_work_has_the_bounds_around_it() {
        let generous = Bounds { steps: u64::MAX, ..bounds() };
        let inner = within(&bounds(), || within(&generous, || spend(2000)));
        assert_eq!(inner, Ok(Err(Stopped::Steps(1000))));
        let both = within(&bounds(), || {
            let first = within(&bounds(), || spend(600));
            (first, within(&bounds(), || spend(600)))
        });
        assert_eq!(both, Ok((Ok(()), Err(Stopped::Steps(1000)))));
    }

    #[test]
    fn a_panic_is_not_a_bound() {
        let work = || -> Result<(), Stopped> { within(&bounds(), || resume_unwind(Box::new("a mistake"))) };
        let panic = catch_unwind(AssertUnwindSafe(work));
        assert!(panic.is_err());
        // Work after it has bounds of its own.
        let more = Bounds { steps: 2000, ..bounds() };
        assert_eq!(within(&more, || spend(2001)), Err(Stopped::Steps(2000)));
    }
}
