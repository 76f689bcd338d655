//! The properties that derivatives of a program must have at a point.

use crate::witness::{Complex, STEP, if_known};
use riesz_algebra::Nagata;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::order::{Order, Orders};
use riesz_core::verify::verify;
use riesz_core::{Checker, FunctionId};
use riesz_primitive::Number;
use riesz_syntax::{Diagnostic, FileId, ParseOptions, parse};
use riesz_test::generate::Program;
use riesz_test::generate::random::Random;
use riesz_test::generate::types::Type;

/// What is wrong with a program, or why it cannot be judged.
#[derive(Debug)]
pub struct Trouble {
    pub kind: String,
    pub message: String,
}

impl Trouble {
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Trouble {
        Trouble { kind: kind.into(), message: message.into() }
    }

    /// Whether nothing is wrong: the program has no value here, or takes too long, or is refused.
    pub fn is_harmless(&self) -> bool {
        self.kind.starts_with("no value") || self.kind == REFUSED
    }
}

/// A function as a value hides a size that the rest of the program has to know. The random programs do not avoid that.
pub const REFUSED: &str = "does not check: unknown-size";

type Judged<T> = Result<T, Trouble>;

/// Numbers that carry a derivative with them.
type Dual = Nagata<f64, f64>;

/// Says by what a program was judged, or what is wrong with it.
pub fn truth(program: &Program, seed: u64) -> Judged<Vec<&'static str>> {
    let mut random = Random::new(seed ^ 0x5EED);
    let orders = match program.text().len() {
        0..300 => 4,
        300..700 => 3,
        _ => 2,
    };
    let orders = if random.percent(40) { orders } else { orders.min(2) };
    let compiled = Compiled::new(program, orders)?;
    let mut judges = vec!["value"];
    let mut point = Point::new(program, &mut random);
    first_order(&compiled, &point, &mut judges)?;
    for attempt in 0.. {
        match differences(&compiled, &point, &mut judges) {
            // A point next to an edge has no differences: look whether another has.
            Err(_) if attempt < 4 => point = Point::new(program, &mut random),
            Err(trouble) => return Err(trouble),
            Ok(()) => break,
        }
    }
    matrices(&compiled, &point, &mut judges)?;
    higher_orders(&compiled, &point, orders, &mut judges)?;
    Ok(judges)
}

// ---- programs ----

/// A program with its derivatives compiled.
struct Compiled {
    program: riesz_core::Program,
    /// The program as it is written: an optimised one need not compute what it has no use for, and so may have a value
    /// where this one has none.
    written: riesz_core::Program,
    functions: Vec<(&'static str, FunctionId)>,
}

impl Compiled {
    /// The types of the argument and of the value.
    fn spaces(&self) -> [&riesz_core::Type; 2] {
        let (_, value) = self.functions.iter().find(|(name, _)| *name == "value").expect("it is there");
        let function = self.written.function(*value);
        [&function.vars[0].ty, &function.result]
    }

