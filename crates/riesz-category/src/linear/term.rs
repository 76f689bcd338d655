//! Linear maps as terms of [`riesz_linear`]: derivatives that can be printed, simplified and transposed.   [003 §3.3]
//!
//! Two laws are applied when terms are made, since they keep terms small and zeros exact: `id ∘ f = f = f ∘ id`, and a
//! composition with zero is zero. The simplifier applies all others.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear, part, power, power_of};
use riesz_linear::count::allocated;
use riesz_linear::{Form, LinearMap, Relation, Space, SpaceError};

/// The category of linear-map terms.
pub struct Terms;

impl Category for Terms {
    type Object = Space;
    type Morphism = LinearMap;

    fn identity(a: &Space) -> LinearMap {
        LinearMap::identity(a.clone())
    }

    fn compose(a: &Space, path: Vec<LinearMap>) -> LinearMap {
        let codomain = path.last().map_or_else(|| a.clone(), |last| last.codomain().clone());
        let mut maps = Vec::with_capacity(path.len());
        for map in path.into_iter().rev() {
            match map.form() {
                Form::Identity => {}
                Form::Zero => return LinearMap::zero(a.clone(), codomain),
                Form::Compose(inner) => maps.extend(inner.iter().cloned()),
                _ => maps.push(map),
            }
        }
        match maps.len() {
            0 => LinearMap::identity(a.clone()),
            1 => maps.remove(0),
            _ => fit(LinearMap::compose(maps)),
        }
    }

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl Between for Terms {
    fn domain(f: &LinearMap) -> Space {
        f.domain().clone()
    }

    fn codomain(f: &LinearMap) -> Space {
        f.codomain().clone()
    }
}

impl Cartesian for Terms {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        power(n, a)
    }

    fn cross(maps: Vec<LinearMap>) -> LinearMap {
        LinearMap::each(maps)
    }

    fn project(index: usize, whole: &Space) -> LinearMap {
        LinearMap::project(index, whole.clone()).unwrap_or_else(|_| LinearMap::zero(whole.clone(), part(index, whole)))
    }

    fn duplicate(n: usize, a: &Space) -> LinearMap {
        Terms::fork(a, vec![Terms::identity(a); n])
    }

    fn each(maps: Vec<LinearMap>) -> LinearMap {
        if maps.is_empty() { Terms::identity(&power_of(&[])) } else { fit(LinearMap::each_array(maps)) }
    }

    fn replicate(n: usize, a: &Space) -> LinearMap {
        match n {
            0 => LinearMap::zero(a.clone(), power(0, a)),
            n => LinearMap::reduce(Relation::Replicate(n), a.clone()),
        }
    }

    fn fork(a: &Space, maps: Vec<LinearMap>) -> LinearMap {
        match maps.is_empty() {
            true => LinearMap::zero(a.clone(), Space::product([])),
            false => fit(LinearMap::fork(maps)),
        }
    }

    fn fork_each(a: &Space, maps: Vec<LinearMap>) -> LinearMap {
        match maps.is_empty() {
            true => LinearMap::zero(a.clone(), power(0, a)),
            false => fit(LinearMap::fork_array(maps)),
        }
    }
}

impl Cocartesian for Terms {
    fn inject(index: usize, whole: &Space) -> LinearMap {
        LinearMap::inject(index, whole.clone()).unwrap_or_else(|_| LinearMap::zero(part(index, whole), whole.clone()))
    }

    fn merge(n: usize, a: &Space) -> LinearMap {
        Terms::join(a, vec![Terms::identity(a); n])
    }

    fn sum(n: usize, a: &Space) -> LinearMap {
        match n {
            0 => LinearMap::zero(power(0, a), a.clone()),
            n => LinearMap::reduce(Relation::Sum(n), a.clone()),
        }
    }

    fn zero(a: &Space, b: &Space) -> LinearMap {
        LinearMap::zero(a.clone(), b.clone())
    }

    fn join(b: &Space, maps: Vec<LinearMap>) -> LinearMap {
        match maps.is_empty() {
            true => LinearMap::zero(Space::product([]), b.clone()),
            false => fit(LinearMap::join(maps)),
        }
    }

    fn join_each(b: &Space, maps: Vec<LinearMap>) -> LinearMap {
        match maps.is_empty() {
            true => LinearMap::zero(power(0, b), b.clone()),
            false => fit(LinearMap::join_array(maps)),
        }
    }

    fn add(a: &Space, b: &Space, mut maps: Vec<LinearMap>) -> LinearMap {
        match maps.len() {
            0 => LinearMap::zero(a.clone(), b.clone()),
            1 => maps.remove(0),
            _ => fit(LinearMap::add(maps)),
        }
    }
}

impl Linear for Terms {
    fn scale(k: f64, a: &Space) -> LinearMap {
        LinearMap::scale(k, a.clone())
    }

    fn primitive(map: &LinearMap) -> LinearMap {
        map.clone()
    }
}

/// A term whose spaces fit, as those of composable morphisms do.
fn fit(term: Result<LinearMap, SpaceError>) -> LinearMap {
    allocated(size_of::<LinearMap>() + 2 * size_of::<Space>());
    term.unwrap_or_else(|mismatch| unreachable!("morphisms are composed where they meet: {mismatch}"))
}
