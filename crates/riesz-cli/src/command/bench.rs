//! `riesz bench FILE FUN --at EXPR`: the time of a function, and of its value with its derivative.
//!
//! Times are medians, with the interquartile range as their spread.

use super::{Status, finish};
use crate::arguments::Bench as Arguments;
use crate::disk::{self, Disk};
use crate::report::Report;
use crate::{output, value};
use riesz::bench::Prepared;
use riesz::{Binding, Diagnostic, Error, NoFiles, Session, Toolchain, Type};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// The name of the point in the expressions that are run.
const POINT: &str = "the_point";
/// How long and how often something is run at least.
const AT_LEAST: (Duration, usize) = (Duration::from_millis(500), 5);

/// Times a function and its derivative at a point.
pub fn run(arguments: Arguments) -> Status {
    let report = Report::new(arguments.messages);
    let earlier = match arguments.against.as_deref().map(earlier).transpose() {
        Ok(earlier) => earlier,
        Err(problem) => {
            report.problem("cannot-read", problem);
            return Status::Failure;
        }
    };
    let mut session = Session::new(arguments.limits.options());
    let text = bench(&mut session, &arguments, &report).map(|found| match arguments.json {
        true => found.as_json(&arguments, earlier.as_ref()).to_string(),
        false => found.as_text(earlier.as_ref()),
    });
    finish(&report, &session, text)
}

/// The results.
struct Timings {
    /// The backend that ran it.
    backend: &'static str,
    threads: u16,
    is_gradient: bool,
    value: Measured,
    derivative: Measured,
    /// How long the derivative took to become code, with nothing built before and with everything.
    compile: Option<(Duration, Duration)>,
}

/// How long something took, and what it used.
struct Measured {
    median: Duration,
    /// From the first quartile to the third.
    spread: Duration,
    runs: usize,
    /// The bytes of the buffers it makes.
    bytes: u64,
}

fn bench(session: &mut Session, arguments: &Arguments, report: &Report) -> Result<Timings, Vec<Diagnostic>> {
    session.load(&arguments.subject.file, &Disk)?;
    for (name, text) in &arguments.subject.bindings {
        let read = value::binding(name, text).map_err(|problem| vec![Diagnostic::placeless("cannot-read", problem)])?;
        // As values of the program, data are known when it runs and not before.
        match read {
            (_, Binding::Text(text)) => session.define(name, &format!("let {name} = {text}"), &NoFiles)?,
            data => {
                let value = session.evaluate_as(name, name, vec![data])?;
                session.define_value(name, &value)?
            }
        };
    }
    session.define("point", &format!("let {POINT} = {}", arguments.subject.at), &NoFiles)?;
    let (function, at) = (&arguments.subject.function, &arguments.subject.at);
    let applied = format!("({function})({POINT})");
    let is_gradient = session.type_of("expression", &format!("({function})({at})"))? == Type::Real;
    let derived = match is_gradient {
        true => format!("vjp({function}, {POINT}, 1.0)"),
        false => format!("({applied}, matrix(D({function}, {POINT})))"),
    };
    let native = arguments.backend.fastest(arguments.threads, report);
    let native = native.as_ref();
    let value = session.prepare(&applied, Vec::new(), native)?;
    let derivative = session.prepare(&derived, Vec::new(), native)?;
    let is_native = value.is_native() && derivative.is_native();
    let backend = native.filter(|_| is_native).map_or("interp", Toolchain::name);
    for note in [value.note(), derivative.note()].into_iter().flatten() {
        report.show(std::slice::from_ref(note), session.sources());
    }
    let compile = match native.filter(|_| derivative.is_native()) {
        Some(native) => Some(compile_times(session, &derived, native)?),
        None => None,
    };
    let said = |error: Error| error.diagnostics().to_vec();
    let value = measure(&value).map_err(said)?;
    let derivative = measure(&derivative).map_err(said)?;
    Ok(Timings { backend, threads: arguments.threads, is_gradient, value, derivative, compile })
}

/// How long an expression takes to become code: with nothing built before but the runtime, and once it is built.
fn compile_times(
    session: &mut Session,
    expression: &str,
    native: &Toolchain,
) -> Result<(Duration, Duration), Vec<Diagnostic>> {
    let fresh = native.afresh().map_err(|problem| vec![problem.diagnostic()])?;
    let mut times = [Duration::ZERO; 2];
    for time in &mut times {
        *time = session.prepare(expression, Vec::new(), Some(&fresh))?.compiled_in();
    }
    Ok((times[0], times[1]))
}

