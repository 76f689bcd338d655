//! Derivatives at points where functions are not smooth, and exact zeros: all modes give the same derivative.
//!
//! `conventions.txt` has the sentences of the manual, and after each the rows that test it:
//!
//! ```text
//! function @ point ==> derivative, row after row of its matrix; then the second derivative, likewise
//! ```
//!
//! Each row is computed forwards, in reverse, as a matrix, as a sparse matrix, and by Nagata numbers; with a zero
//! tangent and a zero cotangent, and as a term that is multiplied by zero.

use riesz_algebra::Nagata;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_test::program::{Case, check};

/// Numbers that carry a derivative with them.
type Dual = Nagata<f64, f64>;

#[test]
fn conventions_hold_in_every_mode() {
    let (mut count, mut failed) = (0, Vec::new());
    for line in include_str!("../conventions.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        count += 1;
        let row = Row::read(line).unwrap_or_else(|| panic!("not a row: {line}"));
        if let Err(problem) = row.examine() {
            failed.push(format!("{line}\n    {problem}"));
        }
    }
    println!("{count} conventions");
    assert!(count > 0 && failed.is_empty(), "{} of {count} failed:\n{}", failed.len(), failed.join("\n"));
}

/// A function of numbers has a row, and so has one that will be added.
#[test]
fn every_function_of_numbers_has_a_convention() {
    let text = include_str!("../conventions.txt");
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut count = 0;
    for primitive in riesz_primitive::table().iter().filter(|primitive| !primitive.hidden()) {
        let of_reals = primitive.scalar().is_some_and(|scalar| scalar.real.is_some());
        let in_prelude = ["sigmoid", "softplus", "relu", "norm"].contains(&primitive.name);
        if !(of_reals || in_prelude) || !primitive.name.starts_with(char::is_alphabetic) {
            continue;
        }
        let shown = rows.iter().any(|row| row.split(|c| !is_word(c)).any(|word| word == primitive.name));
        assert!(shown, "conventions.txt has no row for `{}`", primitive.name);
        count += 1;
    }
    assert!(count > 30, "{count} functions");
}

/// What is done with linear maps keeps zeros exact as well.
#[test]
fn zeros_of_linear_maps_are_exact() {
    for (expression, expected) in [
        ("(0.0 * D(sqrt, 0.0))(1.0)", 0.0),
        ("adjoint(0.0 * D(sqrt, 0.0))(1.0)", 0.0),
        ("matrix(0.0 * D(log, 0.0))", 0.0),
        ("D(sqrt, 0.0)(0.0)", 0.0),
        ("adjoint(D(sqrt, 0.0))(0.0)", 0.0),
        ("compose(D(\\y -> 0 * y, 1.0), D(sqrt, 0.0))(1.0)", 0.0),
        ("compose(D(sqrt, 0.0), D(\\y -> 0 * y, 1.0))(1.0)", 0.0),
        ("adjoint(compose(D(sqrt, 0.0), D(\\y -> 0 * y, 1.0)))(1.0)", 0.0),
        ("matrix(compose(D(\\y -> 0 * y, 1.0), D(sqrt, 0.0)))", 0.0),
        ("(D(\\x -> 2 * x, 0.0) + 0.0 * D(log, 0.0))(1.0)", 2.0),
        ("matrix(D(\\x -> 2 * x, 0.0) - 0.0 * D(log, 0.0))", 2.0),
        ("{ let m = if 1 < 2 then 0.0 * D(log, 0.0) else D(log, 1.0) in m(1.0) + adjoint(m)(1.0) + matrix(m) }", 0.0),
        ("sum(coo(0.0 * D(log, 0.0)).vals)", 0.0),
        ("hvp(\\v -> sum(sqrt(v)), [4.0, 0.0], [1.0, 0.0])[1]", 0.0),
        ("vjp(\\x -> 0 * x, 1.0, inf).1", 0.0),
        ("jvp(\\x -> 0 * x, 1.0, inf).1", 0.0),
        ("jvp(\\v -> dot([0.0, 1.0], v), [1.0, 1.0], [nan, 1.0]).1", 1.0),
        ("vjp(\\v -> v * [0.0, 1.0], [1.0, 1.0], [nan, 1.0]).1[0]", 0.0),
    ] {
        expect(expression, &[expected]).unwrap();
    }
}

/// A row of the table.
struct Row<'a> {
    function: &'a str,
    point: &'a str,
    first: &'a str,
    second: Option<&'a str>,
}

/// The shape of a point or of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Number,
    Pair,
    Array(usize),
}

impl Shape {
    fn of(value: &Value<f64>) -> Option<Shape> {
        match value {
            Value::Real(_) => Some(Shape::Number),
            Value::Tuple(parts) if parts.len() == 2 => Some(Shape::Pair),
            Value::Reals(elements) => Some(Shape::Array(elements.len())),
            _ => None,
        }
    }

    fn count(self) -> usize {
        match self {
            Shape::Number => 1,
            Shape::Pair => 2,
            Shape::Array(count) => count,
        }
    }

