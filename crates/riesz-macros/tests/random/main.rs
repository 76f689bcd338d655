//! Random functions of the subset: generated, compiled together, and their derivatives compared with differences.
//!
//! The functions are written to a file, which rustc compiles with the crates that this test is linked to. The program checks
//! itself: reverse mode against central differences, forward mode against reverse mode, and the value against the function.
//! The interpreter of the language runs the program that each function becomes, and must find the same values and gradients.
//! `PROGRAMS` says how many programs the random tests try, as in `./test long`; here at most 500. `RANDOM_SEED` begins
//! elsewhere.

mod generate;
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

use riesz_core::evaluate::Value;
use riesz_test::near::near;
use riesz_test::program::{Case, checked};
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
        let said = run(&functions, first);
        let mut lines = said.lines();
        for (at, function) in functions.iter().enumerate() {
            let name = format!("random{}", first + at);
            for line in lines.by_ref().take(POINTS.len()) {
                let (head, numbers) = line.split_once(": ").unwrap();
                let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
                let point: usize = head.strip_prefix(&format!("{name} ")).unwrap().parse().unwrap();
                let expected = interpreted(function, &name, &POINTS[point]);
                let agree = numbers.iter().zip(&expected).all(|(a, b)| near(*a, *b, 1e-9));
                assert!(agree, "{function}\nat {:?}: {numbers:?} as Rust, {expected:?} interpreted", POINTS[point]);
            }
        }
    }
}

include!("points.rs");

/// The value and the gradient of the program of the language that a function becomes, by the interpreter.
fn interpreted(function: &str, name: &str, at: &[f64]) -> Vec<f64> {
    let expansion = riesz_front::differentiable(Default::default(), function.parse().unwrap(), "here")
        .unwrap_or_else(|error| panic!("{error}: {function}"));
    let program = format!("{}{}", riesz_front::LIBRARY, expansion.riesz);
    let expression = format!("let (y, d) = vjp(rust_{name}, {at:?}, 1.0) in concat([y], d)");
    let case = Case::new(checked(&program), &expression).unwrap();
    let mut compiled = case.checker.program.clone();
    riesz_calculus::compile(&mut compiled).unwrap_or_else(|problems| panic!("{problems:?}: {function}"));
    match case.run::<f64>(&compiled).unwrap_or_else(|problem| panic!("{problem}: {function}")) {
        Value::Reals(numbers) => numbers.to_vec(),
        _ => panic!("the gradient is no array: {function}"),
    }
}

/// Compiles functions as one program, and gives what it prints.
fn run(functions: &[String], first: usize) -> String {
    let mut source = String::from(concat!(include_str!("harness.rs"), include_str!("points.rs")));
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
    support::ran(&name)
}
