//! Random instances of the left side of a law.
//!
//! A name stands for a random map or coefficient of the spaces that are known where it occurs first. If a choice does not
//! fit the later parts, another instance is tried.

use std::collections::HashMap;

use super::{Coefficient, Leaf, Name, Pattern, Subscript, multiple};
use crate::map::{Family, Form, LinearMap};
use crate::sample::Sampler;
use crate::space::Space;
use crate::vector::Vector;

/// An instance of a pattern, if the choices fit.
pub(super) fn instance(pattern: &Pattern, sampler: &mut Sampler) -> Option<LinearMap> {
    Instance { sampler, known: HashMap::new(), beside: None }.map(pattern, None, None, None)
}

/// How many contractions or unitary operators are tried for given spaces.
const TRIED: usize = 20;

/// Which of how many maps of a family.
type Place = Option<(usize, usize)>;

/// The meaning of a name.
#[derive(Clone)]
enum Meaning {
    Map(LinearMap),
    Number(f64),
    Vector(Vector),
    Part(usize),
}

struct Instance<'s> {
    sampler: &'s mut Sampler,
    /// By name, and by map of a family where it has a subscript.
    known: HashMap<(usize, usize), Meaning>,
    /// The last contraction or unitary operator, which says what others may stand beside it.
    beside: Option<LinearMap>,
}

