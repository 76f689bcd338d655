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
//!
//! `∘` binds tighter than `×` and `⋈`, which bind tighter than `+`. Families of one map are written with a word:
//! `fork (f)`, `join (f)`, `add (f)`, `compose (f)`.
//!
//! `{}` is for people and short however large the map, with `…` for what is left out; `{:#}` is complete and reads back as
//! the same map.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::language::Language;
use crate::map::{Contraction, Form, LinearMap, Map, RankOne, Side};
use crate::matrix::{Band, Matrix};
use crate::relation::{Line, Relation, Walk};
use crate::space::Space;
use crate::unitary::Unitary;
use crate::vector::Vector;

/// How many values or maps the short form shows of a long family, and up to how many it shows them all.
const SHOWN: usize = 3;
const VALUES: usize = 8;
const MAPS: usize = 12;
/// How many maps the short form shows in all.
const MOST: usize = 60;

impl fmt::Display for LinearMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let full = f.alternate();
        Printer { out: f, full }.map(self)
    }
}

impl fmt::Debug for LinearMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let full = f.alternate();
        Printer { out: f, full }.literal(self.space(), &mut |at| self.values()[at])
    }
}

/// How tightly a form binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What reaches as far as it can.
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
    /// What needs no brackets anywhere.
    Atom,
}

/// How a map that is made of several others is written.
#[derive(Clone, Copy)]
pub enum Several<'m, L: Language> {
    /// `f + g`: how tightly it binds, the sign, and how tightly the maps must.
    Infix(Level, &'static str, Level, &'m [Map<L>]),
    /// `fork [f, g]`: the word, the brackets, and the maps.
    Listed(&'static str, [char; 2], &'m [Map<L>]),
}

impl<'m, L: Language> Several<'m, L> {
    /// How a map is written, where it is a sum, a composition, a fork, a join or maps part by part, written out.
    pub fn of(map: &'m Map<L>) -> Option<Several<'m, L>> {
        let (word, level, sign, least, maps, is_array) = match map.form() {
            Form::Add(maps) => ("add", Level::Sum, "+", Level::Side, maps, false),
            Form::Compose(maps) => ("compose", Level::Chain, "∘", Level::Product, maps, false),
            Form::Fork(maps) => ("fork", Level::Side, "×", Level::Chain, maps, L::is_array(map.codomain())),
            Form::Join(maps) => ("join", Level::Side, "⋈", Level::Chain, maps, L::is_array(map.domain())),
            Form::Each(maps) => {
                let brackets = if L::is_array(map.domain()) { ['[', ']'] } else { ['(', ')'] };
                return Some(Several::Listed("each", brackets, maps));
            }
            _ => return None,
        };
        Some(match (is_array, maps.len()) {
            (true, _) => Several::Listed(word, ['[', ']'], maps),
            (false, ..2) => Several::Listed(word, ['(', ')'], maps),
            (false, _) => Several::Infix(level, sign, least, maps),
        })
    }
}

/// Which sides of a rank-one map are more than the number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// `dot(v, _)`
    Row,
    /// `_ · u`
    Column,
    /// `u ⊗ v`
    Both,
}

impl Sides {
    /// Those of a map.
    pub fn of<L: Language>(map: &Map<L>, RankOne { left, right, .. }: &RankOne<L>) -> Sides {
        let is_number = |space: &L::Space| L::is_number(space);
        let (from, to) = (is_number(map.domain()), is_number(map.codomain()));
        match (to && L::is_unit(left, 1.0), from && L::is_unit(right, 1.0)) {
            (true, false) if !from => Sides::Row,
            (false, true) if !to => Sides::Column,
            _ => Sides::Both,
        }
    }
}

struct Printer<'f, W> {
    out: &'f mut W,
    full: bool,
}

