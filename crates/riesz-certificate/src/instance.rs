//! Which maps the names in the left side of a law stand for: all ways in which a map is an instance of a pattern.

use std::collections::HashMap;

use crate::elaborate::{OWN_INVERSE, UNITARY, size};
use crate::law::Condition;
use crate::pattern::{Coefficient, Leaf, Name, Pattern, Subscript};
use crate::term::{Expr, Family, Head, Part, Space, Term};
use crate::value::Values;

/// How many maps are few.
const FEW: usize = 8;

/// How many ways are followed at the same time.
const MOST: usize = 512;

/// The value of a name.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// The factors of a map.
    Chain(Vec<Term>),
    Number(Expr),
    Vector(Expr, Space),
    Matrix(Expr),
    /// A reduction or a unitary operator, as a map.
    Operator(Term),
    Part(Part),
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Chain(f), Value::Chain(g)) => f == g,
            (Value::Number(a), Value::Number(b)) | (Value::Vector(a, _), Value::Vector(b, _)) => a == b,
            (Value::Matrix(a), Value::Matrix(b)) => a == b,
            (Value::Operator(f), Value::Operator(g)) => f == g,
            (Value::Part(i), Value::Part(j)) => i == j,
            _ => false,
        }
    }
}

/// The value of a name in a family.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    One(Value),
    /// One for each map.
    List(Vec<Value>),
    /// The same for each map.
    Same(Value),
    /// As a function of an index with a count.
    Over(String, Expr, Value),
}

/// Where in a family a pattern is met.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Outside,
    /// At a position, of a number of maps.
    At(usize, usize),
    Same,
    Over(String, Expr),
}

pub(crate) type Bindings = HashMap<String, Bound>;

/// All ways in which a map is an instance of a pattern.
pub(crate) fn instances(pattern: &Pattern, map: &Term, values: &Values) -> Vec<Bindings> {
    Matcher { values }.matches(pattern, map, &Place::Outside, Bindings::new())
}

struct Matcher<'v> {
    values: &'v Values,
}

