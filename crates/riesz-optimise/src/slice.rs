//! `slice([f(x[i]) | i < n], p, q) = [f(s[i]) | i < q − p]` where `s = slice(x, p, q)`: elements outside a slice are
//! not computed.
//!
//! The array must have no other use. The slice is taken of an array that it reads element by element, so that bounds
//! that are out of range give the same error as before.

use crate::cost::is_pure;
use crate::each::Writer;
use crate::length::Lengths;
use riesz_core::Size;
use riesz_core::build::write_size;
use riesz_core::free::count_uses;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::array::SLICE;
use riesz_primitive::scalar::ADD;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;

/// Takes slices of what arrays are made of instead of the arrays.
pub(crate) fn slice(function: &mut Function) {
    let mut uses = FxHashMap::default();
    count_uses(&function.body.bindings, Some(function.body.result), &mut uses);
    let lengths = Lengths::of(&function.body);
    Slicing { vars: &mut function.vars, lengths, uses }.body(&mut function.body);
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
        // Arrays that are as long, and read element by element; one that is made in an iteration has no other place.
        let is_inside = |source: Var| body.bindings.iter().any(|binding| binding.var == source);
        let mut sources: Vec<(Var, Type)> = Vec::new();
        for binding in &body.bindings {
            if let Op::Index(Atom::Var(source), at) = &binding.op
                && *at == Atom::Var(*index)
                && !is_inside(*source)
                && let ty @ Type::Array(_, element) = &self.vars[source.0 as usize].ty
                && self.lengths.has(ty, *count)
                && sources.iter().all(|(known, _)| known != source)
            {
                sources.push((*source, Type::Array(size.clone(), element.clone())));
            }
        }
        if sources.is_empty() || size == Size::Hole {
            return None;
        }
        let mut slices: FxHashMap<Var, Atom> = FxHashMap::default();
        for (source, ty) in sources {
            let op = Op::ArrayFunction(&SLICE, vec![Atom::Var(source), from, to]);
            slices.insert(source, Writer { vars: self.vars, span }.bind(op, ty, out));
        }
        let Op::Build(Iteration { index, mut body, .. }) = std::mem::replace(&mut out[at].op, Op::Array(Vec::new()))
        else {
            return None;
        };
        let position = Writer { vars: self.vars, span }.var(Type::Int);
        for binding in &mut body.bindings {
            if let Op::Index(Atom::Var(source), at) = &binding.op
                && *at == Atom::Var(index)
                && let Some(slice) = slices.get(source)
            {
                binding.op = Op::Index(*slice, Atom::Var(position));
            }
        }
        let place = Op::Scalar(&ADD, vec![from, Atom::Var(position)]);
        body.bindings.insert(0, Binding { var: index, op: place, span });
        let count = write_size(&size, self.vars, out, span);
        Some(Iteration { count, index: position, body })
    }
}
