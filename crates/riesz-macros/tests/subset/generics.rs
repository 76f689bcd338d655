//! Functions that are generic over a float: their derivatives are those for `f64`.

use crate::riesz::differentiable;
use crate::{check_number, check_slice};
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What the trait of num-traits of this name has, as far as the functions below need it.
pub trait Float:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn zero() -> Self;
    fn one() -> Self;
    fn from(value: f64) -> Option<Self>;
    fn sin(self) -> Self;
    fn tanh(self) -> Self;
    fn powi(self, n: i32) -> Self;
    fn max(self, other: Self) -> Self;
}

macro_rules! float {
    ($real:ident) => {
        impl Float for $real {
            fn zero() -> Self {
                0.0
            }
            fn one() -> Self {
                1.0
            }
            fn from(value: f64) -> Option<Self> {
                Some(value as $real)
            }
            fn sin(self) -> Self {
                $real::sin(self)
            }
            fn tanh(self) -> Self {
                $real::tanh(self)
            }
            fn powi(self, n: i32) -> Self {
                $real::powi(self, n)
            }
            fn max(self, other: Self) -> Self {
                $real::max(self, other)
            }
        }
    };
}
float!(f64);
float!(f32);

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
    let half = <T as Float>::from(0.5).expect("a number");
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
