//! Values in their final place: the plan of a body whose result has a target.

use super::value::{Cells, Target};
use super::{Lowered, Lowerer};
use riesz_core::term::{Atom, Body, Op, Var};
use riesz_core::types::Type;
use riesz_primitive::array::Array;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

impl<'p> Lowerer<'_, 'p> {
    /// A body whose result goes to a target.
    pub(super) fn body_into(&mut self, body: &'p Body, target: &Target) -> Lowered<()> {
        let span = body.bindings.last().map_or(self.function.span, |binding| binding.span);
        let inside: FxHashSet<Var> = body.bindings.iter().map(|binding| binding.var).collect();
        let mut plan = FxHashMap::default();
        self.plan(body.result, target, &inside, &mut plan);
        for binding in &body.bindings {
            self.binding(binding, plan.get(&binding.var))?;
        }
        self.write_rest(body.result, target, &inside, &plan, span)
    }

    /// Which variables can be computed where they are to stay.
    pub(super) fn plan(
        &self,
        result: Atom,
        target: &Target,
        inside: &FxHashSet<Var>,
        plan: &mut FxHashMap<Var, Target>,
    ) {
        let Atom::Var(var) = result else { return };
        if !inside.contains(&var) || plan.contains_key(&var) {
            return;
        }
        let Some(binding) = self.bindings.get(&var) else { return };
        match &binding.op {
            Op::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    if let Some(target) = target.component(at) {
                        self.plan(*part, &target, inside, plan);
                    }
                }
            }
            Op::Build(_) | Op::Builds(_) | Op::If { .. } | Op::Array(_)
                if (!target.add || self.uses[var.0 as usize] == 1) && self.holds_arrays(self.ty(var)) =>
            {
                plan.insert(var, target.clone());
            }
            // A component of several arrays that are built at once.
            Op::Project(Atom::Var(tuple), at) if !target.add && inside.contains(tuple) && self.builds_many(*tuple) => {
                let parts = self.ty(*tuple).components().map_or(0, |parts| parts.len());
                let whole = plan
                    .entry(*tuple)
                    .or_insert_with(|| Target { cells: Cells::Tuple(vec![Cells::Absent; parts]), add: false });
                if let Cells::Tuple(cells) = &mut whole.cells
                    && matches!(cells.get(*at), Some(Cells::Absent))
                {
                    cells[*at] = target.cells.clone();
                    plan.insert(var, target.clone());
                }
            }
            // An accumulator adds up where the sum is to stay, unless that may move while calls add to it.
            Op::Read(Atom::Var(accumulator))
                if !target.add
                    && target.cells.is_exact()
                    && inside.contains(accumulator)
                    && !self.is_in_store(&target.cells) =>
            {
                let made = self.bindings.get(accumulator).map(|binding| &binding.op);
                if matches!(made, Some(Op::Accumulator))
                    && matches!(self.ty(var), Type::Array(..))
                    && !plan.contains_key(accumulator)
                {
                    plan.insert(*accumulator, target.clone());
                    plan.insert(var, target.clone());
                }
            }
            Op::Scan(_) | Op::Trace(_) if !target.add && self.holds_arrays(self.ty(var)) => {
                plan.insert(var, target.clone());
            }
            // What is written as a whole has no lengths of its own for rows, and the sum of nothing has none at all.
            Op::ArrayFunction(..) | Op::Reduce(..)
                if !target.add && target.cells.is_exact() && self.holds_arrays(self.ty(var)) =>
            {
                plan.insert(var, target.clone());
                // An array with one element replaced, and no other code reads that array.
                if let Op::ArrayFunction(primitive, arguments) = &binding.op
                    && matches!(primitive.array(), Some(Array::Replace))
                    && let Atom::Var(replaced) = arguments[0]
                    && self.uses[replaced.0 as usize] == 1
                {
                    self.plan(arguments[0], target, inside, plan);
                }
            }
            _ => {}
        }
    }

    fn builds_many(&self, var: Var) -> bool {
        matches!(self.bindings.get(&var).map(|binding| &binding.op), Some(Op::Builds(_)))
    }

    /// Writes the parts of a result that were not computed where they stay.
    pub(super) fn write_rest(
        &mut self,
        result: Atom,
        target: &Target,
        inside: &FxHashSet<Var>,
        plan: &FxHashMap<Var, Target>,
        span: Span,
    ) -> Lowered<()> {
        if let Atom::Var(var) = result
            && inside.contains(&var)
        {
            if plan.get(&var) == Some(target) {
                return Ok(());
            }
            if let Some(Op::Tuple(parts)) = self.bindings.get(&var).map(|binding| &binding.op) {
                for (at, part) in parts.iter().enumerate() {
                    if let Some(target) = target.component(at) {
                        self.write_rest(*part, &target, inside, plan, span)?;
                    }
                }
                return Ok(());
            }
        }
        let value = self.atom(result, span)?;
        self.write(&value, target, span)
    }
}
