//! Random points with edge cases: zeros, the largest and the smallest numbers, singular matrices.

use crate::random::Random;

/// Numbers at which functions, their first and their second derivatives have edges.
pub const ZEROS: &[f64] = &[0.0, -0.0, 1.0, -1.0];
/// The same, and numbers whose products overflow or vanish.
pub const EXTREMES: &[f64] =
    &[0.0, -0.0, 1.0, -1.0, 1e200, -1e200, 1e-200, 1e-310, 1e308, f64::INFINITY, f64::NEG_INFINITY];

/// A number, a vector and a square matrix, as text. Half of the numbers are among those given.
pub fn random(random: &mut Random, edges: &[f64], size: usize) -> String {
    let x = number(random, edges);
    let v: Vec<f64> = (0..size).map(|_| number(random, edges)).collect();
    format!("({}, {}, {})", written(x), list(&v), matrix(random, size))
}

fn number(random: &mut Random, edges: &[f64]) -> f64 {
    if random.percent(50) { *random.pick(edges) } else { random.between(-2.0, 2.0) }
}

/// Of any rank, and without extremes, of which elimination leaves nothing but rounding.
fn matrix(random: &mut Random, size: usize) -> String {
    // Products of such numbers are exact: a matrix of rank one is singular, and not nearly so.
    let mut simple = || (0..size).map(|_| *random.pick(&[-2.0, -1.0, 0.5, 1.0, 3.0])).collect::<Vec<f64>>();
    let (u, w) = (simple(), simple());
    let kind = random.below(7);
    let mut entry = |row: usize, column: usize| match kind {
        0 => 0.0,
        1 => u[row] * w[column],
        2 => f64::from(u8::from(row == column)),
        3 => f64::from(u8::from(row + column + 1 == size)),
        4 if row + 1 == size => 0.0,
        5 if row == column => 4.0 + u[row],
        6 => number(random, ZEROS),
        _ => random.between(-1.0, 1.0),
    };
    if size == 0 {
        return "[[0.0 | j < 0] | i < 0]".into();
    }
    let rows = (0..size).map(|row| list(&(0..size).map(|column| entry(row, column)).collect::<Vec<f64>>()));
    format!("[{}]", rows.collect::<Vec<String>>().join(", "))
}

/// Without elements their type would not be known.
fn list(numbers: &[f64]) -> String {
    if numbers.is_empty() {
        return "[0.0 | i < 0]".into();
    }
    format!("[{}]", numbers.iter().map(|x| written(*x)).collect::<Vec<String>>().join(", "))
}

fn written(x: f64) -> String {
    match x {
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        x => format!("{x:?}"),
    }
}