    fn new(program: &Program, orders: usize) -> Judged<Compiled> {
        let s = program.domain.concrete();
        let (ds, dt) = (program.domain.tangent(), program.codomain.tangent());
        let mut text = program.text();
        let mut names = Vec::new();
        let mut function = |name: &'static str, parameters: &str, body: &str| {
            text += &format!("fun f_{name}({parameters}) = {body}\n");
            names.push(name);
        };
        let three = format!("x: {s}, u: {ds}, v: {ds}, w: {dt}");
        function("value", &format!("x: {s}"), "f(x)");
        function("forward", &format!("x: {s}, u: {ds}"), "jvp(f, x, u)");
        function("reverse", &format!("x: {s}, w: {dt}"), "vjp(f, x, w)");
        function("map", &three, "{ let d = D(f, x); let m = (d - d) + d; (m(u), adjoint(m)(w)) }");
        function("dense", &format!("x: {s}"), "matrix(D(f, x))");
        function("sparse", &format!("x: {s}"), "coo(D(f, x))");
        function("ff", &three, "jvp(\\z -> jvp(f, z, u).1, x, v).1");
        function("fr", &three, "jvp(\\z -> vjp(f, z, w).1, x, v).1");
        function("rf", &three, "vjp(\\z -> jvp(f, z, v).1, x, w).1");
        function("rr", &three, "vjp(\\z -> vjp(f, z, w).1, x, v).1");
        if orders >= 3 {
            function("frf", &three, "jvp(\\z -> f_rf(z, u, v, w), x, u).1");
            function("rfr", &three, "vjp(\\z -> f_fr(z, u, v, w), x, u).1");
        }
        if orders >= 4 {
            function("ffrf", &three, "jvp(\\z -> f_frf(z, u, v, w), x, u).1");
            function("rrfr", &three, "vjp(\\z -> f_rfr(z, u, v, w), x, u).1");
        }
        let tell = |kind: &str, problems: &[Diagnostic]| {
            let codes: Vec<&str> = problems.iter().map(|problem| problem.code).take(1).collect();
            let messages: Vec<String> = problems.iter().map(|problem| place(problem, &text)).collect();
            Trouble::new(format!("{kind}: {}", codes.join(" ")), messages.join("\n"))
        };
        let (tree, problems) = parse(FileId(1), &text, &ParseOptions::default());
        if !problems.is_empty() {
            return Err(tell("does not parse", &problems));
        }
        let mut checker = Checker::new();
        let problems = checker.add(vec![tree], false);
        if !problems.is_empty() {
            return Err(tell("does not check", &problems));
        }
        verify(&checker.program).map_err(|problem| Trouble::new("wrong core", problem))?;
        let mut functions = Vec::new();
        for name in names {
            let function = checker.function_named(&format!("f_{name}")).expect("the harness has it");
            functions.push((name, function));
        }
        let mut written = checker.program.clone();
        let options = riesz_calculus::Options { optimise: false, ..Default::default() };
        riesz_calculus::compile_with(&mut written, &[functions[0].1], &options)
            .map_err(|problems| tell("does not compile", &problems))?;
        let mut program = checker.program.clone();
        let roots: Vec<FunctionId> = functions.iter().map(|(_, function)| *function).collect();
        riesz_calculus::compile_from(&mut program, &roots).map_err(|problems| tell("does not compile", &problems))?;
        verify(&program).map_err(|problem| Trouble::new("wrong core of derivatives", problem))?;
        Ok(Compiled { program, written, functions })
    }

    fn run<S: Number>(&self, name: &str, arguments: Vec<Value<S>>) -> Judged<Value<S>> {
        self.run_in(&self.program, name, arguments)
    }

    fn run_in<S: Number>(
        &self,
        program: &riesz_core::Program,
        name: &str,
        arguments: Vec<Value<S>>,
    ) -> Judged<Value<S>> {
        let function = self.functions.iter().find(|(known, _)| *known == name).expect("the harness has it").1;
        let limits = Limits { steps: 2_000_000, depth: 1000, memory: 64 << 20, interrupt: None };
        let value = Machine::<S>::new(program, limits, |_| None).call_with(function, arguments).map_err(|fault| {
            match fault.code {
                "step-limit" => Trouble::new("no value: too many steps", fault.message),
                // The rows of an array without rows have no size that could be the one asked for.
                "size-mismatch" if name == "value" => Trouble::new("no value: rows of no size", fault.message),
                // The integer part of what is no number.
                "integer-overflow" if name == "value" && fault.message.starts_with("nan") => {
                    Trouble::new("no value: not finite", fault.message)
                }
                code => Trouble::new(format!("{name} stops: {code}"), fault.message),
            }
        })?;
        let result = &program.function(function).result;
        let value = value.settled(result);
        match value.misfit(result) {
            Some(misfit) => Err(Trouble::new(format!("{name} has another shape than its type"), misfit)),
            None => Ok(value),
        }
    }
}

/// A message with the text it speaks of.
fn place(problem: &Diagnostic, text: &str) -> String {
    let span = problem.labels.first().map(|label| label.span);
    let shown = span.and_then(|span| text.get(span.start as usize..span.end as usize)).unwrap_or_default();
    format!("{}: `{}`", problem.message, shown.chars().take(200).collect::<String>())
}

// ---- points ----

/// A point, and vectors there.
struct Point {
    domain: Type,
    codomain: Type,
    x: Vec<f64>,
    int: i64,
    u: Vec<f64>,
    v: Vec<f64>,
    w: Vec<f64>,
}

