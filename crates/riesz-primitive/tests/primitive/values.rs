//! The values of every function of numbers, compared with an independently computed table.

use riesz_primitive::{Number, find, table};

/// How far a value may be off, in units of its last place. `lgamma` and `digamma` cancel near their roots on the negative
/// axis, so that their error is measured against 1. `normal excess` is a sum that cancels where the tail begins.
fn tolerance(name: &str, expected: f64) -> f64 {
    let last_place = |x: f64| (x.abs() * f64::EPSILON).max(f64::from_bits(1));
    match name {
        "lgamma" | "digamma" => 8.0 * last_place(expected.abs().max(1.0)),
        "log_ndtr" | "normal hazard" => 8.0 * last_place(expected),
        "normal excess" => 64.0 * last_place(expected),
        "polygamma of order" => 16.0 * last_place(expected),
        _ => 2.0 * last_place(expected),
    }
}

fn rows() -> impl Iterator<Item = (&'static str, Vec<f64>, f64)> {
    include_str!("../values/table.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut fields = line.split("; ");
        let mut next = || fields.next().expect(line);
        let name = next();
        let arguments = next().split(' ').map(|x| x.parse().expect(line)).collect();
        (name, arguments, next().parse().expect(line))
    })
}

#[test]
fn values_agree_with_an_independent_source() {
    for (name, arguments, expected) in rows() {
        let row = find(name).unwrap_or_else(|| panic!("no {name}"));
        let actual = f64::apply(row, &arguments);
        let close = actual == expected || (actual - expected).abs() <= tolerance(name, expected);
        assert!(close, "{name}{arguments:?} is {actual:e}, should be {expected:e}");
    }
}

#[test]
fn the_source_covers_every_function_of_reals() {
    for row in table() {
        if row.scalar().is_some_and(|scalar| scalar.real.is_some()) {
            let points = rows().filter(|(name, ..)| *name == row.name).count();
            assert!(points >= 3, "{row:?} has {points} values");
        }
    }
}
