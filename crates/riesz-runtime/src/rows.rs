//! Rows of several numbers, one row in each lane, written to memory by a transposition.
//!
//! ```text
//! lanes: [a₀ a₁ ...] [b₀ b₁ ...] ...        memory: a₀ b₀ ... | a₁ b₁ ... | ...
//! ```

use super::{LANES, Lanes, R, Target};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
use std::arch::x86_64::{
    __m512d, _mm512_loadu_pd, _mm512_loadu_si512, _mm512_mask_permutexvar_pd, _mm512_mask_storeu_pd,
    _mm512_permutex2var_pd, _mm512_setzero_pd, _mm512_shuffle_f64x2, _mm512_storeu_pd, _mm512_unpackhi_pd,
    _mm512_unpacklo_pd,
};

/// Writes adjacent numbers, in each lane at a fixed distance from those of the lane before.
///
/// # Safety
/// The positions are in bounds.
#[inline(never)]
pub unsafe fn store_rows(numbers: &[Lanes], buffer: impl Target<Element = R>, position: i64, step: i64) {
    let (first, len) = buffer.place();
    debug_assert!((0..LANES as i64).all(|lane| (position + lane * step) as usize + numbers.len() <= len));
    let first = unsafe { first.add(position as usize) };
    for (at, numbers) in numbers.chunks(8).enumerate() {
        unsafe { store_square(numbers, first.add(8 * at), step as isize) }
    }
}

/// Writes the numbers of the first lane, then those of the second, and so on.
///
/// # Safety
/// The positions are in bounds.
#[inline(always)]
pub unsafe fn store_interleaved<const K: usize>(numbers: [Lanes; K], buffer: impl Target<Element = R>, position: i64) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    if size_of::<R>() == 8 && K > 0 && K <= 4 {
        let (first, len) = buffer.place();
        debug_assert!(position >= 0 && position as usize + K * LANES <= len);
        // Eight numbers are read of each, and K times eight written.
        unsafe {
            let first = first.cast::<f64>().add(position as usize);
            let from = numbers.each_ref().map(|lanes| _mm512_loadu_pd(lanes.0.as_ptr().cast()));
            for (at, Shuffle { pair, lanes, masks }) in Shuffle::<K>::ALL.iter().enumerate() {
                let [pair, lanes] = [pair, lanes].map(|places| _mm512_loadu_si512(places.as_ptr().cast()));
                let mut part = _mm512_permutex2var_pd(from[0], pair, from[K.min(2) - 1]);
                for number in 2..K {
                    part = _mm512_mask_permutexvar_pd(part, masks[number], lanes, from[number]);
                }
                _mm512_storeu_pd(first.add(8 * at), part);
            }
        }
        return;
    }
    unsafe { store_rows(&numbers, buffer, position, K as i64) }
}

