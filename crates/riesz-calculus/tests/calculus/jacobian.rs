//! Jacobians from structure: they have the same entries as passes over the whole function give, with work proportional
//! to the number of entries.

use riesz_test::generate;

use riesz_core::Checker;
use riesz_core::evaluate::{Limits, Machine, Value};
use riesz_core::order::{Order, Orders};
use riesz_core::print::{print, print_program};
use riesz_core::verify::verify;
use riesz_primitive::{Counted, count};
use riesz_test::program::{Case, check, check_file, codes};

/// Programs, and functions with points whose Jacobians have a structure that shows.
const STRUCTURED: &[(&str, &str, &str)] = &[
    ("", "\\x -> [x[i + 1] - x[i]^2 | i < 9]", "[0.1 * i + 0.3 | i < 10]"),
    ("", "\\x -> [sin(x[i]) * x[9 - i] | i < 10]", "[0.1 * i + 0.3 | i < 10]"),
    ("", "\\x -> [x[mod(3 * i, 7)] * x[mod(i * i, 7)] | i < 20]", "[0.1 * i + 0.3 | i < 7]"),
    ("", "\\x -> [if i == 0 then x[0] else x[i] * x[i - 1] | i < 10]", "[0.1 * i + 0.3 | i < 10]"),
    ("", "\\x -> [if x[i] > 0.5 then x[i]^2 else sin(x[i]) | i < 10]", "[0.1 * i + 0.3 | i < 10]"),
    ("", "\\x -> [[x[i][j] * x[j][i] | j < 6] | i < 6]", "[[0.1 * i + 0.3 * j | j < 6] | i < 6]"),
    ("", "\\(a, b) -> (a * b, [a * b[i] | i < 7], b[2])", "(2.0, [0.1 * i + 0.3 | i < 7])"),
    ("", "\\x -> [sum(x[i + k] * (1.0 + k) | k < 3) | i < 8]", "[0.1 * i + 0.3 | i < 10]"),
    (
        "fun rosenbrock(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)\n",
        "\\x -> grad(rosenbrock, x)",
        "[0.1 * i + 0.3 | i < 10]",
    ),
    (
        "fun rosenbrock(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)\n",
        "\\x -> grad(rosenbrock, x)",
        "[0.5]",
    ),
    (
        "",
        "\\x -> grad(\\z -> sum(z[i + 1] * (if z[i] > 0.5 then z[i]^3 else sin(z[i])) | i < 9), x)",
        "[0.1 * i | i < 10]",
    ),
    ("", "\\(x, y, n) -> [x * y.a[0], if x > 1.0 then y.b else sin(y.a[1])]", "(2.0, {a = [0.5, 0.7], b = 3.0}, 2)"),
    ("", "\\v -> {a = [v[0] * v[1], v[1]], b = (v[2], exp(v[0]))}", "[0.3, 0.4, 0.5]"),
    (
        "fun grid(x: [n][m]R): R = sum(sum((x[i + 1][j] - x[i][j])^2 * x[i][j + 1] | j < m - 1) | i < n - 1)\n",
        "\\x -> grad(grid, x)",
        "[[0.1 * i + 0.3 * j | j < 6] | i < 7]",
    ),
    // Loops of a few turns: of which each state is kept for the derivative, all states are the result, every turn adds to
    // the same, and a product.
    (
        "fun step(s: R, h: R): R = loop s = s for i < 3 do s + h * sin(s)\n",
        "\\x -> grad(\\z -> sum(step(z[i], z[i + 1]) | i < 9), x)",
        "[0.1 * i + 0.3 | i < 10]",
    ),
    ("", "\\x -> [scan(\\(s, y) -> sin(s * y), x[i], [x[i], x[i + 1], 2.0])[1] | i < 9]", "[0.1 * i + 0.3 | i < 10]"),
    ("", "\\x -> vjp(\\z -> 0.8 * ([z, z] / (0.3 + z^2)), x[0], [1.0, 2.0]).1", "[0.5]"),
    (
        "",
        "\\x -> [prod(x[i + k] | k < 3) * sum(x[k] | k < 0) + prod(x[i] | k < 0) | i < 8]",
        "[0.1 * i + 0.3 | i < 10]",
    ),
    // A loop in a branch, which adds to what stays and to what another branch adds then.
    ("", "\\z -> grad(\\(r, x) -> norm(if norm(r) == 0 then x else norm(r) * x), z)", "([0.1, 0.2], [1.0, 2.0])"),
    // A loop in a branch that adds to what the branch adds.
    (
        "fun still(p: R): R = if p <= 0.2 then (loop s = p for i < 2 do sin(p)) else p\n",
        "\\x -> grad(still, x[0])",
        "[0.1]",
    ),
    // A branch in a branch, which both add to the same.
    (
        "let c = (0.5, 0.2)\n",
        "\\x -> adjoint(D(\\z -> if z.1 > 0.0 then (if not is_nan(x) then (z.0, x) else (z.1, 0.5)) else (0.5, 0.5), c))((x, x))",
        "0.1",
    ),
];

