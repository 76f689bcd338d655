//! Real numbers with elementary functions: a function that is written once over them runs in every mode.
//! [000 §6.1, §6.2]
//!
//! ```
//! use riesz_algebra::finite::Below;
//! use riesz_algebra::tangent::ReverseArray;
//! use riesz_algebra::{Kronecker, Nagata, Real};
//!
//! fn f<D: Real>(x: D, y: D) -> D {
//!     (x.clone() * y).sin() + x.exp()
//! }
//!
//! // its value
//! assert_eq!(f(0.0, 3.0), 1.0);
//! // forward mode: both derivatives at once
//! let [x, y] = [Nagata { primal: 0.0, tangent: [1.0, 0.0] }, Nagata { primal: 3.0, tangent: [0.0, 1.0] }];
//! assert_eq!(f(x, y).tangent, [4.0, 0.0]);
//! // reverse mode
//! let at = |v: usize, primal| Nagata { primal, tangent: ReverseArray::delta(&Below::<2>::new(v).unwrap()) };
//! assert_eq!(f(at(0, 0.0), at(1, 3.0)).tangent.gradient().array(), [4.0, 0.0]);
//! ```
//!
//! A function is a row of a table: [`Unary`] or [`Binary`]. The row states its values and, once, its derivative in
//! terms of other rows. Nagata numbers over all gradients, towers of derivatives and symbolic expressions follow from
//! the row.

mod binary;
mod circle;
mod custom;
mod exponential;
#[cfg(feature = "alloc")]
mod expression;
pub(crate) mod float;
pub mod gamma;
mod interval;
mod nagata;
pub(crate) mod operators;
mod pair;
mod unary;

pub use binary::Binary;
#[cfg(feature = "alloc")]
pub use custom::primitive_law;
pub use custom::{Custom, Primitive};
#[cfg(feature = "alloc")]
pub use expression::Elementary;
pub use unary::Unary;

#[cfg(feature = "alloc")]
use alloc::string::String;
use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::module::Module;
use crate::semiring::Ring;
use crate::semiring::real::Float;
use unary::unary_table;

