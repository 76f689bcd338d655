//! The tropical semiring: `a + b` is the minimum, `a · b` the sum. A sum of products is a least cost.
//!
//! The derivative with respect to the cost of a part is the least cost of a choice that uses it, without its own cost.
//!
//! ```
//! use riesz_algebra::expression::{Expr, abstract_derivative};
//! use riesz_algebra::semiring::Tropical;
//! use riesz_algebra::Nagata;
//! use riesz_algebra::tangent::Sparse;
//!
//! // two ways from a to c: straight, or through b
//! let [ab, bc, ac] = ["ab", "bc", "ac"].map(Expr::variable);
//! let cost = |road: &&str| Tropical(match *road { "ab" => 2.0, "bc" => 3.0, _ => 7.0 });
//! let way: Nagata<Tropical, Sparse<_, Tropical>> = abstract_derivative(cost, &(ab * bc + ac));
//! assert_eq!(way.primal, Tropical(5.0));
//! // the rest of the way over ab costs 3; so ab is useful while it costs less than 7 − 3
//! assert_eq!(way.tangent.get(&"ab"), Tropical(3.0));
//! ```

use crate::module::Module;
use crate::semiring::{Monoid, Semiring};

/// A cost. What cannot be done costs `inf`, the zero of this semiring.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Tropical(pub f64);

impl Monoid for Tropical {
    fn zero() -> Tropical {
        Tropical(f64::INFINITY)
    }
    fn add(&self, other: &Tropical) -> Tropical {
        if other.0 < self.0 { *other } else { *self }
    }
}

impl Semiring for Tropical {
    fn one() -> Tropical {
        Tropical(0.0)
    }
    /// An impossible step makes every path through it impossible, even together with a step of cost `−inf`.
    fn mul(&self, other: &Tropical) -> Tropical {
        if self.0 == f64::INFINITY || other.0 == f64::INFINITY { Tropical::zero() } else { Tropical(self.0 + other.0) }
    }
}

impl Module<Tropical> for Tropical {
    fn scale(&self, factor: &Tropical) -> Tropical {
        factor.mul(self)
    }
}
