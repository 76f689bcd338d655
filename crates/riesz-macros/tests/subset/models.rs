//! Programs of statistics and finance, and networks.

use crate::compare;
use crate::riesz::{Differentiable, differentiable};
use num_traits::Float;

// A network of layers with weights in rows.

#[differentiable(crate = crate::riesz)]
mod mlp {
    pub struct Layer {
        pub weights: Vec<Vec<f64>>,
        pub biases: Vec<f64>,
    }

    pub struct Network {
        pub hidden: Layer,
        pub output: Layer,
    }

    fn relu(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.01 * x }
    }

    impl Layer {
        fn forward(&self, input: &[f64]) -> Vec<f64> {
            self.weights
                .iter()
                .zip(&self.biases)
                .map(|(row, b)| row.iter().zip(input.iter()).map(|(w, x)| w * x).sum::<f64>() + b)
                .collect()
        }
    }

    impl Network {
        fn forward(&self, input: &[f64]) -> Vec<f64> {
            let h: Vec<f64> = self.hidden.forward(input).into_iter().map(relu).collect();
            self.output.forward(&h)
        }
    }

    fn softmax(logits: &[f64]) -> Vec<f64> {
        let max = logits.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let exps: Vec<f64> = logits.iter().map(|l| (l - max).exp()).collect();
        let total: f64 = exps.iter().sum();
        exps.iter().map(|e| e / total).collect()
    }

    #[differentiable(wrt(network))]
    pub fn loss(network: &Network, inputs: &[Vec<f64>], labels: &[usize]) -> f64 {
        let mut total = 0.0;
        for (x, &label) in inputs.iter().zip(labels) {
            let p = softmax(&network.forward(x));
            total -= p[label].ln();
        }
        total / inputs.len() as f64
    }
}

fn network(p: &[f64]) -> mlp::Network {
    let rows = |from: usize, n: usize, m: usize| (0..n).map(|i| p[from + i * m..from + (i + 1) * m].to_vec()).collect();
    mlp::Network {
        hidden: mlp::Layer { weights: rows(0, 4, 3), biases: p[12..16].to_vec() },
        output: mlp::Layer { weights: rows(16, 2, 4), biases: p[24..26].to_vec() },
    }
}

#[test]
fn a_network() {
    let inputs = vec![vec![0.3, -0.7, 0.2], vec![1.1, 0.4, -0.6], vec![0.0, 0.9, 0.5]];
    let labels = [0, 1, 1];
    let p: Vec<f64> = (0..26).map(|i| (i as f64 * 1.7).sin() * 0.8).collect();
    let d = mlp::loss::grad(&network(&p), &inputs, &labels);
    let flat: Vec<f64> = d
        .hidden
        .weights
        .concat()
        .into_iter()
        .chain(d.hidden.biases)
        .chain(d.output.weights.concat())
        .chain(d.output.biases)
        .collect();
    compare(&|p| mlp::loss(&network(p), &inputs, &labels), &p, &flat);
}

// The price of an option.

#[derive(Clone, Copy, PartialEq, Eq, Debug, Differentiable)]
#[riesz(crate = crate::riesz)]
pub enum Side {
    Call,
    Put,
}

#[differentiable(crate = crate::riesz)]
fn normal_cdf(x: f64) -> f64 {
    // Abramowitz and Stegun 26.2.17
    const B: [f64; 5] = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    const P: f64 = 0.2316419;
    let t = 1.0 / (1.0 + P * x.abs());
    let poly = t * B.iter().rev().fold(0.0, |acc, b| acc * t + b);
    let tail = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * poly;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[differentiable(crate = crate::riesz, wrt(spot, volatility, rate))]
fn price(side: Side, spot: f64, strike: f64, volatility: f64, rate: f64, years: f64) -> f64 {
    let sqrt_t = years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + volatility.powi(2) / 2.0) * years) / (volatility * sqrt_t);
    let d2 = d1 - volatility * sqrt_t;
    let discounted = strike * (-rate * years).exp();
    match side {
        Side::Call => spot * normal_cdf(d1) - discounted * normal_cdf(d2),
        Side::Put => discounted * normal_cdf(-d2) - spot * normal_cdf(-d1),
    }
}

#[test]
fn options() {
    for side in [Side::Call, Side::Put] {
        let g = price::grad(side, 100.0, 95.0, 0.2, 0.03, 0.5);
        compare(&|x| price(side, x[0], 95.0, x[1], x[2], 0.5), &[100.0, 0.2, 0.03], &[g.0, g.1, g.2]);
    }
}

// Dynamic programming over arrays of arrays.

#[differentiable(crate = crate::riesz)]
fn soft_dtw(a: &[f64], b: &[f64], gamma: f64) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut r: Vec<Vec<f64>> = vec![vec![1e10; m + 1]; n + 1];
    r[0][0] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let cost = (a[i - 1] - b[j - 1]).powi(2);
            let (x, y, z) = (r[i - 1][j], r[i][j - 1], r[i - 1][j - 1]);
            let least = x.min(y).min(z);
            let s = (-(x - least) / gamma).exp() + (-(y - least) / gamma).exp() + (-(z - least) / gamma).exp();
            r[i][j] = cost + least - gamma * s.ln();
        }
    }
    r[n][m]
}

#[test]
fn dtw() {
    let x = [0.1, 0.5, -0.3, 0.8, 0.2, 0.4, -0.1, 0.9, 0.7];
    let g = soft_dtw::grad(&x[..4], &x[4..8], x[8]);
    let flat: Vec<f64> = g.0.into_iter().chain(g.1).chain([g.2]).collect();
    compare(&|x| soft_dtw(&x[..4], &x[4..8], x[8]), &x, &flat);
}

