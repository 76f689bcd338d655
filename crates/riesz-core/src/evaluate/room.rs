//! Room that the system may refuse.
//!
//! A limit on memory says what an evaluation may use, not what there is. Before something large is made, the system is
//! asked whether it has room, so that the answer is an error with its place. Small things are not asked for one by one:
//! where there is no room for them either, the allocator of the command ends it with a message, and asks here whether a
//! refusal is an answer that somebody waits for.

use std::cell::Cell;

thread_local! {
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// From how many bytes on the system is asked.
pub(super) const LARGE: usize = 1 << 20;

/// Whether the system has room for so many bytes more.
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
