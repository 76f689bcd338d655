//! The interpreter, the evaluator of loop programs and native code agree: on random programs and their derivatives, in
//! value and in error.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed. Programs below the length `LONGEST` are
//! compiled, some hundred at a time, with every position checked; every other batch has exact products from the start,
//! and loops in as many chunks as possible, which threads share. `FUNCTIONS` is the number of functions that are tested
//! for each program, chosen from its value and six derivatives, because compiling takes the most time. With `SHOW`, a
//! wrong loop program is printed. A long run:
//!
//! ```sh
//! PROGRAMS=100000 FUNCTIONS=2 LONGEST=1000000 cargo test --release -p riesz-native --test agreement -- --nocapture
//! ```
//!
//! With `PORTABLE=1` the code is for plain x86-64, so that the whole test runs under valgrind.

#[allow(dead_code)]
#[path = "../../riesz-calculus/tests/generate/mod.rs"]
mod generate;

use generate::{Program, moving_constructs, moving_program, program};
use riesz_core::evaluate::{Globals, Limits, Machine, Value};
use riesz_core::{Checker, FunctionId};
use riesz_native::{Code, Compiler, Pool, Settings, Signature, Stop};
use riesz_program::evaluate::{self, call};
use riesz_program::pass::{pass, receive};
use riesz_syntax::{FileId, ParseOptions, parse};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 2000;
/// How many lines of loop program are compiled unless told otherwise: the compiler takes as long for the longest tenth as
/// for all others.
const LONGEST: u64 = 2500;
/// How many programs are compiled at once.
const AT_ONCE: u64 = 125;

/// How large a share of all functions may not be compared, by reason; and for any other reason.
const CEILINGS: [(&str, f64); 3] = [
    ("a linear map is a value here", 0.2),
    ("what a recursion keeps is differentiated here", 0.025),
    ("the size of an array is not known before the array is", 0.008),
];
const RARE: f64 = 0.002;

/// A function of a program, with arguments and what the interpreter says.
struct Case {
    seed: u64,
    name: &'static str,
    text: String,
    arguments: Vec<Value<f64>>,
    globals: Globals<f64>,
    expected: Result<Value<f64>, &'static str>,
    /// How far rounding of the arguments moves that.
    rounding: f64,
}

/// How often what happened, and what is wrong.
#[derive(Default)]
struct Verdict {
    tally: BTreeMap<String, u64>,
    wrong: Vec<String>,
}

