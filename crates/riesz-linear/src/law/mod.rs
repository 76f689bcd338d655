//! The laws of linear maps: each is one row with a name, a left side, a right side and its source.
//!
//! A row that is a rewrite is a pair of [patterns](crate::pattern), left and right, in the notation of [`print`](crate::print).
//! The simplifier matches the patterns, the tests check them on random maps, and users see them. They hold for maps with
//! numbers and for maps with expressions, for families that are written out and for families over an index.

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

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Language;
use crate::map::{LinearMap, Map};
use crate::pattern::{Equation, When};
use crate::sample::Sampler;

/// A law of linear maps.
pub struct Law {
    /// The name of the law.
    pub name: &'static str,
    /// The equation, as the papers write it.
    pub equation: &'static str,
    /// The place where it is printed, such as `002 Fig. 4`; a source that begins with `from` names the laws that imply
    /// it.
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
    /// Factors that change places: what is on the right of the left side goes to where it costs least.
    Slide(Rule),
    /// Maps.
    Maps(fn(&mut Sampler) -> (LinearMap, LinearMap)),
    /// Vectors.
    Vectors(fn(&mut Sampler) -> (Vec<f64>, Vec<f64>)),
}

/// A law to be used from left to right.
pub struct Rule {
    /// The equation, case by case. Each holds by itself.
    pub cases: &'static [Case],
    /// A left side and its right side.
    pub example: [&'static str; 2],
}

/// An equation between patterns.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The pattern that is replaced.
    pub left: &'static str,
    /// The pattern that replaces it.
    pub right: &'static str,
    /// The condition under which it holds.
    pub when: When,
}

const fn case(left: &'static str, right: &'static str) -> Case {
    Case { left, right, when: When::Always }
}

impl Case {
    const fn when(self, when: When) -> Case {
        Case { when, ..self }
    }
}

/// As the law is shown: `left = right`, and where it holds.
impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}{}", self.left, self.right, self.when)
    }
}

/// The equations of every rewrite, read once.
static EQUATIONS: LazyLock<HashMap<&'static str, Vec<Equation>>> = LazyLock::new(|| {
    let read = |case: &Case| match Equation::parse(case.left, case.right, case.when) {
        Ok(equation) => equation,
        Err(problem) => unreachable!("{problem}"),
    };
    laws().filter_map(|law| Some((law.name, law.rule()?.cases.iter().map(read).collect()))).collect()
});

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
    /// The rule, of a law that is used from left to right.
    pub fn rule(&self) -> Option<&Rule> {
        match &self.statement {
            Statement::Rewrite(rule) | Statement::Trial(rule) | Statement::Slide(rule) => Some(rule),
            Statement::Maps(_) | Statement::Vectors(_) => None,
        }
    }

    /// Its equations, case by case.
    pub(crate) fn equations(&self) -> &'static [Equation] {
        EQUATIONS.get(self.name).map_or(&[], Vec::as_slice)
    }

    /// The right side for a map that is an instance of the left side; none for any other.
    pub fn rewrite<L: Language>(&self, map: &Map<L>, context: &L::Context<'_>) -> Option<Map<L>> {
        self.equations().iter().find_map(|equation| equation.rewrite(map, context))
    }

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
            Statement::Rewrite(rule) | Statement::Trial(rule) | Statement::Slide(rule) => {
                let at = sampler.below(rule.cases.len());
                match self.equations()[at].sample(sampler) {
                    Some((left, right)) => self.equal(&left, &right, sampler),
                    None => Err(format!("{}: no map of the form of {} was found", self.name, rule.cases[at].left)),
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

/// A composition of maps that fit, or the one map there is.
fn chain(maps: impl IntoIterator<Item = LinearMap>) -> LinearMap {
    Map::composed(maps.into_iter().collect())
}

/// A sum of maps that fit, or the one map there is.
fn total(maps: impl IntoIterator<Item = LinearMap>) -> LinearMap {
    Map::total(maps.into_iter().collect()).expect("a sum of some maps")
}

/// `u + v`
fn plus(u: &[f64], v: &[f64]) -> Vec<f64> {
    u.iter().zip(v).map(|(u, v)| u + v).collect()
}
