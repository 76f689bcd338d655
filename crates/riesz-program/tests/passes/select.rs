//! Conditions that only choose between numbers become choices.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::select::select;
use riesz_program::passes::tidy::tidy;
use riesz_program::program::Statement;

#[test]
fn cheap_branches_are_choices() {
    conditions("[if y < 0 then -y else 2 * y + 1 | y in x]", 0);
    conditions("[sigmoid(y) | y in x]", 0);
    conditions("sum(if y < 0 or y > 1 then y else 0.5 | y in x)", 0);
    conditions("grad(\\x -> sum(if abs(y) < 0.5 then 0.5 * y^2 else 0.5 * abs(y) | y in x), x)", 0);
}

#[test]
fn branches_that_cost_or_fail_stay() {
    conditions("[if y < 0 then exp(y) else y | y in x]", 1);
    conditions("[if x[i] > 0 then x[mod(i * i, n)] else 0.0 | i < n]", 1);
}

/// How many conditions are left in a function of an array of numbers.
fn conditions(body: &str, count: usize) {
    let plain = Plain::of(body, &[]);
    let improved = plain.after(&[scalarise, tidy, select]);
    let mut found = 0;
    for procedure in &improved.procedures {
        each_statement(&procedure.body, &mut |statement| found += usize::from(matches!(statement, Statement::If(..))));
    }
    assert_eq!(found, count, "{body}\n{}", riesz_program::print::print(&improved));
}
