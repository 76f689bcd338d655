//! Random programs and their derivatives, as loop programs, with the results of the interpreter, which every backend
//! must give. The evaluator of loop programs has agreed before.

pub use riesz_test::generate;

use generate::{Program, moving_constructs, moving_program, program};
use riesz_core::FunctionId;
use riesz_core::evaluate::{Globals, Limits, Machine, Value};
use riesz_program::evaluate::{self, Number, Passed, call};
use riesz_program::pass::{pass, receive};
use riesz_program::{Entry, Signature};
use riesz_test::program::check;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function of a program, with arguments and what the interpreter says.
pub struct Case {
    /// What the program was made with.
    pub seed: u64,
    /// Which function.
    pub name: &'static str,
    pub text: String,
    pub arguments: Vec<Value<f64>>,
    /// The arguments and the globals behind them, as they are passed.
    pub words: Vec<Passed>,
    pub globals: Globals<f64>,
    pub expected: Result<Value<f64>, &'static str>,
    /// How far rounding of the arguments moves that.
    pub rounding: f64,
}

/// How often what happened, and what is wrong.
#[derive(Default)]
pub struct Verdict {
    pub tally: BTreeMap<String, u64>,
    pub wrong: Vec<String>,
}

/// How large a share of all functions may not be compared, by reason; and for any other reason.
const CEILINGS: [(&str, f64); 5] = [
    ("it uses a linear map as a value", 0.2),
    ("a recursive function is differentiated twice", 0.025),
    ("the size of this array is known only at run time", 0.008),
    ("rounding decides the value", 0.005),
    ("left to the interpreter", 0.006),
];
const RARE: f64 = 0.002;

/// Some programs, which a backend compiles at once.
#[derive(Default)]
pub struct Batch {
    pub lowered: riesz_program::Program,
    /// A procedure for each case.
    pub signatures: Vec<Signature>,
    pub cases: Vec<Case>,
    pub verdict: Verdict,
}

/// Runs batches of so many programs on all cores.
pub fn try_all(first: u64, count: u64, at_once: u64, run: impl Fn(Range<u64>, bool) -> Verdict + Sync) -> Verdict {
    let next = AtomicU64::new(0);
    let total = Mutex::new(Verdict::default());
    let work = || {
        loop {
            let from = at_once * next.fetch_add(1, Ordering::Relaxed);
            if from >= count {
                return;
            }
            let verdict = run(first + from..first + count.min(from + at_once), from / at_once % 2 == 1);
            let mut total = total.lock().unwrap();
            total.wrong.extend(verdict.wrong);
            for (what, count) in verdict.tally {
                *total.tally.entry(what).or_default() += count;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work).expect("a thread starts");
        }
    });
    total.into_inner().unwrap()
}

impl Verdict {
    /// Compares the result of a backend with that of the interpreter.
    pub fn compare(&mut self, backend: &str, case: &Case, found: Result<&Value<f64>, &str>) {
        match disagreement(case, found) {
            Some(problem) => self.wrong.push(format!("{backend} {problem}")),
            None if matches!(found, Err("elsewhere")) => self.note("left to the interpreter"),
            None => self.note("agree"),
        }
    }

    /// Prints what happened. Fails where something is wrong, or where too much was not compared.
    pub fn report(&self) {
        for (what, count) in &self.tally {
            println!("{count} {what}");
        }
        for problem in self.wrong.iter().take(5) {
            println!("{problem}\n");
        }
        assert!(self.wrong.is_empty(), "{} disagree", self.wrong.len());
        let functions = || self.tally.iter().filter(|(what, _)| !what.starts_with("programs with"));
        let all: u64 = functions().map(|(_, count)| count).sum();
        let compared: u64 = functions().filter(|(what, _)| what.starts_with("agree")).map(|(_, count)| count).sum();
        assert!(2 * compared >= all, "hardly anything was compared");
        for (what, count) in functions().filter(|(what, _)| !what.starts_with("agree")) {
            let ceiling = CEILINGS.iter().find(|(kind, _)| what.contains(kind)).map_or(RARE, |(_, ceiling)| *ceiling);
            let share = *count as f64 / all as f64;
            assert!(all < 1000 || share <= ceiling, "{count} of {all} functions: {what}");
        }
    }

    /// Notes that something happened.
    pub fn note(&mut self, what: &str) {
        *self.tally.entry(what.into()).or_default() += 1;
    }
}

