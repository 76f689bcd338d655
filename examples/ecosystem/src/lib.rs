//! Functions that optimisers, samplers and integrators of other crates call (`tests/crates`): plain Rust with an attribute.

use riesz::differentiable;

/// Rosenbrock's valley, whose lowest point is (1, .., 1).
#[differentiable(sparse)]
pub fn valley(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let rise = x[i + 1] - x[i] * x[i];
        sum += 100.0 * rise * rise + (1.0 - x[i]) * (1.0 - x[i]);
    }
    sum
}

/// The differences between measurements and a decay `a · exp(-rate · t) + rest`.
#[differentiable(wrt(p))]
pub fn residuals(p: &[f64; 3], t: &[f64], y: &[f64]) -> Vec<f64> {
    t.iter().zip(y).map(|(t, y)| p[0] * (-p[1] * t).exp() + p[2] - y).collect()
}

/// The logarithm of the density of eight schools' effects, whose mean and spread are not known: `x` holds the mean, the
/// logarithm of the spread, and the effects in units of the spread.
#[differentiable(wrt(x))]
pub fn schools(x: &[f64], measured: &[f64], error: &[f64]) -> f64 {
    let (mean, spread) = (x[0], x[1].exp());
    let mut log = x[1] - 0.5 * (mean / 5.0).powi(2) - (1.0 + (spread / 5.0).powi(2)).ln();
    for i in 0..measured.len() {
        let effect = mean + spread * x[2 + i];
        log -= 0.5 * x[2 + i].powi(2) + 0.5 * ((measured[i] - effect) / error[i]).powi(2);
    }
    log
}

/// Robertson's reactions: the rates at which three concentrations change.
#[differentiable(wrt(y))]
pub fn reactions(y: &[f64], rates: &[f64; 3]) -> [f64; 3] {
    let (slow, fast, quadratic) = (rates[0] * y[0], rates[1] * y[1] * y[2], rates[2] * y[1] * y[1]);
    [fast - slow, slow - fast - quadratic, quadratic]
}
