//! The cost of derivatives: the operations of a value with its gradient, compared with those of the value.

use riesz_primitive::{Counted, Operations, count};
use riesz_test::program::{Case, check_file_with, codes, programs};

/// A gradient takes at most so many times the operations of the value.
const MOST: f64 = 4.0;

/// The operations that an expression takes in the scope of a file, where `the_point` is a point.
fn operations(file: &str, point: &str, expression: &str) -> Result<Operations, String> {
    let case = Case::new(check_file_with(file, &format!("\nlet the_point = {point}\n"))?, expression)?;
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_with(
        &mut program,
        &[case.function],
        &riesz_calculus::Options { optimise: true, ..Default::default() },
    )
    .map_err(|problems| codes(&problems))?;
    riesz_optimise::optimise(&mut program, &[case.function]);
    let (value, operations) = count(|| case.run::<Counted>(&program));
    value.map(|_| operations)
}

/// The operations of a value, and those of the value with the gradient, apart from what the point takes.
fn both(file: &str, function: &str, point: &str) -> Result<(Operations, Operations), String> {
    let of = |expression: &str| operations(file, point, expression);
    let base = of("the_point")?;
    let value = of(&format!("({function})(the_point)"))?;
    let both = of(&format!("vjp({function}, the_point, 1.0)"))?;
    Ok((value - base, both - base))
}

#[test]
fn a_gradient_costs_a_few_values() {
    let mut file = "";
    let mut failed = Vec::new();
    let mut missing: Vec<String> = programs("examples").into_iter().chain(programs("gradbench")).collect();
    println!("{:>8} {:>8} {:>6}", "value", "both", "ratio");
    for line in include_str!("../cost.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            missing.retain(|program| program != file);
            println!("{file}");
            continue;
        };
        match both(file, function, point) {
            Ok((value, both)) => {
                let ratio = both.total() as f64 / value.total() as f64;
                println!("{:8} {:8} {ratio:6.2}  {}", value.total(), both.total(), short(line));
                // A gradient that takes nothing is none.
                if ratio > MOST || both.total() <= value.total() {
                    failed.push(format!("{ratio:.2} {file} {function}\n  value {value:?}\n  both  {both:?}"));
                }
            }
            Err(problem) => failed.push(format!("{file} {function}: {problem}")),
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(missing.is_empty(), "nothing of {missing:?}");
}

/// As much of a line as fits into a table.
fn short(line: &str) -> String {
    if line.chars().count() <= 100 { line.to_string() } else { line.chars().take(97).chain("...".chars()).collect() }
}
