//! Arrays of dynamic size: results of recursions on halves of arrays, branches of different lengths, and arrays of such
//! arrays, with their derivatives.

use super::Cases;

const PROGRAM: &str = "
fun evens(v: [n]R): [_]R = [v[2 * i] | i < div(n, 2)]
fun odds(v: [n]R): [_]R = [v[2 * i + 1] | i < div(n, 2)]
fun fft(re: [n]R, im: [n]R): ([_]R, [_]R) =
  if n <= 1 then (re, im) else {
    let (a, b) = fft(evens(re), evens(im))
    let (c, d) = fft(odds(re), odds(im))
    let (u, v) = ([cos(2 * pi * k / n) | k < div(n, 2)], [-sin(2 * pi * k / n) | k < div(n, 2)])
    let (s, t) = (u * c - v * d, u * d + v * c)
    (concat(a + s, a - s), concat(b + t, b - t))
  }
fun energy(x: [n]R): R = let (a, b) = fft(x, [0.0 | i < n]) in dot(a, a) + sum(b^3)
fun spectra(rows: [m][n]R): [m][_]R = [fft(row, row).1 | row in rows]
fun ends(v: [n]R): [_]R = if v[0] > 0.5 then slice(v, 0, 2) else v
fun rest(v: [n]R): [_]R = if n <= 2 then ends(v) else rest(slice(v, 1, n))
fun cut(v: [n]R): [_]R = if n <= 1 or v[0] > 0.9 then v else cut(slice(v, 1, n))
let x = [sin(1.0 + 2.3 * i) | i < 8]
let rows = [[sin(real(i * j + 1)) | j < 4] | i < 3]";

const EXPRESSIONS: [&str; 16] = [
    "fft(x, x)",
    "grad(energy, x)",
    "jvp(energy, x, x)",
    "spectra(rows)",
    "grad(\\r -> sum(flatten(spectra(r)^2)), rows)",
    "[fft(row, row) | row in rows][1]",
    "ends(x)",
    "grad(\\v -> sum(ends(v)^3), x)",
    "rest(x)",
    // Matrices, by their structure and by passes for each row.
    "jacobian(evens, x)",
    "matrix(adjoint(D(\\v -> evens(v)^2, x)))",
    "coo(D(\\v -> sin(odds(v)), x))",
    "jacobian(\\p -> [p[0] * exp(-p[1] * a) - b | (a, b) in zip(evens(x), odds(x))], [1.0, 2.0])",
    "jacobian(\\v -> evens(v) * sum(v)^2, x)",
    "jacobian(\\v -> scan(\\a b -> a * b, 1.0, odds(v)), x)",
    // Rows of different lengths are wrong, which is left to the interpreter.
    "[cut(row) | row in rows]",
];

/// All of them; one is wrong.
pub fn cases() -> Cases {
    let mut all = Cases::default();
    all.push("arrays", PROGRAM, &EXPRESSIONS);
    assert_eq!(all.cases.iter().filter(|case| case.expected.is_err()).count(), 1, "rows of different lengths");
    all
}
