//! Elements of buffers. Generated code has proven or checked that a position is in bounds before it uses it here; code
//! that is compiled with debug assertions checks it once more.

use std::ops::AddAssign;

/// The element at a position.
///
/// # Safety
/// The position is in bounds.
#[inline(always)]
pub unsafe fn at<T: Copy>(buffer: &[T], position: i64) -> T {
    debug_assert!((position as usize) < buffer.len(), "{position} of {}", buffer.len());
    unsafe { *buffer.get_unchecked(position as usize) }
}

/// Writes the element at a position.
///
/// # Safety
/// The position is in bounds.
#[inline(always)]
pub unsafe fn put<T>(buffer: &mut [T], position: i64, value: T) {
    debug_assert!((position as usize) < buffer.len(), "{position} of {}", buffer.len());
    unsafe { *buffer.get_unchecked_mut(position as usize) = value }
}

/// Adds to the element at a position.
///
/// # Safety
/// The position is in bounds.
#[inline(always)]
pub unsafe fn add<T: AddAssign>(buffer: &mut [T], position: i64, value: T) {
    debug_assert!((position as usize) < buffer.len(), "{position} of {}", buffer.len());
    unsafe { *buffer.get_unchecked_mut(position as usize) += value }
}

/// Elements from a position on.
#[inline(always)]
pub fn part<T>(buffer: &[T], from: i64, count: i64) -> &[T] {
    if count <= 0 { &[] } else { &buffer[from as usize..][..count as usize] }
}

/// The same, to be changed.
#[inline(always)]
pub fn part_mut<T>(buffer: &mut [T], from: i64, count: i64) -> &mut [T] {
    if count <= 0 { &mut [] } else { &mut buffer[from as usize..][..count as usize] }
}
