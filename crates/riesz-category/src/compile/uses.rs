//! The uses of the variables of a body.

use crate::combinator;
use riesz_core::term::{Atom, Binding, Body, Function, Op, Reduction, Var};
use riesz_core::{Size, size};
use riesz_primitive::Array;
use std::collections::{HashMap, HashSet};

/// The uses of the variables that a body binds.
pub(super) struct Uses {
    count: HashMap<Var, usize>,
    inside: HashSet<Var>,
}

impl Uses {
    /// The variables that a body uses; dead bindings use none.
    pub fn of(function: &Function, body: &Body) -> Uses {
        let mut uses = Uses { count: HashMap::new(), inside: HashSet::new() };
        if let Atom::Var(var) = body.result {
            uses.count.insert(var, 1);
        }
        for binding in body.bindings.iter().rev() {
            if let (true, Some(source)) = (uses.needed(binding), alias(&binding.op)) {
                let count = uses.count.get(&binding.var).copied().unwrap_or(0);
                if let Atom::Var(source) = source {
                    *uses.count.entry(source).or_insert(0) += count;
                    if uses.inside.contains(&binding.var) {
                        uses.inside.insert(source);
                    }
                }
            } else if uses.needed(binding) {
                direct(function, binding, &mut |var| *uses.count.entry(var).or_insert(0) += 1);
                binding.op.visit_bodies(&mut |inner| {
                    free(function, inner, &mut |var| {
                        *uses.count.entry(var).or_insert(0) += 1;
                        uses.inside.insert(var);
                    });
                });
            }
        }
        uses
    }

    /// Whether a binding has to be there.
    pub fn needed(&self, binding: &Binding) -> bool {
        self.count.contains_key(&binding.var) || matches!(binding.op, Op::CheckSizes(..))
    }

    /// Whether a variable is used once, and not by something that runs many times or never.
    pub fn once(&self, var: Var) -> bool {
        self.count.get(&var) == Some(&1) && !self.inside.contains(&var)
    }
}

/// The operand that an operation without computation renames or projects; it is written at every use.
pub(super) fn alias(op: &Op) -> Option<Atom> {
    match op {
        Op::Copy(atom) | Op::Project(atom, _) => Some(*atom),
        _ => None,
    }
}

/// The variables that a binding itself mentions, in its operands and in the sizes that its result needs.
pub(super) fn direct(function: &Function, binding: &Binding, visit: &mut dyn FnMut(Var)) {
    binding.op.visit_atoms(&mut |atom| {
        if let Atom::Var(var) = atom {
            visit(*var);
        }
    });
    for size in sizes(function, binding) {
        for atom in size.atoms() {
            if let size::Atom::Var(var) = atom {
                visit(var);
            }
        }
    }
}

/// The direct uses and the variables that the bodies of the binding mention.
pub(super) fn all(function: &Function, binding: &Binding, visit: &mut dyn FnMut(Var)) {
    direct(function, binding, visit);
    let mut bound = HashSet::new();
    binding.op.visit_bound(&mut |var| {
        bound.insert(*var);
    });
    binding.op.visit_bodies(&mut |body| {
        free(function, body, &mut |var| {
            if !bound.contains(&var) {
                visit(var);
            }
        });
    });
}

/// The variables that a body mentions and does not bind.
pub(super) fn free(function: &Function, body: &Body, visit: &mut dyn FnMut(Var)) {
    let mut bound = HashSet::new();
    let mut mentioned = Vec::new();
    let mut work = vec![body];
    while let Some(body) = work.pop() {
        for binding in &body.bindings {
            bound.insert(binding.var);
            binding.op.visit_bound(&mut |var| {
                bound.insert(*var);
            });
            direct(function, binding, &mut |var| mentioned.push(var));
            binding.op.visit_bodies(&mut |inner| work.push(inner));
        }
        if let Atom::Var(var) = body.result {
            mentioned.push(var);
        }
    }
    mentioned.into_iter().filter(|var| !bound.contains(var)).for_each(visit);
}

/// The sizes that the operation of a binding has to know besides its operands: those of a result that may have no elements
/// to tell them.
fn sizes(function: &Function, binding: &Binding) -> Vec<Size> {
    let mut sizes = Vec::new();
    if needs_shape(&binding.op) {
        combinator::shape(&function.var(binding.var).ty, 0, &mut sizes);
    }
    sizes
}

/// Whether an operation may have a result that is not empty of operands that are.
pub(super) fn needs_shape(op: &Op) -> bool {
    match op {
        Op::Reduce(Reduction::Sum | Reduction::Product, _) | Op::Accumulator => true,
        Op::ArrayFunction(primitive, _) => primitive.array().is_some_and(Array::needs_shape),
        _ => false,
    }
}
