//! Functions of the table of primitives and programs of the suite, in C and by the interpreter.

use crate::compiler::{self, Mode};
use riesz_core::FunctionId;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_primitive::Domain;
use riesz_program::evaluate::Passed;
use riesz_program::pass::pass;
use riesz_program::{Program, Signature};
use riesz_test::program::checked;

#[allow(dead_code)]
#[path = "../../../../benches/src/workload.rs"]
mod workload;

/// Calls of functions without parameters, which take what they need from the globals of their program.
#[derive(Default)]
struct Calls {
    lowered: Program,
    signatures: Vec<Signature>,
    words: Vec<Vec<Passed>>,
    texts: Vec<String>,
    expected: Vec<Result<Value<f64>, &'static str>>,
    /// What takes too many steps.
    omitted: usize,
}

impl Calls {
    /// Adds expressions in the scope of a program.
    fn push(&mut self, program: &str, expressions: &[String], steps: u64) {
        let functions: Vec<String> =
            (expressions.iter().enumerate()).map(|(at, e)| format!("fun call_{at}() = {e}\n")).collect();
        let text = format!("{program}\n{}", functions.concat());
        let checker = checked(&text);
        let ids: Vec<FunctionId> =
            (0..expressions.len()).map(|at| checker.function_named(&format!("call_{at}")).unwrap()).collect();
        let mut core = checker.program;
        riesz_calculus::compile_for_code(&mut core, &ids).unwrap();
        let (made, entries) = riesz_program::lower(&core, &ids);
        let moved = self.lowered.append(made);
        for ((id, entry), text) in ids.iter().zip(entries).zip(expressions) {
            let entry = entry.unwrap_or_else(|problem| panic!("{text}: {}", problem.reason));
            let mut signature = Signature::of(&core, *id, entry);
            signature.procedure.0 += moved;
            let mut machine = Machine::<f64>::new(&core, Limits { steps, ..Limits::default() }, |_| None);
            let expected = machine.call_with(*id, Vec::new()).map_err(|fault| fault.code);
            let given = signature.globals.iter().map(|(id, ty)| Some(pass(machine.globals().get(id)?, ty)));
            let Some(given) = given.collect::<Option<Vec<_>>>().filter(|_| !matches!(expected, Err("step-limit")))
            else {
                self.omitted += 1;
                continue;
            };
            self.words.push(given.concat());
            self.signatures.push(signature);
            self.texts.push(text.clone());
            self.expected.push(expected);
        }
    }

