//! Files that are written whole or not at all.

use crate::disk;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file, which may be new. A pipe or a device takes what it can.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(kind) if kind.is_file() => replace(path, text),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let written = write_new(path, text);
            if written.as_ref().is_err_and(|error| error.kind() != ErrorKind::AlreadyExists) {
                // The first error is the one to tell.
                let _ = fs::remove_file(path);
            }
            written
        }
        _ => fs::write(path, text),
    }
}

/// Puts a text in the place of a file, whole or not at all. Whose the file is, who may read it and the links that lead
/// to it stay as they are.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A symbolic link stays one.
    let path = path.canonicalize()?;
    let before = fs::metadata(&path)?;
    let temporary = beside(&path);
    let prepared = write_new(&temporary, text);
    // A new file would be another than the one its other names lead to, or that of another user. Then the file is written
    // over, and the new text stays beside it until that is done.
    if prepared.is_ok() && (has_other_names(&before) || take_over(&before, &temporary).is_err()) {
        write_over(&path, text).map_err(|error| {
            let kept = temporary.display();
            io::Error::other(format!("{}; the whole text is in {kept}", disk::reason(&error)))
        })?;
        return fs::remove_file(&temporary);
    }
    let written = prepared.and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written.and_then(|()| sync_folder(&path))
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn write_over(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Gives a file the owner, the group and the mode of another.
fn take_over(before: &fs::Metadata, path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, chown};
        let now = fs::metadata(path)?;
        if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
            chown(path, Some(before.uid()), Some(before.gid()))?;
        }
    }
    // After the owner: a change of owner takes away some bits of the mode.
    fs::set_permissions(path, before.permissions())
}

/// Whether a file has other names, which are hard links to it.
fn has_other_names(file: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.nlink() > 1
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Makes a rename last where the system can lose power.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}
