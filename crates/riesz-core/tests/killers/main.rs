//! Programs written to break the implementation: deep, long, wide, endless and huge. Each ends in bounded time with a
//! value or with its own clear error, on the small stack of a test's thread.

mod limit;
mod shape;

use riesz_core::Checker;
use riesz_core::evaluate::{Limits, Machine};
use riesz_syntax::{Diagnostic, FormatOptions, ParseOptions, Sources, Tree, format, parse, parse_expression, render};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The value of `expression` in the scope of `program`, or the code of the first error.
fn run(program: &str, expression: &str, limits: &Limits) -> String {
    let start = Instant::now();
    let outcome = outcome(program, expression, limits);
    // Generous, since machines differ: quadratic time is seconds for the sizes below.
    let shown: String = program.chars().chain(expression.chars()).take(40).collect();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{shown:?} took {took:?}");
    if std::env::var_os("KILLERS_TIMES").is_some() {
        println!("{took:>12.3?} {outcome:.40} {shown:?}");
    }
    outcome
}

fn outcome(program: &str, expression: &str, limits: &Limits) -> String {
    let mut sources = Sources::default();
    sources.add("prelude.rz", riesz_core::check::PRELUDE);
    let file = sources.add("program.rz", program);
    let line = sources.add("expression", expression);
    let (tree, problems) = parse(file, program, &ParseOptions::default());
    if !problems.is_empty() {
        return code(&problems, &sources);
    }
    let mut checker = Checker::new();
    let problems = checker.add(vec![tree], false);
    if !problems.is_empty() {
        return code(&problems, &sources);
    }
    let (tree, expr, problems) = parse_expression(line, expression, &ParseOptions::default());
    let Some(expr) = expr.filter(|_| problems.is_empty()) else { return code(&problems, &sources) };
    let thunk = match checker.expression(tree, expr, Vec::new()) {
        Ok(thunk) => thunk,
        Err(problems) => return code(&problems, &sources),
    };
    match Machine::<f64>::new(&checker.program, limits.clone(), |_| None).run(thunk.function) {
        Ok(value) => value.show(&thunk.ty),
        Err(fault) => code(&[*fault], &sources),
    }
}

fn code(problems: &[Diagnostic], sources: &Sources) -> String {
    let drawn = render(problems, sources, false);
    assert!(drawn.len() < 4_000_000, "{} bytes of messages", drawn.len());
    problems.first().map_or("nothing to evaluate".to_string(), |problem| problem.code.to_string())
}

/// The value of an expression that stands alone.
fn value(expression: &str) -> String {
    run("", expression, &Limits::default())
}

/// What becomes of a program.
fn program(text: &str) -> String {
    run(text, "0", &Limits::default())
}

const MANY: usize = 100_000;

/// `f(0) f(1) ...`, one after the other.
fn many(count: usize, f: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        text += &f(at);
        text
    })
}

fn nest(before: &str, middle: &str, after: &str, depth: usize) -> String {
    format!("{}{middle}{}", before.repeat(depth), after.repeat(depth))
}
