//! The optimiser changes nothing but the cost: values stay the same to the last bit, errors stay, and the verifier
//! accepts what every pass leaves.

mod support;

use riesz_core::evaluate::Value;
use riesz_core::print::print;
use riesz_core::verify::verify;
use riesz_core::{Checker, FunctionId};
use support::{Case, check, check_file, codes, programs, run};

/// Optimises a program; whether it still does the same.
fn compare(checker: &Checker, function: FunctionId) -> Result<(), String> {
    let mut program = checker.program.clone();
    let plain = riesz_calculus::Options { optimise: false, ..Default::default() };
    if riesz_calculus::compile_with(&mut program, &[function], &plain).is_err() {
        return Ok(());
    }
    let mut optimised = program.clone();
    let mut problem = None;
    riesz_calculus::optimise::optimise_watched(&mut optimised, &[function], &mut |pass, id, program| {
        if problem.is_none() {
            problem = verify(program).err().map(|found| format!("after {pass} of {}: {found}", id.0));
        }
    });
    if let Some(problem) = problem {
        return Err(problem);
    }
    let (before, after) = (run::<f64>(checker, &program, function), run::<f64>(checker, &optimised, function));
    let same = match (&before, &after) {
        (Ok(before), Ok(after)) => same(before, after),
        (before, after) => before.as_ref().err() == after.as_ref().err(),
    };
    if same {
        return Ok(());
    }
    let text = print(&optimised, optimised.function(function));
    Err(format!("before {before:?}\nafter  {after:?}\n{text}"))
}

/// Whether two values are the same to the last bit, except that one NaN is as good as another.
fn same(a: &Value<f64>, b: &Value<f64>) -> bool {
    match (a, b) {
        (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Value::Reals(_), Value::Reals(_)) | (Value::Values(_), Value::Values(_)) => {
            a.len() == b.len() && a.elements().zip(b.elements()).all(|(a, b)| same(&a, &b))
        }
        // Functions have no equality.
        (Value::Closure(_), Value::Closure(_)) | (Value::Map(_), Value::Map(_)) => true,
        (a, b) => a.same(b),
    }
}

/// The expressions of a file of cases, each with the program it stands in.
fn expressions(cases: &str) -> Vec<(String, String)> {
    let mut program = String::new();
    let mut found = Vec::new();
    for line in cases.lines() {
        if let Some(text) = line.strip_prefix("> ") {
            program += text;
            program.push('\n');
        } else if let Some((expression, _)) = line.split_once(" ==> ") {
            found.push((program.clone(), expression.trim().to_string()));
        } else if line.is_empty() {
            program.clear();
        }
    }
    found
}

fn report(failed: Vec<String>, count: usize) {
    assert!(count > 0);
    assert!(failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n\n"));
    println!("{count} compared");
}

#[test]
fn expressions_keep_their_values() {
    let cases = [include_str!("derivatives.txt"), include_str!("../../riesz-core/tests/language.txt")].concat();
    let (mut failed, mut count) = (Vec::new(), 0);
    for (program, expression) in expressions(&cases) {
        let Ok(case) = check(&program).and_then(|checker| Case::new(checker, &expression)) else { continue };
        count += 1;
        if let Err(problem) = compare(&case.checker, case.function) {
            failed.push(format!("{expression}\n{problem}"));
        }
    }
    report(failed, count);
}

#[test]
fn checks_keep_their_values() {
    let (mut failed, mut count) = (Vec::new(), 0);
    for file in programs("examples").into_iter().chain(programs("gradbench")) {
        let checker = check_file(&file).unwrap_or_else(|problem| panic!("{file}: {problem}"));
        for check in checker.checks.iter().filter(|check| check.span.file.0 != 0) {
            count += 1;
            if let Err(problem) = compare(&checker, check.function) {
                failed.push(format!("{file} {:?}\n{problem}", check.span));
            }
        }
    }
    report(failed, count);
}

#[test]
fn gradients_keep_their_values() {
    let (mut failed, mut count) = (Vec::new(), 0);
    let mut file = "";
    for line in include_str!("cost.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((function, point)) = line.split_once(" @ ") else {
            file = line;
            continue;
        };
        count += 1;
        let case = check_file(file).and_then(|checker| Case::new(checker, &format!("vjp({function}, {point}, 1.5)")));
        let compared = case.and_then(|case| compare(&case.checker, case.function));
        if let Err(problem) = compared {
            failed.push(format!("{file} {function}\n{problem}"));
        }
    }
    let _ = codes;
    report(failed, count);
}
