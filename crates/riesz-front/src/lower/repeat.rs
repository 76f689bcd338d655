//! Loops.

use super::assigned::{Exits, assigned};
use super::control::join;
use super::expr::Any;
use super::iterator::{Iter, outside};
use super::{LoopFrame, Lower, Value, VarId};
use crate::recognise::{self, Carried};
use crate::term::{Block, Iteration, Let, Name, Term};
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
        self.indices = super::integer::indices(|visit| inner.body.stmts.iter().for_each(visit));
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
        self.loops.push(LoopFrame { label, broken, continued, value: None, is_block: false });
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
        let mut found = assigned(pieces);
        found.names.extend(std::mem::take(&mut self.assigns_also));
        let count = self.count(iter, at);
        let count = self.name_it("n", count, at);
        let mut state = self.open_loop(label, exits, None, at);
        state.extend(self.assigned_roots(&found));
        iter.places(&mut |place| state.push(place.root));
        self.learn(&state, &mut |lower| {
            lower.scopes.push(Vec::new());
            let element = lower.element(iter, Term::Int(0), &mut Vec::new(), at);
            lower.bind(pattern, element);
            body(lower);
        });
        let carried = self.carry(state, at);
        let before = self.snapshot();
        let index = self.fresh("i");
        self.is_index(&index, &count);
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
                            lower.indices.clear();
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
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        if has_let(&inner.cond) {
            // `loop { if let … { body } else { break } }`
            let (condition, body) = (&inner.cond, &inner.body);
            let body: syn::Block = syn::parse_quote!({ if #condition #body else { break; } });
            return self.repeat_while(None, &body, label, None, inner);
        }
        self.repeat_while(Some(&inner.cond), &inner.body, label, None, inner)
    }

    pub(super) fn loop_(&mut self, inner: &syn::ExprLoop) -> Value {
        let label = inner.label.as_ref().map(|label| label.name.ident.to_string());
        let values = Exits::of_block(&inner.body).values;
        if !values.iter().any(|of| of.is_none() || *of == label) {
            return self.repeat_while(None, &inner.body, label, None, inner);
        }
        // The type of the value is found first: the loop carries it.
        let given = self.probe(|lower| {
            let value = lower.hidden("value", Ty::Unknown, Term::Unset);
            lower.repeat_while(None, &inner.body, label.clone(), Some(value), inner);
            lower.given.remove(&value)
        });
        let value = self.hidden("value", given.unwrap_or(Ty::Error), Term::Unset);
        self.repeat_while(None, &inner.body, label, Some(value), inner);
        let variable = &self.vars[value.0];
        Value::new(variable.term.clone(), variable.ty.clone())
    }

    fn repeat_while(
        &mut self,
        condition: Option<&syn::Expr>,
        body: &syn::Block,
        label: Option<String>,
        value: Option<VarId>,
        at: &dyn ToTokens,
    ) -> Value {
        let exits = Exits::of_block(body);
        let found = assigned(|visit| {
            body.stmts.iter().for_each(|statement| visit_statement(statement, visit));
            condition.into_iter().for_each(visit);
        });
        let mut state = self.open_loop(label, &exits, value, at);
        state.extend(self.assigned_roots(&found));
        self.learn(&state, &mut |lower| {
            lower.scope(|lower| lower.statements(&body.stmts, false));
        });
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
            return self.refuse(at, "this loop changes no variable, so it never runs or never ends", "remove it");
        }
        let place = self.place(at);
        let carried: Vec<Carried> = carried.into_iter().map(|one| self.in_range(one, &lets)).collect();
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

    /// Enters a loop, and gives the flags that its body may set.
    fn open_loop(
        &mut self,
        label: Option<String>,
        exits: &Exits,
        value: Option<VarId>,
        at: &dyn ToTokens,
    ) -> Vec<VarId> {
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
        state.extend(value);
        for of in exits.values.iter().filter(|of| of.is_some() && **of != label) {
            state.extend(self.loops.iter().rev().find(|frame| frame.label == *of).and_then(|frame| frame.value));
        }
        let continued = own(&exits.continues).then(|| self.hidden("continued", Ty::Bool, Term::Bool(false)));
        self.loops.push(LoopFrame { label, broken, continued, value, is_block: false });
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

    /// Finds the types of options that are `None` before a loop, which its body tells.
    fn learn(&mut self, state: &[VarId], body: &mut dyn FnMut(&mut Self)) {
        let is_unknown = |ty: &Ty| matches!(ty, Ty::Option(inner) if **inner == Ty::Unknown);
        let unknown: Vec<VarId> = state.iter().copied().filter(|var| is_unknown(&self.vars[var.0].ty)).collect();
        if unknown.is_empty() {
            return;
        }
        let types: Vec<Ty> = self.probe(|lower| {
            body(lower);
            unknown.iter().map(|var| lower.vars[var.0].ty.clone()).collect()
        });
        for (var, ty) in unknown.into_iter().zip(types) {
            self.vars[var.0].ty = ty;
        }
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
            // What a loop carries is in the range of its type.
            let start = self.settled(Value::new(start, variable.ty.clone())).term;
            let start = self.name_it(&variable.name, start, at);
            self.is_settled(&Term::Name(state.clone()), &variable.ty);
            self.vars[var.0].term = Term::Name(state.clone());
            // Its length stays what it is, which the loop checks.
            carried.push((var, state, start));
        }
        carried
    }

    /// The same with an integer that is in the range of its type after each iteration.
    pub(crate) fn in_range(&self, mut one: Carried, lets: &[Let]) -> Carried {
        if let Ty::Int(integer) = one.ty {
            // A loop has too few iterations for a number of 32 bits, to which each adds one, to overflow.
            let counts = lets.iter().any(|binding| {
                matches!(&one.result, Term::Name(name) if binding.names.len() == 1 && binding.names[0] == *name)
                    && super::operator::unmarked(binding.value.clone())
                        == Term::Binary("+", Term::Name(one.state.clone()).into(), Term::Int(1).into())
            });
            if !(counts && (integer.bits == 0 || integer.bits >= 32)) {
                one.result = self.settle(one.result, integer);
            }
        }
        one
    }

    /// The state of a loop whose body has been written: the variables that it assigned. The others keep their values.
    fn finish_carried(
        &mut self,
        carried: Vec<(VarId, Name, Term)>,
        before: &[(Term, Ty)],
        mut lets: Vec<Let>,
    ) -> (Vec<Carried>, Vec<Let>) {
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

/// Whether a condition has a `let` in it.
fn has_let(condition: &syn::Expr) -> bool {
    match super::expr::strip(condition) {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
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