impl Matcher<'_> {
    fn matches(&self, pattern: &Pattern, map: &Term, place: &Place, known: Bindings) -> Vec<Bindings> {
        let yes = |holds: bool, known: Bindings| if holds { vec![known] } else { Vec::new() };
        match pattern {
            Pattern::Map(name) => self.bind(name, Value::Chain(map.factors().to_vec()), place, known),
            Pattern::Zero => yes(map.head == Head::Zero, known),
            Pattern::Identity => yes(map.head == Head::Identity, known),
            Pattern::Leaf(leaf, coefficients) => {
                let Some(found) = taken(*leaf, map) else { return Vec::new() };
                if matches!(coefficients[..], [Coefficient::Part]) && !own_part(*leaf, map, place) {
                    return Vec::new();
                }
                let start = vec![known];
                coefficients.iter().zip(found).fold(start, |ways, (coefficient, value)| {
                    self.each(ways, |known| self.coefficient(coefficient, &value, place, known))
                })
            }
            Pattern::Multiple(k, m) => {
                let (number, rest) = multiple(map);
                let ways = self.coefficient(k, &Value::Number(number), place, known);
                self.each(ways, |known| match &**m {
                    Pattern::Map(name) => self.bind(name, Value::Chain(rest.clone()), place, known),
                    m => match &rest[..] {
                        [one] => self.matches(m, one, place, known),
                        _ => Vec::new(),
                    },
                })
            }
            Pattern::Compose(patterns) => match place {
                Place::Outside if patterns.len() != map.factors().len() => Vec::new(),
                Place::Outside => self.all(patterns, map.factors(), place, known),
                _ => self.segments(patterns, map.factors(), place, known),
            },
            Pattern::Add(patterns) => match (place, &patterns[..]) {
                (Place::Over(..), [first, rest]) => {
                    let Some(terms) = terms(map) else { return Vec::new() };
                    let Some((one, others)) = terms.split_first() else { return Vec::new() };
                    let Some(others) = Term::total(others.to_vec()) else { return Vec::new() };
                    let ways = self.matches(first, one, place, known);
                    self.each(ways, |known| self.matches(rest, &others, place, known))
                }
                _ if map.head == Head::List(Family::Add) && patterns.len() == map.children.len() => {
                    self.all(patterns, &map.children, place, known)
                }
                _ => Vec::new(),
            },
            Pattern::Family(family, body) => self.family(*family, body, map, known),
            Pattern::Repeated(_) | Pattern::Adjoint(_) => Vec::new(),
        }
    }

    fn each(&self, ways: Vec<Bindings>, f: impl Fn(Bindings) -> Vec<Bindings>) -> Vec<Bindings> {
        let mut found: Vec<Bindings> = ways.into_iter().flat_map(f).collect();
        found.truncate(MOST);
        found
    }

    fn all(&self, patterns: &[Pattern], maps: &[Term], place: &Place, known: Bindings) -> Vec<Bindings> {
        patterns
            .iter()
            .zip(maps)
            .fold(vec![known], |ways, (pattern, map)| self.each(ways, |known| self.matches(pattern, map, place, known)))
    }

    /// A chain in which a name stands for any number of factors.
    fn segments(&self, patterns: &[Pattern], maps: &[Term], place: &Place, known: Bindings) -> Vec<Bindings> {
        match patterns.split_first() {
            None if maps.is_empty() => vec![known],
            None => Vec::new(),
            Some((Pattern::Map(name), rest)) => {
                let least = if rest.is_empty() { maps.len() } else { 0 };
                let split = |count: usize| {
                    let ways = self.bind(name, Value::Chain(maps[..count].to_vec()), place, known.clone());
                    self.each(ways, |known| self.segments(rest, &maps[count..], place, known))
                };
                (least..=maps.len()).flat_map(split).take(MOST).collect()
            }
            Some((pattern, rest)) => {
                let Some((map, others)) = maps.split_first() else { return Vec::new() };
                let ways = self.matches(pattern, map, place, known);
                self.each(ways, |known| self.segments(rest, others, place, known))
            }
        }
    }

    fn family(&self, family: Family, body: &Pattern, map: &Term, known: Bindings) -> Vec<Bindings> {
        match (&map.head, family) {
            (Head::List(found), _) if *found == family && !map.children.is_empty() => {
                let sorted = match (family, by_part(body)) {
                    (Family::Add, Some(inner)) => by_parts(map, inner),
                    _ => Some(map.children.clone()),
                };
                let Some(maps) = sorted else { return Vec::new() };
                maps.iter().enumerate().fold(vec![known], |ways, (at, map)| {
                    self.each(ways, |known| self.matches(body, map, &Place::At(at, maps.len()), known))
                })
            }
            (Head::Map, Family::Each) => self.matches(body, &map.children[0], &Place::Same, known),
            (Head::Over(found, index, count), _) if *found == family => {
                self.matches(body, &map.children[0], &Place::Over(index.clone(), count.clone()), known)
            }
            _ => Vec::new(),
        }
    }

    fn coefficient(&self, pattern: &Coefficient, value: &Value, place: &Place, known: Bindings) -> Vec<Bindings> {
        let holds = match (pattern, value) {
            (Coefficient::Name(name), value) => return self.bind(name, value.clone(), place, known),
            (
                Coefficient::Number(number),
                Value::Number(Expr::Number(found)) | Value::Vector(Expr::Number(found), _),
            ) => number == found,
            (Coefficient::Part, Value::Part(part)) => match place {
                Place::At(at, _) => part.position() == Some(*at),
                Place::Over(index, _) => *part == Part::Element(Expr::Var(index.clone())),
                Place::Same | Place::Outside => false,
            },
            _ => false,
        };
        if holds { vec![known] } else { Vec::new() }
    }

    fn bind(&self, name: &Name, value: Value, place: &Place, mut known: Bindings) -> Vec<Bindings> {
        let fits = match (name.subscript, place, known.get_mut(&name.stem)) {
            (Subscript::Each, Place::At(0, _), None) => {
                known.insert(name.stem.clone(), Bound::List(vec![value]));
                true
            }
            (Subscript::Each, Place::At(at, _), Some(Bound::List(found))) => match found.get(*at) {
                Some(found) => *found == value,
                None => {
                    found.push(value);
                    found.len() == at + 1
                }
            },
            (Subscript::Each, Place::Same, None) => {
                known.insert(name.stem.clone(), Bound::Same(value));
                true
            }
            (Subscript::Each, Place::Same, Some(Bound::Same(found))) => *found == value,
            (Subscript::Each, Place::Over(index, count), None) => {
                known.insert(name.stem.clone(), Bound::Over(index.clone(), count.clone(), value));
                true
            }
            (Subscript::Each, Place::Over(index, _), Some(Bound::Over(other, _, found))) => {
                other == index && *found == value
            }
            (Subscript::None, place, found) => {
                let steady = match place {
                    Place::Over(index, _) => !varies(&value, index, self.values),
                    _ => true,
                };
                match found {
                    Some(Bound::One(found)) => steady && *found == value,
                    Some(_) => false,
                    None => {
                        known.insert(name.stem.clone(), Bound::One(value));
                        steady
                    }
                }
            }
            _ => false,
        };
        if fits { vec![known] } else { Vec::new() }
    }
}

