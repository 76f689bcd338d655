//! Programs with loops that are large enough to be shared among threads.

use super::Cases;

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

/// All of them.
pub fn push(all: &mut Cases) {
    for (name, program, expressions) in &LARGE {
        all.push(name, program, expressions);
    }
}