enum Task<'m> {
    Text(Cow<'static, str>),
    /// A map, in brackets where it binds more loosely than the level.
    Map(&'m LinearMap, Level),
}

impl<W: Write> Printer<'_, W> {
    fn map(&mut self, map: &LinearMap) -> fmt::Result {
        let mut tasks = vec![Task::Map(map, Level::Binder)];
        let mut shown = 0;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => self.out.write_str(&text)?,
                Task::Map(..) if !self.full && shown >= MOST => self.out.write_str("…")?,
                Task::Map(map, least) => {
                    shown += 1;
                    if level(map) < least {
                        self.out.write_str("(")?;
                        tasks.push(Task::Text(")".into()));
                    }
                    self.form(map, &mut tasks)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a map up to its children, and leaves those as tasks.
    fn form<'m>(&mut self, map: &'m LinearMap, tasks: &mut Vec<Task<'m>>) -> fmt::Result {
        let (domain, codomain) = (map.domain(), map.codomain());
        match Several::of(map) {
            Some(Several::Infix(_, sign, least, maps)) => return self.infix(sign, least, maps, tasks),
            Some(Several::Listed(word, brackets, maps)) => return self.family(word, brackets, maps, tasks),
            None => {}
        }
        match map.form() {
            Form::Zero => {
                self.word("0 : ")?;
                self.space(domain)?;
                self.word(" -o ")?;
                self.space(codomain)
            }
            Form::Identity => self.word("id ").and_then(|()| self.space(domain)),
            Form::Scale(k) => {
                write!(self.out, "scale {}", number(*k))?;
                self.unless_real(" ", domain)
            }
            Form::Diagonal(values) => self.word("diagonal ").and_then(|()| self.vector(values)),
            Form::RankOne(product) => {
                let RankOne { coefficient, left, right } = product;
                let side = Sides::of(map, product);
                let alone = *coefficient == 1.0;
                if !alone {
                    write!(self.out, "{} · ", number(*coefficient))?;
                }
                let bracketed = !alone && side != Sides::Row;
                self.word(if bracketed { "(" } else { "" })?;
                match side {
                    Sides::Row => {
                        // The product of a matrix with a vector is another one.
                        let flat = *right.space() == Space::reals(right.values().len());
                        self.word(if flat { "dot(" } else { "inner(" })?;
                        self.vector(right)?;
                        self.word(", _)")?;
                    }
                    Sides::Column => self.word("_ · ").and_then(|()| self.vector(left))?,
                    Sides::Both => {
                        self.vector(left)?;
                        self.word(" ⊗ ")?;
                        self.vector(right)?;
                    }
                }
                self.word(if bracketed { ")" } else { "" })
            }
            Form::Contract(Contraction { side, matrix, over }) => {
                self.word(if *side == Side::Left { "dot(" } else { "dot(_, " })?;
                self.matrix(matrix)?;
                self.word(if *side == Side::Left { ", _)" } else { ")" })?;
                self.unless_real(" over ", over)
            }
            Form::Reduce { relation, .. } => self.relation(relation, domain, codomain),
            Form::Project(index) => {
                write!(self.out, "project {index} of ")?;
                self.space(domain)
            }
            Form::Inject(index) => {
                write!(self.out, "inject {index} into ")?;
                self.space(codomain)
            }
            Form::Unitary(Unitary::Reshape) => {
                self.word("reshape ")?;
                self.space(domain)?;
                self.word(" to ")?;
                self.space(codomain)
            }
            Form::Unitary(Unitary::Transpose { outer, inner, element }) => {
                self.word("transpose ")?;
                self.space(outer)?;
                self.word(" ")?;
                self.space(inner)?;
                self.unless_real(" over ", element)
            }
            Form::Unitary(Unitary::Zip) => self.word("zip ").and_then(|()| self.space(domain)),
            Form::Unitary(Unitary::Unzip) => self.word("unzip ").and_then(|()| self.space(codomain)),
            Form::Add(_) | Form::Compose(_) | Form::Fork(_) | Form::Join(_) | Form::Each(_) => Ok(()),
            Form::Family(_, never, _) | Form::Extra(never) => match *never {},
            Form::Map(map) => {
                write!(self.out, "map {} ", domain.count())?;
                tasks.push(Task::Map(map, Level::Atom));
                Ok(())
            }
        }
    }

    /// `f + g + h`
    fn infix<'m>(
        &mut self,
        sign: &'static str,
        level: Level,
        maps: &'m [LinearMap],
        tasks: &mut Vec<Task<'m>>,
    ) -> fmt::Result {
        let shown = self.shown(maps.len(), MAPS);
        if shown < maps.len() {
            tasks.push(Task::Text(format!(" {sign} … {} maps", maps.len()).into()));
        }
        for (at, map) in maps[..shown].iter().enumerate().rev() {
            tasks.push(Task::Map(map, level));
            if at > 0 {
                tasks.push(Task::Text(format!(" {sign} ").into()));
            }
        }
        Ok(())
    }

    /// `fork [f, g]`, `each (f, g)`
    fn family<'m>(
        &mut self,
        word: &str,
        [open, close]: [char; 2],
        maps: &'m [LinearMap],
        tasks: &mut Vec<Task<'m>>,
    ) -> fmt::Result {
        write!(self.out, "{word} {open}")?;
        let shown = self.shown(maps.len(), MAPS);
        let end = if shown < maps.len() { format!(", … {} maps{close}", maps.len()) } else { close.to_string() };
        tasks.push(Task::Text(end.into()));
        for (at, map) in maps[..shown].iter().enumerate().rev() {
            tasks.push(Task::Map(map, Level::Binder));
            if at > 0 {
                tasks.push(Task::Text(", ".into()));
            }
        }
        Ok(())
    }

    fn relation(&mut self, relation: &Relation, domain: &Space, codomain: &Space) -> fmt::Result {
        match relation {
            Relation::Sum(_) => self.word("sum ").and_then(|()| self.space(domain)),
            Relation::Replicate(_) => self.word("replicate ").and_then(|()| self.space(codomain)),
            Relation::Prefix(_) => self.word("prefix ").and_then(|()| self.space(domain)),
            Relation::Suffix(_) => self.word("suffix ").and_then(|()| self.space(domain)),
            Relation::Gather { indices, .. } => {
                self.word("gather [")?;
                self.list(indices.len(), ']', |printer, at| write!(printer.out, "{}", indices[at]))?;
                self.word(" of ")?;
                self.space(domain)
            }
            Relation::Scatter { indices, .. } => {
                self.word("scatter [")?;
                self.list(indices.len(), ']', |printer, at| write!(printer.out, "{}", indices[at]))?;
                self.word(" into ")?;
                self.space(codomain)
            }
            Relation::Pairs { pairs, to, .. } => {
                self.word("relate [")?;
                self.list(pairs.len(), ']', |printer, at| write!(printer.out, "({}, {})", pairs[at].0, pairs[at].1))?;
                self.word(" of ")?;
                self.space(domain)?;
                write!(self.out, " into {to}")
            }
            Relation::Line(line) => self.line(*line, domain, codomain),
        }
    }

    fn line(&mut self, line: Line, domain: &Space, codomain: &Space) -> fmt::Result {
        let Line { count, source, target } = line;
        let whole = |walk: Walk| walk.start == 0 && walk.step == 1 && walk.size == count;
        if line == reversal(count) {
            self.word("reverse ")?;
            self.space(domain)
        } else if whole(target) && source.step == 1 {
            write!(self.out, "slice {} {} of ", source.start, source.start + count)?;
            self.space(domain)
        } else if whole(source) && target.step == 1 {
            write!(self.out, "pad {} {} into ", target.start, target.start + count)?;
            self.space(codomain)
        } else {
            write!(self.out, "line {count} from {} by {} of ", source.start, source.step)?;
            self.space(domain)?;
            write!(self.out, " to {} by {} of {}", target.start, target.step, target.size)
        }
    }

    fn vector(&mut self, vector: &Vector) -> fmt::Result {
        self.typed(vector.space(), &mut |at| vector.values()[at])
    }

    fn matrix(&mut self, matrix: &Matrix) -> fmt::Result {
        if let Some(Band { lower, upper }) = matrix.band() {
            write!(self.out, "banded {lower} {upper} {} [", matrix.columns())?;
            return self.list(matrix.rows(), ']', |printer, row| {
                let span = matrix.span(row);
                printer.word("[")?;
                printer.list(span.len(), ']', |printer, at| printer.word(&number(matrix.at(row, span.start + at))))
            });
        }
        let space = Space::array(matrix.rows(), Space::reals(matrix.columns()));
        self.typed(&space, &mut |at| matrix.at(at / matrix.columns(), at % matrix.columns()))
    }

    /// A literal, with its space where the numbers do not tell it.
    fn typed(&mut self, space: &Space, value: &mut dyn FnMut(usize) -> f64) -> fmt::Result {
        let hidden = has_empty_array(space);
        if hidden {
            self.word("(")?;
        }
        self.literal(space, value)?;
        if hidden {
            self.word(" : ")?;
            self.space(space)?;
            self.word(")")?;
        }
        Ok(())
    }

    fn literal(&mut self, space: &Space, value: &mut dyn FnMut(usize) -> f64) -> fmt::Result {
        match space {
            Space::Real => self.word(&number(value(0))),
            Space::Array(size, element) => {
                let width = element.dimension();
                self.word("[")?;
                self.list(*size, ']', |printer, at| printer.literal(element, &mut |inner| value(at * width + inner)))
            }
            Space::Product(parts) => {
                let mut start = 0;
                self.word("(")?;
                let end = if parts.len() == 1 { ",)" } else { ")" };
                self.listing(parts.len(), end, "values", |printer, at| {
                    printer.literal(&parts[at], &mut |inner| value(start + inner))?;
                    start += parts[at].dimension();
                    Ok(())
                })
            }
        }
    }

    fn space(&mut self, space: &Space) -> fmt::Result {
        match space {
            Space::Real => self.word("R"),
            Space::Array(size, element) => {
                write!(self.out, "[{size}]")?;
                self.space(element)
            }
            Space::Product(parts) => {
                self.word("(")?;
                let end = if parts.len() == 1 { ",)" } else { ")" };
                self.listing(parts.len(), end, "spaces", |printer, at| printer.space(&parts[at]))
            }
        }
    }

    fn unless_real(&mut self, before: &str, space: &Space) -> fmt::Result {
        match space {
            Space::Real => Ok(()),
            _ => self.word(before).and_then(|()| self.space(space)),
        }
    }

    fn list(&mut self, length: usize, close: char, item: impl FnMut(&mut Self, usize) -> fmt::Result) -> fmt::Result {
        self.listing(length, close.encode_utf8(&mut [0; 4]), "values", item)
    }

    fn listing(
        &mut self,
        length: usize,
        end: &str,
        what: &str,
        mut item: impl FnMut(&mut Self, usize) -> fmt::Result,
    ) -> fmt::Result {
        let shown = self.shown(length, VALUES);
        for at in 0..shown {
            if at > 0 {
                self.word(", ")?;
            }
            item(self, at)?;
        }
        if shown < length {
            write!(self.out, ", … {length} {what}")?;
        }
        self.word(end)
    }

    /// How many of a family are shown.
    fn shown(&self, length: usize, most: usize) -> usize {
        if self.full || length <= most { length } else { SHOWN }
    }

    fn word(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }
}

fn level(map: &LinearMap) -> Level {
    if let Some(Several::Infix(level, ..)) = Several::of(map) {
        return level;
    }
    match map.form() {
        Form::Zero => Level::Binder,
        Form::RankOne(product) => match Sides::of(map, product) {
            Sides::Column if product.coefficient == 1.0 => Level::Side,
            Sides::Row if product.coefficient == 1.0 => Level::Atom,
            _ => Level::Product,
        },
        Form::Contract(Contraction { over: Space::Real, .. }) => Level::Atom,
        _ => Level::Word,
    }
}

fn has_empty_array(space: &Space) -> bool {
    match space {
        Space::Real => false,
        Space::Array(size, element) => *size == 0 || has_empty_array(element),
        Space::Product(parts) => parts.iter().any(has_empty_array),
    }
}

fn reversal(size: usize) -> Line {
    match Relation::reverse(size) {
        Relation::Line(line) => line,
        _ => unreachable!("reversal is a line"),
    }
}

/// The shortest digits that read back the same.
fn number(value: f64) -> String {
    if value.is_nan() { "nan".to_string() } else { format!("{value:?}") }
}