const FILES: &[(&str, &str, &str)] = &[
    (
        "gradbench/ba.rz",
        "\\(c, x, w) -> errors(c, x, w, [{camera = mod(i, 3), point = mod(i, 5), feature = [0.1 * i, 0.3]} | i < 12])",
        "([[0.1 + 0.05 * i + 0.01 * j | j < 11] | i < 3], [[0.3 * i - 0.2 * j + 2.0 | j < 3] | i < 5], [0.5 + 0.1 * i | i < 12])",
    ),
    (
        "examples/bundle_adjustment.rz",
        "\\(c, x) -> [residual(c, x, {camera = mod(i, 2), point = mod(i, 2), at = [250.0, 350.0]}) | i < 10]",
        "([plain, real_one], points)",
    ),
];

/// What an expression gives, and the program that gives it.
fn run(checker: Checker, expression: &str) -> Result<(Value<f64>, String), String> {
    let case = Case::new(checker, expression)?;
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_from(&mut program, &[case.function]).map_err(|problems| codes(&problems))?;
    verify(&program).map_err(|problem| format!("{problem}\n{}", print_program(&program)))?;
    Ok((case.run::<f64>(&program)?, print(&program, program.function(case.function))))
}

/// The numbers of a value in order.
pub(super) fn numbers(value: &Value<f64>) -> Vec<f64> {
    match value {
        Value::Real(x) => vec![*x],
        Value::Int(x) => vec![*x as f64],
        Value::Reals(elements) => elements.to_vec(),
        Value::Ints(elements) => elements.iter().map(|x| *x as f64).collect(),
        Value::Tuple(parts) => parts.iter().flat_map(numbers).collect(),
        Value::Values(elements) => elements.iter().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + b.abs())
}

/// Rows, columns and values.
fn entries(value: &Value<f64>) -> Vec<(usize, usize, f64)> {
    let all = numbers(value);
    let (columns, rest) = all.split_at(all.len() / 3);
    let (rows, values) = rest.split_at(columns.len());
    (0..columns.len()).map(|at| (rows[at] as usize, columns[at] as usize, values[at])).collect()
}

/// What is wrong with sparse entries, against others: one that only a branch not taken has may stand as a zero.
fn differ(found: &[(usize, usize, f64)], expected: &[(usize, usize, f64)]) -> Option<String> {
    if !found.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)) {
        return Some(format!("not in order: {found:?}"));
    }
    let mut rest = expected.iter().peekable();
    for entry @ (row, column, value) in found {
        match rest.next_if(|next| (next.0, next.1) == (*row, *column)) {
            Some(next) if !near(*value, next.2) => return Some(format!("{entry:?} instead of {next:?}")),
            None if *value != 0.0 => return Some(format!("{entry:?} should not be there")),
            _ => {}
        }
    }
    rest.next().map(|missing| format!("{missing:?} is missing"))
}

