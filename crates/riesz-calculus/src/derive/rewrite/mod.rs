//! Simplification: the laws of linear maps, used from left to right on symbolic terms.
//!
//! Every step has the name of a row of [`riesz_linear::law`], which states the law, says where it comes from, and is tested on
//! maps with numbers in them. Here a law meets terms whose coefficients are expressions and whose families are as long as
//! a variable says; what these steps make of a term is tested by applying it.
//!
//! The order: children first, then the factors of a chain two by two, and the terms of a sum likewise. Derivatives that are
//! used once, or are short, stand in the place of their names.

mod chain;
mod family;
mod sum;

use super::build::Derivative;
use super::scope::Scope;
use super::term::{Expr, Form, Item, Term};
use riesz_core::term::{Atom, Var};
use riesz_linear::law::{Law, law};
use rustc_hash::{FxHashMap, FxHashSet};

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Rewriting {
    pub rule: Rule,
    pub before: Term,
    pub after: Term,
}

/// Why a step holds.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// A law of linear maps.
    Law(&'static Law),
    /// A derivative stands in the place of its name.
    Definition,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rule::Law(law) => f.write_str(law.name),
            Rule::Definition => f.write_str("definition"),
        }
    }
}

/// How long a derivative that is used more than once may be to stand in the place of its name.
const SHORT: usize = 6;
/// How long a derivative may become in all.
const LONGEST: usize = 4000;

/// How many steps a simplification may take, and how long they may be together.
const MOST_STEPS: usize = 10_000;
const MOST_WORK: usize = 1_000_000;

/// Simplifies equations.
pub(crate) struct Rewriter<'s, 'p> {
    scope: &'s Scope<'p>,
    pub steps: Vec<Rewriting>,
    /// How long the steps are together, those that were taken back included.
    work: usize,
}

impl<'s, 'p> Rewriter<'s, 'p> {
    pub fn new(scope: &'s Scope<'p>) -> Rewriter<'s, 'p> {
        Rewriter { scope, steps: Vec::new(), work: 0 }
    }

    /// The derivative with as few equations as are worth a name.
    pub fn simplify(&mut self, derivative: Derivative) -> Derivative {
        let Derivative { items, result } = derivative;
        let tidy = |map: Term| map.map_exprs(&|expr| self.scope.tidy(expr));
        let items = items.into_iter().map(|item| match item {
            Item::Map(var, map) => Item::Map(var, tidy(map)),
            Item::Value(var, value) => Item::Value(var, self.scope.tidy(&value)),
        });
        let items = items.collect();
        let result = tidy(result);
        let (items, result) = self.equations(items, result);
        Derivative { items, result }
    }

    /// Simplifies equations and the map they are for, and puts derivatives in the place of their names.
    fn equations(&mut self, mut items: Vec<Item>, mut result: Term) -> (Vec<Item>, Term) {
        let mut done: FxHashSet<Var> = FxHashSet::default();
        loop {
            for item in &mut items {
                if let Item::Map(var, map) = item
                    && done.insert(*var)
                {
                    *map = self.term(map.clone());
                }
            }
            result = self.term(result);
            let mut uses: FxHashMap<Var, usize> = FxHashMap::default();
            let mut count = |var: Var| *uses.entry(var).or_default() += 1;
            for item in &items {
                if let Item::Map(_, map) = item {
                    map.visit_derivatives(&mut count);
                }
            }
            result.visit_derivatives(&mut count);
            let uses_of = |var: &Var| uses.get(var).copied().unwrap_or(0);
            items.retain(|item| !matches!(item, Item::Map(var, _) if uses_of(var) == 0));
            let weight = |items: &[Item]| -> usize {
                items.iter().map(|item| if let Item::Map(_, map) = item { map.weight() } else { 0 }).sum()
            };
            // Those used once first: what becomes of them may be shorter. A loop keeps its name where something is done with it.
            let whole = |var: &Var| matches!(result.form, Form::Derivative(found) if found == *var);
            let once = items.iter().position(|item| match item {
                Item::Map(var, map) => uses_of(var) == 1 && (!matches!(map.form, Form::Loop { .. }) || whole(var)),
                Item::Value(..) => false,
            });
            let short = || {
                items.iter().position(|item| match item {
                    Item::Map(_, map) => is_short(map),
                    Item::Value(..) => false,
                })
            };
            let Some(at) = once.or_else(short).filter(|_| weight(&items) + result.weight() < LONGEST) else {
                return (items, result);
            };
            let Item::Map(var, map) = items.remove(at) else { unreachable!("only derivatives are chosen") };
            for item in &mut items {
                if let Item::Map(name, other) = item
                    && let Some(becomes) = self.put(other, var, &map)
                {
                    *other = becomes;
                    done.remove(name);
                }
            }
            if let Some(becomes) = self.put(&result, var, &map) {
                result = becomes;
            }
        }
    }