/// The program of a seed: every other one has long loops, integers that are counted in them, arrays with several names,
/// views and updates.
fn of_seed(seed: u64) -> Program {
    let size = 3 + (seed % 23) as usize;
    if seed % 2 == 1 { moving_program(seed, size) } else { program(seed, size) }
}

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// Lowers the programs of some seeds, `functions` functions of each, and compares what the evaluator of loop programs says.
/// Programs of more than `longest` lines are compared and then omitted.
pub fn batch(seeds: Range<u64>, functions: u64, longest: u64) -> Batch {
    let mut batch = Batch::default();
    for seed in seeds {
        let Some(made) = Lowered::of(seed, functions, riesz_program::lower, &mut batch.verdict) else { continue };
        let compiles = riesz_program::print::print(&made.program).lines().count() as u64 <= longest;
        let mut signatures = Vec::new();
        for (case, signature) in made.cases {
            let found = evaluated(&made.program, &signature, &case);
            if let Some(problem) = disagreement(&case, found.as_ref().map_err(String::as_str)) {
                if std::env::var_os("SHOW").is_some() {
                    println!("{}", riesz_core::print::print_program(&made.core));
                    println!("{}", riesz_program::print::print(&made.program));
                }
                batch.verdict.wrong.push(format!("the loop program {problem}"));
                continue;
            }
            if !compiles {
                let elsewhere = found.is_err_and(|code| code == "elsewhere");
                batch.verdict.note(match elsewhere {
                    true => "left to the interpreter",
                    false => "agree, by the evaluator of loop programs alone",
                });
                continue;
            }
            signatures.push(signature);
            batch.cases.push(case);
        }
        // Procedures that could not be finished are called by nobody.
        if compiles {
            let moved = batch.lowered.append(made.program);
            signatures.iter_mut().for_each(|signature| signature.procedure.0 += moved);
            batch.signatures.extend(signatures);
        }
    }
    batch
}

/// A random program as a loop program, and the functions of it with arguments.
pub struct Lowered {
    pub core: riesz_core::Program,
    pub program: riesz_program::Program,
    pub cases: Vec<(Case, Signature)>,
}

/// A function that lowers functions.
type Lower =
    fn(&riesz_core::Program, &[FunctionId]) -> (riesz_program::Program, Vec<Result<Entry, riesz_program::Unsupported>>);

impl Lowered {
    /// The program of a seed with `functions` functions. Notes those of which there is nothing to compare.
    pub fn of(seed: u64, functions: u64, lower: Lower, verdict: &mut Verdict) -> Option<Lowered> {
        let random = of_seed(seed);
        for construct in moving_constructs().intersection(&random.covered) {
            verdict.note(&format!("programs with: {construct}"));
        }
        let Some((core, functions)) = compiled(&random, seed, functions) else {
            verdict.note("does not compile");
            if std::env::var_os("SHOW").is_some() {
                println!("does not compile: {}", random.text());
            }
            return None;
        };
        let (program, entries) = lower(&core, &functions.iter().map(|(_, id)| *id).collect::<Vec<_>>());
        let complete = entries.iter().all(Result::is_ok);
        if complete && let Err(problem) = riesz_program::verify::verify(&program) {
            verdict.wrong.push(format!("program {seed} is no loop program: {problem}\n{}", random.text()));
            return None;
        }
        let arguments = random.arguments(seed);
        let mut cases = Vec::new();
        for ((name, id), entry) in functions.iter().zip(entries) {
            match entry {
                Ok(entry) => match Case::of(&core, *id, name, seed, &random, &arguments) {
                    Ok(mut case) => {
                        let signature = Signature::of(&core, *id, entry);
                        match case.pass(&signature) {
                            Some(()) => cases.push((case, signature)),
                            None => verdict.note("no globals"),
                        }
                    }
                    Err(reason) => verdict.note(reason),
                },
                Err(problem) => verdict.note(&format!("not lowered: {}", problem.reason)),
            }
        }
        Some(Lowered { core, program, cases })
    }
}

