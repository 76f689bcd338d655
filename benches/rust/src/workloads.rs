//! The workloads of the suite as functions of Rust, written as one writes them without derivatives in mind.

use riesz::differentiable;

#[differentiable]
pub mod mixture {
    fn logsumexp(v: &[f64]) -> f64 {
        let largest = v.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        largest + v.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
    }

    /// ADBench's mixture of Gaussians: `D` coordinates, and `T` numbers below the diagonal of each factor.
    #[differentiable(wrt(alphas, means, qs, ls))]
    pub fn mixture<const D: usize, const T: usize>(
        alphas: &[f64],
        means: &[[f64; D]],
        qs: &[[f64; D]],
        ls: &[[f64; T]],
        x: &[[f64; D]],
        gamma: f64,
        m: i64,
    ) -> f64 {
        let k = alphas.len();
        let sums: Vec<f64> = qs.iter().map(|q| q.iter().sum::<f64>()).collect();
        let mut total = 0.0;
        for p in x {
            let mut terms = vec![0.0; k];
            for c in 0..k {
                let mut square = 0.0;
                for i in 0..D {
                    let mut z = qs[c][i].exp() * (p[i] - means[c][i]);
                    for j in 0..i {
                        z += ls[c][j * (2 * D - j - 1) / 2 + i - j - 1] * (p[j] - means[c][j]);
                    }
                    square += z * z;
                }
                terms[c] = alphas[c] + sums[c] - 0.5 * square;
            }
            total += logsumexp(&terms);
        }
        let mut frobenius = 0.0;
        for c in 0..k {
            frobenius += qs[c].iter().map(|q| (2.0 * q).exp()).sum::<f64>();
            frobenius += ls[c].iter().map(|l| l * l).sum::<f64>();
        }
        total - x.len() as f64 * logsumexp(alphas) + 0.5 * gamma * gamma * frobenius
            - m as f64 * sums.iter().sum::<f64>()
    }
}

#[differentiable]
pub mod adjustment {
    fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn rotate(r: &[f64; 3], x: &[f64; 3]) -> [f64; 3] {
        let square = dot(r, r);
        if square == 0.0 {
            let c = cross(r, x);
            return [x[0] + c[0], x[1] + c[1], x[2] + c[2]];
        }
        let angle = square.sqrt();
        let axis = [r[0] / angle, r[1] / angle, r[2] / angle];
        let (sin, cos) = angle.sin_cos();
        let (c, along) = (cross(&axis, x), (1.0 - cos) * dot(&axis, x));
        let mut y = [0.0; 3];
        for i in 0..3 {
            y[i] = cos * x[i] + sin * c[i] + along * axis[i];
        }
        y
    }

    #[differentiable(wrt(camera, x, weight))]
    pub fn error(camera: &[f64; 11], x: &[f64; 3], weight: f64, feature: &[f64; 2]) -> [f64; 2] {
        let y = rotate(&[camera[0], camera[1], camera[2]], &[x[0] - camera[3], x[1] - camera[4], x[2] - camera[5]]);
        let u = [y[0] / y[2], y[1] / y[2]];
        let r2 = u[0] * u[0] + u[1] * u[1];
        let scale = camera[6] * (1.0 + camera[9] * r2 + camera[10] * r2 * r2);
        [weight * (scale * u[0] + camera[7] - feature[0]), weight * (scale * u[1] + camera[8] - feature[1])]
    }

    #[differentiable]
    pub fn weight_error(weight: f64) -> f64 {
        1.0 - weight * weight
    }
}

/// A network with two hidden layers of `tanh`, and half the squared distance to what it should give.
#[differentiable(wrt(w1, b1, w2, b2, w3, b3))]
#[allow(clippy::too_many_arguments)]
pub fn network<const N: usize, const H: usize, const G: usize, const O: usize>(
    w1: &[[f64; N]; H],
    b1: &[f64; H],
    w2: &[[f64; H]; G],
    b2: &[f64; G],
    w3: &[[f64; G]; O],
    b3: &[f64; O],
    xs: &[[f64; N]],
    ts: &[[f64; O]],
) -> f64 {
    let mut loss = 0.0;
    for (x, t) in xs.iter().zip(ts) {
        let mut first = [0.0; H];
        for i in 0..H {
            first[i] = (w1[i].iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b1[i]).tanh();
        }
        let mut second = [0.0; G];
        for i in 0..G {
            second[i] = (w2[i].iter().zip(&first).map(|(w, x)| w * x).sum::<f64>() + b2[i]).tanh();
        }
        for i in 0..O {
            let out = w3[i].iter().zip(&second).map(|(w, x)| w * x).sum::<f64>() + b3[i];
            loss += (out - t[i]) * (out - t[i]);
        }
    }
    loss / 2.0
}

/// `Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²`
#[differentiable(sparse)]
pub fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        sum += 100.0 * across * across + along * along;
    }
    sum
}

#[differentiable]
pub fn recurrence(x: f64) -> f64 {
    let mut y = x;
    for _ in 0..1000 {
        y = 1.1 * y.sin() + 0.1;
    }
    y
}
