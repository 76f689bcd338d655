//! Functions of `f64` and `f32` that are not in `core`: those of this crate, else those of the system if there is one,
//! else those of libm.

pub(crate) use super::circle::{cos, sin};
pub(crate) use super::exponential::exp;

/// Calls a function of floating-point numbers by its name in `std` and its name in libm.
macro_rules! system {
    ($float:ident :: $std:ident, $libm:ident ($($x:expr),*)) => {{
        #[cfg(feature = "std")]
        let value = $float::$std($($x),*);
        #[cfg(not(feature = "std"))]
        let value = libm::$libm($($x),*);
        value
    }};
}
pub(crate) use system;

/// `a · b + c`, rounded once.
pub(crate) fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    system!(f64::mul_add, fma(a, b, c))
}

/// The nearest whole number; halves go away from zero.
pub(crate) fn round(x: f64) -> f64 {
    system!(f64::round, round(x))
}

/// The fraction.
pub(crate) fn fract(x: f64) -> f64 {
    x - system!(f64::trunc, trunc(x))
}

pub(crate) fn ln(x: f64) -> f64 {
    system!(f64::ln, log(x))
}

pub(crate) fn tan(x: f64) -> f64 {
    system!(f64::tan, tan(x))
}

pub(crate) fn pow(x: f64, y: f64) -> f64 {
    system!(f64::powf, pow(x, y))
}

/// The power with a whole exponent, by squaring.
#[inline]
pub(crate) fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left % 2 == 1 {
            power *= square;
        }
        left /= 2;
        if left > 0 {
            square *= square;
        }
    }
    if n < 0 { 1.0 / power } else { power }
}
