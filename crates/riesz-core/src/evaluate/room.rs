//! Memory that the system may refuse.
//!
//! A limit on memory bounds the use of an evaluation, but the system may have less. Before a large allocation, the
//! system is asked whether it has enough memory, so that a refusal becomes an error with its place. Small allocations
//! are not checked one by one: if the system refuses one, the allocator of the command ends the command with a message,
//! and asks this module whether an evaluation is waiting for the refusal.

use std::cell::Cell;

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// From how many bytes on the system is asked.
pub(super) const LARGE: usize = 1 << 20;

/// Whether the system has room for a number of bytes more.
pub fn has_room(bytes: usize) -> bool {
    if bytes < LARGE {
        return true;
    }
    ASKING.set(true);
    let mut room: Vec<u8> = Vec::new();
    let answer = room.try_reserve_exact(bytes).is_ok();
    // An allocation that nothing looks at would be optimised away, and the answer be yes.
    drop(std::hint::black_box(room));
    ASKING.set(false);
    answer
}

/// Whether the allocation that this thread makes is a question, which may be answered by no.
pub fn is_asking() -> bool {
    ASKING.try_with(Cell::get).unwrap_or(false)
}
