//! Gradients as native code compared with hand-written gradients, compiled by the same compiler in the same way.

#![allow(unsafe_code)]

use riesz_bench::{Prepared, print_table, time};
use riesz_core::evaluate::Value;
use riesz_native::{Compiler, Settings};

type Hand = unsafe extern "C" fn(*const u64, *mut f64);

fn main() {
    let compiler = Compiler::find().expect("a Rust compiler");
    let settings = Settings::default();
    let library = compiler.library(include_str!("hand/plain.rs"), settings).expect("the code by hand compiles");
    let library = unsafe { libloading::Library::new(library) }.expect("the code by hand loads");
    let mut rows = Vec::new();
    for (name, hand, program, arguments, gradient) in GRADIENTS {
        let prepared = Prepared::for_code(program, gradient);
        let place = |_| "a benchmark".to_string();
        let functions = [prepared.function()];
        let code = riesz_native::compile(prepared.program(), &functions, &compiler, settings, &place)
            .expect("the code compiles");
        let function = code.functions()[0].as_ref().expect("the function can be lowered");
        let mut global = |id| prepared.value(id);
        let ready = code.prepare(function, &[], &mut global).expect("every global has a value");
        let limits = riesz_core::evaluate::Limits::default();
        let value = code.call(function, &[], &mut global, &limits).expect("the code runs");
        let native = time(|| code.run(&ready, &limits).expect("the code runs"));

        let (mut words, mut held) = (Vec::new(), Vec::new());
        for name in arguments {
            pass(&prepared.named(name), &mut words, &mut held);
        }
        let entry = unsafe { library.get::<Hand>(hand.as_bytes()) }.expect("the function by hand");
        let mut found = vec![0.0; numbers(&value).len()];
        let by_hand = time(|| unsafe { entry(words.as_ptr(), found.as_mut_ptr()) });
        let apart =
            numbers(&value).iter().zip(&found).map(|(a, b)| (a - b).abs() / 1f64.max(a.abs())).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{name}: the gradients are {apart} apart");
        rows.push(vec![
            name.to_string(),
            format!("{:.1}", 1e6 * by_hand.as_secs_f64()),
            format!("{:.1}", 1e6 * native.as_secs_f64()),
            format!("{:.2}", native.as_secs_f64() / by_hand.as_secs_f64()),
        ]);
    }
    print_table(&["gradient", "by hand, µs", "Riesz, µs", "ratio"], &rows);
}

/// A value as the code by hand takes it.
fn pass(value: &Value<f64>, words: &mut Vec<u64>, held: &mut Vec<Vec<f64>>) {
    match value {
        Value::Real(number) => words.push(number.to_bits()),
        Value::Int(number) => words.push(*number as u64),
        array => {
            let elements = numbers(array);
            words.extend([elements.as_ptr() as u64, elements.len() as u64]);
            held.push(elements);
        }
    }
}

fn numbers(value: &Value<f64>) -> Vec<f64> {
    match value {
        Value::Real(number) => vec![*number],
        Value::Reals(elements) => elements.to_vec(),
        Value::Tuple(parts) => parts.iter().flat_map(numbers).collect(),
        other => other.elements().flat_map(|element| numbers(&element)).collect(),
    }
}

/// Name, function by hand, program, the names of the arguments, and the gradient.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const GRADIENTS: [Row; 4] = [
    (
        "mixture, d = 10, K = 25, n = 1000",
        "mixture",
        "fun logsumexp(v: [n]R): R =
           let m = max(v)
           m + log(sum(exp(x - m) | x in v))
         fun q_times(q: [d]R, l: [t]R, v: [d]R): [d]R =
           [exp(q[i]) * v[i] + sum(l[div(j * (2 * d - j - 1), 2) + i - j - 1] * v[j] | j < i) | i < d]
         fun mixture(alphas: [k]R, means: [k][d]R, qs: [k][d]R, ls: [k][t]R, x: [n][d]R, gamma: R, m: Int): R =
           let sums = [sum(q) | q in qs]
           let square = \\v -> dot(v, v)
           let terms = sum(
             logsumexp(alphas[c] + sums[c] - 0.5 * square(q_times(qs[c], ls[c], p - means[c])) | c < k) | p in x)
           let frobenius = sum(sum(exp(2 * q) | q in qs[c]) + square(ls[c]) | c < k)
           terms - n * logsumexp(alphas) + 0.5 * gamma^2 * frobenius - m * sum(sums)
         let alphas = [sin(real(i)) | i < 25]
         let means = [cos(real(i * 7 + j)) | i < 25, j < 10]
         let qs = [0.3 * sin(real(i * 3 + j * 5)) | i < 25, j < 10]
         let ls = [0.5 * cos(real(i * 11 + j * 13)) | i < 25, j < 45]
         let x = [2 * sin(real(i * i + 3 * j)) | i < 1000, j < 10]
         let gamma = 1.0
         let m = 0",
        &["alphas", "means", "qs", "ls", "x", "gamma", "m"],
        "grad(\\a b q l -> mixture(a, b, q, l, x, gamma, m), (alphas, means, qs, ls))",
    ),
    (
        "Rosenbrock, n = 1,000,000",
        "rosenbrock",
        "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)
         let x = [sin(real(i)) | i < 1000000]",
        &["x"],
        "grad(f, x)",
    ),
    (
        "network 784-256-256-10, one input",
        "network",
        "fun loss(w1: [h][n]R, b1: [h]R, w2: [g][h]R, b2: [g]R, w3: [o][g]R, b3: [o]R, x: [n]R, t: [o]R): R =
           let h1 = tanh(dot(w1, x) + b1)
           let h2 = tanh(dot(w2, h1) + b2)
           sum((dot(w3, h2) + b3 - t)^2) / 2
         let w1 = [0.05 * sin(real(i * 3 + j * 7)) | i < 256, j < 784]
         let b1 = [0.1 * sin(real(i)) | i < 256]
         let w2 = [0.1 * cos(real(i * 5 + j * 11)) | i < 256, j < 256]
         let b2 = [0.1 * cos(real(i)) | i < 256]
         let w3 = [0.1 * sin(real(i * 13 + j)) | i < 10, j < 256]
         let b3 = [0.01 * i | i < 10]
         let x = [0.5 + 0.5 * sin(real(i * i)) | i < 784]
         let t = [cos(real(i)) | i < 10]",
        &["w1", "b1", "w2", "b2", "w3", "b3", "x", "t"],
        "grad(\\a b c d e f -> loss(a, b, c, d, e, f, x, t), (w1, b1, w2, b2, w3, b3))",
    ),
    (
        "x ← 1.1 sin x + 0.1, 1000 times",
        "recurrence",
        "fun f(x: R): R = loop y = x for i < 1000 do 1.1 * sin(y) + 0.1
         let x = 0.5",
        &["x"],
        "grad(f, x)",
    ),
];
