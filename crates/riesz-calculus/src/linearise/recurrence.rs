//! Loops: the tangent of the state has its own loop, over the residuals of every iteration.

use super::{Lineariser, Needed, Nested, Tangent};
use crate::compile::Problem;
use riesz_core::build::size_of;
use riesz_core::term::{Atom, Binding, Body, Op, Recurrence, Var};
use riesz_core::{Size, Type};
use riesz_syntax::Span;

impl Lineariser<'_> {
    pub(super) fn iterations(
        &mut self,
        var: Var,
        recurrence: &Recurrence,
        form: Form,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let Recurrence { state, start, count, index, body } = recurrence;
        let (nested, tangent, state_tangent) = self.loop_body(*state, body, span)?;
        let needed = self.needed(&nested.level, &[tangent], &[*state]);
        let arrays = match needed.kept.is_empty() {
            true => {
                let body = Body { bindings: nested.level.primal.clone(), result: nested.result };
                let recurrence = Recurrence { state: *state, start: *start, count: *count, index: *index, body };
                self.level().primal.push(Binding { var, op: form.op(recurrence), span });
                Vec::new()
            }
            false => {
                let size = size_of(*count);
                let (body, types, outputs) = self.traced(&nested, form, &[*state, *index], &needed, &size, span);
                let recurrence = Recurrence { state: *state, start: *start, count: *count, index: *index, body };
                let all = self.primal(Op::Trace(recurrence), Type::Tuple(types.clone().into()), span);
                self.project_all(var, all, types, outputs, form, span)
            }
        };
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(*index), span);
        bindings.extend(nested.level.linear);
        let start_tangent = self.tangent(*start);
        let linear_start = self.materialise(&start_tangent, *start, span);
        let body = Body { bindings, result: tangent };
        let recurrence = Recurrence { state: state_tangent, start: linear_start, count: *count, index: *index, body };
        let ty = self.ty(var).tangent();
        Ok(Tangent::Value(self.linear(form.op(recurrence), ty, span)))
    }

    pub(super) fn while_iterations(
        &mut self,
        var: Var,
        (state, start): (Var, Atom),
        condition: &Body,
        body: &Body,
        traces: bool,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let form = if traces { Form::Trace } else { Form::Loop };
        let (nested, tangent, state_tangent) = self.loop_body(state, body, span)?;
        let needed = self.needed(&nested.level, &[tangent], &[state]);
        let (body, mut types, outputs) = self.traced(&nested, form, &[state], &needed, &Size::Hole, span);
        types.insert(1, Type::Int);
        let arrays_from = 2;
        let op = Op::TraceWhile { state, start, condition: condition.clone(), body };
        let all = self.primal(op, Type::Tuple(types.clone().into()), span);
        let count = self.primal(Op::Project(all, 1), Type::Int, span);
        // There are as many of everything as there were iterations.
        for ty in &mut types[arrays_from..] {
            if let Type::Array(_, element) = ty {
                *ty = Type::array(size_of(count), (**element).clone());
            }
        }
        let arrays = self.project_all(var, all, types, outputs + 1, form, span);
        let index = self.var(Type::Int);
        let mut bindings = self.recall(&needed, &arrays, Atom::Var(index), span);
        bindings.extend(nested.level.linear);
        let start_tangent = self.tangent(start);
        let linear_start = self.materialise(&start_tangent, start, span);
        let recurrence = Recurrence {
            state: state_tangent,
            start: linear_start,
            count,
            index,
            body: Body { bindings, result: tangent },
        };
        if !traces {
            let ty = self.ty(var).tangent();
            return Ok(Tangent::Value(self.linear(Op::Loop(recurrence), ty, span)));
        }
        // The number of iterations stands between the state and the arrays, and does not vary.
        let parts = self.ty(var).components().unwrap_or_default();
        let types: Vec<Type> =
            parts.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, ty)| ty.tangent()).collect();
        let traced = self.linear(Op::Trace(recurrence), Type::Tuple(types.clone().into()), span);
        let mut tangents = Vec::new();
        for (at, ty) in types.into_iter().enumerate() {
            tangents.push(Tangent::Value(self.linear(Op::Project(traced, at), ty, span)));
        }
        tangents.insert(1, Tangent::Zero);
        Ok(Tangent::Parts(tangents))
    }

    /// The primal stream of a loop that keeps things: what `outputs` gives, then what is needed.
    pub(super) fn traced(
        &mut self,
        nested: &Nested,
        form: Form,
        bound: &[Var],
        needed: &Needed,
        size: &Size,
        span: Span,
    ) -> (Body, Vec<Type>, usize) {
        let mut bindings = nested.level.primal.clone();
        let mut parts = match form {
            Form::Loop => vec![nested.result],
            Form::Scan => vec![nested.result, nested.result],
            Form::Trace => {
                let types = self.atom_type(nested.result).components().unwrap_or_default();
                let mut parts = Vec::new();
                for (at, ty) in types.into_iter().enumerate() {
                    let part = self.var(ty);
                    bindings.push(Binding { var: part, op: Op::Project(nested.result, at), span });
                    parts.push(Atom::Var(part));
                }
                parts
            }
        };
        let outputs = parts.len();
        parts.extend(needed.kept.iter().map(|var| Atom::Var(*var)));
        let inside: Vec<Type> = parts.iter().map(|part| self.atom_type(*part)).collect();
        let mut types = vec![self.ty(bound[0]).clone()];
        types.extend(inside[1..].iter().map(|ty| Type::array(size.clone(), self.outside(ty, &nested.level, bound))));
        let tuple = self.var(Type::Tuple(inside.into()));
        bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
        (Body { bindings, result: Atom::Var(tuple) }, types, outputs)
    }

    /// Takes the results of a loop that kept things apart: the variable of the program, and the arrays kept.
    pub(super) fn project_all(
        &mut self,
        var: Var,
        all: Atom,
        types: Vec<Type>,
        own: usize,
        form: Form,
        span: Span,
    ) -> Vec<Atom> {
        let mut parts: Vec<Atom> = Vec::new();
        for (at, ty) in types.into_iter().enumerate() {
            parts.push(self.primal(Op::Project(all, at), ty, span));
        }
        let kept = parts.split_off(own);
        let op = match form {
            Form::Loop => Op::Copy(parts[0]),
            Form::Scan => Op::Copy(parts[1]),
            Form::Trace => Op::Tuple(parts),
        };
        self.level().primal.push(Binding { var, op, span });
        kept
    }

    /// The body of a loop with the tangent of its state, and the tangent of its result.
    pub(super) fn loop_body(&mut self, state: Var, body: &Body, span: Span) -> Result<(Nested, Atom, Var), Problem> {
        let state_tangent = self.linear_var(state);
        self.tangents.insert(state, Tangent::Value(Atom::Var(state_tangent)));
        self.open();
        self.shape(Atom::Var(state_tangent), Atom::Var(state), span);
        let tangent = self.body(body)?;
        let mut nested = Nested { level: self.close(), result: body.result, tangent };
        let tangent = self.result_tangent(&mut nested, span);
        Ok((nested, tangent, state_tangent))
    }
}

/// The result of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The last state.
    Loop,
    /// All states.
    Scan,
    /// The last state and what was kept.
    Trace,
}

impl Form {
    fn op(self, recurrence: Recurrence) -> Op {
        match self {
            Form::Loop => Op::Loop(recurrence),
            Form::Scan => Op::Scan(recurrence),
            Form::Trace => Op::Trace(recurrence),
        }
    }
}
