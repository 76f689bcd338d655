//! A value and its derivative, `u ▷ v = (v, u ⊸ v)`: the sample of a function at a point.   [001 §10.1 – §10.5]
//!
//! ```text
//! map g (f x, f' x)            = (g (f x), g' (f x) ∘ f' x)          the chain rule: g ⋈ g'
//! (f x, f' x) ⋆ (g x, g' x)    = ((f x, g x), f' x ⋆ g' x)
//! ```
//!
//! Everything else follows: a product is `map (·)` after `⋆`, and its rule is the chain rule for `(·)`. For numbers `v`
//! this type is equivalent to `Nagata<v, LinearMap<u, v>>`, to which it converts.
//!
//! ```
//! use riesz_algebra::space::LinearMap;
//! use riesz_algebra::tower::{Differentiable, Differential};
//!
//! // polar coordinates
//! let cartesian = Differentiable::new(
//!     |&(r, t): &(f64, f64)| (r * t.cos(), r * t.sin()),
//!     |&(r, t)| LinearMap::linear(move |&(dr, dt)| (dr * t.cos() - r * t.sin() * dt, dr * t.sin() + r * t.cos() * dt)),
//! );
//! let square = Differentiable::new(
//!     |&(x, y): &(f64, f64)| x * x + y * y,
//!     |&(x, y)| LinearMap::linear(move |&(dx, dy)| 2.0 * (x * dx + y * dy)),
//! );
//! let at = Differential::sample(&cartesian, &(3.0, 0.0)).map(&square);
//! assert_eq!((at.value, at.derivative.gradient()), (9.0, (6.0, 0.0)));
//! ```

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt::Debug;

use crate::law::equal;
use crate::nagata::Nagata;
use crate::real::Real;
use crate::semiring::Monoid;
use crate::space::{HasBasis, LinearMap, VectorSpace};

// ANCHOR: differential
/// A value and its derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Differential<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> {
    /// `f x`
    pub value: V,
    /// `f' x`
    pub derivative: LinearMap<U, V>,
}
// ANCHOR_END: differential

/// A function and its derivative.
pub struct Differentiable<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> {
    function: Arc<dyn Fn(&U) -> V>,
    derivative: Derivative<U, V>,
}

type Derivative<U, V> = Arc<dyn Fn(&U) -> LinearMap<U, V>>;

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Differentiable<U, V> {
    /// A function whose derivative is known.
    pub fn new(f: impl Fn(&U) -> V + 'static, derivative: impl Fn(&U) -> LinearMap<U, V> + 'static) -> Self {
        Differentiable { function: Arc::new(f), derivative: Arc::new(derivative) }
    }

    /// A linear function, which is its own derivative.
    pub fn linear(map: LinearMap<U, V>) -> Self {
        let same = map.clone();
        Differentiable::new(move |u| map.apply(u), move |_| same.clone())
    }

    /// The value at a point.
    pub fn apply(&self, u: &U) -> V {
        (self.function)(u)
    }

    /// The derivative at a point.
    pub fn derivative(&self, u: &U) -> LinearMap<U, V> {
        (self.derivative)(u)
    }
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Clone for Differentiable<U, V> {
    fn clone(&self) -> Self {
        Differentiable { function: Arc::clone(&self.function), derivative: Arc::clone(&self.derivative) }
    }
}

impl<U: HasBasis, V: VectorSpace<Scalar = U::Scalar>> Differential<U, V> {
    /// The value and the derivative of a function at a point.
    pub fn sample(f: &Differentiable<U, V>, at: &U) -> Self {
        Differential { value: f.apply(at), derivative: f.derivative(at) }
    }

    /// A value that does not vary.
    pub fn constant(value: V) -> Self {
        Differential { value, derivative: LinearMap::zero() }
    }

    /// The chain rule, for a function and its derivative: `g ⋈ g'`.
    pub fn chain<W>(
        &self,
        g: impl FnOnce(&V) -> W,
        derivative: impl FnOnce(&V) -> LinearMap<V, W>,
    ) -> Differential<U, W>
    where
        V: HasBasis,
        W: VectorSpace<Scalar = U::Scalar>,
    {
        Differential { value: g(&self.value), derivative: self.derivative.then(&derivative(&self.value)) }
    }

    /// The chain rule.
    pub fn map<W: VectorSpace<Scalar = U::Scalar>>(&self, g: &Differentiable<V, W>) -> Differential<U, W>
    where
        V: HasBasis,
    {
        self.chain(|v| g.apply(v), |v| g.derivative(v))
    }

    /// Both values together: `⋆`.
    pub fn pair<W: VectorSpace<Scalar = U::Scalar>>(&self, other: &Differential<U, W>) -> Differential<U, (V, W)> {
        Differential {
            value: (self.value.clone(), other.value.clone()),
            derivative: self.derivative.fork(&other.derivative),
        }
    }
}

/// Numbers with the gradient written down are Nagata numbers.
impl<U, D> From<Differential<U, D>> for Nagata<D, LinearMap<U, D>>
where
    D: Real + 'static,
    U: HasBasis<Scalar = D>,
{
    fn from(differential: Differential<U, D>) -> Self {
        Nagata { primal: differential.value, tangent: differential.derivative }
    }
}

impl<U, D> From<Nagata<D, LinearMap<U, D>>> for Differential<U, D>
where
    D: Real + 'static,
    U: HasBasis<Scalar = D>,
{
    fn from(number: Nagata<D, LinearMap<U, D>>) -> Self {
        Differential { value: number.primal, derivative: number.tangent }
    }
}

/// Sampling is natural: `map g (sample f x) = sample (g ∘ f) x`, where the derivative of `g ∘ f` is given.   [001 §10.2]
///
/// # Errors
/// Where they differ, both sides.
pub fn naturality_law<U, V, W>(
    f: &Differentiable<U, V>,
    g: &Differentiable<V, W>,
    composition: &Differentiable<U, W>,
    x: &U,
) -> Result<(), String>
where
    U: HasBasis + Debug,
    V: HasBasis<Scalar = U::Scalar>,
    W: VectorSpace<Scalar = U::Scalar> + PartialEq + Debug,
{
    let sampled = Differential::sample(composition, x);
    let mapped = Differential::sample(f, x).map(g);
    equal("map g (sample f x) = sample (g ∘ f) x, the value", &mapped.value, &sampled.value)?;
    equal("map g (sample f x) = sample (g ∘ f) x, the derivative", &mapped.derivative, &sampled.derivative)
}

/// Sampling keeps pairs: `sample f x ⋆ sample g x = sample (f ⋆ g) x`, where the pair is given.   [001 §10.3]
///
/// # Errors
/// Where they differ, both sides.
pub fn pairing_law<U, V, W>(
    f: &Differentiable<U, V>,
    g: &Differentiable<U, W>,
    both: &Differentiable<U, (V, W)>,
    x: &U,
) -> Result<(), String>
where
    U: HasBasis + Debug,
    V: VectorSpace<Scalar = U::Scalar> + PartialEq + Debug,
    W: VectorSpace<Scalar = U::Scalar> + PartialEq + Debug,
{
    let sampled = Differential::sample(both, x);
    let paired = Differential::sample(f, x).pair(&Differential::sample(g, x));
    equal("sample f x ⋆ sample g x = sample (f ⋆ g) x, the value", &paired.value, &sampled.value)?;
    equal("sample f x ⋆ sample g x = sample (f ⋆ g) x, the derivative", &paired.derivative, &sampled.derivative)
}
