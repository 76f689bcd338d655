//! Arithmetic of integers in lanes, which fails if a lane has no result.
//!
//! ```text
//! a = q · b + r,  0 ≤ r < b      q is the quotient of real numbers, rounded, or one less
//! ```
//!
//! Integers below 2⁵¹ are exact real numbers, and the rounded quotient of two is at most one too large: it is within
//! one of the true quotient, and rounding does not cross an integer. For such lanes, which include all indices, no
//! operation runs one lane after the other. This source is written over `super::R` and compiled for both precisions.

use super::lanes::each;
use super::{Ints, LANES, Target, at, div, modulo};

/// `2⁵²`, from which on real numbers are integers: added to a smaller one it leaves that in the last bits.
const SHIFT: f64 = 4503599627370496.0;

impl Ints {
    /// The sum.
    #[inline(always)]
    pub fn try_add(self, other: Ints) -> Option<Ints> {
        let sum = self.map2(other, i64::wrapping_add);
        // The signs of the sum and of both terms differ.
        let wrong = each(|lane| (self.0[lane] ^ sum.0[lane]) & (other.0[lane] ^ sum.0[lane]));
        if any(wrong, i64::MIN) { None } else { Some(sum) }
    }

    /// The difference.
    #[inline(always)]
    pub fn try_sub(self, other: Ints) -> Option<Ints> {
        let difference = self.map2(other, i64::wrapping_sub);
        let wrong = each(|lane| (self.0[lane] ^ other.0[lane]) & (self.0[lane] ^ difference.0[lane]));
        if any(wrong, i64::MIN) { None } else { Some(difference) }
    }

    /// The product.
    #[inline(always)]
    pub fn try_mul(self, other: Ints) -> Option<Ints> {
        // Factors of 32 bits have a product of 64.
        const HALF: i64 = 1 << 31;
        let long = each(|lane| self.0[lane].wrapping_add(HALF) | other.0[lane].wrapping_add(HALF));
        match any(long, !0 << 32) {
            false => Some(self.map2(other, i64::wrapping_mul)),
            true => one_by_one(self, other, i64::checked_mul),
        }
    }

    /// The quotient, rounded down.
    #[inline(always)]
    pub fn try_div(self, other: Ints) -> Option<Ints> {
        match self.divided(other) {
            Some((quotient, _)) => Some(quotient),
            None => one_by_one(self, other, div),
        }
    }

    /// The remainders.
    #[inline(always)]
    pub fn try_modulo(self, other: Ints) -> Option<Ints> {
        match self.divided(other) {
            Some((_, rest)) => Some(rest),
            None => one_by_one(self, other, modulo),
        }
    }

    /// Quotient and rest, where they can be found from real numbers.
    #[inline(always)]
    fn divided(self, other: Ints) -> Option<(Ints, Ints)> {
        let outside = each(|lane| self.0[lane] | other.0[lane].wrapping_sub(1));
        if any(outside, !0 << 51) {
            return None;
        }
        let real = |x: i64| f64::from_bits(x as u64 | SHIFT.to_bits()) - SHIFT;
        let rounded = self.map2(other, |a, b| ((real(a) / real(b) + SHIFT).to_bits() & !SHIFT.to_bits()) as i64);
        let rest = Ints(each(
            #[inline(always)]
            |lane| self.0[lane].wrapping_sub(rounded.0[lane].wrapping_mul(other.0[lane])),
        ));
        // All bits where it is one too many.
        let over = Ints(each(
            #[inline(always)]
            |lane| rest.0[lane] >> 63,
        ));
        let quotient = rounded.map2(over, i64::wrapping_add);
        let rest = Ints(each(
            #[inline(always)]
            |lane| rest.0[lane].wrapping_add(over.0[lane] & other.0[lane]),
        ));
        Some((quotient, rest))
    }

