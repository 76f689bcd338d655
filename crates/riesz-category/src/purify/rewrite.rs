//! One function, with accumulators as explicit arguments and results.

use super::{Changes, Roots};
use crate::purify::keep::Enclosing;
use riesz_core::Type;
use riesz_core::build::fresh;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Recurrence, Var, VarInfo};
use riesz_syntax::Span;
use std::collections::HashMap;

pub(super) struct Rewriter<'p> {
    pub(super) changes: &'p Changes,
    pub(super) roots: Roots,
    pub(super) vars: Vec<VarInfo>,
}

/// The variables that hold accumulators now.
pub(super) type Current = HashMap<Var, Var>;

impl<'p> Rewriter<'p> {
    pub fn function(function: &Function, id: FunctionId, changes: &'p Changes) -> Function {
        let mut rewriter = Rewriter { changes, roots: Roots::of(function), vars: function.vars.clone() };
        let given: Vec<Var> = changes.parameters(id).iter().map(|at| Var(*at as u32)).collect();
        let body = rewriter.body(&function.body, &Current::new(), &given, function.span);
        let result = match given.is_empty() {
            true => function.result.clone(),
            false => rewriter.beside(function.result.clone(), &given),
        };
        Function { vars: rewriter.vars, body, result, ..function.clone() }
    }

    /// The body, whose result has some accumulators beside it, if there are any.
    fn body(&mut self, body: &Body, current: &Current, given: &[Var], span: Span) -> Body {
        let mut current = current.clone();
        let mut bindings = Vec::with_capacity(body.bindings.len());
        for binding in &body.bindings {
            self.binding(binding, &mut current, &mut bindings);
        }
        let mut result = self.atom(body.result, &current);
        if !given.is_empty() {
            let ty = self.beside(self.type_of(result), given);
            let parts = [result].into_iter().chain(given.iter().map(|var| self.now(*var, &current))).collect();
            result = self.bind(Op::Tuple(parts), ty, span, &mut bindings);
        }
        Body { bindings, result }
    }

    fn binding(&mut self, binding: &Binding, current: &mut Current, out: &mut Vec<Binding>) {
        let Binding { var, op, span } = binding;
        let (var, span) = (*var, *span);
        let ty = self.vars[var.0 as usize].ty.clone();
        let mut op = op.clone();
        op.visit_atoms_mut(&mut |atom| *atom = self.atom(*atom, current));
        let mut changed = Vec::new();
        binding.op.visit_bodies(&mut |body| {
            for root in self.changes.inside(body, &self.roots) {
                if !changed.contains(&root) {
                    changed.push(root);
                }
            }
        });
        match op {
            Op::AddTo(Atom::Var(before), path, value) => {
                let Op::AddTo(Atom::Var(named), ..) = &binding.op else { return };
                let ty = self.vars[before.0 as usize].ty.clone();
                let after = self.bind_var(Op::AddTo(Atom::Var(before), path, value), ty, span, out);
                current.insert(self.roots.of_var(*named), after);
                out.push(Binding { var, op: Op::Tuple(Vec::new()), span });
            }
            Op::Read(accumulator) => out.push(Binding { var, op: Op::Copy(accumulator), span }),
            Op::Call(function, mut arguments) if !self.changes.parameters(function).is_empty() => {
                let Op::Call(_, named) = &binding.op else { return };
                let (mut given, mut again): (Vec<Var>, Vec<(Var, Var)>) = Default::default();
                for at in self.changes.parameters(function) {
                    let Some(Atom::Var(var)) = named.get(*at) else { continue };
                    let root = self.roots.of_var(*var);
                    if !given.contains(&root) {
                        given.push(root);
                        continue;
                    }
                    // One that is passed twice is changed twice, and no code sees both changes.
                    let other = self.bind_var(Op::Accumulator, self.type_of(Atom::Var(root)), span, out);
                    arguments[*at] = Atom::Var(other);
                    given.push(other);
                    again.push((root, other));
                }
                let whole = self.bind_var(Op::Call(function, arguments), self.beside(ty, &given), span, out);
                self.take(whole, var, &given, span, current, out);
                for (root, other) in again {
                    let ty = self.type_of(Atom::Var(root));
                    let Type::Accumulator(inner) = &ty else { continue };
                    let more = self.bind(Op::Copy(self.now(other, current)), (**inner).clone(), span, out);
                    let both = self.bind_var(Op::AddTo(self.now(root, current), Vec::new(), more), ty, span, out);
                    current.insert(root, both);
                }
            }
            op if changed.is_empty() => {
                let op = self.inner(op, &binding.op, current, span);
                out.push(Binding { var, op, span });
            }
            op => self.changing(binding, op, ty, &changed, current, out),
        }
    }

    /// An operation whose bodies change nothing around them.
    fn inner(&mut self, mut op: Op, original: &Op, current: &Current, span: Span) -> Op {
        let mut bodies = Vec::new();
        original.visit_bodies(&mut |body| bodies.push(self.body(body, current, &[], span)));
        let mut bodies = bodies.into_iter();
        op.visit_bodies_mut(&mut |body| {
            if let Some(new) = bodies.next() {
                *body = new;
            }
        });
        op
    }

