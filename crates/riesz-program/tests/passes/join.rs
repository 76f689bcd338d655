//! Arrays that are only concatenated are written to their final place: their buffers and copies are removed, and arrays
//! of all sizes give the same results.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::join::join;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Program, Statement};

/// The passes before.
const BEFORE: [Pass; 2] = [scalarise, tidy];

#[test]
fn parts_of_a_whole() {
    joined("concat(x^2, sin(x))", [3, 2], [1, 0]);
    joined("flatten([[y, y * y] | y in x])", [2, 1], [1, 0]);
    joined("[[1.0, 2.0, 3.0], [4.0, real(n), 6.0], [7.0, 8.0, 9.0]]", [4, 3], [1, 0]);
}

#[test]
fn parts_of_parts() {
    joined("concat(concat(x^2, sin(x)), [y * 3 | y in x])", [5, 4], [1, 0]);
    joined("let a = concat(concat(x^2, sin(x)), x[0] * x) in sum(a) * a", [6, 4], [2, 0]);
}

#[test]
fn what_is_read_elsewhere_is_copied() {
    joined("let a = x^2 in concat(a, a)", [2, 2], [2, 2]);
    joined("concat(x^2, sin(x), x)", [3, 3], [1, 1]);
    joined("let a = x^2 in concat(sin(x), a) * sum(a)", [4, 2], [3, 1]);
    joined("let a = [y * y | y in x] in concat(a, [a[n - 1 - i] | i < n])", [3, 2], [2, 1]);
}

/// A part of a negative size leaves no room for others: they are not written before it is known that there is none.
#[test]
fn there_is_room() {
    joined("concat([x[i] * x[i + 1] | i < n - 1], [y + 1 | y in x], [2 * x[i] | i < n - 2])", [4, 3], [3, 2]);
    joined("let a = x^2 in concat([2.0 | i < n - 3], a)", [3, 2], [2, 1]);
    joined("concat([1.0], [2 * x[i] | i < n - 1])", [3, 2], [2, 1]);
    joined("concat([2 * x[i] | i < n - 1], [1.0])", [3, 2], [1, 0]);
}

#[test]
fn what_each_iteration_makes_anew() {
    // The first part is made before the check of the size of the other.
    joined("loop y = x for k < 3 do concat(y[0] * slice(y, 0, 1), [2 * y[i] | i < n - 1])", [5, 4], [4, 3]);
    joined("loop s = 0.0 for k < 3 do sum(y * y | y in concat(x^2, [y + s | y in x]))", [3, 2], [1, 0]);
}

/// Joins what a function of an array makes: how many buffers it makes and how many copies, before and after.
fn joined(body: &str, before: [usize; 2], after: [usize; 2]) {
    let plain = Plain::of(body, &BEFORE);
    assert_eq!(counts(&plain.program), before, "{}", print(&plain.program));
    let improved = plain.after(&[join]);
    assert_eq!(counts(&improved), after, "{}", print(&improved));
}

/// How many buffers a program makes, once or for each iteration of a loop, and how many copies.
fn counts(program: &Program) -> [usize; 2] {
    let [mut made, mut copies] = [0, 0];
    for procedure in &program.procedures {
        each_statement(&procedure.body, &mut |statement| {
            made += match statement {
                Statement::Allocate(_) => 1,
                Statement::For(each) => each.private.len(),
                _ => 0,
            };
            copies += usize::from(matches!(statement, Statement::Copy { .. }));
        });
    }
    [made, copies]
}
