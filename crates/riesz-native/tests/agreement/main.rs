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
//! `valgrind` runs the code of such programs under valgrind.

#[allow(dead_code)]
#[path = "../../../riesz-program/tests/random/mod.rs"]
mod random;
mod valgrind;

use random::generate::moving_constructs;
use random::{Verdict, batch, number, try_all};
use riesz_core::evaluate::Limits;
use riesz_native::{Compiler, Pool, Settings, Stop};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 750;
/// How many lines of loop program are compiled unless told otherwise: the compiler takes as long for the longest tenth as
/// for all others.
const LONGEST: u64 = 2500;
/// How many programs are compiled at once.
const AT_ONCE: u64 = 125;

#[test]
fn random_programs_agree() {
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    let verdict = try_all(first, count, AT_ONCE, run);
    verdict.report();
    let covered = |name: &&&str| verdict.tally.contains_key(&format!("programs with: {name}"));
    let constructs = moving_constructs();
    let missing: Vec<_> = constructs.iter().filter(|name| !covered(name)).collect();
    assert!(count < PROGRAMS || missing.is_empty(), "never generated: {missing:?}");
}

/// Tries the programs of some seeds.
fn run(seeds: Range<u64>, fine: bool) -> Verdict {
    let from = seeds.start;
    let batch = batch(seeds, number("FUNCTIONS", u64::MAX), number("LONGEST", LONGEST));
    let mut verdict = batch.verdict;
    if batch.cases.is_empty() {
        return verdict;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("agreement-{from}-{}", std::process::id()));
    let compiler = Compiler::find().expect("tests need a Rust compiler").keeping_in(directory.clone());
    let settings = Settings { checked: true, quick: true, careful: fine, fine, ..Settings::default() };
    let signatures = batch.signatures.into_iter().map(Ok).collect();
    let place = |_| "a random program".to_string();
    let code = riesz_native::build(batch.lowered, signatures, &compiler, settings, &place);
    let mut code = code.unwrap_or_else(|error| panic!("{error}"));
    if fine {
        code.use_threads(Arc::new(Pool::new(2)));
    }
    for (function, case) in code.functions().iter().zip(&batch.cases) {
        let Ok(function) = function else { unreachable!("all of them were lowered") };
        let found = code.call(function, &case.arguments, &mut |id| case.globals.get(&id).cloned(), &Limits::default());
        let found = found.map_err(|stop| match stop {
            Stop::Wrong(diagnostic) => diagnostic.code,
            Stop::Elsewhere => "elsewhere",
        });
        verdict.compare("native code", case, found.as_ref().map_err(|code| *code));
    }
    drop(code);
    // What is left behind harms nobody.
    let _ = std::fs::remove_dir_all(directory);
    verdict
}
