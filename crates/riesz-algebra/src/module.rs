//! Modules over a semiring: the types of gradients.   [000 §3.1, Fig. 3]
//!
//! **Zeros are exact.** `0 • e = 0` and `d • 0 = 0` are laws, so a derivative that is multiplied by an exact zero is an
//! exact zero whatever the other factor, even where `0 · inf` is NaN in IEEE 754. Values are multiplied by
//! [`Semiring::mul`]; tangents only by [`Module::scale`].

#[cfg(feature = "alloc")]
use crate::law::equal;
use crate::semiring::{Monoid, Ring, Semiring};
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use core::fmt::Debug;

/// Values with sums, and multiples by the values of `D`.
pub trait Module<D: Semiring>: Monoid {
    /// `0` as the gradient of what does not vary.
    #[inline]
    fn of_constants() -> Self {
        Self::zero()
    }

    /// `factor • self`
    fn scale(&self, factor: &D) -> Self;

    /// `factor • self`, where it is known that the factor is neither 0 nor infinite nor NaN.
    #[inline]
    fn scale_ordinary(&self, factor: &D) -> Self {
        self.scale(factor)
    }

    /// The matrix whose row `i` is 1 at `i`, and 0 elsewhere.
    #[inline]
    fn identity<const N: usize>() -> [[Self; N]; N]
    where
        Self: Semiring,
    {
        core::array::from_fn(|i| core::array::from_fn(|j| if i == j { Self::one() } else { Self::zero() }))
    }

    /// The multiples of several vectors by one factor.
    #[inline]
    fn scale_all<const N: usize>(vectors: &[Self; N], factor: &D) -> [Self; N] {
        core::array::from_fn(|i| vectors[i].scale(factor))
    }

    /// `u − v`
    #[inline]
    fn difference(u: &Self, v: &Self) -> Self
    where
        D: Ring,
    {
        u.add(&v.scale(&D::one().neg()))
    }

    /// `a • u + b • v`
    #[inline]
    fn combine(u: &Self, a: &D, v: &Self, b: &D) -> Self {
        u.scale(a).add(&v.scale(b))
    }

    /// The same of several vectors, with the same factors.
    #[inline]
    fn combine_all<const N: usize>(u: &[Self; N], a: &D, v: &[Self; N], b: &D) -> [Self; N] {
        core::array::from_fn(|i| Self::combine(&u[i], a, &v[i], b))
    }

    /// `inverse • (u − (x · inverse) • v)`: the derivative of a quotient of `x` and what has this inverse.
    #[inline]
    fn quotient(u: &Self, x: &D, v: &Self, inverse: &D) -> Self
    where
        D: Ring,
    {
        Self::combine(u, inverse, v, &x.mul(inverse).mul(inverse).neg())
    }

    /// The same of several vectors.
    #[inline]
    fn quotient_all<const N: usize>(u: &[Self; N], x: &D, v: &[Self; N], inverse: &D) -> [Self; N]
    where
        D: Ring,
    {
        core::array::from_fn(|i| Self::quotient(&u[i], x, &v[i], inverse))
    }
}

/// Semirings that are modules over themselves, as every semiring can be.   [000 §3.1]
pub trait Scalar: Semiring + Module<Self> {}

impl<D: Semiring + Module<D>> Scalar for D {}

/// The laws of a module, at two scalars and three vectors.
///
/// # Errors
/// The first law that does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn module_laws<D, E>((c, d): (&D, &D), (u, v, w): (&E, &E, &E)) -> Result<(), String>
where
    D: Semiring,
    E: Module<D> + PartialEq + Debug,
{
    let zero = E::zero();
    crate::semiring::monoid_laws(u, v, w)?;
    equal("constants have the gradient 0", &E::of_constants(), &zero)?;
    equal("0 • u = 0", &u.scale(&D::zero()), &zero)?;
    equal("d • 0 = 0", &zero.scale(d), &zero)?;
    equal("1 • u = u", &u.scale(&D::one()), u)?;
    equal("(c + d) • u = c • u + d • u", &u.scale(&c.add(d)), &u.scale(c).add(&u.scale(d)))?;
    equal("(c · d) • u = c • (d • u)", &u.scale(&c.mul(d)), &u.scale(d).scale(c))?;
    equal("d • (u + v) = d • u + d • v", &u.add(v).scale(d), &u.scale(d).add(&v.scale(d)))?;
    let several = [u.clone(), v.clone(), w.clone()];
    equal("d • [u, …] = [d • u, …]", &E::scale_all(&several, d), &several.map(|vector| vector.scale(d)))?;
    let sum = u.scale(c).add(&v.scale(d));
    equal("combine = c • u + d • v", &E::combine(u, c, v, d), &sum)?;
    let all = E::combine_all(&[u.clone(), v.clone()], c, &[v.clone(), w.clone()], d);
    equal("combine [u, …] = [combine u, …]", &all, &[sum, v.scale(c).add(&w.scale(d))])?;
    equal("1 • u = u, where 1 is known to be ordinary", &u.scale_ordinary(&D::one()), u)
}

