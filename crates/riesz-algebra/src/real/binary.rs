//! The table of functions of two numbers, and their partial derivatives.

use core::fmt::{self, Debug, Formatter};

use super::float::system;
use crate::module::Module;
use crate::real::Real;

/// A function of two numbers.
#[derive(Clone, Copy, PartialEq)]
pub enum Binary {
    /// `x − y`
    Sub,
    /// `x / y`
    Div,
    /// `xʸ`
    Pow,
    /// The length of the vector `(x, y)`.
    Hypot,
    /// The angle of the point `(y, x)`.
    Atan2,
    /// The smaller one; ties go to the first, NaN if either is.
    Min,
    /// The larger one; ties go to the first, NaN if either is.
    Max,
    /// 1 where `x < y`, else 0
    Less,
}

macro_rules! values {
    ($name:ident $float:ident $hypot:ident $atan2:ident $pow:ident) => {
        /// The value at two numbers.
        #[inline(always)]
        pub fn $name(self, x: $float, y: $float) -> $float {
            match self {
                Binary::Sub => x - y,
                Binary::Div => x / y,
                Binary::Pow => system!($float::powf, $pow(x, y)),
                Binary::Hypot => system!($float::hypot, $hypot(x, y)),
                Binary::Atan2 => system!($float::atan2, $atan2(x, y)),
                Binary::Min => {
                    if y < x || y.is_nan() {
                        y
                    } else {
                        x
                    }
                }
                Binary::Max => {
                    if x < y || y.is_nan() {
                        y
                    } else {
                        x
                    }
                }
                Binary::Less => {
                    if x < y {
                        1.0
                    } else {
                        0.0
                    }
                }
            }
        }
    };
}

impl Binary {
    /// All of them.
    pub const ALL: &[Binary] =
        &[Binary::Sub, Binary::Div, Binary::Pow, Binary::Hypot, Binary::Atan2, Binary::Min, Binary::Max, Binary::Less];

    values!(of_f64 f64 hypot atan2 pow);
    values!(of_f32 f32 hypotf atan2f powf);

    /// The partial derivatives at `(x, y)`, where the value is `r`.
    ///
    /// Products with `scale` have exact zeros, which settle what `0 · inf` is to be: `x⁰` does not vary with `x`, and the
    /// length of the vector 0 has the derivative 0.
    #[inline(always)]
    pub fn partials<D: Real>(self, x: &D, y: &D, r: &D) -> (D, D) {
        match self {
            Binary::Sub => (D::one(), D::constant(-1.0)),
            Binary::Div => {
                let inverse = y.clone().recip();
                let second = -(r.clone() * inverse.clone());
                (inverse, second)
            }
            Binary::Pow => (x.clone().pow(y.clone() - D::one()).scale(y), x.clone().ln().scale(r)),
            Binary::Hypot => (r.clone().recip().scale(x), r.clone().recip().scale(y)),
            Binary::Atan2 => {
                let length = x.clone().hypot(y.clone());
                let along = |z: &D| length.clone().recip().scale(z).clone().scale(&length.clone().recip());
                (along(y), -along(x))
            }
            Binary::Min => first_unless(y.clone().binary(Binary::Less, x.clone())),
            Binary::Max => first_unless(x.clone().binary(Binary::Less, y.clone())),
            Binary::Less => (D::zero(), D::zero()),
        }
    }
}

impl Binary {
    /// `(f (x, y), ∂f/∂x • dx + ∂f/∂y • dy)`
    #[inline(always)]
    pub(super) fn along<D: Real, E: Module<D>>(self, x: D, y: D, dx: &E, dy: &E) -> (D, E) {
        let value = x.clone().binary(self, y.clone());
        let tangent = if self == Binary::Div {
            E::quotient(dx, &x, dy, &y.recip())
        } else {
            let (first, second) = self.partials(&x, &y, &value);
            E::combine(dx, &first, dy, &second)
        };
        (value, tangent)
    }
}

fn first_unless<D: Real>(second: D) -> (D, D) {
    (D::one() - second.clone(), second)
}

/// As in a formula.
impl Debug for Binary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Binary::Sub => "sub",
            Binary::Div => "div",
            Binary::Pow => "pow",
            Binary::Hypot => "hypot",
            Binary::Atan2 => "atan2",
            Binary::Min => "min",
            Binary::Max => "max",
            Binary::Less => "less",
        })
    }
}
