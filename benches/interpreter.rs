//! Small programs in the interpreter: millions of operations per second.

use riesz_bench::{Prepared, print_table};

const PROGRAM: &str = r"
fun dot_product(a: [n]R, b: [n]R): R = sum(a[i] * b[i] | i < n)
fun iterate(n: Int): R = loop x = 0.5 for i < n do 1.1 * sin(x) + 0.1
fun polynomial(c: [k]R, x: R): R = loop y = 0.0 for a in c do x * y + a
fun matrix_product(a: [m][k]R, b: [k][n]R): [m][n]R = [sum(a[i, l] * b[l, j] | l < k) | i < m, j < n]
fun fib(n: Int): Int = if n < 2 then n else fib(n - 1) + fib(n - 2)

let u = [sin(real(i)) | i < 10000]
let a = [sin(i + 2 * j) | i < 30, j < 30]
";

/// Expressions, each with the arithmetic operations and comparisons of numbers in it; reading an element of an array,
/// counting a turn and calling a function come on top.
const EXPRESSIONS: [(&str, u64); 5] = [
    ("dot_product(u, u)", 2 * 10_000),
    ("iterate(10000)", 3 * 10_000),
    ("polynomial(u, 0.5)", 2 * 10_000),
    ("matrix_product(a, a)", 2 * 30 * 30 * 30),
    ("fib(17)", 12_916),
];

fn main() {
    let mut rows = Vec::new();
    for (expression, operations) in EXPRESSIONS {
        let time = Prepared::new(PROGRAM, expression).time();
        rows.push(vec![
            format!("`{expression}`"),
            operations.to_string(),
            format!("{:.3}", 1e3 * time.as_secs_f64()),
            format!("{:.0}", operations as f64 / time.as_secs_f64() / 1e6),
        ]);
    }
    print_table(&["expression", "operations", "ms", "million per second"], &rows);
}
