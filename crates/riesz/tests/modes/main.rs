//! Every representation gives the same derivative: at kinks and edges, of linear algebra, of functions made at run time,
//! of linear maps, inside of derivatives; and on every example and benchmark program.

mod conventions;
mod programs;
mod rules;
mod towers;

use riesz::modes::{Measuring, Mode, Modes};
use riesz::via::{REPRESENTATIONS, Representation};
use riesz::{Limits, Loaded, Loader, NoFiles, Options, Session};
use std::path::{Path, PathBuf};

/// Files from the root of the project.
struct Root;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Loader for Root {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let path = match from {
            Some(from) => Path::new(from).with_file_name(path).display().to_string(),
            None => path.to_string(),
        };
        let text = std::fs::read_to_string(root().join(&path)).map_err(|problem| problem.to_string())?;
        Ok(Loaded::text(&path, &text))
    }
}

/// Derivatives are computed once: nobody asks how long it takes.
const ONCE: Measuring = Measuring { count_bytes: None, times: 1 };

fn loaded(file: &str, options: Options) -> Session {
    let mut session = Session::new(options);
    session.load(file, &Root).unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
    session
}

fn all_agree(file: &str, function: &str, modes: &Modes) {
    assert_eq!(modes.rows.len(), REPRESENTATIONS.len());
    for row in &modes.rows {
        match &row.outcome {
            Ok(measured) => {
                assert!(measured.agrees, "{file} {function}: {:?} says {}", row.representation, measured.derivative)
            }
            Err(problem) => panic!("{file} {function}: {:?}: {}", row.representation, problem.message),
        }
    }
}

/// A vector that is normalised over and over, as by the search for an eigenvalue, also where its numbers vanish.
#[test]
fn iterations_that_normalise_agree() {
    let text = "fun power(a: [n][n]R): R =
  let v = loop v = [1.0 | i < n] for k < 60 do { let w = dot(a, v); w / norm(w) }
  dot(v, dot(a, v))
fun scaled(a: [n][n]R): R = (loop (v, m) = ([1.0 | i < n], 0.0) for k < 20 do { let w = dot(a, v); (w / max(w), max(w)) }).1
fun inverse(a: [n][n]R): R =
  let v = loop v = [1.0 | i < n] for k < 30 do { let w = solve(a, v); w / norm(w) }
  dot(v, dot(a, v))
fun rotated(a: [2][2]R): R =
  let b = loop m = a for k < 4 do
    let tau = (m[1, 1] - m[0, 0]) / (2 * m[0, 1])
    let t = sign(tau) / (abs(tau) + hypot(1, tau))
    let c = 1 / sqrt(1 + t^2)
    let q = [[c, t * c], [-t * c, c]]
    dot(dot(transpose(q), m), q)
  b[1, 1]
";
    for function in ["power", "scaled", "inverse", "rotated"] {
        for point in [
            "[[2.0, 1.0], [1.0, 3.0]]",
            "[[2.0, 0.0], [0.0, 3.0]]",
            "[[2e150, 1e150], [1e150, 3e150]]",
            "[[0.0, 0.0], [0.0, 0.0]]",
        ] {
            let mut session = Session::default();
            session.load_text("eigenvalues.rz", text, &NoFiles).unwrap();
            let modes = session.modes(function, point, Vec::new(), ONCE);
            let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
            all_agree("eigenvalues.rz", &format!("{function} at {point}"), &modes);
        }
    }
}

