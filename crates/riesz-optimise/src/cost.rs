//! Properties of operations: their cost, whether they can fail, whether they touch accumulators.

use crate::length::Lengths;
use riesz_core::term::{Atom, Body, Iteration, Op, Recurrence, Reduction, Step, Var, VarInfo};
use riesz_core::types::Type;
use riesz_core::{Size, size};
use riesz_primitive::Array;
use rustc_hash::FxHashSet;

/// Whether a body only reads, and is small: it takes elements and components at most.
pub(crate) fn is_free(body: &Body) -> bool {
    body.bindings.len() <= 4
        && body.bindings.iter().all(|binding| {
            matches!(binding.op, Op::Index(..) | Op::Project(..) | Op::Copy(_) | Op::Global(_) | Op::ToReal(_))
        })
}

/// Whether a body neither adds to nor reads an accumulator that was made outside of it.
pub(crate) fn is_pure(body: &Body, vars: &[VarInfo]) -> bool {
    touches_only(body, vars, &mut FxHashSet::default())
}

fn touches_only(body: &Body, vars: &[VarInfo], made: &mut FxHashSet<Var>) -> bool {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        body.bindings.iter().all(|binding| {
            if matches!(binding.op, Op::Accumulator) {
                made.insert(binding.var);
            }
            let mut pure = true;
            binding.op.visit_atoms(&mut |atom| {
                if let Atom::Var(var) = atom
                    && matches!(vars[var.0 as usize].ty, Type::Accumulator(_))
                {
                    pure &= made.contains(var);
                }
            });
            binding.op.visit_bodies(&mut |body| pure = pure && touches_only(body, vars, made));
            pure
        })
    })
}

/// The facts from which it follows that an operation cannot fail.
pub(crate) struct Safety<'f> {
    pub vars: &'f [VarInfo],
    pub lengths: &'f Lengths,
    /// Variables that are the length of something, and so not negative.
    pub lengths_of: FxHashSet<Var>,
    /// The loops around: their indices and counts.
    pub around: Vec<(Var, Atom)>,
}

impl Safety<'_> {
    /// The variables that parameters have as sizes.
    pub fn lengths_of(parameters: &[VarInfo]) -> FxHashSet<Var> {
        let mut found = FxHashSet::default();
        for parameter in parameters {
            parameter.ty.any(&mut |part| {
                if let Type::Array(Size::Atom(size::Atom::Var(var)), _) = part {
                    found.insert(*var);
                }
                false
            });
        }
        found
    }

    /// Whether an operation gives a value whatever its operands are, and touches no accumulator.
    pub fn is_safe(&self, var: Var, op: &Op) -> bool {
        match op {
            Op::Copy(_)
            | Op::Compare(..)
            | Op::Same(..)
            | Op::Near(..)
            | Op::Not(_)
            | Op::ToReal(_)
            | Op::IsNan(_)
            | Op::Tuple(_)
            | Op::Project(..)
            | Op::Array(_)
            | Op::Closure(..)
            | Op::Global(_)
            | Op::Zero(_)
            | Op::Map { .. } => true,
            Op::Scalar(..) => self.vars[var.0 as usize].ty == Type::Real,
            Op::SizeOf(_, path) => !path.contains(&Step::Elements),
            Op::Index(Atom::Var(array), Atom::Var(index)) => {
                let count = self.around.iter().find(|(around, _)| around == index);
                count.is_some_and(|(_, count)| self.lengths.has(&self.vars[array.0 as usize].ty, *count))
            }
            Op::ArrayFunction(primitive, _) => !primitive.array().is_none_or(Array::can_fail),
            Op::Build(iteration) | Op::Builds(iteration) => self.is_safe_iteration(iteration),
            Op::Reduce(reduction, iteration) => {
                let some = matches!(iteration.count, Atom::Int(count) if count > 0);
                let needs_some =
                    matches!(reduction, Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin);
                (some || !needs_some) && self.is_safe_iteration(iteration)
            }
            Op::If { yes, no, .. } => self.is_safe_body(yes) && self.is_safe_body(no),
            Op::Loop(Recurrence { body, .. })
            | Op::Scan(Recurrence { body, .. })
            | Op::Trace(Recurrence { body, .. }) => self.is_safe_body(body),
            _ => false,
        }
    }

    fn is_safe_iteration(&self, Iteration { count, body, .. }: &Iteration) -> bool {
        let counts = match count {
            Atom::Int(count) => *count >= 0,
            Atom::Var(var) => self.lengths_of.contains(var),
            _ => false,
        };
        counts && self.is_safe_body(body)
    }

    fn is_safe_body(&self, body: &Body) -> bool {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            body.bindings.iter().all(|binding| self.is_safe(binding.var, &binding.op))
        })
    }
}
