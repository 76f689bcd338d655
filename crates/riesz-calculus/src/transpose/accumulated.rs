//! The variables whose cotangents are accumulators: those whose elements or components are read.

use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Op, Place, Var, VarInfo};
use riesz_primitive::Array;
use rustc_hash::FxHashSet;

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
