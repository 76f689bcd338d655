//! `solve` of a map: for each structure the work grows with the number of unknowns, and the solution and its derivatives
//! are those of the dense matrix.

use riesz_core::evaluate::Value;
use riesz_primitive::{Counted, Number, count};
use riesz_test::program::{Case, check, codes};

/// A map of a structure.
struct Example {
    name: &'static str,
    /// Has `m`, a map at a point.
    text: &'static str,
    /// A point with `n` elements.
    point: &'static str,
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "diagonal",
        text: "fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(\\v -> sum(v[i]^4 + v[i]^2 | i < n), z), x)",
        point: LINE,
    },
    Example {
        name: "tridiagonal",
        text: "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "five diagonals",
        text: "fun f(x: [n]R): R = sum((x[i + 2] - 2 * x[i + 1] + x[i])^2 | i < n - 2) + sum(x[i]^4 + x[i]^2 | i < n)
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "triangular",
        text: "fun f(x: [n]R): [n]R = [3 * x[i] + x[i]^3 + (if i > 0 then x[i - 1] else 0.0) | i < n]
fun m(x: [n]R): [n]R -o [n]R = D(f, x)",
        point: LINE,
    },
    Example {
        name: "adjoint of triangular",
        text: "fun f(x: [n]R): [n]R = [3 * x[i] + x[i]^3 + (if i > 0 then x[i - 1] else 0.0) | i < n]
fun m(x: [n]R): [n]R -o [n]R = adjoint(D(f, x))",
        point: LINE,
    },
    Example {
        name: "separable and one coupling",
        text: "fun f(x: [n]R): R = sum(x[i]^4 + x[i]^2 | i < n) + sum(x)^2
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "separable and two couplings",
        text: "fun f(x: [n]R): R = sum(x[i]^4 + x[i]^2 | i < n) + exp(0.1 * sum(x)) * sum(sin(x[i]) | i < n)
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "softmax",
        text: "fun f(x: [n]R): R = log(sum(exp(x[i]) | i < n)) + sum(x[i]^2 | i < n)
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "bands and a coupling",
        text: "fun f(x: [n]R): R = sum((x[i + 1] - x[i])^2 * x[i] | i < n - 1) + sum(9 * x[i]^2 | i < n) + sum(x)^2
fun m(x: [n]R): [n]R -o [n]R = D(\\z -> grad(f, z), x)",
        point: LINE,
    },
    Example {
        name: "a map and its adjoint",
        text: "fun f(x: [n]R): [n]R = [3 * x[i] + x[i]^3 + (if i > 0 then x[i - 1] else 0.0) | i < n]
fun m(x: [n]R): [n]R -o [n]R = compose(adjoint(D(f, x)), D(f, x))",
        point: LINE,
    },
    Example {
        name: "more residuals than unknowns",
        text: "fun f(x: [n]R): [2 * n - 1]R = concat([2 * x[i] + x[i]^3 | i < n], [x[i + 1] * x[i] | i < n - 1])
fun m(x: [n]R): [n]R -o [n]R = let j = D(f, x)
  compose(adjoint(j), j) + 0.5 * D(\\z -> z, x)",
        point: LINE,
    },
    Example {
        name: "a sum of maps",
        text: "fun f(x: [n]R): [n]R = let s = sum(x) in [3 * x[i] + s * x[i] | i < n]
fun g(x: [n]R): [n]R = [4 * x[i] - (if i + 1 < n then x[i + 1]^2 else 0.0) | i < n]
fun m(x: [n]R): [n]R -o [n]R = 2 * D(f, x) + D(g, x) - adjoint(0.5 * D(f, x))",
        point: LINE,
    },
    Example {
        name: "pairs",
        text: "fun f(x: [n](R, R)): R = sum(a^2 * b^2 + 2 * a^2 + 3 * b^2 + a * b | (a, b) in x)
fun m(x: [n](R, R)): [n](R, R) -o [n](R, R) = D(\\z -> grad(f, z), x)",
        point: "[(1 + 0.1 * sin(1.0 * i), 0.5 + 0.1 * cos(2.0 * i)) | i < n]",
    },
    Example {
        name: "two arrays",
        text: "fun f(p: {y: [n]R, x: [n]R}): R = sum(2 * a^2 + b^2 + a * b^2 | (a, b) in zip(p.x, p.y)) + sum(p.y[i + 1] * p.y[i] * 0.3 | i < n - 1)
fun m(x: {y: [n]R, x: [n]R}): {y: [n]R, x: [n]R} -o {y: [n]R, x: [n]R} = D(\\z -> grad(f, z), x)",
        point: "{x = [1 + 0.1 * sin(1.0 * i) | i < n], y = [2 + 0.1 * cos(2.0 * i) | i < n]}",
    },
    Example {
        name: "a matrix on the right",
        text: "fun m(x: [n][3]R): [n][3]R -o [n][3]R =
  D(\\z -> dot(z, [[3.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.0, 1.0, 5.0]]), x)",
        point: ROWS,
    },
    Example {
        name: "a matrix that depends on the point, row by row",
        text: "fun m(x: [n][3]R): [n][3]R -o [n][3]R =
  let a = [[4 + x[0][0], x[0][1], 0.0], [0.3, 5.0, x[1][2]], [0.1, x[0][2]^2, 6.0]]
  let g = D(\\z -> [dot(a, row) | row in z], x)
  3 * compose(adjoint(g), g)",
        point: ROWS,
    },
];