    /// Elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn load(buffer: &[i64], position: i64, step: i64) -> Ints {
        if step == 1 {
            let mut result = [0; LANES];
            debug_assert!(position >= 0 && position as usize + LANES <= buffer.len());
            unsafe {
                std::ptr::copy_nonoverlapping(buffer.as_ptr().add(position as usize), result.as_mut_ptr(), LANES);
            }
            return Ints(result);
        }
        Ints(each(
            #[inline(always)]
            |lane| unsafe { at(buffer, position + lane as i64 * step) },
        ))
    }

    /// Writes elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn store(self, buffer: impl Target<Element = i64>, position: i64, step: i64) {
        let (first, len) = buffer.place();
        if step == 1 {
            debug_assert!(position >= 0 && position as usize + LANES <= len);
            unsafe { std::ptr::copy_nonoverlapping(self.0.as_ptr(), first.add(position as usize), LANES) };
            return;
        }
        for lane in 0..LANES {
            let place = position + lane as i64 * step;
            debug_assert!((place as usize) < len);
            unsafe { *first.add(place as usize) = self.0[lane] };
        }
    }
}

/// Whether any lane has one of some bits.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn any(lanes: [i64; LANES], bits: i64) -> bool {
    use std::arch::x86_64::{_mm512_loadu_epi64, _mm512_set1_epi64, _mm512_test_epi64_mask};
    // Eight of the lanes are in bounds, and the instructions are there: this is compiled for machines that have them.
    let test = |eight: &[i64; 8]| unsafe {
        _mm512_test_epi64_mask(_mm512_loadu_epi64(eight.as_ptr()), _mm512_set1_epi64(bits))
    };
    lanes.as_chunks().0.iter().fold(0, |all, eight| all | test(eight)) != 0
}

/// Whether any lane has one of some bits.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
#[inline(always)]
fn any(lanes: [i64; LANES], bits: i64) -> bool {
    lanes.into_iter().fold(0, |all, lane| all | lane) & bits != 0
}

/// One lane after the other.
#[cold]
#[inline(never)]
fn one_by_one(a: Ints, b: Ints, f: impl Fn(i64, i64) -> Option<i64>) -> Option<Ints> {
    a.try_map2(b, f)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Many = fn(Ints, Ints) -> Option<Ints>;
    type One = fn(i64, i64) -> Option<i64>;

    /// Lanes compute the same as each integer alone, and all fail if one fails.
    #[test]
    fn lanes_agree_with_integers() {
        let functions: [(&str, Many, One); 5] = [
            ("+", Ints::try_add, i64::checked_add),
            ("-", Ints::try_sub, i64::checked_sub),
            ("*", Ints::try_mul, i64::checked_mul),
            ("div", Ints::try_div, div),
            ("mod", Ints::try_modulo, modulo),
        ];
        let edges = [0, 31, 32, 51, 52, 53, 62].map(|bits| 1i64 << bits);
        let near = edges.iter().flat_map(|edge| (-2..=2).map(move |by| edge.wrapping_add(by)));
        let mut numbers: Vec<i64> = near.flat_map(|x| [x, x.wrapping_neg()]).collect();
        numbers.extend([i64::MIN, i64::MAX, 7, 49, 7776, 31843, 4503599627370449]);
        for a in &numbers {
            for b in &numbers {
                for (name, many, one) in functions {
                    let expected = one(*a, *b);
                    let mut left = Ints::splat(1);
                    left.0[2] = *a;
                    let mut right = Ints::splat(1);
                    right.0[2] = *b;
                    let found = many(left, right);
                    assert_eq!(found.map(|found| found.0[2]), expected, "{a} {name} {b}");
                    assert!(found.is_none_or(|found| Some(found.0[1]) == one(1, 1)), "{a} {name} {b}");
                }
            }
        }
    }

    #[test]
    fn quotients_of_indices_are_right() {
        for divisor in (1..200).chain([7776, 65536, (1 << 51) - 1]) {
            for a in (0..3000).chain([divisor * 5 - 1, divisor * 5, (1 << 51) - 1]).filter(|a| a >> 51 == 0) {
                let (quotient, rest) = Ints::splat(a).divided(Ints::splat(divisor)).unwrap();
                assert_eq!((quotient.0[0], rest.0[0]), (a / divisor, a % divisor), "{a} by {divisor}");
            }
        }
    }
}
