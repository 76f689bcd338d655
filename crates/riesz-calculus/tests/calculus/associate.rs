//! The matrix of a chain of maps: whichever way its factors are multiplied, it has the same entries; and the cheapest way is
//! taken, also through calls, compositions and adjoints, with sizes that are known only when the program runs.

use super::jacobian::numbers;
use riesz_calculus::{Associate, Options, compile_with};
use riesz_core::verify::verify;
use riesz_primitive::{Counted, count};
use riesz_test::program::{Case, check, codes};

/// Functions over weights between spaces of `n` and `k` numbers.
const PROGRAM: &str = "
fun layer(w: [m][n]R, x: [n]R): [m]R = tanh(dot(w, x))
fun chain(a: [k][n]R, b: [n][k]R, x: [n]R): [n]R = layer(b, layer(a, layer(b, layer(a, x))))
fun product(a: [n]R, x: [n]R): [n]R = a * sin(dot(a, x))
fun checked(a: [k][n]R, b: [n][k]R, x: [n]R): [n]R = layer(if x[0] > 5.0 then 2 * b else b, layer(a, x))
fun weights(rows: Int, columns: Int): [rows][columns]R = [[sin(1.7 * i + 0.3 * j) / columns | j < columns] | i < rows]
";

/// Matrices, with the most operations for each of `n · n`, where `k` is 2 and `n` is 40.
const MATRICES: &[(&str, f64)] = &[
    ("jacobian(\\z -> chain(a, b, z), x)", 6.0),
    ("matrix(adjoint(D(\\z -> chain(a, b, z), x)))", 6.0),
    ("matrix(compose(D(\\y -> layer(b, y), layer(a, x)), D(\\z -> layer(a, z), x)))", 5.5),
    ("matrix(adjoint(compose(D(\\y -> layer(b, y), layer(a, x)), D(\\z -> layer(a, z), x))))", 5.5),
    ("jacobian(\\z -> product(x, z), x)", 2.0),
    ("jacobian(\\z -> checked(a, b, z), x)", 6.0),
];

/// Derivatives of matrices.
const DERIVATIVES: &[&str] = &[
    "jacobian(\\z -> jacobian(\\y -> layer(b, layer(a, y)), z)[0], x)",
    "grad(\\z -> sum(jacobian(\\y -> layer(b, layer(a, y)), z)[0]), x)",
    "jvp(\\w -> jacobian(\\y -> layer(b, layer(w, y)), x), a, a).1",
    "hessian(\\z -> sum(chain(a, b, z)), x)",
];

/// The value of a matrix and the operations that it takes.
fn run(expression: &str, [n, k]: [usize; 2], associate: Associate) -> (Vec<f64>, u64) {
    let sizes =
        format!("let n = {n}\nlet k = {k}\nlet a = weights(k, n)\nlet b = weights(n, k)\nlet x = weights(1, n)[0]\n");
    let checker = check(&format!("{PROGRAM}{sizes}")).unwrap_or_else(|problem| panic!("{problem}"));
    let case = Case::new(checker, expression).unwrap_or_else(|problem| panic!("{expression}: {problem}"));
    let mut program = case.checker.program.clone();
    let options = Options { associate, ..Options::default() };
    compile_with(&mut program, &[case.function], &options).unwrap_or_else(|problems| panic!("{}", codes(&problems)));
    verify(&program).unwrap_or_else(|problem| panic!("{expression}: {problem}"));
    let (_, operations) = count(|| case.run::<Counted>(&program));
    let value = case.run::<f64>(&program).unwrap_or_else(|problem| panic!("{expression}: {problem}"));
    (numbers(&value), operations.total())
}

/// Whether two matrices have the same numbers up to rounding.
fn agree(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + a.abs()))
}

#[test]
fn the_cheapest_order_is_taken() {
    for (expression, most) in MATRICES {
        let (cheapest, taken) = run(expression, [40, 2], Associate::Cheapest);
        let passes = [Associate::Forward, Associate::Reverse].map(|associate| run(expression, [40, 2], associate));
        println!("{taken:8} {:8} {:8}  {expression}", passes[0].1, passes[1].1);
        for (matrix, operations) in &passes {
            assert!(taken < *operations, "{expression} takes {taken} operations, {operations} by passes");
            assert!(agree(matrix, &cheapest), "{expression}: {cheapest:?} by the cheapest order, {matrix:?} by passes");
        }
        assert!(taken as f64 <= most * 1600.0, "{expression} takes {taken} operations");
    }
}

/// Where nothing is narrower than the ends, passes are cheapest.
#[test]
fn a_wide_chain_is_not_split() {
    let matrices = MATRICES.iter().map(|(expression, _)| expression);
    for expression in matrices.chain(DERIVATIVES) {
        let once = MATRICES.iter().any(|(other, _)| other == expression);
        for sizes in [[3, 3], [3, 8], [1, 2], [2, 1], [5, 4]] {
            let (cheapest, taken) = run(expression, sizes, Associate::Cheapest);
            for associate in [Associate::Forward, Associate::Reverse] {
                let (matrix, operations) = run(expression, sizes, associate);
                assert!(agree(&matrix, &cheapest), "{expression} at {sizes:?}: {cheapest:?}, {matrix:?}");
                // The value up to the place of a split is computed once more, and sizes are compared.
                let most = operations + operations / 2 + 60;
                assert!(!once || taken <= most, "{expression} at {sizes:?}: {taken}, {operations}");
            }
        }
    }
}