macro_rules! real {
    ($($(#[$doc:meta])* $name:ident $method:ident $kind:ident($std:ident $double:ident $single:ident) $x:ident $y:ident $derivative:expr;)*) => {
        /// Numbers with the functions of the reals.
        ///
        /// The operators work on values: write `x.clone() * x` where a number is used again.
        pub trait Real:
            Ring
            + Module<Self>
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Neg<Output = Self>
        {
            /// A number that does not vary.
            fn constant(x: f64) -> Self;
            /// A function of one number.
            fn unary(self, function: Unary) -> Self;
            /// A function of two numbers.
            fn binary(self, function: Binary, other: Self) -> Self;

            /// `(f x, f' x • dx)`: a function of one number, and its derivative along a tangent.
            ///
            /// It is a call, except for floating-point numbers: the table would be written once more for each row of the
            /// table around it, at every level of numbers over numbers.
            #[inline(never)]
            fn along<E: Module<Self>>(self, function: Unary, dx: &E) -> (Self, E) {
                let value = self.clone().unary(function);
                let slope = function.derivative(&self, &value);
                (value, dx.scale(&slope))
            }

            /// The same of a function of two numbers, along a tangent of each.
            #[inline(never)]
            fn along_both<E: Module<Self>>(self, function: Binary, other: Self, dx: &E, dy: &E) -> (Self, E) {
                function.along(self, other, dx, dy)
            }

            $($(#[$doc])*
            #[inline(always)]
            fn $method(self) -> Self {
                self.unary(Unary::$name)
            })*

            /// `1 / x`
            #[inline(always)]
            fn recip(self) -> Self {
                self.unary(Unary::Recip)
            }
            /// `xⁿ`
            #[inline(always)]
            fn powi(self, n: i32) -> Self {
                self.unary(Unary::Powi(n))
            }
            /// -1 for negative numbers, 1 for positive ones, 0 for 0
            #[inline(always)]
            fn sign(self) -> Self {
                self.unary(Unary::Sign)
            }
            /// `ψ⁽ᵏ⁾(x)`, the derivative of order `k + 1` of `log Γ`
            #[inline(always)]
            fn polygamma(self, k: u32) -> Self {
                self.unary(Unary::Polygamma(k))
            }
            /// `c · x`
            #[inline(always)]
            fn times(self, c: f64) -> Self {
                self.unary(Unary::Times(c))
            }
            /// `xʸ`
            #[inline(always)]
            fn pow(self, y: Self) -> Self {
                self.binary(Binary::Pow, y)
            }
            /// The length of the vector `(x, y)`.
            #[inline(always)]
            fn hypot(self, y: Self) -> Self {
                self.binary(Binary::Hypot, y)
            }
            /// The angle of the point `(x, self)`.
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                self.binary(Binary::Atan2, x)
            }
            /// The smaller one; ties go to the first, NaN if either is.
            #[inline(always)]
            fn min(self, y: Self) -> Self {
                self.binary(Binary::Min, y)
            }
            /// The larger one; ties go to the first, NaN if either is.
            #[inline(always)]
            fn max(self, y: Self) -> Self {
                self.binary(Binary::Max, y)
            }
        }
    };
}

unary_table!(real);

/// That the derivative in the table is the limit of differences, at a point: up to `tolerance`, relative to numbers
/// beyond 1.
///
/// # Errors
/// If they differ, both.
#[cfg(feature = "alloc")]
pub fn derivative_law(function: Unary, x: f64, tolerance: f64) -> Result<(), String> {
    let (f, h) = (|x: f64| x.unary(function), 1e-3);
    let difference = (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h);
    let derivative = function.derivative(&x, &f(x));
    crate::law::near("f' x = lim (f (x + h) − f (x − h)) / 2h", derivative, difference, tolerance)
        .map_err(|problem| alloc::format!("{function:?} at {x}: {problem}"))
}

impl Real for f64 {
    #[inline(always)]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn unary(self, function: Unary) -> f64 {
        function.of_f64(self)
    }

    /// A sine is found together with its cosine. What is known to be ordinary is not tested: a cosine where the angle is
    /// near, an exponential that is, and a factor where the compiler sees it.
    #[inline(always)]
    fn along<E: Module<f64>>(self, function: Unary, dx: &E) -> (f64, E) {
        match function {
            Unary::Times(c) if c.is_ordinary() => (c * self, dx.scale_ordinary(&c)),
            Unary::Exp => match exponential::near(self) {
                Some(power) => (power, dx.scale_ordinary(&power)),
                None => {
                    let power = exponential::far(self);
                    (power, dx.scale(&power))
                }
            },
            Unary::Sin if circle::is_near(self) => {
                let (sine, cosine) = circle::near(self);
                (sine, dx.scale_ordinary(&cosine))
            }
            Unary::Sin | Unary::Cos => {
                let (sine, cosine) = circle::sin_cos(self);
                if function == Unary::Sin { (sine, dx.scale(&cosine)) } else { (cosine, dx.scale(&-sine)) }
            }
            _ => {
                let value = self.unary(function);
                (value, dx.scale(&function.derivative(&self, &value)))
            }
        }
    }

    #[inline(always)]
    fn along_both<E: Module<f64>>(self, function: Binary, other: f64, dx: &E, dy: &E) -> (f64, E) {
        function.along(self, other, dx, dy)
    }

    #[inline(always)]
    fn binary(self, function: Binary, other: f64) -> f64 {
        function.of_f64(self, other)
    }
}

impl Real for f32 {
    #[inline(always)]
    fn constant(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn unary(self, function: Unary) -> f32 {
        function.of_f32(self)
    }

    /// A test of a slope looks at the value too. Were it of the slope alone, the value could wait until after it, and a sine
    /// would be computed apart from its cosine.
    // 0, or NaN where the value is not finite.
    #[allow(clippy::eq_op)]
    #[inline(always)]
    fn along<E: Module<f32>>(self, function: Unary, dx: &E) -> (f32, E) {
        let value = self.unary(function);
        let slope = function.derivative(&self, &value);
        match function {
            Unary::Sin | Unary::Cos if (slope + (value - value)).is_ordinary() => (value, dx.scale_ordinary(&slope)),
            _ => (value, dx.scale(&slope)),
        }
    }

    #[inline(always)]
    fn along_both<E: Module<f32>>(self, function: Binary, other: f32, dx: &E, dy: &E) -> (f32, E) {
        function.along(self, other, dx, dy)
    }

    #[inline(always)]
    fn binary(self, function: Binary, other: f32) -> f32 {
        function.of_f32(self, other)
    }
}
