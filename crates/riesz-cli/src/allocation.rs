//! An allocator that counts the memory of each thread, and reports when the system has no memory left.

use riesz_limit::allocated;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// From how many bytes on an allocation can be a question.
const LARGE: usize = 1 << 20;

/// The allocator of the system, which counts.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// Ends the command where the system has no memory left: what would follow is an abort without a word. Only a question
/// whether there is room is answered by no.
#[cold]
fn refused(bytes: usize) -> *mut u8 {
    if riesz::is_asking() {
        return std::ptr::null_mut();
    }
    end_without_memory(bytes)
}

/// Says that there is no memory left, without needing any, and ends the command.
pub fn end_without_memory(bytes: usize) -> ! {
    let mut text = [0u8; 256];
    let mut rest = &mut text[..];
    let _ = writeln!(
        rest,
        "error[memory-limit]: the system has no memory left: {bytes} bytes more were needed\n  = help: other programs or a limit of the system (`ulimit -v`) leave too little"
    );
    let left = rest.len();
    let _ = std::io::stderr().write_all(&text[..text.len() - left]);
    std::process::exit(1)
}

fn count(bytes: isize) {
    // A question is no use of memory.
    if bytes.unsigned_abs() < LARGE || !riesz::is_asking() {
        allocated(bytes);
    }
}

// SAFETY: every call goes to the system's allocator with the arguments it was made with, and what that gives is given
// back, also where it gives nothing and that is an answer; otherwise the process ends, which cannot be observed. The
// counters are plain cells, so counting neither allocates nor panics.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        let pointer = unsafe { System.alloc(layout) };
        if pointer.is_null() { refused(layout.size()) } else { pointer }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if pointer.is_null() { refused(layout.size()) } else { pointer }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        let moved = unsafe { System.realloc(pointer, layout, size) };
        if moved.is_null() { refused(size) } else { moved }
    }
}
