//! Reductions: `Σᵢ e`, `Πᵢ e`, and `all` and `any`. Iterations reduce numbers into registers, and add arrays to
//! buffers.

use super::operation::unsupported;
use super::value::{Shape, Target, Value};
use super::write::shape_of_cells;
use super::{Lowered, Lowerer};
use crate::program::{Combine, Expression, Fault, Kind, Operand, Register, Statement};
use riesz_core::size::Size;
use riesz_core::term::{Iteration, Reduction, Var};
use riesz_core::{Comparison, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl<'p> Lowerer<'_, 'p> {
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
                self.check_some(count, Fault::WrongShape, span);
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

    /// The initial value of a sum: −0, to which adding anything gives that; 0 if the sum has no terms.
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

    pub(super) fn combine_integers(
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
}

fn holds_integers(shape: &Shape) -> bool {
    match shape {
        Shape::Number(kind) => *kind != Kind::Real,
        Shape::Tuple(parts) => parts.iter().any(holds_integers),
        Shape::Array(_, element) => holds_integers(element),
    }
}
