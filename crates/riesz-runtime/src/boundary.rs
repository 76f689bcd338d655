//! The words that pass between generated code and outside callers.

use crate::{Buffer, Element, Fault};

/// How many words describe a fault.
pub const FAULT_WORDS: usize = 16;

/// The elements that two words, an address and a length, stand for.
///
/// # Safety
/// There are that many elements of the type at the address, and no code changes them.
pub unsafe fn words<'a, T>(at: *const u64) -> &'a [T] {
    unsafe { std::slice::from_raw_parts(*at as *const T, *at.add(1) as usize) }
}

/// The same, to be changed.
///
/// # Safety
/// There are that many elements of the type at the address, and no other code uses them.
pub unsafe fn words_mut<'a, T>(at: *const u64) -> &'a mut [T] {
    unsafe { std::slice::from_raw_parts_mut(*at as *mut T, *at.add(1) as usize) }
}

/// Writes a buffer as two words. It belongs to the caller, until [`free`] takes it back.
///
/// # Safety
/// There is room for two words.
pub unsafe fn give<T: Element>(buffer: Buffer<T>, to: *mut u64) {
    let given = Box::leak(buffer.into_vec().into_boxed_slice());
    unsafe {
        *to = given.as_mut_ptr() as u64;
        *to.add(1) = given.len() as u64;
    }
}

/// Takes back a buffer of elements of a width in bytes: 8, 4 or 1.
///
/// # Safety
/// The buffer was given by [`give`], and is not used any more.
pub unsafe fn free(at: *mut u64, len: u64, size: u64) {
    unsafe {
        match size {
            8 => drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len as usize))),
            4 => drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(at.cast::<u32>(), len as usize))),
            _ => drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(at.cast::<u8>(), len as usize))),
        }
    }
}

/// Writes what went wrong: the site, three values, how many calls there are around, and their sites.
///
/// # Safety
/// There is room for [`FAULT_WORDS`] words.
pub unsafe fn tell(fault: &Fault, told: *mut u64) -> i32 {
    let mut words = vec![u64::from(fault.site)];
    words.extend(fault.values.iter().map(|value| *value as u64));
    words.push(fault.calls.len() as u64);
    words.extend(fault.calls.iter().map(|site| u64::from(*site)));
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), told, words.len().min(FAULT_WORDS)) };
    1
}
