//! Rules: the derivatives of functions that the attribute cannot see.

use crate::riesz::{derivative, differentiable};
use crate::{check_number, check_slice};
use std::cell::Cell;

/// The principal branch of Lambert's function: `w eʷ = x`.
fn lambert(x: f64) -> f64 {
    let mut w = if x > 1.0 { x.ln() } else { 0.0 };
    while !w.is_nan() {
        let step = (w * w.exp() - x) / (w.exp() * (w + 1.0));
        w -= step;
        if step.abs() <= 1e-15 * w.abs().max(1e-3) {
            break;
        }
    }
    w
}

#[derivative(of = lambert, crate = crate::riesz)]
fn lambert_rule(x: f64, dx: f64) -> f64 {
    let w = lambert(x);
    dx / (w.exp() * (1.0 + w))
}

#[test]
fn the_function_itself() {
    check_number!(lambert, 0.7);
    check_number!(lambert, 2.9);
}

#[differentiable(crate = crate::riesz)]
fn mixed(x: f64) -> f64 {
    if x > 0.5 { lambert(x * x) * x.sin() } else { lambert(2.0 * lambert(x + 1.0)) }
}

#[differentiable(crate = crate::riesz)]
fn many(v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..v.len() {
        sum += lambert(v[i] * v[i] + 0.3) * v[i];
    }
    let mut state = 0.4;
    for x in v {
        state = lambert(state + x * x);
    }
    sum + state
}

#[test]
fn functions_that_call_it() {
    check_number!(mixed, 0.8);
    check_number!(mixed, 0.2);
    let at: Vec<f64> = (0..37).map(|i| 0.3 + (i as f64 * 0.7).sin()).collect();
    check_slice!(many, at);
    // The second derivative, by differences of the first.
    let direction: Vec<f64> = (0..37).map(|i| (i as f64).cos()).collect();
    let moved = |by: f64| many::grad(&at.iter().zip(&direction).map(|(x, d)| x + by * d).collect::<Vec<f64>>());
    let second = many::hvp(&at, &direction);
    for ((up, down), second) in moved(1e-5).iter().zip(&moved(-1e-5)).zip(&second) {
        assert!(((up - down) / 2e-5 - second).abs() < 1e-6, "{} is not {second}", (up - down) / 2e-5);
    }
}

/// A function with two arguments that vary, one that does not, and a branch.
fn power(x: f64, n: i32, y: f64) -> f64 {
    if y <= 0.0 { 0.0 } else { x.powi(n) * y.sqrt() }
}

#[derivative(of = power, crate = crate::riesz)]
fn power_rule(x: f64, dx: f64, n: i32, y: f64, dy: f64) -> f64 {
    let mut change = 0.0 * dx;
    if y > 0.0 && !x.is_nan() {
        change = n as f64 * x.powi(n - 1) * y.sqrt() * dx;
        change += dy * power(x, n, y) / (2.0 * y);
    }
    change
}

#[differentiable(crate = crate::riesz)]
fn powers(v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..v.len() {
        sum += power(v[0], i as i32, v[i] - 0.1) * (1.0 + i as f64);
    }
    sum
}

#[test]
fn several_arguments() {
    check_slice!(powers, [0.7, 0.4, 0.0, 1.3]);
    let (x, y) = power::grad(1.5, 3, 4.0);
    assert!((x - 13.5).abs() < 1e-12 && (y - 3.375 / 4.0).abs() < 1e-12, "{x} {y}");
    assert_eq!(power::grad(1.5, 3, -4.0), (0.0, 0.0));
}

/// Sine and cosine, each of which is the other's derivative: a rule may use a function with a rule.
mod waves {
    use crate::riesz::derivative;

    pub fn sine(x: f64) -> f64 {
        x.sin()
    }

    #[derivative(of = sine, crate = crate::riesz)]
    pub fn sine_rule(x: f64, dx: f64) -> f64 {
        dx * x.cos()
    }

    pub fn cosine(x: f64) -> f64 {
        sine(x + std::f64::consts::FRAC_PI_2)
    }

    #[derivative(of = cosine, crate = crate::riesz)]
    pub fn cosine_rule(x: f64, dx: f64) -> f64 {
        -sine(x) * dx
    }
}

/// A function that another module calls without seeing what it is made of.
mod above {
    use super::waves::{cosine, sine};
    use crate::riesz::differentiable;

    #[differentiable(crate = crate::riesz)]
    pub fn wave(x: f64) -> f64 {
        sine(x) * cosine(2.0 * x)
    }
}

#[differentiable(crate = crate::riesz)]
fn waves_of_waves(x: f64) -> f64 {
    above::wave(above::wave(x) + self::waves::sine(x))
}

#[test]
fn rules_in_other_modules() {
    check_number!(waves_of_waves, 0.9);
    use above::wave;
    check_number!(wave, 1.1);
}

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn counted(x: f64) -> f64 {
    CALLS.set(CALLS.get() + 1);
    x * x
}

#[derivative(of = counted, crate = crate::riesz)]
fn counted_rule(x: f64, dx: f64) -> f64 {
    2.0 * x * dx
}

#[differentiable(crate = crate::riesz)]
fn twice(x: f64) -> f64 {
    counted(0.5) + counted(x)
}

#[test]
fn the_function_is_called_when_the_program_runs() {
    CALLS.set(0);
    assert_eq!(twice::jvp(3.0, 1.0), (9.25, 6.0));
    assert_eq!(CALLS.get(), 2);
}

fn single(x: f32) -> f32 {
    x.sqrt()
}

#[derivative(of = single, crate = crate::riesz)]
fn single_rule(x: f32, dx: f32) -> f32 {
    0.5 / single(x) * dx
}

#[differentiable(crate = crate::riesz)]
fn sum_of_roots(v: &[f32]) -> f32 {
    v.iter().map(|x| single(*x)).sum()
}

#[test]
fn single_precision() {
    let v: Vec<f32> = (1..40).map(|i| i as f32).collect();
    for (x, derivative) in v.iter().zip(sum_of_roots::grad(&v)) {
        assert!((derivative - 0.5 / x.sqrt()).abs() < 1e-6);
    }
}
