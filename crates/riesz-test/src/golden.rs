//! Texts and pictures that are stored in the project. `UPDATE_GOLDEN=1` stores the current ones.

use std::path::Path;

/// Whether stored files are rewritten.
pub fn is_updating() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

/// Compares a text with the stored one, up to white space at the end, or stores it.
///
/// # Errors
/// If the texts differ.
pub fn keep(path: &Path, found: &str) -> Result<(), String> {
    if is_updating() {
        return std::fs::write(path, found).map_err(|problem| format!("{}: {problem}", path.display()));
    }
    let stored = std::fs::read_to_string(path).map_err(|problem| format!("{}: {problem}", path.display()))?;
    match stored.trim_end() == found.trim_end() {
        true => Ok(()),
        false => Err(format!("{} has changed; UPDATE_GOLDEN=1 stores what is found now:\n{found}", path.display())),
    }
}
