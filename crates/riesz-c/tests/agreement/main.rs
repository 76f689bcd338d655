//! Generated C agrees with the interpreter, in value and in error: on random programs and their derivatives, on the
//! suite that is timed, and for every function of numbers and of matrices.
//!
//! `PROGRAMS` is the number of random programs, `PROGRAMS_FROM` the first seed, `FUNCTIONS` the number of functions of
//! each, `LONGEST` the greatest number of lines of loop program that is compiled. Every other batch is compiled with
//! sanitizers, or all if `SANITISE` is set. A long run:
//!
//! ```sh
//! PROGRAMS=2000 FUNCTIONS=7 SANITISE=1 cargo test -p riesz-c --test agreement -- --nocapture
//! ```

mod compiler;
#[allow(dead_code)]
#[path = "../../../riesz-program/tests/random/mod.rs"]
mod random;
mod table;

use compiler::Mode;
use random::{Verdict, batch, number, try_all};
use std::ops::Range;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 45;
/// How many of their functions.
const FUNCTIONS: u64 = 2;
/// How many lines of loop program are compiled.
const LONGEST: u64 = 1200;
/// How many programs are compiled at once.
const AT_ONCE: u64 = 15;

#[test]
fn random_programs_agree() {
    if !compiler::exists() {
        return;
    }
    let count = number("PROGRAMS", PROGRAMS);
    try_all(number("PROGRAMS_FROM", 0), count, AT_ONCE, run).report();
}

fn run(seeds: Range<u64>, odd: bool) -> Verdict {
    let from = seeds.start;
    let batch = batch(seeds, number("FUNCTIONS", FUNCTIONS), number("LONGEST", LONGEST));
    let mut verdict = batch.verdict;
    let mode = if odd || std::env::var_os("SANITISE").is_some() { Mode::Sanitised } else { Mode::Optimised };
    let words: Vec<_> = batch.cases.iter().map(|case| &case.words[..]).collect();
    let found = compiler::run(&batch.lowered, &batch.signatures, &words, mode, &format!("random-{from}"));
    for (found, case) in found.iter().zip(&batch.cases) {
        verdict.compare("C", case, found.as_ref().map_err(String::as_str));
    }
    verdict
}
