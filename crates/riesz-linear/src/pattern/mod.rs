//! Patterns: the two sides of a law, in the notation of [`print`](crate::print).
//!
//! | pattern | maps |
//! |---|---|
//! | `m`, `n`, `f` | any |
//! | `0`, `id`, `scale k`, `diagonal d`, `c · (u ⊗ v)`, `dot(a, _)`, `dot(_, b)`, `project i`, `inject i` | of this form |
//! | `reduce R`, `unitary U` | reductions and unitary operators |
//! | `k · m` | any, as a multiple: `scale k` is one of `id`, and every map is one of itself |
//! | `f + g`, `g ∘ f` | sums and compositions of two |
//! | `fork fₓ`, `join fₓ`, `each fₓ`, `sum fₓ` | families, written out or over an index |
//! | `map f` | the family of `each` that is always `f` |
//! | `mᵀ` | the adjoint |
//!
//! A name that occurs twice has the same value in both places. A name with an `ₓ` differs between the maps of a family,
//! one without is the same in all of them; `project x` is the projection to the part to which the map belongs, and `fᵢ`
//! is the map of part `i`. Coefficients on the right side are computed: `k * l`, `k + l`, `⟨u, v⟩`, `m ⊙ u`, `S ∘ R`,
//! and named functions.

mod build;
mod matching;
mod parse;
mod sample;

pub(crate) use build::multiple;

use std::fmt;

use crate::language::Language;
use crate::map::{Family, Form, LinearMap, Map};
use crate::sample::Sampler;

/// How many maps are few.
const FEW: usize = 8;

/// How many instances of a left side are tried until its condition holds.
const TRIES: usize = 2000;

/// A pattern of maps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pattern {
    /// A name for any map.
    Map(Name),
    Zero,
    Identity,
    /// A map without children, by its coefficients.
    Leaf(Leaf, Vec<Coefficient>),
    /// `k · m`
    Multiple(Coefficient, Box<Pattern>),
    Compose(Vec<Pattern>),
    Add(Vec<Pattern>),
    /// `fork fₓ`
    Family(Family, Box<Pattern>),
    /// `map f`
    Repeated(Box<Pattern>),
    /// `mᵀ`
    Adjoint(Box<Pattern>),
}

/// The forms without children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Scale,
    Diagonal,
    RankOne,
    Left,
    Right,
    Reduce,
    Unitary,
    Project,
    Inject,
}

/// A coefficient of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coefficient {
    Name(Name),
    Number(f64),
    /// `x`, the part that a map of a family belongs to.
    Part,
    Apply(Function, Vec<Coefficient>),
    /// `m ⊙ u`
    Image(Box<Pattern>, Box<Coefficient>),
}

/// A function that right sides compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `k * l`, `d * e`, `a * b`
    Times,
    /// `k + l`, `d + e`, `a + b`
    Plus,
    /// `k · v`
    Multiple,
    /// `⟨u, v⟩`
    Inner,
    /// `S ∘ R`, where no two paths lead from one place to another.
    After,
    /// The one number that all numbers of a vector are.
    Only,
    /// How many paths lead from each place to itself, if they are as many for all.
    Paths,
    /// The one place that a relation relates to a place.
    Source,
    /// The one place that a relation relates a place to.
    Target,
    /// The vector with one number in each place.
    Constant,
    /// The matrix with given rows.
    Rows,
    /// The matrix of a diagonal.
    Band,
    /// The diagonal that a matrix is.
    Main,
    /// The relation that takes the elements with given indices.
    Gather,
    /// The relation that adds up all elements of an array.
    Elements,
    /// The sum of numbers or vectors.
    Total,
    /// The sum of vectors, each with a coefficient.
    Combine,
    /// The vector that is made of vectors or numbers.
    Collect,
}

/// An argument of a function.
#[derive(Clone)]
pub enum Argument<L: Language> {
    /// One thing.
    One(Value<L>),
    /// One for each map of a family.
    List(Vec<Value<L>>),
    /// The same as a function of an index.
    Over(L::Binder, Value<L>),
}

/// A name, by its number among those of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub number: usize,
    pub subscript: Subscript,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subscript {
    /// `m`
    None,
    /// `fₓ`
    Each,
    /// `fᵢ`, with the number of `i`.
    At(usize),
}

/// An equation between maps, to be used from left to right.
#[derive(Debug)]
pub(crate) struct Equation {
    pub left: Pattern,
    pub right: Pattern,
    pub when: When,
    /// The names of the equation.
    pub names: Vec<String>,
}

