//! Algorithms as people write them.

use crate::compare;
use crate::riesz::{Differentiable, differentiable};

// A natural cubic spline.

#[differentiable(crate = crate::riesz, wrt(ys, at))]
fn spline(xs: &[f64], ys: &[f64], at: f64) -> f64 {
    let n = xs.len();
    let mut c = vec![0.0; n];
    let mut d = vec![0.0; n];
    // second derivatives by the algorithm of Thomas
    for i in 1..n - 1 {
        let (h0, h1) = (xs[i] - xs[i - 1], xs[i + 1] - xs[i]);
        let rhs = 6.0 * ((ys[i + 1] - ys[i]) / h1 - (ys[i] - ys[i - 1]) / h0);
        let m = 2.0 * (h0 + h1) - h0 * c[i - 1];
        c[i] = h1 / m;
        d[i] = (rhs - h0 * d[i - 1]) / m;
    }
    let mut m2 = vec![0.0; n];
    for i in (1..n - 1).rev() {
        m2[i] = d[i] - c[i] * m2[i + 1];
    }
    let mut k = 0;
    while k < n - 2 && at > xs[k + 1] {
        k += 1;
    }
    let h = xs[k + 1] - xs[k];
    let (a, b) = ((xs[k + 1] - at) / h, (at - xs[k]) / h);
    a * ys[k] + b * ys[k + 1] + ((a.powi(3) - a) * m2[k] + (b.powi(3) - b) * m2[k + 1]) * h * h / 6.0
}

#[test]
fn splines() {
    let xs = [0.0, 0.7, 1.5, 2.0, 3.1, 4.0];
    let x = [0.1, 0.9, -0.4, 0.3, 1.2, 0.8, 1.73];
    let (by_ys, by_at) = spline::grad(&xs, &x[..6], x[6]);
    let flat: Vec<f64> = by_ys.into_iter().chain([by_at]).collect();
    compare(&|x| spline(&xs, &x[..6], x[6]), &x, &flat);
}

// Newton's method until the step is small.

#[differentiable(crate = crate::riesz, wrt(e, m))]
fn kepler(e: f64, m: f64) -> f64 {
    let mut anomaly = if e < 0.8 { m } else { std::f64::consts::PI };
    let mut iterations = 0;
    loop {
        let f = anomaly - e * anomaly.sin() - m;
        let step = f / (1.0 - e * anomaly.cos());
        anomaly -= step;
        iterations += 1;
        if step.abs() < 1e-14 || iterations >= 50 {
            break;
        }
    }
    2.0 * (((1.0 + e) / (1.0 - e)).sqrt() * (anomaly / 2.0).tan()).atan()
}

#[differentiable(crate = crate::riesz)]
fn yield_rate(price: f64, coupon: f64, years: usize) -> f64 {
    let present = |r: f64| -> f64 {
        (1..=years).map(|t| coupon / (1.0 + r).powi(t as i32)).sum::<f64>() + 1.0 / (1.0 + r).powi(years as i32)
    };
    let mut r = 0.05;
    while (present(r) - price).abs() > 1e-13 {
        let h = 1e-6;
        let slope = (present(r + h) - present(r - h)) / (2.0 * h);
        r -= (present(r) - price) / slope;
    }
    r
}

#[test]
fn newton() {
    for (e, m) in [(0.3, 1.0), (0.9, 2.0)] {
        let g = kepler::grad(e, m);
        compare(&|x| kepler(x[0], x[1]), &[e, m], &[g.0, g.1]);
    }
    let g = yield_rate::grad(0.97, 0.04, 7);
    // differences of Newton by differences: the derivative of the last step
    let expected = |x: &[f64]| yield_rate(x[0], x[1], 7);
    let h = 1e-5;
    assert!((g.0 - (expected(&[0.97 + h, 0.04]) - expected(&[0.97 - h, 0.04])) / (2.0 * h)).abs() < 1e-5, "{g:?}");
}

// Chains of iterators.

#[differentiable(crate = crate::riesz)]
fn total_variation(signal: &[f64], data: &[f64], lambda: f64) -> f64 {
    let fit: f64 = signal.iter().zip(data).map(|(s, d)| 0.5 * (s - d).powi(2)).sum();
    let roughness: f64 = signal.windows(2).map(|w| ((w[1] - w[0]).powi(2) + 1e-6).sqrt()).sum();
    let blocks = signal.chunks(3).map(|c| c.iter().sum::<f64>() / c.len() as f64).map(|m| m * m).sum::<f64>();
    let ends = signal.iter().rev().take(2).fold(1.0, |p, x| p * (1.0 + x * x));
    fit + lambda * roughness + 0.1 * blocks + 0.01 * ends + signal.chunks_exact(2).map(|c| c[0] * c[1]).product::<f64>()
}