/// Whether a value changes with an index.
pub(crate) fn varies(value: &Value, index: &str, values: &Values) -> bool {
    match value {
        Value::Chain(maps) => maps.iter().any(|map| values.varies(map, index)),
        Value::Number(e) | Value::Vector(e, _) | Value::Matrix(e) | Value::Part(Part::Element(e)) => {
            values.depends(e, index)
        }
        Value::Operator(map) => values.varies(map, index),
        Value::Part(Part::Component(_)) => false,
    }
}

/// A map as a multiple of a chain.
fn multiple(map: &Term) -> (Expr, Vec<Term>) {
    let one = || Expr::Number(1.0);
    match (&map.head, map.factors().split_first()) {
        (Head::Scale(k), _) => (k.clone(), Vec::new()),
        (Head::Identity, _) => (one(), Vec::new()),
        (_, Some((first, rest))) => {
            let (number, mut chain) = match &first.head {
                Head::Scale(k) => (k.clone(), Vec::new()),
                Head::RankOne(c, u, v) => {
                    let head = Head::RankOne(one(), u.clone(), v.clone());
                    (c.clone(), vec![Term { head, ..first.clone() }])
                }
                _ => (one(), vec![first.clone()]),
            };
            chain.extend(rest.iter().cloned());
            (number, chain)
        }
        (_, None) => (one(), vec![map.clone()]),
    }
}

/// The terms of a sum, or of a chain that begins with a sum or a join.
fn terms(map: &Term) -> Option<Vec<Term>> {
    let (last, outer) = map.factors().split_last()?;
    let after = |maps: Vec<Term>| Term::chain(outer.iter().cloned().chain(maps).collect(), &map.from);
    match &last.head {
        Head::List(Family::Add) => Some(last.children.iter().map(|map| after(vec![map.clone()])).collect()),
        Head::List(Family::Join) => {
            let part = |at: usize| match last.from {
                Space::Array(..) => Part::Element(Expr::Number(at as f64)),
                _ => Part::Component(at),
            };
            let project = |at: usize, map: &Term| Term::leaf(&last.from, &map.from, Head::Project(part(at)));
            Some(last.children.iter().enumerate().map(|(at, map)| after(vec![map.clone(), project(at, map)])).collect())
        }
        _ => None,
    }
}

