//! How a law is checked: both sides are computed and compared.

use std::fmt::Debug;

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
