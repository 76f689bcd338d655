//! The cost of larger inputs: time per element, memory, and compile time.
//!
//! Memory is measured in a separate process for each row, which may use 2 GiB for its buffers: all bytes that a run
//! allocates, and the peak of the process, including its input.

use riesz::bench::Prepared;
use riesz::{Checkpoints, Limits, NoFiles, Options, Session, Toolchain};
use riesz_bench::workload::{mixture, rosenbrock};
use riesz_bench::{print_table, time};
use std::process::Command;

const MIXTURE: &str = "mixture(alphas, means, qs, ls, x, gamma, m)";
const MIXTURE_GRADIENT: &str = "grad(\\a b q l -> mixture(a, b, q, l, x, gamma, m), (alphas, means, qs, ls))";

fn main() {
    let words: Vec<String> = std::env::args().collect();
    match words.iter().position(|word| word == "--memory") {
        Some(at) => memory_of(words[at + 1].parse().expect("the number of a row")),
        None => {
            time_per_element();
            memory();
            compile_time();
        }
    }
}

fn session(program: &str, checkpoints: Option<Checkpoints>) -> Session {
    let limits = Limits { steps: u64::MAX, memory: 2 << 30, ..Limits::default() };
    let native = Toolchain::find(1).ok();
    let mut session = Session::new(Options { limits, checkpoints, native, ..Options::default() });
    session.load_text("program", program, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    session
}

fn prepared(session: &mut Session, expression: &str) -> Result<Prepared, String> {
    let native = Toolchain::find(1).expect("a Rust compiler");
    let prepared = session.prepare(expression, Vec::new(), Some(&native));
    let prepared = prepared.map_err(|problems| session.render(&problems, false))?;
    match prepared.note() {
        Some(note) => Err(session.render(std::slice::from_ref(note), false)),
        None => Ok(prepared),
    }
}

fn time_per_element() {
    let mut rows = Vec::new();
    let mut row = |name: &str, elements: usize, program: String, value: &str, gradient: &str| {
        let mut session = session(&program, None);
        let mut nanoseconds = |expression: &str| match prepared(&mut session, expression) {
            Ok(prepared) => {
                let took = time(|| prepared.run().unwrap_or_else(|problem| panic!("{problem:?}")));
                format!("{:.3}", 1e9 * took.as_secs_f64() / elements as f64)
            }
            Err(problem) => {
                eprintln!("{problem}");
                "-".into()
            }
        };
        rows.push(vec![name.to_string(), elements.to_string(), nanoseconds(value), nanoseconds(gradient)]);
    };
    for power in 3..=6 {
        row(
            "mixture, d = 10, K = 25",
            10usize.pow(power),
            mixture(10, 25, 10usize.pow(power)),
            MIXTURE,
            MIXTURE_GRADIENT,
        );
    }
    for power in 3..=7 {
        row("Rosenbrock", 10usize.pow(power), rosenbrock(10usize.pow(power)), "f(x)", "grad(f, x)");
    }
    print_table(&["function", "elements", "value, ns per element", "gradient, ns per element"], &rows);
}

/// Name, program, expression, and what loops keep.
fn memory_rows() -> Vec<(&'static str, String, &'static str, Option<Checkpoints>)> {
    let recurrence = "fun f(x: R): R = loop y = x for i < 10000000 do 1.1 * sin(y) + 0.1
         let x = 0.5";
    let keep = |checkpoints| move || Some(checkpoints);
    let (all, roots) = (keep(Checkpoints::Everything), keep(Checkpoints::Roots));
    vec![
        ("mixture, n = 10⁶, value", mixture(10, 25, 1_000_000), MIXTURE, None),
        ("mixture, n = 10⁶, gradient", mixture(10, 25, 1_000_000), MIXTURE_GRADIENT, None),
        ("recurrence, 10⁷ iterations, value", recurrence.to_string(), "f(x)", None),
        ("recurrence, gradient, everything kept", recurrence.to_string(), "grad(f, x)", all()),
        ("recurrence, gradient, as little as possible", recurrence.to_string(), "grad(f, x)", roots()),
        ("recurrence, gradient, 1000 states", recurrence.to_string(), "grad(f, x)", Some(Checkpoints::States(1000))),
    ]
}

/// Runs a row and prints what it took.
fn memory_of(at: usize) {
    let (_, program, expression, checkpoints) = memory_rows().swap_remove(at);
    let mut session = session(&program, checkpoints);
    match prepared(&mut session, expression) {
        Ok(prepared) => {
            let took = time(|| prepared.run().unwrap_or_else(|problem| panic!("{problem:?}")));
            let bytes = prepared.bytes().unwrap_or(0);
            println!("{bytes} {} {}", most_held().unwrap_or(0), took.as_secs_f64());
        }
        Err(problem) => eprintln!("{problem}"),
    }
}

/// The most bytes that this process has held, where the system tells.
fn most_held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

fn memory() {
    let mut rows = Vec::new();
    for (at, (name, ..)) in memory_rows().into_iter().enumerate() {
        let this = std::env::current_exe().expect("this program");
        let output = Command::new(this).args(["--memory", &at.to_string()]).output().expect("it runs again");
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let cell = |at: usize, scale: f64| numbers.get(at).map_or("-".to_string(), |x| format!("{:.1}", x * scale));
        rows.push(vec![name.to_string(), cell(0, 1e-6), cell(1, 1e-6), cell(2, 1e3)]);
    }
    print_table(&["run", "MB requested", "MB held at most", "ms"], &rows);
}

fn compile_time() {
    let native = Toolchain::find(1).expect("a Rust compiler");
    let mut session = session(&mixture(10, 25, 1000), None);
    let mut take = |native: &Toolchain| {
        let prepared = session.prepare(MIXTURE_GRADIENT, Vec::new(), Some(native));
        prepared.unwrap_or_else(|problems| panic!("{problems:?}")).compiled_in()
    };
    // The runtime is built once for all programs.
    take(&native);
    let fresh = native.afresh().expect("a place to build in");
    let (cold, cached) = (take(&fresh), take(&fresh));
    let milliseconds = |time: std::time::Duration| format!("{:.0}", 1e3 * time.as_secs_f64());
    let row = vec!["mixture, d = 10, K = 25".to_string(), milliseconds(cold), milliseconds(cached)];
    print_table(&["gradient", "compiled in, ms", "cached, ms"], &[row]);
}
