//! `riesz fmt FILE...`

use super::Status;
use crate::arguments::Fmt;
use crate::report::Report;
use crate::{disk, output};
use riesz::syntax::{FormatOptions, format};
use riesz::{Diagnostic, ParseOptions, Sources, add_source};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Formats files in place, or says which ones would change.
pub fn run(arguments: Fmt) -> Status {
    let report = Report::new(arguments.messages).spaced();
    let options =
        FormatOptions { parse: ParseOptions { max_nesting: arguments.max_nesting }, ..FormatOptions::default() };
    let mut status = Status::Success;
    for file in &arguments.files {
        let mut sources = Sources::default();
        match format_file(file, &options, arguments.check, &mut sources) {
            Ok(Status::Success) => {}
            Ok(Status::Failure) => status = Status::Failure,
            Err(diagnostics) => {
                report.show(&diagnostics, &sources);
                status = Status::Failure;
            }
        }
    }
    status
}

/// Formats one file; a failure without diagnostics is a file that would change.
fn format_file(
    file: &str,
    options: &FormatOptions,
    check: bool,
    sources: &mut Sources,
) -> Result<Status, Vec<Diagnostic>> {
    let standard_input = file == "-";
    let name = if standard_input { "<stdin>" } else { file };
    let cannot = |verb: &str, error: &io::Error| {
        vec![Diagnostic::placeless("cannot-read", format!("cannot {verb} {name}: {}", disk::reason(error)))]
    };
    let bytes = match standard_input {
        true => disk::read_input(),
        false => disk::read_program(Path::new(file)),
    };
    let bytes = bytes.map_err(|error| cannot("read", &error))?;
    let (id, decoded) = add_source(sources, name, bytes);
    decoded.map_err(|diagnostic| vec![diagnostic])?;
    let text = sources.get(id).text.clone();
    let formatted = format(&text, options)?;
    match (check, standard_input) {
        (true, _) if *formatted == *text => {}
        (true, _) => {
            output::print_line(name);
            return Ok(Status::Failure);
        }
        (false, true) => output::print(&formatted),
        (false, false) if *formatted == *text => {}
        (false, false) => replace(Path::new(file), &formatted).map_err(|error| cannot("write", &error))?,
    }
    Ok(Status::Success)
}

/// Puts a text in the place of a file, whole or not at all. Whose the file is, who may read it and the links that lead
/// to it stay as they are.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A symbolic link stays one.
    let path = path.canonicalize()?;
    let before = fs::metadata(&path)?;
    let temporary = beside(&path);
    let prepared = write_new(&temporary, text);
    // A new file would be another than the one its other names lead to, or somebody else's. Then the file is written
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
