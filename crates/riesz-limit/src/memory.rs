//! The number of bytes that a thread holds, as the allocator of the program counts them.

use std::cell::Cell;

/// The counters of a thread. They are plain cells without a destructor: counting neither allocates nor panics.
struct Counters {
    held: Cell<isize>,
    /// The most that was held since the last question.
    most: Cell<isize>,
    /// The most that may be held.
    bound: Cell<isize>,
}

thread_local! {
    static COUNTERS: Counters =
        const { Counters { held: Cell::new(0), most: Cell::new(0), bound: Cell::new(isize::MAX) } };
}

/// Counts bytes that the thread has been given, or has given back. For the allocator of a program.
#[inline]
pub fn allocated(bytes: isize) {
    // A thread that ends no longer has counters, and nothing reads them.
    let _ = COUNTERS.try_with(|counters| {
        let held = counters.held.get().wrapping_add(bytes);
        counters.held.set(held);
        counters.most.set(counters.most.get().max(held));
    });
}

/// The bytes that the thread holds: fewer than none, where it gives back what others were given.
pub fn held() -> isize {
    COUNTERS.with(|counters| counters.held.get())
}

/// The most bytes that a computation of this thread holds at once, beyond those held before it.
pub fn most(computation: &mut dyn FnMut()) -> usize {
    let before = held();
    COUNTERS.with(|counters| counters.most.set(before));
    computation();
    let most = COUNTERS.with(|counters| counters.most.get());
    usize::try_from(most - before).unwrap_or(0)
}

/// From now on, at most this number of bytes more may be held.
pub(crate) fn set_bound(bytes: usize) {
    let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
    COUNTERS.with(|counters| counters.bound.set(counters.held.get().saturating_add(bytes)));
}

pub(crate) fn lift_bound() {
    COUNTERS.with(|counters| counters.bound.set(isize::MAX));
}

#[inline]
pub(crate) fn is_beyond_bound() -> bool {
    COUNTERS.with(|counters| counters.held.get() > counters.bound.get())
}