/// The law of differences, over scalars that have them.
///
/// # Errors
/// That it does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn difference_law<D: Ring, E: Module<D> + PartialEq + Debug>(u: &E, v: &E) -> Result<(), String> {
    equal("u − v = u + (−1) • v", &E::difference(u, v), &u.add(&v.scale(&D::one().neg())))
}

/// The law of quotients: the partial derivatives of `x / y` are `1 / y` and `−x / y²`.
///
/// # Errors
/// That it does not hold, with both sides.
#[cfg(feature = "alloc")]
pub fn quotient_law<D, E>((x, inverse): (&D, &D), (u, v): (&E, &E)) -> Result<(), String>
where
    D: Ring,
    E: Module<D> + PartialEq + Debug,
{
    let second = x.mul(inverse).mul(inverse).neg();
    let expected = E::combine(u, inverse, v, &second);
    equal("quotient = i • u − x i² • v", &E::quotient(u, x, v, inverse), &expected)?;
    let all = E::quotient_all(&[u.clone(), v.clone()], x, &[v.clone(), u.clone()], inverse);
    let turned = E::combine(v, inverse, u, &second);
    equal("quotient [u, …] = [quotient u, …]", &all, &[expected, turned])
}

/// Nothing but zero.
impl Monoid for () {
    fn zero() {}
    fn add(&self, (): &()) {}
}

impl<D: Semiring> Module<D> for () {
    fn scale(&self, _: &D) {}
}

/// Pairs, component by component.
impl<A: Monoid, B: Monoid> Monoid for (A, B) {
    #[inline]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }
    #[inline]
    fn add(&self, other: &Self) -> Self {
        (self.0.add(&other.0), self.1.add(&other.1))
    }
}

impl<D: Semiring, A: Module<D>, B: Module<D>> Module<D> for (A, B) {
    #[inline]
    fn scale(&self, factor: &D) -> Self {
        (self.0.scale(factor), self.1.scale(factor))
    }
}

/// Vectors, component by component.
impl<E: Monoid, const N: usize> Monoid for [E; N] {
    #[inline]
    fn zero() -> Self {
        core::array::from_fn(|_| E::zero())
    }
    #[inline]
    fn add(&self, other: &Self) -> Self {
        core::array::from_fn(|i| self[i].add(&other[i]))
    }
}

impl<D: Semiring, E: Module<D>, const N: usize> Module<D> for [E; N] {
    #[inline]
    fn of_constants() -> Self {
        core::array::from_fn(|_| E::of_constants())
    }
    #[inline(always)]
    fn scale(&self, factor: &D) -> Self {
        E::scale_all(self, factor)
    }
    #[inline(always)]
    fn scale_ordinary(&self, factor: &D) -> Self {
        core::array::from_fn(|i| self[i].scale_ordinary(factor))
    }
    #[inline(always)]
    fn difference(u: &Self, v: &Self) -> Self
    where
        D: Ring,
    {
        core::array::from_fn(|i| E::difference(&u[i], &v[i]))
    }
    #[inline(always)]
    fn combine(u: &Self, a: &D, v: &Self, b: &D) -> Self {
        E::combine_all(u, a, v, b)
    }
    #[inline(always)]
    fn quotient(u: &Self, x: &D, v: &Self, inverse: &D) -> Self
    where
        D: Ring,
    {
        E::quotient_all(u, x, v, inverse)
    }
}
