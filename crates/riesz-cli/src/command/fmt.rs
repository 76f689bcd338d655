//! `riesz fmt FILE...`

use super::Status;
use crate::arguments::Fmt;
use crate::report::Report;
use crate::{disk, output, whole};
use riesz::syntax::{FormatOptions, format};
use riesz::{Diagnostic, ParseOptions, Sources, add_source};
use std::io;
use std::path::Path;

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
        (false, false) => whole::replace(Path::new(file), &formatted).map_err(|error| cannot("write", &error))?,
    }
    Ok(Status::Success)
}
