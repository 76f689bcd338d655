//! `riesz modes FILE FUN --at EXPR`

mod growth;

use super::Status;
use crate::arguments::Modes as Arguments;
use crate::disk::Disk;
use crate::report::Report;
use crate::{output, value, whole};
use riesz::modes::{Grow, Growth, Measured, Measuring, Mode, Modes};
use riesz::{Diagnostic, Session, show_real};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How many characters of a derivative the table shows.
const SHOWN: usize = 36;

/// Prints what every representation says of a function at a point, and where a size grows, what it takes.
pub fn run(arguments: Arguments) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    let found = match find(&mut session, &arguments) {
        Ok(found) => found,
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            return Status::Failure;
        }
    };
    if let (Request::Growth(growth), Some(path)) = (&found, &arguments.plot) {
        let title = format!("Operations for the derivative of {} in every representation", arguments.subject.function);
        if let Err(problem) = whole::write(Path::new(path), &growth.plot(&title).svg()) {
            report.problem("cannot-write", format!("cannot write {path}: {problem}"));
            return Status::Failure;
        }
    }
    let (text, agree) = match (&found, arguments.json) {
        (Request::Modes(modes), true) => (as_json(modes).to_string(), modes.agree()),
        (Request::Modes(modes), false) => (as_text(modes), modes.agree()),
        (Request::Growth(growth), true) => {
            (growth::as_json(growth, as_json(&growth.first)).to_string(), growth.agree())
        }
        (Request::Growth(growth), false) => (growth::as_text(growth), growth.agree()),
    };
    output::print_line(&text);
    if agree { Status::Success } else { Status::Failure }
}

/// The result of the comparison.
enum Request {
    Modes(Modes),
    Growth(Growth),
}

fn find(session: &mut Session, arguments: &Arguments) -> Result<Request, Vec<Diagnostic>> {
    let Arguments { subject, grow, longest, .. } = arguments;
    session.load(&subject.file, &Disk)?;
    let bindings: Result<Vec<_>, String> =
        subject.bindings.iter().map(|(name, text)| value::binding(name, text)).collect();
    let bindings = bindings.map_err(|problem| vec![Diagnostic::placeless("cannot-read", problem)])?;
    let measuring = Measuring { count_bytes: Some(riesz_limit::most), ..Measuring::default() };
    match grow {
        Some((name, from, to)) => {
            let longest = Duration::from_secs_f64(*longest);
            let grow = Grow { name: name.as_str().into(), from: *from, to: *to, longest };
            session.growth(&subject.function, &subject.at, bindings, &grow, measuring).map(Request::Growth)
        }
        None => session.modes(&subject.function, &subject.at, bindings, measuring).map(Request::Modes),
    }
}

// ---- text ----

fn as_text(modes: &Modes) -> String {
    let what = if modes.is_gradient { "gradient" } else { "matrix" };
    let header = ["representation", what, "operations", "bytes", "time", ""].map(String::from);
    let mut table = vec![header];
    table.extend(modes.rows.iter().map(row));
    let mut lines = vec![format!("value {}", shortened(&modes.value, 100)), String::new()];
    lines.extend(aligned(&table, &[0, 1, 5]));
    lines.push(String::new());
    lines.push(match modes.agree() {
        true => format!("all {} representations agree", modes.rows.len()),
        false if modes.differ_by_nan() => "the representations differ where an infinite coefficient meets terms that \
            cancel: nan where it is applied to each of them, a number where they are added first"
            .into(),
        false if modes.differ_by_rounding() => {
            "the representations differ where rounding decides: the derivatives that \
            differ change as much when the last digits of the point do"
                .into()
        }
        false => "the representations do not agree".into(),
    });
    lines.join("\n")
}

/// The rows of a table, in columns: some of them begin, the others end, at the same place.
fn aligned<R: AsRef<[String]>>(table: &[R], left: &[usize]) -> Vec<String> {
    let columns = table.first().map_or(0, |row| row.as_ref().len());
    let width = |column: usize| table.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| match left.contains(&column) {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    table.iter().map(line).collect()
}

fn row(Mode { representation, outcome }: &Mode) -> [String; 6] {
    match outcome {
        Ok(Measured { derivative, operations, time, bytes, misfit, agrees, is_rounding, .. }) => [
            representation.name.into(),
            shortened(derivative, SHOWN),
            operations.total().to_string(),
            bytes.map_or_else(|| "-".into(), |bytes| bytes.to_string()),
            output::duration(*time),
            match misfit {
                Some(misfit) => format!("✗ {misfit}"),
                None if *agrees => "✓".into(),
                None => if *is_rounding { "✗ rounding" } else { "✗ differs" }.into(),
            },
        ],
        Err(problem) => {
            [representation.name.into(), problem.message.clone(), "-".into(), "-".into(), "-".into(), "✗".into()]
        }
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_string(),
        false => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

// ---- JSON ----

fn as_json(modes: &Modes) -> Value {
    let number = |x: &f64| match x.is_finite() {
        true => json!(x),
        false => json!(show_real(*x)),
    };
    let row = |Mode { representation, outcome }: &Mode| {
        let mut object = json!({"representation": representation.name, "paper": representation.paper});
        match outcome {
            Ok(Measured { numbers, operations, time, bytes, misfit, agrees, is_rounding, .. }) => {
                object["derivative"] = numbers.iter().map(number).collect();
                object["operations"] = json!({
                    "additions": operations.additions,
                    "multiplications": operations.multiplications,
                    "divisions": operations.divisions,
                    "functions": operations.functions,
                    "copies": operations.copies,
                });
                object["bytes"] = json!(bytes);
                object["seconds"] = json!(time.as_secs_f64());
                object["agrees"] = json!(agrees);
                if *is_rounding {
                    object["rounding"] = json!(true);
                }
                if let Some(misfit) = misfit {
                    object["misfit"] = json!(misfit);
                }
            }
            Err(problem) => object["error"] = json!(problem.message),
        }
        object
    };
    json!({
        "value": modes.value,
        "derivative": if modes.is_gradient { "gradient" } else { "matrix" },
        "agree": modes.agree(),
        "representations": modes.rows.iter().map(row).collect::<Vec<Value>>(),
    })
}
