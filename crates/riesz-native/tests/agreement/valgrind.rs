//! The code of random programs, for plain x86-64, has no invalid access and uses nothing that was never written: their
//! calls are replayed under valgrind.
//!
//! ```text
//! programs ──lower, compile──▶ library  ─┐
//!          ──interpret───────▶ calls    ─┴─replay under valgrind──▶ what it reports
//! ```
//!
//! Making, compiling and comparing programs takes thousands of times as long as their code, so only a process that
//! replays the calls of a batch runs under valgrind. An argument is a block of exactly its length, and every number of a
//! result takes part in a decision, so that valgrind reports one that was never written. `PROGRAMS`, `PROGRAMS_FROM`,
//! `FUNCTIONS` and `LONGEST` are those of `random_programs_agree`. A long run:
//!
//! ```sh
//! PROGRAMS=10000 FUNCTIONS=2 cargo test -p riesz-native --test agreement under_valgrind -- --nocapture
//! ```

use crate::random::{Batch, Verdict, batch, number, try_all};
use crate::{AT_ONCE, LONGEST};
use libloading::Library;
use riesz_native::{Compiler, Settings};
use riesz_program::evaluate::{Number, Passed};
use riesz_program::layout::{Passing, Slot, slots};
use riesz_program::program::Kind;
use riesz_program::schedule::{PlainFirst, plain_first, schedule};
use riesz_runtime::boundary::FAULT_WORDS;
use riesz_runtime::{Context, Crew, Interrupt};
use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 50;

#[test]
fn random_programs_run_clean_under_valgrind() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return println!("valgrind is not installed: nothing was run");
    }
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    let verdict = try_all(first, count, AT_ONCE, run);
    for (what, count) in verdict.tally.iter().filter(|(what, _)| !what.starts_with("programs with")) {
        println!("{count} {what}");
    }
    for problem in verdict.wrong.iter().take(5) {
        println!("{problem}\n");
    }
    assert!(verdict.wrong.is_empty(), "{} batches or programs are wrong", verdict.wrong.len());
    let run = |what: &str| verdict.tally.get(what).copied().unwrap_or_default();
    assert!(run(GAVE_VALUE) > count / 4, "hardly anything was run");
}

const GAVE_VALUE: &str = "calls under valgrind that gave a value";
const STOPPED: &str = "calls under valgrind that stopped with an error";

/// Tries the programs of some seeds.
fn run(seeds: Range<u64>, fine: bool) -> Verdict {
    let mut batch = batch(seeds.clone(), number("FUNCTIONS", 1), number("LONGEST", LONGEST));
    let mut verdict = std::mem::take(&mut batch.verdict);
    if batch.cases.is_empty() {
        return verdict;
    }
    let name = format!("valgrind-{}-{}", seeds.start, std::process::id());
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (library, calls) = written(&batch, &directory, fine);
    let file = directory.join("calls");
    let replay = |calls: &[Vec<u64>]| {
        let words = calls.iter().flatten().flat_map(|word| word.to_le_bytes());
        fs::write(&file, words.collect::<Vec<u8>>()).unwrap();
        replayed(&library, &file)
    };
    match replay(&calls) {
        Ok([values, errors]) => {
            *verdict.tally.entry(GAVE_VALUE.into()).or_default() += values;
            *verdict.tally.entry(STOPPED.into()).or_default() += errors;
        }
        Err(report) => {
            let wrong = batch.cases.iter().zip(&calls).find_map(|(case, call)| {
                let report = replay(std::slice::from_ref(call)).err()?;
                Some(format!("{} of program {}:\n{}\n{report}", case.name, case.seed, case.text))
            });
            verdict.wrong.push(wrong.unwrap_or_else(|| format!("programs {seeds:?} together:\n{report}")));
        }
    }
    // What is left behind harms nobody.
    let _ = fs::remove_dir_all(directory);
    verdict
}

/// The library of a batch, and the words of each call.
fn written(batch: &Batch, directory: &Path, fine: bool) -> (PathBuf, Vec<Vec<u64>>) {
    let compiler = Compiler::find().expect("tests need a Rust compiler").keeping_in(directory.to_path_buf());
    let settings = Settings { checked: true, quick: true, careful: true, fine, portable: true, ..Settings::default() };
    let exports: Vec<_> = batch.signatures.iter().map(|signature| signature.procedure).collect();
    // Every other batch has plain products and the flags that go with them.
    let plain = if fine { None } else { plain_first(&batch.lowered, exports.iter().copied()) };
    let PlainFirst { mut program, flagged } =
        plain.unwrap_or_else(|| PlainFirst { program: batch.lowered.clone(), flagged: Vec::new() });
    schedule(&mut program, &riesz_rust::target(settings.precision, fine));
    let place = |_| "a random program".to_string();
    let options = riesz_rust::Options { place: &place, exports: &exports, precision: settings.precision };
    let library = compiler.library(&riesz_rust::emit(&program, &options), settings);
    let call = |(at, case): (usize, &crate::random::Case)| {
        let slots = slots(&batch.signatures[at].result, Passing::Result).unwrap_or_default();
        let mut result: Vec<u64> = slots.iter().map(words_of_slot).collect();
        result.extend(flagged.contains(&exports[at]).then_some(NUMBER));
        let mut call = vec![at as u64, result.len() as u64];
        call.extend(result);
        call.push(case.words.len() as u64);
        case.words.iter().for_each(|passed| write(passed, &mut call));
        call
    };
    let calls = batch.cases.iter().enumerate().map(call).collect();
    (library.unwrap_or_else(|error| panic!("{error}")), calls)
}

/// What a part of a call is: a number, or elements of so many bytes.
const NUMBER: u64 = 0;

