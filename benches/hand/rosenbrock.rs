//! `f(x) = Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`. Every element of the gradient is gathered from its neighbours, so that each
//! is written once and loops over slices become vector instructions.

use crate::array;
use crate::lanes::{LANES, V};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn rosenbrock_value(arguments: *const u64, to: *mut f64) {
    let x = unsafe { array(arguments) };
    let mut sums = [V::ZERO; 4];
    let terms = x.len() - 1;
    let blocks = terms / (4 * LANES);
    for block in 0..blocks {
        for (part, sum) in sums.iter_mut().enumerate() {
            let at = (4 * block + part) * LANES;
            let (here, next) = (V::load(&x[at..at + LANES]), V::load(&x[at + 1..at + 1 + LANES]));
            let a = (-here).fma(here, next);
            let b = V::all(1.0) - here;
            *sum = (V::all(100.0) * a).fma(a, b.fma(b, *sum));
        }
    }
    let mut total = (sums[0] + sums[1] + (sums[2] + sums[3])).sum();
    for i in blocks * 4 * LANES..terms {
        let a = x[i + 1] - x[i] * x[i];
        total += 100.0 * a * a + (1.0 - x[i]) * (1.0 - x[i]);
    }
    unsafe { *to = total };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn rosenbrock(arguments: *const u64, to: *mut f64) {
    let x = unsafe { array(arguments) };
    let n = x.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, n) };
    let right = |here: f64, next: f64| 400.0 * here * (here * here - next) - 2.0 * (1.0 - here);
    to[0] = right(x[0], x[1]);
    for (to, around) in to[1..n - 1].iter_mut().zip(x.windows(3)) {
        *to = 200.0 * (around[1] - around[0] * around[0]) + right(around[1], around[2]);
    }
    to[n - 1] = 200.0 * (x[n - 1] - x[n - 2] * x[n - 2]);
}

/// The Hessian as a whole matrix, of which only three diagonals are not zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rosenbrock_hessian(arguments: *const u64, to: *mut f64) {
    let x = unsafe { array(arguments) };
    let n = x.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, n * n) };
    to.fill(0.0);
    for i in 0..n {
        let first = if i > 0 { 200.0 } else { 0.0 };
        let second = if i + 1 < n { 1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0 } else { 0.0 };
        to[i * n + i] = first + second;
    }
    for i in 0..n - 1 {
        to[i * n + i + 1] = -400.0 * x[i];
        to[(i + 1) * n + i] = -400.0 * x[i];
    }
}

/// The entries of the Hessian that are not zero by its form, row after row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rosenbrock_entries(arguments: *const u64, to: *mut f64) {
    let x = unsafe { array(arguments) };
    let n = x.len();
    let to = unsafe { std::slice::from_raw_parts_mut(to, 3 * n - 2) };
    let beside = |i: usize| -400.0 * x[i];
    let right = |i: usize| 1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0;
    to[..2].copy_from_slice(&[right(0), beside(0)]);
    for (i, row) in (1..n - 1).zip(to[2..].chunks_exact_mut(3)) {
        row.copy_from_slice(&[beside(i - 1), 200.0 + right(i), beside(i)]);
    }
    to[3 * n - 4..].copy_from_slice(&[beside(n - 2), 200.0]);
}
