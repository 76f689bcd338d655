//! Dense matrices by a pass for each direction, for any number of directions: whole vectors of lanes and less, several
//! blocks of a sum, branches, loops in time, and exact zeros.

use super::Cases;

const PROGRAM: &str = "
fun x(n: Int, d: Int): [n][d]R = [sin(real(11 * i + 3 * j)) | i < n, j < d]
fun w(d: Int): [d]R = [0.2 * cos(real(i)) | i < d]
fun fitted(w: [d]R, x: [n][d]R): R = sum(log(1 + exp(dot(row, w))) | row in x) + 0.1 * sum(w^2)
fun choices(w: [d]R, x: [n][d]R): R =
  sum({
    let u = [if mod(i + j, 3) > 0 then dot(w, x[mod(i + j, n)]) else -1e30 | j < 5]
    let m = max(u)
    u[mod(i, 2) + 1] - m - log(sum(exp(u - m)))
  } | i < n)
fun path(w: [d]R): [20]R = scan(\\s i -> s + 0.1 * sin(s + sum(w * w[0])) + 0.01 * i, w[0], [i | i < 20])
fun sums(w: [d]R, x: [n][d]R): [3]R = [sum(exp(0.1 * k * dot(row, w)) | row in x) | k < 3]";

/// The numbers of directions, and of terms.
const DIRECTIONS: [i64; 8] = [1, 2, 3, 6, 8, 11, 17, 35];
const TERMS: [i64; 3] = [0, 9, 300];

/// All of them.
pub fn cases() -> Cases {
    let mut expressions = Vec::new();
    for d in DIRECTIONS {
        expressions.push(format!("jacobian(path, w({d}))"));
        expressions.push(format!("hessian(\\v -> sum(path(v)^2), w({d}))"));
        for n in TERMS {
            expressions.push(format!("hessian(fitted(_, x({n}, {d})), w({d}))"));
            expressions.push(format!("jacobian(sums(_, x({n}, {d})), w({d}))"));
            expressions.push(format!("matrix(adjoint(D(sums(_, x({n}, {d})), w({d}))))"));
        }
        expressions.push(format!("hessian(choices(_, x(40, {d})), w({d}))"));
    }
    let mut all = Cases::default();
    all.push("directions", PROGRAM, &expressions.iter().map(String::as_str).collect::<Vec<_>>());
    all
}
