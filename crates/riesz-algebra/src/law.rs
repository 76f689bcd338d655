//! Checks of laws: both sides are computed and compared.

use alloc::format;
use alloc::string::String;
use core::fmt::Debug;

/// Both sides of a law.
///
/// # Errors
/// Where they differ, a sentence with the law and both sides.
pub fn equal<T: PartialEq + Debug>(law: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right {
        Ok(())
    } else {
        Err(format!("{law} does not hold: {left:?} on the left, {right:?} on the right"))
    }
}

/// Both sides of a law about numbers, up to a tolerance that is relative for numbers beyond 1.
///
/// # Errors
/// Where they differ by more, a sentence with the law and both sides.
pub fn near(law: &str, left: f64, right: f64, tolerance: f64) -> Result<(), String> {
    if (left - right).abs() <= tolerance * left.abs().max(right.abs()).max(1.0) {
        Ok(())
    } else {
        Err(format!("{law} does not hold: {left:?} on the left, {right:?} on the right"))
    }
}

/// A law that says that something is so.
///
/// # Errors
/// If it does not hold, a sentence that names the law and the values.
pub fn holds<T: Debug>(law: &str, true_of: bool, of: &T) -> Result<(), String> {
    if true_of { Ok(()) } else { Err(format!("{law} does not hold: {of:?}")) }
}
