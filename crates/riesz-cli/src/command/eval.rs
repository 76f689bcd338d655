//! `riesz eval [FILE] EXPR`

use super::Status;
use crate::arguments::{self, Eval};
use crate::disk::Disk;
use crate::report::Report;
use crate::{output, value};
use riesz::{Diagnostic, Name, Options, OverBinding, Session};
use std::path::Path;

/// Evaluates an expression and prints its value.
pub fn run(arguments: Eval) -> Status {
    reject_duplicates(&arguments.bindings);
    if arguments.backend.is_single() && !arguments.via.is_compiled() {
        let message =
            format!("`--precision f32` is for compiled derivatives: leave out `--via {}`", arguments.via.name);
        arguments::wrong("eval", message);
    }
    let report = Report::new(arguments.messages);
    let bindings: Result<Vec<_>, String> =
        arguments.bindings.iter().map(|(name, value)| value::given(name, value, arguments.over)).collect();
    let bindings = match bindings {
        Ok(bindings) => bindings,
        Err(problem) => {
            report.problem("cannot-read", problem);
            return Status::Failure;
        }
    };
    let mut session =
        arguments.backend.session("eval", Options { via: Some(arguments.via), ..arguments.limits.options() });
    let evaluated = evaluate(&mut session, &arguments, bindings);
    report.notes(&mut session);
    match evaluated {
        Ok(text) => {
            output::print_line(&text);
            Status::Success
        }
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}

fn evaluate(
    session: &mut Session,
    arguments: &Eval,
    given: Vec<(Name, OverBinding)>,
) -> Result<String, Vec<Diagnostic>> {
    let (file, expression) = arguments.operands();
    if let Some(file) = file {
        session.load(file, &Disk)?;
    }
    let explained = |diagnostics| match file {
        Some(_) => diagnostics,
        None => mistaken_file(expression, diagnostics),
    };
    if let Some(algebra) = arguments.over {
        return session.evaluate_over(algebra, expression, given).map(|found| found.to_string()).map_err(explained);
    }
    let single = |(name, given)| match given {
        OverBinding::One(binding) | OverBinding::Between(binding, _) => (name, binding),
    };
    let found = session.evaluate(expression, given.into_iter().map(single).collect()).map_err(explained)?;
    match arguments.json {
        true => {
            let found = session.with_matrices(&found).map_err(|problem| vec![*problem])?;
            value::json::write(&found.value, &found.ty)
                .map_err(|problem| vec![Diagnostic::placeless("no-json", problem)])
        }
        false => Ok(found.to_string()),
    }
}

/// Advice for the one who gave a file and no expression.
fn mistaken_file(expression: &str, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if let Some(first) = diagnostics.first_mut().filter(|_| Path::new(expression).is_file()) {
        first.help.push(format!("to use the names of a file, give an expression too: `riesz eval {expression} EXPR`"));
    }
    diagnostics
}

/// No name is bound twice.
fn reject_duplicates(bindings: &[(String, String)]) {
    for (at, (name, _)) in bindings.iter().enumerate() {
        if bindings[..at].iter().any(|(other, _)| other == name) {
            let message = format!("`--let` binds `{name}` twice");
            arguments::wrong("eval", message);
        }
    }
}
