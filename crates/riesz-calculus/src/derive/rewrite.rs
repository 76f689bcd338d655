//! Simplification: the laws of linear maps, used from left to right on symbolic terms.
//!
//! Every step has the name of a row of [`riesz_linear::law`], which states the law, says where it comes from, and is tested on
//! maps with numbers in them. Here a law meets terms whose coefficients are expressions and whose families are as long as
//! a variable says; what these steps make of a term is tested by applying it.
//!
//! The order: children first, then the factors of a chain two by two, and the terms of a sum likewise. Derivatives that are
//! used once, or are short, stand in the place of their names.

use super::build::{Derivative, Scope};
use super::term::{Expr, Form, Head, Item, Operation, Term, size_of};
use riesz_core::Type;
use riesz_core::term::{Atom, Reduction, Var};
use riesz_linear::law::{Law, law};
use riesz_primitive::array;
use rustc_hash::FxHashMap;

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
    Definition(Var),
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rule::Law(law) => f.write_str(law.name),
            Rule::Definition(var) => write!(f, "definition of {var:?}"),
        }
    }
}

/// How long a derivative that is used more than once may be to stand in the place of its name.
const SHORT: usize = 6;
/// How long a derivative may become in all.
const LONGEST: usize = 4000;

/// Simplifies equations.
pub(crate) struct Rewriter<'s, 'p> {
    pub scope: &'s Scope<'p>,
    pub steps: Vec<Rewriting>,
}

impl Rewriter<'_, '_> {
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
        loop {
            for item in &mut items {
                if let Item::Map(_, map) = item {
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
            // Those used once first: what becomes of them may be shorter.
            let once = items.iter().position(|item| matches!(item, Item::Map(var, _) if uses_of(var) == 1));
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
                if let Item::Map(_, other) = item {
                    *other = self.put(other.clone(), var, &map);
                }
            }
            result = self.put(result, var, &map);
        }
    }

    fn put(&mut self, into: Term, var: Var, map: &Term) -> Term {
        let mut used = false;
        into.visit_derivatives(&mut |found| used |= found == var);
        if !used {
            return into;
        }
        let before = Term::new(map.from.clone(), map.to.clone(), Form::Derivative(var));
        if !matches!(map.form, Form::Identity | Form::Component(..)) {
            self.steps.push(Rewriting { rule: Rule::Definition(var), before, after: map.clone() });
        }
        into.substitute(var, map)
    }

