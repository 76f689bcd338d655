//! Every pass over loop programs changes only the cost: on random programs and their derivatives, the verifier accepts
//! the program after each pass, and the evaluator gives what it gave before the pass.
//!
//! `PROGRAMS` is the number of programs, `PROGRAMS_FROM` the first seed.

#[allow(dead_code)]
#[path = "../random/mod.rs"]
mod random;

use random::{Lowered, Verdict, evaluated, number, try_all};
use riesz_program::passes::reuse::reuse_in;
use riesz_program::passes::{PASSES, Pass};
use riesz_program::print::print;
use riesz_program::verify::verify;
use std::ops::Range;

/// How many programs are tried unless told otherwise.
const PROGRAMS: u64 = 300;
/// How many of their functions.
const FUNCTIONS: u64 = 3;

/// All passes: those of the pipeline, and the one that backends run.
fn passes() -> impl Iterator<Item = (&'static str, Pass)> {
    let reuse: Pass = |procedure| {
        reuse_in(procedure);
    };
    PASSES.into_iter().chain([("reuse", reuse)])
}

/// The passes that change the order of sums, or the factors of products, and so may change the last bits.
const ROUNDING: [&str; 3] = ["pull", "double", "contract"];

/// The passes for which few random programs have work. They have tests of their own.
const UNCOMMON: [&str; 3] = ["place", "double", "contract"];

#[test]
fn passes_change_no_result_of_random_programs() {
    let count = number("PROGRAMS", PROGRAMS);
    let verdict = try_all(number("PROGRAMS_FROM", 0), count, 10, run);
    verdict.report();
    for (pass, _) in passes().filter(|(pass, _)| !UNCOMMON.contains(pass)) {
        let changed = verdict.tally.contains_key(&format!("programs with: a change by {pass}"));
        assert!(count < PROGRAMS || changed, "{pass} changes no program");
    }
}

fn run(seeds: Range<u64>, _: bool) -> Verdict {
    let mut verdict = Verdict::default();
    for seed in seeds {
        let Some(made) = Lowered::of(seed, FUNCTIONS, riesz_program::lower_plainly, &mut verdict) else { continue };
        let mut program = made.program;
        let results = |program: &riesz_program::Program| -> Vec<_> {
            made.cases.iter().map(|(case, signature)| evaluated(program, signature, case)).collect()
        };
        let mut before = results(&program);
        for (name, pass) in passes() {
            let text = print(&program);
            program.procedures.iter_mut().for_each(pass);
            if print(&program) == text {
                continue;
            }
            verdict.note(&format!("programs with: a change by {name}"));
            if let Err(problem) = verify(&program) {
                verdict.wrong.push(format!("program {seed} after {name}: {problem}"));
                break;
            }
            let after = results(&program);
            for (((case, _), before), after) in made.cases.iter().zip(&before).zip(&after) {
                let close = 1e-11 + 16.0 * case.rounding;
                let same = match (before, after) {
                    (Ok(before), Ok(after)) if ROUNDING.contains(&name) => before.distance(after) <= close,
                    // Positions of a NaN agree too, which is equal to nothing.
                    (before, after) => format!("{before:?}") == format!("{after:?}"),
                };
                match same {
                    true => verdict.note("agree"),
                    false => verdict.wrong.push(format!(
                        "{name} changes {} of program {seed}: {before:?}, then {after:?}\n{}\n{text}\n{}",
                        case.name,
                        case.text,
                        print(&program)
                    )),
                }
            }
            before = after;
        }
    }
    verdict
}
