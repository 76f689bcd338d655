//! The size of derivatives, and the time to make them: both are linear in the size of the program.

use riesz_core::{Body, FunctionId, Program};
use riesz_test::program::{Case, check, codes};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The bindings of the functions that a function needs.
fn bindings(program: &Program, function: FunctionId) -> usize {
    fn within(body: &Body) -> usize {
        let mut count = 0;
        let mut work = vec![body];
        while let Some(body) = work.pop() {
            count += body.bindings.len();
            body.bindings.iter().for_each(|binding| binding.op.visit_bodies(&mut |body| work.push(body)));
        }
        count
    }
    program.reachable(&[function]).functions.iter().map(|id| within(&program.function(*id).body)).sum()
}

/// The bindings of a value, those of its reverse derivative, and the time it takes to make that.
struct Measured {
    value: usize,
    reverse: usize,
    time: Duration,
}

fn measure(program: &str) -> Measured {
    let program = &format!("{program}let point = 2.0\n");
    let checked = || check(program).unwrap_or_else(|problem| panic!("{problem}\n{program}"));
    let value = Case::new(checked(), "f(point)").unwrap();
    let mut plain = value.checker.program.clone();
    riesz_optimise::optimise(&mut plain, &[value.function]);
    let gradient = Case::new(checked(), "vjp(f, point, 1.0)").unwrap();
    let compile = || {
        let mut program = gradient.checker.program.clone();
        let start = Instant::now();
        riesz_calculus::compile_from(&mut program, &[gradient.function]).unwrap_or_else(|p| panic!("{}", codes(&p)));
        (start.elapsed(), program)
    };
    // The better of two: others may want the machine too.
    let ((first, program), (second, _)) = (compile(), compile());
    Measured {
        value: bindings(&plain, value.function),
        reverse: bindings(&program, gradient.function),
        time: first.min(second),
    }
}

/// A line of operations, each on what came before.
fn straight(n: usize) -> String {
    let mut text = "fun f(x: R): R =\n  let a0 = x\n".to_string();
    for at in 1..n {
        let (a, b) = (at - 1, at / 2);
        let line = match at % 4 {
            0 => format!("a{a} * a{b}"),
            1 => format!("sin(a{a})"),
            2 => format!("a{a} + a{b}"),
            _ => format!("a{a} / (1.5 + a{b} * a{b})"),
        };
        writeln!(text, "  let a{at} = {line}").unwrap();
    }
    writeln!(text, "  a{}", n - 1).unwrap();
    text
}

/// Loops after each other.
fn loops(n: usize) -> String {
    let mut text = "fun f(x: R): R =\n  let a0 = x\n".to_string();
    let count = (n / 5).max(1);
    for at in 1..=count {
        let a = at - 1;
        let line = match at % 3 {
            0 => format!("sum(sin(a{a} * i) | i < 10)"),
            1 => format!("loop s = a{a} for i < 5 do s * cos(s)"),
            _ => format!("sum(t * t | t in [a{a} + i | i < 10])"),
        };
        writeln!(text, "  let a{at} = {line}").unwrap();
    }
    writeln!(text, "  a{count}").unwrap();
    text
}

/// Functions that call the one before them, once or twice.
fn calls(n: usize) -> String {
    let mut text = "fun f0(x: R): R = sin(x) * x\n".to_string();
    let count = (n / 5).max(1);
    for at in 1..=count {
        let a = at - 1;
        let line = match at % 3 {
            0 => format!("f{a}(x) * cos(x)"),
            1 => format!("f{a}(x * 0.5) + exp(x) * tanh(x / 3.0)"),
            _ => format!("f{a}(sin(x)) * log(1 + x * x) - sqrt(x)"),
        };
        writeln!(text, "fun f{at}(x: R): R = {line}").unwrap();
    }
    writeln!(text, "fun f(x: R): R = f{count}(x) + f{count}(x + 1.0)").unwrap();
    text
}

/// A reverse derivative has at most so many times the bindings of the value.
const MOST: f64 = 5.0;
/// Ten times the program takes at most so many times as long: ten, but for what else the machine does.
const LONGER: u32 = 40;

#[test]
fn derivatives_are_a_few_times_as_large() {
    type Family = (&'static str, fn(usize) -> String);
    let families: [Family; 3] = [("straight", straight), ("loops", loops), ("calls", calls)];
    let mut failed = Vec::new();
    println!("{:10} {:>8} {:>8} {:>8} {:>7} {:>9}", "family", "size", "value", "reverse", "factor", "seconds");
    for (name, family) in families {
        let mut before = Duration::from_millis(10);
        for n in [10, 100, 1_000, 10_000] {
            let Measured { value, reverse, time } = measure(&family(n));
            let factor = reverse as f64 / value as f64;
            println!("{name:10} {n:8} {value:8} {reverse:8} {factor:7.2} {:9.3}", time.as_secs_f64());
            if factor > MOST || time > LONGER * before {
                failed.push(format!("{name} {n}: {factor:.2} times as large, {time:?} after {before:?}"));
            }
            before = time.max(before);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