#[test]
fn random_programs_agree() {
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    let next = AtomicU64::new(0);
    let total = Mutex::new(Verdict::default());
    let work = || {
        loop {
            let from = AT_ONCE * next.fetch_add(1, Ordering::Relaxed);
            if from >= count {
                return;
            }
            let verdict = run(first + from, first + count.min(from + AT_ONCE), from / AT_ONCE % 2 == 1);
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
    let Verdict { tally, wrong } = total.into_inner().unwrap();
    for (what, count) in &tally {
        println!("{count} {what}");
    }
    for problem in wrong.iter().take(5) {
        println!("{problem}\n");
    }
    assert!(wrong.is_empty(), "{} disagree", wrong.len());
    let functions: u64 =
        tally.iter().filter(|(what, _)| !what.starts_with("programs with")).map(|(_, count)| count).sum();
    for (what, count) in
        tally.iter().filter(|(what, _)| !what.starts_with("agree") && !what.starts_with("programs with"))
    {
        let ceiling = CEILINGS.iter().find(|(kind, _)| what.contains(kind)).map_or(RARE, |(_, ceiling)| *ceiling);
        let share = *count as f64 / functions as f64;
        assert!(functions < 1000 || share <= ceiling, "{count} of {functions} functions: {what}");
    }
    let covered = |name: &&&str| tally.contains_key(&format!("programs with: {name}"));
    let constructs = moving_constructs();
    let missing: Vec<_> = constructs.iter().filter(|name| !covered(name)).collect();
    assert!(count < PROGRAMS || missing.is_empty(), "never generated: {missing:?}");
}

/// The program of a seed: every other one has long loops, integers that are counted in them, arrays with several names,
/// views and updates.
fn of_seed(seed: u64) -> Program {
    let size = 3 + (seed % 23) as usize;
    if seed % 2 == 1 { moving_program(seed, size) } else { program(seed, size) }
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// Tries the programs of some seeds.
fn run(from: u64, to: u64, fine: bool) -> Verdict {
    let Verdict { mut tally, mut wrong } = Verdict::default();
    let longest = number("LONGEST", LONGEST);
    let mut lowered = riesz_program::Program::default();
    let (mut signatures, mut cases) = (Vec::new(), Vec::new());
    for seed in from..to {
        let program = of_seed(seed);
        for construct in moving_constructs().intersection(&program.covered) {
            *tally.entry(format!("programs with: {construct}")).or_default() += 1;
        }
        let Some(compiled) = compiled(&program, seed) else {
            *tally.entry("does not compile".into()).or_default() += 1;
            if std::env::var_os("SHOW").is_some() {
                println!("does not compile: {}", program.text());
            }
            continue;
        };
        let (core, functions) = compiled;
        let (made, entries) = riesz_program::lower(&core, &functions.iter().map(|(_, id)| *id).collect::<Vec<_>>());
        let complete = entries.iter().all(Result::is_ok);
        if complete && let Err(problem) = riesz_program::verify::verify(&made) {
            wrong.push(format!("program {seed} is no loop program: {problem}\n{}", program.text()));
            continue;
        }
        let compiles = riesz_program::print::print(&made).lines().count() as u64 <= longest;
        let arguments = program.arguments(seed);
        for ((name, id), entry) in functions.iter().zip(&entries) {
            let Ok(entry) = entry else {
                let reason = entry.as_ref().err().map(|problem| problem.reason.clone()).unwrap_or_default();
                *tally.entry(format!("not lowered: {reason}")).or_default() += 1;
                continue;
            };
            let passed: Vec<Value<f64>> = arguments[..core.function(*id).parameters].to_vec();
            let limits = Limits { steps: 200_000, depth: 1000, memory: 64 << 20, interrupt: None };
            let mut machine = Machine::<f64>::new(&core, limits, |_| None);
            let expected = machine.call_with(*id, passed.clone()).map_err(|fault| fault.code);
            let globals = machine.globals().clone();
            let rounded =
                passed.iter().map(|value| value.over(&mut |x: &f64| x * (1.0 + 4.0 * f64::EPSILON))).collect();
            let rounding = match (&expected, machine.call_with(*id, rounded)) {
                (Ok(expected), Ok(moved)) => expected.distance(&moved),
                _ => 0.0,
            };
            if matches!(expected, Err("step-limit" | "depth-limit" | "memory-limit")) {
                *tally.entry("too long".into()).or_default() += 1;
                continue;
            }
            let signature = Signature::of(&core, *id, entry.clone());
            let case = Case { seed, name, text: program.text(), arguments: passed, globals, expected, rounding };
            let given = signature.globals.iter().map(|(id, ty)| (case.globals.get(id), ty));
            if given.clone().any(|(value, _)| value.is_none()) {
                *tally.entry("no globals".into()).or_default() += 1;
                continue;
            }
            let given = given.filter_map(|(value, ty)| Some((value?, ty)));
            let words = case.arguments.iter().zip(&signature.parameters).chain(given);
            let mut words: Vec<_> = words.flat_map(|(value, ty)| pass(value, ty)).collect();
            let found = call(&made, entry.procedure, &mut words);
            let found = match found {
                Ok(results) => Ok(receive(&results, &signature.result)),
                Err(stop) if stop.is_unforeseen(&made) => Err("elsewhere".to_string()),
                Err(evaluate::Stop::At(..)) => Err("stops".to_string()),
                Err(evaluate::Stop::Broken(problem)) => Err(format!("broken: {problem}")),
            };
            if let Some(problem) = disagreement(&case, found.as_ref().map_err(String::as_str)) {
                if std::env::var_os("SHOW").is_some() {
                    println!("{}", riesz_core::print::print_program(&core));
                    println!("{}", riesz_program::print::print(&made));
                }
                wrong.push(format!("the loop program {problem}"));
                continue;
            }
            if !compiles {
                *tally.entry("agree, by the evaluator of loop programs alone".into()).or_default() += 1;
                continue;
            }
            signatures.push((signature, seed));
            cases.push(case);
        }
        // Procedures that could not be finished are called by nobody.
        if !compiles {
            continue;
        }
        let moved = lowered.append(made);
        for (signature, of) in &mut signatures {
            if *of == seed {
                signature.procedure.0 += moved;
            }
        }
    }
    if cases.is_empty() {
        return Verdict { tally, wrong };
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("agreement-{from}-{}", std::process::id()));
    let compiler = Compiler::find().expect("tests need a Rust compiler").keeping_in(directory.clone());
    let portable = number("PORTABLE", 0) != 0;
    let settings = Settings { checked: true, quick: true, careful: fine, fine, portable, ..Settings::default() };
    let signatures = signatures.into_iter().map(|(signature, _)| Ok(signature)).collect();
    let place = |_| "a random program".to_string();
    let code = Code::build(lowered, signatures, &compiler, settings, &place);
    let mut code = code.unwrap_or_else(|error| panic!("{error}"));
    if fine {
        code.use_threads(Arc::new(Pool::new(2)));
    }
    for (function, case) in code.functions().iter().zip(&cases) {
        let Ok(function) = function else { unreachable!("all of them were lowered") };
        let found = code.call(function, &case.arguments, &mut |id| case.globals.get(&id).cloned(), &Limits::default());
        let found = found.map_err(|stop| match stop {
            Stop::Wrong(diagnostic) => diagnostic.code,
            Stop::Elsewhere => "elsewhere",
        });
        match disagreement(case, found.as_ref().map_err(|code| *code)) {
            Some(problem) => wrong.push(format!("native code {problem}")),
            None if found == Err("elsewhere") => *tally.entry("left to the interpreter".into()).or_default() += 1,
            None => *tally.entry("agree".into()).or_default() += 1,
        }
    }
    drop(code);
    // What is left behind harms nobody.
    let _ = std::fs::remove_dir_all(directory);
    Verdict { tally, wrong }
}

/// What is wrong with what was found, if it is.
fn disagreement(case: &Case, found: Result<&Value<f64>, &str>) -> Option<String> {
    let Case { seed, name, text, arguments, expected, rounding, .. } = case;
    let agrees = match (expected, &found) {
        // Sums in lanes are rounded otherwise than one after the other.
        (Ok(expected), Ok(found)) => expected.distance(found) <= 1e-11 + rounding.min(1e-7),
        // The sizes were not what could be foreseen: the interpreter takes over.
        (_, Err("elsewhere")) => true,
        (Err(_), Err("stops")) => true,
        (Err(expected), Err(found)) => expected == found,
        _ => false,
    };
    (!agrees).then(|| {
        format!("of {name} in program {seed} gives {found:?}, not {expected:?}\n{text}\narguments: {arguments:?}")
    })
}

/// The core of a program and of derivatives of it, those that are the turn of the seed.
#[allow(clippy::type_complexity)]
fn compiled(program: &Program, seed: u64) -> Option<(riesz_core::Program, Vec<(&'static str, FunctionId)>)> {
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
    let turn = seed as usize % functions.len();
    functions.rotate_left(turn);
    let functions = &functions[..functions.len().min(number("FUNCTIONS", u64::MAX) as usize)];
    let mut text = program.text();
    for (name, parameters, body) in functions {
        text += &format!("fun f_{name}({parameters}) = {body}\n");
    }
    let (tree, problems) = parse(FileId(1), &text, &ParseOptions::default());
    if !problems.is_empty() {
        return None;
    }
    let mut checker = Checker::new();
    if !checker.add(vec![tree], false).is_empty() {
        return None;
    }
    let ids: Vec<FunctionId> =
        functions.iter().filter_map(|(name, ..)| checker.function_named(&format!("f_{name}"))).collect();
    let mut core = checker.program;
    riesz_calculus::compile_for_code(&mut core, &ids).ok()?;
    Some((core, functions.iter().map(|(name, ..)| *name).zip(ids).collect()))
}
