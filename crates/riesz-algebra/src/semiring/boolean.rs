//! Truth values: `+` is "or", `·` is "and". A derivative says which inputs matter.
//!
//! ```
//! use riesz_algebra::expression::{Expr, abstract_derivative};
//! use riesz_algebra::Nagata;
//! use riesz_algebra::tangent::Sparse;
//!
//! let [x, y, z] = ["x", "y", "z"].map(Expr::variable);
//! let f = x * y + z;
//! // where x is false, y does not matter
//! let at: Nagata<bool, Sparse<_, bool>> = abstract_derivative(|name| *name == "y", &f);
//! let matters: Vec<&str> = at.tangent.entries().filter(|(_, matters)| **matters).map(|(name, _)| *name).collect();
//! assert_eq!(matters, ["x", "z"]);
//! ```

use crate::module::Module;
use crate::semiring::{Monoid, Semiring};

impl Monoid for bool {
    fn zero() -> bool {
        false
    }
    fn add(&self, other: &bool) -> bool {
        *self || *other
    }
}

impl Semiring for bool {
    fn one() -> bool {
        true
    }
    fn mul(&self, other: &bool) -> bool {
        *self && *other
    }
}

impl Module<bool> for bool {
    fn scale(&self, factor: &bool) -> bool {
        *factor && *self
    }
}
