//! Eight numbers side by side, sixteen in single precision: as many iterations of a loop at the same time.
//!
//! Most operations are written out for each place of an array of eight, which compilers vectorise; those of
//! [`super::arithmetic`] are instructions. Sums over lanes always have the same order. This source is written over
//! `super::R` and compiled for both precisions.

use super::{Buffer, Context, Outcome, R, Target, at, truncate};

/// How many lanes there are.
pub const LANES: usize = 64 / size_of::<R>();

/// Eight real numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [R; LANES]);

/// Eight integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Ints(pub [i64; LANES]);

/// Eight truth values: all bits, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Mask(pub [i64; LANES]);

/// The array whose elements are computed from their places. It is no loop, because compilers take long to unroll the
/// thousands of loops that a program would have.
#[inline(always)]
pub(super) fn each<T: Copy>(f: impl Fn(usize) -> T) -> [T; LANES] {
    let mut result = std::mem::MaybeUninit::<[T; LANES]>::uninit();
    let first = result.as_mut_ptr().cast::<T>();
    macro_rules! write {
        ($($lane:literal)*) => {$(
            if $lane < LANES {
                // It is the place of an element.
                unsafe { first.add($lane).write(f($lane)) };
            }
        )*};
    }
    write!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    // All lanes have been written: there are eight or sixteen.
    unsafe { result.assume_init() }
}

/// The same as a loop, which is vectorised where the function is long.
#[inline(always)]
fn looped<T: Copy + Default>(f: impl Fn(usize) -> T) -> [T; LANES] {
    let mut result = [T::default(); LANES];
    for (lane, slot) in result.iter_mut().enumerate() {
        *slot = f(lane);
    }
    result
}

impl Lanes {
    /// The sum over the lanes, pairwise.
    #[inline(always)]
    pub fn sum(self) -> R {
        self.pairwise(
            #[inline(always)]
            |a, b| a + b,
        )
    }

    /// The product over the lanes, pairwise.
    #[inline(always)]
    pub fn product(self) -> R {
        self.pairwise(
            #[inline(always)]
            |a, b| a * b,
        )
    }

    /// Brings lanes together: the halves, until there are four, then these two by two.
    #[inline(always)]
    fn pairwise(self, f: impl Fn(R, R) -> R) -> R {
        let mut part = self.0;
        let mut count = LANES;
        while count > 4 {
            count /= 2;
            for lane in 0..count {
                part[lane] = f(part[lane], part[lane + count]);
            }
        }
        f(f(part[0], part[1]), f(part[2], part[3]))
    }