#[differentiable(crate = crate::riesz, wrt(start, step, emit))]
fn viterbi<const S: usize, const O: usize>(
    start: &[f64; S],
    step: &[[f64; S]; S],
    emit: &[[f64; O]; S],
    seen: &[usize],
) -> f64 {
    let mut best: [f64; S] = std::array::from_fn(|s| start[s] + emit[s][seen[0]]);
    for &o in &seen[1..] {
        let previous = best;
        for (to, value) in best.iter_mut().enumerate() {
            *value = previous
                .iter()
                .enumerate()
                .map(|(from, v)| v + step[from][to])
                .fold(f64::NEG_INFINITY, |a, b| a.max(b))
                + emit[to][o];
        }
    }
    best.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn viterbi_paths() {
    let make = |x: &[f64]| ([x[0], x[1]], [[x[2], x[3]], [x[4], x[5]]], [[x[6], x[7], x[8]], [x[9], x[10], x[11]]]);
    let x: Vec<f64> = (0..12).map(|i| ((i * i) as f64 * 0.7).sin()).collect();
    let seen = [0, 2, 1, 1, 0, 2];
    let (s, t, e) = make(&x);
    let (a, b, c) = viterbi::grad(&s, &t, &e, &seen);
    let flat: Vec<f64> = a.iter().copied().chain(b.concat()).chain(c.concat()).collect();
    compare(
        &|x| {
            let (s, t, e) = make(x);
            viterbi(&s, &t, &e, &seen)
        },
        &x,
        &flat,
    );
}

// The likelihood of a filter, as a method.

#[derive(Clone, Debug, Differentiable)]
#[riesz(crate = crate::riesz)]
pub struct Filter {
    pub mean: f64,
    pub variance: f64,
    pub noise: [f64; 2],
    pub steps: u32,
}

#[differentiable(crate = crate::riesz)]
impl Filter {
    pub fn log_likelihood(&self, seen: &[f64]) -> f64 {
        let Filter { mut mean, mut variance, noise: [process, measurement], .. } = *self;
        let mut ll = 0.0;
        for z in seen {
            variance += process.exp();
            let s = variance + measurement.exp();
            let innovation = z - mean;
            ll -= 0.5 * (innovation * innovation / s + s.ln() + (2.0 * std::f64::consts::PI).ln());
            let gain = variance / s;
            mean += gain * innovation;
            variance *= 1.0 - gain;
        }
        ll
    }
}

#[test]
fn a_filter() {
    let make = |x: &[f64]| Filter { mean: x[0], variance: x[1], noise: [x[2], x[3]], steps: 3 };
    let x = [0.1, 1.0, -1.5, -0.7, 0.3, 0.5, 0.1, 0.9];
    let (f, z) = make(&x).log_likelihood_grad(&x[4..]);
    let flat: Vec<f64> = [f.mean, f.variance, f.noise[0], f.noise[1]].into_iter().chain(z).collect();
    compare(&|x| make(x).log_likelihood(&x[4..]), &x, &flat);
}

// A polynomial fitted by elimination with pivoting.

#[differentiable(crate = crate::riesz, wrt(ys))]
fn fitted(xs: &[f64], ys: &[f64], degree: usize, at: f64) -> f64 {
    let n = degree + 1;
    let mut a = vec![vec![0.0; n + 1]; n];
    for (x, y) in xs.iter().zip(ys.iter()) {
        for i in 0..n {
            for j in 0..n {
                a[i][j] += x.powi((i + j) as i32);
            }
            a[i][n] += x.powi(i as i32) * y;
        }
    }
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if a[i][k].abs() > a[p][k].abs() {
                p = i;
            }
        }
        a.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..=n {
                let t = a[k][j];
                a[i][j] -= f * t;
            }
        }
    }
    let mut c = vec![0.0; n];
    for i in (0..n).rev() {
        let mut s = a[i][n];
        for j in i + 1..n {
            s -= a[i][j] * c[j];
        }
        c[i] = s / a[i][i];
    }
    c.iter().rev().fold(0.0, |acc, c| acc * at + c)
}

#[test]
fn polynomial_fits() {
    let xs = [-1.0, -0.4, 0.1, 0.6, 1.2];
    let ys = [0.3, 0.5, -0.2, 0.8, 0.4];
    compare(&|y| fitted(&xs, y, 2, 0.3), &ys, &fitted::grad(&xs, &ys, 2, 0.3));
}

// A loss that is generic over a float.

#[differentiable(crate = crate::riesz)]
fn logistic_loss<F: Float + std::iter::Sum + std::ops::AddAssign>(weights: &[F], rows: &[Vec<F>], targets: &[F]) -> F {
    let mut loss = F::zero();
    for (row, &t) in rows.iter().zip(targets.iter()) {
        let z = row.iter().zip(weights).map(|(&x, &w)| x * w).sum::<F>();
        let softplus = if z > F::zero() { z + (-z).exp().ln_1p() } else { z.exp().ln_1p() };
        loss += softplus - t * z;
    }
    loss / F::from(rows.len()).unwrap()
}

#[test]
fn generic_logistic() {
    let rows = vec![vec![0.3, 1.0], vec![-0.7, 0.2], vec![1.1, -0.4]];
    let t = [1.0, 0.0, 1.0];
    let (by_w, _, by_t) = logistic_loss::grad(&[0.4, -0.9], &rows, &t);
    let flat: Vec<f64> = by_w.into_iter().chain(by_t).collect();
    compare(&|x| logistic_loss(&x[..2], &rows, &x[2..]), &[0.4, -0.9, 1.0, 0.0, 1.0], &flat);
}