    /// A map in the place of its name; none where the name is not used.
    fn put(&mut self, into: &Term, var: Var, map: &Term) -> Option<Term> {
        let mut used = false;
        into.visit_derivatives(&mut |found| used |= found == var);
        if !used {
            return None;
        }
        let before = Term::new(map.from.clone(), map.to.clone(), Form::Derivative(var));
        if !matches!(map.form, Form::Identity | Form::Component(..)) {
            self.steps.push(Rewriting { rule: Rule::Definition, before, after: map.clone() });
        }
        Some(into.clone().substitute(var, map))
    }

    fn step(&mut self, name: &'static str, before: &Term, after: Term) -> Term {
        let law = law(name);
        debug_assert!(law.is_some(), "there is no law `{name}`");
        if let Some(law) = law {
            self.work += before.weight() + after.weight();
            self.steps.push(Rewriting { rule: Rule::Law(law), before: before.clone(), after: after.clone() });
        }
        after
    }

    /// Simplifies a map, children first, until nothing changes.
    fn term(&mut self, term: Term) -> Term {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut term = match term.form {
                Form::Let(items, result) => {
                    let (items, result) = self.equations(items, *result);
                    match items.is_empty() {
                        true => return result,
                        false => {
                            let (from, to) = (result.from.clone(), result.to.clone());
                            return Term::new(from, to, Form::Let(items, Box::new(result)));
                        }
                    }
                }
                _ => term.map_children(&mut |child| self.term(child)),
            };
            while let Some(simpler) = self.once(&term) {
                term = simpler;
            }
            term
        })
    }

    /// One law at the top of a map.
    fn once(&mut self, term: &Term) -> Option<Term> {
        if self.steps.len() >= MOST_STEPS || self.work >= MOST_WORK {
            return None;
        }
        match &term.form {
            Form::Compose(maps) => self.chain(term, maps),
            Form::Add(maps) => self.add(term, maps),
            Form::Build { index, count, parts: false, body } => self.build(term, *index, count, body),
            Form::Total { index, count, body } => self.total(term, *index, count, body),
            Form::Scale(Expr::Atom(Atom::Real(1.0))) => {
                Some(self.step("scale by one", term, Term::identity(&term.from)))
            }
            Form::Scale(Expr::Atom(Atom::Real(0.0))) => {
                Some(self.step("scale by zero", term, Term::zero(&term.from, &term.to)))
            }
            Form::Fork(maps) | Form::ForkArray(maps) | Form::Join(maps)
                if !maps.is_empty() && maps.iter().all(is_zero) =>
            {
                Some(self.step("a family of zeros", term, Term::zero(&term.from, &term.to)))
            }
            Form::If { yes, no, .. } if is_zero(yes) && is_zero(no) => Some(Term::zero(&term.from, &term.to)),
            _ => None,
        }
    }
}

fn is_zero(map: &Term) -> bool {
    matches!(map.form, Form::Zero)
}

/// Whether a derivative is as easily read as its name.
fn is_short(map: &Term) -> bool {
    match &map.form {
        Form::Zero | Form::Identity | Form::Component(..) | Form::Derivative(_) => true,
        Form::Scale(k) => k.weight() < SHORT,
        Form::Element(Expr::Atom(_)) => true,
        Form::Compose(maps) => match &maps[..] {
            [Term { form: Form::Component(..) | Form::Element(_), .. }, Term { form, .. }] => {
                matches!(form, Form::Component(..))
            }
            _ => false,
        },
        _ => false,
    }
}