    /// The elements at places that are a step apart, the first at a position.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn load(buffer: &[R], position: i64, step: i64) -> Lanes {
        if step == 1 {
            debug_assert!(position >= 0 && position as usize + LANES <= buffer.len());
            return Lanes(unsafe { buffer.as_ptr().add(position as usize).cast::<[R; LANES]>().read() });
        }
        Lanes(each(
            #[inline(always)]
            |lane| unsafe { at(buffer, position + lane as i64 * step) },
        ))
    }

    /// Writes elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn store(self, buffer: impl Target<Element = R>, position: i64, step: i64) {
        let (first, len) = buffer.place();
        if step == 1 {
            debug_assert!(position >= 0 && position as usize + LANES <= len);
            unsafe { first.add(position as usize).cast::<[R; LANES]>().write(self.0) };
            return;
        }
        debug_assert!((0..LANES as i64).all(|lane| ((position + lane * step) as usize) < len));
        unsafe { spread(&self, first.offset(position as isize), step as isize) }
    }

    /// Adds to elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn add_to(self, buffer: impl Target<Element = R>, position: i64, step: i64) {
        let (first, len) = buffer.place();
        if step == 0 {
            debug_assert!((position as usize) < len);
            return unsafe { *first.add(position as usize) += self.sum() };
        }
        if step == 1 {
            debug_assert!(position >= 0 && position as usize + LANES <= len);
            let place = unsafe { first.add(position as usize).cast::<[R; LANES]>() };
            return unsafe { place.write((Lanes(place.read()) + self).0) };
        }
        for lane in 0..LANES {
            let position = (position + lane as i64 * step) as usize;
            debug_assert!(position < len);
            unsafe { *first.add(position) += self.0[lane] }
        }
    }

    /// The lanes moved up by a few; the first are the last of the lanes before, which the carry keeps from call to call.
    #[inline(always)]
    pub fn shifted(self, by: usize, carry: &mut Lanes) -> Lanes {
        let before = std::mem::replace(carry, self);
        Lanes(each(
            #[inline(always)]
            |lane| if lane < by { before.0[LANES - by + lane] } else { self.0[lane - by] },
        ))
    }

    /// Adds the last lanes to elements.
    ///
    /// # Safety
    /// The positions are in bounds.
    pub unsafe fn add_last(self, count: usize, buffer: impl Target<Element = R>, position: i64) {
        let (first, len) = buffer.place();
        for lane in 0..count {
            let position = position as usize + lane;
            debug_assert!(position < len);
            unsafe { *first.add(position) += self.0[LANES - count + lane] }
        }
    }

    /// A function of numbers, in each lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(R) -> R) -> Lanes {
        Lanes(looped(
            #[inline(always)]
            |lane| f(self.0[lane]),
        ))
    }

    /// A function of two numbers, in each lane.
    #[inline(always)]
    pub fn map2(self, other: Lanes, f: impl Fn(R, R) -> R) -> Lanes {
        Lanes(looped(
            #[inline(always)]
            |lane| f(self.0[lane], other.0[lane]),
        ))
    }

    /// A function of several numbers, in each lane.
    #[inline(always)]
    pub fn called<const N: usize>(arguments: [Lanes; N], f: impl Fn([R; N]) -> R) -> Lanes {
        Lanes(looped(|lane| f(arguments.map(|argument| argument.0[lane]))))
    }

    /// A comparison, in each lane.
    #[inline(always)]
    pub fn compare(self, other: Lanes, f: impl Fn(R, R) -> bool) -> Mask {
        Mask(looped(
            #[inline(always)]
            |lane| -i64::from(f(self.0[lane], other.0[lane])),
        ))
    }

    /// The integer parts; none where one does not fit.
    #[inline(always)]
    pub fn truncate(self) -> Option<Ints> {
        let mut result = Ints::default();
        for lane in 0..LANES {
            result.0[lane] = truncate(self.0[lane])?;
        }
        Some(result)
    }
}

impl Ints {
    /// The same integer in every lane.
    #[inline(always)]
    pub fn splat(x: i64) -> Ints {
        Ints([x; LANES])
    }

    /// Integers a step apart.
    #[inline(always)]
    pub fn linear(first: i64, step: i64) -> Ints {
        Ints(each(
            #[inline(always)]
            |lane| first.wrapping_add(step.wrapping_mul(lane as i64)),
        ))
    }

    /// The greatest.
    #[inline(always)]
    pub fn most(self) -> i64 {
        self.0.into_iter().fold(i64::MIN, i64::max)
    }

    /// A function that may fail, in each lane.
    #[inline(always)]
    pub fn try_map2(self, other: Ints, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Ints> {
        let mut result = Ints::default();
        for lane in 0..LANES {
            result.0[lane] = f(self.0[lane], other.0[lane])?;
        }
        Some(result)
    }

    /// A function, in each lane.
    #[inline(always)]
    pub fn map2(self, other: Ints, f: impl Fn(i64, i64) -> i64) -> Ints {
        Ints(each(
            #[inline(always)]
            |lane| f(self.0[lane], other.0[lane]),
        ))
    }

    /// A comparison, in each lane.
    #[inline(always)]
    pub fn compare(self, other: Ints, f: impl Fn(i64, i64) -> bool) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| -i64::from(f(self.0[lane], other.0[lane])),
        ))
    }

    /// Where lanes are indices of an array of a length.
    #[inline(always)]
    pub fn within(self, len: Ints) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| -i64::from((self.0[lane] as u64) < len.0[lane] as u64),
        ))
    }

    /// One integer or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: Mask, yes: Ints, no: Ints) -> Ints {
        Ints(each(
            #[inline(always)]
            |lane| if mask.0[lane] != 0 { yes.0[lane] } else { no.0[lane] },
        ))
    }

    /// The real numbers that the integers are.
    #[inline(always)]
    pub fn real(self) -> Lanes {
        Lanes(each(
            #[inline(always)]
            |lane| self.0[lane] as R,
        ))
    }
}

