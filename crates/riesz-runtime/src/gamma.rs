//! The derivatives of `log Γ`: the digamma function `ψ` and the polygamma functions `ψ⁽ᵏ⁾`.
//!
//! ```text
//! ψ⁽ᵏ⁾(x) = ψ⁽ᵏ⁾(x + 1) − (−1)ᵏ k! / xᵏ⁺¹                        moves x to the right, where
//! ψ(x)    ~ log x − 1/2x − Σⱼ B₂ⱼ / (2j x²ʲ)                      converges fast, and so does
//! ψ⁽ᵏ⁾(x) ~ (−1)ᵏ⁺¹ ((k − 1)!/xᵏ + k!/2xᵏ⁺¹ + Σⱼ B₂ⱼ (2j + k − 1)! / ((2j)! x²ʲ⁺ᵏ))
//! ψ⁽ᵏ⁾(x) = (−1)ᵏ ψ⁽ᵏ⁾(1 − x) − π dᵏ/dxᵏ cot πx                  for negative x
//! ```

use std::f64::consts::PI;

/// `ψ(x)`, the derivative of `log Γ`; NaN at its poles, 0 and the negative integers.
pub fn digamma(x: f64) -> f64 {
    if is_pole(x) {
        return f64::NAN;
    }
    if x < 0.0 {
        return digamma(1.0 - x) - PI * cotangent(x);
    }
    let (mut shifted, mut moved) = (x, 0.0);
    while shifted < FAR {
        moved += 1.0 / shifted;
        shifted += 1.0;
    }
    let inverse_square = 1.0 / (shifted * shifted);
    let (mut series, mut power) = (0.0, 1.0);
    for (bernoulli, twice_j) in even_bernoulli() {
        power *= inverse_square;
        series += bernoulli / twice_j * power;
    }
    shifted.ln() - 0.5 / shifted - series - moved
}

/// `ψ⁽ᵏ⁾(x)`, the derivative of order `k` of [`digamma`]; NaN at its poles, and where `k` is not a natural number.
pub fn polygamma(k: f64, x: f64) -> f64 {
    if k == 0.0 {
        return digamma(x);
    }
    if is_pole(x) || k < 0.0 || k.fract() != 0.0 || k > MOST {
        return f64::NAN;
    }
    let sign = if k % 2.0 == 0.0 { -1.0 } else { 1.0 };
    if x < 0.0 {
        return -sign * polygamma(k, 1.0 - x) - PI * cotangent_derivative(k, x);
    }
    let (mut shifted, mut moved) = (x, 0.0);
    while shifted < FAR + k {
        moved += k * factorial_over_power(k, shifted) / shifted;
        shifted += 1.0;
    }
    let mut term = factorial_over_power(k, shifted);
    let mut series = term + 0.5 * term * k / shifted;
    for (bernoulli, twice_j) in even_bernoulli() {
        let (a, b) = ((twice_j + k - 2.0) / shifted, (twice_j + k - 1.0) / shifted);
        term *= a * b / ((twice_j - 1.0) * twice_j);
        series += bernoulli * term;
    }
    sign * (moved + series)
}

/// The asymptotic series are used from here on.
const FAR: f64 = 12.0;

/// Orders beyond this overflow.
const MOST: f64 = 1e3;

/// `B₂ⱼ` and `2j`, for `j` from 1.
fn even_bernoulli() -> impl Iterator<Item = (f64, f64)> {
    const NUMBERS: [f64; 14] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
        43867.0 / 798.0,
        -174611.0 / 330.0,
        854513.0 / 138.0,
        -236364091.0 / 2730.0,
        8553103.0 / 6.0,
        -23749461029.0 / 870.0,
    ];
    NUMBERS.into_iter().zip((1..).map(|j| 2.0 * f64::from(j)))
}

fn is_pole(x: f64) -> bool {
    x == f64::NEG_INFINITY || x <= 0.0 && x.fract() == 0.0
}

/// `cot πx`, reduced to its period and from there to the half where the tangent is accurate: both steps are exact.
fn cotangent(x: f64) -> f64 {
    let reduced = x - x.round();
    if reduced.abs() < 0.25 { 1.0 / (PI * reduced).tan() } else { (PI * (0.5 - reduced.abs())).tan().copysign(reduced) }
}

/// `(k − 1)! / xᵏ`
fn factorial_over_power(k: f64, x: f64) -> f64 {
    (1..k as u32).fold(1.0 / x, |product, i| product * f64::from(i) / x)
}

/// `dᵏ/dxᵏ cot πx = πᵏ pₖ(cot πx)`, where `p₀(c) = c` and `pₖ₊₁(c) = −(1 + c²) pₖ′(c)`
fn cotangent_derivative(k: f64, x: f64) -> f64 {
    let mut polynomial = vec![0.0, 1.0];
    for _ in 0..k as u32 {
        let slope: Vec<f64> = polynomial.iter().enumerate().skip(1).map(|(i, p)| i as f64 * p).collect();
        let mut next = vec![0.0; slope.len() + 2];
        for (i, p) in slope.iter().enumerate() {
            next[i] -= p;
            next[i + 2] -= p;
        }
        polynomial = next;
    }
    let cotangent = cotangent(x);
    PI.powf(k) * polynomial.iter().rev().fold(0.0, |value, p| value * cotangent + p)
}