/// The contents of eight places of memory: which lane of a number, and which of K numbers.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[derive(Clone, Copy)]
struct Shuffle<const K: usize> {
    lanes: [i64; 8],
    masks: [u8; K],
    /// The lanes of the first number, then those of the second.
    pair: [i64; 8],
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
impl<const K: usize> Shuffle<K> {
    /// The shuffles of all places, eight at a time.
    const ALL: [Shuffle<K>; K] = {
        let mut all = [Shuffle { lanes: [0; 8], masks: [0; K], pair: [0; 8] }; K];
        let mut place = 0;
        while place < 8 * K {
            all[place / 8].lanes[place % 8] = (place / K) as i64;
            all[place / 8].masks[place % K] |= 1 << (place % 8);
            all[place / 8].pair[place % 8] = (place / K + if place % K == 1 { 8 } else { 0 }) as i64;
            place += 1;
        }
        all
    };
}

/// Writes up to eight numbers for each lane.
///
/// # Safety
/// The places are those of elements.
#[inline(always)]
unsafe fn store_square(numbers: &[Lanes], first: *mut R, step: isize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    if size_of::<R>() == 8 {
        let (from, to, count) = (numbers.as_ptr().cast::<f64>(), first.cast::<f64>(), numbers.len());
        // Eight numbers of eight bytes each are read of what there is, and as many written as there are places for.
        let load = |at: usize| match at < count {
            true => unsafe { _mm512_loadu_pd(from.add(8 * at)) },
            false => unsafe { _mm512_setzero_pd() },
        };
        let mask = (0xFF_u16 >> (8 - count)) as u8;
        return transpose(load, |lane, row| unsafe {
            _mm512_mask_storeu_pd(to.offset(lane as isize * step), mask, row);
        });
    }
    for (at, number) in numbers.iter().enumerate() {
        for (lane, value) in number.0.iter().enumerate() {
            unsafe { *first.offset(lane as isize * step).add(at) = *value }
        }
    }
}

/// Eight vectors of eight numbers become the vectors of their first numbers, of their second, and so on: neighbours are
/// put side by side, then pairs, then fours. `store` is given the place of each, and the vector.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
pub(crate) fn transpose(load: impl Fn(usize) -> __m512d, mut store: impl FnMut(usize, __m512d)) {
    let mut fours = |at: usize, [a, b, c, d]: [__m512d; 4]| {
        // The instructions are there: this is compiled for machines that have them.
        unsafe {
            let (low, high) = (_mm512_shuffle_f64x2::<0x44>(a, b), _mm512_shuffle_f64x2::<0x44>(c, d));
            store(at, _mm512_shuffle_f64x2::<0x88>(low, high));
            store(at + 2, _mm512_shuffle_f64x2::<0xDD>(low, high));
            let (low, high) = (_mm512_shuffle_f64x2::<0xEE>(a, b), _mm512_shuffle_f64x2::<0xEE>(c, d));
            store(at + 4, _mm512_shuffle_f64x2::<0x88>(low, high));
            store(at + 6, _mm512_shuffle_f64x2::<0xDD>(low, high));
        }
    };
    let pairs = [0, 2, 4, 6].map(|at| (load(at), load(at + 1)));
    fours(0, pairs.map(|(a, b)| unsafe { _mm512_unpacklo_pd(a, b) }));
    fours(1, pairs.map(|(a, b)| unsafe { _mm512_unpackhi_pd(a, b) }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lanes_stand_beside_each_other() {
        fn check<const K: usize>() {
            let numbers = std::array::from_fn(|at| Lanes(std::array::from_fn(|lane| (10 * lane + at) as R)));
            let mut buffer: Vec<R> = vec![-1.0; 3 + K * LANES + 2];
            unsafe { store_interleaved::<K>(numbers, &mut buffer[..], 3) };
            let between = (0..LANES).flat_map(|lane| (0..K).map(move |at| (10 * lane + at) as R));
            let expected: Vec<R> = [-1.0; 3].into_iter().chain(between).chain([-1.0; 2]).collect();
            assert_eq!(buffer, expected);
        }
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<8>();
    }

    #[test]
    fn rows_go_where_single_numbers_would() {
        for count in 0..20 {
            let value = |at: usize, lane: usize| (100 * at + lane) as R;
            let numbers: Vec<Lanes> = (0..count).map(|at| Lanes(std::array::from_fn(|lane| value(at, lane)))).collect();
            let mut buffer: Vec<R> = vec![-1.0; 5 + LANES * (count + 3)];
            unsafe { store_rows(&numbers, &mut buffer[..], 5, count as i64 + 3) };
            for (place, found) in buffer.iter().enumerate() {
                let (lane, at) = match place.checked_sub(5) {
                    Some(place) => (place / (count + 3), place % (count + 3)),
                    None => (0, count),
                };
                assert_eq!(*found, if at < count { value(at, lane) } else { -1.0 }, "{count} numbers, place {place}");
            }
        }
    }
}