impl Point {
    fn new(program: &Program, random: &mut Random) -> Point {
        let mut vector =
            |ty: &Type, size: f64| -> Vec<f64> { (0..ty.reals()).map(|_| random.between(-size, size)).collect() };
        let x = vector(&program.domain, 1.5);
        let (u, v, w) = (vector(&program.domain, 1.0), vector(&program.domain, 1.0), vector(&program.codomain, 1.0));
        let int = random.below(4) as i64;
        Point { domain: program.domain.clone(), codomain: program.codomain.clone(), x, int, u, v, w }
    }

    /// The point, with numbers of an algebra for its numbers.
    fn at<S: Number>(&self, number: impl Fn(usize) -> S) -> Value<S> {
        let mut at = 0;
        let mut next = || {
            at += 1;
            number(at - 1)
        };
        self.domain.value(&mut next, self.int)
    }

    fn vectors<S: Number>(&self) -> [Value<S>; 3] {
        let vector = |ty: &Type, numbers: &[f64]| {
            let mut numbers = numbers.iter();
            ty.tangent_value(&mut || S::constant(*numbers.next().expect("as many as the type has")))
        };
        [vector(&self.domain, &self.u), vector(&self.domain, &self.v), vector(&self.codomain, &self.w)]
    }
}

fn numbers(value: &Value<f64>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(*number));
    found
}

fn tangents(value: &Value<Dual>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(number.tangent));
    found
}

fn primals(value: &Value<Dual>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(number.primal));
    found
}

fn real_parts(value: &Value<Complex>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(number.re));
    found
}

fn imaginary(value: &Value<Complex>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(number.im / STEP));
    found
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()))
}

/// Fails unless two vectors are the same up to a part of the largest number in them.
fn agree(kind: &str, found: &[f64], expected: &[f64], tolerance: f64) -> Judged<()> {
    let scale = 1.0 + largest(found).max(largest(expected));
    let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance * scale);
    match found.len() == expected.len() && close {
        true => Ok(()),
        false => Err(Trouble::new(kind, format!("found {found:?}, expected {expected:?}"))),
    }
}

fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.abs() < 1e8)
}

// ---- laws ----

/// Up to rounding.
const EXACT: f64 = 1e-8;

/// The derivative in a direction of a function of the harness, as Nagata numbers and complex numbers have it.
fn witnesses(
    compiled: &Compiled,
    name: &str,
    point: &Point,
    direction: &[f64],
) -> Judged<(Vec<f64>, Option<Vec<f64>>)> {
    let part = usize::from(name != "value");
    let dual = point.at(|at| Dual { primal: point.x[at], tangent: direction[at] });
    let mut arguments = vec![dual];
    arguments.extend(directions(name, point));
    let mut value = compiled.run::<Dual>(name, arguments)?;
    let complex = if_known(|| {
        let complex = point.at(|at| Complex { re: point.x[at], im: STEP * direction[at] });
        let mut arguments = vec![complex];
        arguments.extend(directions(name, point));
        compiled.run::<Complex>(name, arguments)
    });
    let mut complex = complex.transpose()?;
    if name == "reverse" {
        value = value.parts()[part].clone();
        complex = complex.map(|value| value.parts()[part].clone());
    }
    // Where rounding decides what the value is, as in the sine of a number with twenty digits, complex numbers are about
    // another function.
    let complex = complex.filter(|complex| agree("", &real_parts(complex), &primals(&value), 1e-10).is_ok());
    Ok((tangents(&value), complex.as_ref().map(imaginary).filter(|numbers| finite(numbers))))
}

/// The vectors that a function of the harness takes.
fn directions<S: Number>(name: &str, point: &Point) -> Vec<Value<S>> {
    let [u, v, w] = point.vectors();
    match name {
        "value" | "dense" | "sparse" => Vec::new(),
        "forward" => vec![u],
        "reverse" => vec![w],
        _ => vec![u, v, w],
    }
}

fn evaluate(compiled: &Compiled, name: &str, point: &Point) -> Judged<Value<f64>> {
    let mut arguments = vec![point.at(|at| point.x[at])];
    arguments.extend(directions(name, point));
    compiled.run(name, arguments)
}

