//! `riesz gradbench [FOLDER]`: a tool that implements the protocol of GradBench.
//!
//! ```text
//! {"id": 2, "kind": "evaluate", "module": "lse", "function": "gradient", "input": {...}}
//! {"id": 2, "success": true, "output": [...], "timings": [{"name": "evaluate", "nanoseconds": 1234}, ...]}
//! ```
//!
//! Each line of input is a message, and each line of output is a response. A module is a program, whose functions are
//! evaluated as for any user: the program is compiled with its input, and then run as often and as long as the message
//! asks.

use super::Status;
use crate::arguments::Gradbench as Arguments;
use crate::disk::Disk;
use crate::report::Report;
use crate::{output, value};
use riesz::bench::Prepared;
use riesz::{Binding, Data, Error, Limits, Loaded, Loader, Options, Session, Toolchain, is_name};
use serde_json::{Value, json};
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;

/// The programs that are there without a folder, and what they import.
const PROGRAMS: [(&str, &str); 13] = [
    ("ba.rz", include_str!("../../gradbench/ba.rz")),
    ("descent.rz", include_str!("../../gradbench/descent.rz")),
    ("det.rz", include_str!("../../gradbench/det.rz")),
    ("gmm.rz", include_str!("../../gradbench/gmm.rz")),
    ("hello.rz", include_str!("../../gradbench/hello.rz")),
    ("ht.rz", include_str!("../../gradbench/ht.rz")),
    ("kmeans.rz", include_str!("../../gradbench/kmeans.rz")),
    ("llsq.rz", include_str!("../../gradbench/llsq.rz")),
    ("lse.rz", include_str!("../../gradbench/lse.rz")),
    ("lstm.rz", include_str!("../../gradbench/lstm.rz")),
    ("ode.rz", include_str!("../../gradbench/ode.rz")),
    ("particle.rz", include_str!("../../gradbench/particle.rz")),
    ("saddle.rz", include_str!("../../gradbench/saddle.rz")),
];

/// Answers the messages on the standard input until there are no more.
pub fn run(arguments: Arguments) -> Status {
    let report = Report::new(arguments.messages);
    let native = arguments.backend.fastest(arguments.threads, &report);
    let tool = Tool { arguments, report, native };
    for line in std::io::stdin().lock().lines() {
        let message = line.map_err(|error| error.to_string()).and_then(|line| {
            serde_json::from_str::<Value>(&line).map_err(|error| format!("a line is not a message: {error}"))
        });
        match message {
            Ok(message) => output::print_line(&tool.response(&message)),
            Err(problem) => {
                tool.report.problem("no-message", problem);
                return Status::Failure;
            }
        }
    }
    Status::Success
}

/// The tool that answers messages.
struct Tool {
    arguments: Arguments,
    report: Report,
    native: Option<Toolchain>,
}

impl Tool {
    fn response(&self, message: &Value) -> String {
        let text = |field: &str| message[field].as_str().unwrap_or_default();
        let id = &message["id"];
        match text("kind") {
            "start" => {
                let backend = self.native.as_ref().map_or("interp", Toolchain::name);
                let config = json!({"version": env!("CARGO_PKG_VERSION"), "backend": backend, "threads": self.arguments.threads});
                json!({"id": id, "tool": "riesz", "config": config}).to_string()
            }
            "define" => match self.session(text("module")) {
                Ok(_) => json!({"id": id, "success": true}).to_string(),
                Err(error) => failure(id, &error),
            },
            "evaluate" => match self.evaluate(text("module"), text("function"), &message["input"]) {
                Ok((output, timings)) => {
                    format!("{{\"id\": {id}, \"success\": true, \"output\": {output}, \"timings\": {timings}}}")
                }
                Err(error) => failure(id, &error),
            },
            // The protocol asks for no more.
            _ => json!({"id": id}).to_string(),
        }
    }

    /// A session with the program of a module.
    fn session(&self, module: &str) -> Result<Session, String> {
        let file = format!("{module}.rz");
        if !is_name(module) || self.arguments.folder.is_none() && Embedded::text(&file).is_none() {
            return Err(format!("there is no module `{module}`"));
        }
        let limits = Limits { steps: u64::MAX, memory: self.arguments.max_memory, ..Limits::default() };
        let mut session = Session::new(Options { limits, ..Options::default() });
        let loaded = match &self.arguments.folder {
            Some(folder) => session.load(&Path::new(folder).join(file).to_string_lossy(), &Disk),
            None => session.load(&file, &Embedded),
        };
        match loaded {
            Ok(_) => Ok(session),
            Err(problems) => Err(session.render(&problems, false)),
        }
    }

