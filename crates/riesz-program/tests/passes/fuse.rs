//! Loops over the same indices are fused, also if the second has a few iterations less; and arrays of all sizes,
//! including those for which the second has none, give the same results.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::fuse::fuse;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

#[test]
fn as_many_iterations() {
    fused("let a = sin(x) in (a, [a[i] * x[i] | i < n])", 2, 1);
}

#[test]
fn a_few_iterations_less() {
    fused("let a = sin(x) in (a, [a[i] * x[i + 1] | i < n - 1])", 2, 1);
    fused("let a = sin(x) in (a, 2 * slice(a, 0, n - 3))", 2, 1);
}

#[test]
fn what_is_read_at_another_place() {
    fused("let a = sin(x) in (a, [a[i + 1] * x[i] | i < n - 1])", 2, 2);
    fused("let a = sin(x) in (a, 2 * slice(a, 1, n))", 2, 2);
}

#[test]
fn many_iterations_less_or_more() {
    fused("let a = sin(x) in (a, [a[i] * x[i + 9] | i < n - 9])", 2, 2);
    fused("let a = [sin(x[i]) | i < n - 1] in (a, [a[if i < n - 1 then i else 0] * x[i] | i < n])", 2, 2);
}

/// Fuses the loops of a function of an array: how many there are, before and after.
fn fused(body: &str, before: usize, after: usize) {
    let plain = Plain::of(body, &BEFORE);
    assert_eq!(loops(&plain.program), before, "{}", print(&plain.program));
    let improved = plain.after(&[fuse]);
    assert_eq!(loops(&improved), after, "{}", print(&improved));
}

fn loops(program: &Program) -> usize {
    let mut found = 0;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| found += usize::from(matches!(statement, Statement::For(_))));
    }
    found
}
