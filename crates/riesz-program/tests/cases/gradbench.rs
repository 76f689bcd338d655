//! Every program of GradBench and its derivative; differentiated loops and recursions of unknown length.

use super::Cases;

const MODULES: [(&str, &[&str]); 12] = [
    ("hello", &["square(3.5)", "double(3.5)"]),
    ("llsq", &["primal({x = wave(4), n = 7})", "gradient({x = wave(4), n = 7})"]),
    ("lse", &["primal({x = wave(11)})", "gradient({x = wave(11)})"]),
    ("det", &["primal({A = wave(16), ell = 4})", "gradient({A = wave(16), ell = 4})"]),
    ("ode", &["primal({x = 1 + 0.1 * wave(5), s = 6})", "gradient({x = 1 + 0.1 * wave(5), s = 6})"]),
    (
        "gmm",
        &[
            "objective({d = 2, k = 2, n = 3, alpha = wave(2), mu = table(2, 2), q = table(2, 2), l = table(2, 1), \
         x = table(3, 2), gamma = 1.0, m = 0})",
            "jacobian({d = 2, k = 2, n = 3, alpha = wave(2), mu = table(2, 2), q = table(2, 2), l = table(2, 1), \
         x = table(3, 2), gamma = 1.0, m = 0})",
        ],
    ),
    (
        "kmeans",
        &[
            "cost({points = table(9, 2), centroids = table(2, 2)})",
            "dir({points = table(9, 2), centroids = table(2, 2)})",
        ],
    ),
    (
        "lstm",
        &[
            "objective({main_params = table(4, 8), extra_params = table(3, 2), state = table(4, 2), sequence = table(3, 2)})",
            "jacobian({main_params = table(4, 8), extra_params = table(3, 2), state = table(4, 2), sequence = table(3, 2)})",
        ],
    ),
    (
        "ba",
        &[
            "objective({n = 3, m = 4, p = 12, cam = wave(11), x = [0.3, 0.2, 4.0], w = 0.7, feat = [0.5, 0.6]})",
            "jacobian({n = 3, m = 4, p = 12, cam = wave(11), x = [0.3, 0.2, 4.0], w = 0.7, feat = [0.5, 0.6]})",
        ],
    ),
    (
        "ht",
        &[
            "objective({theta = wave(26), us = no_places, data = hand})",
            "jacobian({theta = wave(26), us = no_places, data = hand})",
            "objective({theta = wave(26), us = table(2, 2), data = hand})",
            "jacobian({theta = wave(26), us = table(2, 2), data = hand})",
        ],
    ),
    ("particle", &["ff({w = 0.1})", "fr({w = 0.1})", "rf({w = 0.1})", "rr({w = 0.1})"]),
    (
        "saddle",
        &[
            "ff({start = [0.1, 0.2]})",
            "fr({start = [0.1, 0.2]})",
            "rf({start = [0.1, 0.2]})",
            "rr({start = [0.1, 0.2]})",
        ],
    ),
];

/// Numbers for all of them.
const INPUTS: &str = "
fun wave(n: Int): [n]R = [sin(1.7 * i + 0.3) | i < n]
fun table(m: Int, n: Int): [m][n]R = [[sin(1.3 * i + 0.7 * j) | j < n] | i < m]
";

const HAND: &str = "
let no_places: [0][2]R = []
let bones = [[[if i == j then 1.0 else sin(real(b + i - 2 * j)) / 9 | j < 4] | i < 4] | b < 22]
let hand = {
  model = {
    bone_count = 22, parents = [i - 1 | i < 22], base_relatives = bones, inverse_base_absolutes = bones,
    base_positions = [[sin(real(i + j)) | j < 4] | i < 5], weights = [[cos(real(i * j)) / 22 | j < 22] | i < 5],
    triangles = [[0, 1, 2], [2, 3, 4]], is_mirrored = true
  },
  correspondences = [0, 1],
  points = table(2, 3)
}
";

/// Loops and recursions of unknown length: functions `f : [3]R -> R`.
const LONG: [(&str, &str); 7] = [
    ("a loop", "(loop (s, k) = (x[0], 0) while abs(s) < 20 and k < 30 do (s * 1.3 + x[1], k + 1)).0 * x[2]"),
    ("arrays", "sum(loop v = x while norm(v) < 50 do [v[1] + 0.5, v[2] * 1.2 + 1, v[0] + v[1]])"),
    ("a power", "power(x[0], 9) + power(x[1], 0) * x[2]"),
    ("a sum of recursions", "sum(power(y, k) | y in x, k < 4)"),
    ("a tree", "tree(x, 4)"),
    ("a wide tree", "tree([0.3 * x[mod(i, 3)] | i < 20], 2)"),
    ("recursion in a loop", "(loop s = x[0] for i < 5 do tree([s, x[1], x[2]], 2) / 3)"),
];

const RECURSIONS: &str = "
fun power(x: R, n: Int): R = if n == 0 then 1.0 else x * power(x, n - 1)
fun tree(x: [n]R, depth: Int): R =
  if depth == 0 then sum(x)
  else sum(sin(tree([a * b | b in x], depth - 1)) | a in x)
let at = [0.3, 0.9, 0.4]
";

/// Every module and its derivative.
pub fn modules() -> Cases {
    let mut cases = Cases::default();
    for (module, expressions) in MODULES {
        let mut program = format!("{}{INPUTS}", source(module));
        if module == "ht" {
            program += HAND;
        }
        for expression in expressions {
            cases.push(module, &program, &[expression]);
        }
    }
    right(cases)
}

/// Derivatives of loops and recursions of unknown length.
pub fn loops() -> Cases {
    let mut cases = Cases::default();
    for (name, body) in LONG {
        let program = format!("{RECURSIONS}fun f(x: [3]R): R = {body}\n");
        cases.push(name, &program, &["f(at)", "grad(f, at)", "jvp(f, at, [1.0, 2.0, 3.0])"]);
    }
    let descents = [
        "sum(loop v = at for i < 6 do v - 0.01 * grad(tree(_, 3), v))",
        "sum(grad(tree(_, k), at) * k | k < 4)",
        "[grad(power(_, k), 0.7) | k < 5]",
    ];
    cases.push("gradients in loops", RECURSIONS, &descents);
    right(cases)
}

/// A program of GradBench, with what it imports.
fn source(module: &str) -> String {
    let read = |name: &str| {
        let path = format!("{}/../../gradbench/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let text = read(&format!("{module}.rz"));
    let descent = "import \"descent.rz\"\n";
    match text.contains(descent) {
        true => text.replace(descent, &read("descent.rz")),
        false => text,
    }
}

/// Cases that all have a value.
fn right(cases: Cases) -> Cases {
    riesz_program::verify::verify(&cases.lowered).unwrap_or_else(|problem| panic!("{problem}"));
    let wrong = cases.cases.iter().find(|case| case.expected.is_err());
    assert!(wrong.is_none(), "{} has no value", wrong.map_or("", |case| &case.name));
    cases
}
