//! Rows to which iterations add again and again are added up in copies.

use crate::plain::Plain;
use riesz_program::passes::Pass;
use riesz_program::passes::accumulate::accumulate;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

#[test]
fn rows_of_sums() {
    copied("hessian(\\w -> sum(exp(sum(w[j] * real(i + j) | j < n)) | i < 3), x)", true);
    copied("hessian(\\w -> sum(w^2) + sum(exp(sum(w[j] * real(i + j) | j < n)) | i < 3), x)", true);
}

#[test]
fn rows_that_are_written_once() {
    copied("[[y * z | y in x] | z in x]", false);
    copied("hessian(\\w -> exp(sum(w^2)), x)", false);
}

/// Whether a function has a copy of a row once rows are added up in copies.
fn copied(body: &str, becomes: bool) {
    let plain = Plain::of(body, &BEFORE);
    let improved = plain.after(&[accumulate]);
    assert_eq!(print(&improved) != print(&plain.program), becomes, "{}\n{}", print(&plain.program), print(&improved));
}
