//! Duality: `newtype Dual k a b = Dual (b k a)`.   [004 §13, Fig. 10; indexed: Fig. 15]
//!
//! ```text
//!   Dual g ∘ Dual f = Dual (f ∘ g)        ex = Dual in     dup = Dual jam     f △ g = Dual (f ▽ g)
//! ```
//!
//! All arrows are reversed, so the derivative over `Dual k` is reverse mode over `k`.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear};
use riesz_linear::{LinearMap, Space};
use std::marker::PhantomData;

/// The dual of a category of linear maps.
pub struct Dual<K>(PhantomData<K>);

/// A morphism `a ⇝ b`, as its adjoint `b ⇝ a`.
#[derive(Clone)]
pub struct Reversed<M>(pub M);

fn inner<M>(maps: Vec<Reversed<M>>) -> Vec<M> {
    maps.into_iter().map(|map| map.0).collect()
}

impl<K: Linear> Category for Dual<K> {
    type Object = Space;
    type Morphism = Reversed<K::Morphism>;

    fn identity(a: &Space) -> Self::Morphism {
        Reversed(K::identity(a))
    }

    fn compose(a: &Space, path: Vec<Self::Morphism>) -> Self::Morphism {
        let from = path.last().map_or_else(|| a.clone(), Self::codomain);
        let mut path = inner(path);
        path.reverse();
        Reversed(K::compose(&from, path))
    }

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl<K: Linear> Between for Dual<K> {
    fn domain(f: &Self::Morphism) -> Space {
        K::codomain(&f.0)
    }

    fn codomain(f: &Self::Morphism) -> Space {
        K::domain(&f.0)
    }
}

// ANCHOR: dual
impl<K: Linear> Cartesian for Dual<K> {
    fn product(parts: Vec<Space>) -> Space {
        K::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        K::power(n, a)
    }

    fn cross(maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::cross(inner(maps)))
    }

    fn project(index: usize, whole: &Space) -> Self::Morphism {
        Reversed(K::inject(index, whole))
    }

    fn duplicate(n: usize, a: &Space) -> Self::Morphism {
        Reversed(K::merge(n, a))
    }

    fn each(maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::each(inner(maps)))
    }

    fn replicate(n: usize, a: &Space) -> Self::Morphism {
        Reversed(K::sum(n, a))
    }

    fn fork(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::join(a, inner(maps)))
    }

    fn fork_each(a: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::join_each(a, inner(maps)))
    }
}
// ANCHOR_END: dual

impl<K: Linear> Cocartesian for Dual<K> {
    fn inject(index: usize, whole: &Space) -> Self::Morphism {
        Reversed(K::project(index, whole))
    }

    fn merge(n: usize, a: &Space) -> Self::Morphism {
        Reversed(K::duplicate(n, a))
    }

    fn sum(n: usize, a: &Space) -> Self::Morphism {
        Reversed(K::replicate(n, a))
    }

    fn zero(a: &Space, b: &Space) -> Self::Morphism {
        Reversed(K::zero(b, a))
    }

    fn join(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::fork(b, inner(maps)))
    }

    fn join_each(b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::fork_each(b, inner(maps)))
    }

    fn add(a: &Space, b: &Space, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Reversed(K::add(b, a, inner(maps)))
    }
}

impl<K: Linear> Linear for Dual<K> {
    fn scale(k: f64, a: &Space) -> Self::Morphism {
        Reversed(K::scale(k, a))
    }

    fn primitive(map: &LinearMap) -> Self::Morphism {
        Reversed(K::primitive(&map.adjoint()))
    }

    fn after_project(h: Self::Morphism, index: usize, whole: &Space) -> Self::Morphism {
        Reversed(K::inject_after(index, whole, h.0))
    }

    fn after_inject(h: &Self::Morphism, index: usize) -> Self::Morphism {
        Reversed(K::project_after(index, &h.0))
    }

    fn project_after(index: usize, h: &Self::Morphism) -> Self::Morphism {
        Reversed(K::after_inject(&h.0, index))
    }

    fn inject_after(index: usize, whole: &Space, h: Self::Morphism) -> Self::Morphism {
        Reversed(K::after_project(h.0, index, whole))
    }

    fn times(k: f64, h: Self::Morphism) -> Self::Morphism {
        Reversed(K::times(k, h.0))
    }

    fn after_primitive(h: Self::Morphism, map: &LinearMap) -> Self::Morphism {
        Reversed(K::primitive_after(&map.adjoint(), h.0))
    }

    fn primitive_after(map: &LinearMap, h: Self::Morphism) -> Self::Morphism {
        Reversed(K::after_primitive(h.0, &map.adjoint()))
    }
}
