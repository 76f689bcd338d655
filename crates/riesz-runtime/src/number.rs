//! Functions of numbers that the standard library lacks. Their values at NaN, infinities, zeros and ties follow the
//! conventions of Riesz. This source is written over `super::R` and compiled for both precisions.

// A number is as long as the C library has it in one of them.
#![allow(clippy::unnecessary_cast)]

use super::R;

/// The larger of two numbers, the first of equal ones; NaN if either is.
#[inline(always)]
pub fn max(x: R, y: R) -> R {
    if x < y || y.is_nan() { y } else { x }
}

/// The smaller of two numbers, the first of equal ones; NaN if either is.
#[inline(always)]
pub fn min(x: R, y: R) -> R {
    if y < x || y.is_nan() { y } else { x }
}

/// The product in which zero times anything is zero.
#[inline(always)]
pub fn exact_mul(x: R, y: R) -> R {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// A function of several numbers that the compiler cannot see.
#[inline(always)]
pub fn called<const N: usize>(arguments: [R; N], f: impl Fn([R; N]) -> R) -> R {
    f(arguments)
}

/// 1, −1 or 0; NaN of NaN.
#[inline(always)]
pub fn sign(x: R) -> R {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x.is_nan() {
        x
    } else {
        0.0
    }
}

/// A whole power of a number: squares and inverses to the last bit, small powers as products.
#[inline(always)]
pub fn powi(x: R, n: R) -> R {
    if x == -1.0 && n.abs() < 9007199254740992.0 {
        // Alternating signs, exactly as the power has them; every larger number is even.
        return if n as i64 & 1 == 0 { 1.0 } else { -1.0 };
    }
    match n.abs() {
        small if !(1.0..=SMALL_POWER).contains(&small) => x.powf(n),
        small if n < 0.0 => small_power(1.0 / x, small),
        small => small_power(x, small),
    }
}

/// The largest exponent whose power is a product.
pub(crate) const SMALL_POWER: R = 8.0;

/// `xⁿ` for `n` from 1 to [`SMALL_POWER`], in at most four products.
#[inline(always)]
pub(crate) fn small_power<T: Copy + std::ops::Mul<Output = T>>(x: T, n: R) -> T {
    let square = x * x;
    match n as u32 {
        1 => x,
        2 => square,
        3 => square * x,
        4 => square * square,
        5 => (square * square) * x,
        6 => (square * square) * square,
        7 => (square * square) * (square * x),
        _ => (square * square) * (square * square),
    }
}

/// Whether the integers `first + i · step` fit into 64 bits, for all `i` up to `more`.
#[inline(always)]
pub fn reaches(first: i64, step: i128, more: i64) -> bool {
    i64::try_from(i128::from(first).saturating_add(step.saturating_mul(i128::from(more)))).is_ok()
}

/// The quotient of integers, rounded down; none by zero, or where it overflows.
#[inline]
pub fn div(a: i64, b: i64) -> Option<i64> {
    let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// The remainder of [`div`], with the sign of `b`.
#[inline]
pub fn modulo(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let remainder = a.wrapping_rem(b);
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

/// A power of an integer; none where it overflows or the exponent is negative.
pub fn integer_power(x: i64, n: i64) -> Option<i64> {
    match (x, u32::try_from(n)) {
        (_, Ok(n)) => x.checked_pow(n),
        (0 | 1, Err(_)) if n > 0 => Some(x),
        (-1, Err(_)) if n > 0 => Some(if n % 2 == 0 { 1 } else { -1 }),
        _ => None,
    }
}

/// The integer part of a number; none where it does not fit.
#[inline]
pub fn truncate(x: R) -> Option<i64> {
    let truncated = x.trunc();
    // 2^63 is the first that does not fit.
    if (-9223372036854775808.0..9223372036854775808.0).contains(&truncated) { Some(truncated as i64) } else { None }
}

/// Whether two numbers are within a tolerance of each other; NaN agrees with NaN and an infinity with itself.
#[inline]
pub fn near(a: R, b: R, tolerance: R) -> bool {
    if a == b || a.is_nan() && b.is_nan() {
        return 0.0 <= tolerance;
    }
    let distance = (a - b).abs() / a.abs().max(b.abs()).max(1.0);
    distance.is_finite() && distance <= tolerance
}

/// Whether two integers are within a tolerance of each other.
#[inline]
pub fn near_integers(a: i64, b: i64, tolerance: R) -> bool {
    if a == b {
        return 0.0 <= tolerance;
    }
    a.abs_diff(b) as R / (a.unsigned_abs().max(b.unsigned_abs()) as R).max(1.0) <= tolerance
}

/// Functions of the C library.
mod c {
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
    }
}

/// The error function.
pub fn erf(x: R) -> R {
    c::erf(x as f64) as R
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_minus_one_are_signs_by_turns() {
        for n in [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 1e6 + 1.0, 1e15 + 1.0, 1e16, 1e30, R::INFINITY] {
            assert_eq!(powi(-1.0, n), (-1.0 as R).powf(n), "{n}");
        }
    }
}
