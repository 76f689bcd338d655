//! Conditionals.

use super::iterator::outside;
use super::statement::is_let;
use super::{Lower, Value, VarId};
use crate::term::{Block, Name, Term};
use crate::types::Ty;
use quote::ToTokens;

impl Lower<'_> {
    pub(super) fn condition(&mut self, condition: &syn::Expr) -> Term {
        let value = self.value(condition);
        match value.ty {
            Ty::Bool => self.name_it("c", value.term, condition),
            Ty::Error => Term::Bool(true),
            _ => {
                self.refuse(condition, "a condition is a `bool`", "compare numbers");
                Term::Bool(true)
            }
        }
    }

    pub(super) fn if_(&mut self, inner: &syn::ExprIf) -> Value {
        if is_let(&inner.cond) {
            let help = "match on integers, booleans, or enums without data";
            return self.refuse(&inner.cond, "`if let` cannot be differentiated", help);
        }
        let condition = self.condition(&inner.cond);
        self.branch(
            condition,
            inner,
            |lower| lower.scope(|lower| lower.statements(&inner.then_branch.stmts, false)),
            |lower| match &inner.else_branch {
                None => Value::unit(),
                Some((_, no)) => lower.value(no),
            },
        )
    }

    pub(super) fn match_(&mut self, inner: &syn::ExprMatch) -> Value {
        let value = self.value(&inner.expr);
        let value = match (&value.ty, value.term) {
            (Ty::Int(_) | Ty::Bool | Ty::Enum(_) | Ty::Tuple(_), Term::Tuple(terms)) => {
                let terms = terms.into_iter().map(|term| self.name_it("t", term, &inner.expr)).collect();
                Value::new(Term::Tuple(terms), value.ty)
            }
            (Ty::Int(_) | Ty::Bool | Ty::Enum(_) | Ty::Tuple(_), term) => {
                let term = self.name_it("t", term, &inner.expr);
                Value::new(term, value.ty)
            }
            (Ty::Error, _) => return Value::error(),
            _ => {
                let help = "match on integers, booleans, enums without data, or tuples of these; compare real numbers with `if`";
                return self.refuse(&inner.expr, "only integers, booleans and enums without data can be matched", help);
            }
        };
        self.arms(&value, &inner.arms, inner)
    }

    fn arms(&mut self, value: &Value, arms: &[syn::Arm], at: &syn::ExprMatch) -> Value {
        let Some((arm, rest)) = arms.split_first() else { return Value::never() };
        self.scope(|lower| {
            let Some(mut condition) = lower.fits(&arm.pat, value) else { return Value::error() };
            if let Some((_, guard)) = &arm.guard {
                let (block, _) = lower.own_block(&**guard, |lower| lower.value(guard));
                condition = condition.and(Term::Scope(block.into()));
            }
            // The compiler has checked that the last arm fits what is left.
            if condition == Term::Bool(true) || (rest.is_empty() && arm.guard.is_none()) {
                return lower.value(&arm.body);
            }
            let condition = lower.name_it("c", condition, &arm.pat);
            lower.branch(condition, at, |lower| lower.value(&arm.body), |lower| lower.arms(value, rest, at))
        })
    }

    /// One of two pieces. The variables that either assigns are results, beside the value.
    pub(super) fn branch(
        &mut self,
        condition: Term,
        at: &dyn ToTokens,
        yes: impl FnOnce(&mut Self) -> Value,
        no: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        match condition {
            Term::Bool(true) => return yes(self),
            Term::Bool(false) => return no(self),
            _ => {}
        }
        let before = self.snapshot();
        let (mut yes_lets, yes_value) = self.block(yes);
        let yes_after = self.snapshot();
        self.restore(&before);
        let (mut no_lets, no_value) = self.block(no);
        let no_after = self.snapshot();
        self.restore(&before);

        let mut yes_results = Vec::new();
        let mut no_results = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        // The value.
        let ty = match (&yes_value.ty, &no_value.ty) {
            (Ty::Never, other) | (other, Ty::Never) | (Ty::Unknown, other) | (other, Ty::Unknown) => other.clone(),
            (Ty::Error, _) | (_, Ty::Error) => Ty::Error,
            (a, b) if self.agrees(a, b) => join(a, b),
            _ => Ty::Tuple(Vec::new()),
        };
        let ty = outside(outside(ty, &yes_lets), &no_lets);
        let has_value = !matches!(ty, Ty::Never | Ty::Error) && ty != Ty::Tuple(Vec::new());
        if has_value {
            names.push(self.fresh("t"));
            for (value, results) in [(&yes_value, &mut yes_results), (&no_value, &mut no_results)] {
                results.push(match value.ty {
                    Ty::Never => self.dummy(&ty, at),
                    _ => value.term.clone(),
                });
            }
        }
        // The variables.
        let mut assigned = Vec::new();
        for (at_var, (was, was_ty)) in before.iter().enumerate() {
            let (mut a, mut b) = (yes_after[at_var].clone(), no_after[at_var].clone());
            if a.0 == *was && b.0 == *was {
                continue;
            }
            let known = if a.0 != Term::Unset { a.1.clone() } else { b.1.clone() };
            let known = if matches!(known, Ty::Unknown) { was_ty.clone() } else { known };
            for (side, lets) in [(&mut a, &mut yes_lets), (&mut b, &mut no_lets)] {
                if side.0 == Term::Unset {
                    let (more, dummy) = self.block(|lower| lower.dummy(&known, at));
                    lets.extend(more);
                    side.0 = dummy;
                }
            }
            let name = self.vars[at_var].name.clone();
            let name = self.fresh(&name);
            names.push(name.clone());
            yes_results.push(a.0);
            no_results.push(b.0);
            let ty = outside(outside(join(&known, &b.1), &yes_lets), &no_lets);
            assigned.push((VarId(at_var), Term::Name(name), ty));
        }
        if names.is_empty() {
            // Nothing but errors could come from here: indices are not looked at then.
            return Value::new(Term::Tuple(Vec::new()), ty);
        }
        let value = match has_value {
            true => Value::new(Term::Name(names[0].clone()), ty),
            false => Value::new(Term::Tuple(Vec::new()), ty),
        };
        let yes = Block { lets: yes_lets, result: Term::tuple(yes_results) };
        let no = Block { lets: no_lets, result: Term::tuple(no_results) };
        let place = self.place(at);
        self.emit(names, Term::If(condition.into(), yes.into(), no.into()), place);
        for (var, term, ty) in assigned {
            self.vars[var.0].term = term;
            self.vars[var.0].ty = ty;
        }
        value
    }
}

/// What is known of two values that are one of them.
pub(super) fn join(a: &Ty, b: &Ty) -> Ty {
    match (a, b) {
        (Ty::Array(x, n), Ty::Array(y, m)) => {
            let length = if n == m { (**n).clone() } else { Term::Unset };
            Ty::Array(Box::new(join(x, y)), Box::new(length))
        }
        (Ty::Tuple(x), Ty::Tuple(y)) if x.len() == y.len() => {
            Ty::Tuple(x.iter().zip(y).map(|(x, y)| join(x, y)).collect())
        }
        (Ty::Unknown, other) => other.clone(),
        (this, _) => this.clone(),
    }
}
