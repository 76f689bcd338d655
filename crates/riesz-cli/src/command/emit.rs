//! `riesz emit FILE FUN --to TARGET`

use super::{Status, finish};
use crate::arguments::{Emit, Language};
use crate::disk::Disk;
use crate::report::Report;
use riesz::{Diagnostic, Session};

/// Writes a function as code, to the standard output.
pub fn run(arguments: Emit) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    let text = code(&mut session, &arguments);
    finish(&report, &session, text)
}

fn code(session: &mut Session, arguments: &Emit) -> Result<String, Vec<Diagnostic>> {
    session.load(&arguments.file, &Disk)?;
    match arguments.to {
        Language::C => session.emit_c(&arguments.function, arguments.what.into()),
        Language::Combinators => session.emit_combinators(&arguments.function, arguments.what.into()),
        Language::Rust => session.emit_rust(&arguments.function, arguments.what.into()),
    }
}