/// What is wrong with the matrices of a derivative, against those of a multiple of it, which is not looked into.
fn trouble(checker: &dyn Fn() -> Result<Checker, String>, function: &str, point: &str) -> Result<(), String> {
    let of = |expression: String| run(checker()?, &expression);
    let (plain, _) = of(format!("coo(1.0 * D({function}, {point}))"))?;
    let (found, text) = of(format!("coo(D({function}, {point}))"))?;
    if text.contains("coo") {
        return Err(format!("no structure\n{text}"));
    }
    if let Some(trouble) = differ(&entries(&found), &entries(&plain)) {
        return Err(format!("sparse: {trouble}\n{text}"));
    }
    for map in ["D", "adjoint(D"] {
        let end = if map == "D" { "" } else { ")" };
        let (plain, _) = of(format!("matrix(1.0 * {map}({function}, {point}){end})"))?;
        let (found, text) = of(format!("matrix({map}({function}, {point}){end})"))?;
        let (plain, found) = (numbers(&plain), numbers(&found));
        if plain.len() != found.len() || !plain.iter().zip(&found).all(|(a, b)| near(*a, *b)) {
            return Err(format!("dense: {found:?} instead of {plain:?}\n{text}"));
        }
    }
    Ok(())
}

#[test]
fn entries_are_those_of_the_map() {
    let mut failed = Vec::new();
    for (program, function, point) in STRUCTURED {
        failed
            .extend(trouble(&|| check(program), function, point).err().map(|trouble| format!("{function}: {trouble}")));
    }
    for (file, function, point) in FILES {
        failed.extend(trouble(&|| check_file(file), function, point).err().map(|trouble| format!("{file}: {trouble}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The matrices of gradients, dense and sparse, applied to a vector, are what the derivative gives for it. `PROGRAMS` says
/// how many random programs to try, `PROGRAMS_FROM` with which to start.
#[test]
fn matrices_of_gradients_of_random_programs_are_theirs() {
    let large = std::thread::Builder::new().stack_size(64 << 20);
    large.spawn(matrices_of_gradients).expect("a thread starts").join().expect("they are");
}

fn matrices_of_gradients() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let first = number("PROGRAMS_FROM", 0);
    let mut compared = 0;
    for seed in first..first + number("PROGRAMS", 400) {
        let program = generate::program(seed, 3 + seed as usize % 20);
        let arguments = program.arguments(seed);
        let (x, y, dx) = (program.domain.concrete(), program.codomain.tangent(), program.domain.tangent());
        let text = program.text()
            + &format!("fun along(x: {x}, w: {y}, u: {dx}) = jvp(\\z -> vjp(f, z, w).1, x, u).1\n")
            + &format!("fun sparse(x: {x}, w: {y}) = coo(D(\\z -> vjp(f, z, w).1, x))\n")
            + &format!("fun dense(x: {x}, w: {y}) = matrix(D(\\z -> vjp(f, z, w).1, x))\n");
        let Ok(checker) = check(&text) else { continue };
        let of = |name: &str| {
            let function = checker.function_named(name)?;
            let mut program = checker.program.clone();
            riesz_calculus::compile_from(&mut program, &[function]).ok()?;
            let limits = Limits { steps: 200_000, memory: 64 << 20, ..Limits::default() };
            let arguments = arguments[..program.function(function).parameters.min(3)].to_vec();
            Machine::<f64>::new(&program, limits, |_| None).call_with(function, arguments).ok()
        };
        let (Some(along), Some(sparse), Some(dense)) = (of("along"), of("sparse"), of("dense")) else { continue };
        let (along, direction, dense) = (numbers(&along), numbers(&arguments[2]), numbers(&dense));
        // A value has the fields of a record by name, and a matrix has rows and columns for them as they are declared.
        let space = checker.function_named("sparse").map(|id| checker.program.function(id).vars[0].ty.clone());
        let order = Order::of(&space.expect("it is there"));
        let places = Orders { rows: order.clone(), columns: order }.places(&arguments[2], &arguments[2]);
        let mut by_sparse = vec![0.0; along.len()];
        for (row, column, entry) in entries(&sparse) {
            let (row, column) = places.kept(vec![(row, column)])[0];
            by_sparse[row] += entry * direction[column];
        }
        let product = |row: &[f64]| row.iter().zip(&direction).map(|(a, b)| a * b).sum();
        let by_dense: Vec<f64> = dense.chunks(direction.len().max(1)).map(product).collect();
        for (how, found) in [("sparse", &by_sparse), ("dense", &by_dense)] {
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * b.abs().max(1.0) || !b.is_finite();
            assert!(found.iter().zip(&along).all(same), "{seed}, {how}: {found:?}, not {along:?}\n{text}");
        }
        compared += 1;
    }
    println!("{compared} compared");
    assert!(compared > 300, "{compared}");
}

/// The operations that an expression takes.
fn operations(program: &str, expression: &str) -> u64 {
    let case = Case::new(check(program).unwrap(), expression).unwrap();
    let mut program = case.checker.program.clone();
    riesz_calculus::compile_from(&mut program, &[case.function]).unwrap();
    let (value, operations) = count(|| case.run::<Counted>(&program));
    value.unwrap();
    operations.total()
}

#[test]
fn a_hessian_costs_as_much_as_it_has_entries() {
    let program = "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)";
    for form in ["coo(D(\\z -> grad(f, z), x)).vals", "hessian(f, x)"] {
        let of = |n: u64| {
            let point = format!("let x = [0.1 * i | i < {n}]\n");
            operations(&format!("{point}{program}"), form) - operations(&format!("{point}{program}"), "x")
        };
        let sizes: &[u64] = if form.starts_with("coo") { &[100, 1000, 10_000] } else { &[100, 400] };
        for n in sizes {
            let each = of(*n) as f64 / *n as f64;
            println!("{form} {n}: {each}");
            assert!(each < 60.0, "{form}: {each} operations for each of {n} numbers");
        }
    }
}

#[test]
fn a_dense_matrix_takes_a_pass_for_each_row_or_column() {
    let program = "fun f(x: [n]R, m: Int): [m]R = { let s = sum(exp(a) | a in x); [sin(s * (1.0 + i)) | i < m] }\n";
    for (n, m) in [(40u64, 400u64), (400, 40)] {
        let program = format!("{program}let x = [0.01 * i | i < {n}]\n");
        let matrix = operations(&program, &format!("jacobian(\\z -> f(z, {m}), x)"));
        let (value, base) = (operations(&program, &format!("f(x, {m})")), operations(&program, "x"));
        let pass = (matrix - base) as f64 / (value - base) as f64 / n.min(m) as f64;
        println!("{m} by {n}: {pass} values for each pass");
        assert!(pass < 2.5, "{m} by {n}: a pass takes {pass} values");
    }
}

#[test]
fn a_space_of_several_axes_is_gone_through_in_one_loop() {
    let program = "fun f(x: [m][n]R, k: Int, l: Int): [k][l]R = {
            let s = sum(sum(exp(x[i][j] * (1 + i + 0.1 * j)) | j < n) | i < m)
            [[sin(s * (1 + i + 2 * j)) + s^2 | j < l] | i < k]
        }
        fun unit(m: Int, n: Int, a: Int, b: Int): [m][n]R = [[if i == a and j == b then 1.0 else 0.0 | j < n] | i < m]
        fun apart(x: [m][n]R, k: Int, l: Int): R = {
            let d = D(f(_, k, l), x)
            let all = jacobian(f(_, k, l), x)
            sum(sum({
                let image = d(unit(m, n, a, b))
                sum(sum(abs(all[i][j][a][b] - image[i][j]) | j < l) | i < k)
            } | b < n) | a < m)
        }\n";
    // More rows than columns, fewer, as many, and axes of one or no element.
    for [m, n, k, l] in [[3, 4, 5, 6], [4, 5, 2, 3], [3, 3, 3, 3], [1, 7, 3, 1], [2, 0, 3, 2], [5, 3, 0, 4]] {
        let point = format!("[[0.1 * i - 0.2 * j | j < {n}] | i < {m}]");
        let (value, _) = run(check(program).unwrap(), &format!("apart({point}, {k}, {l})")).unwrap();
        assert!(numbers(&value)[0] < 1e-9, "{m} by {n} to {k} by {l}: {value:?}");
    }
    let point = "[[0.1 * i - 0.2 * j | j < 7] | i < 40]";
    let (_, text) = run(check(program).unwrap(), &format!("jacobian(f(_, 30, 20), {point})")).unwrap();
    assert!(text.contains("< 280"), "{text}");
}

#[test]
fn what_no_column_changes_is_computed_once() {
    // A call that might have no end, before it comes to what varies.
    let program = "let x = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
        fun long(s: R, k: Int): R = if k == 0 then s else long(sin(s), k - 1)
        fun f(x: [n]R): [9]R = { let c = long(1.0, 1000); let s = prod(x); [c * s * i | i < 9] }\n";
    let (value, matrix) = (operations(program, "f(x)"), operations(program, "jacobian(f, x)"));
    assert!(matrix < 2 * value, "the matrix takes {matrix} operations, the value {value}");
}

#[test]
fn what_is_zero_by_structure() {
    let of = |expression: &str| run(check("").unwrap(), expression).map(|(value, _)| entries(&value)).unwrap();
    let found = of("coo(D(\\v -> [v[0] * v[2], 5, v[1]], [1, 2, 3]))");
    assert_eq!(found, [(0, 0, 3.0), (0, 2, 1.0), (2, 1, 1.0)]);
    // An entry that only happens to be zero is there.
    assert_eq!(of("coo(D(\\v -> [0, 1] * v, [1, 2]))"), [(0, 0, 0.0), (1, 1, 1.0)]);
}

#[test]
fn sparse_matrices_vary() {
    let of = |expression: &str| run(check("").unwrap(), expression).map(|(value, _)| numbers(&value)).unwrap();
    let square = "coo(D(\\z -> z^3, v)).vals";
    assert_eq!(of(&format!("grad(\\v -> sum({square}), [1.0, 2.0])")), [6.0, 12.0]);
    assert_eq!(of(&format!("hessian(\\v -> sum({square}^2), [1.0, 2.0])")), [108.0, 0.0, 0.0, 432.0]);
    // Without a structure that is found, and where the map is known only when the program runs.
    let map = "D(\\z -> [dot(z, z) * z[0], sin(z[1])], v)";
    for form in [map.to_string(), format!("(if v[0] > 9 then 2 * {map} else {map})")] {
        let sparse = of(&format!("jacobian(\\v -> coo({form}).vals, [0.5, 0.25])"));
        assert_eq!(
            sparse,
            of(&format!("jacobian(\\v -> {{ let m = matrix({map}); [m[0, 0], m[0, 1], m[1, 1]] }}, [0.5, 0.25])"))
        );
        let dense = of(&format!("jacobian(\\v -> flatten(matrix({form})), [0.5, 0.25])"));
        assert_eq!(dense, of(&format!("jacobian(\\v -> flatten(matrix({map})), [0.5, 0.25])")));
        let twice = of(&format!("hessian(\\v -> norm(coo({form}).vals)^2, [0.5, 0.25])"));
        let expected = of(&format!("hessian(\\v -> norm(matrix({map}))^2, [0.5, 0.25])"));
        assert!(twice.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{twice:?} {expected:?}");
    }
    // Where an array adds to something else while it is built.
    let powers = "\\z -> sum([cos(z.c) ^ sin(y) | y in [z.b | i < 2] + [0.5, 0.5]])";
    let product = format!("\\x -> hvp({powers}, {{b = 0.5, c = 0.5}}, {{b = 0.5, c = x.0}})");
    let matrix = of(&format!("{{ let m = matrix(D({product}, (0.7, 0.5))); (m.b.0, m.c.0) }}"));
    let column = of(&format!("{{ let d = D({product}, (0.7, 0.5))((1.0, 0.0)); (d.b, d.c) }}"));
    assert!(matrix.iter().zip(&column).all(|(a, b)| (a - b).abs() < 1e-12), "{matrix:?} {column:?}");
    // In a loop, where what the map captured is a part of what was kept.
    let greatest = "sum(sum(coo(D(\\z -> max(z * z * z), [0.5, x[0]])).vals) | j < 1)";
    for second in ["grad(\\z -> jvp(f, z, [1.0]).1, [0.7])", "jvp(\\z -> grad(f, z), [0.7], [1.0]).1"] {
        assert_eq!(of(&format!("{{ let f = \\x -> {greatest}; {second} }}")), [6.0]);
    }
}

#[test]
fn an_index_out_of_range_is_an_error() {
    for (function, size) in [("[x[mod(3 * i, 7)] | i < 6]", 5), ("[[1.0, x[i]][mod(i, 3)] | i < 5]", 5)] {
        for operation in ["coo", "matrix"] {
            let of = |map: &str| {
                let point = format!("[0.1 * i | i < {size}]");
                run(check("").unwrap(), &format!("{operation}({map}D(\\x -> {function}, {point}))")).unwrap_err()
            };
            let (found, plain) = (of(""), of("1.0 * "));
            assert_eq!(found.split(" at ").next(), plain.split(" at ").next());
        }
    }
}