/// Whether the maps of a family end with `project x` or begin with `inject x`; true for the first.
fn by_part(body: &Pattern) -> Option<bool> {
    let Pattern::Compose(patterns) = body else { return None };
    let own = |pattern: Option<&Pattern>, leaf: Leaf| match pattern {
        Some(Pattern::Leaf(found, coefficients)) => *found == leaf && matches!(coefficients[..], [Coefficient::Part]),
        _ => false,
    };
    match (own(patterns.last(), Leaf::Project), own(patterns.first(), Leaf::Inject)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// The terms of a sum by the part that their innermost or outermost factor takes or gives: one map for each part.
fn by_parts(map: &Term, inner: bool) -> Option<Vec<Term>> {
    let space = if inner { &map.from } else { &map.to };
    let count = space.count().filter(|count| *count <= map.children.len())?;
    let mut parts: Vec<Vec<(Term, Term)>> = vec![Vec::new(); count];
    for term in &map.children {
        let factors = term.factors();
        let (own, rest) = if inner { factors.split_last()? } else { factors.split_first()? };
        let at = match &own.head {
            Head::Project(part) if inner => part.position()?,
            Head::Inject(part) if !inner => part.position()?,
            _ => return None,
        };
        let rest = Term::chain(rest.to_vec(), if inner { &own.to } else { &own.from });
        parts.get_mut(at)?.push((own.clone(), rest));
    }
    let one = |terms: &Vec<(Term, Term)>| {
        let own = terms.first()?.0.clone();
        let sum = Term::total(terms.iter().map(|(_, rest)| rest.clone()).collect())?;
        let maps = match (inner, &sum.head) {
            (_, Head::Identity) => vec![own],
            (true, _) => vec![sum, own],
            (false, _) => vec![own, sum],
        };
        Some(Term::chain(maps, &map.from))
    };
    parts.iter().map(one).collect()
}

/// Whether the part that `project x` or `inject x` speaks of is one of the family, which has as many as there are parts.
fn own_part(leaf: Leaf, map: &Term, place: &Place) -> bool {
    let space = if leaf == Leaf::Project { &map.from } else { &map.to };
    match place {
        Place::At(_, count) => space.count() == Some(*count),
        Place::Over(_, count) => matches!(space, Space::Array(known, _) if *known == size(count) && known != "_"),
        Place::Same | Place::Outside => false,
    }
}

/// The coefficients of a map of a form.
fn taken(leaf: Leaf, map: &Term) -> Option<Vec<Value>> {
    Some(match (leaf, &map.head) {
        (Leaf::Scale, Head::Scale(k)) => vec![Value::Number(k.clone())],
        (Leaf::Scale, Head::Identity) => vec![Value::Number(Expr::Number(1.0))],
        (Leaf::Diagonal, Head::Diagonal(d)) => vec![Value::Vector(d.clone(), map.from.clone())],
        (Leaf::RankOne, Head::RankOne(c, u, v)) => vec![
            Value::Number(c.clone()),
            Value::Vector(u.clone(), map.to.clone()),
            Value::Vector(v.clone(), map.from.clone()),
        ],
        (Leaf::Left, Head::Left(a)) | (Leaf::Right, Head::Right(a)) => vec![Value::Matrix(a.clone())],
        (Leaf::Reduce, Head::Sum | Head::Replicate(_) | Head::Function(..)) => vec![Value::Operator(map.clone())],
        (Leaf::Unitary, Head::Function(name, _, _)) if UNITARY.contains(&name.as_str()) => {
            vec![Value::Operator(map.clone())]
        }
        (Leaf::Project, Head::Project(part)) | (Leaf::Inject, Head::Inject(part)) => vec![Value::Part(part.clone())],
        _ => return None,
    })
}

/// Whether a condition of a law holds for a map and what the names in it stand for.
pub(crate) fn holds(condition: Condition, map: &Term, known: &Bindings) -> bool {
    let value = |name: &str| match known.get(name) {
        Some(Bound::One(value)) => Some(value),
        _ => None,
    };
    let operator = |name: &str| match value(name) {
        Some(Value::Operator(map)) => Some(&map.head),
        _ => None,
    };
    let numbers = |space: &Space| matches!(space, Space::Array(_, element) if matches!(**element, Space::Real));
    let array = |space: &Space| matches!(space, Space::Array(..));
    match condition {
        Condition::NoMultiple(name) => match value(name) {
            Some(Value::Chain(maps)) => !matches!(&maps[..], [one] if matches!(one.head, Head::Scale(_) | Head::Identity)),
            _ => false,
        },
        Condition::Zero(names) => names.iter().any(|name| {
            matches!(value(name), Some(Value::Number(Expr::Number(zero)) | Value::Vector(Expr::Number(zero), _)) if *zero == 0.0)
        }),
        Condition::SameSpaces => map.from.is_known() && map.from.same(&map.to),
        Condition::Sums(name) => operator(name) == Some(&Head::Sum),
        Condition::Replicates(name) => matches!(operator(name), Some(Head::Replicate(_))),
        Condition::Differ(i, j) => match (value(i), value(j)) {
            (Some(Value::Part(i)), Some(Value::Part(j))) => {
                matches!((i.position(), j.position()), (Some(i), Some(j)) if i != j)
            }
            _ => false,
        },
        Condition::ToNumber => matches!(map.to, Space::Real),
        Condition::FromNumber => matches!(map.from, Space::Real),
        Condition::FromNumbers => numbers(&map.from),
        Condition::ToNumbers => numbers(&map.to),
        Condition::OfArray => {
            array(&map.from) && array(&map.to) && (map.children.len() > 1 || matches!(map.head, Head::Over(..)))
        }
        Condition::Inverse(u, v) => match (operator(u), operator(v)) {
            (Some(Head::Function(f, _, up)), Some(Head::Function(g, _, down))) => {
                f == g && (up != down || OWN_INVERSE.contains(&f.as_str()))
            }
            _ => false,
        },
        Condition::List(name) => matches!(known.get(name), Some(Bound::List(_))),
        Condition::Few(name) => matches!(known.get(name), Some(Bound::List(maps)) if maps.len() <= FEW),
        Condition::Alike => match (&map.from, &map.to) {
            (Space::Array(m, _), Space::Array(n, _)) => m == n && m != "_",
            (Space::Product(v), Space::Product(w)) => v.len() == w.len(),
            _ => false,
        },
        // relations are compared by their names alone
        Condition::Reshapes(_) | Condition::Identity(_) | Condition::NoSource(..) | Condition::NoTarget(..) => false,
    }
}