fn first_order(compiled: &Compiled, point: &Point, judges: &mut Vec<&'static str>) -> Judged<()> {
    compiled.run_in::<f64>(&compiled.written, "value", vec![point.at(|at| point.x[at])])?;
    let value = evaluate(compiled, "value", point)?;
    if !finite(&numbers(&value)) {
        return Err(Trouble::new("no value: not finite", format!("{:?}", numbers(&value))));
    }
    let (expected, complex) = witnesses(compiled, "value", point, &point.u)?;
    if !finite(&expected) {
        return Err(Trouble::new("no value: no derivative", format!("{expected:?}")));
    }
    let forward = evaluate(compiled, "forward", point)?;
    let reverse = evaluate(compiled, "reverse", point)?;
    for (kind, pair) in [("forward: value", &forward), ("reverse: value", &reverse)] {
        if numbers(&pair.parts()[0]) != numbers(&value) {
            let found = numbers(&pair.parts()[0]);
            return Err(Trouble::new(kind, format!("found {found:?}, expected {:?}", numbers(&value))));
        }
    }
    let (tangent, cotangent) = (numbers(&forward.parts()[1]), numbers(&reverse.parts()[1]));
    agree("forward: Nagata", &tangent, &expected, EXACT)?;
    judges.push("Nagata numbers");
    if let Some(complex) = complex {
        agree("forward: complex", &tangent, &complex, EXACT)?;
        judges.push("complex numbers");
    }
    let (left, right) = (inner(&tangent, &point.w), inner(&point.u, &cotangent));
    let scale = 1.0 + largest(&tangent).max(largest(&cotangent));
    agree("reverse: adjoint", &[left / scale], &[right / scale], EXACT)?;
    judges.push("adjoint");
    let map = evaluate(compiled, "map", point)?;
    agree("map: forward", &numbers(&map.parts()[0]), &tangent, EXACT)?;
    agree("map: reverse", &numbers(&map.parts()[1]), &cotangent, EXACT)?;
    judges.push("map");
    Ok(())
}

/// Central differences with two steps: the error of their combination is about what they differ by, or less.
fn differences(compiled: &Compiled, point: &Point, judges: &mut Vec<&'static str>) -> Judged<()> {
    let forward = evaluate(compiled, "forward", point)?;
    let tangent = numbers(&forward.parts()[1]);
    let difference = |step: f64| -> Judged<Vec<f64>> {
        let moved = |sign: f64| -> Judged<Vec<f64>> {
            let at = point.at(|at| point.x[at] + sign * step * point.u[at]);
            Ok(numbers(&compiled.run("value", vec![at])?))
        };
        let (right, left) = (moved(1.0)?, moved(-1.0)?);
        Ok(right.iter().zip(&left).map(|(right, left)| (right - left) / (2.0 * step)).collect())
    };
    let (wide, narrow) = (difference(2e-4)?, difference(1e-4)?);
    let error: Vec<f64> = wide.iter().zip(&narrow).map(|(wide, narrow)| wide - narrow).collect();
    let better: Vec<f64> = narrow.iter().zip(&error).map(|(narrow, error)| narrow - error / 3.0).collect();
    let value = numbers(&forward.parts()[0]);
    let scale = 1.0 + largest(&tangent).max(largest(&value));
    if !finite(&better) || largest(&error) > 1e-4 * scale {
        // Too steep for differences to say anything, or next to an edge.
        return Ok(());
    }
    let tolerance = 1e-7 + largest(&error) / scale;
    agree("forward: differences", &tangent, &better, tolerance * scale / (1.0 + largest(&tangent)))?;
    judges.push("differences");
    Ok(())
}