    fn step(&mut self, name: &'static str, before: &Term, after: Term) -> Term {
        if let Some(law) = law(name) {
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

    // ---- chains ----

    fn chain(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
        // Nested chains are opened.
        if maps.iter().any(|map| matches!(map.form, Form::Compose(_))) {
            return Some(Term::compose(maps.to_vec(), &term.from));
        }
        for at in 0..maps.len().saturating_sub(1) {
            let (outer, inner) = (&maps[at], &maps[at + 1]);
            let two = || Term::compose(vec![outer.clone(), inner.clone()], &inner.from);
            if let Some((name, becomes)) = self.pair(outer, inner) {
                let becomes = self.step(name, &two(), becomes);
                let becomes =
                    if matches!(becomes.form, Form::Compose(_) | Form::Add(_)) { becomes } else { self.term(becomes) };
                let mut factors = maps[..at].to_vec();
                factors.push(becomes);
                factors.extend(maps[at + 2..].iter().cloned());
                return Some(Term::compose(factors, &term.from));
            }
        }
        None
    }

    /// What two factors become by a law.
    fn pair(&mut self, f: &Term, g: &Term) -> Option<(&'static str, Term)> {
        let scope = self.scope;
        Some(match (&f.form, &g.form) {
            (Form::Zero, _) => ("zero after map", Term::zero(&g.from, &f.to)),
            (_, Form::Zero) => ("map after zero", Term::zero(&g.from, &f.to)),
            (Form::Identity, _) => ("identity after map", g.clone()),
            (_, Form::Identity) => ("map after identity", f.clone()),
            (Form::Scale(a), Form::Scale(b)) => ("compose scales", Term::scale(a.clone().times(b.clone()), &f.to)),
            (Form::RankOne { coefficient, left, right }, Form::Scale(k))
            | (Form::Scale(k), Form::RankOne { coefficient, left, right }) => {
                let coefficient = k.clone().times(coefficient.clone());
                let form = Form::RankOne { coefficient, left: left.clone(), right: right.clone() };
                ("scale slides", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (
                Form::RankOne { coefficient: c, left, right: inner },
                Form::RankOne { coefficient: d, left: other, right },
            ) => {
                let mut coefficient = c.clone().times(d.clone());
                if let (Some(v), Some(w)) = (inner, other) {
                    coefficient = coefficient.times(Expr::function(&array::DOT, vec![v.clone(), w.clone()]));
                }
                let form = Form::RankOne { coefficient, left: left.clone(), right: right.clone() };
                ("compose rank-one maps", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (_, Form::Scale(k)) if !matches!(f.form, Form::Derivative(_)) => {
                ("scale slides", Term::scale(k.clone(), &f.to).after(f.clone()))
            }
            (Form::Diagonal(d), Form::Diagonal(e)) => {
                let form = Form::Diagonal(self.pointwise(d, e, Expr::times)?);
                ("compose diagonals", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (Form::Sum, Form::Diagonal(d)) if f.to == Type::Real => {
                let form = Form::RankOne { coefficient: Expr::one(), left: None, right: Some(d.clone()) };
                ("rank-one after map", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (Form::RankOne { coefficient, left, right: Some(v) }, Form::Diagonal(d)) => {
                let right = Some(self.pointwise(v, d, Expr::times)?);
                let form = Form::RankOne { coefficient: coefficient.clone(), left: left.clone(), right };
                ("rank-one after map", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (Form::Diagonal(d), Form::RankOne { coefficient, left: Some(u), right }) => {
                let left = Some(self.pointwise(d, u, Expr::times)?);
                let form = Form::RankOne { coefficient: coefficient.clone(), left, right: right.clone() };
                ("map after rank-one", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (
                Form::Function(operation @ Operation(primitive), arguments),
                Form::RankOne { coefficient, left: Some(u), right },
            ) if operation.name() == "dot" && arguments[1].is_none() && super::build::rank(&f.from) == 1 => {
                let left = Some(Expr::function(primitive, vec![arguments[0].clone()?, u.clone()]));
                let form = Form::RankOne { coefficient: coefficient.clone(), left, right: right.clone() };
                ("map after rank-one", Term::new(g.from.clone(), f.to.clone(), form))
            }
            (Form::Component(at, _), Form::Fork(maps)) => ("project after fork", maps.get(*at)?.clone()),
            (Form::Element(Expr::Atom(Atom::Int(at))), Form::ForkArray(maps)) => {
                ("project after fork", maps.get(usize::try_from(*at).ok()?)?.clone())
            }
            (Form::Element(at), Form::Build { index, parts: false, body, .. }) => {
                ("project after fork", self.at(body, *index, at)?)
            }
            // Only while a family is being taken apart: alone, one diagonal is shorter.
            (Form::Component(at, _), Form::InjectComponent(other, _)) if at == other => {
                ("project after inject", Term::identity(&f.to))
            }
            (Form::Function(operation, _), Form::Function(other, _))
                if operation == other && matches!(operation.name(), "transpose" | "reverse") =>
            {
                let name = if operation.name() == "transpose" { "exchange" } else { "compose reductions" };
                let _ = scope;
                (name, Term::identity(&f.to))
            }
            _ => return None,
        })
    }

    /// A body at an index.
    fn at(&self, body: &Term, index: Var, at: &Expr) -> Option<Term> {
        if *at == Expr::var(index) {
            return Some(body.clone());
        }
        let whole = self.free_of(body, index)?;
        Some(whole.map_exprs(&|expr| expr.replace(&|var| (var == index).then(|| at.clone()))))
    }

    /// A body whose expressions can be seen from outside it, as functions of the index.
    fn free_of(&self, body: &Term, index: Var) -> Option<Term> {
        let mut free = !matches!(body.form, Form::Let(..));
        let mut bound = Vec::new();
        bindings(body, &mut bound);
        free &= bound.is_empty();
        body.visit_exprs(&mut |expr| free &= self.scope.outside(expr, index).is_some());
        free.then(|| body.clone().map_exprs(&|expr| self.scope.outside(expr, index).unwrap_or_else(|| expr.clone())))
    }

    /// Two arrays, number by number.
    fn pointwise(&self, a: &Expr, b: &Expr, f: fn(Expr, Expr) -> Expr) -> Option<Expr> {
        match (a, b) {
            (Expr::Each { index: i, count: n, element: x }, Expr::Each { index: j, count: m, element: y })
                if n == m =>
            {
                let y = y.replace(&|var| (var == *j).then(|| Expr::var(*i)));
                let element = match (&**x, &y) {
                    (x @ Expr::Each { .. }, y) => self.pointwise(x, y, f)?,
                    (x, y) => f(x.clone(), y.clone()),
                };
                Some(Expr::Each { index: *i, count: n.clone(), element: Box::new(element) })
            }
            (Expr::Each { index, count, element }, other) | (other, Expr::Each { index, count, element }) => {
                let at = self.scope.element(other.clone(), Expr::var(*index));
                let (x, y) = if std::ptr::eq(other, b) { ((**element).clone(), at) } else { (at, (**element).clone()) };
                let element = match (&x, &y) {
                    (Expr::Each { .. }, _) | (_, Expr::Each { .. }) => self.pointwise(&x, &y, f)?,
                    _ => f(x, y),
                };
                Some(Expr::Each { index: *index, count: count.clone(), element: Box::new(element) })
            }
            (a, b) => Some(f(a.clone(), b.clone())),
        }
    }

    // ---- sums ----

    fn add(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
        let (from, to) = (&term.from, &term.to);
        let sum = |maps: Vec<Term>| Term::sum(maps, from, to);
        if maps.len() < 2 || maps.iter().any(|map| matches!(map.form, Form::Add(_))) {
            return Some(sum(maps.to_vec()));
        }
        if let Some(at) = maps.iter().position(is_zero) {
            let name = if at == 0 { "add zero on the left" } else { "add zero on the right" };
            let mut rest = maps.to_vec();
            rest.remove(at);
            return Some(self.step(name, term, sum(rest)));
        }
        for first in 0..maps.len() {
            for second in first + 1..maps.len() {
                let Some((name, becomes)) = self.two_terms(&maps[first], &maps[second]) else { continue };
                let two = sum(vec![maps[first].clone(), maps[second].clone()]);
                let becomes = self.step(name, &two, becomes);
                let becomes = self.term(becomes);
                let mut rest = maps.to_vec();
                rest.remove(second);
                rest[first] = becomes;
                return Some(sum(rest));
            }
        }
        self.distributed(term, maps).or_else(|| self.joined(term, maps))
    }

    /// What two terms of a sum become by a law.
    fn two_terms(&self, f: &Term, g: &Term) -> Option<(&'static str, Term)> {
        let (from, to) = (&f.from, &f.to);
        match (&f.form, &g.form) {
            (Form::Diagonal(d), Form::Diagonal(e)) => {
                let form = Form::Diagonal(self.pointwise(d, e, Expr::plus)?);
                return Some(("add diagonals", Term::new(from.clone(), to.clone(), form)));
            }
            (
                Form::RankOne { coefficient: c, left: u, right: Some(v) },
                Form::RankOne { coefficient: d, left: other, right: Some(w) },
            ) if u == other && c == d && v != w => {
                let right = Some(self.pointwise(v, w, Expr::plus)?);
                let form = Form::RankOne { coefficient: c.clone(), left: u.clone(), right };
                return Some(("add rank-one maps with one left", Term::new(from.clone(), to.clone(), form)));
            }
            _ => {}
        }
        let ((k, m), (l, n)) = (multiple(f), multiple(g));
        if m == n {
            let name = if m.is_empty() { "add scales" } else { "add multiples of a map" };
            let scale = Term::scale(k.plus(l), to);
            let mut chain = vec![scale];
            chain.extend(m);
            return Some((name, Term::compose(chain, from)));
        }
        let (f, g) = (f.factors(), g.factors());
        // Shared derivatives meet in the sum itself; what comes out is what they are mapped by.
        let shared = f.iter().rev().zip(g.iter().rev()).take_while(|(a, b)| a == b).count();
        if shared > 0 {
            let (own, tail) = f.split_at(f.len() - shared);
            let middle = &tail[0].to;
            let rests = [own, &g[..g.len() - shared]].map(|rest| Term::compose(rest.to_vec(), middle));
            let mut chain = vec![Term::sum(rests.to_vec(), middle, to)];
            chain.extend(tail.iter().cloned());
            return Some(("a map comes out of a sum on the right", Term::compose(chain, from)));
        }
        let shared = f.iter().zip(&g).take_while(|(a, b)| a == b && !matches!(a.form, Form::Scale(_))).count();
        if shared > 0 {
            let middle = f[shared - 1].from.clone();
            let rests = [&f[shared..], &g[shared..]].map(|rest| Term::compose(rest.to_vec(), &middle));
            if rests.iter().any(|rest| rest.from != *from) {
                return None;
            }
            let mut chain = f[..shared].to_vec();
            chain.push(Term::sum(rests.to_vec(), from, &middle));
            return Some(("a map comes out of a sum on the left", Term::compose(chain, from)));
        }
        None
    }

    /// A multiple of a sum goes into the sum where a term of it meets the same map outside.
    fn distributed(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
        for (at, map) in maps.iter().enumerate() {
            let Form::Compose(factors) = &map.form else { continue };
            let [Term { form: Form::Scale(k), .. }, Term { form: Form::Add(inner), .. }] = &factors[..] else {
                continue;
            };
            let meets = |m: &Term| {
                let chain = multiple(m).1;
                let others = maps.iter().enumerate().filter(|(other, _)| *other != at);
                !chain.is_empty() && { others }.any(|(_, other)| multiple(other).1 == chain)
            };
            if inner.iter().any(meets) {
                let scaled = inner.iter().map(|m| Term::scale(k.clone(), &m.to).after(m.clone()));
                let becomes = Term::sum(scaled.collect(), &map.from, &map.to);
                let becomes = self.step("a map comes out of a sum on the left", map, becomes);
                let mut rest = maps.to_vec();
                rest[at] = becomes;
                return Some(Term::sum(rest, &term.from, &term.to));
            }
        }
        None
    }

    /// A sum with one term for each part of a product is a join.
    fn joined(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
        let parts = term.from.components().filter(|parts| parts.len() == maps.len() && parts.len() > 1)?;
        let mut joined: Vec<Option<Term>> = vec![None; parts.len()];
        for map in maps {
            let factors = map.factors();
            let (last, rest) = factors.split_last()?;
            let Form::Component(at, _) = last.form else { return None };
            if last.from != term.from {
                return None;
            }
            let mut refers = false;
            rest.iter().for_each(|factor| factor.visit_derivatives(&mut |_| refers = true));
            if refers || joined[at].is_some() {
                return None;
            }
            joined[at] = Some(Term::compose(rest.to_vec(), &last.to));
        }
        let joined: Vec<Term> = joined.into_iter().collect::<Option<_>>()?;
        let join = Term::new(term.from.clone(), term.to.clone(), Form::Join(joined));
        Some(self.step("a sum over projections is a join", term, join))
    }

    // ---- families ----

    /// The factors of a body that change with its index, and those on the right that do not.
    fn split(&self, body: &Term, index: Var) -> Option<(Vec<Term>, Vec<Term>)> {
        let mut changing = body.factors();
        let mut steady = Vec::new();
        while let Some(last) = changing.last() {
            if self.changes(last, index) {
                break;
            }
            steady.insert(0, changing.pop()?);
        }
        Some((changing, steady))
    }

    /// Whether a map changes from one turn of a body to the next.
    fn changes(&self, map: &Term, index: Var) -> bool {
        let mut found = false;
        map.visit_exprs(&mut |expr| found |= self.scope.depends(expr, index));
        map.visit_derivatives(&mut |var| found |= self.scope.changes_with(var, index));
        found
    }

    /// Whether a map gives arrays with as many elements as there are turns.
    fn fits(&self, to: &Type, count: &Expr) -> bool {
        matches!(to, Type::Array(size, _) if *size == size_of(count) && *size != riesz_core::Size::Hole)
    }

    fn build(&mut self, term: &Term, index: Var, count: &Expr, body: &Term) -> Option<Term> {
        if is_zero(body) {
            return Some(self.step("a family of zeros", term, Term::zero(&term.from, &term.to)));
        }
        if let Form::Add(maps) = &body.form {
            return self.by_terms(term, maps, &|body| Form::Build {
                index,
                count: count.clone(),
                parts: false,
                body: Box::new(body),
            });
        }
        let scope = self.scope;
        let (changing, steady) = self.split(body, index)?;
        let at_index = |map: &Term| matches!(&map.form, Form::Element(at) if *at == Expr::var(index));
        let (from, to) = (&term.from, &term.to);
        let middle = steady.first().map_or(from.clone(), |map| map.to.clone());
        let rest = |first: Option<Term>| Term::compose(first.into_iter().chain(steady.clone()).collect(), from);
        let whole = changing.last().is_some_and(at_index) && self.fits(&middle, count);
        match &changing[..] {
            // π₁ × … × πₙ = 1
            [_] if whole => Some(self.step("fork of projections", term, rest(None))),
            [k, _] if whole => match &k.form {
                Form::Scale(k) if !scope.depends(k, index) => {
                    Some(self.step("map of a scale", term, rest(Some(Term::scale(k.clone(), &middle)))))
                }
                Form::Scale(k) | Form::Diagonal(k) => {
                    let d = scope.array(index, count.clone(), scope.outside(k, index)?);
                    let diagonal = Term::new(middle.clone(), middle.clone(), Form::Diagonal(d));
                    Some(self.step("each of scales", term, rest(Some(diagonal))))
                }
                _ => None,
            },
            // a column: the same number, times each of many
            [k] if body_number(&middle) && !steady.is_empty()
                || matches!(&changing[..], [k] if body_number(&k.from)) =>
            {
                let Form::Scale(k) = &k.form else { return self.row(term, index, count, &changing, &steady) };
                let u = scope.array(index, count.clone(), scope.outside(k, index)?);
                let form = Form::RankOne { coefficient: Expr::one(), left: Some(u), right: None };
                let column = Term::new(Type::Real, to.clone(), form);
                Some(self.step("a map comes out of a fork", term, rest(Some(column))))
            }
            [_] => self.row(term, index, count, &changing, &steady),
            _ if !changing.is_empty() && !steady.is_empty() && !matches!(steady[0].form, Form::Derivative(_)) => {
                self.out_of_family(term, index, count, &changing, &steady)
            }
            _ => None,
        }
    }

    /// Rows become a matrix, elements an array of elements; what does not change comes out.
    fn row(&mut self, term: &Term, index: Var, count: &Expr, changing: &[Term], steady: &[Term]) -> Option<Term> {
        let scope = self.scope;
        let [map] = changing else { return None };
        let middle = steady.first().map_or(&term.from, |map| &map.to);
        let rest = |first: Term| Term::compose([first].into_iter().chain(steady.iter().cloned()).collect(), &term.from);
        match &map.form {
            Form::RankOne { coefficient, left: None, right: Some(v) }
                if *coefficient == Expr::one() && super::build::rank(middle) == 1 =>
            {
                let a = scope.array(index, count.clone(), scope.outside(v, index)?);
                let form = Form::Function(Operation(&array::EXACT_DOT), vec![Some(a), None]);
                let map = Term::new(middle.clone(), term.to.clone(), form);
                Some(self.step("the inner product by contraction", term, rest(map)))
            }
            Form::Element(at) if *at != Expr::var(index) => {
                let indices = scope.array(index, count.clone(), scope.outside(at, index)?);
                let form = Form::Function(Operation(&array::GATHER), vec![None, Some(indices)]);
                let map = Term::new(middle.clone(), term.to.clone(), form);
                Some(self.step("relational reduction", term, rest(map)))
            }
            _ if !steady.is_empty() && !matches!(steady[0].form, Form::Derivative(_)) => {
                self.out_of_family(term, index, count, changing, steady)
            }
            _ => None,
        }
    }

    /// `B(n, λi. mᵢ ∘ f) = B(n, λi. mᵢ) ∘ f`
    fn out_of_family(
        &mut self,
        term: &Term,
        index: Var,
        count: &Expr,
        changing: &[Term],
        steady: &[Term],
    ) -> Option<Term> {
        let middle = steady.first()?.to.clone();
        let body = Box::new(Term::compose(changing.to_vec(), &middle));
        let form = Form::Build { index, count: count.clone(), parts: false, body };
        let family = Term::new(middle, term.to.clone(), form);
        let chain = [family].into_iter().chain(steady.iter().cloned()).collect();
        Some(self.step("a map comes out of a fork", term, Term::compose(chain, &term.from)))
    }

    /// A family of sums is a sum of families, where each of those becomes simpler.
    fn by_terms(&mut self, term: &Term, maps: &[Term], family: &dyn Fn(Term) -> Form) -> Option<Term> {
        let before = self.steps.len();
        let (from, to) = (&term.from, &term.to);
        let name = if matches!(term.form, Form::Build { .. }) { "add forks" } else { "sums commute" };
        let split: Vec<Term> =
            maps.iter().map(|map| Term::new(from.clone(), to.clone(), family(map.clone()))).collect();
        let whole = Term::sum(split.clone(), from, to);
        self.step(name, term, whole);
        let split: Vec<Term> = split.into_iter().map(|map| self.term(map)).collect();
        let done = |map: &Term| !map.factors().iter().any(|factor| is_family(&factor.form));
        if split.iter().all(done) {
            return Some(Term::sum(split, from, to));
        }
        self.steps.truncate(before);
        None
    }

    fn total(&mut self, term: &Term, index: Var, count: &Expr, body: &Term) -> Option<Term> {
        if is_zero(body) {
            return Some(self.step("a family of zeros", term, Term::zero(&term.from, &term.to)));
        }
        if let Form::Add(maps) = &body.form {
            return self.by_terms(term, maps, &|body| Form::Total {
                index,
                count: count.clone(),
                body: Box::new(body),
            });
        }
        let scope = self.scope;
        let (from, to) = (&term.from, &term.to);
        // Σᵢ (k ∘ mᵢ) = k ∘ Σᵢ mᵢ
        let factors = body.factors();
        let heads = factors.iter().take_while(|factor| !self.changes(factor, index)).count();
        if heads > 0 && heads < factors.len() {
            let middle = factors[heads].to.clone();
            let body = Box::new(Term::compose(factors[heads..].to_vec(), &middle));
            let inner = Term::new(from.clone(), middle, Form::Total { index, count: count.clone(), body });
            let inner_first = factors[..heads].iter().cloned().chain([inner]).collect();
            let becomes = self.step("a map comes out of a sum on the left", term, Term::compose(inner_first, from));
            return Some(becomes.map_children(&mut |child| self.term(child)));
        }
        let (changing, steady) = self.split(body, index)?;
        let middle = steady.first().map_or(from.clone(), |map| map.to.clone());
        let rest = |first: Term| Term::compose([first].into_iter().chain(steady.clone()).collect(), from);
        let at_index = |map: &Term| matches!(&map.form, Form::Element(at) if *at == Expr::var(index));
        let whole = changing.last().is_some_and(at_index) && self.fits(&middle, count);
        let row = |v: Expr| {
            let form = Form::RankOne { coefficient: Expr::one(), left: None, right: Some(v) };
            Term::new(middle.clone(), to.clone(), form)
        };
        match &changing[..] {
            [_] if whole => {
                let sum = Term::new(middle.clone(), to.clone(), Form::Sum);
                Some(self.step("a sum of projections of an array", term, rest(sum)))
            }
            [k, _] if whole => match &k.form {
                Form::Scale(k) if *to == Type::Real => {
                    let v = scope.array(index, count.clone(), scope.outside(k, index)?);
                    Some(self.step("the inner product by contraction", term, rest(row(v))))
                }
                _ => None,
            },
            [k] => match &k.form {
                Form::Scale(k) => {
                    let each = scope.array(index, count.clone(), scope.outside(k, index)?);
                    let k = Expr::Apply(Head::Reduce(Reduction::Sum), vec![each]);
                    Some(self.step("add scales", term, rest(Term::scale(k, to))))
                }
                Form::RankOne { coefficient, left: None, right: Some(v) } if super::build::rank(&middle) == 1 => {
                    let each = |expr: &Expr| Some(scope.array(index, count.clone(), scope.outside(expr, index)?));
                    let v = match coefficient == &Expr::one() {
                        true => Expr::Apply(Head::Reduce(Reduction::Sum), vec![each(v)?]),
                        false => Expr::function(&array::DOT, vec![each(coefficient)?, each(v)?]),
                    };
                    Some(self.step("add rank-one maps with one left", term, rest(row(v))))
                }
                _ => self.out_of_total(term, index, count, &changing, &steady),
            },
            _ => self.out_of_total(term, index, count, &changing, &steady),
        }
    }

    /// `Σᵢ (mᵢ ∘ f) = (Σᵢ mᵢ) ∘ f`
    fn out_of_total(
        &mut self,
        term: &Term,
        index: Var,
        count: &Expr,
        changing: &[Term],
        steady: &[Term],
    ) -> Option<Term> {
        if changing.is_empty() || steady.is_empty() || matches!(steady[0].form, Form::Derivative(_)) {
            return None;
        }
        let middle = steady[0].to.clone();
        let body = Box::new(Term::compose(changing.to_vec(), &middle));
        let sum = Term::new(middle, term.to.clone(), Form::Total { index, count: count.clone(), body });
        let chain = [sum].into_iter().chain(steady.iter().cloned()).collect();
        Some(self.step("a map comes out of a sum on the right", term, Term::compose(chain, &term.from)))
    }
}

fn is_zero(map: &Term) -> bool {
    matches!(map.form, Form::Zero)
}

fn is_family(form: &Form) -> bool {
    matches!(form, Form::Build { .. } | Form::Total { .. })
}

fn body_number(ty: &Type) -> bool {
    *ty == Type::Real
}

/// Whether a derivative is as easily read as its name.
fn is_short(map: &Term) -> bool {
    match &map.form {
        Form::Zero | Form::Identity | Form::Component(..) | Form::Derivative(_) => true,
        Form::Scale(k) => k.weight() < SHORT,
        Form::Compose(maps) => match &maps[..] {
            [Term { form: Form::Component(..) | Form::Element(_), .. }, Term { form, .. }] => {
                matches!(form, Form::Component(..))
            }
            _ => false,
        },
        _ => false,
    }
}

/// A map as a multiple of a chain.
fn multiple(map: &Term) -> (Expr, Vec<Term>) {
    match &map.form {
        Form::Scale(k) => (k.clone(), Vec::new()),
        Form::Identity => (Expr::one(), Vec::new()),
        Form::RankOne { coefficient, left, right } => {
            let form = Form::RankOne { coefficient: Expr::one(), left: left.clone(), right: right.clone() };
            (coefficient.clone(), vec![Term::new(map.from.clone(), map.to.clone(), form)])
        }
        Form::Compose(maps) => match maps.split_first() {
            Some((Term { form: Form::Scale(k), .. }, rest)) => (k.clone(), rest.to_vec()),
            Some((first, rest)) => {
                let (k, mut chain) = multiple(first);
                chain.extend(rest.iter().cloned());
                (k, chain)
            }
            None => (Expr::one(), Vec::new()),
        },
        _ => (Expr::one(), vec![map.clone()]),
    }
}

/// The linear variables that a map binds.
fn bindings(map: &Term, found: &mut Vec<Var>) {
    match &map.form {
        Form::Let(items, _) => found.extend(items.iter().map(|item| match item {
            Item::Map(var, _) | Item::Value(var, _) => *var,
        })),
        Form::Loop { state, .. } => found.push(*state),
        _ => {}
    }
    map.visit_children(&mut |child| bindings(child, found));
}
