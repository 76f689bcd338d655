//! Every number of threads gives the same bits and the same errors.
//!
//! Loops are cut into as many chunks as possible, so that small ones are shared too; and as in normal use, for programs
//! with loops that are large enough.

use crate::cases::Cases;
use riesz_core::evaluate::Value;
use riesz_native::{Pool, Settings, Stop};
use std::sync::Arc;

const THREADS: [usize; 4] = [1, 2, 3, 7];

/// Programs with loops that are large enough, and what is computed of them.
const LARGE: [(&str, &str, &[&str]); 5] = [
    (
        "rows",
        "let x = [sin(i + 3.0 * j) | i < 3000, j < 7]
         let w = [cos(real(j)) | j < 7]
         fun loss(w: [d]R, x: [n][d]R): R = sum(tanh(dot(w, row)) | row in x)",
        &["loss(w, x)", "grad(loss(_, x), w)", "grad(loss(w, _), x)", "[exp(sin(dot(w, row))) | row in x]"],
    ),
    (
        "scattered",
        "let x = [sin(real(i)) | i < 50]
         let k = [mod(i * 7 + 2, 50) | i < 20000]
         fun f(x: [n]R, k: [m]Int): R = sum(exp(x[i]) * sin(x[k[i]]) | i in k)",
        &["f(x, k)", "grad(f(_, k), x)"],
    ),
    (
        "neighbours",
        "let x = [sin(real(i)) | i < 40000]
         fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + exp(1 - x[i])^2 | i < n - 1)",
        &["f(x)", "grad(f, x)", "max(exp(y) | y in x)", "all(exp(y) > 0 | y in x)"],
    ),
    (
        "calls",
        "fun power(x: R, n: Int): R = if n == 0 then 1.0 else x * power(x, n - 1)
         let x = [sin(real(i)) | i < 5000]
         fun f(x: [n]R): R = sum(power(x[i], mod(i, 20)) | i < n)",
        &["f(x)", "[power(y, 30) | y in x]"],
    ),
    (
        "wrong",
        "let x = [real(i) | i < 20000]
         let k = [if mod(i, 6000) == 5999 then 20000 + i else i | i < 20000]",
        &["sum(exp(x[i]) | i in k)", "[1000000 * 1000000 * 1000000 * i | i < 20000]"],
    ),
];

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let mut small = Cases::default();
    small.push_functions(&[200, 19, 8]);
    for (name, program, expressions) in &LARGE {
        small.push(name, program, expressions);
    }
    agree(small, Settings { checked: true, quick: true, fine: true, ..Settings::default() });
    let mut large = Cases::default();
    for (name, program, expressions) in &LARGE {
        large.push(name, program, expressions);
    }
    agree(large, Settings { quick: true, ..Settings::default() });
}

fn agree(all: Cases, settings: Settings) {
    let mut code = all.code(settings);
    let mut alone = Vec::new();
    for threads in THREADS {
        if threads > 1 {
            code.use_threads(Arc::new(Pool::new(threads)));
        }
        for (at, (case, found)) in all.run(&code).enumerate() {
            case.agrees(&found, 1e-11);
            let found = told(found);
            match threads {
                1 => alone.push(found),
                _ => assert_eq!(found, alone[at], "{} with {threads} threads", case.name),
            }
        }
    }
    println!("{} functions", all.cases.len());
}

/// The bits of a value, or the error with all it says.
fn told(found: Result<Value<f64>, Stop>) -> Result<Vec<u64>, String> {
    match found {
        Ok(value) => Ok(bits(&value)),
        Err(Stop::Wrong(diagnostic)) => Err(format!("{diagnostic:?}")),
        Err(Stop::Elsewhere) => Err("elsewhere".into()),
    }
}

fn bits(value: &Value<f64>) -> Vec<u64> {
    match value {
        Value::Real(number) => vec![number.to_bits()],
        Value::Int(number) => vec![*number as u64],
        Value::Bool(holds) => vec![u64::from(*holds)],
        Value::Reals(numbers) => numbers.iter().map(|number| number.to_bits()).collect(),
        Value::Tuple(parts) => parts.iter().flat_map(bits).collect(),
        array => array.elements().flat_map(|element| bits(&element)).collect(),
    }
}