/// A shift next to an eigenvalue makes a matrix nearly singular: representations that add its inverse's entries before they
/// cancel lose all digits, and this is told from a derivative that is wrong.
#[test]
fn differences_that_rounding_decides_are_told() {
    let text = "fun rayleigh(a: [n][n]R, k: Int): R =
  let (v, s) = loop (v, s) = ([1.0 / sqrt(real(n)) | i < n], 1.0) for t < k do {
    let w = solve([[a[i][j] - (if i == j then s else 0.0) | j < n] | i < n], v)
    let u = w / norm(w)
    (u, dot(u, dot(a, u)))
  }
  s
fun few(a: [n][n]R): R = rayleigh(a, 3)
fun many(a: [n][n]R): R = rayleigh(a, 8)
";
    for (function, converged) in [("few", false), ("many", true)] {
        let mut session = Session::default();
        session.load_text("rayleigh.rz", text, &NoFiles).unwrap();
        let point = "[[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]";
        let modes = session.modes(function, point, Vec::new(), ONCE);
        let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        match converged {
            false => all_agree("rayleigh.rz", function, &modes),
            true => assert!(modes.agree() || modes.differ_by_rounding(), "{function} differs by more than rounding"),
        }
    }
}

/// Linear algebra at matrices of every rank: none, one, all but one, all; and permutations. A matrix that only rounding
/// makes regular would show the rounding of each representation.
#[test]
fn linear_algebra_agrees_at_every_rank() {
    let text = "fun determinant(a: [n][n]R): R = det(a)
fun logarithm(a: [n][n]R): R = logdet(a)
fun inverse(a: [n][n]R): R = sum(sum(inv(a)))
fun solution(a: [n][n]R): R = sum(solve(a, [1.0 + i | i < n]))
fun factor(a: [n][n]R): R = sum(sum(cholesky(a)))
";
    let matrices = [
        "[[0.0]]",
        "[[2.0]]",
        "[[0.0, 0.0], [0.0, 0.0]]",
        "[[1.0, 2.0], [2.0, 4.0]]",
        "[[0.0, 1.0], [1.0, 0.0]]",
        "[[1.0, 0.0], [0.0, 0.0]]",
        "[[0.0 | j < 3] | i < 3]",
        "outer([1.0, 2.0, -1.0], [3.0, 0.0, 1.0])",
        "[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]",
        "[[1e200, 0.0, 0.0], [0.0, 1e-200, 0.0], [0.0, 0.0, 0.0]]",
    ];
    let mut wrong = Vec::new();
    for function in ["determinant", "logarithm", "inverse", "solution", "factor"] {
        for point in matrices {
            for function in [function.to_string(), format!("\\the_x -> grad({function}, the_x)")] {
                let mut session = Session::default();
                session.load_text("ranks.rz", text, &NoFiles).unwrap();
                let modes = session.modes(&function, point, Vec::new(), ONCE);
                let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
                for row in modes.rows.iter().filter(|row| !row.outcome.as_ref().is_ok_and(|measured| measured.agrees)) {
                    let said =
                        row.outcome.as_ref().map_or_else(|problem| &problem.message, |measured| &measured.derivative);
                    wrong.push(format!("{function} at {point}: {:?} says {said}", row.representation));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions that are made while a program runs cannot be compiled: then they are differentiated while it runs, in the row
/// of the compiled code too, and what that takes is counted.
#[test]
fn functions_that_a_program_makes_are_differentiated() {
    let text = "fun square(k: R): R -> R = \\x -> k * x * x\n\
                fun made(x: R): R = {\n\
                  let f = loop g = square(2.0) for i < 3 do \\y -> g(y) + sin(y)\n\
                  x * f(x)\n\
                }\n\
                fun both(x: R): (R, R) = (made(x), made(2.0 * x))";
    let mut session = Session::default();
    session
        .load_text("made.rz", text, &NoFiles)
        .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
    for function in ["made", "both"] {
        let modes = session
            .modes(function, "2.0", Vec::new(), ONCE)
            .unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        all_agree("made.rz", function, &modes);
        let compiled = modes.rows.iter().find(|row| row.representation.is_compiled()).unwrap();
        let operations = compiled.outcome.as_ref().unwrap_or_else(|problem| panic!("{}", problem.message)).operations;
        // at least those of the value
        assert!(operations.additions + operations.multiplications >= 8, "{function}: {operations:?}");
    }
}

/// What is differentiated may capture functions that are known only when the program runs, take them in its point, and
/// differentiate them.
#[test]
fn functions_known_only_when_a_program_runs_are_differentiated() {
    let text = "fun square(k: R): R -> R = \\x -> k * x * x
fun step(f: R -> R, x: R): R = x - 0.1 * grad(f, x)
fun stepped(n: Int, f: R -> R): R -> R = loop g = f for i < n do \\x -> g(x) - 0.1 * grad(g, x)
let table = [if i < 2 then square(i + 1.0) else \\y -> sin(y) * i | i < 4]
";
    for expression in [
        "[grad(\\z -> f(z) * z, 0.7) | f in table]",
        "{ let f = if table[0](1.0) > 0 then sin else cos in grad(\\z -> f(z) * z, 0.7) }",
        "grad(\\z -> step(table[3], z), 0.7)",
        "grad(\\z -> sum([step(f, z) | f in table]), 0.7)",
        "grad(stepped(3, \\y -> y * sin(y)), 0.7)",
        "grad(stepped(5, table[3]), 0.7)",
        "matrix(D(\\z -> [grad(f, z[0]) * z[1] | f in table], [0.7, 0.4]))",
        "grad(\\x -> sum(jacobian(\\y -> sum(g(2 * y) | g in [\\z -> [y * z, y], \\z -> [z * z, z]]), x)), 0.7)",
        "grad(\\x -> sum(jacobian(\\y -> sum(g(y) | i < 2, g in [\\z -> [z * i], \\z -> [z * y]]), x)), 0.7)",
        "grad(\\x -> adjoint(D(\\z -> sum(sum(g(z) | g in [\\y -> [(0.1, x[0]), (x[1], z)], \\y -> [(x[1], x[0]), (z, 0.2)]])), \
         2 * cos(x[0])))((x[1], x[0])), [0.7, 0.4])",
        "{ let f = if table[0](1.0) > 0 then sin else cos in hessian(\\z -> grad(f, z[0]) * z[1], [0.7, 0.4]) }",
        "jvp(\\(x, f) -> f(x) * x, (0.7, table[1]), (1.0, ()))",
        "jvp(\\(x, f) -> grad(f, x) * x, (0.7, table[1]), (1.0, ()))",
        "vjp(\\(x, f) -> (f(x) * x, f), (0.7, table[1]), (1.0, ())).1.0",
        "matrix(D(\\(x, fs) -> fs[0](x[0]) * x, ([0.7, 0.2], [square(3.0), square(2.0)])))[0].0",
    ] {
        all_give_the_same(text, expression);
    }
}

/// Functions may take and give linear maps, make them while they run, and hold them in arrays and loops.
#[test]
fn functions_of_linear_maps_are_differentiated() {
    let text = "fun f(u: [2]R): [2]R = [u[0] * u[1]^2, sin(u[0])]
fun chosen(v: [2]R): [2]R -o [2]R = if v[0] > 0 then D(f, v) else D(\\u -> u, v)
fun turned(v: [2]R): [2]R -o [2]R = loop m = chosen(v) for i < 2 do compose(m, D(f, v))
let at = [0.3, 0.4]
let m = D(f, at)
";
    for expression in [
        "D(\\x -> D(sin, x), 1.0)(1.0)(1.0)",
        "D(\\x -> (D(sin, x), x * x), 1.0)(1.0).0(1.0)",
        "jvp(\\m -> sin(m(2.0)), D(sin, 0.3), D(cos, 0.3))",
        "grad(\\m -> sin(m(2.0)), D(sin, 0.3))(3.0)",
        "grad(\\(f, x) -> f(x) * x, (D(sin, 0.3), 2.0)).1",
        "D(\\m -> compose(m, m), D(sin, 0.3))(D(cos, 0.3))(1.0)",
        "matrix(D(\\m -> compose(m, m), m)(D(\\u -> u, at)))",
        "grad(\\v -> sum(m(v)) * v[0], at)",
        "matrix(D(\\v -> D(f, v), at)([1.0, 2.0]))",
        "matrix(vjp(\\(m, x) -> m(x) * x[0], (m, at), [1.0, 0.5]).1.0)",
        "matrix(jvp(\\v -> compose(adjoint(chosen(v)), chosen(v)), at, [1.0, 0.0]).1)",
        "matrix(jvp(\\v -> v[0] * chosen(v) - D(\\u -> u, v), at, [1.0, 0.0]).1)",
        "grad(\\v -> sum(matrix(chosen(v))[0]), at)",
        "grad(\\v -> { let c = coo(chosen(v)) in sum(c.vals[i] * (1.0 + i * c.cols[i]) | i < 3) }, at)",
        "grad(\\v -> sum(coo(compose(adjoint(chosen(v)), turned(v))).vals), at)",
        "grad(\\v -> coo(3 * D(\\u -> {b = u[0]^3, a = u[1]^2 * v[0]}, v)).vals[1], at)",
        "hessian(\\v -> sum(coo(turned(v)).vals) * v[0], at)",
        "grad(\\v -> sum(sum(m(v)) | m in [chosen(v), D(\\u -> u, v)]), at)",
        "grad(\\v -> sum(turned(v)(v)), at)",
        "grad(\\x -> let m = (if x > 0 then D(sin, x) else D(cos, x)) in grad(\\y -> m(y) * y, x), 1.0)",
        "grad(\\x -> let m = (if x > 0 then D(sin, x) else D(cos, x)) in matrix(D(\\y -> m(y) * y, x)), 1.0)",
        "{ let fs = [\\y -> y * y, sin] in hessian(\\z -> sum([f(z[0]) * z[1] | f in fs]), at) }",
    ] {
        all_give_the_same(text, expression);
    }
    for (function, point) in [
        ("\\x -> D(sin, x)", "1.0"),
        ("chosen", "[0.3, 0.4]"),
        ("turned", "[0.3, 0.4]"),
        ("\\m -> sum(m([1.0, 2.0]))", "m"),
        ("\\m -> compose(m, m)", "m"),
    ] {
        let mut session = Session::default();
        session
            .load_text("maps.rz", text, &NoFiles)
            .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
        let modes = session.modes(function, point, Vec::new(), ONCE);
        let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        all_agree("maps.rz", function, &modes);
        let compiled = modes.rows.last().and_then(|row| row.outcome.as_ref().ok());
        assert!(compiled.is_some_and(|measured| !measured.numbers.is_empty()), "{function}");
    }
}

/// Evaluates an expression with derivatives in every representation.
fn all_give_the_same(text: &str, expression: &str) {
    let numbers = |via: &'static Representation| -> Vec<f64> {
        let mut session = Session::new(Options { via: Some(via), ..Options::default() });
        session
            .load_text("given.rz", text, &NoFiles)
            .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
        let found = session.evaluate(expression, Vec::new());
        let found = found.unwrap_or_else(|problems| panic!("{via:?}\n{}", session.render(&problems, false)));
        let mut numbers = Vec::new();
        found.value.visit_reals(&mut |x| numbers.push(*x));
        numbers
    };
    let expected = REPRESENTATIONS.last().map(numbers).unwrap_or_default();
    assert!(!expected.is_empty(), "{expression}");
    for representation in REPRESENTATIONS {
        let found = numbers(representation);
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(same),
            "{expression}: {representation:?} says {found:?}, compiled {expected:?}"
        );
    }
}

/// `matrix(D(f, x))` in the category of matrices is that of the compiled code; also of gradients, whose matrix is the
/// Hessian.
#[test]
fn matrices_of_the_category_of_matrices_are_those_of_derivatives() {
    // Derivatives of long loops keep much, and matrices of that are large.
    let is_short = |file: &str, expression: &str| {
        let limits = Limits { steps: 200, ..Limits::default() };
        loaded(file, Options { limits, ..Options::default() }).evaluate(expression, Vec::new()).is_ok()
    };
    let matrix = |via: Option<&'static Representation>, file: &str, expression: &str| -> Vec<f64> {
        let mut session = loaded(file, Options { via, ..Options::default() });
        let found = session.evaluate(expression, Vec::new());
        let found = found.unwrap_or_else(|problems| panic!("{file}\n{}", session.render(&problems, false)));
        let mut numbers = Vec::new();
        found.value.visit_reals(&mut |x| numbers.push(*x));
        numbers
    };
    let mut count = 0;
    for (file, function, point) in programs::functions(8).into_iter().filter(|(file, ..)| file.starts_with("examples"))
    {
        let hessian = is_short(file, &format!("({function})({point})"));
        let gradient = hessian.then(|| format!("\\the_x -> grad({function}, the_x)"));
        for derived in [function.to_string()].into_iter().chain(gradient) {
            let expression = format!("matrix(D({derived}, {point}))");
            let (found, expected) =
                (matrix(Representation::find("matrix"), file, &expression), matrix(None, file, &expression));
            let largest = expected.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * largest || a.is_nan() && b.is_nan();
            assert!(
                found.len() == expected.len() && found.iter().zip(&expected).all(same),
                "{file} {derived}: {found:?} {expected:?}"
            );
            count += 1;
        }
    }
    println!("{count} matrices");
    assert!(count > 60);
}

#[test]
fn derivatives_of_other_shapes_agree() {
    let text = "
fun shapes(x: {a: R, b: [n]R}, k: Int): ([n]R, {c: R, d: [2][2]R}) =
  let s = loop t = x.b for i < k do sin(t) * x.a
  (s, {c = x.a^2, d = [[x.b[0], 0], [x.b[n - 1] * x.a, 1]]})
fun iterated(g: t -> t, x: t, k: Int): t = if k <= 0 then x else iterated(g, g(x), k - 1)
fun copies(n: Int, x: R, k: Int): [_]R = if k <= 0 then [x * (i + 1) | i < n] else copies(n, cos(x), k - 1)
fun pairs(n: Int, x: R, k: Int): [_](R, R) = if k <= 0 then [(x, x * i) | i < n] else pairs(n, cos(x), k - 1)
fun shrunk(v: [n]R, k: Int): (R -> R) =
  if k <= 0 then \\y -> v[0] * y else { let f = shrunk(sin(v), k - 1); \\y -> f(cos(y)) * v[1] }
";
    for (function, point) in [
        ("\\x -> shapes(x, 3)", "{a = 0.7, b = [0.1, -0.4, 2.0]}"),
        ("shapes", "({a = 0.7, b = [0.1]}, 2)"),
        ("\\x -> cholesky([[2 + x, x], [x, 3]])", "0.5"),
        ("\\(a, b) -> solve(a, b)", "([[2.0, 1.0], [0.5, 3.0]], [1.0, -1.0])"),
        ("\\x -> if x > 0 then sqrt(x) else 0", "0.0"),
        ("\\v -> max(v) * min(v)", "[1.0, 3.0, 3.0, -2.0]"),
        // A cotangent that two parameters add to.
        ("\\c -> vjp(\\z -> iterated(\\y -> cos(z) * y, z, 1), c, 1.0)", "0.7"),
        ("\\c -> vjp(\\z -> iterated(\\y -> [y[0] * z[1], sin(z[0])], z, 2), [c, c * c], [c, 1.0])", "0.7"),
        // Series, also inside of each other.
        ("\\x -> taylor(\\y -> sin(x * y), 1.0, x, 2)", "0.5"),
        ("\\v -> taylor(\\y -> y * y * v, v, v, 3)", "[0.5, 0.2]"),
        ("\\v -> sum(taylor(f, v[0], v[1], 4)[2] | f in [sin, \\x -> x^3 + v[0] * x])", "[0.3, 0.4]"),
        ("\\x -> taylor(\\y -> taylor(\\z -> x * y * z + det([[x * z]]), y, x, 1)[1], x, x, 2)", "0.5"),
        ("\\x -> grad(\\y -> taylor(\\z -> exp(z * y), x, y, 3)[2], x)", "0.4"),
        // Sums over nothing, of arrays whose size nobody tells.
        ("\\x -> sum(copies(2, x * i, 1) | i < 3, j < i)", "0.5"),
        ("\\x -> sum(pairs(2, x * i, 1) | i < 3, j < i)", "0.5"),
        ("\\x -> [sum((copies(2, x * k, 1), x * i) | i < 3, j < i) | k < 3]", "0.5"),
        ("\\x -> sum(sin(copies(i, x * i, 1)) * copies(i, x, 2) | i < 2)", "0.5"),
        // Arrays of functions that captured different things, and of what has no elements: moved, joined and taken apart.
        ("\\v -> reverse([\\y -> v[0] * y, \\y -> v[1] * v[0] * y])[0](v[0])", "[0.3, 0.4]"),
        ("\\v -> roll([\\y -> v[0] * y, \\y -> v[1] * v[0] * y, \\y -> y], 2)[0](v[0])", "[0.3, 0.4]"),
        ("\\v -> roll(roll(v, 1) * v, -5) * roll([v, 2 * v], 3)[0]", "[0.3, 0.4, 0.5]"),
        ("\\v -> roll([v[0] * v[0] | i < 0], 1)", "[0.3, 0.4]"),
        ("\\v -> sum(f(v[1]) | f in concat([\\y -> v[0] * y], [\\y -> v[1] * v[0] * sin(y), \\y -> y]))", "[0.3, 0.4]"),
        ("\\v -> sum(f(v[0]) | f in update([\\y -> v[0] * y, \\y -> y], 1, \\y -> v[0] * v[1] * y))", "[0.3, 0.4]"),
        ("\\v -> sum(f(v[0]) | f in slice([\\y -> y, \\y -> v[1] * y, \\y -> v[1] * v[0]], 1, 3))", "[0.3, 0.4]"),
        ("\\v -> gather([\\y -> y, \\y -> v[1] * y, \\y -> v[1] * v[0] + y], [2, 0, 1])[0](v[0])", "[0.3, 0.4]"),
        ("\\v -> transpose([[\\y -> v[0] * y, \\y -> y], [\\y -> v[1] * y, \\y -> v[0]]])[0][1](v[0])", "[0.3, 0.4]"),
        ("\\v -> flatten([[\\y -> v[0] * y, \\y -> y], [\\y -> v[1] * y, \\y -> v[0]]])[2](v[0])", "[0.3, 0.4]"),
        ("\\v -> grad(\\z -> max(shrunk(v, 2)(z * i) | i < 2, j < 3), v[0])", "[0.3, 0.4]"),
        (
            "\\(x, v) -> concat(jacobian(\\z -> [1.5], [(x, [v]) | j < 3]), [[(x, [v]) | j < 3]])",
            "(0.5, [0.0 | i < 0])",
        ),
    ] {
        let mut session = Session::default();
        session.load_text("shapes.rz", text, &riesz::NoFiles).unwrap();
        let modes = session.modes(function, point, Vec::new(), ONCE);
        let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        all_agree("shapes.rz", function, &modes);
    }
}

/// The gradient of a gradient adds up in place inside of loops that keep things, of arrays, of reductions and of loops that
/// end by a condition.
#[test]
fn derivatives_of_derivatives_inside_agree() {
    let text = "
fun turns(v: [n]R): R = loop s = 1.0 for i < n do s * sin(v[i]) + v[0]
fun ends(v: [n]R): R = (loop (s, t) = (v[0], 0.0) while t < 2.0 do (s * sin(v[1]) + v[0], t + 1.0)).0
fun largest(v: [n]R): R = max([grad(turns, [x * y | y in v])[0] | x in v])
fun total(v: [n]R): R = sum([let (p, q) = (sin(x), cos(x)) in p * grad(turns, [q * y | y in v])[0] | x in v])
";
    for function in [
        "\\v -> norm(grad(\\u -> sum(grad(turns, u)), v))",
        "\\v -> norm(grad(\\u -> sum(grad(ends, u)), v))",
        "\\v -> sum(grad(largest, v))",
        "\\v -> sum(grad(total, v))",
    ] {
        let mut session = Session::default();
        session.load_text("nested.rz", text, &riesz::NoFiles).unwrap();
        let modes = session.modes(function, "[0.3, 0.4, 0.5]", Vec::new(), ONCE);
        let modes = modes.unwrap_or_else(|problems| panic!("{function}\n{}", session.render(&problems, false)));
        all_agree("nested.rz", function, &modes);
    }
}

/// The operations of every representation for a function at a point, by name.
fn operations(text: &str, function: &str, at: &str) -> Vec<(&'static str, u64)> {
    let mut session = Session::default();
    session.load_text("counted.rz", text, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    let modes = session.modes(function, at, Vec::new(), ONCE);
    let modes = modes.unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
    all_agree("counted.rz", function, &modes);
    let counted =
        |row: &Mode| (row.representation.name, row.outcome.as_ref().map_or(0, |found| found.operations.total()));
    modes.rows.iter().map(counted).collect()
}

/// The derivative of `n` products with a sine in each takes more than the value, whatever it is; of a map, of a gradient and
/// of a matrix alike.
#[test]
fn every_representation_counts_the_operations_of_the_derivative() {
    let text = "fun sines(v: [n]R): [n]R = [x * sin(x) | x in v]\nfun total(v: [n]R): R = sum(sines(v))\n";
    for (function, value) in [("sines", 20), ("total", 29)] {
        for (name, count) in operations(text, function, "[0.1 * i + 0.1 | i < 10]") {
            // At least the cosine, or a product, and a sum for each number.
            assert!(count >= value + 10, "{name} says that the derivative of `{function}` takes {count} operations");
        }
    }
}

/// Sums of sparse gradients are copied, which is what reverse mode by composition is there to avoid.
#[test]
fn copies_of_sparse_gradients_are_counted() {
    let text = "fun total(v: [n]R): R = sum(x * x | x in v)\n";
    let count = |size: usize, name: &str| {
        let found = operations(text, "total", &format!("[1.0 + i | i < {size}]"));
        found.into_iter().find(|(other, _)| *other == name).map_or(0, |(_, count)| count)
    };
    for (name, growth) in [("reverse-sparse", 3.0..5.0), ("reverse-cayley", 1.8..2.2), ("reverse-array", 1.8..2.2)] {
        let found = count(200, name) as f64 / count(100, name) as f64;
        assert!(growth.contains(&found), "{name} takes {found} times as much for twice as many");
    }
}

/// Work that grows with the number of variables counts as steps, in those representations that do such work.
#[test]
fn sums_of_long_gradients_take_steps() {
    let limits = Limits { steps: 40_000, ..Limits::default() };
    let stopped = |name: &str| {
        let via = Some(Representation::find(name).unwrap());
        let mut session = Session::new(Options { via, limits: limits.clone(), ..Options::default() });
        let found = session.evaluate("sum(grad(\\v -> sum(v * v), [0.5 | i < 3000]))", Vec::new());
        found.map_err(|problems| problems[0].code).map(|found| assert_eq!(found.to_string(), "3000.0"))
    };
    for name in ["forward-dense", "forward-sparse", "reverse-sparse", "basis"] {
        assert_eq!(stopped(name), Err("step-limit"), "{name}");
    }
    for name in ["reverse-cayley", "reverse-array", "compiled"] {
        assert_eq!(stopped(name), Ok(()), "{name}");
    }
}
