//! How much memory a computation holds at most: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The bytes that this thread holds, and the most it has held since somebody asked.
    static HELD: Cell<[isize; 2]> = const { Cell::new([0, 0]) };
}

/// The most bytes that a computation of this thread holds at once, beyond those held before it.
pub fn most(computation: &mut dyn FnMut()) -> usize {
    let [before, _] = HELD.get();
    HELD.set([before, before]);
    computation();
    let [_, most] = HELD.get();
    usize::try_from(most - before).unwrap_or(0)
}

/// The allocator of the system, which counts.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: isize) {
    // A thread that ends has no counter any more, and nobody who asks.
    let _ = HELD.try_with(|held| {
        let [now, most] = held.get();
        let now = now.wrapping_add(bytes);
        held.set([now, most.max(now)]);
    });
}

// SAFETY: every call goes to the system's allocator with the arguments it was made with, and what that gives is given
// back; the counter is a `Cell` without a destructor, so counting neither allocates nor panics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