    /// Compiles and runs them all, and compares.
    fn agree(&self, mode: Mode, label: &str, tolerance: f64) {
        let words: Vec<&[Passed]> = self.words.iter().map(Vec::as_slice).collect();
        let found = compiler::run(&self.lowered, &self.signatures, &words, mode, label);
        let mut wrong = Vec::new();
        for ((found, expected), text) in found.iter().zip(&self.expected).zip(&self.texts) {
            let agrees = match (found, expected) {
                (Ok(found), Ok(expected)) => expected.distance(found) <= tolerance,
                (Err(found), Err(expected)) => found == expected,
                _ => false,
            };
            if !agrees {
                wrong.push(format!("{text} is {expected:?}, in C {found:?}"));
            }
        }
        println!("{} agree in {label}, {} take too long", found.len() - wrong.len(), self.omitted);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Every function of real numbers, with its first two derivatives, inside of its domain and where numbers are special.
#[test]
fn every_scalar_function_agrees() {
    if !compiler::exists() {
        return;
    }
    const SPECIAL: [f64; 9] = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e300, f64::INFINITY, f64::NAN];
    let mut calls = Calls::default();
    for row in riesz_primitive::table() {
        let Some(scalar) = row.scalar().filter(|scalar| scalar.real.is_some() && !row.hidden()) else { continue };
        let call = |x: &[String]| match (row.name, x) {
            (sign @ ("+" | "-" | "*" | "/" | "^"), [x, y]) => format!("({x} {sign} {y})"),
            (name, x) => format!("{name}({})", x.join(", ")),
        };
        let of = |domain: &Domain, at: usize| match domain {
            Domain::Reals(a, b) => a + (b - a) * [0.13, 0.41, 0.77, 0.99][at],
            Domain::Integers(a, b) => (*a as f64 + (b - a) as f64 * [0.2, 0.4, 0.7, 1.0][at]).round(),
        };
        let mut points: Vec<Vec<f64>> =
            (0..4).map(|at| scalar.domain.iter().map(|domain| of(domain, at)).collect()).collect();
        for (at, x) in SPECIAL.iter().enumerate() {
            points.push([*x, SPECIAL[(at * 4 + 3) % 9]][..scalar.domain.len()].to_vec());
        }
        let shown = |x: &f64| match x {
            x if x.is_nan() => "nan".to_string(),
            x if x.is_infinite() => if *x > 0.0 { "inf" } else { "(-inf)" }.to_string(),
            x => format!("({x:?})"),
        };
        let rows: Vec<String> = points
            .iter()
            .map(|point| format!("[{}]", point.iter().map(shown).collect::<Vec<_>>().join(", ")))
            .collect();
        let program = format!("let points = [{}]\n", rows.join(", "));
        let (names, function) = match scalar.domain.len() {
            1 => ("x", call(&["x".into()])),
            _ => ("x y", call(&["x".into(), "y".into()])),
        };
        let point = (0..scalar.domain.len()).map(|at| format!("p[{at}]")).collect::<Vec<_>>().join(", ");
        let value = format!("(\\{names} -> {function})({point})");
        let gradient = format!("grad(\\{names} -> {function}, ({point}))");
        let second = format!("hessian(\\{names} -> {function}, ({point}))");
        let expressions = [value, gradient, second].map(|expression| format!("[{expression} | p in points]"));
        calls.push(&program, &expressions, u64::MAX);
    }
    calls.agree(Mode::Sanitised, "scalars", 1e-11);
}

/// A program by itself has only what it needs, and compiles without a warning: here a number, an error, an array.
#[test]
fn every_function_compiles_by_itself() {
    if !compiler::exists() {
        return;
    }
    for expression in ["x * x", "grad(\\z -> z * sin(z), x)", "div(trunc(x), 0)", "[x, x]", "sum([x + i | i < 3])"] {
        let mut calls = Calls::default();
        calls.push("let x = 2.0", &[expression.into()], u64::MAX);
        calls.agree(Mode::Optimised, "alone", 1e-12);
    }
}

/// Linear algebra, with derivatives, of matrices that are regular, singular and nothing at all.
#[test]
fn every_matrix_function_agrees() {
    if !compiler::exists() {
        return;
    }
    const MATRICES: [&str; 6] = [
        "sin(1.0 + 2.3 * i * i + 1.7 * j) + (if i == j then 2.0 * n else 0.0)",
        "real(i + 1) * real(j + 1)",
        "if i == 0 then 0.0 else sin(i * i * 1.3 + 3.1 * j)",
        "1e60 * cos(i * 3.3 * j + j * j)",
        "if i + j == 1 then nan else 1.0",
        "if i == j then 1e-60 else 0.0",
    ];
    let mut calls = Calls::default();
    for n in [0, 1, 2, 3, 5] {
        let matrix = |entry: &&str| format!("[[{entry} | j < {n}] | i < {n}]");
        let matrices = MATRICES.iter().map(matrix).collect::<Vec<_>>().join(", ");
        let program = format!(
            "let n = {n}\nlet matrices: [_][{n}][{n}]R = [{matrices}]\n\
             let h: [{n}][{n}]R = [[cos(i - 2.0 * j) | j < {n}] | i < {n}]\n\
             let b: [{n}][2]R = [[real(i), sin(i)] | i < {n}]\n"
        );
        let mut expressions = Vec::new();
        let functions = ["det(x)", "logdet(x)", "inner(h, inv(x))", "inner(b, solve(x, b))"];
        for f in functions.into_iter().chain(["inner(h, cholesky(dot(x, transpose(x))))"]) {
            expressions.push(format!("(\\x -> {f})(a)"));
            expressions.push(format!("grad(\\x -> {f}, a)"));
            expressions.push(format!("hvp(\\x -> {f}, a, h)"));
            expressions.push(format!("jvp(\\x -> {f}, a, h).1"));
        }
        let mut expressions: Vec<String> = expressions.iter().map(|e| format!("[{e} | a in matrices]")).collect();
        // Third derivatives, which are nothing but rounding where entries are large or small.
        expressions.push("[hvp(\\x -> inner(h, grad(\\y -> det(y), x)), a, h) | a in slice(matrices, 0, 3)]".into());
        calls.push(&program, &expressions, u64::MAX);
    }
    calls.agree(Mode::Sanitised, "matrices", 1e-9);
}

/// Systems of linear maps with a band, with entries anywhere, and with none on a row, with their derivatives.
#[test]
fn systems_agree() {
    if !compiler::exists() {
        return;
    }
    let mut calls = Calls::default();
    for n in [1, 5, 17, 40] {
        let program = format!(
            "fun band(x: [n]R): [n]R = [9 * x[i] + x[i]^3 + (if i > 0 then x[i - 1] else 0.0) | i < n]\n\
             fun arrow(x: [n]R): [n]R = [9 * x[i] + sum(x) * x[i] | i < n]\n\
             fun single(x: [n]R): [n]R = [if i == 0 then 0.0 else x[i] * x[i - 1] | i < n]\n\
             let x: [{n}]R = [sin(i) | i < {n}]\n"
        );
        let mut expressions = Vec::new();
        for f in ["band", "arrow", "single"] {
            let maps = [format!("D({f}, z)"), format!("adjoint(D({f}, z))")];
            let both = format!("compose(adjoint(D({f}, z)), D({f}, z))");
            for map in maps.into_iter().chain([both]) {
                expressions.push(format!("(\\z -> solve({map}, z + 1))(x)"));
                expressions.push(format!("vjp(\\z -> solve({map}, z + 1), x, x).1"));
                expressions.push(format!("jvp(\\z -> solve({map}, z + 1), x, 0 * x).1"));
            }
        }
        calls.push(&program, &expressions, u64::MAX);
    }
    calls.agree(Mode::Sanitised, "systems", 1e-9);
}

/// The workloads that are timed, those that the interpreter has done in a moment.
#[test]
fn the_suite_agrees() {
    if !compiler::exists() {
        return;
    }
    let mut calls = Calls::default();
    for workload in workload::workloads() {
        calls.push(&workload.program, &[workload.value.into(), workload.derivative.into()], 300_000);
    }
    calls.agree(Mode::Optimised, "the suite", 1e-9);
    assert!(calls.omitted <= 12, "{} of the suite take too long", calls.omitted);
}
