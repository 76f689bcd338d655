//! The language, by the values of expressions.

use riesz_core::verify::verify;
use riesz_test::program::{Case, check, expressions};

/// The value of an expression in the scope of a program, as text, or the codes of the errors.
fn eval(program: &str, expression: &str) -> Result<String, String> {
    let case = Case::new(check(program)?, expression)?;
    verify(&case.checker.program).map_err(|problem| format!("the core is wrong: {problem}"))?;
    Ok(case.run::<f64>(&case.checker.program)?.show(&case.ty))
}

#[test]
fn every_expression_has_its_value() {
    expressions(include_str!("language.txt"), |program, expression| {
        eval(program, expression).unwrap_or_else(|problem| problem)
    });
}
