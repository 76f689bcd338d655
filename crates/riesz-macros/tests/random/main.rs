//! Random functions of the subset: generated, compiled together, and their derivatives compared with differences.
//!
//! The functions are written to a file, which rustc compiles with the crates that this test is linked to. The program checks
//! itself: reverse mode against central differences, forward mode against reverse mode, and the value against the function.
//! `PROGRAMS` says how many programs the random tests try, as in `./test long`; here at most 500. `RANDOM_SEED` begins
//! elsewhere.

mod generate;
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use support::Kind;

/// How many functions are compiled together.
const BATCH: usize = 25;

#[test]
fn random_functions() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (count, seed) = (number("PROGRAMS", 50).clamp(50, 500) as usize, number("RANDOM_SEED", 1));
    for first in (0..count).step_by(BATCH) {
        let functions: Vec<String> = (first..count.min(first + BATCH))
            .map(|at| generate::function(seed + at as u64, &format!("random{at}")))
            .collect();
        run(&functions, first);
    }
}

fn run(functions: &[String], first: usize) {
    let mut source = String::from(include_str!("harness.rs"));
    for function in functions {
        let _ = write!(source, "\n#[differentiable(crate = crate::riesz)]\n{function}");
    }
    source.push_str("\nfn main() {\n");
    for at in 0..functions.len() {
        let _ = writeln!(source, "    check!(random{});", first + at);
    }
    source.push_str("}\n");
    let (name, file) = (format!("random_{first}"), support::folder().join(format!("random_{first}.rs")));
    std::fs::write(&file, source).unwrap();
    support::built(&file, &name, Kind::Program, &[]);
    support::ran(&name);
}
