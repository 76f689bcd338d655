//! Elements at a different position in each lane: read, written and added to under a mask.
//!
//! This source is written over `super::R` and compiled for both precisions.

use super::lanes::each;
use super::{Ints, LANES, Lanes, Mask, R, Target, at, put};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use std::arch::x86_64::_mm512_maskz_loadu_pd;

/// A value with one element for each lane.
pub trait Wide: Copy {
    /// An element.
    type Element: Copy + Default;

    /// The element of a lane.
    fn lane(self, lane: usize) -> Self::Element;

    /// Elements, one for each lane.
    fn of(f: impl Fn(usize) -> Self::Element) -> Self;
}

impl Wide for Lanes {
    type Element = R;

    #[inline(always)]
    fn lane(self, lane: usize) -> R {
        self.0[lane]
    }

    #[inline(always)]
    fn of(f: impl Fn(usize) -> R) -> Lanes {
        Lanes(each(f))
    }
}

impl Wide for Ints {
    type Element = i64;

    #[inline(always)]
    fn lane(self, lane: usize) -> i64 {
        self.0[lane]
    }

    #[inline(always)]
    fn of(f: impl Fn(usize) -> i64) -> Ints {
        Ints(each(f))
    }
}

impl Wide for Mask {
    type Element = bool;

    #[inline(always)]
    fn lane(self, lane: usize) -> bool {
        self.0[lane] != 0
    }

    #[inline(always)]
    fn of(f: impl Fn(usize) -> bool) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| -i64::from(f(lane)),
        ))
    }
}

/// The element at a position of its own in each lane, where a mask holds.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn gather<W: Wide>(buffer: &[W::Element], positions: Ints, mask: Mask) -> W {
    W::of(
        #[inline(always)]
        |lane| match mask.0[lane] {
            0 => W::Element::default(),
            _ => unsafe { at(buffer, positions.0[lane]) },
        },
    )
}

/// Elements at places that are a step apart, under a mask. Where the mask holds in all lanes, as inside of a grid whose
/// edges are treated apart, they are accessed at once.
impl Lanes {
    /// Reads the elements for which a mask holds.
    ///
    /// # Safety
    /// The positions are in bounds where the mask holds.
    #[inline(always)]
    pub unsafe fn load_where(buffer: &[R], position: i64, step: i64, mask: Mask) -> Lanes {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        if size_of::<R>() == 8 && step == 1 {
            // Elements are of double precision, and only those are read for which the mask holds.
            return unsafe {
                let first = buffer.as_ptr().cast::<f64>().wrapping_offset(position as isize);
                std::mem::transmute_copy(&_mm512_maskz_loadu_pd(mask.bits(), first))
            };
        }
        match mask.all() {
            true => unsafe { Lanes::load(buffer, position, step) },
            false => unsafe { gather(buffer, Ints::linear(position, step), mask) },
        }
    }

    /// Writes the elements for which a mask holds.
    ///
    /// # Safety
    /// The positions are in bounds where the mask holds.
    #[inline(always)]
    pub unsafe fn store_where(self, buffer: impl Target<Element = R>, position: i64, step: i64, mask: Mask) {
        match mask.all() {
            true => unsafe { self.store(buffer, position, step) },
            false => unsafe { scatter(buffer, Ints::linear(position, step), self, mask) },
        }
    }

    /// Adds to the elements for which a mask holds.
    ///
    /// # Safety
    /// The positions are in bounds where the mask holds.
    #[inline(always)]
    pub unsafe fn add_to_where(self, buffer: impl Target<Element = R>, position: i64, step: i64, mask: Mask) {
        match mask.all() {
            true => unsafe { self.add_to(buffer, position, step) },
            false => unsafe { scatter_add(buffer, Ints::linear(position, step), self, mask) },
        }
    }
}

/// The same where every lane has a buffer of its own.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn gather_private<W: Wide>(buffer: &[W], positions: Ints, mask: Mask) -> W {
    W::of(
        #[inline(always)]
        |lane| match mask.0[lane] {
            0 => W::Element::default(),
            _ => unsafe { at(buffer, positions.0[lane]).lane(lane) },
        },
    )
}

/// Writes the element at a position of its own in each lane, where a mask holds.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn scatter<W: Wide>(buffer: impl Target<Element = W::Element>, positions: Ints, value: W, mask: Mask) {
    let (first, len) = buffer.place();
    for lane in 0..LANES {
        if mask.0[lane] != 0 {
            debug_assert!((positions.0[lane] as usize) < len);
            unsafe { *first.add(positions.0[lane] as usize) = value.lane(lane) }
        }
    }
}

/// The same where every lane has a buffer of its own.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn scatter_private<W: Wide>(buffer: &mut [W], positions: Ints, value: W, mask: Mask) {
    for lane in 0..LANES {
        if mask.0[lane] != 0 {
            let before = unsafe { at(buffer, positions.0[lane]) };
            let after = W::of(
                #[inline(always)]
                |other| if other == lane { value.lane(lane) } else { before.lane(other) },
            );
            unsafe { put(&mut *buffer, positions.0[lane], after) }
        }
    }
}

/// Adds to the element at a position of its own in each lane, where a mask holds, one lane after the other.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn scatter_add(buffer: impl Target<Element = R>, positions: Ints, value: Lanes, mask: Mask) {
    let (first, len) = buffer.place();
    for lane in 0..LANES {
        if mask.0[lane] != 0 {
            debug_assert!((positions.0[lane] as usize) < len);
            unsafe { *first.add(positions.0[lane] as usize) += value.0[lane] }
        }
    }
}

/// The same where every lane has a buffer of its own.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn scatter_add_private(buffer: &mut [Lanes], positions: Ints, value: Lanes, mask: Mask) {
    for lane in 0..LANES {
        if mask.0[lane] != 0 {
            debug_assert!((positions.0[lane] as usize) < buffer.len());
            unsafe { buffer.get_unchecked_mut(positions.0[lane] as usize).0[lane] += value.0[lane] }
        }
    }
}
