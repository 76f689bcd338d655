//! Files for programs and their imports, and why a file cannot be read.

use riesz::{Loaded, Loader};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::{Component, Path, PathBuf};

/// The most bytes that a program may have: what is larger is no program. Places in it have 32 bits.
const LARGEST_PROGRAM: u64 = 256 << 20;
/// The most bytes that data may have.
const LARGEST_DATA: u64 = 4 << 30;

/// Reads programs from the file system.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, importer: Option<&str>) -> Result<Loaded, String> {
        let folder = importer.and_then(|importer| Path::new(importer).parent());
        let path = folder.map_or_else(|| PathBuf::from(path), |folder| tidy(&folder.join(path)));
        // What a program imports is a file. Who names a program on the command line may name a pipe.
        let kinds = if importer.is_some() { Kinds::Files } else { Kinds::FilesAndPipes };
        let bytes = read(&path, kinds, LARGEST_PROGRAM).map_err(|error| reason(&error))?;
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        Ok(Loaded {
            identity: identity.to_string_lossy().into_owned(),
            name: path.to_string_lossy().into_owned(),
            bytes,
        })
    }
}

/// The kinds of files that may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    /// Files alone.
    Files,
    /// Files, pipes and the terminal.
    FilesAndPipes,
}

/// The contents of a program.
pub fn read_program(path: &Path) -> io::Result<Vec<u8>> {
    read(path, Kinds::FilesAndPipes, LARGEST_PROGRAM)
}

/// Whether a program can be opened.
pub fn look(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path)? {
        kind if kind.is_dir() => Err(ErrorKind::IsADirectory.into()),
        kind if kind.is_file() => std::fs::File::open(path).map(|_| ()),
        _ => Ok(()),
    }
}

/// The contents of a file of data.
pub fn read_data(path: &Path) -> io::Result<Vec<u8>> {
    read(path, Kinds::FilesAndPipes, LARGEST_DATA)
}

/// A program from the standard input.
pub fn read_input() -> io::Result<Vec<u8>> {
    read_all(io::stdin().lock(), LARGEST_PROGRAM)
}

fn read(path: &Path, kinds: Kinds, limit: u64) -> io::Result<Vec<u8>> {
    // Before it is opened: a pipe without a writer would block for ever.
    let kind = std::fs::metadata(path)?;
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() && kinds == Kinds::Files {
        return Err(io::Error::other("it is not a file: only files can be imported"));
    }
    if kind.is_file() && kind.len() > limit {
        return Err(too_large(limit));
    }
    let file = std::fs::File::open(path)?;
    if !kind.is_file() && !is_pipe(&kind) && !file.is_terminal() {
        return Err(io::Error::other("it is a device, not a file"));
    }
    read_all(file, limit)
}

/// Everything that a reader has, which may have more than its file had before.
fn read_all(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {} MiB", limit >> 20))
}

/// Whether something is a pipe, from a shell or with a name, or a socket.
fn is_pipe(kind: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        kind.file_type().is_fifo() || kind.file_type().is_socket()
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        true
    }
}

/// Why a file cannot be read or written, in the words of a person.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a directory".into(),
        ErrorKind::NotADirectory => "a part of the path is not a directory".into(),
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
    fn only_files_are_imported() {
        let refused = |path: &str| Disk.load(path, Some("/main.rz")).unwrap_err();
        assert_eq!(refused("/"), "it is a directory");
        assert_eq!(refused("/no/such/file.rz"), "there is no such file");
        #[cfg(unix)]
        assert!(refused("/dev/zero").contains("only files can be imported"));
        #[cfg(unix)]
        assert!(Disk.load("/dev/zero", None).unwrap_err().contains("device"));
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        assert!(read_all(io::repeat(0), 1000).is_err());
        assert_eq!(read_all(io::repeat(0).take(1000), 1000).map(|bytes| bytes.len()).ok(), Some(1000));
        let path = std::env::temp_dir().join(format!("riesz-large-{}.rz", std::process::id()));
        let file = std::fs::File::create(&path).unwrap();
        // A hole, which takes no room.
        file.set_len(LARGEST_PROGRAM + 1).unwrap();
        let found = read_program(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(reason(&found.unwrap_err()), "it is larger than 256 MiB");
    }

    #[test]
    fn paths_are_tidied() {
        let tidied = |path: &str| tidy(Path::new(path)).to_string_lossy().into_owned();
        assert_eq!(tidied("a/../b.rz"), "b.rz");
        assert_eq!(tidied("./a/./b.rz"), "a/b.rz");
        assert_eq!(tidied("../a/../../b.rz"), "../../b.rz");
        assert_eq!(tidied("/a/../b.rz"), "/b.rz");
    }
}
