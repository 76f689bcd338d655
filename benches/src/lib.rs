//! Run times of Riesz: clocks, prepared programs, and tables.
//!
//! Times are those of the thread, not of the wall clock, so that a busy machine changes them little. Each is the median
//! of many runs.

pub mod code;
pub mod peers;
pub mod workload;

use riesz_core::evaluate::{Globals, Limits, Machine, Value};
use riesz_core::{Checker, FunctionId, GlobalId, Program, Thunk};
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Tree, parse, parse_expression};
use std::hint::black_box;
use std::time::Duration;

/// A program and an expression, checked, with its derivatives compiled and its top-level values computed.
pub struct Prepared {
    program: Program,
    thunk: Thunk,
    values: Globals<f64>,
}

/// A way to compile derivatives away.
type Compile = fn(&mut Program, &[FunctionId]) -> Result<(), Vec<Diagnostic>>;

impl Prepared {
    /// Prepares an expression in the scope of a program.
    ///
    /// # Panics
    /// If there is a mistake in one of them: programs to be timed are right.
    pub fn new(program: &str, expression: &str) -> Prepared {
        Prepared::with(program, expression, riesz_calculus::compile_from)
    }

    /// The same, as native code wants it.
    ///
    /// # Panics
    /// If there is a mistake in one of them.
    pub fn for_code(program: &str, expression: &str) -> Prepared {
        Prepared::with(program, expression, riesz_calculus::compile_for_code)
    }

    /// The same for an expression that the interpreter would take long for: it computes only the top-level values that
    /// are named.
    ///
    /// # Panics
    /// If there is a mistake in one of them.
    pub fn lazily(program: &str, values: &[&str], expression: &str) -> Prepared {
        let mut checker = checker(program);
        let values = checked(&mut checker, &format!("({})", values.join(", ")));
        let thunk = checked(&mut checker, expression);
        let mut program = checker.program;
        riesz_calculus::compile_for_code(&mut program, &[thunk.function, values.function])
            .unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let mut prepared = Prepared { program, thunk, values: Globals::default() };
        prepared.values = {
            let mut machine = prepared.machine();
            machine.run(values.function).unwrap_or_else(|mistake| panic!("{mistake:?}"));
            machine.globals().clone()
        };
        prepared
    }

    fn with(program: &str, expression: &str, compile: Compile) -> Prepared {
        let mut checker = checker(program);
        let thunk = checked(&mut checker, expression);
        let mut program = checker.program;
        compile(&mut program, &[thunk.function]).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let mut prepared = Prepared { program, thunk, values: Globals::default() };
        prepared.values = {
            let mut machine = prepared.machine();
            machine.run(prepared.thunk.function).unwrap_or_else(|mistake| panic!("{mistake:?}"));
            machine.globals().clone()
        };
        prepared
    }

    /// The program, without derivatives.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The function that computes the expression.
    pub fn function(&self) -> FunctionId {
        self.thunk.function
    }

    /// The value of a global.
    pub fn value(&self, id: GlobalId) -> Option<Value<f64>> {
        self.values.get(&id).cloned()
    }

    /// The value of a global that the expression needs, by its name.
    ///
    /// # Panics
    /// If there is none.
    pub fn named(&self, name: &str) -> Value<f64> {
        let at = self.program.globals.iter().position(|global| &*global.name == name);
        at.and_then(|at| self.value(GlobalId(at as u32))).unwrap_or_else(|| panic!("no value {name}"))
    }

    /// Evaluates the expression.
    pub fn run(&self) -> Value<f64> {
        self.machine().run(self.thunk.function).unwrap_or_else(|mistake| panic!("{mistake:?}"))
    }

    /// How long that takes.
    pub fn time(&self) -> Duration {
        time(|| self.run())
    }

    fn machine(&self) -> Machine<'_, f64> {
        Machine::new(&self.program, Limits::default(), |id| self.values.get(&id).cloned())
    }
}

/// What has checked a program.
fn checker(program: &str) -> Checker {
    let mut checker = Checker::new();
    let problems = checker.add(vec![parsed(program)], false);
    assert!(problems.is_empty(), "{problems:?}");
    checker
}

/// An expression in the scope of a program.
fn checked(checker: &mut Checker, expression: &str) -> Thunk {
    let (tree, found, problems) = parse_expression(FileId(2), expression, &ParseOptions::default());
    let (Some(found), true) = (found, problems.is_empty()) else { panic!("{expression}: {problems:?}") };
    checker.expression(tree, found, Vec::new()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

/// The tree of a text without mistakes.
pub fn parsed(text: &str) -> Tree {
    let (tree, problems) = parse(FileId(1), text, &ParseOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    tree
}

/// How long something takes: the median over half a second of runs, and at least five. What is short is run many times
/// between two looks at the clock, which take a microsecond themselves.
pub fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut several = |runs: u32| {
        for _ in 0..runs {
            black_box(run());
        }
    };
    // The first run meets memory that nobody has touched.
    several(1);
    let mut runs = 1;
    while time_once(|| several(runs)) < Duration::from_micros(50) {
        runs *= 2;
    }
    time_after(|| (), |()| several(runs)) / runs
}

/// The same for what needs something made anew for each run, which is not counted.
pub fn time_after<A, T>(mut make: impl FnMut() -> A, mut run: impl FnMut(A) -> T) -> Duration {
    let mut times = Vec::new();
    let mut total = Duration::ZERO;
    while times.len() < 5 || total < Duration::from_millis(500) {
        let made = make();
        let took = time_once(|| run(made));
        total += took;
        times.push(took);
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// How long a run takes, without the time to drop what it gives.
fn time_once<T>(run: impl FnOnce() -> T) -> Duration {
    let start = now();
    let result = black_box(run());
    let took = now() - start;
    drop(result);
    took
}

/// What the clock of this thread shows.
#[cfg(unix)]
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// What the clock shows.
#[cfg(not(unix))]
fn now() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// Prints a table, as a page shows it.
pub fn print_table(heading: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(heading[column].chars().count())
    };
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().enumerate().map(|(column, cell)| format!("{cell:<0$}", width(column))).collect();
        println!("| {} |", cells.join(" | "));
    };
    line(&heading.iter().map(ToString::to_string).collect::<Vec<_>>());
    println!("|{}", "---|".repeat(heading.len()));
    rows.iter().for_each(|row| line(row));
    println!();
}

/// Differences are relative to a number itself, but to no less than this: one, unless all numbers are smaller.
pub fn scale(numbers: &[f64]) -> f64 {
    numbers.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs())).min(1.0)
}

/// How many times as long one is as the other.
pub fn over(a: Duration, b: Duration) -> String {
    format!("{:.2}", a.as_secs_f64() / b.as_secs_f64().max(1e-12))
}

/// Microseconds, with as many digits as mean something.
pub fn micro(time: Duration) -> String {
    let micro = 1e6 * time.as_secs_f64();
    match micro {
        ..10.0 => format!("{micro:.2}"),
        10.0..100.0 => format!("{micro:.1}"),
        _ => format!("{micro:.0}"),
    }
}
