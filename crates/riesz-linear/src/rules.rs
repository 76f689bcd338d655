//! The laws that simplification uses, by the form of their left sides.

use std::sync::LazyLock;

use crate::language::Language;
use crate::law::{Case, Law, Statement, laws};
use crate::map::{Family, Form, Map, RankOne};
use crate::pattern::{Argument, Equation, Function, Pattern, Value};
use crate::simplify::Step;

/// The laws that are rewrites, by what they rewrite.
pub(crate) struct Rules {
    pub compositions: Vec<Entry>,
    pub sums: Vec<Entry>,
    pub others: Vec<Entry>,
    pub trials: Vec<Entry>,
    pub trials_of_sums: Vec<Entry>,
    pub trials_of_families: Vec<Entry>,
}

#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub law: &'static Law,
    pub case: &'static Case,
    equation: &'static Equation,
    slides: bool,
}

pub(crate) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut rules = Rules {
        compositions: Vec::new(),
        sums: Vec::new(),
        others: Vec::new(),
        trials: Vec::new(),
        trials_of_sums: Vec::new(),
        trials_of_families: Vec::new(),
    };
    for law in laws() {
        let cases = law.rule().map_or(&[][..], |rule| rule.cases);
        for (case, equation) in cases.iter().zip(law.equations()) {
            let entry = Entry { law, case, equation, slides: matches!(law.statement, Statement::Slide(_)) };
            let among = match (&law.statement, &equation.left) {
                (Statement::Trial(_), Pattern::Add(_)) => &mut rules.trials_of_sums,
                (Statement::Trial(_), Pattern::Family(..)) => &mut rules.trials_of_families,
                (Statement::Trial(_), _) => &mut rules.trials,
                (_, Pattern::Compose(_)) => &mut rules.compositions,
                (_, Pattern::Add(_) | Pattern::Family(Family::Add, _)) => &mut rules.sums,
                _ => &mut rules.others,
            };
            among.push(entry);
        }
    }
    rules
});

impl Rules {
    pub fn for_form<L: Language>(&self, form: &Form<L>) -> &[Entry] {
        match form {
            Form::Compose(_) => &self.compositions,
            Form::Add(_) | Form::Family(Family::Add, ..) => &self.sums,
            _ => &self.others,
        }
    }
}

impl Entry {
    pub fn step<L: Language>(&self, before: Map<L>, after: Map<L>) -> Step<L> {
        Step { law: self.law, case: self.case, before, after }
    }

    pub fn rewrite<L: Language>(&self, map: &Map<L>, context: &L::Context<'_>) -> Option<Map<L>> {
        if self.slides { slid(map, context) } else { self.equation.rewrite(map, context) }
    }
}

/// A chain with one multiple instead of all: the coefficient of a rank-one map or of a diagonal if there is one, or else where the
/// vectors are shortest.
fn slid<L: Language>(map: &Map<L>, context: &L::Context<'_>) -> Option<Map<L>> {
    let Form::Compose(maps) = map.form() else { return None };
    let is_scale = |map: &Map<L>| matches!(map.form(), Form::Scale(_));
    if !maps.iter().any(is_scale) {
        return None;
    }
    let (scales, mut others): (Vec<_>, Vec<_>) = maps.iter().cloned().partition(is_scale);
    let k = scales.iter().try_fold(L::number(1.0), |k, scale| match scale.form() {
        Form::Scale(l) => L::times(&k, l),
        _ => Some(k),
    })?;
    if others.is_empty() {
        return Some(Map::new(map.domain().clone(), map.codomain().clone(), Form::Scale(k)));
    }
    for factor in &mut others {
        let form = match factor.form() {
            Form::RankOne(RankOne { coefficient, left, right }) => {
                let coefficient = L::times(&k, coefficient)?;
                Form::RankOne(RankOne { coefficient, left: left.clone(), right: right.clone() })
            }
            Form::Diagonal(values) => {
                let arguments = [Value::Number(k.clone()), Value::Vector(values.clone())].map(Argument::One);
                match L::compute(Function::Multiple, &arguments, Some(factor.domain()), context) {
                    Some(Value::Vector(values)) => Form::Diagonal(values),
                    _ => continue,
                }
            }
            _ => continue,
        };
        *factor = Map::new(factor.domain().clone(), factor.codomain().clone(), form);
        return Some(Map::composed(others));
    }
    let codomains = others.iter().map(|map| map.codomain().clone());
    let places: Vec<L::Space> = codomains.chain(others.last().map(|map| map.domain().clone())).collect();
    let (at, space) = places.into_iter().enumerate().min_by_key(|(_, space)| L::length(space))?;
    others.insert(at, Map::new(space.clone(), space, Form::Scale(k)));
    Some(Map::composed(others))
}
