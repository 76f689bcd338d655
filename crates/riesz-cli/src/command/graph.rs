//! `riesz graph FILE FUN -o OUT.svg`

use super::Status;
use crate::arguments::{Graph, Of};
use crate::disk::Disk;
use crate::report::Report;
use riesz::{Diagnostic, Session, graph};
use std::fs;

/// Draws a function, and writes the picture to a file.
pub fn run(arguments: Graph) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    match picture(&mut session, &arguments) {
        Ok(picture) => match fs::write(&arguments.output, picture) {
            Ok(()) => Status::Success,
            Err(problem) => {
                report.problem("cannot-write", format!("cannot write {}: {problem}", arguments.output));
                Status::Failure
            }
        },
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}

fn picture(session: &mut Session, arguments: &Graph) -> Result<String, Vec<Diagnostic>> {
    session.load(&arguments.file, &Disk)?;
    let of = match arguments.of {
        Of::Value => graph::Of::Value,
        Of::Derivative => graph::Of::Derivative,
        Of::Adjoint => graph::Of::Adjoint,
    };
    let drawn = session.graph(&arguments.function, of)?;
    Ok(if arguments.output.ends_with(".dot") { drawn.dot() } else { drawn.svg() })
}
