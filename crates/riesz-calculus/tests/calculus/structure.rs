//! Derivatives are found as what they are: transposes, products with a matrix, prefix sums, bands. The term of each is
//! compared with the matrix of the compiled derivative, and is small however large the arrays are.

use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_linear::LinearMap;
use riesz_test::program::{Case, check, codes};

/// An expression for a derivative between arrays of `{n}` numbers or so, and how its term begins or what it has in it.
const MAPS: &[(&str, &str)] = &[
    (r"D(transpose, replicate({n}, iota(3) * 1.0))", "transpose"),
    (r"D(\m -> [[m[j][i] | j < {n}] | i < 3], replicate({n}, iota(3) * 1.0))", "transpose"),
    (r"D(flatten, replicate({n}, iota(3) * 1.0))", "reshape"),
    (r"D(reverse, iota({n}) * 1.0)", "reverse"),
    (r"D(\x -> [x[{n} - 1 - i] | i < {n}], iota({n}) * 1.0)", "reverse"),
    (r"D(\x -> slice(x, 1, 3), iota({n}) * 1.0)", "slice 1 3"),
    (r"D(\x -> concat(x, x), iota({n}) * 1.0)", "pad"),
    (r"D(\x -> update(x, 1, 2.0), iota({n}) * 1.0)", "diagonal"),
    (r"D(\x -> scan(\(a, b) -> a + b, 0.0, x), iota({n}) * 1.0)", "prefix"),
    (r"D(\x -> outer([1, 2, 3], x), iota({n}) * 1.0)", "dot("),
    (r"D(\x -> outer(x, [1, 2, 3]), iota({n}) * 1.0)", "map 500 (_ · [1.0, 2.0, 3.0])"),
    (r"D(\m -> dot(m, [[1, 2], [3, 4], [5, 6]]), replicate({n}, iota(3) * 1.0))", "dot(_, "),
    (r"D(\m -> dot([[1, 2, 3], [4, 5, 6]], m), replicate(3, iota({n}) * 1.0))", "dot("),
    (r"D(\m -> dot([1, 2, 3], m), replicate(3, iota({n}) * 1.0))", "dot("),
    (r"D(\m -> dot(m, [1, 2, 3]), replicate({n}, iota(3) * 1.0))", "dot(_, "),
    (r"D(\x -> [x[i + 1] - 2 * x[i] | i < {n} - 1], iota({n}) * 1.0)", "dot(banded 0 1"),
    (r"D(\x -> grad(\y -> sum((y[i + 1] - y[i] * y[i])^2 | i < {n} - 1), x), iota({n}) * 1.0)", "dot(banded 1 1"),
    (r"D(\x -> [(a, b) | (a, b) in zip(x, x * 2.0)], iota({n}) * 1.0)", ""),
    (r"D(\x -> [sum(v * x[i] | v in [1.0, 2.0]) | i < {n}], iota({n}) * 1.0)", "scale 3.0"),
    (r"D(\x -> [dot([1, 2], x) | i < {n}], [1.0, 2.0])", "replicate"),
    (r"D(\x -> (x * x, sum(x)), iota({n}) * 1.0)", "diagonal"),
    (r"D(sum, iota({n}) * 1.0)", "sum [500]R"),
    (r"D(\x -> replicate({n}, x), 1.0)", "replicate [500]R"),
    (r"D(\p -> zip(p.0, p.1), (iota({n}) * 1.0, iota({n}) * 2.0))", "zip ("),
    (r"D(\x -> unzip(x), zip(iota({n}) * 1.0, iota({n}) * 2.0))", "project 0 of"),
    (r"D(\x -> prod(cos(x)), iota({n}) * 1e-3)", "dot("),
    (r"D(\x -> loop y = 1.0 for i < {n} do sin(y * x[i]) + y, iota({n}) * 1e-3)", "dot("),
    (
        r"D(\x -> { let (a, b) = loop (a, b) = (0.0, 1.0) for i < {n} do (a + b * x[i], 0.5 * b + 0.1 * a); a - b }, iota({n}) * 1e-3)",
        "dot(",
    ),
    (r"D(\p -> p.0 * p.1, (iota({n}) * 1.0, iota({n}) * 2.0))", "⋈"),
];

#[test]
fn terms_agree_with_the_matrices_of_compiled_derivatives() {
    for (expression, _) in MAPS {
        let expression = expression.replace("{n}", "7");
        let term = term(&expression);
        let found = term.matrix().values();
        let expected = numbers(&value(&format!("matrix({expression})")).1);
        assert_eq!(found.len(), expected.len(), "{expression}\n{term}");
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(found.iter().zip(&expected).all(near), "{expression}\n{term}\n{found:?}\n{expected:?}");
        let read: LinearMap = format!("{term:#}").parse().unwrap_or_else(|error| panic!("{error}\n{term:#}"));
        assert_eq!(read, term, "{expression}");
    }
    println!("{} maps", MAPS.len());
}

#[test]
fn terms_are_small_and_say_what_they_are() {
    let size = 500;
    let mut wrong = String::new();
    for (expression, word) in MAPS {
        let term = term(&expression.replace("{n}", &size.to_string()));
        let (storage, work, text) = (term.storage(), term.cost().work(), term.to_string());
        if storage > 12 * size || work > 40 * size || !text.contains(word) {
            wrong += &format!("{expression}\n  {storage} numbers, {work} operations, wanted: {word}\n  {text}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The term of the map that an expression is.
fn term(expression: &str) -> LinearMap {
    let (case, value, program) = run(expression);
    let Value::Map(map) = value else { panic!("{expression} is a map") };
    let mut machine = Machine::<f64>::new(&program, Limits::default(), |_| None);
    let found = riesz_calculus::structure(&program, &mut machine, &map);
    drop(case);
    found.unwrap_or_else(|fault| panic!("{}", codes(&[*fault]))).unwrap_or_else(|| panic!("no term for {expression}"))
}

fn value(expression: &str) -> (Case, Value<f64>) {
    let (case, value, _) = run(expression);
    (case, value)
}

fn run(expression: &str) -> (Case, Value<f64>, riesz_core::Program) {
    let case = Case::new(check("").unwrap(), expression).unwrap_or_else(|problem| panic!("{expression}: {problem}"));
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_from(&mut program, &[case.function]).unwrap_or_else(|p| panic!("{}", codes(&p)));
    let value = case.run::<f64>(&program).unwrap_or_else(|problem| panic!("{expression}: {problem}"));
    (case, value, program)
}

fn numbers(value: &Value<f64>) -> Vec<f64> {
    let mut found = Vec::new();
    value.visit_coordinates(&mut |number| found.push(*number));
    found
}
