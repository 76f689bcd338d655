//! The free variables of bindings, including sizes in types.

use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Op, Place, Var, VarInfo};
use riesz_primitive::Array;
use rustc_hash::{FxHashMap, FxHashSet};

/// Collects free variables, in the order they are met.
#[derive(Default)]
pub(crate) struct Free {
    bound: FxHashSet<Var>,
    seen: FxHashSet<Var>,
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

/// The linear variables that must be accumulated to by parts: those used inside the bodies of operations, element by
/// element, or by calls.
pub(crate) fn accumulated(bindings: &[Binding], linear: &FxHashSet<Var>, vars: &[VarInfo]) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();

    for binding in bindings.iter().filter(|binding| linear.contains(&binding.var)) {
        let mut by_parts = |atom: &Atom| {
            if let Atom::Var(var) = atom
                && linear.contains(var)
            {
                found.insert(*var);
            }
        };
        match &binding.op {
            Op::Index(array, _) => by_parts(array),
            Op::Project(Atom::Var(kept), _) if vars[kept.0 as usize].ty == Type::Kept => by_parts(&Atom::Var(*kept)),
            Op::Call(_, arguments) | Op::Map { captured: arguments, .. } => arguments.iter().for_each(&mut by_parts),
            Op::ArrayFunction(primitive, arguments) => {
                let scattered = primitive.array().and_then(Array::scattered_back);
                scattered.into_iter().for_each(|at| by_parts(&arguments[at]));
            }
            Op::AddTo(_, path, _) => path.iter().for_each(|place| {
                if let Place::Element(index) = place {
                    by_parts(index);
                }
            }),
            _ => {}
        }
        binding.op.visit_bodies(&mut |body| inside(body, &mut by_parts));
    }
    found
}

/// The variables that calls and maps in some bindings are given, also those in the bodies of operations.
pub(crate) fn passed_on(bindings: &[Binding]) -> FxHashSet<Var> {
    fn collect(bindings: &[Binding], found: &mut FxHashSet<Var>) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in bindings {
                if let Op::Call(_, arguments) | Op::Map { captured: arguments, .. } = &binding.op {
                    found.extend(arguments.iter().filter_map(|argument| match argument {
                        Atom::Var(var) => Some(*var),
                        _ => None,
                    }));
                }
                binding.op.visit_bodies(&mut |body| collect(&body.bindings, found));
            }
        });
    }
    let mut found = FxHashSet::default();
    collect(bindings, &mut found);
    found
}

fn inside(body: &Body, f: &mut dyn FnMut(&Atom)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            binding.op.visit_atoms(f);
            binding.op.visit_bodies(&mut |body| inside(body, f));
        }
        f(&body.result);
    });
}

/// Counts how often variables are used in bindings and a result.
pub(crate) fn count_uses(bindings: &[Binding], result: Option<Atom>, uses: &mut FxHashMap<Var, usize>) {
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
