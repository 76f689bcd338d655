//! Loops, with independent iterations where possible, and the arrays that they build.

use super::operation::unsupported_layout;
use super::residual;
use super::value::{Cells, Shape, Target, Value};
use super::{Lowered, Lowerer};
use crate::iterations::carries;
use crate::program::{Fault, For, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::term::{Atom, Body, Iteration, Var};
use riesz_syntax::Span;

impl<'p> Lowerer<'_, 'p> {
    /// A loop over an iteration.
    pub(super) fn iterate(
        &mut self,
        iteration: &'p Iteration,
        count: Operand,
        span: Span,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        self.iterate_as(iteration, count, true, span, body)
    }

    /// The same, with iterations that are in order, or independent of each other unless one hands a number to the next.
    pub(super) fn iterate_as(
        &mut self,
        iteration: &'p Iteration,
        count: Operand,
        independent: bool,
        span: Span,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let index = self.build.register(Kind::Int, self.name(iteration.index));
        self.values[iteration.index.0 as usize] = Some(Value::Number(Operand::Register(index)));
        let site = self.build.site(Fault::Steps, span);
        let opened = self.build.open();
        self.build.bounds.is_index(index, count);
        let written = body(self);
        let body = self.build.close(opened);
        self.forget(&iteration.body);
        self.values[iteration.index.0 as usize] = None;
        written?;
        let parallel = independent && !residual::grows(&body) && !carries(&body, |register| register < index);
        let body = self.released(body, iteration.body.result);
        self.build.push(Statement::For(For::new(index, count, parallel, body, site)));
        Ok(())
    }

    /// Forgets the variables of a body, which are not bound behind it.
    pub(super) fn forget(&mut self, body: &'p Body) {
        for binding in &body.bindings {
            self.values[binding.var.0 as usize] = None;
        }
    }

    /// Room for what a variable is to be, where no target is given.
    pub(super) fn target_for(&mut self, var: Var, target: Option<&Target>, span: Span) -> Lowered<Target> {
        match target {
            Some(target) => Ok(target.clone()),
            None => {
                let shape = self.infer_shape(Atom::Var(var))?;
                Ok(Target { cells: self.room_for(&shape, &self.name(var), span), add: false })
            }
        }
    }

    pub(super) fn build_array(
        &mut self,
        iteration: &'p Iteration,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = self.number(iteration.count, span)?;
        self.build.check_count(count, span);
        let target = match (self.target_for(var, target, span), self.ty(var)) {
            (Ok(target), _) => target,
            (Err(_), Type::Array(_, element)) => {
                return Ok(Value::Array(self.build_of_dynamic_size(
                    iteration,
                    count,
                    element,
                    self.name(var),
                    span,
                )?));
            }
            (Err(problem), _) => return Err(problem),
        };
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, count, if target.add { Fault::Elements } else { Fault::WrongShape }, span);
        self.iterate(iteration, count, span, &mut |lowerer| {
            let Some(Value::Number(index)) = lowerer.values[iteration.index.0 as usize] else { return Ok(()) };
            let element = Target { cells: lowerer.element_of(inner, index), add: target.add };
            lowerer.body_into(&iteration.body, &element)
        })?;
        match target.add {
            true => Ok(Value::unit()),
            false => Ok(self.in_target(&target, Some(count))),
        }
    }

    pub(super) fn build_arrays(
        &mut self,
        iteration: &'p Iteration,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = self.number(iteration.count, span)?;
        self.build.check_count(count, span);
        let mut target = match self.target_for(var, target, span) {
            Ok(target) => target,
            Err(problem) => return self.builds_of_dynamic_size(iteration, count, var, span).map_err(|_| problem),
        };
        if let Cells::Tuple(arrays) = &mut target.cells
            && arrays.iter().any(|cells| matches!(cells, Cells::Absent))
        {
            let Shape::Tuple(shapes) = self.infer_shape(Atom::Var(var))? else { return Err(super::unknown_size(span)) };
            for (cells, shape) in arrays.iter_mut().zip(shapes) {
                if matches!(cells, Cells::Absent) {
                    *cells = self.room_for(&shape, &None, span);
                }
            }
        }
        let Cells::Tuple(arrays) = &target.cells else { return Err(unsupported_layout("this tuple", span)) };
        let mut inner = Vec::new();
        for array in arrays {
            let Cells::Array(length, cells) = array else { return Err(unsupported_layout("this array", span)) };
            self.set_length(length, count, Fault::WrongShape, span);
            inner.push((**cells).clone());
        }
        let inner = Cells::Tuple(inner);
        self.iterate(iteration, count, span, &mut |lowerer| {
            let Some(Value::Number(index)) = lowerer.values[iteration.index.0 as usize] else { return Ok(()) };
            let element = Target { cells: lowerer.element_of(&inner, index), add: target.add };
            lowerer.body_into(&iteration.body, &element)
        })?;
        if target.add {
            return Ok(Value::unit());
        }
        let arrays = arrays.iter().map(|cells| {
            let target = Target { cells: cells.clone(), add: false };
            self.in_target(&target, Some(count))
        });
        Ok(Value::Tuple(arrays.collect()))
    }
}
