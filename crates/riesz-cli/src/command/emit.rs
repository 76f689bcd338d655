//! `riesz emit FILE FUN --to TARGET`

use super::{Status, later};
use crate::arguments::{Emit, Language, spelling};
use crate::disk::Disk;
use crate::output;
use crate::report::Report;
use riesz::Session;

/// Writes a function as code, to the standard output.
pub fn run(arguments: Emit) -> Status {
    if arguments.to != Language::Rust {
        return later::run(&format!("--to {}", spelling(&arguments.to)));
    }
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    let loaded = session.load(&arguments.file, &Disk);
    match loaded.and_then(|_| session.emit_rust(&arguments.function, arguments.what.into())) {
        Ok(text) => {
            output::print_line(text.trim_end());
            Status::Success
        }
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}
