//! Loops whose turns are independent: arrays that are built, and reductions.

use super::kept;
use super::operation::unsupported;
use super::value::{Cells, Shape, Target, Value};
use super::write::shape_of_cells;
use super::{Lowered, Lowerer};
use crate::program::{Arithmetic, Combine, Expression, Fault, For, Kind, Operand, Register, Statement};
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Reduction, Var};
use riesz_core::{Comparison, Type};
use riesz_primitive::scalar;
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

    /// The same, with turns that are independent of each other or in order.
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
        let parallel = independent && !kept::grows(&body);
        let body = self.released(body, iteration.body.result);
        self.build.push(Statement::For(For { index, count, parallel, private: Vec::new(), body, site }));
        Ok(())
    }

    /// What a body binds is not bound behind it.
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
                let shape = self.foresee(Atom::Var(var))?;
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
                return Ok(Value::Array(self.build_grown(iteration, count, element, self.name(var), span)?));
            }
            (Err(problem), _) => return Err(problem),
        };
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, count, if target.add { Fault::Elements } else { Fault::Unforeseen }, span);
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
            Err(problem) => return self.builds_grown(iteration, count, var, span).map_err(|_| problem),
        };
        if let Cells::Tuple(arrays) = &mut target.cells
            && arrays.iter().any(|cells| matches!(cells, Cells::Absent))
        {
            let Shape::Tuple(shapes) = self.foresee(Atom::Var(var))? else { return Err(super::unknown_size(span)) };
            for (cells, shape) in arrays.iter_mut().zip(shapes) {
                if matches!(cells, Cells::Absent) {
                    *cells = self.room_for(&shape, &None, span);
                }
            }
        }
        let Cells::Tuple(arrays) = &target.cells else { return Err(unsupported("a tuple is no tuple", span)) };
        let mut inner = Vec::new();
        for array in arrays {
            let Cells::Array(length, cells) = array else { return Err(unsupported("an array is no array", span)) };
            self.set_length(length, count, Fault::Unforeseen, span);
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

    pub(super) fn reduce(
        &mut self,
        reduction: Reduction,
        iteration: &'p Iteration,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = self.number(iteration.count, span)?;
        self.build.check_count(count, span);
        match reduction {
            Reduction::Sum | Reduction::Product => self.sum(reduction, iteration, count, var, target, span),
            Reduction::Max | Reduction::Min => {
                self.check_some(count, Fault::Empty(reduction), span);
                self.extreme(reduction, iteration, count, var, span)
            }
            Reduction::ArgMax | Reduction::ArgMin => {
                self.check_some(count, Fault::Empty(reduction), span);
                self.place_of_extreme(reduction, iteration, count, var, span)
            }
            Reduction::All | Reduction::Any => {
                let all = reduction == Reduction::All;
                let result = self.build.mutable(Kind::Bool, self.name(var));
                self.build.push(Statement::Set(result, Operand::Bool(all)));
                let combine = if all { Combine::All } else { Combine::Any };
                self.iterate(iteration, count, span, &mut |lowerer| {
                    // What comes after the one that decides is not looked at.
                    let open = match all {
                        true => Operand::Register(result),
                        false => lowerer.build.bind(Kind::Bool, None, Expression::Not(Operand::Register(result))),
                    };
                    let opened = lowerer.build.open();
                    let found = lowerer.body(&iteration.body);
                    let found = found.map(|value| {
                        if let Value::Number(operand) = value {
                            lowerer.build.push(Statement::Reduce(result, combine, operand));
                        }
                    });
                    let block = lowerer.build.close(opened);
                    found?;
                    lowerer.build.push(Statement::If(open, block, Vec::new()));
                    Ok(())
                })?;
                Ok(Value::Number(Operand::Register(result)))
            }
        }
    }

    fn check_some(&mut self, count: Operand, fault: Fault, span: Span) {
        if let Operand::Int(1..) = count {
            return;
        }
        let site = self.build.site(fault, span);
        let some = self.build.bind(Kind::Bool, None, Expression::Compare(Comparison::Greater, count, Operand::Int(0)));
        self.build.push(Statement::Check(some, site, Vec::new()));
    }

    /// A sum or product: numbers in registers, arrays in buffers.
    fn sum(
        &mut self,
        reduction: Reduction,
        iteration: &'p Iteration,
        count: Operand,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let ty = self.ty(var);
        let name = self.name(var);
        if self.holds_arrays(ty) {
            let target = self.target_for(var, target, span)?;
            if !target.cells.is_exact() || ty.any(&mut |part| matches!(part, Type::Array(Size::Hole, _))) {
                // The sum of nothing has no size but what its type says.
                self.check_some(count, Fault::Unforeseen, span);
            }
            if reduction == Reduction::Product || holds_integers(&shape_of_cells(&target.cells)) {
                return self.fold_arrays(reduction, iteration, var, count, &target, span);
            }
            let zero = self.first_zero(count);
            self.fill_with(&target.cells, &mut |kind| if kind == Kind::Real { zero } else { kind.zero() });
            let adding = Target { cells: target.cells.clone(), add: true };
            self.iterate(iteration, count, span, &mut |lowerer| lowerer.body_into(&iteration.body, &adding))?;
            return Ok(self.in_target(&target, None));
        }
        let total = self.numbers_of(ty, &name, span)?;
        let first = match reduction {
            Reduction::Sum => self.first_zero(count),
            _ => Operand::Real(1.0),
        };
        self.start_sum(&total, reduction, first);
        self.iterate(iteration, count, span, &mut |lowerer| {
            let element = lowerer.body(&iteration.body)?;
            lowerer.reduce_into(&total, &element, reduction, span)
        })?;
        Ok(total)
    }

    /// What a sum begins with: −0, to which adding anything gives that; 0 is the sum of nothing.
    pub(super) fn first_zero(&mut self, count: Operand) -> Operand {
        match count {
            Operand::Int(0) => Operand::Real(0.0),
            Operand::Int(_) => Operand::Real(-0.0),
            count => {
                let none = self.build.bind(
                    Kind::Bool,
                    None,
                    Expression::Compare(Comparison::LessEqual, count, Operand::Int(0)),
                );
                let zero = Expression::Select(none, Operand::Real(0.0), Operand::Real(-0.0));
                self.build.bind(Kind::Real, None, zero)
            }
        }
    }

    fn start_sum(&mut self, total: &Value, reduction: Reduction, first: Operand) {
        match total {
            Value::Number(Operand::Register(register)) => {
                let first = match (self.build.kind(Operand::Register(*register)), reduction) {
                    (Kind::Real, _) => first,
                    (_, Reduction::Sum) => Operand::Int(0),
                    (_, _) => Operand::Int(1),
                };
                self.build.push(Statement::Set(*register, first));
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.start_sum(part, reduction, first)),
            _ => {}
        }
    }

    fn reduce_into(&mut self, total: &Value, element: &Value, reduction: Reduction, span: Span) -> Lowered<()> {
        match (total, element) {
            (Value::Number(Operand::Register(register)), Value::Number(operand)) => {
                let combine = if reduction == Reduction::Sum { Combine::Sum } else { Combine::Product };
                match self.build.kind(*operand) {
                    Kind::Real => self.build.push(Statement::Reduce(*register, combine, *operand)),
                    _ => {
                        let primitive = if reduction == Reduction::Sum { &scalar::ADD } else { &scalar::MUL };
                        self.combine_integers(*register, primitive, *operand, span);
                    }
                }
                Ok(())
            }
            (Value::Tuple(totals), Value::Tuple(elements)) => {
                for (total, element) in totals.iter().zip(elements) {
                    self.reduce_into(total, element, reduction, span)?;
                }
                Ok(())
            }
            _ => Err(unsupported("a reduction of values of different shapes", span)),
        }
    }

    fn combine_integers(
        &mut self,
        register: Register,
        primitive: &'static riesz_primitive::Primitive,
        operand: Operand,
        span: Span,
    ) {
        let site = self.build.site(Fault::Integer(primitive), span);
        let combined = Expression::Int(primitive, vec![Operand::Register(register), operand], site);
        let combined = self.build.bind(Kind::Int, None, combined);
        self.build.push(Statement::Set(register, combined));
    }

    fn extreme(
        &mut self,
        reduction: Reduction,
        iteration: &'p Iteration,
        count: Operand,
        var: Var,
        span: Span,
    ) -> Lowered<Value> {
        let ty = self.ty(var);
        let result = self.numbers_of(ty, &self.name(var), span)?;
        let Value::Number(Operand::Register(register)) = result else {
            return Err(unsupported("the greatest of something other than numbers", span));
        };
        let greatest = reduction == Reduction::Max;
        let real = self.build.kind(Operand::Register(register)) == Kind::Real;
        self.build.push(Statement::Set(register, worst(greatest, real)));
        self.iterate(iteration, count, span, &mut |lowerer| {
            let element = lowerer.body(&iteration.body)?;
            let Value::Number(operand) = element else { return Err(unsupported("a number is expected here", span)) };
            if real {
                let combine = if greatest { Combine::Max } else { Combine::Min };
                lowerer.build.push(Statement::Reduce(register, combine, operand));
            } else {
                let primitive = if greatest { &scalar::MAX } else { &scalar::MIN };
                lowerer.combine_integers(register, primitive, operand, span);
            }
            Ok(())
        })?;
        Ok(result)
    }

    /// `argmax`: the first place of the greatest number, or of the first NaN.
    fn place_of_extreme(
        &mut self,
        reduction: Reduction,
        iteration: &'p Iteration,
        count: Operand,
        var: Var,
        span: Span,
    ) -> Lowered<Value> {
        let place = self.build.mutable(Kind::Int, self.name(var));
        let real = match iteration.body.result {
            Atom::Var(var) => *self.ty(var) == riesz_core::Type::Real,
            Atom::Real(_) => true,
            _ => false,
        };
        let best = self.build.mutable(if real { Kind::Real } else { Kind::Int }, None);
        let greatest = reduction == Reduction::ArgMax;
        self.build.push(Statement::Set(best, worst(greatest, real)));
        if real && is_read(&iteration.body) {
            self.search(greatest, iteration, count, (best, place), span)?;
            return Ok(self.found(place, count, var));
        }
        self.build.push(Statement::Set(place, Operand::Int(0)));
        self.iterate(iteration, count, span, &mut |lowerer| {
            let Some(Value::Number(index)) = lowerer.values[iteration.index.0 as usize] else { return Ok(()) };
            let element = lowerer.body(&iteration.body)?;
            let Value::Number(element) = element else { return Err(unsupported("a number is expected here", span)) };
            let comparison = if greatest { Comparison::Greater } else { Comparison::Less };
            let (build, best_now) = (&mut lowerer.build, Operand::Register(best));
            let mut better = build.bind(Kind::Bool, None, Expression::Compare(comparison, element, best_now));
            if real {
                // A NaN is better than any number, and nothing is better than it.
                let (is_nan, was_nan) = (Expression::IsNan(element), Expression::IsNan(best_now));
                let (is_nan, was_nan) = (build.bind(Kind::Bool, None, is_nan), build.bind(Kind::Bool, None, was_nan));
                let or_nan = build.bind(Kind::Bool, None, Expression::Select(is_nan, Operand::Bool(true), better));
                let still = build.bind(Kind::Bool, None, Expression::Not(was_nan));
                better = build.bind(Kind::Bool, None, Expression::And(or_nan, still));
            }
            let place_now = Operand::Register(place);
            let next_place = build.bind(Kind::Int, None, Expression::Select(better, index, place_now));
            let kind = if real { Kind::Real } else { Kind::Int };
            let next_best = build.bind(kind, None, Expression::Select(better, element, best_now));
            build.push(Statement::Set(place, next_place));
            build.push(Statement::Set(best, next_best));
            Ok(())
        })?;
        Ok(self.found(place, count, var))
    }

    /// The same where elements cost nothing to read again: two loops, whose turns need not wait for each other. The first
    /// finds the greatest number, the second the least index at which it stands.
    fn search(
        &mut self,
        greatest: bool,
        iteration: &'p Iteration,
        count: Operand,
        (best, place): (Register, Register),
        span: Span,
    ) -> Lowered<()> {
        let combine = if greatest { Combine::Max } else { Combine::Min };
        self.iterate(iteration, count, span, &mut |lowerer| {
            let Value::Number(element) = lowerer.body(&iteration.body)? else { return Ok(()) };
            lowerer.build.push(Statement::Reduce(best, combine, element));
            Ok(())
        })?;
        let best = self.build.settled(Operand::Register(best));
        // One index is it, so that the last is where none before is.
        let last = self.build.bind(Kind::Int, None, Expression::Position(Arithmetic::Sub, count, Operand::Int(1)));
        self.build.push(Statement::Set(place, last));
        self.iterate(iteration, count, span, &mut |lowerer| {
            let Some(Value::Number(index)) = lowerer.values[iteration.index.0 as usize] else { return Ok(()) };
            let Value::Number(element) = lowerer.body(&iteration.body)? else { return Ok(()) };
            let build = &mut lowerer.build;
            let is_best = build.bind(Kind::Bool, None, Expression::Equal(element, best));
            let is_nan = build.bind(Kind::Bool, None, Expression::IsNan(element));
            let is_there = build.bind(Kind::Bool, None, Expression::Select(is_nan, Operand::Bool(true), is_best));
            let at = build.bind(Kind::Int, None, Expression::Select(is_there, index, count));
            build.push(Statement::Reduce(place, Combine::Least, at));
            Ok(())
        })
    }

    /// The place that was found among so many.
    fn found(&mut self, place: Register, count: Operand, var: Var) -> Value {
        let place = self.build.bind(Kind::Int, self.name(var), Expression::Copy(Operand::Register(place)));
        self.build.bounds.is_size(place);
        self.build.below(place, count);
        Value::Number(place)
    }
}

/// Whether a body does nothing but read an element.
fn is_read(body: &Body) -> bool {
    matches!(&body.bindings[..], [Binding { op: Op::Index(..), .. }])
}

fn worst(greatest: bool, real: bool) -> Operand {
    match (greatest, real) {
        (true, true) => Operand::Real(f64::NEG_INFINITY),
        (false, true) => Operand::Real(f64::INFINITY),
        (true, false) => Operand::Int(i64::MIN),
        (false, false) => Operand::Int(i64::MAX),
    }
}

fn holds_integers(shape: &Shape) -> bool {
    match shape {
        Shape::Number(kind) => *kind != Kind::Real,
        Shape::Tuple(parts) => parts.iter().any(holds_integers),
        Shape::Array(_, element) => holds_integers(element),
    }
}
