//! Parsing and checking generated programs of three kinds and three lengths: less than a second for 100,000 lines, and
//! linear in the length.

use riesz_bench::{parsed, print_table, time, time_after};
use riesz_core::Checker;
use std::time::Duration;

fn main() {
    let mut rows = Vec::new();
    for (kind, generate) in KINDS {
        for lines in [1_000, 10_000, 100_000] {
            let text = generate(lines);
            let parse = time(|| parsed(&text));
            let check = time_after(
                || (Checker::new(), parsed(&text)),
                |(mut checker, tree)| {
                    let problems = checker.add(vec![tree], false);
                    assert!(problems.is_empty(), "{problems:?}");
                    checker
                },
            );
            let per_line = |time: Duration| (time.as_nanos() / lines as u128).to_string();
            let both = format!("{:.1}", 1e3 * (parse + check).as_secs_f64());
            rows.push(vec![kind.to_string(), lines.to_string(), per_line(parse), per_line(check), both]);
        }
    }
    print_table(&["program", "lines", "parse, ns per line", "check, ns per line", "both, ms"], &rows);
}

/// A kind of program: a text with as many lines as asked for.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 3] = [("functions", functions), ("values", values), ("one body", one_body)];

/// Functions that call the ones before them.
fn functions(lines: usize) -> String {
    let mut text = String::from("fun f0(x: R): R = x\n");
    for at in 1..lines {
        text += &format!("fun f{at}(x: R): R = f{}(x) * 1.5 + sin(x) - {at}\n", at / 2);
    }
    text
}

/// Top-level values, each made of the one before.
fn values(lines: usize) -> String {
    let mut text = String::from("let v0 = 1.5\n");
    for at in 1..lines {
        text += &format!("let v{at} = v{} * 1.5 + sin({at}) - v{}\n", at - 1, at / 2);
    }
    text
}

/// One function whose body is a long row of `let`s.
fn one_body(lines: usize) -> String {
    let mut text = String::from("fun long(x0: R): R =\n");
    for at in 1..lines - 1 {
        text += &format!("  let x{at} = x{} * 1.5 + sin(x{}) - {at}\n", at - 1, at / 2);
    }
    text + &format!("  x{}\n", lines - 2)
}