fn measure(prepared: &Prepared) -> Result<Measured, Error> {
    prepared.run()?;
    let mut times = Vec::new();
    let mut total = Duration::ZERO;
    while times.len() < AT_LEAST.1 || total < AT_LEAST.0 {
        let start = Instant::now();
        prepared.run()?;
        let took = start.elapsed();
        total += took;
        times.push(took);
    }
    times.sort_unstable();
    let quantile = |quarters: usize| times[(times.len() - 1) * quarters / 4];
    let bytes = match prepared.bytes() {
        Some(bytes) => bytes,
        None => riesz_limit::most(&mut || drop(prepared.run())) as u64,
    };
    Ok(Measured { median: quantile(2), spread: quantile(3) - quantile(1), runs: times.len(), bytes })
}

/// The figures of a file that an earlier run with `--json` wrote.
fn earlier(path: &str) -> Result<Value, String> {
    let failed = |reason: String| format!("cannot read {path}: {reason}");
    let bytes = disk::read_data(Path::new(path)).map_err(|error| failed(disk::reason(&error)))?;
    let figures: Value = serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
    match [&figures["value"], &figures["derivative"]].iter().all(|part| part["seconds"].is_number()) {
        true => Ok(figures),
        false => Err(failed("it does not contain output of `riesz bench --json`".into())),
    }
}

impl Timings {
    fn ratio(&self) -> f64 {
        self.derivative.median.as_secs_f64() / self.value.median.as_secs_f64().max(1e-9)
    }

    /// Times over earlier times: of the value and of the derivative.
    fn against(&self, earlier: &Value) -> [f64; 2] {
        let over = |now: &Measured, name: &str| {
            now.median.as_secs_f64() / earlier[name]["seconds"].as_f64().unwrap_or(f64::NAN).max(1e-9)
        };
        [over(&self.value, "value"), over(&self.derivative, "derivative")]
    }

    fn as_text(&self, earlier: Option<&Value>) -> String {
        let name = if self.is_gradient { "with gradient" } else { "with matrix" };
        let rows = [("value", &self.value), (name, &self.derivative)];
        let against = earlier.map(|earlier| self.against(earlier));
        let mut lines = Vec::new();
        for (at, (name, measured)) in rows.into_iter().enumerate() {
            let Measured { median, spread, runs, bytes } = measured;
            let mut line = format!(
                "{name:<14} {:>10} ± {:<9} {runs:>7} runs {bytes:>12} bytes",
                output::duration(*median),
                output::duration(*spread)
            );
            if let Some(against) = against {
                line += &format!("  {:.2} of the earlier time", against[at]);
            }
            lines.push(line);
        }
        lines.push(format!("{:<14} {:>10.2}", "ratio", self.ratio()));
        if let Some((cold, cached)) = self.compile {
            lines.push(format!(
                "{:<14} {:>10}, cached {}",
                "compiled in",
                output::duration(cold),
                output::duration(cached)
            ));
        }
        let runner = match (self.backend, self.threads) {
            ("interp", _) => "interpreter".to_string(),
            ("instant", _) => "machine code in memory".to_string(),
            (_, 1) => "native code, 1 thread".to_string(),
            (_, threads) => format!("native code, {threads} threads"),
        };
        lines.push(format!("{:<14} {runner:>10}", "run by"));
        lines.join("\n")
    }

    fn as_json(&self, arguments: &Arguments, earlier: Option<&Value>) -> Value {
        let measured = |measured: &Measured| {
            json!({
                "seconds": measured.median.as_secs_f64(),
                "spread": measured.spread.as_secs_f64(),
                "runs": measured.runs,
                "bytes": measured.bytes,
            })
        };
        let mut object = json!({
            "file": arguments.subject.file,
            "function": arguments.subject.function,
            "at": arguments.subject.at,
            "backend": self.backend,
            "threads": self.threads,
            "kind": if self.is_gradient { "gradient" } else { "matrix" },
            "value": measured(&self.value),
            "derivative": measured(&self.derivative),
            "ratio": self.ratio(),
        });
        if let Some((cold, cached)) = self.compile {
            object["compile"] = json!({"cold": cold.as_secs_f64(), "cached": cached.as_secs_f64()});
        }
        if let Some([value, derivative]) = earlier.map(|earlier| self.against(earlier)) {
            object["against"] = json!({"value": value, "derivative": derivative});
        }
        object
    }
}
