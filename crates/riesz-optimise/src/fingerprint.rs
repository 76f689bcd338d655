//! A hash of a body: if a round of passes does not change it, no further round is needed.

use riesz_core::term::{Atom, Body, Op, Place};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A number that is the same for bodies that are.
pub(crate) fn fingerprint(body: &Body) -> u64 {
    let mut hasher = FxHasher::default();
    write(body, &mut hasher);
    hasher.finish()
}

fn write(body: &Body, to: &mut FxHasher) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        body.bindings.len().hash(to);
        for binding in &body.bindings {
            binding.var.hash(to);
            std::mem::discriminant(&binding.op).hash(to);
            match &binding.op {
                Op::Scalar(primitive, _) | Op::ArrayFunction(primitive, _) => std::ptr::from_ref(*primitive).hash(to),
                Op::Project(_, at) => at.hash(to),
                Op::AddTo(_, path, _) => path.iter().for_each(|place| match place {
                    Place::Component(at) => at.hash(to),
                    Place::Element(_) => usize::MAX.hash(to),
                }),
                _ => {}
            }
            binding.op.visit_bound(&mut |var| var.hash(to));
            binding.op.visit_atoms(&mut |atom| operand(*atom, to));
            binding.op.visit_bodies(&mut |body| write(body, to));
        }
        operand(body.result, to);
    });
}

fn operand(atom: Atom, to: &mut FxHasher) {
    std::mem::discriminant(&atom).hash(to);
    match atom {
        Atom::Var(var) => var.hash(to),
        Atom::Int(value) => value.hash(to),
        Atom::Real(value) => value.to_bits().hash(to),
        Atom::Bool(value) => value.hash(to),
    }
}
