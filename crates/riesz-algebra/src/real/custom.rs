//! User-defined functions: a value, and one derivative, in terms of numbers that may carry derivatives themselves.
//!
//! ```
//! use riesz_algebra::real::{Custom, Primitive};
//! use riesz_algebra::{Nagata, Real};
//!
//! /// The function `x ↦ log (1 + eˣ)`, whose derivative is the logistic function.
//! struct Softplus;
//!
//! impl Primitive for Softplus {
//!     fn value(x: f64) -> f64 {
//!         x.max(0.0) + (-x.abs()).exp().ln_1p()
//!     }
//!     fn derivative<D: Custom>(x: D) -> D {
//!         (D::one() + (-x).exp()).recip()
//!     }
//! }
//!
//! let [x] = Nagata::variables([0.0]);
//! assert_eq!(x.apply::<Softplus>().tangent, [0.5]);
//! ```

use crate::module::Module;
use crate::nagata::Nagata;
use crate::real::Real;

/// A function of one number.
pub trait Primitive {
    /// Its value.
    fn value(x: f64) -> f64;
    /// Its derivative. All orders follow.
    fn derivative<D: Custom>(x: D) -> D;
}

/// Numbers to which functions of one's own can be applied.
pub trait Custom: Real {
    /// The function of a number.
    #[must_use]
    fn apply<P: Primitive>(self) -> Self;
}

impl Custom for f64 {
    #[inline]
    fn apply<P: Primitive>(self) -> f64 {
        P::value(self)
    }
}

impl Custom for f32 {
    #[inline]
    fn apply<P: Primitive>(self) -> f32 {
        P::value(f64::from(self)) as f32
    }
}

impl<D: Custom, E: Module<D>> Custom for Nagata<D, E> {
    #[inline]
    fn apply<P: Primitive>(self) -> Self {
        self.chain(|x| x.clone().apply::<P>(), |x| P::derivative(x.clone()))
    }
}

/// That the derivative of a function is the limit of differences, at a point: up to `tolerance`, relative to numbers beyond
/// 1.
///
/// # Errors
/// If they differ, both.
#[cfg(feature = "alloc")]
pub fn primitive_law<P: Primitive>(x: f64, tolerance: f64) -> Result<(), alloc::string::String> {
    let (f, h) = (P::value, 1e-3);
    let difference = (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h);
    let derivative = P::derivative(x);
    crate::law::near("f' x = lim (f (x + h) − f (x − h)) / 2h", derivative, difference, tolerance)
}
