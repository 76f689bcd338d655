//! A run of machine code: its remaining limits, the buffers that it holds, and its error.
//!
//! A buffer is a block with a header before its elements. The blocks of a run are in a list, so that none is lost if the
//! run stops early. A block that is given to the caller leaves the list.

use riesz_runtime::boundary::FAULT_WORDS;
use riesz_runtime::{Aligned, Context, ELSEWHERE};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;

/// The state that is passed to machine code, which reads and writes the limits, and hands the rest to the functions
/// below.
#[repr(C)]
pub(crate) struct Run {
    /// The limits.
    pub context: Context,
    /// The block that was made last.
    last: *mut Header,
    /// The fault, as [`riesz_runtime::boundary::tell`] writes it.
    pub told: [u64; FAULT_WORDS],
}

/// The header before the elements of a block. It is as long as a cache line, at which elements begin.
#[repr(C, align(64))]
pub(crate) struct Header {
    previous: *mut Header,
    next: *mut Header,
    /// How many bytes the block has, with this header.
    bytes: usize,
    /// How many elements.
    pub count: i64,
}

/// How many calls around an error are told.
const MOST_CALLS: u64 = 8;

impl Run {
    /// A run without buffers.
    pub fn new(context: Context) -> Run {
        Run { context, last: null_mut(), told: [0; FAULT_WORDS] }
    }

    /// Notes an error.
    #[cold]
    pub fn fail(&mut self, site: u32, values: [i64; 3]) {
        self.told[0] = u64::from(site);
        for (told, value) in self.told[1..4].iter_mut().zip(values) {
            *told = value as u64;
        }
        self.told[4] = 0;
    }

    /// Notes that an error came through a call.
    #[cold]
    pub fn called(&mut self, site: u32) {
        if self.told[4] < MOST_CALLS {
            self.told[5 + self.told[4] as usize] = u64::from(site);
            self.told[4] += 1;
        }
    }

    /// A buffer of a number of elements of a size, which are whatever they are; truth values are false. Null where there is
    /// no memory, which has been told.
    pub fn allocate(&mut self, count: i64, size: i64, site: u32) -> *mut u8 {
        let (count, context) = (count.max(0), &mut self.context);
        context.memory -= count.saturating_mul(size);
        if context.memory < 0 || count == i64::MAX {
            // Sizes that are larger than integers are cut to the largest.
            self.fail(if count == i64::MAX { ELSEWHERE } else { site }, [count, 0, 0]);
            return null_mut();
        }
        context.least = context.least.min(context.memory);
        match self.block(count, size) {
            // The system may have less than the run is allowed.
            None => {
                self.fail(site, [count, 0, 0]);
                null_mut()
            }
            Some(elements) => elements,
        }
    }

    fn block(&mut self, count: i64, size: i64) -> Option<*mut u8> {
        let bytes = usize::try_from(count.checked_mul(size)?).ok()?.checked_add(size_of::<Header>())?;
        let layout = Layout::from_size_align(bytes, align_of::<Header>()).ok()?;
        // The layout is not empty. The header is written before anything reads it, into a block that is long enough.
        unsafe {
            let block = Aligned.alloc(layout).cast::<Header>();
            if block.is_null() {
                return None;
            }
            block.write(Header { previous: self.last, next: null_mut(), bytes, count });
            if !self.last.is_null() {
                (*self.last).next = block;
            }
            self.last = block;
            let elements = block.add(1).cast::<u8>();
            if size == 1 {
                elements.write_bytes(0, count as usize);
            }
            Some(elements)
        }
    }

    /// A buffer of at least `count` elements, with those that it has. Buffers double, so that one that grows by an element
    /// at a time is copied twice at most, all in all. Null where there is no memory.
    ///
    /// # Safety
    /// The buffer is one of this run, of elements of the size.
    pub unsafe fn grow(&mut self, elements: *mut u8, count: i64, size: i64, site: u32) -> *mut u8 {
        let len = unsafe { (*header(elements)).count };
        if count <= len {
            return elements;
        }
        let grown = self.allocate(count.max(len.saturating_mul(2)), size, site);
        if !grown.is_null() {
            // The new buffer is longer.
            unsafe {
                grown.copy_from_nonoverlapping(elements, (len * size) as usize);
                self.release(elements);
            }
        }
        grown
    }

    /// Gives a buffer back to the system.
    ///
    /// # Safety
    /// It is one of this run, and is not used any more.
    pub unsafe fn release(&mut self, elements: *mut u8) {
        unsafe {
            self.give(elements);
            free(elements);
        }
    }

    /// Takes a buffer out of the list: it is the caller's from now on. How many elements it has.
    ///
    /// # Safety
    /// It is one of this run.
    pub unsafe fn give(&mut self, elements: *mut u8) -> i64 {
        // Its neighbours are blocks of this run, as those of every block in the list are.
        unsafe {
            let block = header(elements);
            let Header { previous, next, count, .. } = block.read();
            if !previous.is_null() {
                (*previous).next = next;
            }
            match next.is_null() {
                true => self.last = previous,
                false => (*next).previous = previous,
            }
            count
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        while !self.last.is_null() {
            // The code has ended, and nothing uses its buffers.
            unsafe { self.release(self.last.add(1).cast()) };
        }
    }
}

/// The header of a buffer.
fn header(elements: *mut u8) -> *mut Header {
    elements.cast::<Header>().wrapping_sub(1)
}

/// Gives a buffer that is in no list back to the system.
///
/// # Safety
/// It was made by a run, and is not used any more.
pub(crate) unsafe fn free(elements: *mut u8) {
    let block = header(elements);
    // It was made for this layout.
    unsafe { Aligned.dealloc(block.cast(), Layout::from_size_align_unchecked((*block).bytes, align_of::<Header>())) }
}
