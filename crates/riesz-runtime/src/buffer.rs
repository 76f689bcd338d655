//! Access to elements of buffers. Generated code has proven or checked that a position is in bounds before it uses
//! these functions; code that is compiled with debug assertions checks it again.

use crate::{Buffer, Element};
use std::marker::PhantomData;
use std::ops::AddAssign;

/// A memory to which elements are written: a buffer, a slice of one, or a buffer that the chunks of a loop share.
pub trait Target: Sized {
    /// The type of its elements.
    type Element;

    /// Where the first element is, and how many there are.
    fn place(self) -> (*mut Self::Element, usize);
}

impl<T> Target for &mut [T] {
    type Element = T;

    #[inline(always)]
    fn place(self) -> (*mut T, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

impl<T: Element> Target for &mut Buffer<T> {
    type Element = T;

    #[inline(always)]
    fn place(self) -> (*mut T, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

impl<T> Target for Shared<'_, T> {
    type Element = T;

    #[inline(always)]
    fn place(self) -> (*mut T, usize) {
        (self.first, self.len)
    }
}

/// A buffer that the chunks of a loop write to, each at places of its own.
#[derive(Debug)]
pub struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    buffer: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// # Why chunks may share a buffer
//
// Threads only write to it, through its address and by `unsafe` functions, and no code reads it while the loop runs:
// there is no reference that two threads could both hold. The iterations of a loop in chunks are independent, which the
// lowering has proven: no two of them store to the same element. If several iterations add to one element, each chunk
// but the first has its own buffer (`riesz-rust/src/chunk.rs`).
unsafe impl<T: Send> Send for Shared<'_, T> {}
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares a buffer.
    #[inline(always)]
    pub fn of(buffer: &'a mut [T]) -> Shared<'a, T> {
        Shared { first: buffer.as_mut_ptr(), len: buffer.len(), buffer: PhantomData }
    }

    /// How many elements there are.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }
}

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
/// The position is in bounds, and no other code uses the element.
#[inline(always)]
pub unsafe fn put<B: Target>(buffer: B, position: i64, value: B::Element)
where
    B::Element: Copy,
{
    let (first, len) = buffer.place();
    debug_assert!((position as usize) < len, "{position} of {len}");
    unsafe { *first.add(position as usize) = value }
}

/// Adds to the element at a position.
///
/// # Safety
/// The position is in bounds, and no other code uses the element.
#[inline(always)]
pub unsafe fn add<B: Target>(buffer: B, position: i64, value: B::Element)
where
    B::Element: AddAssign,
{
    let (first, len) = buffer.place();
    debug_assert!((position as usize) < len, "{position} of {len}");
    unsafe { *first.add(position as usize) += value }
}

/// Elements from a position on.
#[inline(always)]
pub fn part<T>(buffer: &[T], from: i64, count: i64) -> &[T] {
    if count <= 0 { &[] } else { &buffer[from as usize..][..count as usize] }
}

/// The same, to be changed.
///
/// # Safety
/// No other code uses these elements during that time.
#[inline(always)]
pub unsafe fn part_mut<'a, B: Target + 'a>(buffer: B, from: i64, count: i64) -> &'a mut [B::Element] {
    if count <= 0 {
        return &mut [];
    }
    let (first, len) = buffer.place();
    let (from, count) = (from as usize, count as usize);
    assert!(from <= len && count <= len - from, "{count} elements from {from} on, of {len}");
    unsafe { std::slice::from_raw_parts_mut(first.add(from), count) }
}
