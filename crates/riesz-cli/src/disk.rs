//! Files for programs and their imports, and why a file cannot be read.

use riesz::{Loaded, Loader};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// A source text has places of 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// Reads programs from the file system.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, importer: Option<&str>) -> Result<Loaded, String> {
        let folder = importer.and_then(|importer| Path::new(importer).parent());
        let path = folder.map_or_else(|| PathBuf::from(path), |folder| tidy(&folder.join(path)));
        let bytes = read(&path).map_err(|error| reason(&error))?;
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        Ok(Loaded {
            identity: identity.to_string_lossy().into_owned(),
            name: path.to_string_lossy().into_owned(),
            bytes,
        })
    }
}

/// The contents of a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    read_all(file)
}

/// Everything that a reader has.
pub fn read_all(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LARGEST {
        true => Err(ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Why a file cannot be read or written, in the words of a person.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a directory".into(),
        ErrorKind::NotADirectory => "a part of the path is not a directory".into(),
        ErrorKind::FileTooLarge => "it is larger than 4 GiB".into(),
        _ => error.to_string(),
    }
}

/// The path without `.`, and without `..` after a name.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match (component, tidied.components().next_back()) {
            (Component::CurDir, _) => {}
            // The folder above a link is not the folder that the link stands in.
            (Component::ParentDir, Some(Component::Normal(_))) if !tidied.is_symlink() => {
                tidied.pop();
            }
            _ => tidied.push(component),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        let tidied = |path: &str| tidy(Path::new(path)).to_string_lossy().into_owned();
        assert_eq!(tidied("a/../b.rz"), "b.rz");
        assert_eq!(tidied("./a/./b.rz"), "a/b.rz");
        assert_eq!(tidied("../a/../../b.rz"), "../../b.rz");
        assert_eq!(tidied("/a/../b.rz"), "/b.rz");
    }
}
