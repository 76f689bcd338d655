//! Generalised matrices: for `a ⊸ b` a row of `a` for every number of `b`, in the shape of `b`.   [004 §8, §10]
//!
//! A matrix is a vector of `b` whose coordinates are vectors of `a`, so it is rectangular by construction, and the
//! linear primitives act on it as they act on vectors. Its zeros are structural, like those of vectors.

use crate::category::{Between, Cartesian, Category, Cocartesian, Linear, part, power, power_of};
use crate::tangent::{Real, Tangent};
use riesz_linear::{LinearMap, Space};

/// The category of matrices.
pub struct Matrices;

/// A matrix, by rows.
#[derive(Clone)]
pub struct Rows {
    domain: Space,
    codomain: Space,
    rows: Tangent<Tangent>,
}

impl Rows {
    fn new(domain: Space, codomain: Space, rows: Tangent<Tangent>) -> Rows {
        Rows { domain, codomain, rows }
    }

    /// `⟨y, _⟩ : b ⊸ R`
    pub(crate) fn row(codomain: &Space, y: Tangent) -> Rows {
        Rows::new(codomain.clone(), Space::Real, Tangent::Number(y))
    }

    /// `_ · x : R ⊸ a`
    pub(crate) fn column(domain: &Space, x: &Tangent) -> Rows {
        Rows::new(Space::Real, domain.clone(), x.map(&|number| Tangent::Number(*number)))
    }

    /// The vector that a matrix with one row is.
    pub(crate) fn as_row(&self) -> Tangent {
        match &self.rows {
            Tangent::Number(row) => row.clone(),
            _ => Tangent::Zero,
        }
    }

    /// The vector that a matrix with one column is.
    pub(crate) fn as_column(&self) -> Tangent {
        self.rows.map(&|row| match row {
            Tangent::Number(number) => *number,
            _ => Real(0.0),
        })
    }

    /// `m x`
    pub fn apply(&self, x: &Tangent) -> Tangent {
        self.rows.map(&|row| Real(inner(row, x)))
    }

    /// `mᵀ y`
    pub fn transpose_apply(&self, y: &Tangent) -> Tangent {
        combine(y, &self.rows)
    }

    /// The numbers, row by row.
    pub fn numbers(&self) -> Vec<Vec<f64>> {
        let rows = self.rows.numbers(&self.codomain);
        rows.iter().map(|row| row.numbers(&self.domain).into_iter().map(|number| number.0).collect()).collect()
    }
}

impl Category for Matrices {
    type Object = Space;
    type Morphism = Rows;

    fn identity(a: &Space) -> Rows {
        Rows::new(a.clone(), a.clone(), units(a))
    }

    fn compose(a: &Space, path: Vec<Rows>) -> Rows {
        let mut path = path.into_iter();
        let Some(first) = path.next() else { return Matrices::identity(a) };
        path.fold(first, |f, g| Rows {
            domain: f.domain,
            codomain: g.codomain,
            rows: g.rows.map(&|row| combine(row, &f.rows)),
        })
    }

    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism {
        Self::compose(&Self::domain(&f), vec![f, g])
    }
}

impl Between for Matrices {
    fn domain(f: &Rows) -> Space {
        f.domain.clone()
    }

    fn codomain(f: &Rows) -> Space {
        f.codomain.clone()
    }
}

impl Cartesian for Matrices {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        power(n, a)
    }

    fn cross(maps: Vec<Rows>) -> Rows {
        let domain = Space::product(maps.iter().map(Matrices::domain));
        let codomain = Space::product(maps.iter().map(Matrices::codomain));
        Rows::new(domain, codomain, blocks(maps))
    }

    fn project(index: usize, whole: &Space) -> Rows {
        Matrices::after_project(Matrices::identity(&part(index, whole)), index, whole)
    }

    fn duplicate(n: usize, a: &Space) -> Rows {
        Rows::new(a.clone(), Space::product(vec![a.clone(); n]), Tangent::parts(vec![units(a); n]))
    }

    fn each(maps: Vec<Rows>) -> Rows {
        let domain = power_of(&maps.iter().map(Matrices::domain).collect::<Vec<_>>());
        let codomain = power_of(&maps.iter().map(Matrices::codomain).collect::<Vec<_>>());
        Rows::new(domain, codomain, blocks(maps))
    }

    fn replicate(n: usize, a: &Space) -> Rows {
        Rows::new(a.clone(), power(n, a), Tangent::parts(vec![units(a); n]))
    }

    fn fork(a: &Space, maps: Vec<Rows>) -> Rows {
        let codomain = Space::product(maps.iter().map(Matrices::codomain));
        Rows::new(a.clone(), codomain, Tangent::parts(maps.into_iter().map(|map| map.rows).collect()))
    }

    fn fork_each(a: &Space, maps: Vec<Rows>) -> Rows {
        let codomain = power_of(&maps.iter().map(Matrices::codomain).collect::<Vec<_>>());
        Rows::new(a.clone(), codomain, Tangent::parts(maps.into_iter().map(|map| map.rows).collect()))
    }
}

impl Cocartesian for Matrices {
    fn inject(index: usize, whole: &Space) -> Rows {
        Matrices::inject_after(index, whole, Matrices::identity(&part(index, whole)))
    }

    fn merge(n: usize, a: &Space) -> Rows {
        let rows = units(a).map(&|row| Tangent::parts(vec![row.clone(); n]));
        Rows::new(Space::product(vec![a.clone(); n]), a.clone(), rows)
    }

