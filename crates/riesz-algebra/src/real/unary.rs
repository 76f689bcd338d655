//! The table of functions of one number: its value, and its derivative as `|x, y|`, for `y` the value at `x`.
//!
//! The rows use `y` where the derivative is simpler in terms of the value: `d eˣ = eˣ`.

use core::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};
use core::fmt::{self, Debug, Formatter};

use super::float::{self, system};
use super::gamma;
use crate::real::Real;

/// Gives the rows to a macro: name, method, where values come from (the function of `std` and both of libm; in double
/// precision those that are `own` are of this crate), derivative.
macro_rules! unary_table {
    ($use:ident) => {
        $use! {
            /// `eˣ`
            Exp exp own(exp exp expf) x y y.clone();
            /// `2ˣ`
            Exp2 exp2 system(exp2 exp2 exp2f) x y y.clone().times(LN_2);
            /// `eˣ − 1`, accurate near 0
            ExpM1 exp_m1 system(exp_m1 expm1 expm1f) x y y.clone() + D::one();
            /// The natural logarithm.
            Ln ln system(ln log logf) x y x.clone().recip();
            /// The logarithm to base 2.
            Log2 log2 system(log2 log2 log2f) x y x.clone().times(LN_2).recip();
            /// The logarithm to base 10.
            Log10 log10 system(log10 log10 log10f) x y x.clone().times(LN_10).recip();
            /// `ln (1 + x)`, accurate near 0
            Ln1p ln_1p system(ln_1p log1p log1pf) x y (x.clone() + D::one()).recip();
            /// The square root; NaN for negative numbers.
            Sqrt sqrt system(sqrt sqrt sqrtf) x y D::constant(0.5) / y.clone();
            /// The cube root, of negative numbers too.
            Cbrt cbrt system(cbrt cbrt cbrtf) x y (y.clone() * y.clone()).times(3.0).recip();
            /// The sine.
            Sin sin own(sin sin sinf) x y x.clone().cos();
            /// The cosine.
            Cos cos own(cos cos cosf) x y -x.clone().sin();
            /// The tangent.
            Tan tan system(tan tan tanf) x y D::one() + y.clone() * y.clone();
            /// The inverse of the sine.
            Asin asin system(asin asin asinf) x y (one_minus_square(x)).sqrt().recip();
            /// The inverse of the cosine.
            Acos acos system(acos acos acosf) x y -(one_minus_square(x)).sqrt().recip();
            /// The inverse of the tangent.
            Atan atan system(atan atan atanf) x y (D::one() + x.clone() * x.clone()).recip();
            /// The hyperbolic sine.
            Sinh sinh system(sinh sinh sinhf) x y x.clone().cosh();
            /// The hyperbolic cosine.
            Cosh cosh system(cosh cosh coshf) x y x.clone().sinh();
            /// The hyperbolic tangent.
            Tanh tanh system(tanh tanh tanhf) x y one_minus_square(y);
            /// The inverse of the hyperbolic sine.
            Asinh asinh system(asinh asinh asinhf) x y x.clone().hypot(D::one()).recip();
            /// The inverse of the hyperbolic cosine. Its derivative is positive; [001 Fig. 1] has the wrong sign.
            Acosh acosh system(acosh acosh acoshf) x y
                ((x.clone() - D::one()).sqrt() * (x.clone() + D::one()).sqrt()).recip();
            /// The inverse of the hyperbolic tangent.
            Atanh atanh system(atanh atanh atanhf) x y one_minus_square(x).recip();
            /// The absolute value.
            Abs abs system(abs fabs fabsf) x y x.clone().sign();
            /// The largest whole number that is at most `x`.
            Floor floor system(floor floor floorf) x y D::zero();
            /// The smallest whole number that is at least `x`.
            Ceil ceil system(ceil ceil ceilf) x y D::zero();
            /// The nearest whole number; halves go away from zero.
            Round round system(round round roundf) x y D::zero();
            /// The error function, from -1 to 1.
            Erf erf libm(erf erf erff) x y gaussian(x);
            /// `1 − erf x`, accurate also where it is small
            Erfc erfc libm(erfc erfc erfcf) x y -gaussian(x);
            /// `log |Γ(x)|`
            Lgamma lgamma libm(lgamma lgamma lgammaf) x y x.clone().polygamma(0);
        }
    };
}
pub(crate) use unary_table;

