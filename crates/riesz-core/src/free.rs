//! The free variables of bindings, including sizes in types.

use crate::term::{Atom, Binding, Body, Op, Var, VarInfo};
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// Collects free variables, in the order they are met.
#[derive(Default)]
pub struct Free {
    bound: FxHashSet<Var>,
    seen: FxHashSet<Var>,
    /// The variables found so far.
    pub found: Vec<Var>,
}

impl Free {
    /// The variables in these bindings and atoms.
    pub fn of(bindings: &[Binding], results: &[Atom], vars: &[VarInfo]) -> Free {
        let mut free = Free::default();
        free.bindings(bindings, vars);
        results.iter().for_each(|atom| free.atom(*atom, vars));
        free
    }

    /// Adds the variables in some bindings.
    pub fn bindings(&mut self, bindings: &[Binding], vars: &[VarInfo]) {
        for binding in bindings {
            self.bound.insert(binding.var);
        }
        for binding in bindings {
            self.ty(&vars[binding.var.0 as usize].ty, vars);
            self.op(&binding.op, vars);
        }
    }

    fn op(&mut self, op: &Op, vars: &[VarInfo]) {
        op.visit_bound(&mut |var| {
            self.bound.insert(*var);
        });
        op.visit_bound(&mut |var| self.ty(&vars[var.0 as usize].ty, vars));
        op.visit_atoms(&mut |atom| self.atom(*atom, vars));
        op.visit_bodies(&mut |body| self.body(body, vars));
    }

    fn body(&mut self, body: &Body, vars: &[VarInfo]) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.bindings(&body.bindings, vars);
            self.atom(body.result, vars);
        });
    }

    fn atom(&mut self, atom: Atom, vars: &[VarInfo]) {
        if let Atom::Var(var) = atom {
            self.var(var, vars);
        }
    }

    fn var(&mut self, var: Var, vars: &[VarInfo]) {
        if self.bound.contains(&var) || !self.seen.insert(var) {
            return;
        }
        self.ty(&vars[var.0 as usize].ty, vars);
        self.found.push(var);
    }

    fn ty(&mut self, ty: &Type, vars: &[VarInfo]) {
        ty.visit_variables(&mut |var| self.var(var, vars));
    }
}

/// Counts how often variables are used in bindings and a result.
pub fn count_uses(bindings: &[Binding], result: Option<Atom>, uses: &mut FxHashMap<Var, usize>) {
    let mut used = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            *uses.entry(*var).or_default() += 1;
        }
    };
    result.iter().for_each(&mut used);
    for binding in bindings {
        binding.op.visit_atoms(&mut used);
    }
    for binding in bindings {
        binding.op.visit_bodies(&mut |body| {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || count_uses(&body.bindings, Some(body.result), uses));
        });
    }
}
