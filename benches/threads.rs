//! Gradients as native code with one thread and with two, by wall-clock time: the shortest of many runs, since other
//! programs may use the machine. The results are checked to be the same to the last bit.

use riesz_bench::{Prepared, print_table};
use riesz_core::evaluate::{Limits, Value};
use riesz_native::{Compiler, Pool, Settings};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let compiler = Compiler::find().expect("a Rust compiler");
    let limits = Limits::default();
    let mut rows = Vec::new();
    for (name, program, globals, gradient) in GRADIENTS {
        let prepared = Prepared::lazily(program, globals, gradient);
        let functions = [prepared.function()];
        let place = |_| "a benchmark".to_string();
        let mut code = riesz_native::compile(prepared.program(), &functions, &compiler, Settings::default(), &place)
            .expect("the code compiles");
        let function = code.functions()[0].as_ref().expect("the function can be lowered").clone();
        let ready = code.prepare(&function, &[], &mut |id| prepared.value(id)).expect("every global has a value");
        let mut times = Vec::new();
        let mut values = Vec::new();
        for threads in [1, 2] {
            code.use_threads(Arc::new(Pool::new(threads)));
            let value = code.call(&function, &[], &mut |id| prepared.value(id), &limits).expect("the code runs");
            values.push(value);
            times.push(least(|| code.run(&ready, &limits).expect("the code runs")));
        }
        assert_eq!(bits(&values[0]), bits(&values[1]), "{name}");
        rows.push(vec![
            name.to_string(),
            format!("{:.2}", 1e3 * times[0].as_secs_f64()),
            format!("{:.2}", 1e3 * times[1].as_secs_f64()),
            format!("{:.2}", times[0].as_secs_f64() / times[1].as_secs_f64()),
        ]);
    }
    print_table(&["gradient", "one thread, ms", "two threads, ms", "speedup"], &rows);
}

/// The shortest of the runs of a second.
fn least(mut run: impl FnMut()) -> Duration {
    let (begin, mut least) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < Duration::from_millis(800) {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed());
    }
    least
}

fn bits(value: &Value<f64>) -> Vec<u64> {
    match value {
        Value::Real(number) => vec![number.to_bits()],
        Value::Reals(numbers) => numbers.iter().map(|number| number.to_bits()).collect(),
        Value::Tuple(parts) => parts.iter().flat_map(bits).collect(),
        other => other.elements().flat_map(|element| bits(&element)).collect(),
    }
}

/// Name, program, its top-level values, and the gradient.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str);

const GRADIENTS: [Row; 5] = [
    (
        "mixture, d = 10, K = 25, n = 10,000",
        concat!(
            include_str!("../gradbench/gmm.rz"),
            "let model = {
           alpha = [sin(real(i)) | i < 25],
           mu = [cos(real(i * 7 + j)) | i < 25, j < 10],
           q = [0.3 * sin(real(i * 3 + j * 5)) | i < 25, j < 10],
           l = [0.5 * cos(real(i * 11 + j * 13)) | i < 25, j < 45]
         }
         let x = [2 * sin(real(i * i + 3 * j)) | i < 10000, j < 10]",
        ),
        &["model", "x"],
        "grad(log_posterior(_, x, {m = 0, gamma = 1.0}), model)",
    ),
    (
        "bundle adjustment, 49 cameras, 7776 points, 31,843 observations",
        BA,
        &["cameras", "points", "weights", "seen"],
        "grad(\\c p w -> cost(c, p, w, seen), (cameras, points, weights))",
    ),
    (
        "the same, its Jacobian in blocks",
        BA,
        &["cameras", "points", "weights", "seen"],
        "[matrix(D(\\c x w -> reprojection_error(c, x, w, seen[i].feature),
            (cameras[seen[i].camera], points[seen[i].point], weights[i]))) | i < 31843]",
    ),
    (
        "Rosenbrock, n = 1,000,000",
        "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)
         let x = [sin(real(i)) | i < 1000000]",
        &["x"],
        "grad(f, x)",
    ),
    (
        "softmax regression, 20,000 inputs of 20 numbers, 10 classes",
        "fun logsumexp(v: [n]R): R = max(v) + log(sum(exp(x - max(v)) | x in v))
         fun loss(w: [c][d]R, x: [n][d]R, t: [n]Int): R =
           sum((let y = dot(w, x[i]) in logsumexp(y) - y[t[i]]) | i < n)
         let w = [0.1 * sin(real(i * 3 + j)) | i < 10, j < 20]
         let x = [cos(real(i * i + j)) | i < 20000, j < 20]
         let t = [mod(i * 7, 10) | i < 20000]",
        &["w", "x", "t"],
        "grad(loss(_, x, t), w)",
    ),
];

/// Cameras that see points, and the cost of what they see.
const BA: &str = concat!(
    include_str!("../gradbench/ba.rz"),
    "let cameras = [0.1 * sin(real(11 * i + j)) + (if j == 5 then 5.0 else 0.0) | i < 49, j < 11]
         let points = [sin(real(3 * i + j)) | i < 7776, j < 3]
         let weights = [1 + 0.1 * cos(real(i)) | i < 31843]
         let seen = [{camera = mod(i, 49), point = mod(i * 31, 7776), feature = [0.1, 0.2]} | i < 31843]
         fun cost(cameras: [n][11]R, points: [m][3]R, weights: [p]R, seen: [p]Observation): R =
           let found = errors(cameras, points, weights, seen)
           sum(dot(e, e) | e in found.reproj_error) + dot(found.w_err, found.w_err)",
);