    fn ty(self) -> String {
        match self {
            Shape::Number => "R".into(),
            Shape::Pair => "(R, R)".into(),
            Shape::Array(count) => format!("[{count}]R"),
        }
    }

    /// A vector of numbers as text.
    fn vector(self, number: impl Fn(usize) -> &'static str) -> String {
        let numbers: Vec<&str> = (0..self.count()).map(number).collect();
        match self {
            Shape::Number => numbers.concat(),
            Shape::Pair => format!("({})", numbers.join(", ")),
            Shape::Array(_) => format!("[{}]", numbers.join(", ")),
        }
    }

    fn units(self) -> Vec<String> {
        (0..self.count()).map(|at| self.vector(|other| if at == other { "1.0" } else { "0.0" })).collect()
    }

    fn zero(self) -> String {
        self.vector(|_| "0.0")
    }
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Row<'a>> {
        let (function, rest) = line.split_once(" @ ")?;
        let (point, expected) = rest.split_once(" ==> ")?;
        let (first, second) = match expected.split_once("; then ") {
            Some((first, second)) => (first, Some(second)),
            None => (expected, None),
        };
        Some(Row { function, point, first, second })
    }

    fn examine(&self) -> Result<(), String> {
        let Row { function, point, .. } = self;
        let from = evaluate(&format!("{{ let x = {point} in 1.0 * x }}"))?;
        let to = evaluate(&format!("{{ let f = {function}; let x = {point} in 1.0 * f(1.0 * x) }}"))?;
        let (Some(from), Some(to)) = (Shape::of(&from), Shape::of(&to)) else {
            return Err("its point or its value has another shape than the table knows".into());
        };
        let matrix = numbers(&evaluate(&format!("[{}]", self.first))?);
        if matrix.len() != from.count() * to.count() {
            return Err(format!("the derivative has {} numbers", from.count() * to.count()));
        }
        self.first_order(from, to, &matrix)?;
        self.zeros(from, to)?;
        match self.second {
            Some(second) => self.second_order(from, to, &numbers(&evaluate(&format!("[{second}]"))?)),
            None => Ok(()),
        }
    }

    fn first_order(&self, from: Shape, to: Shape, matrix: &[f64]) -> Result<(), String> {
        let Row { function: f, point: x, .. } = self;
        let (rows, columns) = (to.count(), from.count());
        for (at, unit) in from.units().iter().enumerate() {
            let column: Vec<f64> = matrix.iter().skip(at).step_by(columns).copied().collect();
            expect(&format!("D({f}, {x})({unit})"), &column)?;
            expect(&format!("jvp({f}, {x}, {unit}).1"), &column)?;
            expect(&format!("{{ let m = D({f}, {x}) in m({unit}) }}"), &column)?;
            same("Nagata numbers", &self.nagata(from, at)?, &column)?;
        }
        for (unit, row) in to.units().iter().zip(matrix.chunks(columns)) {
            expect(&format!("vjp({f}, {x}, {unit}).1"), row)?;
            expect(&format!("adjoint(D({f}, {x}))({unit})"), row)?;
            expect(&format!("{{ let m = adjoint(D({f}, {x})) in m({unit}) }}"), row)?;
        }
        if to == Shape::Number {
            expect(&format!("grad({f}, {x})"), matrix)?;
        }
        expect(&format!("matrix(D({f}, {x}))"), matrix)?;
        expect(&format!("jacobian({f}, {x})"), matrix)?;
        if from == Shape::Number && to == Shape::Number {
            expect(&format!("taylor({f}, {x}, 1.0, 1)[1]"), matrix)?;
        }
        let entries = evaluate(&format!("coo(D({f}, {x}))"))?;
        let [cols, rows_of, vals] = entries.parts() else { return Err("coo gives no record".into()) };
        let mut scattered = vec![0.0; rows * columns];
        for ((row, column), value) in rows_of.elements().zip(cols.elements()).zip(vals.elements()) {
            scattered[row.int() as usize * columns + column.int() as usize] += value.real();
        }
        same("coo", &scattered, matrix)
    }

    /// A zero tangent, a zero cotangent and a zero coefficient contribute exactly zero.
    fn zeros(&self, from: Shape, to: Shape) -> Result<(), String> {
        let Row { function: f, point: x, .. } = self;
        let (none, nothing) = (vec![0.0; to.count()], vec![0.0; from.count()]);
        expect(&format!("jvp({f}, {x}, {}).1", from.zero()), &none)?;
        expect(&format!("vjp({f}, {x}, {}).1", to.zero()), &nothing)?;
        let masked = format!("\\z -> {{ let f = {f} in 0.0 * f(z) }}");
        let hidden =
            format!("\\z -> {{ let f = {f}; let y = f(z) in if 0.0 == 0.0 then 0.0 * inner(z, z) else inner(y, y) }}");
        for unit in from.units() {
            expect(&format!("jvp({masked}, {x}, {unit}).1"), &none)?;
            expect(&format!("jvp({hidden}, {x}, {unit}).1"), &[0.0])?;
        }
        for unit in to.units() {
            expect(&format!("vjp({masked}, {x}, {unit}).1"), &nothing)?;
        }
        expect(&format!("grad({hidden}, {x})"), &nothing)?;
        if to == Shape::Number && from == Shape::Number {
            // An element that is masked, among others.
            let among = format!("\\v -> {{ let f = {f} in sum([0.0, 1.0] * [f(v[0]), 3.0 * v[1]]) }}");
            expect(&format!("grad({among}, [{x}, 2.0])"), &[0.0, 3.0])?;
            expect(&format!("jvp({among}, [{x}, 2.0], [1.0, 1.0]).1"), &[3.0])?;
            let dotted = format!("\\v -> {{ let f = {f} in dot([0.0, 1.0], [f(v[0]), 3.0 * v[1]]) }}");
            expect(&format!("grad({dotted}, [{x}, 2.0])"), &[0.0, 3.0])?;
            expect(&format!("jvp({dotted}, [{x}, 2.0], [1.0, 1.0]).1"), &[3.0])?;
            let chosen =
                format!("\\v -> {{ let f = {f} in sum(if i == 0 then 0.0 else f(v[0]) + 3.0 * v[i] | i < 1) }}");
            expect(&format!("grad({chosen}, [{x}, 2.0])"), &[0.0, 0.0])?;
        }
        Ok(())
    }

    /// All four combinations of the modes.
    fn second_order(&self, from: Shape, to: Shape, expected: &[f64]) -> Result<(), String> {
        let Row { function: f, point: x, .. } = self;
        let n = from.count();
        if expected.len() != n * n * to.count() {
            return Err(format!("the second derivative has {} numbers", n * n * to.count()));
        }
        for (block, w) in to.units().iter().enumerate() {
            let block = &expected[block * n * n..(block + 1) * n * n];
            for (i, u) in from.units().iter().enumerate() {
                let row = &block[i * n..(i + 1) * n];
                expect(&format!("jvp(\\z -> vjp({f}, z, {w}).1, {x}, {u}).1"), row)?;
                expect(&format!("vjp(\\z -> vjp({f}, z, {w}).1, {x}, {u}).1"), row)?;
                expect(&format!("vjp(\\z -> jvp({f}, z, {u}).1, {x}, {w}).1"), row)?;
                for (j, v) in from.units().iter().enumerate() {
                    expect(&format!("inner({w}, jvp(\\z -> jvp({f}, z, {u}).1, {x}, {v}).1)"), &row[j..j + 1])?;
                }
            }
            if to == Shape::Number {
                expect(&format!("hessian({f}, {x})"), block)?;
            }
            if to == Shape::Number && from == Shape::Number {
                expect(&format!("taylor({f}, {x}, 1.0, 2)[2]"), block)?;
            }
        }
        Ok(())
    }

    /// The derivative by a coordinate, by the interpreter over Nagata numbers.
    fn nagata(&self, from: Shape, at: usize) -> Result<Vec<f64>, String> {
        let value = format!("fun f_value(x: {}) = {{ let f = {} in f(x) }}", from.ty(), self.function);
        let program = format!("{PROGRAM}{value}");
        let checker = check(&program)?;
        let function = checker.function_named("f_value").ok_or("no function")?;
        let mut compiled = checker.program.clone();
        riesz_calculus::compile_from(&mut compiled, &[function])
            .map_err(|problems| riesz_test::program::codes(&problems))?;
        let mut next = 0;
        let point = evaluate(&format!("{{ let x = {} in 1.0 * x }}", self.point))?.over(&mut |x| {
            next += 1;
            Dual { primal: *x, tangent: f64::from(u8::from(next - 1 == at)) }
        });
        let mut machine = Machine::<Dual>::new(&compiled, Limits::default(), |_| None);
        let value = machine.call_with(function, vec![point]).map_err(|fault| fault.message.clone())?;
        let mut tangents = Vec::new();
        value.visit_reals(&mut |number| tangents.push(number.tangent));
        Ok(tangents)
    }
}

/// Fails unless an expression has these numbers.
fn expect(expression: &str, expected: &[f64]) -> Result<(), String> {
    let found = evaluate(expression).map_err(|problem| format!("{expression}: {problem}"))?;
    same(expression, &numbers(&found), expected)
}

/// Fails unless numbers are the same, up to the last digit; NaN is NaN.
fn same(what: &str, found: &[f64], expected: &[f64]) -> Result<(), String> {
    let close = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 4e-16 * b.abs();
    match found.len() == expected.len() && found.iter().zip(expected).all(close) {
        true => Ok(()),
        false => Err(format!("{what} is {found:?}, not {expected:?}")),
    }
}

fn numbers(value: &Value<f64>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_reals(&mut |number| found.push(*number));
    found
}

/// What rows may call: the logarithm of the logarithm and so on, as long as there is one.
const PROGRAM: &str = "fun logs(x: R, n: Int): R = if n == 0 then x else logs(if x > 0 then log(x) else x, n - 1)\n";

fn evaluate(expression: &str) -> Result<Value<f64>, String> {
    let case = Case::new(check(PROGRAM)?, expression)?;
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_from(&mut program, &[case.function])
        .map_err(|problems| riesz_test::program::codes(&problems))?;
    case.run::<f64>(&program)
}
