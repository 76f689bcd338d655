//! Loops, and the statements that leave them.

use super::assigned::{Exits, assigned};
use super::control::join;
use super::expr::Any;
use super::iterator::{Iter, outside};
use super::statement::is_let;
use super::{LoopFrame, Lower, Value, VarId};
use crate::recognise::{self, Carried};
use crate::term::{Block, Iteration, Name, Term};
use crate::types::Ty;
use quote::ToTokens;

impl Lower<'_> {
    pub(super) fn for_(&mut self, inner: &syn::ExprForLoop) -> Value {
        let iter = match self.any(&inner.expr) {
            Any::Iter(iter) => iter,
            Any::Value(value) => match value.ty {
                Ty::Array(..) => {
                    // `for x in &mut v` hands out places.
                    let is_mut =
                        matches!(super::expr::strip(&inner.expr), syn::Expr::Reference(of) if of.mutability.is_some());
                    match (is_mut, value.place.clone().or_else(|| self.place_of(&inner.expr))) {
                        (true, Some(place)) => Iter::Places(place),
                        _ => {
                            let term = self.name_it("v", value.term, &inner.expr);
                            Iter::Elements(Value::new(term, value.ty))
                        }
                    }
                }
                Ty::Error => return self.skip_loop(inner),
                _ => {
                    let help = "loop over a range, an array, or a chain of iterators";
                    self.refuse(&inner.expr, "this cannot be looped over where a derivative is taken", help);
                    return self.skip_loop(inner);
                }
            },
            Any::Closure(_) => return Value::error(),
        };
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        self.repeat_for(
            &iter,
            &inner.pat,
            label,
            &Exits::of_block(&inner.body),
            inner,
            |visit| {
                inner.body.stmts.iter().for_each(|statement| visit_statement(statement, visit));
            },
            &mut |lower| {
                lower.scope(|lower| lower.statements(&inner.body.stmts, false));
            },
        )
    }

    /// Looks at the body of a loop for further errors.
    fn skip_loop(&mut self, inner: &syn::ExprForLoop) -> Value {
        let broken = Some(self.hidden("broken", Ty::Bool, Term::Bool(false)));
        let continued = Some(self.hidden("continued", Ty::Bool, Term::Bool(false)));
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        self.loops.push(LoopFrame { label, broken, continued });
        self.scopes.push(Vec::new());
        self.bind_errors(&inner.pat);
        let before = self.snapshot();
        self.block(|lower| lower.statements(&inner.body.stmts, false));
        self.restore(&before);
        self.scopes.pop();
        self.loops.pop();
        Value::error()
    }

    /// Runs a body for each element of an iterator.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn repeat_for(
        &mut self,
        iter: &Iter,
        pattern: &syn::Pat,
        label: Option<String>,
        exits: &Exits,
        at: &dyn ToTokens,
        pieces: impl FnOnce(&mut dyn FnMut(&syn::Expr)),
        body: &mut dyn FnMut(&mut Self),
    ) -> Value {
        let mut names = assigned(pieces);
        names.extend(std::mem::take(&mut self.assigns_also));
        let count = self.count(iter, at);
        let count = self.name_it("n", count, at);
        let mut state = self.open_loop(label, exits, at);
        for name in names {
            if let Some(var) = self.lookup(&name) {
                state.push(self.root_of(var));
            }
        }
        iter.places(&mut |place| state.push(place.root));
        let carried = self.carry(state, at);
        let before = self.snapshot();
        let index = self.fresh("i");
        self.counts.insert(index.clone());
        self.scopes.push(Vec::new());
        let broken = self.loops.last().and_then(|frame| frame.broken);
        let returned = self.returned.filter(|_| exits.returns).map(|(flag, _)| flag);
        let outer: Vec<VarId> = self.outer_flags(exits);
        let (lets, ()) = self.block(|lower| {
            let mut done = Term::Bool(false);
            for flag in broken.iter().chain(returned.iter()).chain(outer.iter()) {
                let flag = lower.vars[flag.0].term.clone();
                done = match done {
                    Term::Bool(false) => flag,
                    done => Term::Binary("or", done.into(), flag.into()),
                };
            }
            let done = lower.name_it("done", done, at);
            lower.branch(
                done,
                at,
                |_| Value::unit(),
                |lower| {
                    let mut guards = Vec::new();
                    let element = lower.element(iter, Term::Name(index.clone()), &mut guards, at);
                    let guard = guards.into_iter().fold(Term::Bool(true), Term::and);
                    let guard = lower.name_it("c", guard, at);
                    lower.branch(
                        guard,
                        at,
                        |lower| {
                            lower.bind(pattern, element);
                            body(lower);
                            Value::unit()
                        },
                        |_| Value::unit(),
                    )
                },
            );
        });
        self.scopes.pop();
        self.loops.pop();
        let (carried, lets) = self.finish_carried(carried, &before, lets);
        let place = self.place(at);
        let iteration =
            Iteration { index, count: count.into(), body: Block { lets, result: Term::Tuple(Vec::new()) }.into() };
        for (var, term, ty) in recognise::write(self, carried, iteration, place) {
            self.vars[var.0].term = term;
            self.vars[var.0].ty = ty;
        }
        Value::unit()
    }

    pub(super) fn while_(&mut self, inner: &syn::ExprWhile) -> Value {
        if is_let(&inner.cond) {
            let help = "loop over a range, and leave it by `break`";
            return self.refuse(&inner.cond, "`while let` cannot be differentiated", help);
        }
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        self.repeat_while(Some(&inner.cond), &inner.body, label, inner)
    }

    pub(super) fn loop_(&mut self, inner: &syn::ExprLoop) -> Value {
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        self.repeat_while(None, &inner.body, label, inner)
    }

    fn repeat_while(
        &mut self,
        condition: Option<&syn::Expr>,
        body: &syn::Block,
        label: Option<String>,
        at: &dyn ToTokens,
    ) -> Value {
        let exits = Exits::of_block(body);
        let names = assigned(|visit| {
            body.stmts.iter().for_each(|statement| visit_statement(statement, visit));
            condition.into_iter().for_each(visit);
        });
        let mut state = self.open_loop(label, &exits, at);
        for name in names {
            if let Some(var) = self.lookup(&name) {
                state.push(self.root_of(var));
            }
        }
        let carried = self.carry(state, at);
        let before = self.snapshot();
        let mut flags: Vec<VarId> = self.loops.last().and_then(|frame| frame.broken).into_iter().collect();
        flags.extend(self.returned.filter(|_| exits.returns).map(|(flag, _)| flag));
        flags.extend(self.outer_flags(&exits));
        let (go_on, _) = self.own_block(at, |lower| {
            let mut running =
                flags.iter().fold(Term::Bool(true), |running, flag| running.and(lower.vars[flag.0].term.clone().not()));
            // A panic ends the loop.
            if super::statement::has_assertions(body)
                && let Some(ok) = lower.lookup(super::statement::OK)
            {
                running = running.and(lower.vars[ok.0].term.clone());
            }
            match condition {
                None => Value::new(running, Ty::Bool),
                Some(condition) => {
                    let (block, ty) = lower.own_block(condition, |lower| lower.value(condition));
                    let term = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
                    Value::new(running.and(term), ty)
                }
            }
        });
        let (lets, ()) = self.block(|lower| {
            lower.scope(|lower| lower.statements(&body.stmts, false));
        });
        self.loops.pop();
        let (carried, lets) = self.finish_carried(carried, &before, lets);
        if carried.is_empty() {
            return self.refuse(at, "this loop changes nothing, so that it never ends or does nothing", "remove it");
        }
        let place = self.place(at);
        let names: Vec<Name> = carried.iter().map(|one| self.fresh(&self.vars[one.var.0].name.clone())).collect();
        let result = Term::tuple(carried.iter().map(|one| one.result.clone()).collect());
        let term = Term::While {
            state: carried.iter().map(|one| one.state.clone()).collect(),
            start: carried.iter().map(|one| one.start.clone()).collect(),
            condition: go_on.into(),
            body: Block { lets, result }.into(),
        };
        self.emit(names.clone(), term, place);
        for (one, name) in carried.into_iter().zip(names) {
            self.vars[one.var.0].term = Term::Name(name);
            self.vars[one.var.0].ty = one.ty;
        }
        // After `loop { … return …; }` nothing is reached.
        match condition.is_none() && exits.breaks.is_empty() && exits.returns {
            true => Value::never(),
            false => Value::unit(),
        }
    }

    /// The variable that a name changes: for a `&mut`, that which it refers to.
    fn root_of(&self, var: VarId) -> VarId {
        match &self.vars[var.0].kind {
            super::Kind::Alias(place) => place.root,
            _ => var,
        }
    }

    /// Enters a loop, and gives the flags that its body may set.
    fn open_loop(&mut self, label: Option<String>, exits: &Exits, at: &dyn ToTokens) -> Vec<VarId> {
        let own = |labels: &[Option<String>]| labels.iter().any(|of| of.is_none() || *of == label);
        let mut state = Vec::new();
        let broken = own(&exits.breaks).then(|| self.hidden("broken", Ty::Bool, Term::Bool(false)));
        state.extend(broken);
        if exits.returns {
            let (flag, value) = self.returned_flag();
            if !matches!(self.result, Ty::Never) && self.vars[value.0].term == Term::Unset {
                let dummy = self.dummy(&self.result.clone(), at);
                let dummy = self.name_it("result", dummy, at);
                self.vars[value.0].term = dummy;
            }
            state.extend([flag, value]);
        }
        state.extend(self.outer_flags_of(&label, exits));
        let continued = own(&exits.continues).then(|| self.hidden("continued", Ty::Bool, Term::Bool(false)));
        self.loops.push(LoopFrame { label, broken, continued });
        state
    }

    /// The flags of the loops around the innermost one that its body may set.
    fn outer_flags(&mut self, exits: &Exits) -> Vec<VarId> {
        let label = self.loops.last().and_then(|frame| frame.label.clone());
        self.outer_flags_of(&label, exits)
    }

    fn outer_flags_of(&mut self, own: &Option<String>, exits: &Exits) -> Vec<VarId> {
        let mut found = Vec::new();
        for (labels, breaks) in [(&exits.breaks, true), (&exits.continues, false)] {
            for label in labels.iter().filter(|label| label.is_some() && *label != own) {
                let frame = self.loops.iter().rev().find(|frame| frame.label == *label);
                found.extend(frame.and_then(|frame| if breaks { frame.broken } else { frame.continued }));
            }
        }
        found
    }

    /// The flag of the loop that a `break` or `continue` leaves.
    pub(super) fn loop_flag(&mut self, label: &Option<String>, breaks: bool, at: &dyn ToTokens) -> Option<VarId> {
        let frame = match label {
            None => self.loops.last(),
            label => self.loops.iter().rev().find(|frame| frame.label == *label),
        };
        let flag = frame.and_then(|frame| if breaks { frame.broken } else { frame.continued });
        if flag.is_none() {
            self.refuse(at, "this leaves a block that is no loop", "label the loop that is to be left");
        }
        flag
    }

    pub(super) fn return_(&mut self, inner: &syn::ExprReturn) -> Value {
        let (flag, value) = self.returned_flag();
        if let Some(expr) = &inner.expr {
            let returned = self.value(expr);
            let term = self.name_it("result", returned.term, expr);
            self.vars[value.0].term = term;
        }
        self.vars[flag.0].term = Term::Bool(true);
        Value::never()
    }

    pub(super) fn break_(&mut self, inner: &syn::ExprBreak) -> Value {
        if inner.expr.is_some() {
            return self.refuse(inner, "`break` with a value cannot be differentiated", "assign the value before");
        }
        let label = inner.label.as_ref().map(|label| label.ident.to_string());
        if let Some(flag) = self.loop_flag(&label, true, inner) {
            self.vars[flag.0].term = Term::Bool(true);
        }
        Value::never()
    }

    pub(super) fn continue_(&mut self, inner: &syn::ExprContinue) -> Value {
        let label = inner.label.as_ref().map(|label| label.ident.to_string());
        if let Some(flag) = self.loop_flag(&label, false, inner) {
            self.vars[flag.0].term = Term::Bool(true);
        }
        Value::never()
    }

    /// Gives the variables that a loop may assign the names of its state.
    fn carry(&mut self, mut vars: Vec<VarId>, at: &dyn ToTokens) -> Vec<(VarId, Name, Term)> {
        vars.sort_unstable();
        vars.dedup();
        let mut carried = Vec::new();
        for var in vars {
            let variable = self.vars[var.0].clone();
            if !matches!(variable.kind, super::Kind::Value) || matches!(variable.ty, Ty::Error) {
                continue;
            }
            let start = match variable.term {
                // It is given its value inside of the loop, and its value before does not matter.
                Term::Unset if matches!(variable.ty, Ty::Unknown) => continue,
                Term::Unset => {
                    let dummy = self.dummy(&variable.ty, at);
                    self.name_it(&variable.name, dummy, at)
                }
                term => term,
            };
            let state = self.fresh(&variable.name);
            self.vars[var.0].term = Term::Name(state.clone());
            // Its length stays what it is, which the loop checks.
            carried.push((var, state, start));
        }
        carried
    }

    /// The state of a loop whose body has been written: the variables that it assigned. The others keep their values.
    fn finish_carried(
        &mut self,
        carried: Vec<(VarId, Name, Term)>,
        before: &[(Term, Ty)],
        mut lets: Vec<crate::term::Let>,
    ) -> (Vec<Carried>, Vec<crate::term::Let>) {
        let mut kept = Vec::new();
        let after = self.snapshot();
        let changed = self.changed(before);
        self.restore(before);
        for (var, state, start) in carried {
            let (result, ty) = after[var.0].clone();
            if result == Term::Name(state.clone()) {
                let same = Term::Name(state);
                for binding in &mut lets {
                    binding.value.each_mut(&mut |term| {
                        if *term == same {
                            *term = start.clone();
                        }
                        false
                    });
                }
                for other in &mut kept {
                    let other: &mut Carried = other;
                    if other.result == same {
                        other.result = start.clone();
                    }
                }
                self.vars[var.0].term = start;
                continue;
            }
            let ty = outside(join(&before[var.0].1, &ty), &lets);
            kept.push(Carried { var, state, start, result, ty });
        }
        // What a body assigned that was not expected to cannot be kept.
        for var in changed {
            if !kept.iter().any(|one| one.var == var) {
                let name = self.vars[var.0].name.clone();
                let hidden = name == "continued" || matches!(self.vars[var.0].ty, Ty::Error);
                if !hidden && before[var.0].0 != Term::Unset {
                    let help = "assign it directly, by its name";
                    self.refuse(
                        &quote::quote!(loop),
                        format!("`{name}` is changed in a way that is not followed"),
                        help,
                    );
                }
            }
        }
        // A state whose result was replaced above may now be unchanged; the loop copes with that.
        (kept, lets)
    }
}

/// Visits the expressions of a statement.
pub(super) fn visit_statement(statement: &syn::Stmt, visit: &mut dyn FnMut(&syn::Expr)) {
    let block = syn::Expr::Block(syn::ExprBlock {
        attrs: Vec::new(),
        label: None,
        block: syn::Block { brace_token: Default::default(), stmts: vec![statement.clone()] },
    });
    visit(&block);
}
