//! The laws of linear maps: each is one row with a name, a left side, a right side and where it comes from.
//!
//! The simplifier uses a row as a rewrite from left to right, its steps carry the row's name, and a property test computes
//! both sides of every row on random ingredients. A row that is a rewrite states its right side once, as a function of any
//! map of the form of the left side; its left side makes random maps of that form, and its example shows both in the
//! notation of [`print`](crate::print).

mod category;
mod diagonal;
mod product;
mod relation;
mod reverse;
mod scale;
mod semantics;
mod sum;
mod tensor;
mod transposition;
mod unitary;

use crate::map::{Form, LinearMap};
use crate::sample::Sampler;

/// A law of linear maps.
pub struct Law {
    /// What it is called.
    pub name: &'static str,
    /// The equation, as the papers write it.
    pub equation: &'static str,
    /// Where it is printed, such as `002 Fig. 4`; what it follows from, if that begins with `from`.
    pub source: &'static str,
    /// Both sides.
    pub statement: Statement,
}

/// The two sides of a law.
pub enum Statement {
    /// Maps, of which the left one is replaced by the right one wherever that is simpler.
    Rewrite(Rule),
    /// Maps, of which the left one is replaced by the right one where other laws then find something to do in it.
    Trial(Rule),
    /// Maps.
    Maps(fn(&mut Sampler) -> (LinearMap, LinearMap)),
    /// Vectors.
    Vectors(fn(&mut Sampler) -> (Vec<f64>, Vec<f64>)),
}

/// A law to be used from left to right.
pub struct Rule {
    /// Makes random maps of the form of the left side.
    pub left: fn(&mut Sampler) -> LinearMap,
    /// The right side for a map of the form of the left side; none for any other.
    pub right: fn(&LinearMap) -> Option<LinearMap>,
    /// A left side and its right side.
    pub example: [&'static str; 2],
}

/// Every law.
pub fn laws() -> impl Iterator<Item = &'static Law> {
    let groups: [&[Law]; 11] = [
        semantics::ROWS,
        category::ROWS,
        scale::ROWS,
        sum::ROWS,
        product::ROWS,
        diagonal::ROWS,
        tensor::ROWS,
        relation::ROWS,
        unitary::ROWS,
        transposition::ROWS,
        reverse::ROWS,
    ];
    groups.into_iter().flatten()
}

/// The law of a name.
pub fn law(name: &str) -> Option<&'static Law> {
    laws().find(|law| law.name == name)
}

impl Law {
    /// Computes both sides on random ingredients.
    ///
    /// # Errors
    /// Where they differ, a sentence with both.
    pub fn check(&self, sampler: &mut Sampler) -> Result<(), String> {
        match &self.statement {
            Statement::Vectors(sides) => {
                let (left, right) = sides(sampler);
                if left == right { Ok(()) } else { Err(self.broken(&format!("{left:?}"), &format!("{right:?}"))) }
            }
            Statement::Maps(sides) => {
                let (left, right) = sides(sampler);
                self.equal(&left, &right, sampler)
            }
            Statement::Rewrite(rule) | Statement::Trial(rule) => {
                let left = (rule.left)(sampler);
                match (rule.right)(&left) {
                    Some(right) => self.equal(&left, &right, sampler),
                    None => Err(self.broken(&format!("{left:#}"), "nothing")),
                }
            }
        }
    }

    /// Two maps are equal if they are equal at every unit vector; in large spaces a few random vectors stand for those.
    fn equal(&self, left: &LinearMap, right: &LinearMap, sampler: &mut Sampler) -> Result<(), String> {
        let domain = left.domain();
        let vectors: Vec<Vec<f64>> = match domain.dimension() {
            0..=32 => domain.basis().collect(),
            _ => (0..4).map(|_| sampler.numbers(domain)).collect(),
        };
        let spaces = domain == right.domain() && left.codomain() == right.codomain();
        if spaces && vectors.iter().all(|x| left.apply(x) == right.apply(x)) {
            Ok(())
        } else {
            Err(self.broken(&format!("{left:#}"), &format!("{right:#}")))
        }
    }

    fn broken(&self, left: &str, right: &str) -> String {
        format!("{}: {} does not hold: {left} on the left, {right} on the right", self.name, self.equation)
    }
}

/// The two factors of a composition of two: the outer, the inner.
fn factors_of_two(map: &LinearMap) -> Option<(&LinearMap, &LinearMap)> {
    match map.form() {
        Form::Compose(maps) if maps.len() == 2 => Some((&maps[0], &maps[1])),
        _ => None,
    }
}

/// The factors of a composition, or the one map there is.
fn factors(map: &LinearMap) -> &[LinearMap] {
    match map.form() {
        Form::Compose(maps) => maps,
        _ => std::slice::from_ref(map),
    }
}

/// The two terms of a sum of two.
fn terms_of_two(map: &LinearMap) -> Option<(&LinearMap, &LinearMap)> {
    match map.form() {
        Form::Add(maps) if maps.len() == 2 => Some((&maps[0], &maps[1])),
        _ => None,
    }
}

/// How the two factors of a composition of two are made.
fn factor_forms(map: &LinearMap) -> Option<(&Form, &Form)> {
    factors_of_two(map).map(|(outer, inner)| (outer.form(), inner.form()))
}

/// How the two terms of a sum of two are made.
fn term_forms(map: &LinearMap) -> Option<(&Form, &Form)> {
    terms_of_two(map).map(|(first, second)| (first.form(), second.form()))
}

/// A composition of maps that fit, or the one map there is.
fn chain(maps: impl IntoIterator<Item = LinearMap>) -> LinearMap {
    let mut maps: Vec<LinearMap> = maps.into_iter().collect();
    match maps.len() {
        1 => maps.swap_remove(0),
        _ => LinearMap::compose(maps).expect("the factors of a law fit"),
    }
}

/// A sum of maps that fit, or the one map there is.
fn total(maps: impl IntoIterator<Item = LinearMap>) -> LinearMap {
    let mut maps: Vec<LinearMap> = maps.into_iter().collect();
    match maps.len() {
        1 => maps.swap_remove(0),
        _ => LinearMap::add(maps).expect("the terms of a law fit"),
    }
}

/// `u + v`
fn plus(u: &[f64], v: &[f64]) -> Vec<f64> {
    u.iter().zip(v).map(|(u, v)| u + v).collect()
}
