//! Polynomials in the variables `V`, multiplied out: `Σ cₘ · x^m`.
//!
//! A derivative over polynomials is the derivative at every point. With natural numbers as coefficients they are the
//! normal form of expressions: two expressions are equal by the laws of semirings exactly when their polynomials are.
//!
//! ```
//! use core::num::Wrapping;
//! use riesz_algebra::expression::{Expr, abstract_derivative};
//! use riesz_algebra::semiring::{Polynomial, Semiring};
//! use riesz_algebra::Nagata;
//! use riesz_algebra::tangent::Sparse;
//!
//! type P = Polynomial<&'static str, Wrapping<u64>>;
//! let [x, y] = ["x", "y"].map(Expr::variable);
//! let f = (x.clone() + y) * x;
//! let gradient: Nagata<P, Sparse<_, P>> = abstract_derivative(|v| P::variable(v), &f);
//! let gradient = gradient.tangent;
//! assert_eq!(gradient.get(&"x").to_string(), "2 x + y");
//! assert_eq!(gradient.get(&"y").to_string(), "x");
//! ```

use alloc::collections::BTreeMap;
use core::fmt::{self, Display};

use crate::module::Module;
use crate::semiring::{Monoid, Ring, Semiring};

/// A product of powers of variables: the variables with their exponents, which are not 0 and stop at `u64::MAX`.
pub type Monomial<V> = BTreeMap<V, u64>;

/// A sum of multiples of monomials.
#[derive(Clone, Debug)]
pub struct Polynomial<V, D> {
    /// Monomials and their coefficients; one that is not here is 0.
    terms: BTreeMap<Monomial<V>, D>,
}

impl<V: Ord + Clone, D: Semiring> Polynomial<V, D> {
    /// One variable.
    pub fn variable(v: &V) -> Self {
        Polynomial { terms: BTreeMap::from([(BTreeMap::from([(v.clone(), 1)]), D::one())]) }
    }

    /// A polynomial in no variables.
    pub fn constant(value: D) -> Self {
        Polynomial { terms: BTreeMap::from([(BTreeMap::new(), value)]) }
    }

    /// The monomials with their coefficients, in order; some coefficients may be zero.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial<V>, &D)> {
        self.terms.iter()
    }

    fn insert(&mut self, monomial: Monomial<V>, coefficient: D) {
        let sum = match self.terms.get(&monomial) {
            Some(present) => present.add(&coefficient),
            None => coefficient,
        };
        self.terms.insert(monomial, sum);
    }
}

impl<V: Ord + Clone, D: Semiring + PartialEq> PartialEq for Polynomial<V, D> {
    fn eq(&self, other: &Self) -> bool {
        let zero = D::zero();
        self.terms().filter(|(_, c)| **c != zero).eq(other.terms().filter(|(_, c)| **c != zero))
    }
}

impl<V: Ord + Clone, D: Semiring> Monoid for Polynomial<V, D> {
    fn zero() -> Self {
        Polynomial { terms: BTreeMap::new() }
    }
    fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        other.terms().for_each(|(monomial, coefficient)| sum.insert(monomial.clone(), coefficient.clone()));
        sum
    }
}

impl<V: Ord + Clone, D: Semiring> Semiring for Polynomial<V, D> {
    fn one() -> Self {
        Polynomial::constant(D::one())
    }
    fn mul(&self, other: &Self) -> Self {
        let mut product = Self::zero();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut monomial = left.clone();
                for (variable, exponent) in right {
                    let sum = monomial.entry(variable.clone()).or_default();
                    *sum = sum.saturating_add(*exponent);
                }
                product.insert(monomial, a.mul(b));
            }
        }
        product
    }
}

impl<V: Ord + Clone, D: Ring> Ring for Polynomial<V, D> {
    fn neg(&self) -> Self {
        Polynomial { terms: self.terms().map(|(monomial, c)| (monomial.clone(), c.neg())).collect() }
    }
}

impl<V: Ord + Clone, D: Semiring> Module<Self> for Polynomial<V, D> {
    fn scale(&self, factor: &Self) -> Self {
        factor.mul(self)
    }
}

/// `2 x y^3 + 1`: highest monomials last, as they are ordered; no term for a coefficient of 0, no factor for one of 1.
impl<V: Ord + Clone + Display, D: Semiring + PartialEq + Display> Display for Polynomial<V, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zero = D::zero();
        let mut terms = self.terms().filter(|(_, c)| **c != zero).peekable();
        if terms.peek().is_none() {
            return write!(f, "{zero}");
        }
        let mut separator = "";
        for (monomial, coefficient) in terms {
            f.write_str(separator)?;
            separator = " + ";
            let mut space = "";
            if monomial.is_empty() || *coefficient != D::one() {
                write!(f, "{coefficient}")?;
                space = " ";
            }
            for (variable, exponent) in monomial {
                write!(f, "{space}{variable}")?;
                space = " ";
                if *exponent > 1 {
                    write!(f, "^{exponent}")?;
                }
            }
        }
        Ok(())
    }
}
