//! Chains: what two factors become.   [002 Fig. 4]

use super::Rewriter;
use crate::derive::build::rank;
use crate::derive::term::{Expr, Form, Item, Operation, Term};
use riesz_core::Type;
use riesz_core::term::{Atom, Var};
use riesz_primitive::array;

impl Rewriter<'_, '_> {
    pub(super) fn chain(&mut self, term: &Term, maps: &[Term]) -> Option<Term> {
        // Nested chains are opened.
        if maps.iter().any(|map| matches!(map.form, Form::Compose(_))) {
            return Some(Term::compose(maps.to_vec(), &term.from));
        }
        for at in 0..maps.len().saturating_sub(1) {
            let (outer, inner) = (&maps[at], &maps[at + 1]);
            let two = || Term::compose(vec![outer.clone(), inner.clone()], &inner.from);
            if let Some((name, becomes)) = self.pair(outer, inner) {
                let becomes = self.step(name, &two(), becomes);
                let becomes = if matches!(becomes.form, Form::Compose(_)) { becomes } else { self.term(becomes) };
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
            ) if operation.name() == "dot" && arguments[1].is_none() && rank(&f.from) == 1 => {
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
            // Rank-one maps meet the rank-one maps of a sum or a join.
            (Form::RankOne { .. }, Form::Add(maps)) if maps.iter().all(begins_with_rank_one) => {
                let maps = maps.iter().map(|map| f.clone().after(map.clone())).collect();
                ("a map comes out of a sum on the left", Term::new(g.from.clone(), f.to.clone(), Form::Add(maps)))
            }
            (Form::RankOne { .. }, Form::Join(maps)) if maps.iter().all(begins_with_rank_one) => {
                let maps = maps.iter().map(|map| f.clone().after(map.clone())).collect();
                ("map into join", Term::new(g.from.clone(), f.to.clone(), Form::Join(maps)))
            }
            (Form::Component(at, _), Form::InjectComponent(other, _)) if at == other => {
                ("project after inject", Term::identity(&f.to))
            }
            (Form::Function(operation, _), Form::Function(other, _))
                if operation == other && matches!(operation.name(), "transpose" | "reverse") =>
            {
                let name = if operation.name() == "transpose" { "exchange" } else { "compose reductions" };
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
    pub(super) fn pointwise(&self, a: &Expr, b: &Expr, f: fn(Expr, Expr) -> Expr) -> Option<Expr> {
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
}

fn begins_with_rank_one(map: &Term) -> bool {
    matches!(map.factors().first(), Some(Term { form: Form::RankOne { .. }, .. }))
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
