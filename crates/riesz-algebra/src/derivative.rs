//! Derivatives of functions in one line.
//!
//! ```
//! use riesz_algebra::derivative::{gradient, hessian, hessian_vector, jacobian, taylor};
//! use riesz_algebra::Real;
//!
//! fn f<D: Real>(x: &[D]) -> D {
//!     x[0].clone() * x[0].clone() * x[1].clone()
//! }
//!
//! assert_eq!(gradient(f, &[3.0, 5.0]), [30.0, 9.0]);
//! assert_eq!(hessian(f, &[3.0, 5.0]), [[10.0, 6.0], [6.0, 0.0]]);
//! assert_eq!(hessian_vector(f, &[3.0, 5.0], &[1.0, 10.0]), [70.0, 6.0]);
//! assert_eq!(jacobian(|x| vec![x[0].clone() * x[1].clone(), x[1].clone()], &[3.0, 5.0]), [[5.0, 3.0], [0.0, 1.0]]);
//! assert_eq!(taylor(|x| x.exp(), 0.0, 3), [1.0, 1.0, 0.5, 1.0 / 6.0]);
//! ```
//!
//! A function that is generic over [`Real`] numbers fits all of them; so does a closure, whose numbers have the type that
//! each function asks for. Gradients are in reverse mode: they take a small multiple of the time of the function,
//! regardless of the number of variables.

use alloc::vec::Vec;

use crate::kronecker::Kronecker;
use crate::nagata::Nagata;
use crate::order::Stream;
use crate::tangent::ReverseArray;

/// Numbers of reverse mode: the variables are positions.
pub type Reverse = Nagata<f64, ReverseArray<usize, f64>>;

/// Numbers of forward mode over reverse mode.
pub type ForwardReverse = Nagata<Reverse, Reverse>;

/// `∇f x`
pub fn gradient(f: impl FnOnce(&[Reverse]) -> Reverse, x: &[f64]) -> Vec<f64> {
    value_and_gradient(f, x).1
}

/// `f x` and `∇f x`
pub fn value_and_gradient(f: impl FnOnce(&[Reverse]) -> Reverse, x: &[f64]) -> (f64, Vec<f64>) {
    let Nagata { primal, tangent } = f(&variables(x));
    (primal, array(&tangent, x.len()))
}

/// The rows of the derivative, one for each number that the function gives.
pub fn jacobian(f: impl FnOnce(&[Reverse]) -> Vec<Reverse>, x: &[f64]) -> Vec<Vec<f64>> {
    f(&variables(x)).iter().map(|row| array(&row.tangent, x.len())).collect()
}

/// `H u`, for the matrix `H` of second derivatives.
///
/// # Panics
/// If the point and the direction have different lengths.
pub fn hessian_vector(f: impl FnOnce(&[ForwardReverse]) -> ForwardReverse, x: &[f64], u: &[f64]) -> Vec<f64> {
    assert_eq!(x.len(), u.len(), "a direction has as many numbers as the point");
    let along = |(primal, u): (Reverse, &f64)| Nagata { primal, tangent: Nagata::constant(*u) };
    let variables: Vec<ForwardReverse> = variables(x).into_iter().zip(u).map(along).collect();
    array(&f(&variables).tangent.tangent, x.len())
}

/// The rows of the matrix of second derivatives: one [`hessian_vector`] for each variable.
pub fn hessian(f: impl Fn(&[ForwardReverse]) -> ForwardReverse, x: &[f64]) -> Vec<Vec<f64>> {
    let mut unit = alloc::vec![0.0; x.len()];
    let row = |at: usize| {
        unit[at] = 1.0;
        let row = hessian_vector(&f, x, &unit);
        unit[at] = 0.0;
        row
    };
    (0..x.len()).map(row).collect()
}

/// The first coefficients of the Taylor series, from the order 0 to a given one: `f⁽ᵏ⁾ x / k!`.
///
/// The product rule has `2ᵏ` terms for the order `k`.
pub fn taylor(f: impl FnOnce(Stream<(), f64>) -> Stream<(), f64>, x: f64, order: u32) -> Vec<f64> {
    let mut derivative = Some(f(Stream::variable((), x)));
    let mut factorial = 1.0;
    let mut coefficients = Vec::new();
    for k in 0..=order {
        factorial *= f64::from(k.max(1));
        coefficients.push(derivative.as_ref().map_or(0.0, |stream| stream.value() / factorial));
        if k < order {
            derivative = derivative.and_then(|stream| stream.derivative_unless_zero(&()));
        }
    }
    coefficients
}

fn variables(x: &[f64]) -> Vec<Reverse> {
    let variable = |(v, primal): (usize, &f64)| Nagata { primal: *primal, tangent: ReverseArray::delta(&v) };
    x.iter().enumerate().map(variable).collect()
}

fn array(gradient: &ReverseArray<usize, f64>, count: usize) -> Vec<f64> {
    // No variable is beyond the last.
    gradient.gradient().run(count, |v| *v).unwrap_or_default()
}
