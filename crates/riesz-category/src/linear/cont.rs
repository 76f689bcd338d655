//! Continuations: `newtype Cont r k a b = Cont ((b k r) → (a k r))`.   [004 §12, Fig. 7]
//!
//! ```text
//!   cont f = Cont (∘ f)          Cont g ∘ Cont f = Cont (f ∘ g)      Cont f × Cont g = Cont (join ∘ (f × g) ∘ unjoin)
//!   ex = Cont (join ∘ in)        in  = Cont (ex ∘ unjoin)            k · = Cont (k ·)
//!   dup = Cont (jam ∘ unjoin)    jam = Cont (join ∘ dup)
//! ```
//!
//! All compositions become left-associated, which is reverse mode. `r` is the codomain of the final continuation, and
//! may be any object.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear, part, power, power_of};
use crate::closure::Closure;
use riesz_linear::{LinearMap, Space};
use std::marker::PhantomData;

/// The category of continuations over a category of linear maps.
pub struct Cont<K>(PhantomData<K>);

/// A morphism `a ⇝ b`, as what it makes of morphisms from `b`.
pub struct Continued<M: 'static> {
    domain: Space,
    codomain: Space,
    before: Closure<M, M>,
}

impl<M> Clone for Continued<M> {
    fn clone(&self) -> Self {
        Continued { domain: self.domain.clone(), codomain: self.codomain.clone(), before: self.before.clone() }
    }
}

impl<M> Continued<M> {
    fn new(domain: Space, codomain: Space, before: impl Fn(M) -> M + 'static) -> Continued<M> {
        Continued { domain, codomain, before: Closure::new(before) }
    }

    /// `h ∘ f` for a continuation `h : b ⇝ r`
    pub fn before(&self, h: M) -> M {
        self.before.call(h)
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Category for Cont<K> {
    type Object = Space;
    type Morphism = Continued<K::Morphism>;

    fn identity(a: &Space) -> Self::Morphism {
        Continued::new(a.clone(), a.clone(), |h| h)
    }

    // ANCHOR: compose
    fn compose(a: &Space, path: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = path.last().map_or_else(|| a.clone(), Self::codomain);
        Continued::new(a.clone(), codomain, move |h| path.iter().rev().fold(h, |h, f| f.before(h)))
    }
    // ANCHOR_END: compose

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Between for Cont<K> {
    fn domain(f: &Self::Morphism) -> Space {
        f.domain.clone()
    }

    fn codomain(f: &Self::Morphism) -> Space {
        f.codomain.clone()
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cartesian for Cont<K> {
    fn product(parts: Vec<Space>) -> Space {
        K::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        K::power(n, a)
    }

    fn cross(maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = Space::product(maps.iter().map(Self::domain));
        let codomain = Space::product(maps.iter().map(Self::codomain));
        Continued::new(domain, codomain, move |h| K::join(&K::codomain(&h), unjoined::<K>(&maps, &h)))
    }

    fn project(index: usize, whole: &Space) -> Self::Morphism {
        let from = whole.clone();
        Continued::new(whole.clone(), part(index, whole), move |h| K::after_project(h, index, &from))
    }

    fn duplicate(n: usize, a: &Space) -> Self::Morphism {
        let from = a.clone();
        let codomain = Space::product(vec![a.clone(); n]);
        Continued::new(a.clone(), codomain, move |h| added::<K>(&from, n, &h))
    }

    fn each(maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = power_of(&maps.iter().map(Self::domain).collect::<Vec<_>>());
        let codomain = power_of(&maps.iter().map(Self::codomain).collect::<Vec<_>>());
        let from = domain.clone();
        Continued::new(domain, codomain, move |h| match maps.is_empty() {
            true => K::zero(&from, &K::codomain(&h)),
            false => K::join_each(&K::codomain(&h), unjoined::<K>(&maps, &h)),
        })
    }

    fn replicate(n: usize, a: &Space) -> Self::Morphism {
        let from = a.clone();
        Continued::new(a.clone(), power(n, a), move |h| added::<K>(&from, n, &h))
    }

    fn fork(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = Space::product(maps.iter().map(Self::codomain));
        Continued::new(a.clone(), codomain, shared::<K>(a, maps))
    }

    fn fork_each(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let codomain = power_of(&maps.iter().map(Self::codomain).collect::<Vec<_>>());
        Continued::new(a.clone(), codomain, shared::<K>(a, maps))
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Cocartesian for Cont<K> {
    fn inject(index: usize, whole: &Space) -> Self::Morphism {
        Continued::new(part(index, whole), whole.clone(), move |h| K::after_inject(&h, index))
    }

    fn merge(n: usize, a: &Space) -> Self::Morphism {
        let domain = Space::product(vec![a.clone(); n]);
        Continued::new(domain, a.clone(), move |h| K::join(&K::codomain(&h), vec![h; n]))
    }

    fn sum(n: usize, a: &Space) -> Self::Morphism {
        let domain = power(n, a);
        let from = domain.clone();
        Continued::new(domain, a.clone(), move |h| match n {
            0 => K::zero(&from, &K::codomain(&h)),
            n => K::join_each(&K::codomain(&h), vec![h; n]),
        })
    }

    fn zero(a: &Space, b: &Space) -> Self::Morphism {
        let from = a.clone();
        Continued::new(a.clone(), b.clone(), move |h| K::zero(&from, &K::codomain(&h)))
    }

    fn join(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = Space::product(maps.iter().map(Self::domain));
        Continued::new(domain, b.clone(), move |h: K::Morphism| {
            K::join(&K::codomain(&h), maps.iter().map(|f| f.before(h.clone())).collect())
        })
    }

    fn join_each(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let domain = power_of(&maps.iter().map(Self::domain).collect::<Vec<_>>());
        let from = domain.clone();
        Continued::new(domain, b.clone(), move |h: K::Morphism| match maps.is_empty() {
            true => K::zero(&from, &K::codomain(&h)),
            false => K::join_each(&K::codomain(&h), maps.iter().map(|f| f.before(h.clone())).collect()),
        })
    }
}

impl<K: Linear<Morphism: 'static> + 'static> Linear for Cont<K> {
    fn scale(k: f64, a: &Space) -> Self::Morphism {
        Continued::new(a.clone(), a.clone(), move |h| K::times(k, h))
    }

    fn primitive(map: &LinearMap) -> Self::Morphism {
        let (domain, codomain, map) = (map.domain().clone(), map.codomain().clone(), map.clone());
        Continued::new(domain, codomain, move |h| K::after_primitive(h, &map))
    }
}

/// `hᵢ ∘ fᵢ`, where `h = h₁ ▽ … ▽ hₙ`
fn unjoined<K: Linear>(maps: &[Continued<K::Morphism>], h: &K::Morphism) -> Vec<K::Morphism> {
    maps.iter().enumerate().map(|(at, f)| f.before(K::after_inject(h, at))).collect()
}

/// `h₁ + … + hₙ`, where `h = h₁ ▽ … ▽ hₙ`
fn added<K: Linear>(a: &Space, n: usize, h: &K::Morphism) -> K::Morphism {
    K::add(a, &K::codomain(h), (0..n).map(|at| K::after_inject(h, at)).collect())
}

/// `h₁ ∘ f₁ + … + hₙ ∘ fₙ`, where `h = h₁ ▽ … ▽ hₙ`
fn shared<K: Linear>(a: &Space, maps: Vec<Continued<K::Morphism>>) -> impl Fn(K::Morphism) -> K::Morphism + use<K> {
    let a = a.clone();
    move |h| K::add(&a, &K::codomain(&h), unjoined::<K>(&maps, &h))
}
