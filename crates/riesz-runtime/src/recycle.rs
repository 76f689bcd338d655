//! Buffers that generated code allocates.
//!
//! With the feature `recycle`, a thread keeps the memory of buffers that are dropped, and the next buffers that fit are made
//! of it: a function that is called again and again allocates in its first calls alone. Code that is compiled as a library
//! of its own does without, because the library may be unloaded before its threads end.

use crate::Element;
use std::ops::{Deref, DerefMut};

/// A buffer of a run.
#[derive(Debug)]
pub struct Buffer<T: Element>(Vec<T>);

impl<T: Element> Buffer<T> {
    /// A buffer without elements.
    #[inline]
    pub fn new() -> Buffer<T> {
        Buffer(Vec::new())
    }

    /// A buffer of a number of elements, if the system has memory for it. They are whatever was there before.
    #[inline]
    pub fn try_new(count: usize) -> Option<Buffer<T>> {
        #[cfg(feature = "recycle")]
        if let Some(kept) = kept::take(count) {
            return Some(Buffer(kept));
        }
        T::try_buffer(count).map(Buffer)
    }

    /// A buffer without elements, with the most room that there is without asking the system.
    pub fn collecting() -> Buffer<T> {
        #[cfg(feature = "recycle")]
        return Buffer(kept::take_longest());
        #[cfg(not(feature = "recycle"))]
        Buffer::new()
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, element: T) {
        self.0.push(element);
    }

    /// The elements as a value of the standard library.
    #[inline]
    pub fn into_vec(mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

impl<T: Element> Default for Buffer<T> {
    fn default() -> Buffer<T> {
        Buffer::new()
    }
}

impl<T: Element> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Buffer<T> {
        Buffer(elements.into_iter().collect())
    }
}

impl<T: Element> Deref for Buffer<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Element> DerefMut for Buffer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

#[cfg(feature = "recycle")]
impl<T: Element> Drop for Buffer<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.capacity() > 0 {
            kept::keep(std::mem::take(&mut self.0));
        }
    }
}

/// The memory that a thread keeps for its next buffers, for each type of elements.
#[cfg(feature = "recycle")]
pub mod kept {
    use crate::Element;

    /// How many buffers of a type are kept at most.
    const MOST: usize = 64;
    /// How many bytes they have at most, all together. Larger buffers are cheap to ask for, beside what is done with them.
    const MOST_BYTES: usize = 1 << 26;

    /// Kept buffers.
    #[derive(Debug)]
    pub struct Kept<T> {
        buffers: Vec<Vec<T>>,
        bytes: usize,
    }

    impl<T> Kept<T> {
        /// None yet.
        pub const NONE: Kept<T> = Kept { buffers: Vec::new(), bytes: 0 };
    }

    impl<T: Element> Kept<T> {
        /// The one that `best` prefers to all others.
        fn choose(&mut self, best: impl Fn(usize, Option<usize>) -> bool) -> Option<Vec<T>> {
            let mut chosen: Option<usize> = None;
            for (at, buffer) in self.buffers.iter().enumerate() {
                if best(buffer.capacity(), chosen.map(|chosen| self.buffers[chosen].capacity())) {
                    chosen = Some(at);
                }
            }
            let taken = self.buffers.swap_remove(chosen?);
            self.bytes -= taken.capacity() * size_of::<T>();
            Some(taken)
        }
    }

    /// A kept buffer with room for a number of elements: the shortest.
    pub(super) fn take<T: Element>(count: usize) -> Option<Vec<T>> {
        let fits = |room: usize, chosen: Option<usize>| room >= count && chosen.is_none_or(|chosen| room < chosen);
        let mut taken = T::kept(|kept| kept.choose(fits))??;
        T::set_len(&mut taken, count);
        Some(taken)
    }

    /// The longest of the kept buffers, without elements.
    pub(super) fn take_longest<T: Element>() -> Vec<T> {
        let longer = |room: usize, chosen: Option<usize>| chosen.is_none_or(|chosen| room > chosen);
        let mut taken = T::kept(|kept| kept.choose(longer)).flatten().unwrap_or_default();
        taken.clear();
        taken
    }

    /// Keeps a buffer, if there is room for it.
    pub(super) fn keep<T: Element>(buffer: Vec<T>) {
        let bytes = buffer.capacity() * size_of::<T>();
        // A thread that is ending keeps nothing.
        let _ = T::kept(|kept| {
            if kept.buffers.len() < MOST && kept.bytes + bytes <= MOST_BYTES {
                kept.bytes += bytes;
                kept.buffers.push(buffer);
            }
        });
    }
}
