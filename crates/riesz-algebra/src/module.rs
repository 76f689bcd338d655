//! Modules over a semiring: what gradients live in.   [000 §3.1, Fig. 3]
//!
//! **Zeros are exact.** `0 • e = 0` and `d • 0 = 0` are laws, so a derivative that multiplies by an exact zero is an
//! exact zero whatever the other factor, also where IEEE 754 would have `0 · inf` be NaN. Values multiply by
//! [`Semiring::mul`]; tangents are multiplied by [`Module::scale`] alone.

use std::fmt::Debug;
use std::num::Wrapping;

use crate::law::equal;
use crate::semiring::{Monoid, Semiring};

/// Values with sums, and multiples by the values of `D`.
pub trait Module<D: Semiring>: Monoid {
    /// `factor • self`
    fn scale(&self, factor: &D) -> Self;
}

/// The laws of a module, at two scalars and three vectors.
///
/// # Errors
/// The first law that does not hold, with both sides.
pub fn module_laws<D, E>((c, d): (&D, &D), (u, v, w): (&E, &E, &E)) -> Result<(), String>
where
    D: Semiring,
    E: Module<D> + PartialEq + Debug,
{
    let zero = E::zero();
    equal("u + 0 = u", &u.add(&zero), u)?;
    equal("u + v = v + u", &u.add(v), &v.add(u))?;
    equal("u + (v + w) = (u + v) + w", &u.add(&v.add(w)), &u.add(v).add(w))?;
    equal("0 • u = 0", &u.scale(&D::zero()), &zero)?;
    equal("d • 0 = 0", &zero.scale(d), &zero)?;
    equal("1 • u = u", &u.scale(&D::one()), u)?;
    equal("(c + d) • u = c • u + d • u", &u.scale(&c.add(d)), &u.scale(c).add(&u.scale(d)))?;
    equal("(c · d) • u = c • (d • u)", &u.scale(&c.mul(d)), &u.scale(d).scale(c))?;
    equal("d • (u + v) = d • u + d • v", &u.add(v).scale(d), &u.scale(d).add(&v.scale(d)))
}

/// The real line over itself, with exact zeros.
impl Module<f64> for f64 {
    fn scale(&self, factor: &f64) -> f64 {
        if *self == 0.0 || *factor == 0.0 { 0.0 } else { factor * self }
    }
}

impl Module<Wrapping<i64>> for Wrapping<i64> {
    fn scale(&self, factor: &Self) -> Self {
        factor * self
    }
}

impl Module<bool> for bool {
    fn scale(&self, factor: &bool) -> bool {
        *factor && *self
    }
}

/// Vectors, component by component.
impl<E: Monoid, const N: usize> Monoid for [E; N] {
    fn zero() -> Self {
        std::array::from_fn(|_| E::zero())
    }
    fn add(&self, other: &Self) -> Self {
        std::array::from_fn(|i| self[i].add(&other[i]))
    }
}

impl<D: Semiring, E: Module<D>, const N: usize> Module<D> for [E; N] {
    fn scale(&self, factor: &D) -> Self {
        std::array::from_fn(|i| self[i].scale(factor))
    }
}