fn words_of_slot(slot: &Slot) -> u64 {
    match slot {
        Slot::Number(_) | Slot::Length => NUMBER,
        Slot::Elements(Kind::Bool) => 1,
        Slot::Elements(Kind::Real | Kind::Int) => 8,
    }
}

/// Writes an argument: a number as 0 and its bits, elements as their bytes, their count and the bits of each.
fn write(passed: &Passed, call: &mut Vec<u64>) {
    let bits = |number: &Number| match number {
        Number::Real(x) => x.to_bits(),
        Number::Int(x) => *x as u64,
        Number::Bool(x) => u64::from(*x),
    };
    match passed {
        Passed::Number(number) => call.extend([NUMBER, bits(number)]),
        Passed::Elements(elements) => {
            let bytes = if matches!(elements.first(), Some(Number::Bool(_))) { 1 } else { 8 };
            call.extend([bytes, elements.len() as u64]);
            call.extend(elements.iter().map(bits));
        }
    }
}

/// Replays calls under valgrind: how many gave a value, and how many an error; or what valgrind reports.
fn replayed(library: &Path, calls: &Path) -> Result<[u64; 2], String> {
    let log = calls.with_extension("log");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--leak-check=no", "--error-exitcode=99"]).arg(format!("--log-file={}", log.display()));
    valgrind.arg(std::env::current_exe().unwrap());
    valgrind.args(["--ignored", "--exact", "valgrind::replay", "--nocapture", "--test-threads=1"]);
    let output = valgrind.env("REPLAY_LIBRARY", library).env("REPLAY_CALLS", calls).output().expect("valgrind runs");
    let report = fs::read_to_string(&log).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stdout);
    let counts = said.lines().find_map(|line| {
        let (values, errors) = line.split_once("replayed: ")?.1.split_once(' ')?;
        Some([values.parse().ok()?, errors.parse().ok()?])
    });
    match counts {
        Some(counts) if output.status.success() && report.is_empty() => Ok(counts),
        _ => Err(format!("{}\n{report}\n{said}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

#[test]
#[ignore = "the test above runs it under valgrind"]
fn replay() {
    // Programs may nest as deep as the interpreter lets them.
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(|| {
        let [Some(library), Some(calls)] = ["REPLAY_LIBRARY", "REPLAY_CALLS"].map(std::env::var_os) else { return };
        let bytes = fs::read(calls).unwrap();
        let words: Vec<u64> = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        // It was built from generated source just now, which does nothing when it is loaded.
        let library = unsafe { Library::new(library) }.unwrap();
        let (mut counts, mut words) = ([0, 0], words.into_iter());
        while let Some(at) = words.next() {
            counts[usize::from(!call(&library, at, &mut words))] += 1;
        }
        println!("replayed: {} {}", counts[0], counts[1]);
    });
    thread.unwrap().join().unwrap();
}

/// Calls a function of a library, and looks at all that it gives. Whether it gives a value.
fn call(library: &Library, at: u64, words: &mut impl Iterator<Item = u64>) -> bool {
    let mut next = || words.next().expect("as many words as were written");
    let result: Vec<u64> = (0..next()).map(|_| next()).collect();
    let (mut arguments, mut held): (Vec<u64>, Vec<Box<[u64]>>) = (Vec::new(), Vec::new());
    let mut held_bools: Vec<Box<[u8]>> = Vec::new();
    for _ in 0..next() {
        match next() {
            NUMBER => arguments.push(next()),
            bytes => {
                let len = next();
                let elements: Box<[u64]> = (0..len).map(|_| next()).collect();
                let bools: Box<[u8]> = elements.iter().map(|element| *element as u8).collect();
                arguments.extend([if bytes == 1 { bools.as_ptr() as u64 } else { elements.as_ptr() as u64 }, len]);
                held.push(elements);
                held_bools.push(bools);
            }
        }
    }
    let memory = 1 << 30;
    let mut context = Context {
        steps: i64::MAX,
        memory,
        least: memory,
        depth: 2000,
        stack: 0,
        crew: Crew::NONE,
        interrupt: Interrupt::NEVER,
    };
    let mut given = vec![0u64; result.iter().map(|part| if *part == NUMBER { 1 } else { 2 }).sum()];
    let mut told = [0u64; FAULT_WORDS];
    // The names and types are those of the boundary of generated source; the words were made for this function.
    let status = unsafe {
        type Entered = unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *mut u64) -> i32;
        let enter = library.get::<Entered>(format!("riesz_{at}").as_bytes()).unwrap();
        enter(&mut context, arguments.as_ptr(), given.as_mut_ptr(), told.as_mut_ptr())
    };
    if status != 0 {
        look(told.iter().copied());
        return false;
    }
    look(given.iter().copied());
    let mut given = given.into_iter();
    for bytes in result {
        let (first, len) = match (bytes, given.next()) {
            (NUMBER, _) => continue,
            (_, first) => (first.unwrap(), given.next().unwrap()),
        };
        // The function has just given so many elements there, and nobody else has them.
        unsafe {
            match bytes {
                1 => look(std::slice::from_raw_parts(first as *const u8, len as usize).iter().map(|x| u64::from(*x))),
                _ => look(std::slice::from_raw_parts(first as *const u64, len as usize).iter().copied()),
            }
            let free = library.get::<unsafe extern "C" fn(*mut u64, u64, u64)>(b"riesz_free").unwrap();
            free(first as *mut u64, len, bytes);
        }
    }
    true
}

/// Lets every bit of every word take part in a decision.
fn look(words: impl Iterator<Item = u64>) {
    if black_box(words.fold(0, |all, word| all ^ word)) == 0x5EED {
        println!("a coincidence");
    }
}
