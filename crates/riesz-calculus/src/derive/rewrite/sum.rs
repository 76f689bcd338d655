//! Sums: what two terms become, and sums over the parts of a product.   [002 §2.2]

use super::{Rewriter, is_zero};
use crate::derive::term::{Expr, Form, Term};

/// How many terms of a sum a term is compared with.
const NEAR: usize = 32;

impl Rewriter<'_, '_> {
    pub(super) fn add(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
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
            for second in first + 1..maps.len().min(first + NEAR) {
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
