//! The maximum and the minimum of numbers, and their indices. If there is a NaN, it is both.

use super::operation::{unsupported, unsupported_layout};
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::program::{Arithmetic, Combine, Expression, Kind, Operand, Register, Statement};
use riesz_core::Comparison;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Reduction, Var};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl<'p> Lowerer<'_, 'p> {
    pub(super) fn extreme(
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
            return Err(unsupported("the maximum or minimum is not of numbers", span));
        };
        let greatest = reduction == Reduction::Max;
        let real = self.build.kind(Operand::Register(register)) == Kind::Real;
        self.build.push(Statement::Set(register, worst(greatest, real)));
        self.iterate(iteration, count, span, &mut |lowerer| {
            let element = lowerer.body(&iteration.body)?;
            let Value::Number(operand) = element else { return Err(unsupported_layout("this value", span)) };
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
    pub(super) fn place_of_extreme(
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
            let Value::Number(element) = element else { return Err(unsupported_layout("this value", span)) };
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

    /// The same where elements cost nothing to read again: two loops, whose iterations need not wait for each other. The first
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

    /// The place that was found among a number of elements.
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
