//! Conditionals.

use super::iterator::outside;
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
        let (condition, scope) = self.scoped_condition(&inner.cond);
        self.branch(
            condition,
            inner,
            |lower| {
                lower.scopes.push(scope);
                let value = lower.scope(|lower| lower.statements(&inner.then_branch.stmts, false));
                lower.scopes.pop();
                value
            },
            |lower| match &inner.else_branch {
                None => Value::unit(),
                Some((_, no)) => lower.value(no),
            },
        )
    }

    /// A condition that may begin with a `let`, and the names that it binds where it holds.
    pub(super) fn scoped_condition(&mut self, condition: &syn::Expr) -> (Term, super::Scope) {
        self.scopes.push(Vec::new());
        let condition = match first_let(condition) {
            None => self.condition(condition),
            Some((first, rest)) => self.let_condition(first, &rest).unwrap_or(Term::Bool(true)),
        };
        (condition, self.scopes.pop().unwrap_or_default())
    }

    /// `let pattern = value && rest`
    fn let_condition(&mut self, first: &syn::ExprLet, rest: &[&syn::Expr]) -> Option<Term> {
        let value = self.scrutinee(&first.expr)?;
        let mut condition = match self.fits(&first.pat, &value) {
            Some(condition) => self.name_it("c", condition, &first.pat),
            None => {
                self.bind_errors(&first.pat);
                return None;
            }
        };
        for more in rest {
            if condition == Term::Bool(false) {
                break;
            }
            let (block, ty) = self.own_block(*more, |lower| lower.value(more));
            if ty != Ty::Bool {
                return None;
            }
            let also = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
            condition = self.name_it("c", condition.and(also), *more);
        }
        Some(condition)
    }

    /// The value that patterns are compared with.
    pub(super) fn scrutinee(&mut self, expr: &syn::Expr) -> Option<Value> {
        let value = self.value(expr);
        let value = self.settled(value);
        if value.holds_place() && !matches!(value.ty, Ty::Int(_) | Ty::Bool | Ty::Float | Ty::Enum(_)) {
            self.refuse(expr, "patterns of what is behind a `&mut` cannot be followed", "match on a copy of it");
            return None;
        }
        match (&value.ty, value.term) {
            (Ty::Error, _) => None,
            (_, Term::Tuple(terms)) => {
                let terms = terms.into_iter().map(|term| match term {
                    // What there is of an option is looked at only if there is something.
                    Term::If(..) => term,
                    term => self.name_it("t", term, expr),
                });
                let terms = terms.collect();
                Some(Value::new(Term::Tuple(terms), value.ty))
            }
            (_, term) => {
                let term = self.name_it("t", term, expr);
                Some(Value::new(term, value.ty))
            }
        }
    }

    pub(super) fn match_(&mut self, inner: &syn::ExprMatch) -> Value {
        let Some(value) = self.scrutinee(&inner.expr) else { return Value::error() };
        self.arms(&value, &inner.arms, inner)
    }

    fn arms(&mut self, value: &Value, arms: &[syn::Arm], at: &syn::ExprMatch) -> Value {
        let Some((arm, rest)) = arms.split_first() else { return Value::never() };
        self.scope(|lower| {
            let Some(mut condition) = lower.fits(&arm.pat, value) else { return Value::error() };
            if condition == Term::Bool(false) && !rest.is_empty() {
                return lower.arms(value, rest, at);
            }
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
                results.push(match (&value.ty, &value.term) {
                    (Ty::Never, _) | (_, Term::Unset) => self.dummy(&ty, at),
                    (_, term) => term.clone(),
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
            let known = match known {
                Ty::Unknown => was_ty.clone(),
                Ty::Option(_) => join(&a.1, &b.1),
                known => known,
            };
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

/// A `let` that a condition begins with, and what else must hold.
fn first_let(condition: &syn::Expr) -> Option<(&syn::ExprLet, Vec<&syn::Expr>)> {
    match super::expr::strip(condition) {
        syn::Expr::Let(first) => Some((first, Vec::new())),
        syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_), right, .. }) => {
            let (first, mut rest) = first_let(left)?;
            rest.push(right);
            Some((first, rest))
        }
        _ => None,
    }
}

/// The facts that hold for both of two types.
pub(super) fn join(a: &Ty, b: &Ty) -> Ty {
    match (a, b) {
        (Ty::Array(x, n), Ty::Array(y, m)) => {
            let length = if n == m { (**n).clone() } else { Term::Unset };
            Ty::Array(Box::new(join(x, y)), Box::new(length))
        }
        (Ty::Tuple(x), Ty::Tuple(y)) if x.len() == y.len() => {
            Ty::Tuple(x.iter().zip(y).map(|(x, y)| join(x, y)).collect())
        }
        (Ty::Int(x), Ty::Int(y)) => Ty::Int(x.with(*y)),
        (Ty::Option(x), Ty::Option(y)) => Ty::Option(Box::new(join(x, y))),
        (Ty::Unknown, other) => other.clone(),
        (this, _) => this.clone(),
    }
}
