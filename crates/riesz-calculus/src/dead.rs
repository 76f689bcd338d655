//! Dead code: bindings whose value nobody uses and that add to no accumulator are dropped.
//!
//! An accumulator that is never read takes with it all that is added to it, and so the cotangents that nobody asked
//! for.

use riesz_core::term::{Atom, Body, Op, Var, VarInfo};
use riesz_core::{Type, size};
use rustc_hash::FxHashSet;

/// Drops what is dead in a body, whose variables `vars` knows.
pub(crate) fn drop_dead(body: &mut Body, vars: &[VarInfo]) {
    let mut made = FxHashSet::default();
    let mut read = FxHashSet::default();
    accumulators(body, &mut made, &mut read);
    // Accumulators that were passed in, or that something looks at, matter.
    let idle = made.difference(&read).copied().collect();
    let mut sweep = Sweep { vars, live: FxHashSet::default(), idle };
    sweep.body(body);
}

/// The accumulators made in a body, and those that something other than `+=` uses.
fn accumulators(body: &Body, made: &mut FxHashSet<Var>, used: &mut FxHashSet<Var>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            let mut uses = |atom: &Atom| {
                if let Atom::Var(var) = atom {
                    used.insert(*var);
                }
            };
            match &binding.op {
                Op::Accumulator => {
                    made.insert(binding.var);
                }
                Op::AddTo(_, _, value) => uses(value),
                op => op.visit_atoms(&mut uses),
            }
            binding.op.visit_bodies(&mut |body| accumulators(body, made, used));
        }
    });
}

struct Sweep<'v> {
    vars: &'v [VarInfo],
    live: FxHashSet<Var>,
    /// Accumulators that nobody looks at.
    idle: FxHashSet<Var>,
}

impl Sweep<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.atom(body.result);
            for at in (0..body.bindings.len()).rev() {
                let binding = &mut body.bindings[at];
                if self.live.contains(&binding.var) || self.has_effect(&binding.op) {
                    self.ty(&self.vars[binding.var.0 as usize].ty.clone());
                    binding.op.visit_bodies_mut(&mut |body| self.body(body));
                    let mut atoms = Vec::new();
                    binding.op.visit_atoms(&mut |atom| atoms.push(*atom));
                    binding.op.visit_bound(&mut |var| atoms.push(Atom::Var(*var)));
                    atoms.into_iter().for_each(|atom| self.atom(atom));
                } else {
                    // Marked for removal below; positions must stay while the body is swept.
                    binding.op = Op::Copy(Atom::Var(binding.var));
                }
            }
            body.bindings.retain(|binding| !matches!(binding.op, Op::Copy(Atom::Var(var)) if var == binding.var));
        });
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && self.live.insert(var)
        {
            self.ty(&self.vars[var.0 as usize].ty.clone());
        }
    }

    fn ty(&mut self, ty: &Type) {
        let mut sizes = Vec::new();
        ty.map_sizes(&mut |size| {
            sizes.extend(size.atoms());
            size.clone()
        });
        for atom in sizes {
            if let size::Atom::Var(var) = atom {
                self.atom(Atom::Var(var));
            }
        }
    }

    fn has_effect(&self, op: &Op) -> bool {
        let active = |atom: &Atom| match atom {
            Atom::Var(var) => matches!(self.vars[var.0 as usize].ty, Type::Accumulator(_)) && !self.idle.contains(var),
            _ => false,
        };
        match op {
            Op::AddTo(accumulator, ..) => active(accumulator),
            Op::Call(_, arguments) => arguments.iter().any(active),
            Op::CheckSizes(..) => true,
            _ => {
                let mut found = false;
                op.visit_bodies(&mut |body| found |= body.bindings.iter().any(|binding| self.has_effect(&binding.op)));
                found
            }
        }
    }
}