    fn sum(n: usize, a: &Space) -> Rows {
        let rows = units(a).map(&|row| Tangent::parts(vec![row.clone(); n]));
        Rows::new(power(n, a), a.clone(), rows)
    }

    fn zero(a: &Space, b: &Space) -> Rows {
        Rows::new(a.clone(), b.clone(), Tangent::Zero)
    }

    fn join(b: &Space, maps: Vec<Rows>) -> Rows {
        let domain = Space::product(maps.iter().map(Matrices::domain));
        Rows::new(domain, b.clone(), beside(maps))
    }

    fn join_each(b: &Space, maps: Vec<Rows>) -> Rows {
        let domain = power_of(&maps.iter().map(Matrices::domain).collect::<Vec<_>>());
        Rows::new(domain, b.clone(), beside(maps))
    }

    fn add(a: &Space, b: &Space, maps: Vec<Rows>) -> Rows {
        let mut sum = Tangent::Zero;
        maps.into_iter().for_each(|map| sum.accumulate(map.rows));
        Rows::new(a.clone(), b.clone(), sum)
    }
}

impl Linear for Matrices {
    fn scale(k: f64, a: &Space) -> Rows {
        Rows::new(a.clone(), a.clone(), units(a).scale(k))
    }

    fn primitive(map: &LinearMap) -> Rows {
        Rows::new(map.domain().clone(), map.codomain().clone(), units(map.domain()).through(map))
    }

    fn after_project(h: Rows, index: usize, whole: &Space) -> Rows {
        let size = whole.count();
        let rows = h.rows.map(&|row| Tangent::one(index, size, row.clone()));
        Rows::new(whole.clone(), h.codomain, rows)
    }

    fn after_inject(h: &Rows, index: usize) -> Rows {
        Rows::new(part(index, &h.domain), h.codomain.clone(), h.rows.map(&|row| row.part(index)))
    }

    fn project_after(index: usize, h: &Rows) -> Rows {
        Rows::new(h.domain.clone(), part(index, &h.codomain), h.rows.part(index))
    }

    fn inject_after(index: usize, whole: &Space, h: Rows) -> Rows {
        Rows::new(h.domain, whole.clone(), Tangent::one(index, whole.count(), h.rows))
    }

    fn times(k: f64, h: Rows) -> Rows {
        Rows { rows: h.rows.scale(k), ..h }
    }

    fn after_primitive(h: Rows, map: &LinearMap) -> Rows {
        let adjoint = map.adjoint();
        Rows::new(map.domain().clone(), h.codomain, h.rows.map(&|row| row.clone().through(&adjoint)))
    }

    fn primitive_after(map: &LinearMap, h: Rows) -> Rows {
        Rows::new(h.domain, map.codomain().clone(), h.rows.through(map))
    }
}

/// The rows of the identity.
fn units(space: &Space) -> Tangent<Tangent> {
    if let Space::Real = space {
        return Tangent::Number(Tangent::Number(Real(1.0)));
    }
    let size = space.count();
    let part = |(at, part): (usize, &Space)| units(part).map(&|row| Tangent::one(at, size, row.clone()));
    Tangent::parts(space.parts().enumerate().map(part).collect())
}

/// Matrices along the diagonal.
fn blocks(maps: Vec<Rows>) -> Tangent<Tangent> {
    let size = maps.len();
    let block = |(at, map): (usize, Rows)| map.rows.map(&|row| Tangent::one(at, size, row.clone()));
    Tangent::parts(maps.into_iter().enumerate().map(block).collect())
}

/// Matrices side by side.
fn beside(maps: Vec<Rows>) -> Tangent<Tangent> {
    let size = maps.len();
    let mut sum = Tangent::Zero;
    for (at, map) in maps.into_iter().enumerate() {
        sum.accumulate(map.rows.map(&|row| Tangent::one(at, size, row.clone())));
    }
    sum
}

/// `Σᵢ xᵢ rowᵢ`
fn combine(x: &Tangent, rows: &Tangent<Tangent>) -> Tangent {
    match (x, rows) {
        (Tangent::Zero, _) | (_, Tangent::Zero) => Tangent::Zero,
        (Tangent::Number(k), Tangent::Number(row)) => riesz_algebra::Module::scale(row, &k.0),
        (Tangent::One { index, part, .. }, rows) => combine(part, &rows.part(*index)),
        (x, Tangent::One { index, part, .. }) => combine(&x.part(*index), part),
        (Tangent::Numbers(numbers), rows) => {
            let mut sum = Tangent::Zero;
            for (at, k) in numbers.iter().enumerate() {
                sum.accumulate(combine(&Tangent::Number(*k), &rows.part(at)));
            }
            sum
        }
        (Tangent::Parts(parts), rows) => {
            let mut sum = Tangent::Zero;
            parts.iter().enumerate().for_each(|(at, part)| sum.accumulate(combine(part, &rows.part(at))));
            sum
        }
        (Tangent::Number(_), _) => Tangent::Zero,
    }
}

/// `⟨u, v⟩`
fn inner(u: &Tangent, v: &Tangent) -> f64 {
    let row = v.map(&|number| Tangent::Number(*number));
    match combine(u, &row) {
        Tangent::Number(Real(sum)) => sum,
        _ => 0.0,
    }
}