#[test]
fn iterators() {
    let x = [0.3, -0.2, 0.7, 0.9, 0.1, 0.2, -0.4, 0.8, 0.5, 0.0, 0.3];
    let g = total_variation::grad(&x[..5], &x[5..10], x[10]);
    let flat: Vec<f64> = g.0.into_iter().chain(g.1).chain([g.2]).collect();
    compare(&|x| total_variation(&x[..5], &x[5..10], x[10]), &x, &flat);
}

// Recursion on halves, on two functions, and on an integer.

#[differentiable(crate = crate::riesz)]
mod recursion {
    #[differentiable]
    pub fn pairwise(v: &[f64]) -> f64 {
        if v.len() == 1 {
            return v[0].sin();
        }
        let (a, b) = v.split_at(v.len() / 2);
        pairwise(a) * 1.1 + pairwise(b) * pairwise(a)
    }

    fn even(x: f64, n: u32) -> f64 {
        if n == 0 { x } else { odd(x * 1.1, n - 1) + 0.1 }
    }

    fn odd(x: f64, n: u32) -> f64 {
        if n == 0 { x * x } else { even(x.sin(), n - 1) }
    }

    #[differentiable]
    pub fn mutual(x: f64) -> f64 {
        even(x, 5) + odd(x, 4)
    }

    #[differentiable(wrt(x))]
    pub fn chebyshev(n: u32, x: f64) -> f64 {
        match n {
            0 => 1.0,
            1 => x,
            n => 2.0 * x * chebyshev(n - 1, x) - chebyshev(n - 2, x),
        }
    }
}

#[test]
fn recursions() {
    let x = [0.3, 0.5, -0.2, 0.9, 0.4];
    compare(&|x| recursion::pairwise(x), &x, &recursion::pairwise::grad(&x));
    compare(&|x| recursion::mutual(x[0]), &[0.7], &[recursion::mutual::grad(0.7)]);
    compare(&|x| recursion::chebyshev(6, x[0]), &[0.7], &[recursion::chebyshev::grad(6, 0.7)]);
}

// Points aligned with planes.

#[differentiable(crate = crate::riesz, wrt(pose))]
fn alignment<const N: usize>(
    pose: &[f64; 6],
    source: &[[f64; 3]; N],
    target: &[[f64; 3]; N],
    normals: &[[f64; 3]; N],
) -> f64 {
    fn rotate(w: [f64; 3], p: [f64; 3]) -> [f64; 3] {
        let theta2 = w.iter().map(|x| x * x).sum::<f64>();
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        if theta2 < 1e-16 {
            let c = cross(w, p);
            return [p[0] + c[0], p[1] + c[1], p[2] + c[2]];
        }
        let theta = theta2.sqrt();
        let k = w.map(|x| x / theta);
        let (s, c) = theta.sin_cos();
        let kxp = cross(k, p);
        let dot: f64 = k.iter().zip(&p).map(|(a, b)| a * b).sum();
        std::array::from_fn(|i| p[i] * c + kxp[i] * s + k[i] * dot * (1.0 - c))
    }
    let w = [pose[0], pose[1], pose[2]];
    let mut error = 0.0;
    for ((p, q), n) in source.iter().zip(target.iter()).zip(normals) {
        let r = rotate(w, *p);
        let mut d = 0.0;
        for axis in 0..3 {
            d += (r[axis] + pose[3 + axis] - q[axis]) * n[axis];
        }
        let huber = if d.abs() <= 0.5 { 0.5 * d * d } else { 0.5 * (d.abs() - 0.25) };
        error += huber;
    }
    error / N as f64
}

#[test]
fn icp() {
    let points: [[f64; 3]; 4] = [[1.0, 0.0, 0.2], [0.0, 1.0, -0.3], [0.5, 0.5, 1.0], [-1.0, 0.3, 0.1]];
    let targets: [[f64; 3]; 4] = [[0.9, 0.2, 0.2], [-0.2, 1.1, -0.2], [0.4, 0.7, 1.0], [-1.1, 0.1, 1.4]];
    let normals: [[f64; 3]; 4] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]];
    for pose in [[0.1, -0.2, 0.3, 0.05, 0.02, -0.1], [0.0; 6]] {
        let g = alignment::grad(&pose, &points, &targets, &normals);
        if pose[0] != 0.0 {
            compare(&|x| alignment(x.try_into().unwrap(), &points, &targets, &normals), &pose, &g);
        }
    }
}

// A list of operations.

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[riesz(crate = crate::riesz)]
pub enum Gate {
    Add,
    Mul,
    Sin,
    Swap,
}

