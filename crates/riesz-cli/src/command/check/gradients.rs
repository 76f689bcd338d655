//! `riesz check --gradients FILE...`

use super::count;
use crate::arguments::Check;
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use riesz::gradients::{Comparison, Outcome, Settings, Verdict};
use riesz::{FileId, Session, show_real};
use serde_json::{Value, json};
use std::fmt;

/// The results of the tests of derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gradients {
    /// The number of derivatives that were tested.
    pub tested: usize,
    /// The number of wrong derivatives among them.
    pub wrong: usize,
    /// The number of derivatives that could not be tested.
    untested: usize,
}

impl Gradients {
    /// Adds what other files gave.
    pub fn add(&mut self, other: Gradients) {
        self.tested += other.tested;
        self.wrong += other.wrong;
        self.untested += other.untested;
    }
}

impl fmt::Display for Gradients {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.tested, self.wrong) {
            (0, _) if self.untested > 0 => return write!(f, "none of {} tested", count(self.untested, "function")),
            (0, _) => write!(f, "no functions")?,
            (1, 0) => write!(f, "1 derivative agrees")?,
            (tested, 0) => write!(f, "{tested} derivatives agree")?,
            (tested, wrong) => write!(f, "{wrong} of {} wrong", count(tested, "derivative"))?,
        }
        match self.untested {
            0 => Ok(()),
            untested => write!(f, ", {} not tested", count(untested, "function")),
        }
    }
}

/// Tests the derivatives of the functions of a file.
pub fn test(file: &str, id: FileId, session: &mut Session, arguments: &Check, report: &Report) -> Gradients {
    let settings = Settings { points: arguments.points, seed: arguments.seed };
    let functions = session.functions(id);
    let progress = Progress::new(file, functions.len());
    let mut gradients = Gradients::default();
    for function in &functions {
        let verdict = session.test_gradient(function, settings);
        match &verdict.outcome {
            Outcome::Agrees { .. } | Outcome::Disagrees(_) | Outcome::Stops { .. } => gradients.tested += 1,
            Outcome::Unsettled { .. } | Outcome::Skipped(_) => gradients.untested += 1,
        }
        gradients.wrong += usize::from(verdict.is_wrong());
        progress.suspend(|| {
            if let Some(diagnostic) = verdict.diagnostic() {
                report.show(&[diagnostic], session.sources());
            }
            output::print_line(&match arguments.json {
                true => object(file, &verdict).to_string(),
                false => format!("  {}: {}", verdict.name, said(&verdict.outcome)),
            });
        });
        progress.advance();
    }
    drop(progress);
    if !arguments.json {
        output::print_line(&format!("{file}: {gradients}"));
    }
    gradients
}

/// A verdict in words.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Agrees { points, worst, without } => {
            let worst = match worst.error {
                0.0 => "no error".to_string(),
                error => format!("worst error {error:.0e} {}", worst.coordinate()),
            };
            format!("{}, {worst}{}", count(*points as usize, "point"), left_out(without))
        }
        Outcome::Disagrees(found) => format!("wrong {}", found.coordinate()),
        Outcome::Stops { representation, .. } => format!("stops in {representation}"),
        Outcome::Unsettled { .. } => "not tested: differences do not converge at any of the points".to_string(),
        Outcome::Skipped(reason) => format!("not tested: {reason}"),
    }
}

/// The representations that were left out, those with the same reason on one line.
fn left_out(without: &[(&str, String)]) -> String {
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, reason) in without {
        match lines.iter_mut().find(|(other, _)| other == reason) {
            Some((_, names)) => names.push(name),
            None => lines.push((reason, vec![name])),
        }
    }
    let line = |(reason, names): &(&str, Vec<&str>)| format!("\n    not in {}: {reason}", names.join(", "));
    lines.iter().map(line).collect()
}

/// A verdict as JSON.
fn object(file: &str, verdict: &Verdict) -> Value {
    let mut object = match &verdict.outcome {
        Outcome::Agrees { points, worst, without } => {
            let without: Vec<Value> = without
                .iter()
                .map(|(representation, reason)| json!({"representation": representation, "reason": reason}))
                .collect();
            json!({"outcome": "agrees", "points": points, "worst": comparison(worst), "without": without})
        }
        Outcome::Disagrees(found) => json!({"outcome": "disagrees", "worst": comparison(found)}),
        Outcome::Stops { representation, call, message } => {
            json!({"outcome": "stops", "representation": representation, "point": call, "message": message})
        }
        Outcome::Unsettled { call } => json!({"outcome": "unsettled", "point": call}),
        Outcome::Skipped(reason) => json!({"outcome": "skipped", "reason": reason}),
    };
    object["file"] = file.into();
    object["function"] = verdict.name.to_string().into();
    object
}

fn comparison(found: &Comparison) -> Value {
    json!({
        "representation": found.representation,
        "input": found.input,
        "output": found.output,
        "derivative": real(found.derivative),
        "expected": real(found.expected),
        "error": real(found.error),
        "point": found.call,
    })
}

/// A number, or the name of one that JSON has not.
fn real(number: f64) -> Value {
    if number.is_finite() { number.into() } else { show_real(number).into() }
}
