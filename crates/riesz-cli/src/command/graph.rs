//! `riesz graph FILE FUN -o OUT.svg`

use super::Status;
use crate::arguments::{Graph, Of};
use crate::disk::Disk;
use crate::report::Report;
use crate::whole;
use riesz::{Diagnostic, Session, graph};
use std::path::Path;

/// Draws a function, and writes the picture to a file.
pub fn run(arguments: Graph) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    let loaded = session.load(&arguments.file, &Disk);
    match loaded.and_then(|_| draw(&session, &arguments.function, arguments.of, &arguments.output)) {
        Ok(()) => Status::Success,
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}

/// Draws a function of a session, and writes the picture to a file.
pub fn draw(session: &Session, function: &str, of: Of, output: &str) -> Result<(), Vec<Diagnostic>> {
    let of = match of {
        Of::Value => graph::Of::Value,
        Of::Derivative => graph::Of::Derivative,
        Of::Adjoint => graph::Of::Adjoint,
        Of::Gradient => graph::Of::Gradient,
    };
    let drawn = session.graph(function, of)?;
    let picture = session.within(|| if output.ends_with(".dot") { drawn.dot() } else { drawn.svg() })?;
    let failed = |problem| vec![Diagnostic::placeless("cannot-write", format!("cannot write {output}: {problem}"))];
    whole::write(Path::new(output), &picture).map_err(failed)
}
