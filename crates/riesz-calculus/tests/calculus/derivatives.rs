//! The values of expressions with derivatives.

use riesz_core::verify::verify;
use riesz_test::program::{Case, check, codes, expressions};

/// The value of an expression in the scope of a program, as text, or the codes of the errors.
fn eval(program: &str, expression: &str) -> Result<String, String> {
    let case = Case::new(check(program)?, expression)?;
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_from(&mut program, &[case.function]).map_err(|problems| codes(&problems))?;
    verify(&program).map_err(|problem| format!("the core is wrong: {problem}"))?;
    let value = case.run::<f64>(&program)?;
    Ok(match value.misfit(&case.ty) {
        Some(misfit) => format!("the value has not the shape of its type: {misfit}"),
        None => value.show(&case.ty),
    })
}

#[test]
fn every_derivative_has_its_value() {
    expressions(include_str!("../derivatives.txt"), |program, expression| {
        eval(program, expression).unwrap_or_else(|problem| problem)
    });
}