impl Case {
    /// A function with arguments; the reason if there is nothing to compare.
    fn of(
        core: &riesz_core::Program,
        id: FunctionId,
        name: &'static str,
        seed: u64,
        random: &Program,
        arguments: &[Value<f64>],
    ) -> Result<Case, &'static str> {
        let arguments: Vec<Value<f64>> = arguments[..core.function(id).parameters].to_vec();
        let limits = Limits { steps: 200_000, depth: 1000, memory: 64 << 20, interrupt: None };
        let mut machine = Machine::<f64>::new(core, limits, |_| None);
        let expected = machine.call_with(id, arguments.clone()).map_err(|fault| fault.code);
        let globals = machine.globals().clone();
        let rounded = arguments.iter().map(|value| value.over(&mut |x: &f64| x * (1.0 + 4.0 * f64::EPSILON))).collect();
        let rounding = match (&expected, machine.call_with(id, rounded)) {
            (Ok(expected), Ok(moved)) => expected.distance(&moved),
            _ => 0.0,
        };
        if rounding > 1e-8 {
            return Err("rounding decides the value");
        }
        if matches!(expected, Err("step-limit" | "depth-limit" | "memory-limit")) {
            return Err("too long");
        }
        Ok(Case { seed, name, text: random.text(), arguments, words: Vec::new(), globals, expected, rounding })
    }

    /// Passes the arguments and the globals, if all of them have values.
    fn pass(&mut self, signature: &Signature) -> Option<()> {
        let globals: Option<Vec<_>> =
            signature.globals.iter().map(|(id, ty)| self.globals.get(id).map(|value| (value, ty))).collect();
        let words = self.arguments.iter().zip(&signature.parameters).chain(globals?);
        self.words = words.flat_map(|(value, ty)| pass(value, ty)).collect();
        Some(())
    }
}

/// What the evaluator gives for a case, or the code of the error.
pub fn evaluated(program: &riesz_program::Program, signature: &Signature, case: &Case) -> Result<Value<f64>, String> {
    match call(program, signature.procedure, &mut case.words.clone()) {
        Ok(results) => Ok(receive(&results, &signature.result)),
        Err(evaluate::Stop::Elsewhere) => Err("elsewhere".into()),
        Err(evaluate::Stop::Broken(problem)) => Err(format!("broken: {problem}")),
        Err(evaluate::Stop::At(site, numbers)) => {
            let (mut told, mut real) = ([0; 3], 0.0);
            for (told, number) in told.iter_mut().zip(numbers) {
                match number {
                    Number::Int(number) => *told = number,
                    Number::Real(number) => real = number,
                    Number::Bool(_) => {}
                }
            }
            let site = program.site(site);
            let diagnostic = site.fault.diagnostic(told, real, &Limits::default(), site.span);
            Err(diagnostic.map_or("elsewhere", |diagnostic| diagnostic.code).into())
        }
    }
}

/// What is wrong with what was found, if it is.
pub fn disagreement(case: &Case, found: Result<&Value<f64>, &str>) -> Option<String> {
    let Case { seed, name, text, arguments, expected, rounding, .. } = case;
    let agrees = match (expected, &found) {
        // Sums in lanes are rounded otherwise than one after the other, each of some dozen terms.
        (Ok(expected), Ok(found)) => expected.distance(found) <= 1e-11 + 16.0 * rounding,
        // The caller counts what is left to the interpreter.
        (_, Err("elsewhere")) => true,
        (Err(expected), Err(found)) => expected == found,
        _ => false,
    };
    (!agrees).then(|| {
        format!("of {name} in program {seed} gives {found:?}, not {expected:?}\n{text}\narguments: {arguments:?}")
    })
}

/// The core of a program and of derivatives of it, those that are the iteration of the seed.
#[allow(clippy::type_complexity)]
fn compiled(
    program: &Program,
    seed: u64,
    count: u64,
) -> Option<(riesz_core::Program, Vec<(&'static str, FunctionId)>)> {
    let s = program.domain.concrete();
    let (ds, dt) = (program.domain.tangent(), program.codomain.tangent());
    let mut functions = [
        ("value", format!("x: {s}"), "f(x)"),
        ("reverse", format!("x: {s}, w: {dt}"), "vjp(f, x, w)"),
        ("forward", format!("x: {s}, w: {dt}, u: {ds}"), "jvp(f, x, u)"),
        ("both", format!("x: {s}, w: {dt}, u: {ds}"), "jvp(\\z -> vjp(f, z, w).1, x, u).1"),
        ("matrix", format!("x: {s}"), "matrix(D(f, x))"),
        ("sparse", format!("x: {s}"), "coo(D(f, x))"),
        ("second", format!("x: {s}, w: {dt}"), "coo(D(\\z -> vjp(f, z, w).1, x))"),
    ];
    let iteration = seed as usize % functions.len();
    functions.rotate_left(iteration);
    let functions = &functions[..functions.len().min(count as usize)];
    let mut text = program.text();
    for (name, parameters, body) in functions {
        text += &format!("fun f_{name}({parameters}) = {body}\n");
    }
    let checker = check(&text).ok()?;
    let ids: Vec<FunctionId> =
        functions.iter().filter_map(|(name, ..)| checker.function_named(&format!("f_{name}"))).collect();
    let mut core = checker.program;
    riesz_calculus::compile_for_code(&mut core, &ids).ok()?;
    Some((core, functions.iter().map(|(name, ..)| *name).zip(ids).collect()))
}
