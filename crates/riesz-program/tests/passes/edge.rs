//! Boundary iterations are split off: the inner iterations have no branches, and arrays of all sizes, including those
//! with only boundary iterations, give the same results.

use crate::plain::Plain;
use riesz_program::each_statement;
use riesz_program::passes::Pass;
use riesz_program::passes::edge::edge;
use riesz_program::passes::fuse::fuse;
use riesz_program::passes::scalarise::scalarise;
use riesz_program::passes::tidy::tidy;
use riesz_program::print::print;
use riesz_program::program::{Block, Expression, Statement};

/// The passes that give a function its loops.
const BEFORE: [Pass; 4] = [scalarise, tidy, fuse, tidy];

#[test]
fn neighbours_on_both_sides() {
    divided("[(if i > 0 then x[i - 1] else 0) - 2 * x[i] + (if i < n - 1 then x[i + 1] else 0) | i < n]", true);
}

#[test]
fn neighbours_on_one_side() {
    divided("[if i < 3 then x[i] else x[i - 3] * x[i] | i < n]", true);
    divided("[if i + 2 >= n then x[i]^2 else x[i + 2] | i < n]", true);
}

#[test]
fn single_iterations() {
    divided("[if i == 0 then x[n - 1] else x[i - 1] | i < n]", true);
    divided("[if i == n - 1 then x[0] else x[i + 1] | i < n]", true);
}

#[test]
fn branches_in_branches_and_conditions_on_numbers() {
    divided("[if i > 0 and x[i] > 0.5 then (if i < n - 1 then x[i + 1] else 7.5) else 2 * x[i] | i < n]", false);
    divided("[(if x[i] > 0.5 then x[i] else 1.0) * (if i > 1 then x[i - 2] else 3.0) | i < n]", false);
}

#[test]
fn second_derivatives_of_neighbours() {
    divided("flatten(hessian(\\y -> sum((y[i + 1] - y[i]^2)^2 | i < n - 1), x))", true);
    divided("flatten(hessian(\\y -> sum((y[i + 2] - y[i + 1] * y[i])^2 | i < n - 2), x))", true);
}

/// A border on all sides: the iterations inside of both loops have no branches.
#[test]
fn borders_of_a_square() {
    let at = |i: &str, j: &str| format!("x[mod({i} + 3 * {j}, n)]");
    let inside = [at("(i - 1)", "j"), at("(i + 1)", "j"), at("i", "(j - 1)"), at("i", "(j + 1)")].join(" + ");
    let square = format!("[[if i > 0 and i < n - 1 and j > 0 and j < n - 1 then {inside} else 0.0 | j < n] | i < n]");
    divided(&format!("flatten({square})"), true);
    let plain = Plain::of(&format!("flatten({square})"), &BEFORE);
    let improved = plain.after(&[edge, tidy]);
    let mut inner = Vec::new();
    for body in loops(&improved.procedure(plain.entry).body) {
        inner.extend(loops(body));
    }
    assert!(inner.iter().any(|body| !has_branch(body)), "{}", print(&improved));
}

/// Remainders of indices beyond the ends, which are those of a period.
#[test]
fn neighbours_around_a_circle() {
    divided("[x[mod(i + 1, n)] - x[mod(i + n - 1, n)] | i < n]", true);
    divided("[x[mod(i - 2, n)] * x[i] | i < n]", true);
    let plain = Plain::of("[x[mod(i + 1, n)] * x[mod(i - 1, n)] | i < n]", &BEFORE);
    let improved = plain.after(&[edge, tidy]);
    let inside = loops(&improved.procedure(plain.entry).body);
    let is_remainder = |statement: &Statement| matches!(statement, Statement::Let(_, Expression::Int(..)));
    assert!(inside.iter().any(|body| !body.iter().any(is_remainder)), "{}", print(&improved));
}

/// A window around each index: the conditions hold for all of it between the borders.
#[test]
fn windows_over_a_border() {
    let body = "[sum(if i + k >= 2 and i + k < n + 2 then x[i + k - 2] * (k + 1) else 0.5 | k < 5) + x[i] | i < n]";
    divided(body, true);
    divided(&body.replace("sum", "max"), true);
    divided(&body.replace("sum(", "0.1 * prod("), true);
    let plain = Plain::of(body, &BEFORE);
    let improved = plain.after(&[edge, tidy]);
    let straight = loops(&improved.procedure(plain.entry).body).into_iter().any(|body| {
        let mut branches = 0;
        each_statement(body, &mut |statement| branches += usize::from(matches!(statement, Statement::If(..))));
        branches == 0
    });
    assert!(straight, "{}", print(&improved));
}

/// Sizes in which the condition changes far from both ends are left as they are.
#[test]
fn there_is_no_edge_in_the_middle() {
    let plain = Plain::of("[if 2 * i < n then x[i] else 1.0 | i < n]", &BEFORE);
    assert_eq!(print(&plain.program), print(&plain.after(&[edge])));
}

/// Divides the loops of a function of an array: whether one without branches is among them then.
fn divided(body: &str, straight: bool) {
    let plain = Plain::of(body, &BEFORE);
    let improved = plain.after(&[edge, tidy]);
    assert_ne!(print(&plain.program), print(&improved), "{body}");
    let inside = loops(&improved.procedure(plain.entry).body);
    assert!(inside.iter().any(|body| !has_branch(body) || !straight), "{}", print(&improved));
}

/// The bodies of the parallel loops of a block, outside of each other.
fn loops(block: &Block) -> Vec<&Block> {
    let mut found = Vec::new();
    for statement in block {
        match statement {
            Statement::For(each) if each.parallel => found.push(&each.body),
            other => found.extend(riesz_program::blocks(other).into_iter().flat_map(loops)),
        }
    }
    found
}

fn has_branch(block: &Block) -> bool {
    block.iter().any(|statement| matches!(statement, Statement::If(..)))
}
