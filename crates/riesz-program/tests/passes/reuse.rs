//! Buffers are made of those that are no longer used: the others are never allocated.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::reuse::reuse_in;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

/// A matrix of an array.
const MATRIX: &str = "let m = [[x[i] + real(j) | j < n] | i < n] in ";

#[test]
fn arrays_that_are_used_one_after_the_other() {
    // Of five matrices, two are in use at a time.
    spares("let a = dot(m, m) in let b = dot(a, a) in let c = dot(b, b) in dot(c, c)[0, 1]", 3);
}

#[test]
fn arrays_that_are_used_together() {
    spares("let a = dot(m, m) in dot(m, a)[0, 0] + a[0, 1] + m[1, 0]", 0);
}

#[test]
fn arrays_of_different_lengths() {
    spares("let v = [sum(row) | row in dot(m, m)] in sum([sum(v[j] | j < i + 1) | i < n + 1])", 0);
}

/// How many allocations a function is spared.
fn spares(body: &str, many: usize) {
    let plain = Plain::of(&format!("{MATRIX}{body}"), &BEFORE);
    let reuse: Pass = |procedure| {
        reuse_in(procedure);
    };
    let improved = plain.after(&[reuse]);
    let [before, after] = [&plain.program, &improved].map(allocations);
    assert_eq!(before - after, many, "{}\n{}", print(&plain.program), print(&improved));
}

fn allocations(program: &Program) -> usize {
    let mut found = 0;
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            found += usize::from(matches!(statement, Statement::Allocate(_)));
        });
    }
    found
}