impl Instance<'_> {
    /// An instance between spaces, as far as they are known.
    fn map(
        &mut self,
        pattern: &Pattern,
        domain: Option<&Space>,
        codomain: Option<&Space>,
        place: Place,
    ) -> Option<LinearMap> {
        let map = match pattern {
            Pattern::Map(name) => match self.known.get(&key(*name, place)) {
                Some(Meaning::Map(map)) => map.clone(),
                _ => {
                    let (from, to) = (self.or_any(domain), self.or_any(codomain));
                    let map = self.sampler.map(&from, &to);
                    self.known.insert(key(*name, place), Meaning::Map(map.clone()));
                    map
                }
            },
            Pattern::Zero => LinearMap::zero(self.or_any(domain), self.or_any(codomain)),
            Pattern::Identity => LinearMap::identity(self.or_any(domain.or(codomain))),
            Pattern::Leaf(leaf, coefficients) => self.leaf(*leaf, coefficients, domain, codomain, place)?,
            Pattern::Multiple(k, m) => {
                let m = self.map(m, domain, codomain, place)?;
                multiple(self.number(k, place)?, m)
            }
            Pattern::Compose(factors) => self.chain(factors, domain, codomain, place)?,
            Pattern::Add(terms) => {
                let first = self.sampler.below(terms.len());
                let mut found = vec![None; terms.len()];
                let known = self.map(&terms[first], domain, codomain, place)?;
                for at in (0..terms.len()).filter(|at| *at != first) {
                    found[at] = Some(self.map(&terms[at], Some(known.domain()), Some(known.codomain()), place)?);
                }
                found[first] = Some(known);
                LinearMap::total(found.into_iter().flatten().collect())?
            }
            Pattern::Family(family, body) => self.family(*family, body, domain, codomain)?,
            Pattern::Repeated(_) | Pattern::Adjoint(_) => return None,
        };
        let fits = domain.is_none_or(|space| space == map.domain()) && codomain.is_none_or(|it| it == map.codomain());
        fits.then_some(map)
    }

    /// A chain, from the end at which more is known.
    fn chain(
        &mut self,
        factors: &[Pattern],
        domain: Option<&Space>,
        codomain: Option<&Space>,
        place: Place,
    ) -> Option<LinearMap> {
        let is_known =
            |pattern: &Pattern| matches!(pattern, Pattern::Map(name) if self.known.contains_key(&key(*name, place)));
        let from_the_left = match (is_known(factors.first()?), is_known(factors.last()?)) {
            (left, right) if left != right => left,
            _ => self.sampler.below(2) == 0,
        };
        let mut found: Vec<LinearMap> = Vec::new();
        let count = factors.len();
        for step in 0..count {
            let (at, last) = (if from_the_left { step } else { count - 1 - step }, step + 1 == count);
            let map = match from_the_left {
                true => {
                    let to = found.last().map(LinearMap::domain).or(codomain).cloned();
                    self.map(&factors[at], domain.filter(|_| last), to.as_ref(), place)?
                }
                false => {
                    let from = found.first().map(LinearMap::codomain).or(domain).cloned();
                    self.map(&factors[at], from.as_ref(), codomain.filter(|_| last), place)?
                }
            };
            if from_the_left { found.push(map) } else { found.insert(0, map) }
        }
        Some(LinearMap::composed(found))
    }

    fn family(
        &mut self,
        family: Family,
        body: &Pattern,
        domain: Option<&Space>,
        codomain: Option<&Space>,
    ) -> Option<LinearMap> {
        let (by_domain, by_codomain) =
            (matches!(family, Family::Join | Family::Each), matches!(family, Family::Fork | Family::Each));
        let known = domain.filter(|_| by_domain).or(codomain.filter(|_| by_codomain));
        let (is_array, count) = match known {
            Some(Space::Real) => return None,
            Some(space) => (matches!(space, Space::Array(..)), space.count()),
            None => (self.sampler.below(2) == 0, 1 + self.sampler.below(3)),
        };
        // An array of the same map is one map on every element.
        let once = family == Family::Each && is_array && self.sampler.below(2) == 0;
        let mut maps: Vec<LinearMap> = Vec::new();
        for at in 0..if once { count.min(1) } else { count } {
            let first = maps.first().cloned();
            let end = |space: Option<&Space>, by_part: bool, of: fn(&LinearMap) -> &Space| match (space, by_part) {
                (Some(space), true) => space.part(at).cloned(),
                (Some(space), false) => Some(space.clone()),
                (None, true) if !is_array => None,
                (None, _) => first.as_ref().map(of).cloned(),
            };
            let (from, to) =
                (end(domain, by_domain, |map| map.domain()), end(codomain, by_codomain, |map| map.codomain()));
            maps.push(self.map(body, from.as_ref(), to.as_ref(), Some((at, count)))?);
        }
        let first = maps.first()?.clone();
        if once {
            return Some(LinearMap::map(count, first));
        }
        let whole = |by_part: bool, of: fn(&LinearMap) -> &Space| match (by_part, is_array) {
            (false, _) => of(&first).clone(),
            (true, true) => Space::array(count, of(&first).clone()),
            (true, false) => Space::product(maps.iter().map(|map| of(map).clone())),
        };
        let (from, to) = (whole(by_domain, |map| map.domain()), whole(by_codomain, |map| map.codomain()));
        let form = match family {
            Family::Fork => Form::Fork(maps),
            Family::Join => Form::Join(maps),
            Family::Each => Form::Each(maps),
            Family::Add => Form::Add(maps),
        };
        Some(LinearMap::new(from, to, form))
    }

    fn leaf(
        &mut self,
        leaf: Leaf,
        coefficients: &[Coefficient],
        domain: Option<&Space>,
        codomain: Option<&Space>,
        place: Place,
    ) -> Option<LinearMap> {
        Some(match (leaf, coefficients) {
            (Leaf::Scale, [k]) => LinearMap::scale(self.number(k, place)?, self.or_any(domain.or(codomain))),
            (Leaf::Diagonal, [d]) => LinearMap::diagonal(self.vector(d, domain.or(codomain), place)?),
            (Leaf::RankOne, [c, u, v]) => {
                let (u, v) = (self.vector(u, codomain, place)?, self.vector(v, domain, place)?);
                LinearMap::rank_one(self.number(c, place)?, u, v)
            }
            (Leaf::Left | Leaf::Right | Leaf::Unitary, _) => {
                let fits = |map: &LinearMap| {
                    domain.is_none_or(|space| space == map.domain()) && codomain.is_none_or(|it| it == map.codomain())
                };
                let tried = (0..TRIED).map(|_| match leaf {
                    Leaf::Unitary => self.unitary(domain, codomain),
                    _ => Some(self.contraction(leaf)),
                });
                let found = tried.into_iter().flatten().find(fits)?;
                self.beside = Some(found.clone());
                found
            }
            (Leaf::Reduce, _) => self.reduction(domain, codomain)?,
            (Leaf::Project, [i]) => {
                let whole = self.whole(i, domain, codomain, place)?;
                LinearMap::project(self.part(i, &whole, place)?, whole).ok()?
            }
            (Leaf::Inject, [i]) => {
                let whole = self.whole(i, codomain, domain, place)?;
                LinearMap::inject(self.part(i, &whole, place)?, whole).ok()?
            }
            _ => return None,
        })
    }

    /// A contraction, over the space of the one beside it.
    fn contraction(&mut self, leaf: Leaf) -> LinearMap {
        let over = match self.beside.as_ref().map(LinearMap::form) {
            Some(Form::Contract(contraction)) => contraction.over.clone(),
            _ => self.sampler.space(),
        };
        let (rows, columns) = (self.sampler.size(), self.sampler.size());
        let matrix = self.sampler.any_matrix(rows, columns);
        if leaf == Leaf::Left { LinearMap::left(matrix, over) } else { LinearMap::right(matrix, over) }
    }

    /// A unitary operator, perhaps the inverse of the one beside it.
    fn unitary(&mut self, domain: Option<&Space>, codomain: Option<&Space>) -> Option<LinearMap> {
        match (&self.beside, domain, codomain) {
            (Some(beside), ..) if self.sampler.below(3) == 0 => Some(beside.adjoint()),
            (_, None, None) => Some(self.sampler.any_unitary()),
            (_, Some(space), other) => {
                let kinds = [Space::reals(space.dimension()), Space::product([space.clone()]), space.clone()];
                let to = other.cloned().unwrap_or_else(|| kinds[self.sampler.below(3)].clone());
                self.sampler.unitary(space, &to)
            }
            (_, None, Some(space)) => self.unitary(Some(&space.clone()), None).map(|map| map.adjoint()),
        }
    }

    /// A reduction; where one space is known, the other is one of those that can be related to it.
    fn reduction(&mut self, domain: Option<&Space>, codomain: Option<&Space>) -> Option<LinearMap> {
        let (from, to) = match (domain, codomain) {
            (Some(from), Some(to)) => (from.clone(), to.clone()),
            (None, None) => {
                let from = self.sampler.space();
                let to = self.related(&from);
                (from, to)
            }
            (Some(from), None) => (from.clone(), self.related(from)),
            (None, Some(to)) => (self.related(to), to.clone()),
        };
        self.sampler.reduction(&from, &to)
    }

    fn related(&mut self, space: &Space) -> Space {
        match (space, self.sampler.below(3)) {
            (Space::Array(_, element), 0) => Space::clone(element),
            (Space::Array(_, element), 1) => Space::array(self.sampler.size(), Space::clone(element)),
            _ => Space::array(self.sampler.size(), space.clone()),
        }
    }

    /// The family that a part is taken of: as it is known, or one with that part.
    fn whole(&mut self, i: &Coefficient, known: Option<&Space>, part: Option<&Space>, place: Place) -> Option<Space> {
        if let Some(known) = known {
            return Some(known.clone());
        }
        let count = match (i, place) {
            (Coefficient::Part, Some((_, count))) => count,
            _ => 1 + self.sampler.below(3),
        };
        let part = self.or_any(part);
        if self.sampler.below(2) == 0 {
            return Some(Space::array(count, part));
        }
        let at = match (i, place) {
            (Coefficient::Part, Some((at, _))) => at,
            (Coefficient::Name(name), _) => {
                let at = self.sampler.below(count);
                self.known.insert(key(*name, place), Meaning::Part(at));
                at
            }
            _ => return None,
        };
        Some(Space::product((0..count).map(|other| if other == at { part.clone() } else { self.sampler.space() })))
    }

    fn part(&mut self, i: &Coefficient, whole: &Space, place: Place) -> Option<usize> {
        match (i, place) {
            (Coefficient::Part, Some((at, count))) => (whole.count() == count).then_some(at),
            (Coefficient::Name(name), _) => match self.known.get(&key(*name, place)) {
                Some(Meaning::Part(at)) => Some(*at),
                _ => {
                    let at = self.sampler.below(whole.count().max(1));
                    self.known.insert(key(*name, place), Meaning::Part(at));
                    Some(at)
                }
            },
            _ => None,
        }
    }

    fn number(&mut self, coefficient: &Coefficient, place: Place) -> Option<f64> {
        match coefficient {
            Coefficient::Number(number) => Some(*number),
            Coefficient::Name(name) => match self.known.get(&key(*name, place)) {
                Some(Meaning::Number(number)) => Some(*number),
                _ => {
                    let number = self.sampler.number();
                    self.known.insert(key(*name, place), Meaning::Number(number));
                    Some(number)
                }
            },
            _ => None,
        }
    }

    fn vector(&mut self, coefficient: &Coefficient, space: Option<&Space>, place: Place) -> Option<Vector> {
        match coefficient {
            Coefficient::Number(number) => Some(Vector::number(*number)),
            Coefficient::Name(name) => match self.known.get(&key(*name, place)) {
                Some(Meaning::Vector(vector)) => Some(vector.clone()),
                _ => {
                    let space = self.or_any(space);
                    let vector = self.sampler.vector(&space);
                    self.known.insert(key(*name, place), Meaning::Vector(vector.clone()));
                    Some(vector)
                }
            },
            _ => None,
        }
    }

    fn or_any(&mut self, space: Option<&Space>) -> Space {
        space.cloned().unwrap_or_else(|| self.sampler.space())
    }
}

/// The key of a name: one with a subscript differs between the maps of a family.
fn key(name: Name, place: Place) -> (usize, usize) {
    match (name.subscript, place) {
        (Subscript::Each, Some((at, _))) => (name.number, at),
        _ => (name.number, usize::MAX),
    }
}
