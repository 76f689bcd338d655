//! The cost of a gradient in the interpreter: the time of the value, and of value and gradient together.

use riesz_bench::{Prepared, print_table};

fn main() {
    let mut rows = Vec::new();
    for (name, function, point) in FUNCTIONS {
        let value = Prepared::new(&program(function, point), "f(x)").time();
        let both = Prepared::new(&program(function, point), "vjp(f, x, 1.0)").time();
        rows.push(vec![
            name.to_string(),
            format!("{:.3}", 1e3 * value.as_secs_f64()),
            format!("{:.3}", 1e3 * both.as_secs_f64()),
            format!("{:.1}", both.as_secs_f64() / value.as_secs_f64()),
        ]);
    }
    print_table(&["function", "value, ms", "value and gradient, ms", "ratio"], &rows);
}

fn program(function: &str, point: &str) -> String {
    format!("{function}\nlet x = {point}\n")
}

/// Functions `f`, each with a point.
const FUNCTIONS: [(&str, &str, &str); 7] = [
    ("scalar loop", "fun f(x: R): R = loop y = x for i < 3000 do 1.1 * sin(y) + 0.1", "0.5"),
    ("dot product", "fun f(x: [n]R): R = sum(x[i] * x[n - 1 - i] | i < n)", "[sin(real(i)) | i < 3000]"),
    (
        "Rosenbrock",
        "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)",
        "[sin(real(i)) | i < 1000]",
    ),
    (
        "logsumexp of a matrix",
        "fun logsumexp(v: [n]R): R =
           let top = max(v)
           top + log(sum(exp(x - top) | x in v))
         fun f(x: [m][n]R): R = sum(logsumexp(row) | row in x)",
        "[sin(i + 2 * j) | i < 30, j < 30]",
    ),
    (
        "network of two layers",
        "type Net[h, i] = {w: [h][i]R, b: [h]R, v: [h]R}
         let inputs = [sin(i * j + 1) | i < 20, j < 10]
         fun f(net: Net[h, i]): R =
           sum((dot(net.v, tanh(dot(net.w, x) + net.b)) - 1)^2 | x in inputs)",
        "{w = [cos(i + 2 * j) | i < 20, j < 10], b = [0.1 * i | i < 20], v = [sin(real(i)) | i < 20]}",
    ),
    (
        "recursion",
        "fun f(x: R): R = g(10, x)
         fun g(n: Int, x: R): R = if n == 0 then sin(x) else g(n - 1, x) * g(n - 1, 0.5 * x)",
        "0.5",
    ),
    (
        "determinant",
        "fun f(x: [n][n]R): R = logdet(x)",
        "[sin(i * j + 1) + (if i == j then 3 else 0) | i < 20, j < 20]",
    ),
];
