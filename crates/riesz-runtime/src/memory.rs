//! The alignment of buffers: at a cache line, and for large ones at a page.
//!
//! ```text
//! loads and stores of 64 bytes touch one line, not two; arrays that are walked side by side have equal page offsets
//! ```
//!
//! The second point matters because a processor compares the last twelve bits of addresses to decide whether a load
//! must wait for an earlier store. If, by these bits, the written array begins slightly after the array that is read,
//! every load waits, and a pass over memory takes a third longer, depending only on the addresses that the allocator
//! chose.
//!
//! Some freed buffers of a few kilobytes are cached, because the next run requests the same sizes and the system's
//! allocator is slow for them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The allocator of the system, with buffers where they are walked fastest.
#[derive(Clone, Copy, Debug)]
pub struct Aligned;

const LINE: usize = 64;
const PAGE: usize = 4096;
/// From this number of bytes on a buffer begins at a page: the nearer caches do not hold it.
const LARGE: usize = 1 << 20;

/// The least and the greatest number of bytes of a cached buffer. All of them begin at a cache line.
const KEPT_FROM: usize = 1 << 10;
const KEPT_TO: usize = 1 << 16;

/// The layout to request from the system. It depends on the layout alone, so that a block is freed as it was allocated.
#[inline]
fn placed(layout: Layout) -> Layout {
    let align = match layout.size() {
        LARGE.. => PAGE,
        KEPT_FROM.. => LINE,
        _ => 1,
    };
    layout.align_to(align).unwrap_or(layout)
}

/// Blocks that are kept, each by its size. The first word of one is how many bytes it has.
static KEPT: [AtomicPtr<usize>; 8] = [const { AtomicPtr::new(null_mut()) }; 8];

/// Where a block of a layout may be kept.
#[inline]
fn place(layout: Layout) -> Option<&'static AtomicPtr<usize>> {
    // Valgrind is to see every buffer as a new one, whose elements were never written.
    let fits = !cfg!(portable) && matches!(layout.size(), KEPT_FROM..=KEPT_TO) && layout.align() <= LINE;
    // Sizes are often powers of two, and the upper bits of a product differ for them too.
    fits.then(|| &KEPT[((layout.size() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61) as usize])
}

/// Gives a block that was kept, if there is one, back to the system.
///
/// # Safety
/// The caller owns it exclusively.
#[inline]
unsafe fn give_back(kept: *mut usize) {
    if !kept.is_null() {
        // Its size is in it, and what was asked for is the same for all layouts of a size that are kept.
        unsafe { System.dealloc(kept.cast(), Layout::from_size_align_unchecked(*kept, LINE)) }
    }
}

// A block for a layout is one of the system's for a layout of the same size that is aligned at least as much. Both
// functions that give blocks back find the same layout for it again. Blocks grow by `GlobalAlloc`'s own way: a new block,
// of a layout of its own, and a copy.
unsafe impl GlobalAlloc for Aligned {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(place) = place(layout) {
            // The thread that takes a block from its place owns it exclusively.
            let kept = place.swap(null_mut(), Ordering::AcqRel);
            if !kept.is_null() && unsafe { *kept } == layout.size() {
                return kept.cast();
            }
            unsafe { give_back(kept) };
        }
        unsafe { System.alloc(placed(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc_zeroed(placed(layout)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(place) = place(layout) else { return unsafe { System.dealloc(block, placed(layout)) } };
        // It is aligned for a word, and long enough for one.
        let block = block.cast::<usize>();
        unsafe {
            *block = layout.size();
            give_back(place.swap(block, Ordering::AcqRel));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_where_they_should() {
        for (size, align, at) in [(24, 8, 8), (1024, 8, LINE), (4096, 8, LINE), (LARGE, 8, PAGE), (LARGE, 8192, 8192)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            for zeroed in [false, true] {
                let block = unsafe { if zeroed { Aligned.alloc_zeroed(layout) } else { Aligned.alloc(layout) } };
                assert_eq!(block.addr() % at, 0, "{size} bytes");
                assert!(!zeroed || (0..size).all(|place| unsafe { *block.add(place) } == 0));
                let grown = unsafe { Aligned.realloc(block, layout, 4 * size) };
                unsafe { Aligned.dealloc(grown, Layout::from_size_align(4 * size, align).unwrap()) };
            }
        }
        // One that is given back is the next of its size, and of its size alone.
        for (size, other) in (KEPT_FROM..KEPT_FROM + 64).flat_map(|size| [(size, size + 8), (size, 2 * size)]) {
            let [layout, other] = [size, other].map(|size| Layout::from_size_align(size, 8).unwrap());
            unsafe {
                let first = Aligned.alloc(layout);
                Aligned.dealloc(first, layout);
                assert_eq!(Aligned.alloc(layout), first);
                Aligned.dealloc(first, layout);
                let [longer, again] = [other, layout].map(|layout| Aligned.alloc(layout));
                longer.write_bytes(1, other.size());
                again.write_bytes(2, size);
                assert_eq!([*longer, *longer.add(other.size() - 1), *again, *again.add(size - 1)], [1, 1, 2, 2]);
                Aligned.dealloc(again, layout);
                Aligned.dealloc(longer, other);
            }
        }
    }
}
