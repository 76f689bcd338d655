//! Chains of iterators.

use crate::check_slice;
use crate::riesz::differentiable;

#[differentiable(crate = crate::riesz)]
fn sums(v: &[f64]) -> f64 {
    let a: f64 = v.iter().map(|x| x * x).sum();
    let b: f64 = v.iter().zip(&v[1..]).map(|(x, y)| x * y).sum();
    let c: f64 = v.iter().enumerate().map(|(i, &x)| i as f64 * x.sin()).sum();
    let d: f64 = (0..v.len()).map(|i| v[i] * v[v.len() - 1 - i]).sum();
    let e: f64 = v.iter().copied().product();
    a * b + c * d + e
}

#[differentiable(crate = crate::riesz)]
fn folds(v: &[f64]) -> f64 {
    let largest = v.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let horner = v.iter().rev().fold(0.0, |acc, x| acc * 0.5 + x);
    let both = v.iter().fold((0.0, 1.0), |(s, p), x| (s + x, p * x));
    largest * horner + both.0 * both.1
}

#[differentiable(crate = crate::riesz)]
fn pieces(v: &[f64]) -> f64 {
    let a: f64 = v.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    let b: f64 = v.chunks(3).map(|c| c.iter().sum::<f64>().powi(2)).sum();
    let c: f64 = v.chunks_exact(2).map(|c| c[0] * c[1]).sum();
    let d: f64 = v.iter().skip(1).step_by(2).take(2).sum();
    let e: f64 = v.iter().rev().zip(v.iter().skip(1)).map(|(x, y)| x * y).sum();
    a + b * c + d * e
}

#[differentiable(crate = crate::riesz)]
fn filters(v: &[f64]) -> f64 {
    let positive: f64 = v.iter().filter(|x| **x > 0.0).map(|x| x.ln()).sum();
    let count = v.iter().filter(|&&x| x < 0.0).count();
    let mut s = positive * count as f64;
    for x in v.iter().filter(|x| **x < 0.0) {
        s += x * x;
    }
    if v.iter().all(|x| *x > -2.0) && v.iter().any(|&x| x > 1.0) { s * 2.0 } else { s }
}

#[differentiable(crate = crate::riesz)]
fn collected(v: &[f64]) -> f64 {
    let w: Vec<f64> = v.iter().map(|x| x.exp()).collect();
    let total: f64 = w.iter().sum();
    let p = w.iter().map(|x| x / total).collect::<Vec<_>>();
    let pairs: Vec<(f64, f64)> = p.iter().zip(v).map(|(a, b)| (*a, *b)).collect();
    let table = [1.0, 2.0, 3.0].map(|x| x * v[0]);
    let mut s = 0.0;
    pairs.iter().for_each(|(a, b)| s += a * b);
    s + table[2] * table[1]
}

#[differentiable(crate = crate::riesz)]
fn in_place(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    for (x, y) in w.iter_mut().zip(v.iter().rev()) {
        *x += y * y;
    }
    for (i, x) in w.iter_mut().enumerate() {
        if i % 2 == 0 {
            *x = x.sin();
        }
    }
    for x in &mut w {
        *x *= v[0];
    }
    w.iter().sum()
}

#[test]
fn chains() {
    for v in [vec![0.5, -1.25, 2.0, 0.75, 1.5], vec![1.1, 0.2, 0.3, 0.4], vec![-0.5, -0.25, 0.6]] {
        check_slice!(sums, v);
        check_slice!(folds, v);
        check_slice!(pieces, v);
        check_slice!(filters, v);
        check_slice!(collected, v);
        check_slice!(in_place, v);
    }
}