/// Where an equation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Everywhere.
    Always,
    /// Where the map is no multiple of the identity.
    NoMultiple(&'static str),
    /// Where one of these is zero.
    Zero(&'static [&'static str]),
    /// Where domain and codomain are the same.
    SameSpaces,
    /// Where the unitary operators only group numbers in another way.
    Reshapes(&'static [&'static str]),
    /// Where a relation is the identity.
    Identity(&'static str),
    /// Where a relation is a sum over all elements.
    Sums(&'static str),
    /// Where a relation copies an element to all places.
    Replicates(&'static str),
    /// Where two parts are not the same.
    Differ(&'static str, &'static str),
    /// Where a relation relates nothing to a place.
    NoSource(&'static str, &'static str),
    /// Where a relation relates a place to nothing.
    NoTarget(&'static str, &'static str),
    /// Where the codomain has one number.
    ToNumber,
    /// Where the domain has one number.
    FromNumber,
    /// Where the domain is an array of numbers.
    FromNumbers,
    /// Where the codomain is an array of numbers.
    ToNumbers,
    /// Where the maps are more than one, to or from an array.
    OfArray,
    /// Where one unitary operator is the inverse of the other.
    Inverse(&'static str, &'static str),
    /// Where a family is written out.
    List(&'static str),
    /// Where a family is written out and has few maps, so that it is worth a trial.
    Few(&'static str),
    /// Where domain and codomain are families of as many parts.
    Alike,
    /// Where all of these hold.
    All(&'static [When]),
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Always => Ok(()),
            When::NoMultiple(m) => write!(f, " where {m} is no multiple of id"),
            When::Zero(names) => write!(f, " where {} is 0", names.join(" or ")),
            When::SameSpaces => write!(f, " where both spaces are the same"),
            When::Reshapes(names) => write!(f, " where {} only regroup", names.join(" and ")),
            When::Identity(r) => write!(f, " where {r} is the identity"),
            When::Sums(r) => write!(f, " where {r} is the sum"),
            When::Replicates(r) => write!(f, " where {r} replicates"),
            When::Differ(i, j) => write!(f, " where {i} is not {j}"),
            When::NoSource(r, y) => write!(f, " where {r} relates nothing to {y}"),
            When::NoTarget(r, x) => write!(f, " where {r} relates {x} to nothing"),
            When::ToNumber => write!(f, " to R"),
            When::FromNumber => write!(f, " from R"),
            When::FromNumbers => write!(f, " from an array of R"),
            When::ToNumbers => write!(f, " to an array of R"),
            When::OfArray => write!(f, " of arrays"),
            When::Inverse(u, v) => write!(f, " where {v} is the inverse of {u}"),
            When::List(name) => write!(f, " where the maps {name} are written out"),
            When::Few(name) => write!(f, " where the maps {name} are few"),
            When::Alike => write!(f, " between families of as many parts"),
            When::All(conditions) => conditions.iter().try_for_each(|when| write!(f, "{when}")),
        }
    }
}

/// The value of a name.
#[derive(Clone)]
pub enum Value<L: Language> {
    /// The factors of a map, the last applied first; none for an identity.
    Chain(Vec<Map<L>>),
    /// A coefficient.
    Number(L::Number),
    /// A vector.
    Vector(L::Vector),
    /// A matrix, and what its numbers meet.
    Matrix(L::Matrix, L::Space),
    /// A relation.
    Relation(L::Relation),
    /// A unitary operator.
    Unitary(L::Unitary),
    /// A part of a space.
    Part(L::Part),
}

impl<L: Language> PartialEq for Value<L> {
    fn eq(&self, other: &Value<L>) -> bool {
        match (self, other) {
            (Value::Chain(f), Value::Chain(g)) => f == g,
            (Value::Number(k), Value::Number(l)) => L::same_number(k, l),
            (Value::Vector(u), Value::Vector(v)) => u == v,
            (Value::Matrix(a, v), Value::Matrix(b, w)) => a == b && v == w,
            (Value::Relation(r), Value::Relation(s)) => r == s,
            (Value::Unitary(u), Value::Unitary(v)) => u == v,
            (Value::Part(i), Value::Part(j)) => i == j,
            _ => false,
        }
    }
}

/// The value of a name in a family.
#[derive(Clone)]
enum Bound<L: Language> {
    /// The same everywhere.
    One(Value<L>),
    /// One for each map.
    List(Vec<Value<L>>),
    /// The same for each of the maps of an `each`.
    Same(Value<L>),
    /// As a function of an index.
    Over(L::Binder, Value<L>),
}

/// Where in a family a pattern is met.
#[derive(Clone)]
enum Place<L: Language> {
    Outside,
    /// Its position, and how many maps there are.
    At(usize, usize),
    Same,
    Over(L::Binder),
}

/// The values of the names of an equation.
struct Bindings<'b, 'c, L: Language> {
    context: &'b L::Context<'c>,
    values: Vec<Option<Bound<L>>>,
}

impl Equation {
    /// Reads both sides.
    pub fn parse(left: &str, right: &str, when: When) -> Result<Equation, String> {
        let mut names = Vec::new();
        let left = parse::parse(left, &mut names)?;
        let known = names.len();
        let right = parse::parse(right, &mut names)?;
        match names.get(known) {
            Some(name) => Err(format!("`{name}` stands on the right alone")),
            None => Ok(Equation { left, right, when, names }),
        }
    }

    /// The right side for a map that is an instance of the left side; none for any other.
    pub fn rewrite<L: Language>(&self, map: &Map<L>, context: &L::Context<'_>) -> Option<Map<L>> {
        let mut bindings: Bindings<'_, '_, L> = Bindings { context, values: vec![None; self.names.len()] };
        if !matching::matches(&self.left, map, &Place::Outside, &mut bindings) || !self.holds(map, &bindings) {
            return None;
        }
        build::build(&self.right, Some(map.domain()), Some(map.codomain()), &Place::Outside, &bindings)
    }

    /// A random map that is an instance of the left side, and its right side; none if many tries find none.
    pub fn sample(&self, sampler: &mut Sampler) -> Option<(LinearMap, LinearMap)> {
        (0..TRIES).find_map(|_| {
            let left = sample::instance(&self.left, sampler)?;
            let right = self.rewrite(&left, &())?;
            Some((left, right))
        })
    }

    fn holds<L: Language>(&self, map: &Map<L>, bindings: &Bindings<'_, '_, L>) -> bool {
        let bound = |name: &str| bindings.values[self.names.iter().position(|known| known == name)?].as_ref();
        let value = |name: &str| match bound(name) {
            Some(Bound::One(value)) => Some(value),
            _ => None,
        };
        let list = |name: &str| match bound(name) {
            Some(Bound::List(values)) => Some(values),
            _ => None,
        };
        let relation = |name: &str| match value(name) {
            Some(Value::Relation(relation)) => Some(relation),
            _ => None,
        };
        let part = |name: &str| match value(name) {
            Some(Value::Part(part)) => Some(part),
            _ => None,
        };
        let is = |name: &str, kind: Kind| relation(name).is_some_and(|relation| L::kind(relation) == kind);
        let (domain, codomain) = (map.domain(), map.codomain());
        let holds = |when: When| match when {
            When::Always => true,
            When::NoMultiple(m) => match value(m) {
                Some(Value::Chain(maps)) => {
                    !matches!(&maps[..], [one] if matches!(one.form(), Form::Scale(_) | Form::Identity))
                }
                _ => false,
            },
            When::Zero(names) => names.iter().any(|name| value(name).is_some_and(L::is_zero)),
            When::SameSpaces => domain == codomain,
            When::Reshapes(names) => names
                .iter()
                .all(|name| matches!(value(name), Some(Value::Unitary(unitary)) if L::only_regroups(unitary))),
            When::Identity(name) => is(name, Kind::Identity),
            When::Sums(name) => is(name, Kind::Sum),
            When::Replicates(name) => is(name, Kind::Replicate),
            When::Differ(i, j) => match (part(i), part(j)) {
                (Some(i), Some(j)) => L::differ(i, j),
                _ => false,
            },
            When::NoSource(r, y) => match (relation(r), part(y)) {
                (Some(r), Some(y)) => matches!(L::source(r, y), Some(None)),
                _ => false,
            },
            When::NoTarget(r, x) => match (relation(r), part(x)) {
                (Some(r), Some(x)) => matches!(L::source(&L::converse(r), x), Some(None)),
                _ => false,
            },
            When::ToNumber => L::is_number(codomain),
            When::FromNumber => L::is_number(domain),
            When::FromNumbers => is_numbers::<L>(domain),
            When::ToNumbers => is_numbers::<L>(codomain),
            When::OfArray => {
                let several = map.children().len() != 1 || matches!(map.form(), Form::Family(..));
                L::is_array(domain) && L::is_array(codomain) && several
            }
            When::Inverse(u, v) => match (value(u), value(v)) {
                (Some(Value::Unitary(u)), Some(Value::Unitary(v))) => L::inverse(u) == *v,
                _ => false,
            },
            When::List(name) => list(name).is_some(),
            When::Few(name) => list(name).is_some_and(|maps| maps.len() <= FEW),
            When::Alike => L::alike(domain, codomain),
            When::All(_) => false,
        };
        match self.when {
            When::All(conditions) => conditions.iter().all(|when| holds(*when)),
            when => holds(when),
        }
    }
}

/// Whether a space is one of arrays of numbers.
fn is_numbers<L: Language>(space: &L::Space) -> bool {
    L::is_array(space) && L::part(space, None).is_some_and(|part| L::is_number(&part))
}

/// The properties of a relation that its form shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every place is related to itself alone.
    Identity,
    /// All elements are added up.
    Sum,
    /// One element is copied to all places.
    Replicate,
    /// Anything else.
    Other,
}
