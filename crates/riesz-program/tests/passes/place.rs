//! A product of matrices that is only copied is computed in its final place: its buffer and the copy are removed.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::join::join;
use riesz_program::passes::place::place;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 4] = [scalarise, tidy, join, tidy];

/// A matrix of an array.
const MATRIX: &str = "let m = [[x[i] + real(j) | j < n] | i < n] in let b = dot(m, m) in ";

#[test]
fn products_that_are_copied() {
    placed("[[b[j, i] | j < n] | i < n]", true);
    placed("transpose(b)", true);
}

#[test]
fn products_that_are_used_elsewhere() {
    placed("([[b[j, i] | j < n] | i < n], b[0, 0])", false);
    placed("[[b[i, j] + 1 | j < n] | i < n]", false);
}

/// Whether a function of a product of matrices has less loops once the product is in its place.
fn placed(body: &str, becomes: bool) {
    let plain = Plain::of(&format!("{MATRIX}{body}"), &BEFORE);
    let improved = plain.after(&[place]);
    let [before, after] = [&plain.program, &improved].map(loops);
    assert_eq!(after < before, becomes, "{}\n{}", print(&plain.program), print(&improved));
}

fn loops(program: &Program) -> usize {
    let mut found = 0;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| found += usize::from(matches!(statement, Statement::For(_))));
    }
    found
}
