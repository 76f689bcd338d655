//! Random spaces, vectors and maps, for laws and tests.
//!
//! Numbers are small integers, zero among them, so that everything made of them is exact and the two sides of a law are
//! equal, not only close.

use crate::map::{Form, LinearMap};
use crate::matrix::{Band, Matrix};
use crate::relation::{Line, Relation, Walk};
use crate::space::{Space, SpaceError};
use crate::vector::Vector;

/// A source of random ingredients. The same seed gives the same ones.
#[derive(Clone, Debug)]
pub struct Sampler {
    state: u64,
}

impl Sampler {
    /// The sampler of a seed.
    pub fn new(seed: u64) -> Sampler {
        Sampler { state: seed }
    }

    /// A whole number below a bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A small whole number.
    pub fn number(&mut self) -> f64 {
        self.below(5) as f64 - 2.0
    }

    /// The size of an array, seldom 0.
    pub fn size(&mut self) -> usize {
        [1, 2, 2, 3, 3, 1, 2, 3, 0][self.below(9)]
    }

    /// A small space.
    pub fn space(&mut self) -> Space {
        self.space_of_depth(2)
    }

    fn space_of_depth(&mut self, depth: usize) -> Space {
        match self.below(if depth == 0 { 2 } else { 6 }) {
            0 => Space::Real,
            1 => Space::reals(self.size()),
            2 | 3 => {
                let parts = self.size();
                Space::product((0..parts).map(|_| self.space_of_depth(depth - 1)))
            }
            _ => Space::array(self.size(), self.space_of_depth(depth - 1)),
        }
    }

    /// The numbers of a vector of a space.
    pub fn numbers(&mut self, space: &Space) -> Vec<f64> {
        (0..space.dimension()).map(|_| self.number()).collect()
    }

    /// A vector of a space.
    pub fn vector(&mut self, space: &Space) -> Vector {
        Vector::new(space.clone(), self.numbers(space)).expect("as many numbers as dimensions")
    }

