//! Numbers as they are written in everyday code: `2.0 * &x + &y * &z`, `x += y`, `xs.iter().sum()`, `if x > 1e-9`.
//!
//! ```
//! use riesz_algebra::{Nagata, Numeric};
//!
//! /// Newton's method for the square root, until the step is small.
//! fn root<D: Numeric>(a: D) -> D {
//!     let mut x = a.clone();
//!     loop {
//!         let step = (x.clone() * x.clone() - a.clone()) / (x.clone() * 2.0);
//!         x -= step.clone();
//!         if step.value().abs() < 1e-12 {
//!             return x;
//!         }
//!     }
//! }
//!
//! let [x] = Nagata::variables([4.0]);
//! let y = root(x);
//! assert!((y.primal - 2.0).abs() < 1e-12 && (y.tangent[0] - 0.25).abs() < 1e-9);
//! assert!(y > 1.9 && y < 2.1);
//! ```
//!
//! In generic code, as above, operators take numbers by value, or a number and an `f64`. Those on references, and `2.0 * x`
//! with the `f64` first, are for numbers whose type is written out.
//!
//! Numbers compare with `f64` by their value. They do not compare with each other by `<`: two numbers of one value and
//! different gradients are not equal. Compare their [values](Numeric::value).

use core::cmp::Ordering;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};

use crate::module::Module;
use crate::nagata::Nagata;
use crate::real::Real;
use crate::semiring::{Monoid, Ring, Semiring};

/// Numbers with a value that can be looked at, and the operators with each other, with references and with `f64`.
pub trait Numeric:
    Real
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + PartialOrd<f64>
    + Sum
{
    /// The value, without what it carries.
    fn value(&self) -> f64;
}

impl Numeric for f64 {
    fn value(&self) -> f64 {
        *self
    }
}

impl<D: Numeric, E: Module<D>> Numeric for Nagata<D, E> {
    fn value(&self) -> f64 {
        self.primal.value()
    }
}

impl<D: Numeric, E> PartialEq<f64> for Nagata<D, E> {
    fn eq(&self, other: &f64) -> bool {
        self.primal.value() == *other
    }
}

impl<D: Numeric, E> PartialOrd<f64> for Nagata<D, E> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.primal.value().partial_cmp(other)
    }
}

/// The operators with references and with `f64` on both sides: `operator method assign method`, and what it is.
macro_rules! mixed {
    ($($operator:ident $method:ident $assign:ident $assigned:ident [$($bound:tt)*] |$x:ident, $y:ident| $both:expr, |$c:ident| $right:expr, $left:expr;)*) => {$(
        impl<D: $($bound)*, E: Module<D>> $operator<&Nagata<D, E>> for &Nagata<D, E> {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, other: &Nagata<D, E>) -> Nagata<D, E> {
                let ($x, $y) = (self, other);
                $both
            }
        }

        impl<D: $($bound)*, E: Module<D>> $operator<&Nagata<D, E>> for Nagata<D, E> {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, other: &Nagata<D, E>) -> Nagata<D, E> {
                let ($x, $y) = (&self, other);
                $both
            }
        }

        impl<D: $($bound)*, E: Module<D>> $operator<Nagata<D, E>> for &Nagata<D, E> {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, other: Nagata<D, E>) -> Nagata<D, E> {
                let ($x, $y) = (self, &other);
                $both
            }
        }

        impl<D: Real, E: Module<D>> $operator<f64> for Nagata<D, E> {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, $c: f64) -> Nagata<D, E> {
                let $x = self;
                $right
            }
        }

        impl<D: Real, E: Module<D>> $operator<f64> for &Nagata<D, E> {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, $c: f64) -> Nagata<D, E> {
                let $x = self.clone();
                $right
            }
        }

        impl<D: Real, E: Module<D>> $operator<Nagata<D, E>> for f64 {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, $x: Nagata<D, E>) -> Nagata<D, E> {
                let $c = self;
                $left
            }
        }

        impl<D: Real, E: Module<D>> $operator<&Nagata<D, E>> for f64 {
            type Output = Nagata<D, E>;
            #[inline(always)]
            fn $method(self, $x: &Nagata<D, E>) -> Nagata<D, E> {
                let ($c, $x) = (self, $x.clone());
                $left
            }
        }

        impl<D: $($bound)*, E: Module<D>> $assign for Nagata<D, E> {
            #[inline(always)]
            fn $assigned(&mut self, other: Nagata<D, E>) {
                *self = $operator::$method(&*self, other);
            }
        }

        impl<D: Real, E: Module<D>> $assign<f64> for Nagata<D, E> {
            #[inline(always)]
            fn $assigned(&mut self, other: f64) {
                *self = $operator::$method(&*self, other);
            }
        }
    )*};
}

mixed! {
    Add add AddAssign add_assign [Semiring] |x, y| Monoid::add(x, y),
        |c| Nagata { primal: x.primal + D::constant(c), tangent: x.tangent }, x + c;
    Sub sub SubAssign sub_assign [Ring] |x, y| Ring::sub(x, y),
        |c| Nagata { primal: x.primal - D::constant(c), tangent: x.tangent }, Nagata::<D, E>::constant(D::constant(c)) - x;
    Mul mul MulAssign mul_assign [Semiring] |x, y| Semiring::mul(x, y), |c| x.times(c), x.times(c);
    Div div DivAssign div_assign [Real] |x, y| x.clone() / y.clone(),
        |c| x / Nagata::<D, E>::constant(D::constant(c)), x.recip().times(c);
}

impl<D: Semiring, E: Module<D>> Sum for Nagata<D, E> {
    fn sum<I: Iterator<Item = Nagata<D, E>>>(numbers: I) -> Nagata<D, E> {
        numbers.fold(Nagata::zero(), |sum, number| Monoid::add(&sum, &number))
    }
}

impl<'a, D: Semiring, E: Module<D>> Sum<&'a Nagata<D, E>> for Nagata<D, E> {
    fn sum<I: Iterator<Item = &'a Nagata<D, E>>>(numbers: I) -> Nagata<D, E> {
        numbers.fold(Nagata::zero(), |sum, number| Monoid::add(&sum, number))
    }
}

/// Zero and one as num-traits has them, so that matrices of nalgebra can be made of Nagata numbers:
///
/// ```
/// use nalgebra::{Matrix2, Vector2};
/// use riesz_algebra::Nagata;
///
/// let [x, y] = Nagata::variables([2.0, 3.0]);
/// let product = Matrix2::new(x, y, y, x) * Vector2::new(x, y);
/// assert_eq!(product[0].primal, 13.0);
/// assert_eq!(product[0].tangent, [4.0, 6.0]);
/// ```
#[cfg(feature = "num-traits")]
impl<D: Semiring + PartialEq, E: Module<D> + PartialEq> num_traits::Zero for Nagata<D, E> {
    fn zero() -> Self {
        Monoid::zero()
    }
    fn is_zero(&self) -> bool {
        *self == Monoid::zero()
    }
}

#[cfg(feature = "num-traits")]
impl<D: Semiring, E: Module<D>> num_traits::One for Nagata<D, E> {
    fn one() -> Self {
        Semiring::one()
    }
}

/// Constants.
#[cfg(feature = "num-traits")]
impl<D: Real, E: Module<D>> num_traits::FromPrimitive for Nagata<D, E> {
    fn from_i64(n: i64) -> Option<Self> {
        Some(Real::constant(n as f64))
    }
    fn from_u64(n: u64) -> Option<Self> {
        Some(Real::constant(n as f64))
    }
    fn from_f64(x: f64) -> Option<Self> {
        Some(Real::constant(x))
    }
}
