//! Functions that are generic over a float: their derivatives are those for `f64`.

use crate::riesz::differentiable;
use crate::{check_number, check_slice};
use num_traits::Float;
use std::iter::Sum;

#[differentiable(crate = crate::riesz)]
fn wave<T: Float>(x: T) -> T {
    let two = T::from(2.0).unwrap();
    let mut y = T::zero();
    if x > T::one() {
        y = (two * x).sin();
    }
    y + (T::one() + x * x).tanh() / two
}

#[differentiable(crate = crate::riesz)]
fn energy<T, const N: usize>(x: &[T; N]) -> T
where
    T: Float + Sum,
{
    let half = <T as num_traits::NumCast>::from(0.5).expect("a number");
    x.iter().map(|x| half * x.powi(2)).sum::<T>() + x.iter().fold(T::zero(), |most, x| most.max(*x))
}

#[differentiable(crate = crate::riesz)]
mod together {
    use super::Float;

    pub fn square<T: Float>(x: T) -> T {
        x * x
    }

    pub fn sum<T: Float>(x: &[T]) -> T {
        let mut sum = T::zero();
        for x in x {
            sum = sum + square(*x).sin();
        }
        sum
    }
}

#[test]
fn generic_functions() {
    check_number!(wave, 0.4);
    check_number!(wave, 1.7);
    assert_eq!(wave(0.5_f32), 0.5 * 1.25_f32.tanh());
    let gradient: [f64; 3] = energy::grad(&[0.5, 2.0, -1.0]);
    assert_eq!(gradient, [0.5, 3.0, -1.0]);
    use together::sum;
    check_slice!(sum, [0.3, -0.7, 1.1]);
}