    /// A matrix, dense or banded.
    pub fn any_matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        if self.below(3) > 0 {
            return self.matrix(rows, columns);
        }
        let band = match self.below(3) {
            0 => Band { lower: 0, upper: 0 },
            _ => Band { lower: self.below(rows + 1), upper: self.below(columns + 1) },
        };
        Matrix::in_band(rows, columns, Some(band), |_, _| self.number())
    }

    /// A dense matrix.
    pub fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        let values: Vec<f64> = (0..rows * columns).map(|_| self.number()).collect();
        Matrix::new(rows, columns, values).expect("as many numbers as rows times columns")
    }

    /// A relation between arrays of two sizes, or of or to an element where a size is 1.
    pub fn relation(&mut self, from: usize, to: usize) -> Relation {
        loop {
            let relation = match self.below(9) {
                0 if from > 0 || to == 0 => {
                    Relation::gather((0..to).map(|_| self.below(from.max(1))).collect::<Vec<_>>(), from)
                }
                1 if to > 0 || from == 0 => {
                    Relation::scatter((0..from).map(|_| self.below(to.max(1))).collect::<Vec<_>>(), to)
                }
                2 if from == to => Ok(Relation::Prefix(from)),
                3 if from == to => Ok(Relation::Suffix(from)),
                4 if from == to => Ok(Relation::reverse(from)),
                5 if from >= to => Relation::slice(from - to, from, from),
                6 if to >= from => Relation::slice(0, from, to).map(|slice| slice.converse()),
                7 if from > 0 && to > 0 => self.line(from, to),
                8 => {
                    let pairs = (0..from).flat_map(|x| (0..to).map(move |y| (x, y)));
                    Relation::pairs(pairs.filter(|_| self.below(2) == 0).collect(), from, to)
                }
                _ => continue,
            };
            if let Ok(relation) = relation {
                return relation;
            }
        }
    }

    fn line(&mut self, from: usize, to: usize) -> Result<Relation, SpaceError> {
        let mut walk = |size: usize| Walk { start: self.below(size), step: self.below(5) as isize - 2, size };
        let (source, target) = (walk(from), walk(to));
        Relation::line(Line { count: self.below(4), source, target })
    }

    /// A map between two spaces, of any form that fits them.
    pub fn map(&mut self, domain: &Space, codomain: &Space) -> LinearMap {
        self.map_of_depth(domain, codomain, 2)
    }

    /// A map from a space to itself.
    pub fn endomorphism(&mut self, space: &Space) -> LinearMap {
        self.map(space, space)
    }

    /// A map between random spaces.
    pub fn any_map(&mut self) -> LinearMap {
        let (domain, codomain) = (self.space(), self.space());
        self.map(&domain, &codomain)
    }

    fn map_of_depth(&mut self, domain: &Space, codomain: &Space, depth: usize) -> LinearMap {
        for _ in 0..20 {
            let found = if depth > 0 && self.below(3) > 0 {
                self.compound(domain, codomain, depth - 1)
            } else {
                self.leaf(domain, codomain)
            };
            if let Some(map) = found {
                return map;
            }
        }
        self.rank_one(domain, codomain)
    }

    fn rank_one(&mut self, domain: &Space, codomain: &Space) -> LinearMap {
        let coefficient = if self.below(2) == 0 { 1.0 } else { self.number() };
        LinearMap::rank_one(coefficient, self.vector(codomain), self.vector(domain))
    }

    fn leaf(&mut self, domain: &Space, codomain: &Space) -> Option<LinearMap> {
        let same = domain == codomain;
        match self.below(11) {
            0 if self.below(3) == 0 => Some(LinearMap::zero(domain.clone(), codomain.clone())),
            1 if same => Some(LinearMap::identity(domain.clone())),
            2 if same => Some(LinearMap::scale(self.number(), domain.clone())),
            3 if same => Some(LinearMap::diagonal(self.vector(domain))),
            4 => Some(self.rank_one(domain, codomain)),
            5 => match (domain, codomain) {
                (Space::Array(n, v), Space::Array(m, w)) if v == w => {
                    Some(LinearMap::left(self.any_matrix(*m, *n), Space::clone(v)))
                }
                _ => None,
            },
            6 => self.right(domain, codomain),
            7 => self.reduction(domain, codomain),
            8 => {
                let index = self.below(domain.count().max(1));
                LinearMap::project(index, domain.clone()).ok().filter(|map| map.codomain() == codomain)
            }
            9 => {
                let index = self.below(codomain.count().max(1));
                LinearMap::inject(index, codomain.clone()).ok().filter(|map| map.domain() == domain)
            }
            10 => self.unitary(domain, codomain),
            _ => None,
        }
    }

    /// A reduction between two spaces, where there is one.
    pub(crate) fn reduction(&mut self, domain: &Space, codomain: &Space) -> Option<LinearMap> {
        match (domain, codomain) {
            (Space::Array(from, v), Space::Array(to, w)) if v == w => {
                Some(LinearMap::reduce(self.relation(*from, *to), Space::clone(v)))
            }
            (Space::Array(n, v), w) if **v == *w => Some(LinearMap::reduce(Relation::Sum(*n), w.clone())),
            (v, Space::Array(n, w)) if *v == **w => Some(LinearMap::reduce(Relation::Replicate(*n), v.clone())),
            _ => None,
        }
    }

    fn right(&mut self, domain: &Space, codomain: &Space) -> Option<LinearMap> {
        let over = match (domain, codomain) {
            (Space::Array(m, v), Space::Array(n, w)) => match (&**v, &**w) {
                (Space::Real, Space::Real) => return Some(LinearMap::right(self.any_matrix(*m, *n), Space::Real)),
                (Space::Array(_, _), Space::Array(_, _)) if m == n => Space::reals(*m),
                _ => return None,
            },
            _ => return None,
        };
        let (rows, columns) = (domain.part(0)?.count(), codomain.part(0)?.count());
        let map = LinearMap::right(self.any_matrix(rows, columns), over);
        (map.domain() == domain && map.codomain() == codomain).then_some(map)
    }

    /// A unitary operator.
    pub(crate) fn any_unitary(&mut self) -> LinearMap {
        let space = self.space();
        match self.below(3) {
            0 => LinearMap::transpose(space, self.space(), self.space()),
            1 => {
                let first = self.family();
                let second = self.family_like(&first);
                LinearMap::zip(&[first, second]).unwrap_or_else(|_| LinearMap::identity(space))
            }
            _ => {
                let flat = Space::reals(space.dimension());
                LinearMap::reshape(space.clone(), flat).unwrap_or_else(|_| LinearMap::identity(space))
            }
        }
    }

    /// A unitary operator between two spaces, where there is one.
    pub(crate) fn unitary(&mut self, domain: &Space, codomain: &Space) -> Option<LinearMap> {
        let mut found = Vec::new();
        if let Space::Array(m, row) = domain
            && let Space::Array(n, element) = &**row
        {
            found.push(LinearMap::transpose(Space::reals(*m), Space::reals(*n), Space::clone(element)));
        }
        if let Space::Product(parts) = domain {
            found.extend(LinearMap::zip(parts));
        }
        if let Space::Product(parts) = codomain {
            found.extend(LinearMap::unzip(parts));
        }
        found.extend(LinearMap::reshape(domain.clone(), codomain.clone()));
        found.retain(|map| map.domain() == domain && map.codomain() == codomain);
        (!found.is_empty()).then(|| found.swap_remove(self.below(found.len())))
    }

    fn compound(&mut self, domain: &Space, codomain: &Space, depth: usize) -> Option<LinearMap> {
        let array = |space: &Space| matches!(space, Space::Array(..));
        match self.below(8) {
            0 => {
                let count = 1 + self.below(3);
                LinearMap::add((0..count).map(|_| self.map_of_depth(domain, codomain, depth)).collect()).ok()
            }
            1 | 2 => {
                let middle = self.space();
                let inner = self.map_of_depth(domain, &middle, depth);
                let outer = self.map_of_depth(&middle, codomain, depth);
                outer.after(&inner).ok()
            }
            3 => {
                let maps = codomain.parts().map(|part| self.map_of_depth(domain, part, depth)).collect();
                if array(codomain) { LinearMap::fork_array(maps) } else { LinearMap::fork(maps) }.ok()
            }
            4 => {
                let maps = domain.parts().map(|part| self.map_of_depth(part, codomain, depth)).collect();
                if array(domain) { LinearMap::join_array(maps) } else { LinearMap::join(maps) }.ok()
            }
            5 if domain.count() == codomain.count() => {
                let pairs = domain.parts().zip(codomain.parts());
                let maps = pairs.map(|(from, to)| self.map_of_depth(from, to, depth)).collect();
                match (domain, codomain) {
                    (Space::Product(_), Space::Product(_)) => Some(LinearMap::each(maps)),
                    (Space::Array(..), Space::Array(..)) => LinearMap::each_array(maps).ok(),
                    _ => None,
                }
            }
            6 => match (domain, codomain) {
                (Space::Array(m, v), Space::Array(n, w)) if m == n => {
                    Some(LinearMap::map(*n, self.map_of_depth(v, w, depth)))
                }
                _ => None,
            },
            // a part that is shared
            7 => {
                let shared = self.map_of_depth(domain, codomain, depth);
                let other = self.map_of_depth(codomain, codomain, depth);
                LinearMap::add(vec![other.after(&shared).ok()?, shared]).ok()
            }
            _ => None,
        }
    }

    /// A product or an array of a few parts.
    pub(crate) fn family(&mut self) -> Space {
        let parts = 1 + self.below(3);
        if self.below(2) == 0 {
            Space::product((0..parts).map(|_| self.space_of_depth(1)))
        } else {
            Space::array(parts, self.space_of_depth(1))
        }
    }

    /// Another family of as many parts, a product or an array like this one.
    pub(crate) fn family_like(&mut self, family: &Space) -> Space {
        match family {
            Space::Array(size, _) => Space::array(*size, self.space_of_depth(1)),
            _ => Space::product((0..family.count()).map(|_| self.space_of_depth(1))),
        }
    }

    /// A fork to a family.
    pub(crate) fn fork(&mut self, domain: &Space, family: &Space) -> LinearMap {
        let maps = family.parts().map(|part| self.map_of_depth(domain, part, 1)).collect();
        LinearMap::new(domain.clone(), family.clone(), Form::Fork(maps))
    }

    /// A join from a family.
    pub(crate) fn join(&mut self, family: &Space, codomain: &Space) -> LinearMap {
        let maps = family.parts().map(|part| self.map_of_depth(part, codomain, 1)).collect();
        LinearMap::new(family.clone(), codomain.clone(), Form::Join(maps))
    }

    /// A map part by part, between families that are alike.
    pub(crate) fn each(&mut self, from: &Space, to: &Space) -> LinearMap {
        let maps = from.parts().zip(to.parts()).map(|(from, to)| self.map_of_depth(from, to, 1)).collect();
        LinearMap::new(from.clone(), to.clone(), Form::Each(maps))
    }

    /// SplitMix64
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
