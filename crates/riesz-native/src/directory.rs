//! Private directories of the user.
//!
//! Code is loaded from them, so anyone who can write to one can run code as the user. A directory is used only if
//! - it is a directory, not a link to one,
//! - it belongs to the user, and no other user may write to it,
//! - no directory above it belongs to a stranger, or lets everybody rename its contents.

use crate::problem::Problem;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Makes sure that a directory is there and that no other user can write to it. Directories that are missing are made, for
/// the user alone.
pub(crate) fn make_private(directory: &Path) -> Result<(), Problem> {
    match fs::symlink_metadata(directory) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create(directory).map_err(|error| Problem::system("make the directory", directory, &error))?;
        }
        Err(error) => return Err(Problem::system("look at the directory", directory, &error)),
    }
    check_private(directory)
}

/// Whether a directory is the user's alone.
pub(crate) fn check_private(directory: &Path) -> Result<(), Problem> {
    let found = fs::symlink_metadata(directory).map_err(|error| Problem::system("look at", directory, &error))?;
    if found.is_symlink() {
        let cure = match fs::canonicalize(directory) {
            Ok(target) => format!("set RIESZ_CACHE to {} itself, or remove the link", target.display()),
            Err(_) => "remove the link".to_string(),
        };
        let message = format!("native code is not kept in {}: it is a symbolic link", directory.display());
        return Err(Problem::new(message).cure(cure));
    }
    if !found.is_dir() {
        let message = format!("native code cannot be kept in {}: it is not a directory", directory.display());
        return Err(Problem::new(message).cure("set RIESZ_CACHE to a directory of yours"));
    }
    owned(directory, &found)
}

/// Makes a directory and those above it that are missing, for the user alone.
fn create(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Who may write to a directory and to those above it.
#[cfg(unix)]
fn owned(directory: &Path, found: &fs::Metadata) -> Result<(), Problem> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let user = user();
    let refused = |place: &Path, why: String, cure: String| {
        let message = format!("native code is not kept in {}: {} {why}", directory.display(), place.display());
        Err(Problem::new(message).cure(cure))
    };
    let elsewhere = "set RIESZ_CACHE to a directory of yours";
    if found.uid() != user {
        return refused(directory, format!("belongs to user {}, not to you", found.uid()), elsewhere.into());
    }
    if found.mode() & 0o022 != 0 {
        let cure = format!("{elsewhere}, for others may have put code into this one");
        return refused(directory, format!("can be written to by others (mode {:o})", found.mode() & 0o7777), cure);
    }
    if found.mode() & 0o077 != 0 {
        // Others could only read, so all that is in it is the user's.
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(directory, private).map_err(|error| Problem::system("make private", directory, &error))?;
    }
    let whole = fs::canonicalize(directory).map_err(|error| Problem::system("look at", directory, &error))?;
    for above in whole.ancestors().skip(1) {
        let found = fs::symlink_metadata(above).map_err(|error| Problem::system("look at", above, &error))?;
        if found.uid() != user && found.uid() != 0 {
            return refused(above, format!("belongs to user {}", found.uid()), elsewhere.into());
        }
        // In a sticky directory everybody may make things, but only their owners rename or remove them.
        if found.mode() & 0o002 != 0 && found.mode() & 0o1000 == 0 {
            let cure = format!("`chmod o-w {}`, or {elsewhere}", above.display());
            return refused(above, format!("can be written to by everybody (mode {:o})", found.mode() & 0o7777), cure);
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn owned(_: &Path, _: &fs::Metadata) -> Result<(), Problem> {
    Ok(())
}

/// The user on whose behalf files are made.
#[cfg(unix)]
fn user() -> u32 {
    unsafe extern "C" {
        // It takes nothing, cannot fail and changes nothing.
        safe fn geteuid() -> u32;
    }
    geteuid()
}

/// Makes sure that what has been written under a name is on the disk.
pub(crate) fn sync(path: &Path) -> std::io::Result<()> {
    fs::File::open(path)?.sync_all()
}

/// Writes a file whole: under another name first, then on the disk, then under its own.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary: PathBuf = path.with_extension(format!("{}.new", std::process::id()));
    let written =
        fs::write(&temporary, bytes).and_then(|()| sync(&temporary)).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // A file that is half written belongs to no entry.
        let _ = fs::remove_file(&temporary);
    }
    written
}