#[differentiable(crate = crate::riesz, wrt(x, y))]
fn circuit(gates: &[Gate], x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y);
    for g in gates.iter() {
        match g {
            Gate::Add => a += b,
            Gate::Mul => a *= b,
            Gate::Sin => a = a.sin(),
            Gate::Swap => std::mem::swap(&mut a, &mut b),
        }
    }
    a - b / 3.0
}

#[test]
fn circuits() {
    let gates = [Gate::Mul, Gate::Sin, Gate::Swap, Gate::Add, Gate::Mul, Gate::Swap];
    let g = circuit::grad(&gates, 0.7, 1.3);
    compare(&|x| circuit(&gates, x[0], x[1]), &[0.7, 1.3], &[g.0, g.1]);
}

// An image and a kernel, by signed indices.

#[differentiable(crate = crate::riesz)]
fn blurred(image: &[f64], kernel: &[[f64; 3]; 3], width: usize) -> f64 {
    let height = image.len() / width;
    let mut out = vec![0.0; image.len()];
    for y in 0..height as i32 {
        for x in 0..width as i32 {
            let mut sum = 0.0;
            for dy in -1..=1i32 {
                for dx in -1..=1i32 {
                    let (yy, xx) = (y + dy, x + dx);
                    if yy < 0 || xx < 0 || yy >= height as i32 || xx >= width as i32 {
                        continue;
                    }
                    sum += image[(yy * width as i32 + xx) as usize] * kernel[(dy + 1) as usize][(dx + 1) as usize];
                }
            }
            out[(y * width as i32 + x) as usize] = sum.max(0.0);
        }
    }
    out.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn convolutions() {
    let x: Vec<f64> = (0..21).map(|i| ((i * 7) as f64 * 0.31).sin()).collect();
    let kernel = |x: &[f64]| [[x[0], x[1], x[2]], [x[3], x[4], x[5]], [x[6], x[7], x[8]]];
    let (i, k) = blurred::grad(&x[..12], &kernel(&x[12..]), 4);
    let flat: Vec<f64> = i.into_iter().chain(k.concat()).collect();
    compare(&|x| blurred(&x[..12], &kernel(&x[12..]), 4), &x, &flat);
}

// Arithmetic of integers.

const WEIGHTS: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
const HALF: f64 = 1.0 / 2.0;
const N: usize = WEIGHTS.len();

#[differentiable(crate = crate::riesz)]
fn integers(v: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..=v.len() {
        let (mut a, mut b) = (12usize, i);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let is_prime = i > 1 && (2..i).all(|d| i % d != 0);
        total += v[i - 1] * a as f64 + if is_prime { v[i - 1].powi(2) } else { 0.0 };
        let k = i as i64 - 3;
        total += v[i - 1] * (k.pow(2) + k.abs() + k.signum() + k.rem_euclid(4)) as f64 * 0.01;
        total += v[i - 1] * (i.min(3) + i.max(2) + i.saturating_sub(2) + i.pow(2) + i / 2) as f64 * 0.01;
    }
    total
}

#[test]
fn integer_arithmetic() {
    let x = [0.3, 0.1, -0.5, 0.7, 0.2, 0.9];
    compare(&|x| integers(x), &x, &integers::grad(&x));
}

#[differentiable(crate = crate::riesz)]
mod constants {
    const WEIGHTS: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
    const HALF: f64 = 1.0 / 2.0;
    const N: usize = WEIGHTS.len();
    const SHIFT: f64 = 0.25;

    pub fn weighted(v: &[f64]) -> f64 {
        let mut s = SHIFT;
        for i in 0..N {
            s += WEIGHTS[i] * v[i] * HALF;
        }
        s * s
    }
}

#[test]
fn constant_items() {
    let _ = (WEIGHTS, HALF, N);
    let x = [0.3, 0.1, -0.5, 0.7];
    compare(&|x| constants::weighted(x), &x, &constants::weighted::grad(&x));
}

// A table, searched by halves.

#[differentiable(crate = crate::riesz, wrt(ys, at))]
fn interpolated(xs: &[f64], ys: &[f64], at: f64) -> f64 {
    let (mut low, mut high) = (0, xs.len() - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if xs[middle] <= at {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = (at - xs[low]) / (xs[high] - xs[low]);
    ys[low] + t * (ys[high] - ys[low])
}

#[test]
fn tables() {
    let xs = [0.0, 1.0, 2.5, 3.0, 4.5];
    let x = [0.3, 0.9, -0.4, 0.6, 0.1, 2.7];
    let (y, at) = interpolated::grad(&xs, &x[..5], x[5]);
    let flat: Vec<f64> = y.into_iter().chain([at]).collect();
    compare(&|x| interpolated(&xs, &x[..5], x[5]), &x, &flat);
}
