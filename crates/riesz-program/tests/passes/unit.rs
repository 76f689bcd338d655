//! A sum of products with the numbers of a unit vector becomes one of its terms.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::passes::unit::unit;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

#[test]
fn sums_over_unit_vectors() {
    summed("hessian(\\x -> exp(sum(y^2 | y in x)), x)", true);
    summed("hessian(\\x -> sum(exp(real(i) * dot(x, x)) | i < 3), x)", true);
}

#[test]
fn vectors_that_are_not_unit_vectors() {
    summed("hvp(\\x -> exp(sum(y^2 | y in x)), x, 2 * x)", false);
    summed("[dot(x, [if i == j then 2.0 else 0.0 | j < n]) | i < n]", false);
}

/// Whether a function has less loops once its unit vectors are known.
fn summed(body: &str, becomes: bool) {
    let plain = Plain::of(body, &BEFORE);
    let improved = plain.after(&[unit, tidy]);
    let [before, after] = [&plain.after(&[tidy]), &improved].map(loops);
    assert_eq!(after < before, becomes, "{}\n{}", print(&plain.program), print(&improved));
}

fn loops(program: &Program) -> usize {
    let mut found = 0;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| found += usize::from(matches!(statement, Statement::For(_))));
    }
    found
}
