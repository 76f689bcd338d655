//! The sources of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files in a folder and in those inside it.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|problem| panic!("{}: {problem}", folder.display())) {
        let path = entry.unwrap_or_else(|problem| panic!("{}: {problem}", folder.display())).path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
