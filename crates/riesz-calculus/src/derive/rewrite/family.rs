//! Families: what is built or summed over an index becomes one map where it can, and what does not change comes out.   [002 §4; 003 §6.1]

use super::{Rewriter, is_zero};
use crate::derive::build::rank;
use crate::derive::term::{Expr, Form, Head, Operation, Term, size_of};
use riesz_core::Type;
use riesz_core::term::{Reduction, Var};
use riesz_primitive::array;

impl Rewriter<'_, '_> {
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

    pub(super) fn build(&mut self, term: &Term, index: Var, count: &Expr, body: &Term) -> Option<Term> {
        if is_zero(body) {
            return Some(self.step("a family of zeros", term, Term::zero(&term.from, &term.to)));
        }
        if let Some(maps) = self.terms_of(body) {
            return self.by_terms(term, &maps, &|body| Form::Build {
                index,
                count: count.clone(),
                parts: false,
                body: Box::new(body),
            });
        }
        let scope = self.scope;
        // S(k)ⁿ = S(k)
        if let Some((Term { form: Form::Scale(k), .. }, rest)) = body.factors().split_first()
            && !rest.is_empty()
            && !scope.depends(k, index)
        {
            let body = Box::new(Term::compose(rest.to_vec(), &body.to));
            let form = Form::Build { index, count: count.clone(), parts: false, body };
            let family = Term::new(term.from.clone(), term.to.clone(), form);
            let becomes = self.step("map of a scale", term, Term::scale(k.clone(), &term.to).after(family));
            return Some(becomes.map_children(&mut |child| self.term(child)));
        }
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
                if *coefficient == Expr::one() && rank(middle) == 1 =>
            {
                let a = scope.array(index, count.clone(), scope.outside(v, index)?);
                let form = Form::Function(Operation(&array::EXACT_DOT), vec![Some(a), None]);
                let map = Term::new(middle.clone(), term.to.clone(), form);
                Some(self.step("the inner product by contraction", term, rest(map)))
            }
            Form::Element(at) => {
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

    /// The terms of a sum, or of a chain that begins with one or with a join; none of any other map.
    fn terms_of(&self, body: &Term) -> Option<Vec<Term>> {
        let factors = body.factors();
        let (last, outer) = factors.split_last()?;
        let after = |map: Term| Term::compose(outer.iter().cloned().chain([map]).collect(), &last.from);
        match &last.form {
            Form::Add(maps) => Some(maps.iter().cloned().map(after).collect()),
            Form::Join(maps) => {
                let part = |(at, map): (usize, &Term)| {
                    let project = Term::new(
                        last.from.clone(),
                        map.from.clone(),
                        Form::Component(at, self.scope.part(&last.from, at)),
                    );
                    after(map.clone().after(project))
                };
                Some(maps.iter().enumerate().map(part).collect())
            }
            _ => None,
        }
    }

    /// A family of sums is a sum of families, where one of those becomes simpler than a family.
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
        if split.iter().any(done) {
            return Some(Term::sum(split, from, to));
        }
        self.steps.truncate(before);
        None
    }

    pub(super) fn total(&mut self, term: &Term, index: Var, count: &Expr, body: &Term) -> Option<Term> {
        if is_zero(body) {
            return Some(self.step("a family of zeros", term, Term::zero(&term.from, &term.to)));
        }
        if let Some(maps) = self.terms_of(body) {
            let family = |body: Term| Form::Total { index, count: count.clone(), body: Box::new(body) };
            if let Some(becomes) = self.by_terms(term, &maps, &family) {
                return Some(becomes);
            }
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
                Form::RankOne { coefficient, left: None, right: Some(v) } if rank(&middle) == 1 => {
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

fn is_family(form: &Form) -> bool {
    matches!(form, Form::Build { .. } | Form::Total { .. })
}

fn body_number(ty: &Type) -> bool {
    *ty == Type::Real
}
