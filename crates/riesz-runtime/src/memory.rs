//! Where buffers begin: at a cache line, and large ones at a page.
//!
//! ```text
//! loads and stores of 64 bytes touch one line, not two; arrays that are walked side by side have equal page offsets
//! ```
//!
//! The second matters because a processor compares the last twelve bits of addresses to find whether a load has to wait for
//! a store before it. Where the array that is written begins a little behind the one that is read, by these bits, every
//! load waits: a walk over memory takes a third longer, depending on nothing but where the allocator had room.

use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator of the system, with buffers where they are walked fastest.
#[derive(Clone, Copy, Debug)]
pub struct Aligned;

const LINE: usize = 64;
const PAGE: usize = 4096;
/// From so many bytes on a buffer begins at a page: those that the nearer caches do not hold.
const LARGE: usize = 1 << 20;

/// What to ask the system for. It depends on the layout alone, so that a block is given back as it was asked for.
#[inline]
fn placed(layout: Layout) -> Layout {
    let align = match layout.size() {
        LARGE.. => PAGE,
        PAGE.. => LINE,
        _ => 1,
    };
    layout.align_to(align).unwrap_or(layout)
}

// A block for a layout is one of the system's for a layout of the same size that is aligned at least as much. Both
// functions that give blocks back find the same layout for it again. Blocks grow by `GlobalAlloc`'s own way: a new block,
// of a layout of its own, and a copy.
unsafe impl GlobalAlloc for Aligned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc(placed(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc_zeroed(placed(layout)) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, placed(layout)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_where_they_should() {
        for (size, align, at) in [(24, 8, 8), (4096, 8, LINE), (LARGE, 8, PAGE), (LARGE, 8192, 8192)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            for zeroed in [false, true] {
                let block = unsafe { if zeroed { Aligned.alloc_zeroed(layout) } else { Aligned.alloc(layout) } };
                assert_eq!(block.addr() % at, 0, "{size} bytes");
                assert!(!zeroed || (0..size).all(|place| unsafe { *block.add(place) } == 0));
                let grown = unsafe { Aligned.realloc(block, layout, 4 * size) };
                unsafe { Aligned.dealloc(grown, Layout::from_size_align(4 * size, align).unwrap()) };
            }
        }
    }
}
