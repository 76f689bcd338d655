//! Linear maps as text, in combinatory notation.
//!
//! | text | map | in ASCII |
//! |---|---|---|
//! | `0 : R -o [3]R` | zero | |
//! | `id V`, `scale k V` | identity, multiple (without `V` on `R`) | |
//! | `diagonal [2.0, 3.0]` | the product with a vector, number by number | |
//! | `c · (u ⊗ v)` | rank one | `c * (u >< v)` |
//! | `dot(v, _)`, `inner(v, _)`, `_ · u` | the same to and from numbers: `1 ⊗ v`, and `u ⊗ 1` | `_ * u` |
//! | `dot(a, _)`, `dot(_, b)` | products with a matrix; `over V` where its numbers meet more than numbers | |
//! | `dot(banded l u n […], _)` | a matrix of `n` columns with `l` diagonals below and `u` above its own, row by row | |
//! | `sum V`, `replicate V`, `prefix V`, `suffix V`, `reverse V` | reductions of or to the array `V` | |
//! | `gather [i, …] of V`, `scatter [i, …] into V` | by indices | |
//! | `slice a b of V`, `pad a b into V`, `line …`, `relate …` | by other relations | |
//! | `project i of V`, `inject i into V` | a part, and back | |
//! | `reshape V to W`, `transpose V W`, `zip (V, W)`, `unzip (V, W)` | unitary operators | |
//! | `f + g`, `g ∘ f` | sum, composition | `g . f` |
//! | `f × g`, `fork [f, g]` | fork to a product, to an array | `f & g` |
//! | `f ⋈ g`, `join [f, g]` | join from a product, from an array | `f | g` |
//! | `each (f, g)`, `each [f, g]`, `map n f` | part by part | |
//! | `build i < n. f`, `join i < n. f`, `each i < n. f`, `sum i < n. f` | a fork, join, each or sum of a map for each index | |
//!
//! `∘` binds tighter than `×` and `⋈`, which bind tighter than `+`; the map after a full stop reaches as far as it can.
//! Families of one map are written with a word: `fork (f)`, `join (f)`, `add (f)`, `compose (f)`.
//!
//! A [`Notation`] writes the coefficients of a [`Language`] and the forms that only it has. Spaces are written where the
//! notation has a text for them. Maps over numbers have two forms: `{}` is for people and short however large the map,
//! with `…` for the maps and numbers that are omitted; `{:#}` is complete and reads back as the same map.

mod numbers;
mod write;

use std::borrow::Cow;

use crate::language::Language;
use crate::map::{Contraction, Family, Form, Map, RankOne, Side};

pub use write::Writer;

/// How the coefficients and spaces of a language are written.
pub trait Notation: Language {
    /// Whether the sum with an opposite is written as a difference, which does not read back as the same map.
    fn differences(writer: &Writer<'_, '_, Self>) -> bool;
    /// The space that a map leads to, where that is written beside it: `(m : V)`, on one line.
    fn ascription(_: &Writer<'_, '_, Self>, _: &Map<Self>) -> Option<String> {
        None
    }

    /// `k`, after a word or beside an operator.
    fn show_number(writer: &Writer<'_, '_, Self>, number: &Self::Number) -> String;
    /// `v`, after a word or beside an operator.
    fn show_vector(writer: &Writer<'_, '_, Self>, vector: &Self::Vector) -> String;
    /// `dot(v, _)`: the product with a vector.
    fn show_row(writer: &Writer<'_, '_, Self>, vector: &Self::Vector) -> String;
    /// `a`, between brackets and commas.
    fn show_matrix(writer: &Writer<'_, '_, Self>, matrix: &Self::Matrix) -> String;
    /// A reduction.
    fn show_relation(writer: &Writer<'_, '_, Self>, map: &Map<Self>, relation: &Self::Relation) -> (Level, String);
    /// The same numbers in another shape or order.
    fn show_unitary(writer: &Writer<'_, '_, Self>, map: &Map<Self>, unitary: &Self::Unitary) -> (Level, String);
    /// `i` of `project i`
    fn show_part(writer: &Writer<'_, '_, Self>, part: &Self::Part) -> String;
    /// `i < n`
    fn show_binder(writer: &Writer<'_, '_, Self>, binder: &Self::Binder) -> String;
    /// A space; none where spaces are not written.
    fn show_space(writer: &Writer<'_, '_, Self>, space: &Self::Space) -> Option<String>;
    /// Whether a map that only this language has is written as [`Phrase::Names`].
    fn binds_names(extra: &Self::Extra) -> bool;
    /// A map that only this language has.
    fn show_extra(writer: &Writer<'_, '_, Self>, map: &Map<Self>, extra: &Self::Extra) -> Phrase<Self>;
}