const ROWS: &str = "[[1 + 0.1 * sin(1.0 * i), 0.5 * cos(1.0 * i), 2.0] | i < n]";

const LINE: &str = "[1 + 0.1 * sin(1.0 * i) | i < n]";

impl Example {
    /// The program, with the solution for a right side that depends on the point.
    fn file(&self) -> String {
        let space =
            self.text.rsplit("fun m(x: ").next().and_then(|rest| rest.split_once("): ")).map(|(space, _)| space);
        let space = space.expect("the map has a point");
        let Example { text, point, .. } = self;
        format!(
            "{text}
fun point(n: Int): {space} = {point}
fun weights(x: {space}): {space} = x + 0.25 * x
fun solved(x: {space}): {space} = solve(m(x), weights(x))
fun residual(x: {space}): {space} = m(x)(solved(x)) - weights(x)
"
        )
    }
}

/// The value of an expression over some numbers.
fn run<S: Number>(file: &str, expression: &str) -> Result<Value<S>, String> {
    let case = Case::new(check(file)?, expression)?;
    let mut program = case.checker.program.clone();
    let options = riesz_calculus::Options { optimise: true, ..Default::default() };
    riesz_calculus::compile_with(&mut program, &[case.function], &options).map_err(|problems| codes(&problems))?;
    riesz_optimise::optimise(&mut program, &[case.function]);
    case.run::<S>(&program)
}

#[test]
fn a_solution_solves() {
    let mut failed = Vec::new();
    for example in EXAMPLES {
        let file = example.file();
        for n in [2, 3, 5, 9, 17, 18, 40] {
            // The derivative of the residual is zero too: d(m x) x + m dx = db.
            for law in [
                "norm(residual(point(N))) < 1e-9",
                "norm(jvp(residual, point(N), weights(point(N))).1) < 1e-8",
                "norm(vjp(residual, point(N), weights(point(N))).1) < 1e-8",
                "norm(D(\\x -> jvp(residual, x, weights(x)).1, point(N))(point(N))) < 1e-7",
            ] {
                let found = run::<f64>(&file, &law.replace('N', &n.to_string())).map(|value| value.bool());
                if found != Ok(true) {
                    failed.push(format!("{}, {n} elements, {law}: {found:?}", example.name));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_work_grows_with_the_number_of_unknowns() {
    let mut failed = Vec::new();
    for example in EXAMPLES {
        let file = example.file();
        for expression in ["solved(point(N))", "vjp(solved, point(N), point(N))", "jvp(solved, point(N), point(N))"] {
            let at = |n: usize| {
                let (value, operations) = count(|| run::<Counted>(&file, &expression.replace('N', &n.to_string())));
                value.map(|_| operations.total())
            };
            match (at(100), at(1000)) {
                (Ok(less), Ok(more)) if more < 13 * less => {
                    println!("{:30} {expression:40} {less:8} {more:8}", example.name);
                }
                found => failed.push(format!("{}, {expression}: {found:?}", example.name)),
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// `a x b` and the Hessian of `|a x b - c|²`, with more rows in `a` and columns in `b` than `x` has.
const SIDES: &str = "
fun f(a: [k][n]R, b: [n][k]R, x: [n][n]R): R = let r = dot(dot(a, x), b) in inner(r - 1, r - 1) / 2
fun a(n: Int): [n + 2][n]R = [(if i == j then 3.0 else 0.0) + sin(1.0 * (i * n + j)) | i < n + 2, j < n]
fun b(n: Int): [n][n + 2]R = [(if i == j then 4.0 else 0.0) + cos(1.0 * (i * n + 2 * j)) | i < n, j < n + 2]
fun x(n: Int): [n][n]R = [sin(0.3 * i) + 0.1 * j | i < n, j < n]
fun step(a: [k][n]R, b: [n][k]R, x: [n][n]R): [n][n]R = solve(D(\\z -> grad(f(a, b, _), z), x), grad(f(a, b, _), x))
";

/// A quadratic function is least behind one step, and the derivative of the step is right in the matrix on the left.
#[test]
fn a_product_from_both_sides_is_inverted_by_its_factors() {
    for law in [
        "norm(grad(f(a(5), b(5), _), x(5) - step(a(5), b(5), x(5)))) < 1e-9",
        "{ let t = 1e-5
           let g = \\s -> sum(sum(step(a(4) + s, b(4) - s * s, x(4))))
           abs(D(g, 0.3)(1.0) - (g(0.3 + t) - g(0.3 - t)) / (2 * t)) < 1e-6 * (1 + abs(D(g, 0.3)(1.0)))
             and abs(grad(g, 0.3) - D(g, 0.3)(1.0)) < 1e-9 * (1 + abs(D(g, 0.3)(1.0))) }",
    ] {
        assert_eq!(run::<f64>(SIDES, law).map(|value| value.bool()), Ok(true), "{law}");
    }
    let operations = |n: usize| {
        let (value, operations) = count(|| run::<Counted>(SIDES, &format!("step(a({n}), b({n}), x({n}))")));
        assert!(value.is_ok(), "{value:?}");
        operations.total()
    };
    // With twice the rows and columns there are 4 times the unknowns: 64 times the operations of a dense system.
    let (less, more) = (operations(10), operations(20));
    println!("{less} {more}");
    assert!(more < 10 * less, "{less} {more}");
}