    /// The result of a function for an input, and its time, both as JSON.
    fn evaluate(&self, module: &str, function: &str, input: &Value) -> Result<(String, Value), String> {
        let mut session = self.session(module)?;
        if !is_name(function) {
            return Err(format!("`{function}` is not the name of a function"));
        }
        let given = data(input).ok_or("the input holds no number")?;
        let bindings = vec![("input".into(), Binding::Data(given))];
        let text = format!("{function}(input)");
        let start = Instant::now();
        let prepared = match session.prepare(&text, bindings, self.native.as_ref()) {
            Ok(prepared) => prepared,
            Err(problems) => return Err(session.render(&problems, false)),
        };
        let mut timings = vec![timing("prepare", start.elapsed().as_nanos())];
        if let Some(note) = prepared.note() {
            self.report.show(std::slice::from_ref(note), session.sources());
        }
        let said = |error: Error| session.render(error.diagnostics(), false);
        repeat(&prepared, Runs::of(input), &mut timings).map_err(said)?;
        let found = &prepared.value;
        Ok((value::json::write(&found.value, &found.ty)?, timings.into()))
    }
}

/// How often and how long a function is to be run, both at least.
struct Runs {
    times: u64,
    seconds: f64,
}

impl Runs {
    /// As an input asks; once where it does not say.
    fn of(input: &Value) -> Runs {
        let number = |field: &str| input.get(field).and_then(Value::as_f64);
        Runs { times: number("min_runs").unwrap_or(1.0).max(1.0) as u64, seconds: number("min_seconds").unwrap_or(0.0) }
    }
}

fn repeat(prepared: &Prepared, runs: Runs, timings: &mut Vec<Value>) -> Result<(), Error> {
    let (mut done, mut elapsed) = (0, 0.0);
    while done < runs.times || elapsed < runs.seconds {
        let start = Instant::now();
        prepared.run()?;
        let took = start.elapsed();
        done += 1;
        elapsed += took.as_secs_f64();
        timings.push(timing("evaluate", took.as_nanos()));
    }
    Ok(())
}

fn timing(name: &str, nanoseconds: u128) -> Value {
    json!({"name": name, "nanoseconds": u64::try_from(nanoseconds).unwrap_or(u64::MAX)})
}

fn failure(id: &Value, error: &str) -> String {
    json!({"id": id, "success": false, "error": error.trim_end()}).to_string()
}

/// JSON as data. Text, which programs do not have, is left out of records, and so is what the protocol says of runs.
fn data(value: &Value) -> Option<Data> {
    match value {
        Value::Null | Value::String(_) => None,
        Value::Bool(truth) => Some(Data::Bool(*truth)),
        Value::Number(number) => Some(number.as_i64().map_or(Data::Real(number.as_f64()?), Data::Int)),
        Value::Array(elements) => elements.iter().map(data).collect::<Option<Vec<Data>>>().map(Data::List),
        Value::Object(fields) => {
            let wanted = fields.iter().filter(|(name, _)| *name != "min_runs" && *name != "min_seconds");
            Some(Data::Record(wanted.filter_map(|(name, value)| Some((name.as_str().into(), data(value)?))).collect()))
        }
    }
}

/// Loads the programs that are there without a folder.
struct Embedded;

impl Embedded {
    fn text(file: &str) -> Option<&'static str> {
        PROGRAMS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }
}

impl Loader for Embedded {
    fn load(&self, path: &str, _importer: Option<&str>) -> Result<Loaded, String> {
        let text = Embedded::text(path).ok_or("there is no such program")?;
        Ok(Loaded { identity: path.into(), name: format!("gradbench/{path}"), bytes: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_the_folder_is_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gradbench");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".rz"))
            .collect();
        files.sort();
        assert_eq!(files, PROGRAMS.map(|(name, _)| name));
    }

    #[test]
    fn text_is_left_out_of_records() {
        let input = json!({"names": ["a", "b"], "min_runs": 3, "x": [1, 2.5], "inner": {"name": "c", "n": 1}});
        let inner = Data::Record(vec![("n".into(), Data::Int(1))]);
        let x = Data::List(vec![Data::Int(1), Data::Real(2.5)]);
        assert_eq!(data(&input), Some(Data::Record(vec![("inner".into(), inner), ("x".into(), x)])));
        assert_eq!(data(&json!("text")), None);
    }
}