/// How tightly a form binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A form that extends as far as it can.
    Binder,
    /// `f + g`
    Sum,
    /// `f × g`, `f ⋈ g`
    Side,
    /// `g ∘ f`
    Chain,
    /// `u ⊗ v`
    Product,
    /// A word with what follows it.
    Word,
    /// A form that needs no brackets anywhere.
    Atom,
}

/// The text of a map, up to the maps in it.
pub enum Phrase<L: Language> {
    /// Text and maps one after the other.
    Line(Level, Vec<Piece<L>>),
    /// `f + g`: how tightly the sign binds, the sign, how tightly the maps must, and the maps.
    Infix(Level, &'static str, Level, Vec<Map<L>>),
    /// `fork [f, g]`: the word, the brackets, and the maps.
    Listed(&'static str, [char; 2], Vec<Map<L>>),
    /// `build i < n. f`, `if c then f else g`: texts, and after each a map, which may stand on lines of its own.
    Sections(Vec<(String, Map<L>, Level)>),
    /// Names with what they stand for, and the map that uses them.
    Names(Vec<(String, Meaning<L>)>, Map<L>),
}

/// A part of the text of a map.
pub enum Piece<L: Language> {
    /// Text.
    Text(Cow<'static, str>),
    /// A map, in brackets where it binds more loosely than the level.
    Map(Map<L>, Level),
}

/// The meaning of a name.
pub enum Meaning<L: Language> {
    /// A map.
    Map(Map<L>),
    /// A coefficient, as text.
    Text(String),
}

impl<L: Language> Phrase<L> {
    /// Text without maps in it.
    pub fn text(level: Level, text: impl Into<Cow<'static, str>>) -> Phrase<L> {
        Phrase::Line(level, vec![Piece::Text(text.into())])
    }

    /// How tightly it binds on one line.
    fn level(&self) -> Level {
        match self {
            Phrase::Line(level, _) | Phrase::Infix(level, ..) => *level,
            Phrase::Listed(..) => Level::Word,
            Phrase::Sections(_) => Level::Binder,
            Phrase::Names(..) => Level::Atom,
        }
    }
}

impl<L: Notation> Writer<'_, '_, L> {
    /// The text of a map, up to the maps in it.
    fn phrase(&self, map: &Map<L>) -> Phrase<L> {
        let (domain, codomain) = (map.domain(), map.codomain());
        let space = |before: &str, space: &L::Space, after: &str| {
            L::show_space(self, space).map_or(String::new(), |text| format!("{before}{text}{after}"))
        };
        let unless_number =
            |before: &str, of: &L::Space| if L::is_number(of) { String::new() } else { space(before, of, "") };
        // A word alone needs no brackets.
        let alone = |text: String| {
            let level = if text.contains(' ') { Level::Word } else { Level::Atom };
            Phrase::text(level, text)
        };
        let several = |word, level, sign, least, maps: &[Map<L>], is_array: bool| match (is_array, maps.len()) {
            (true, _) => Phrase::Listed(word, ['[', ']'], maps.to_vec()),
            (false, ..2) => Phrase::Listed(word, ['(', ')'], maps.to_vec()),
            (false, _) => Phrase::Infix(level, sign, least, maps.to_vec()),
        };
        match map.form() {
            Form::Zero => match L::show_space(self, domain) {
                Some(from) => Phrase::text(Level::Binder, format!("0 : {from} -o {}", space("", codomain, ""))),
                None => Phrase::text(Level::Atom, "0"),
            },
            Form::Identity => alone(format!("id{}", space(" ", domain, ""))),
            Form::Scale(k) => {
                Phrase::text(Level::Word, format!("scale {}{}", L::show_number(self, k), unless_number(" ", domain)))
            }
            Form::Diagonal(values) => Phrase::text(Level::Word, format!("diagonal {}", L::show_vector(self, values))),
            Form::RankOne(product) => self.rank_one(map, product),
            Form::Contract(Contraction { side, matrix, over }) => {
                let matrix = L::show_matrix(self, matrix);
                let product = match side {
                    Side::Left => format!("dot({matrix}, _)"),
                    Side::Right => format!("dot(_, {matrix})"),
                };
                let over = unless_number(" over ", over);
                Phrase::text(if over.is_empty() { Level::Atom } else { Level::Word }, product + &over)
            }
            Form::Reduce { relation, .. } => {
                let (level, text) = L::show_relation(self, map, relation);
                Phrase::text(level, text)
            }
            Form::Unitary(unitary) => {
                let (level, text) = L::show_unitary(self, map, unitary);
                Phrase::text(level, text)
            }
            Form::Project(part) => {
                Phrase::text(Level::Word, format!("project {}{}", L::show_part(self, part), space(" of ", domain, "")))
            }
            Form::Inject(part) => Phrase::text(
                Level::Word,
                format!("inject {}{}", L::show_part(self, part), space(" into ", codomain, "")),
            ),
            Form::Map(inner) => {
                // Where spaces are written, so is the number of elements.
                let count = L::show_space(self, domain).and(L::count(domain));
                let count = count.map_or(String::new(), |count| format!("{count} "));
                let word = Piece::Text(format!("map {count}").into());
                Phrase::Line(Level::Word, vec![word, Piece::Map(inner.clone(), Level::Atom)])
            }
            Form::Add(maps) => several("add", Level::Sum, "+", Level::Side, maps, false),
            Form::Compose(maps) => several("compose", Level::Chain, "∘", Level::Product, maps, false),
            Form::Fork(maps) => several("fork", Level::Side, "×", Level::Chain, maps, L::is_array(codomain)),
            Form::Join(maps) => several("join", Level::Side, "⋈", Level::Chain, maps, L::is_array(domain)),
            Form::Each(maps) => {
                let brackets = if L::is_array(domain) { ['[', ']'] } else { ['(', ')'] };
                Phrase::Listed("each", brackets, maps.clone())
            }
            Form::Family(family, binder, body) => {
                let word = match family {
                    Family::Fork => "build",
                    Family::Join => "join",
                    Family::Each => "each",
                    Family::Add => "sum",
                };
                let header = format!("{word} {}.", L::show_binder(self, binder));
                Phrase::Sections(vec![(header, body.clone(), Level::Binder)])
            }
            Form::Extra(extra) => L::show_extra(self, map, extra),
        }
    }

    /// `c · (u ⊗ v)`, without sides that are the number 1.
    fn rank_one(&self, map: &Map<L>, RankOne { coefficient, left, right }: &RankOne<L>) -> Phrase<L> {
        let (from_number, to_number) = (L::is_number(map.domain()), L::is_number(map.codomain()));
        let (no_left, no_right) = (to_number && L::is_unit(left, 1.0), from_number && L::is_unit(right, 1.0));
        let (level, product) = match (no_left, no_right) {
            (true, false) if !from_number => (Level::Atom, L::show_row(self, right)),
            (false, true) if !to_number => (Level::Side, format!("_ · {}", L::show_vector(self, left))),
            _ => (Level::Product, format!("{} ⊗ {}", L::show_vector(self, left), L::show_vector(self, right))),
        };
        if L::same_number(coefficient, &L::number(1.0)) {
            return Phrase::text(level, product);
        }
        let product = if level < Level::Word { format!("({product})") } else { product };
        Phrase::text(Level::Product, format!("{} · {product}", L::show_number(self, coefficient)))
    }
}
