//! `riesz emit FILE FUN --to TARGET`

use super::Status;
use crate::arguments::{Emit, Target};
use crate::disk::Disk;
use crate::output;
use crate::report::Report;
use riesz::{Diagnostic, Session};

/// Writes a function as code.
pub fn run(arguments: Emit) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    match code(&mut session, &arguments) {
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

fn code(session: &mut Session, Emit { file, function, to, .. }: &Emit) -> Result<String, Vec<Diagnostic>> {
    session.load(file, &Disk)?;
    match to {
        Target::Combinators => Ok(session.combinators(function)?.to_string()),
    }
}
