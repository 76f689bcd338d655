//! `riesz check FILE...`

mod gradients;

use super::Status;
use crate::arguments::Check;
use crate::disk::Disk;
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use gradients::Gradients;
use serde_json::json;

/// Runs every check of the files, and tests their derivatives where that is asked for.
pub fn run(arguments: Check) -> Status {
    let report = Report::new(arguments.messages).spaced();
    let mut total = Tally::default();
    for file in &arguments.files {
        total.add(check(file, &arguments, &report));
    }
    if arguments.files.len() > 1 && !arguments.json {
        output::print_line(&total.to_string());
    }
    match total.failed + total.unread + total.gradients.wrong {
        0 => Status::Success,
        _ => Status::Failure,
    }
}

/// Runs the checks of a file.
fn check(file: &str, arguments: &Check, report: &Report) -> Tally {
    let mut session = arguments.backend.session("check", arguments.limits.options());
    let id = match session.load(file, &Disk) {
        Ok(id) => id,
        Err(diagnostics) => {
            report.show(&diagnostics, session.sources());
            return Tally { unread: 1, ..Tally::default() };
        }
    };
    let checks = session.checks(id);
    session.prepare_checks(&checks);
    report.notes(&mut session);
    let mut tally = Tally { files: 1, checks: checks.len(), ..Tally::default() };
    let progress = Progress::new(file, checks.len());
    for check in &checks {
        let result = session.run_check(check);
        progress.suspend(|| report.notes(&mut session));
        if let Err(diagnostic) = result {
            tally.failed += 1;
            progress.suspend(|| report.show(&[*diagnostic], session.sources()));
        }
        progress.advance();
    }
    drop(progress);
    match arguments.json {
        true => output::print_line(&json!({"file": file, "checks": tally.checks, "failed": tally.failed}).to_string()),
        false => output::print_line(&format!("{file}: {}", tally.verdict())),
    }
    if arguments.gradients {
        tally.gradients = gradients::test(file, id, &mut session, arguments, report);
    }
    tally
}

/// The results of the checks.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    files: usize,
    checks: usize,
    failed: usize,
    /// Files that are not correct programs.
    unread: usize,
    gradients: Gradients,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.checks += other.checks;
        self.failed += other.failed;
        self.unread += other.unread;
        self.gradients.add(other.gradients);
    }

    fn verdict(&self) -> String {
        match (self.checks, self.failed) {
            (0, _) => "no checks".into(),
            (checks, 0) => format!("{} passed", count(checks, "check")),
            (checks, failed) => format!("{failed} of {} failed", count(checks, "check")),
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", count(self.files + self.unread, "file"), self.verdict())?;
        match self.unread {
            0 => {}
            unread => write!(f, ", {} with errors", count(unread, "file"))?,
        }
        match self.gradients {
            Gradients { tested: 0, .. } => Ok(()),
            gradients => write!(f, "; {gradients}"),
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
