//! What derivatives cost: the operations of a value with its gradient against those of the value.

mod support;

use riesz_primitive::{Counted, Operations, count};
use support::{Case, check_file_with, codes};

/// The operations that an expression takes.
fn operations(file: &str, point: &str, expression: &str) -> Result<Operations, String> {
    let case = Case::new(check_file_with(file, &format!("\nlet the_point = {point}\n"))?, expression)?;
    let mut program = case.checker.program.clone();
    riesz_calculus::optimise::optimise(&mut program, &[case.function]);
    riesz_calculus::compile_from(&mut program, &[case.function]).map_err(|problems| codes(&problems))?;
    riesz_calculus::optimise::optimise(&mut program, &[case.function]);
    // Top-level values are computed once, and are no part of the function.
    let (value, all) = count(|| case.run::<Counted>(&program));
    value?;
    Ok(all)
}

#[test]
fn a_gradient_costs_a_few_values() {
    let cases = include_str!("cost.txt");
    let mut file = "";
    let mut worst = Vec::new();
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            continue;
        };
        let all = |expression: &str| operations(file, point, expression);
        let counts = || -> Result<(Operations, Operations), String> {
            let base = all("the_point")?;
            let value = all(&format!("({function})(the_point)"))? - base;
            let both = all(&format!("vjp({function}, the_point, 1.0)"))? - base;
            Ok((value, both))
        };
        let (value, both) = match counts() {
            Ok(c) => c,
            Err(e) => {
                println!("FAILED {file} {function}: {e}");
                continue;
            }
        };
        let ratio = both.total() as f64 / value.total().max(1) as f64;
        println!(
            "{ratio:6.2} {:8} {:8}  {file} {}",
            value.total(),
            both.total(),
            function.chars().take(70).collect::<String>()
        );
        println!("{:?}\n{:?}", value, both);
        if ratio > 4.0 {
            worst.push(format!("{ratio:.2} {file} {function}"));
        }
    }
    println!("{}", worst.join("\n"));
}