macro_rules! value {
    (own(f64 $name:ident $libm:ident $x:ident)) => {
        float::$name($x)
    };
    (own(f32 $name:ident $libm:ident $x:ident)) => {
        system!(f32::$name, $libm($x))
    };
    (system($float:ident $std:ident $libm:ident $x:ident)) => {
        system!($float::$std, $libm($x))
    };
    (libm($float:ident $std:ident $libm:ident $x:ident)) => {
        libm::$libm($x)
    };
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident $method:ident $kind:ident($std:ident $double:ident $single:ident) $x:ident $y:ident $derivative:expr;)*) => {
        /// A function of one number.
        #[derive(Clone, Copy, PartialEq)]
        pub enum Unary {
            $($(#[$doc])* $name,)*
            /// `1 / x`
            Recip,
            /// -1 for negative numbers, 1 for positive ones, 0 for 0
            Sign,
            /// `xⁿ`
            Powi(i32),
            /// `ψ⁽ᵏ⁾(x)`
            Polygamma(u32),
            /// `c · x`
            Times(f64),
        }

        impl Unary {
            /// The functions without parameters.
            pub const ALL: &[Unary] = &[$(Unary::$name,)* Unary::Recip, Unary::Sign];

            /// The value at a number.
            #[inline(always)]
            pub fn of_f64(self, x: f64) -> f64 {
                match self {
                    $(Unary::$name => value!($kind(f64 $std $double x)),)*
                    Unary::Recip => 1.0 / x,
                    Unary::Sign if x > 0.0 => 1.0,
                    Unary::Sign if x < 0.0 => -1.0,
                    Unary::Sign => if x == 0.0 { 0.0 } else { x },
                    Unary::Powi(n) => float::powi(x, n),
                    Unary::Polygamma(k) => gamma::polygamma(f64::from(k), x),
                    Unary::Times(c) => c * x,
                }
            }

            /// The value at a number of single precision.
            #[inline(always)]
            pub fn of_f32(self, x: f32) -> f32 {
                match self {
                    $(Unary::$name => value!($kind(f32 $std $single x)),)*
                    Unary::Recip => 1.0 / x,
                    Unary::Times(c) => c as f32 * x,
                    Unary::Sign | Unary::Powi(_) | Unary::Polygamma(_) => self.of_f64(f64::from(x)) as f32,
                }
            }

            /// The derivative at `x`, where the value is `y`.
            #[inline(always)]
            pub fn derivative<D: Real>(self, x: &D, y: &D) -> D {
                match self {
                    $(Unary::$name => {
                        let ($x, $y) = (x, y);
                        let _ = ($x, $y);
                        $derivative
                    })*
                    Unary::Recip => -(y.clone() * y.clone()),
                    Unary::Sign | Unary::Powi(0) => D::zero(),
                    Unary::Powi(n) => x.clone().powi(n.saturating_sub(1)).times(f64::from(n)),
                    Unary::Polygamma(k) => x.clone().polygamma(k.saturating_add(1)),
                    Unary::Times(c) => D::constant(c),
                }
            }
        }

        /// As in a formula: `exp`, `polygamma 2`, `3.5`.
        impl Debug for Unary {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self {
                    $(Unary::$name => f.write_str(stringify!($method)),)*
                    Unary::Recip => f.write_str("recip"),
                    Unary::Sign => f.write_str("sign"),
                    Unary::Powi(n) => write!(f, "power {n} "),
                    Unary::Polygamma(k) => write!(f, "polygamma {k} "),
                    Unary::Times(c) => write!(f, "{c}"),
                }
            }
        }
    };
}

unary_table!(unary);

/// `1 − x²`, accurate near ±1
#[inline(always)]
fn one_minus_square<D: Real>(x: &D) -> D {
    (D::one() - x.clone()) * (D::one() + x.clone())
}

/// `2/√π exp(−x²)`
#[inline(always)]
fn gaussian<D: Real>(x: &D) -> D {
    (-(x.clone() * x.clone())).exp().times(FRAC_2_SQRT_PI)
}
