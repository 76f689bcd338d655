//! The subset of Rust, form by form: each derivative against central differences, and each value against the function.

// The forms that the tests are about are written as users write them.
#![allow(clippy::needless_range_loop, clippy::redundant_guards, clippy::single_match, clippy::unnecessary_cast)]
#![allow(clippy::type_complexity)]

mod algorithms;
mod arrays;
mod control;
mod generics;
mod integers;
mod iterators;
mod linked;
mod matrices;
mod meaning;
mod models;
mod modular;
mod modules;
mod numbers;
mod options;
mod outputs;
mod physics;
mod programs;
mod rules;
mod single;

/// What the crate `riesz` exports: these tests do without the rest of it.
pub mod riesz {
    pub use riesz_macros::{__link, Differentiable, derivative, differentiable};
    pub use riesz_runtime as __runtime;
}

/// Compares a gradient with central differences.
pub fn compare(f: &dyn Fn(&[f64]) -> f64, at: &[f64], gradient: &[f64]) {
    assert_eq!(at.len(), gradient.len());
    for i in 0..at.len() {
        let step = 1e-5 * at[i].abs().max(1.0);
        let moved = |by: f64| {
            let mut x = at.to_vec();
            x[i] += by;
            f(&x)
        };
        // Richardson's extrapolation of central differences.
        let coarse = (moved(step) - moved(-step)) / (2.0 * step);
        let fine = (moved(step / 2.0) - moved(-step / 2.0)) / step;
        let difference = (4.0 * fine - coarse) / 3.0;
        let error = (difference - gradient[i]).abs() / difference.abs().max(1.0);
        assert!(
            error < 1e-7,
            "component {i} at {at:?}: {} by the derivative, {difference} by differences",
            gradient[i]
        );
    }
}

/// Checks the derivatives of a function of one slice at a point: all of them against differences, or against each other.
#[macro_export]
macro_rules! check_slice {
    ($f:ident, $at:expr) => {{
        let at: &[f64] = &$at;
        let gradient: Vec<f64> = $f::grad(at);
        $crate::compare(&|x| $f(x), at, &gradient);
        let mut place = vec![f64::NAN; at.len()];
        let value = $f::value_and_grad(at, &mut place);
        assert_eq!(place, gradient);
        assert!((value - $f(at)).abs() <= 1e-12 * value.abs().max(1.0), "{value} is not {}", $f(at));
        let tangent: Vec<f64> = (0..at.len()).map(|i| 0.5 + i as f64 * 0.25).collect();
        let (_, derivative) = $f::jvp(at, &tangent);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let expected = dot(&gradient, &tangent);
        assert!(
            (derivative - expected).abs() < 1e-10 * expected.abs().max(1.0),
            "{derivative} forward, {expected} reverse"
        );
        let (_, back) = $f::vjp(at);
        for (a, b) in back(3.0).iter().zip(&gradient) {
            assert_eq!(*a, 3.0 * b);
        }
    }};
}

/// The points at which most functions of five numbers are checked.
pub const POINTS: [[f64; 5]; 4] = [
    [0.31, -0.72, 0.53, 0.94, -0.45],
    [-0.83, 0.14, -0.25, 0.66, 0.77],
    [0.08, 0.59, 0.91, -0.12, 0.43],
    [0.61, 0.34, 0.27, 0.88, 0.19],
];

/// Checks the derivatives of functions of five numbers at the points.
#[macro_export]
macro_rules! check_at_points {
    ($($f:ident)*) => {
        $($crate::POINTS.iter().for_each(|at| $crate::check_slice!($f, *at));)*
    };
}

/// Checks the first and second derivatives of a function of one number.
#[macro_export]
macro_rules! check_number {
    ($f:ident, $at:expr) => {{
        let at: f64 = $at;
        $crate::compare(&|x| $f(x[0]), &[at], &[$f::grad(at)]);
        $crate::compare(&|x| $f::grad(x[0]), &[at], &[$f::hessian(at)]);
        let (value, derivative) = $f::jvp(at, 2.0);
        assert!((value - $f(at)).abs() <= 1e-13 * value.abs().max(1.0), "{value} is not {}", $f(at));
        assert!((derivative - 2.0 * $f::grad(at)).abs() < 1e-12 * derivative.abs().max(1.0));
        assert!(($f::hvp(at, 1.0) - $f::hessian(at)).abs() < 1e-10 * $f::hessian(at).abs().max(1.0));
    }};
}