fn matrices(compiled: &Compiled, point: &Point, judges: &mut Vec<&'static str>) -> Judged<()> {
    let columns = point.x.len();
    let mut expected: Vec<Vec<f64>> = Vec::new();
    for column in 0..columns {
        let unit: Vec<f64> = (0..columns).map(|at| f64::from(u8::from(at == column))).collect();
        let point = Point { u: unit, ..point.copy() };
        expected.push(numbers(&evaluate(compiled, "forward", &point)?.parts()[1]));
    }
    let rows = point.w.len();
    if expected.iter().any(|column| column.len() != rows) {
        return Err(Trouble::new(
            "forward stops: empty sums of open size",
            format!("{rows} numbers, not {expected:?}"),
        ));
    }
    let matrix: Vec<f64> = (0..rows).flat_map(|row| expected.iter().map(move |column| column[row])).collect();
    if !finite(&matrix) {
        return Ok(());
    }
    let dense = numbers(&evaluate(compiled, "dense", point)?);
    agree("dense matrix", &dense, &matrix, EXACT)?;
    let sparse = evaluate(compiled, "sparse", point)?;
    let [cols, rows, vals] = sparse.parts() else { return Err(Trouble::new("sparse matrix", "no record")) };
    let [from, to] = compiled.spaces();
    let orders = Orders { rows: Order::of(to), columns: Order::of(from) };
    let places = orders.places(&evaluate(compiled, "value", point)?, &point.at(|at| point.x[at]));
    let mut scattered = vec![0.0; matrix.len()];
    let mut before = None;
    for ((row, col), value) in rows.elements().zip(cols.elements()).zip(vals.elements()) {
        let at = row.int() as usize * columns + col.int() as usize;
        if before.is_some_and(|before| before >= at) {
            return Err(Trouble::new("sparse matrix: order", format!("{rows:?} {cols:?}")));
        }
        before = Some(at);
        // A value has the fields of a record by name, a matrix has them as they are declared.
        let (row, col) = places.kept(vec![(row.int() as usize, col.int() as usize)])[0];
        scattered[row * columns + col] = value.real();
    }
    agree("sparse matrix", &scattered, &matrix, EXACT)?;
    judges.push("matrices");
    Ok(())
}

/// Each derivative of a derivative, against what the witnesses say of the derivative.
fn higher_orders(compiled: &Compiled, point: &Point, orders: usize, judges: &mut Vec<&'static str>) -> Judged<()> {
    let judge = |name: &'static str, of: &str, direction: &[f64]| -> Judged<Vec<f64>> {
        let (expected, complex) = witnesses(compiled, of, point, direction)?;
        if !finite(&expected) {
            return Err(Trouble::new("no value: no derivative of a derivative", String::new()));
        }
        let found = numbers(&evaluate(compiled, name, point)?);
        agree(&format!("{name}: Nagata"), &found, &expected, EXACT)?;
        if let Some(complex) = complex {
            agree(&format!("{name}: complex"), &found, &complex, EXACT)?;
        }
        Ok(found)
    };
    let same =
        |name: &str, found: &[f64], expected: &[f64]| agree(&format!("{name}: symmetry"), found, expected, EXACT);
    // Second derivatives are symmetric: fr(v, w) = rf(v, w) = rr(v, w), and ⟨ff(u, v), w⟩ = ⟨u, fr(v, w)⟩.
    let fr = judge("fr", "reverse", &point.v)?;
    let [ff, rf, rr] = ["ff", "rf", "rr"].map(|name| evaluate(compiled, name, point).map(|value| numbers(&value)));
    same("rf", &rf?, &fr)?;
    same("rr", &rr?, &fr)?;
    let (ff, scale) = (ff?, 1.0 + largest(&fr));
    let scale = scale.max(largest(&ff));
    same("ff", &[inner(&ff, &point.w) / scale], &[inner(&fr, &point.u) / scale])?;
    judges.push("order 2");
    if orders >= 3 {
        let frf = judge("frf", "rf", &point.u)?;
        let rfr = numbers(&evaluate(compiled, "rfr", point)?);
        same("rfr", &rfr, &frf)?;
        judges.push("order 3");
    }
    if orders >= 4 {
        let ffrf = judge("ffrf", "frf", &point.u)?;
        let rrfr = numbers(&evaluate(compiled, "rrfr", point)?);
        same("rrfr", &rrfr, &ffrf)?;
        judges.push("order 4");
    }
    Ok(())
}

impl Point {
    fn copy(&self) -> Point {
        Point {
            domain: self.domain.clone(),
            codomain: self.codomain.clone(),
            x: self.x.clone(),
            int: self.int,
            u: self.u.clone(),
            v: self.v.clone(),
            w: self.w.clone(),
        }
    }
}
