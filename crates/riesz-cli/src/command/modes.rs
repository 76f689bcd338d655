//! `riesz modes FILE FUN --at EXPR`

use super::Status;
use crate::arguments::Modes as Arguments;
use crate::disk::Disk;
use crate::report::Report;
use crate::{allocation, output, value};
use riesz::modes::{Measured, Mode, Modes};
use riesz::{Diagnostic, Session, show_real};
use serde_json::{Value, json};
use std::time::Duration;

/// How many characters of a derivative the table shows.
const SHOWN: usize = 36;

/// Prints what every representation says of a function at a point.
pub fn run(arguments: Arguments) -> Status {
    let report = Report::new(arguments.messages);
    let mut session = Session::new(arguments.limits.options());
    match modes(&mut session, &arguments) {
        Ok(modes) => {
            let text = match arguments.json {
                true => as_json(&modes).to_string(),
                false => as_text(&modes),
            };
            output::print_line(&text);
            if modes.agree() { Status::Success } else { Status::Failure }
        }
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            Status::Failure
        }
    }
}

fn modes(session: &mut Session, arguments: &Arguments) -> Result<Modes, Vec<Diagnostic>> {
    session.load(&arguments.file, &Disk)?;
    let bindings: Result<Vec<_>, String> =
        arguments.bindings.iter().map(|(name, text)| value::binding(name, text)).collect();
    let bindings = bindings.map_err(|problem| vec![Diagnostic::placeless("cannot-read", problem)])?;
    session.modes(&arguments.function, &arguments.at, bindings, Some(allocation::most))
}

// ---- text ----

fn as_text(modes: &Modes) -> String {
    let what = if modes.is_gradient { "gradient" } else { "matrix" };
    let header = ["representation", what, "operations", "bytes", "time", ""].map(String::from);
    let mut table = vec![header];
    table.extend(modes.rows.iter().map(row));
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut lines = vec![format!("value {}", shortened(&modes.value, 100)), String::new()];
    for row in &table {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 | 1 | 5 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        lines.push(cells.collect::<Vec<_>>().join("  ").trim_end().to_string());
    }
    lines.push(String::new());
    lines.push(match modes.agree() {
        true => format!("all {} representations agree", modes.rows.len()),
        false => "the representations do not agree".into(),
    });
    lines.join("\n")
}

fn row(Mode { representation, outcome }: &Mode) -> [String; 6] {
    match outcome {
        Ok(Measured { derivative, operations, time, bytes, agrees, .. }) => [
            representation.name.into(),
            shortened(derivative, SHOWN),
            operations.total().to_string(),
            bytes.map_or_else(|| "-".into(), |bytes| bytes.to_string()),
            duration(*time),
            if *agrees { "✓" } else { "✗ differs" }.into(),
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

fn duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos() as f64;
    match nanoseconds {
        ..1e3 => format!("{nanoseconds:.0} ns"),
        ..1e6 => format!("{:.1} µs", nanoseconds / 1e3),
        ..1e9 => format!("{:.1} ms", nanoseconds / 1e6),
        _ => format!("{:.2} s", nanoseconds / 1e9),
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
            Ok(Measured { numbers, operations, time, bytes, agrees, .. }) => {
                object["derivative"] = numbers.iter().map(number).collect();
                object["operations"] = json!({
                    "additions": operations.additions,
                    "multiplications": operations.multiplications,
                    "divisions": operations.divisions,
                    "functions": operations.functions,
                });
                object["bytes"] = json!(bytes);
                object["seconds"] = json!(time.as_secs_f64());
                object["agrees"] = json!(agrees);
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
