//! The values of expressions with derivatives.

use riesz_core::Checker;
use riesz_core::evaluate::{Limits, Machine, from_data};
use riesz_core::verify::verify;
use riesz_syntax::{Diagnostic, FileId, ParseOptions, parse, parse_expression};

/// The value of an expression in the scope of a program, as text, or the codes of the errors.
fn eval(program: &str, expression: &str) -> String {
    let codes = |diagnostics: &[Diagnostic]| {
        diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<_>>().join("; ")
    };
    let (tree, problems) = parse(FileId(1), program, &ParseOptions::default());
    if !problems.is_empty() {
        return codes(&problems);
    }
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    if !problems.is_empty() {
        return codes(&problems);
    }
    let (tree, expr, problems) = parse_expression(FileId(2), expression, &ParseOptions::default());
    let Some(expr) = expr.filter(|_| problems.is_empty()) else { return codes(&problems) };
    let thunk = match checker.expression(tree, expr, Vec::new()) {
        Ok(thunk) => thunk,
        Err(problems) => return codes(&problems),
    };
    let mut program = checker.program.clone();
    if let Err(problems) = riesz_calculus::compile_from(&mut program, &[thunk.function]) {
        return codes(&problems);
    }
    let program = &program;
    if let Err(problem) = verify(program) {
        return format!("the core is wrong: {problem}");
    }
    let given = |global| checker.given(global).map(|data| from_data::<f64>(data, &program.global(global).ty));
    let mut machine = Machine::<f64>::new(program, Limits::default(), given);
    match machine.run(thunk.function) {
        Ok(value) => match value.misfit(&thunk.ty) {
            Some(misfit) => format!("the value has not the shape of its type: {misfit}"),
            None => value.show(&thunk.ty),
        },
        Err(fault) => codes(&[*fault]),
    }
}

#[test]
fn expressions() {
    let cases = include_str!("derivatives.txt");
    let (mut program, mut count, mut failed) = (String::new(), 0, Vec::new());
    for line in cases.lines() {
        if let Some(text) = line.strip_prefix("> ") {
            program += text;
            program.push('\n');
        } else if let Some((expression, expected)) = line.split_once(" ==> ") {
            count += 1;
            let found = eval(&program, expression.trim());
            if found != expected.trim() {
                failed.push(format!("{}\n  expected {}\n  found    {found}", expression.trim(), expected.trim()));
            }
        } else if line.is_empty() {
            program.clear();
        }
    }
    assert!(count > 0 && failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n"));
}
