//! Beginnings: `newtype Begin r k a b = Begin ((r k a) → (r k b))`.   [004 §14]
//!
//! ```text
//!   begin f = Begin (f ∘)        Begin g ∘ Begin f = Begin (g ∘ f)   Begin f × Begin g = Begin (fork ∘ (f × g) ∘ unfork)
//!   ex = Begin (ex ∘ unfork)     in  = Begin (fork ∘ in)             k · = Begin (k ·)
//!   dup = Begin (fork ∘ dup)     jam = Begin (jam ∘ unfork)
//! ```
//!
//! All compositions become right-associated, which is forward mode. `r` is the domain of the beginning that is given in the
//! end, and may be any.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear, part, power, power_of};
use crate::closure::Closure;
use riesz_linear::{LinearMap, Space};
use std::marker::PhantomData;

/// The category of beginnings over a category of linear maps.
pub struct Begin<K>(PhantomData<K>);

/// A morphism `a ⇝ b`, as what it makes of morphisms to `a`.
pub struct Beginning<M: 'static> {
    domain: Space,
    codomain: Space,
    after: Closure<M, M>,
}

impl<M> Clone for Beginning<M> {
    fn clone(&self) -> Self {
        Beginning { domain: self.domain.clone(), codomain: self.codomain.clone(), after: self.after.clone() }
    }
}

impl<M> Beginning<M> {
    fn new(domain: Space, codomain: Space, after: impl Fn(M) -> M + 'static) -> Beginning<M> {
        Beginning { domain, codomain, after: Closure::new(after) }
    }

    /// `f ∘ h` for a beginning `h : r ⇝ a`
    pub fn after(&self, h: M) -> M {
        self.after.call(h)
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Category for Begin<K> {
    type Object = Space;
    type Morphism = Beginning<K::Morphism>;

    fn identity(a: &Space) -> Self::Morphism {
        Beginning::new(a.clone(), a.clone(), |h| h)
    }

    fn compose(a: &Space, path: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = path.last().map_or_else(|| a.clone(), Self::codomain);
        Beginning::new(a.clone(), codomain, move |h| path.iter().fold(h, |h, f| f.after(h)))
    }

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Between for Begin<K> {
    fn domain(f: &Self::Morphism) -> Space {
        f.domain.clone()
    }

    fn codomain(f: &Self::Morphism) -> Space {
        f.codomain.clone()
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cartesian for Begin<K> {
    fn product(parts: Vec<Space>) -> Space {
        K::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        K::power(n, a)
    }

    fn cross(maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = Space::product(maps.iter().map(Self::domain));
        let codomain = Space::product(maps.iter().map(Self::codomain));
        Beginning::new(domain, codomain, move |h| K::fork(&K::domain(&h), unforked::<K>(&maps, &h)))
    }

    fn project(index: usize, whole: &Space) -> Self::Morphism {
        Beginning::new(whole.clone(), part(index, whole), move |h| K::project_after(index, &h))
    }

    fn duplicate(n: usize, a: &Space) -> Self::Morphism {
        let codomain = Space::product(vec![a.clone(); n]);
        Beginning::new(a.clone(), codomain, move |h| K::fork(&K::domain(&h), vec![h; n]))
    }

    fn each(maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = power_of(&maps.iter().map(Self::domain).collect::<Vec<_>>());
        let codomain = power_of(&maps.iter().map(Self::codomain).collect::<Vec<_>>());
        Beginning::new(domain, codomain, move |h| K::fork_each(&K::domain(&h), unforked::<K>(&maps, &h)))
    }

    fn replicate(n: usize, a: &Space) -> Self::Morphism {
        Beginning::new(a.clone(), power(n, a), move |h| K::fork_each(&K::domain(&h), vec![h; n]))
    }

    fn fork(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = Space::product(maps.iter().map(Self::codomain));
        Beginning::new(a.clone(), codomain, move |h: K::Morphism| {
            K::fork(&K::domain(&h), maps.iter().map(|f| f.after(h.clone())).collect())
        })
    }

    fn fork_each(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = power_of(&maps.iter().map(Self::codomain).collect::<Vec<_>>());
        Beginning::new(a.clone(), codomain, move |h: K::Morphism| {
            K::fork_each(&K::domain(&h), maps.iter().map(|f| f.after(h.clone())).collect())
        })
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cocartesian for Begin<K> {
    fn inject(index: usize, whole: &Space) -> Self::Morphism {
        let to = whole.clone();
        Beginning::new(part(index, whole), whole.clone(), move |h| K::inject_after(index, &to, h))
    }

    fn merge(n: usize, a: &Space) -> Self::Morphism {
        Beginning::new(Space::product(vec![a.clone(); n]), a.clone(), added::<K>(a, n))
    }

    fn sum(n: usize, a: &Space) -> Self::Morphism {
        Beginning::new(power(n, a), a.clone(), added::<K>(a, n))
    }

    fn zero(a: &Space, b: &Space) -> Self::Morphism {
        let to = b.clone();
        Beginning::new(a.clone(), b.clone(), move |h| K::zero(&K::domain(&h), &to))
    }

    fn join(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = Space::product(maps.iter().map(Self::domain));
        Beginning::new(domain, b.clone(), shared::<K>(b, maps))
    }

    fn join_each(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = power_of(&maps.iter().map(Self::domain).collect::<Vec<_>>());
        Beginning::new(domain, b.clone(), shared::<K>(b, maps))
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Linear for Begin<K> {
    fn scale(k: f64, a: &Space) -> Self::Morphism {
        Beginning::new(a.clone(), a.clone(), move |h| K::times(k, h))
    }

    fn primitive(map: &LinearMap) -> Self::Morphism {
        let (domain, codomain, map) = (map.domain().clone(), map.codomain().clone(), map.clone());
        Beginning::new(domain, codomain, move |h| K::primitive_after(&map, h))
    }
}

/// `fᵢ ∘ hᵢ`, where `h = h₁ △ … △ hₙ`
fn unforked<K: Linear>(maps: &[Beginning<K::Morphism>], h: &K::Morphism) -> Vec<K::Morphism> {
    maps.iter().enumerate().map(|(at, f)| f.after(K::project_after(at, h))).collect()
}

/// `h₁ + … + hₙ`, where `h = h₁ △ … △ hₙ`
fn added<K: Linear>(b: &Space, n: usize) -> impl Fn(K::Morphism) -> K::Morphism + use<K> {
    let b = b.clone();
    move |h| K::add(&K::domain(&h), &b, (0..n).map(|at| K::project_after(at, &h)).collect())
}

/// `f₁ ∘ h₁ + … + fₙ ∘ hₙ`, where `h = h₁ △ … △ hₙ`
fn shared<K: Linear>(b: &Space, maps: Vec<Beginning<K::Morphism>>) -> impl Fn(K::Morphism) -> K::Morphism + use<K> {
    let b = b.clone();
    move |h| K::add(&K::domain(&h), &b, unforked::<K>(&maps, &h))
}
