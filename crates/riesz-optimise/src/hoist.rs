//! `[f(x) | i < n]` computes `f(x)` once: loop-invariant values are computed before the loop.
//!
//! A loop may have no iterations, so only operations that cannot fail are moved; and only operations that every
//! iteration would perform, not those in a branch.

use crate::cost::Safety;
use crate::length::Lengths;
use riesz_core::term::{Atom, Binding, Body, Function, Op, Var};
use riesz_core::types::Type;
use riesz_core::{Size, size};
use rustc_hash::FxHashSet;

/// Moves what is computed alike in every iteration out of the loops of a function.
pub(crate) fn hoist(function: &mut Function) {
    let lengths = Lengths::of(&function.body);
    let safety = Safety {
        vars: &function.vars,
        lengths: &lengths,
        lengths_of: Safety::lengths_of(&function.vars[..function.parameters]),
        around: Vec::new(),
    };
    let mut hoisting = Hoisting { safety, depths: vec![0; function.vars.len()], depth: 0 };
    hoisting.body(&mut function.body);
}

struct Hoisting<'f> {
    safety: Safety<'f>,
    /// How many loops are around the binding of each variable.
    depths: Vec<u32>,
    depth: u32,
}

impl Hoisting<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            for mut binding in bindings {
                self.depths[binding.var.0 as usize] = self.depth;
                if let Op::If { yes, no, .. } = &mut binding.op {
                    self.body(yes);
                    self.body(no);
                } else {
                    self.iterations(&mut binding.op, &mut body.bindings);
                }
                body.bindings.push(binding);
            }
        });
    }

    /// Moves what it can out of the bodies of a loop.
    fn iterations(&mut self, op: &mut Op, before: &mut Vec<Binding>) {
        let around = op.iterations();
        self.depth += 1;
        op.visit_bound(&mut |var| self.depths[var.0 as usize] = self.depth);
        self.safety.around.extend(around);
        op.visit_bodies_mut(&mut |body| self.body(body));
        if around.is_some() {
            self.safety.around.pop();
        }
        self.depth -= 1;
        op.visit_bodies_mut(&mut |body| {
            let bindings = std::mem::take(&mut body.bindings);
            for binding in bindings {
                if self.is_invariant(&binding) && self.safety.is_safe(binding.var, &binding.op) {
                    self.depths[binding.var.0 as usize] = self.depth;
                    before.push(binding);
                } else {
                    body.bindings.push(binding);
                }
            }
        });
    }

    /// Whether all that a binding of a loop's body needs is there before the loop.
    fn is_invariant(&self, Binding { var, op, .. }: &Binding) -> bool {
        self.is_outside_type(&self.safety.vars[var.0 as usize].ty, &FxHashSet::default())
            && self.is_outside(op, &mut FxHashSet::default())
    }

    fn is_outside(&self, op: &Op, bound: &mut FxHashSet<Var>) -> bool {
        let mut outside = true;
        op.visit_atoms(&mut |atom| outside &= self.is_outside_atom(*atom, bound));
        if !outside {
            return false;
        }
        op.visit_bound(&mut |var| {
            outside &= self.is_outside_type(&self.safety.vars[var.0 as usize].ty, bound);
            bound.insert(*var);
        });
        op.visit_bodies(&mut |body| {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                for Binding { var, op, .. } in &body.bindings {
                    outside = outside
                        && self.is_outside(op, bound)
                        && self.is_outside_type(&self.safety.vars[var.0 as usize].ty, bound);
                    bound.insert(*var);
                }
                outside &= self.is_outside_atom(body.result, bound);
            });
        });
        outside
    }

    fn is_outside_atom(&self, atom: Atom, bound: &FxHashSet<Var>) -> bool {
        match atom {
            Atom::Var(var) => bound.contains(&var) || self.depths[var.0 as usize] <= self.depth,
            _ => true,
        }
    }

    fn is_outside_type(&self, ty: &Type, bound: &FxHashSet<Var>) -> bool {
        let outside = |size: &Size| match size {
            Size::Constant(_) | Size::Hole => true,
            size => size.atoms().iter().all(|atom| match atom {
                size::Atom::Var(var) => self.is_outside_atom(Atom::Var(*var), bound),
                _ => true,
            }),
        };
        !ty.any(&mut |part| matches!(part, Type::Array(size, _) if !outside(size)))
    }
}
