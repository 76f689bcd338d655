//! Vectors of coefficients whose number is known at run time: forward mode for as many variables as there are.
//!
//! ```
//! use riesz_algebra::tangent::Dynamic;
//! use riesz_algebra::{Nagata, Real};
//!
//! let x: Vec<Nagata<f64, Dynamic<f64>>> = Dynamic::variables(&[3.0, 5.0]);
//! let y = x[0].clone() * x[1].clone() + x[1].clone().sin();
//! assert_eq!(y.tangent.coefficients(2), [5.0, 3.0 + 5.0_f64.cos()]);
//! ```

use alloc::vec::Vec;

use crate::kronecker::Kronecker;
use crate::module::{Module, Scalar};
use crate::nagata::Nagata;
use crate::semiring::{Monoid, Ring};

/// A coefficient for each variable; those behind the last are zero.
#[derive(Clone, Debug)]
pub struct Dynamic<D>(Vec<D>);

impl<D: Scalar> Dynamic<D> {
    /// Numbers that vary, each with the gradient that is 1 in itself.
    pub fn variables(primals: &[D]) -> Vec<Nagata<D, Dynamic<D>>> {
        let variable = |(v, primal): (usize, &D)| Nagata { primal: primal.clone(), tangent: Dynamic::delta(&v) };
        primals.iter().enumerate().map(variable).collect()
    }

    /// The coefficient of a variable.
    pub fn get(&self, v: usize) -> D {
        self.0.get(v).cloned().unwrap_or_else(D::zero)
    }

    /// The coefficients of the first variables.
    pub fn coefficients(&self, variables: usize) -> Vec<D> {
        (0..variables).map(|v| self.get(v)).collect()
    }

    /// Component by component; `alone` is for those that only the second vector has.
    fn zip(&self, other: &Self, both: impl Fn(&D, &D) -> D, alone: impl Fn(&D) -> D) -> Self {
        let shared = self.0.len().min(other.0.len());
        let mut sum = self.0.clone();
        sum.iter_mut().zip(&other.0).for_each(|(a, b)| *a = both(a, b));
        sum.extend(other.0[shared..].iter().map(alone));
        Dynamic(sum)
    }
}

impl<D: Scalar + PartialEq> PartialEq for Dynamic<D> {
    fn eq(&self, other: &Self) -> bool {
        (0..self.0.len().max(other.0.len())).all(|v| self.get(v) == other.get(v))
    }
}

impl<D: Scalar> Monoid for Dynamic<D> {
    fn zero() -> Self {
        Dynamic(Vec::new())
    }
    fn add(&self, other: &Self) -> Self {
        self.zip(other, D::add, D::clone)
    }
}

impl<D: Scalar> Module<D> for Dynamic<D> {
    fn scale(&self, factor: &D) -> Self {
        Dynamic(self.0.iter().map(|coefficient| coefficient.scale(factor)).collect())
    }
    fn difference(u: &Self, v: &Self) -> Self
    where
        D: Ring,
    {
        u.zip(v, D::sub, D::neg)
    }
}

impl<D: Scalar> Kronecker<usize, D> for Dynamic<D> {
    fn delta(v: &usize) -> Self {
        Dynamic((0..=*v).map(|i| if i == *v { D::one() } else { D::zero() }).collect())
    }
}
