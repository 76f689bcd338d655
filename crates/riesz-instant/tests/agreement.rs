//! The interpreter, the evaluator of loop programs and machine code agree: on random programs and their derivatives, in
//! value and in error.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed. Programs below the length `LONGEST` are compiled;
//! every other batch has exact products from the start. A long run:
//!
//! ```sh
//! PROGRAMS=100000 cargo test --release -p riesz-instant --test agreement -- --nocapture
//! ```

#[allow(dead_code)]
#[path = "../../riesz-program/tests/random/mod.rs"]
mod random;

use random::{Verdict, batch, number, try_all};
use riesz_call::Stop;
use riesz_core::evaluate::Limits;
use riesz_instant::{Settings, build};
use std::ops::Range;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 1500;
/// How many lines of loop program are compiled unless told otherwise.
const LONGEST: u64 = 5000;
/// How many programs are compiled at once.
const AT_ONCE: u64 = 25;

#[test]
fn random_programs_agree() {
    let (first, count) = (number("PROGRAMS_FROM", 0), number("PROGRAMS", PROGRAMS));
    try_all(first, count, AT_ONCE, run).report();
}

/// Tries the programs of some seeds.
fn run(seeds: Range<u64>, careful: bool) -> Verdict {
    let batch = batch(seeds, number("FUNCTIONS", u64::MAX), number("LONGEST", LONGEST));
    let mut verdict = batch.verdict;
    let signatures = batch.signatures.into_iter().map(Ok).collect();
    let code = build(batch.lowered, signatures, Settings { careful, checked: true });
    let code = code.unwrap_or_else(|refused| panic!("{}", refused.0));
    for (function, case) in code.functions().iter().zip(&batch.cases) {
        let Ok(function) = function else { unreachable!("all of them were lowered") };
        let found = code.call(function, &case.arguments, &mut |id| case.globals.get(&id).cloned(), &Limits::default());
        let found = found.map_err(|stop| match stop {
            Stop::Wrong(diagnostic) => diagnostic.code,
            Stop::Elsewhere => "elsewhere",
        });
        verdict.compare("machine code", case, found.as_ref().map_err(|code| *code));
    }
    verdict
}