    /// An operation whose bodies add to accumulators around them.
    fn changing(
        &mut self,
        binding: &Binding,
        op: Op,
        ty: Type,
        changed: &[Var],
        current: &mut Current,
        out: &mut Vec<Binding>,
    ) {
        let Binding { var, span, .. } = binding;
        let (var, span) = (*var, *span);
        match op {
            Op::If { condition, .. } => {
                let Op::If { yes, no, .. } = &binding.op else { return };
                let (yes, no) = (self.body(yes, current, changed, span), self.body(no, current, changed, span));
                let whole = self.bind_var(Op::If { condition, yes, no }, self.beside(ty, changed), span, out);
                self.take(whole, var, changed, span, current, out);
            }
            Op::For(Iteration { count, index, .. }) => {
                let Op::For(Iteration { body, .. }) = &binding.op else { return };
                let unit = self.bind(Op::Tuple(Vec::new()), Type::unit(), span, out);
                let recurrence = self.recurrence(
                    (unit, Type::unit()),
                    changed,
                    current,
                    span,
                    out,
                    |rewriter, inner, bindings, _| {
                        rewriter.run(body, inner, bindings);
                        (rewriter.bind(Op::Tuple(Vec::new()), Type::unit(), span, bindings), None)
                    },
                );
                let recurrence = Recurrence { count, index, ..recurrence };
                let ty = self.vars[recurrence.state.0 as usize].ty.clone();
                let whole = self.bind_var(Op::Loop(recurrence), ty, span, out);
                self.take(whole, var, changed, span, current, out);
            }
            Op::Loop(Recurrence { start, count, index, state, .. }) => {
                let Op::Loop(Recurrence { body, .. }) = &binding.op else { return };
                let recurrence =
                    self.recurrence((start, ty), changed, current, span, out, |rewriter, inner, bindings, value| {
                        bindings.push(Binding { var: state, op: Op::Copy(value), span });
                        (rewriter.run(body, inner, bindings), None)
                    });
                let recurrence = Recurrence { count, index, ..recurrence };
                let ty = self.vars[recurrence.state.0 as usize].ty.clone();
                let whole = self.bind_var(Op::Loop(recurrence), ty, span, out);
                self.take(whole, var, changed, span, current, out);
            }
            op => self.keeping(binding, op, ty, Enclosing { changed, span, current, out }),
        }
    }

    /// An iteration whose state is a value and accumulators: the body gives the next value, and residuals if it has
    /// any.
    pub(super) fn recurrence(
        &mut self,
        (start, ty): (Atom, Type),
        changed: &[Var],
        current: &Current,
        span: Span,
        out: &mut Vec<Binding>,
        body: impl FnOnce(&mut Self, &mut Current, &mut Vec<Binding>, Atom) -> (Atom, Option<Vec<Atom>>),
    ) -> Recurrence {
        let whole = self.beside(ty.clone(), changed);
        let parts = [start].into_iter().chain(changed.iter().map(|var| self.now(*var, current))).collect();
        let start = self.bind(Op::Tuple(parts), whole.clone(), span, out);
        let state = self.var(whole.clone());
        let mut inner = current.clone();
        let mut bindings = Vec::new();
        let value = self.bind(Op::Project(Atom::Var(state), 0), ty, span, &mut bindings);
        self.open(state, changed, span, &mut inner, &mut bindings);
        let (next, kept) = body(self, &mut inner, &mut bindings, value);
        let parts = [next].into_iter().chain(changed.iter().map(|var| self.now(*var, &inner))).collect();
        let mut result = self.bind(Op::Tuple(parts), whole.clone(), span, &mut bindings);
        if let Some(kept) = kept {
            let parts: Vec<Atom> = [result].into_iter().chain(kept).collect();
            let ty = Type::Tuple(parts.iter().map(|part| self.type_of(*part)).collect());
            result = self.bind(Op::Tuple(parts), ty, span, &mut bindings);
        }
        // The count and the index are those of the loop of the iteration.
        Recurrence { state, start, count: Atom::Int(0), index: state, body: Body { bindings, result } }
    }

    /// The bindings of a body in the place of another, and its result.
    pub(super) fn run(&mut self, body: &Body, current: &mut Current, out: &mut Vec<Binding>) -> Atom {
        for binding in &body.bindings {
            self.binding(binding, current, out);
        }
        self.atom(body.result, current)
    }

    /// Takes a result and the accumulators beside it apart.
    pub(super) fn take(
        &mut self,
        whole: Var,
        var: Var,
        changed: &[Var],
        span: Span,
        current: &mut Current,
        out: &mut Vec<Binding>,
    ) {
        out.push(Binding { var, op: Op::Project(Atom::Var(whole), 0), span });
        self.open(whole, changed, span, current, out);
    }

    pub(super) fn open(
        &mut self,
        whole: Var,
        changed: &[Var],
        span: Span,
        current: &mut Current,
        out: &mut Vec<Binding>,
    ) {
        for (at, root) in changed.iter().enumerate() {
            let ty = self.vars[root.0 as usize].ty.clone();
            let now = self.bind_var(Op::Project(Atom::Var(whole), at + 1), ty, span, out);
            current.insert(*root, now);
        }
    }

    fn beside(&self, ty: Type, accumulators: &[Var]) -> Type {
        let types = accumulators.iter().map(|var| self.vars[var.0 as usize].ty.clone());
        Type::Tuple([ty].into_iter().chain(types).collect())
    }

    fn now(&self, root: Var, current: &Current) -> Atom {
        Atom::Var(current.get(&root).copied().unwrap_or(root))
    }

    fn atom(&self, atom: Atom, current: &Current) -> Atom {
        match atom {
            Atom::Var(var) => self.now(self.roots.of_var(var), current),
            atom => atom,
        }
    }

    pub(super) fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].ty.clone(),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    pub(super) fn var(&mut self, ty: Type) -> Var {
        fresh(&mut self.vars, ty)
    }

    pub(super) fn bind_var(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Binding>) -> Var {
        let var = self.var(ty);
        out.push(Binding { var, op, span });
        var
    }

    pub(super) fn bind(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Binding>) -> Atom {
        Atom::Var(self.bind_var(op, ty, span, out))
    }
}
