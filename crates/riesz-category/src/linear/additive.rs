//! Additive functions: `newtype a ⊸ b = AddFun (a → b)`.   [004 Fig. 1; indexed: Fig. 14]

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear, part, power, power_of};
use crate::closure::Closure;
use crate::tangent::Tangent;
use riesz_linear::{LinearMap, Space};

/// The category of additive functions between spaces.
pub struct Additive;

/// A function that preserves sums.
#[derive(Clone)]
pub struct Arrow {
    domain: Space,
    codomain: Space,
    function: Closure<Tangent, Tangent>,
}

impl Arrow {
    fn new(domain: Space, codomain: Space, function: impl Fn(Tangent) -> Tangent + 'static) -> Arrow {
        Arrow { domain, codomain, function: Closure::new(function) }
    }

    /// The function at a vector. What is additive takes zero to zero, and so need not be run for it.
    pub fn apply(&self, x: Tangent) -> Tangent {
        match x {
            Tangent::Zero => Tangent::Zero,
            x => self.function.call(x),
        }
    }
}

impl Category for Additive {
    type Object = Space;
    type Morphism = Arrow;

    fn identity(a: &Space) -> Arrow {
        Arrow::new(a.clone(), a.clone(), |x| x)
    }

    fn compose(a: &Space, path: Vec<Arrow>) -> Arrow {
        let codomain = path.last().map_or_else(|| a.clone(), Additive::codomain);
        Arrow::new(a.clone(), codomain, move |x| path.iter().fold(x, |x, f| f.apply(x)))
    }

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl Between for Additive {
    fn domain(f: &Arrow) -> Space {
        f.domain.clone()
    }

    fn codomain(f: &Arrow) -> Space {
        f.codomain.clone()
    }
}

impl Cartesian for Additive {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        power(n, a)
    }

    fn cross(maps: Vec<Arrow>) -> Arrow {
        let domain = Space::product(maps.iter().map(Additive::domain));
        let codomain = Space::product(maps.iter().map(Additive::codomain));
        Arrow::new(domain, codomain, part_by_part(maps))
    }

    fn project(index: usize, whole: &Space) -> Arrow {
        Arrow::new(whole.clone(), part(index, whole), move |x| x.part(index))
    }

    fn duplicate(n: usize, a: &Space) -> Arrow {
        Arrow::new(a.clone(), Space::product(vec![a.clone(); n]), move |x| Tangent::parts(vec![x; n]))
    }

    fn each(maps: Vec<Arrow>) -> Arrow {
        let domain = power_of(&maps.iter().map(Additive::domain).collect::<Vec<_>>());
        let codomain = power_of(&maps.iter().map(Additive::codomain).collect::<Vec<_>>());
        Arrow::new(domain, codomain, part_by_part(maps))
    }

    fn replicate(n: usize, a: &Space) -> Arrow {
        Arrow::new(a.clone(), power(n, a), move |x| Tangent::parts(vec![x; n]))
    }

    fn fork(a: &Space, maps: Vec<Arrow>) -> Arrow {
        let codomain = Space::product(maps.iter().map(Additive::codomain));
        Arrow::new(a.clone(), codomain, side_by_side(maps))
    }

    fn fork_each(a: &Space, maps: Vec<Arrow>) -> Arrow {
        let codomain = power_of(&maps.iter().map(Additive::codomain).collect::<Vec<_>>());
        Arrow::new(a.clone(), codomain, side_by_side(maps))
    }
}

impl Cocartesian for Additive {
    fn inject(index: usize, whole: &Space) -> Arrow {
        let size = whole.count();
        Arrow::new(part(index, whole), whole.clone(), move |x| Tangent::one(index, size, x))
    }

    fn merge(n: usize, a: &Space) -> Arrow {
        Arrow::new(Space::product(vec![a.clone(); n]), a.clone(), move |x| added_up(n, x))
    }

    fn sum(n: usize, a: &Space) -> Arrow {
        Arrow::new(power(n, a), a.clone(), move |x| added_up(n, x))
    }

    fn zero(a: &Space, b: &Space) -> Arrow {
        Arrow::new(a.clone(), b.clone(), |_| Tangent::Zero)
    }

    fn join(b: &Space, maps: Vec<Arrow>) -> Arrow {
        let domain = Space::product(maps.iter().map(Additive::domain));
        Arrow::new(domain, b.clone(), all_together(maps))
    }

    fn join_each(b: &Space, maps: Vec<Arrow>) -> Arrow {
        let domain = power_of(&maps.iter().map(Additive::domain).collect::<Vec<_>>());
        Arrow::new(domain, b.clone(), all_together(maps))
    }
}

impl Linear for Additive {
    fn scale(k: f64, a: &Space) -> Arrow {
        Arrow::new(a.clone(), a.clone(), move |x| x.scale(k))
    }

    fn primitive(map: &LinearMap) -> Arrow {
        let map = map.clone();
        Arrow::new(map.domain().clone(), map.codomain().clone(), move |x| x.through(&map))
    }
}

/// `(f₁ x₁, …, fₙ xₙ)`
fn part_by_part(maps: Vec<Arrow>) -> impl Fn(Tangent) -> Tangent {
    move |x| match x {
        Tangent::One { index, size, part } => match maps.get(index) {
            Some(f) => Tangent::one(index, size, f.apply((*part).clone())),
            None => Tangent::Zero,
        },
        x => Tangent::parts(maps.iter().enumerate().map(|(at, f)| f.apply(x.part(at))).collect()),
    }
}

/// `(f₁ x, …, fₙ x)`
fn side_by_side(maps: Vec<Arrow>) -> impl Fn(Tangent) -> Tangent {
    move |x| Tangent::parts(maps.iter().map(|f| f.apply(x.clone())).collect())
}

/// `f₁ x₁ + … + fₙ xₙ`
fn all_together(maps: Vec<Arrow>) -> impl Fn(Tangent) -> Tangent {
    move |x| match x {
        Tangent::One { index, part, .. } => match maps.get(index) {
            Some(f) => f.apply((*part).clone()),
            None => Tangent::Zero,
        },
        x => {
            let mut sum = Tangent::Zero;
            maps.iter().enumerate().for_each(|(at, f)| sum.accumulate(f.apply(x.part(at))));
            sum
        }
    }
}

/// `x₁ + … + xₙ`
fn added_up(n: usize, x: Tangent) -> Tangent {
    match x {
        Tangent::One { part, .. } => (*part).clone(),
        x => {
            let mut sum = Tangent::Zero;
            (0..n).for_each(|at| sum.accumulate(x.part(at)));
            sum
        }
    }
}