impl Mask {
    /// The same truth value in every lane.
    #[inline(always)]
    pub fn splat(x: bool) -> Mask {
        Mask([-i64::from(x); LANES])
    }

    /// Where both hold.
    #[inline(always)]
    pub fn and(self, other: Mask) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| self.0[lane] & other.0[lane],
        ))
    }

    /// Where either holds.
    #[inline(always)]
    pub fn or(self, other: Mask) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| self.0[lane] | other.0[lane],
        ))
    }

    /// The lanes in which it does not hold.
    #[inline(always)]
    pub fn negated(self) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| !self.0[lane],
        ))
    }

    /// One truth value or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: Mask, yes: Mask, no: Mask) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| if mask.0[lane] != 0 { yes.0[lane] } else { no.0[lane] },
        ))
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn same(self, other: Mask) -> Mask {
        Mask(each(
            #[inline(always)]
            |lane| !(self.0[lane] ^ other.0[lane]),
        ))
    }
}

/// Adds up the lanes of each element of a part of a buffer, which begins at a position. To what is out of bounds nothing has
/// been added.
///
/// # Safety
/// No other code uses the elements.
pub unsafe fn add_lanes(total: impl Target<Element = R>, first: i64, lanes: &[Lanes]) {
    let (total, from) = unsafe { overlap(total, first, lanes.len()) };
    for (total, lanes) in total.iter_mut().zip(&lanes[from..]) {
        *total += sum_of(lanes);
    }
}

/// Adds elements to a part of a buffer in the same way.
///
/// # Safety
/// No other code uses the elements.
pub unsafe fn add_part(total: impl Target<Element = R>, first: i64, further: &[R]) {
    let (total, from) = unsafe { overlap(total, first, further.len()) };
    for (total, further) in total.iter_mut().zip(&further[from..]) {
        *total += further;
    }
}

/// The elements of a range that are in bounds, and how many before them are not.
///
/// # Safety
/// No other code uses the elements.
unsafe fn overlap<'t>(total: impl Target<Element = R>, first: i64, count: usize) -> (&'t mut [R], usize) {
    let (place, len) = total.place();
    let start = first.clamp(0, len as i64);
    let end = first.saturating_add(count as i64).clamp(start, len as i64);
    let from = start.saturating_sub(first).clamp(0, count as i64) as usize;
    // The range lies between the first element and the last.
    (unsafe { std::slice::from_raw_parts_mut(place.add(start as usize), (end - start) as usize) }, from)
}

/// The sums over the lanes of each element.
pub fn sums(context: &Context, lanes: &[Lanes], site: u32) -> Outcome<Buffer<R>> {
    let mut sums = context.filled(lanes.len(), 0.0, site)?;
    sums.iter_mut().zip(lanes).for_each(|(sum, lanes)| *sum = sum_of(lanes));
    Ok(sums)
}

/// The sum by itself: written into the loop around, it would be taken over eight elements at once by gathering.
#[inline(never)]
fn sum_of(lanes: &Lanes) -> R {
    lanes.sum()
}

/// Writes lanes to places that are a step apart.
///
/// It is a call, so that the lanes are stored together before: stores that are apart give the compiler no reason to keep
/// eight numbers in one register, and what leads up to them would be computed number by number.
///
/// # Safety
/// The places are those of elements.
#[inline(never)]
unsafe fn spread(lanes: &Lanes, first: *mut R, step: isize) {
    for (lane, value) in lanes.0.iter().enumerate() {
        unsafe { *first.offset(lane as isize * step) = *value }
    }
}
