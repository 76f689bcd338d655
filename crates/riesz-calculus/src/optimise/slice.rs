//! `slice([f(x[i]) | i < n], p, q) = [f(s[i]) | i < q − p]` where `s = slice(x, p, q)`: what nobody asks for is not computed.
//!
//! The array must be used for nothing else. Its slice is taken of an array that it reads element by element, so that bounds
//! that are out of range are found as before, and by the same message.

use super::cost::is_pure;
use super::each::Writer;
use super::length::Lengths;
use super::rename::type_of;
use crate::linearise::write_size;
use riesz_core::Size;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::array::SLICE;
use riesz_primitive::scalar::ADD;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;

/// Takes slices of what arrays are made of instead of the arrays.
pub(super) fn slice(function: &mut Function) {
    let mut uses = FxHashMap::default();
    count_uses(&function.body, &mut uses);
    let lengths = Lengths::of(&function.body);
    Slicing { vars: &mut function.vars, lengths, uses }.body(&mut function.body);
}

fn count_uses(body: &Body, uses: &mut FxHashMap<Var, usize>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let mut count = |atom: &Atom| {
            if let Atom::Var(var) = atom {
                *uses.entry(*var).or_default() += 1;
            }
        };
        body.bindings.iter().for_each(|binding| binding.op.visit_atoms(&mut count));
        count(&body.result);
        body.bindings.iter().for_each(|binding| binding.op.visit_bodies(&mut |body| count_uses(body, uses)));
    });
}

struct Slicing<'v> {
    vars: &'v mut Vec<VarInfo>,
    lengths: Lengths,
    uses: FxHashMap<Var, usize>,
}

impl Slicing<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            // Where arrays are built that are used once.
            let mut built: FxHashMap<Var, usize> = FxHashMap::default();
            for Binding { var, mut op, span } in bindings {
                op.visit_bodies_mut(&mut |body| self.body(body));
                let out = &mut body.bindings;
                if let Op::Build(iteration) = &op
                    && self.uses.get(&var) == Some(&1)
                    && is_pure(&iteration.body, self.vars)
                {
                    built.insert(var, out.len());
                }
                if let Some(iteration) = self.sliced(var, &op, span, &built, out) {
                    op = Op::Build(iteration);
                }
                out.push(Binding { var, op, span });
            }
        });
    }

    /// How a slice of an array that is built is itself built, and no more the array.
    fn sliced(
        &mut self,
        var: Var,
        op: &Op,
        span: Span,
        built: &FxHashMap<Var, usize>,
        out: &mut Vec<Binding>,
    ) -> Option<Iteration> {
        let Op::ArrayFunction(primitive, operands) = op else { return None };
        let [Atom::Var(array), from, to] = operands[..] else { return None };
        let at = *built.get(&array).filter(|_| *primitive == &SLICE)?;
        let Type::Array(size, _) = self.vars[var.0 as usize].ty.clone() else { return None };
        let Op::Build(Iteration { count, index, body }) = &out[at].op else { return None };
        let is_each = |op: &Op| match op {
            Op::Index(Atom::Var(source), at) => {
                *at == Atom::Var(*index) && self.lengths.has(&self.vars[source.0 as usize].ty, *count)
            }
            _ => false,
        };
        // An array that is made in a turn has no other place.
        let inside = |source: &Atom| body.bindings.iter().any(|binding| Atom::Var(binding.var) == *source);
        let sources: Vec<Atom> = (body.bindings.iter())
            .filter(|binding| is_each(&binding.op))
            .filter_map(|binding| match &binding.op {
                Op::Index(source, _) if !inside(source) => Some(*source),
                _ => None,
            })
            .collect();
        if sources.is_empty() || size == Size::Hole {
            return None;
        }
        let mut slices: Vec<(Atom, Atom)> = Vec::new();
        for source in sources {
            if slices.iter().any(|(known, _)| *known == source) {
                continue;
            }
            let Type::Array(_, element) = type_of(source, self.vars) else { return None };
            let op = Op::ArrayFunction(&SLICE, vec![source, from, to]);
            let slice = Writer { vars: self.vars, span }.bind(op, Type::Array(size.clone(), element), out);
            slices.push((source, slice));
        }
        let Op::Build(Iteration { index, mut body, .. }) = std::mem::replace(&mut out[at].op, Op::Array(Vec::new()))
        else {
            return None;
        };
        let turn = Writer { vars: self.vars, span }.var(Type::Int);
        for binding in &mut body.bindings {
            if let Op::Index(source, at) = &mut binding.op
                && *at == Atom::Var(index)
                && let Some((_, slice)) = slices.iter().find(|(known, _)| known == source)
            {
                (*source, *at) = (*slice, Atom::Var(turn));
            }
        }
        let place = Op::Scalar(&ADD, vec![from, Atom::Var(turn)]);
        body.bindings.insert(0, Binding { var: index, op: place, span });
        let count = write_size(&size, self.vars, out, span);
        Some(Iteration { count, index: turn, body })
    }
}
