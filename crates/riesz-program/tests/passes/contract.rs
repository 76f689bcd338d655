//! A sum of vectors, each times a number, becomes a product of matrices.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::accumulate::accumulate;
use riesz_program::passes::contract::contract;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::passes::unit::unit;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 5] = [scalarise, tidy, unit, accumulate, tidy];

/// A matrix that does not vary.
const MATRIX: &str = "let m = [[sin(real(3 * i + j)) | j < n] | i < 300] in ";

#[test]
fn sums_of_rows() {
    contracted("hessian(\\w -> sum(exp(0.01 * dot(m[i], w)) | i < 300), x)", true);
    contracted("hessian(\\w -> sum(w^2) + sum(exp(0.01 * dot(m[i], w)) | i < 300), x)", true);
}

#[test]
fn sums_of_other_things() {
    contracted("hessian(\\w -> sum(if i < 5 then exp(dot(m[i], w)) else w[0] | i < 300), x)", false);
    contracted("grad(\\w -> sum(exp(0.01 * dot(m[i], w)) | i < 300), x)", false);
}

/// Whether a function has more products of matrices once its sums are contracted.
fn contracted(body: &str, becomes: bool) {
    let plain = Plain::of(&format!("{MATRIX}{body}"), &BEFORE);
    let improved = plain.about(&[contract]);
    let [before, after] = [&plain.program, &improved].map(products);
    assert_eq!(after > before, becomes, "{}\n{}", print(&plain.program), print(&improved));
}

fn products(program: &Program) -> usize {
    let mut found = 0;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            found += usize::from(matches!(statement, Statement::Product(_)));
        });
    }
    found
}
