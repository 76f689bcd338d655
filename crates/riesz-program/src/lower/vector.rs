//! Values as vectors: comparison, addition, zero.

use super::operation::{unsupported, unsupported_layout};
use super::value::{Array, Cells, Shape, Target, Value};
use super::{Lowered, Lowerer, unknown_size};
use crate::program::{Combine, Expression, Fault, Kind, Operand, Register, Statement};
use riesz_primitive::scalar;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl Lowerer<'_, '_> {
    /// Whether two values agree in every component: are equal, or within a tolerance of each other.
    pub(super) fn all_agree(&mut self, a: &Value, b: &Value, tolerance: Option<Operand>, span: Span) -> Lowered<Value> {
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            return Ok(Value::Number(self.numbers_agree(*a, *b, tolerance)));
        }
        let result = self.build.mutable(Kind::Bool, None);
        self.build.push(Statement::Set(result, Operand::Bool(true)));
        self.agree(a, b, tolerance, result, span)?;
        Ok(Value::Number(Operand::Register(result)))
    }

    fn numbers_agree(&mut self, a: Operand, b: Operand, tolerance: Option<Operand>) -> Operand {
        let agree = match tolerance {
            Some(tolerance) => Expression::Near(a, b, tolerance),
            None => Expression::Equal(a, b),
        };
        self.build.bind(Kind::Bool, None, agree)
    }

    fn agree(&mut self, a: &Value, b: &Value, tolerance: Option<Operand>, result: Register, span: Span) -> Lowered<()> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                let agrees = self.numbers_agree(*a, *b, tolerance);
                self.build.push(Statement::Reduce(result, Combine::All, agrees));
                Ok(())
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.iter().zip(b).try_for_each(|(a, b)| self.agree(a, b, tolerance, result, span))
            }
            (Value::Array(a), Value::Array(b)) => {
                let same = self.build.bind(Kind::Bool, None, Expression::Equal(a.len, b.len));
                self.build.push(Statement::Reduce(result, Combine::All, same));
                // As many elements as both have.
                let count = Expression::Select(same, a.len, Operand::Int(0));
                let count = match self.build.same(a.len, b.len) {
                    true => a.len,
                    false => self.build.bind(Kind::Int, None, count),
                };
                self.each(count, span, &mut |lowerer, index| {
                    let (a, b) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
                    let (a, b) = (lowerer.read(&a, &None), lowerer.read(&b, &None));
                    lowerer.agree(&a, &b, tolerance, result, span)
                })
            }
            _ => Err(unsupported("values of different shapes are compared", span)),
        }
    }

    /// The sum of two vectors.
    pub(super) fn plus(&mut self, a: &Value, b: &Value, name: Option<Name>, span: Span) -> Lowered<Value> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => match self.build.kind(*a) {
                Kind::Int => self.integer(&scalar::ADD, vec![*a, *b], name, span).map(Value::Number),
                _ => self.bound(Kind::Real, name, Expression::Real(&scalar::ADD, vec![*a, *b])),
            },
            (Value::Tuple(a), Value::Tuple(b)) => {
                let parts = a.iter().zip(b).map(|(a, b)| self.plus(a, b, None, span)).collect::<Lowered<_>>()?;
                Ok(Value::Tuple(parts))
            }
            (Value::Array(a), Value::Array(b)) => {
                self.build.check_equal(a.len, b.len, Fault::Elements, span);
                let shape = self.shape_of_array(a);
                let target = Target { cells: self.room_for(&shape, &name, span), add: false };
                self.sum_into(a, b, &target.cells, span)?;
                Ok(self.in_target(&target, Some(a.len)))
            }
            _ => Err(unsupported("values of different shapes are added", span)),
        }
    }

    /// Writes the sum of two arrays.
    fn sum_into(&mut self, a: &Array, b: &Array, cells: &Cells, span: Span) -> Lowered<()> {
        let Cells::Array(length, inner) = cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, a.len, Fault::Elements, span);
        self.build.check_equal(a.len, b.len, Fault::Elements, span);
        self.each(a.len, span, &mut |lowerer, index| {
            let target = lowerer.element_of(inner, index);
            let (a, b) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
            let (a, b) = (lowerer.read(&a, &None), lowerer.read(&b, &None));
            lowerer.sum_parts_into(&a, &b, &target, span)
        })
    }

    fn sum_parts_into(&mut self, a: &Value, b: &Value, target: &Cells, span: Span) -> Lowered<()> {
        match (a, b, target) {
            (Value::Array(a), Value::Array(b), cells) => self.sum_into(a, b, cells, span),
            (Value::Tuple(a), Value::Tuple(b), Cells::Tuple(cells)) => {
                for ((a, b), cells) in a.iter().zip(b).zip(cells) {
                    self.sum_parts_into(a, b, cells, span)?;
                }
                Ok(())
            }
            _ => {
                let sum = self.plus(a, b, None, span)?;
                self.write(&sum, &Target { cells: target.clone(), add: false }, span)
            }
        }
    }

    /// A zero of a shape.
    pub(super) fn zero(&mut self, shape: &Shape, name: &Option<Name>, span: Span) -> Lowered<Value> {
        match shape {
            Shape::Number(kind) => Ok(Value::Number(kind.zero())),
            Shape::Tuple(parts) => {
                Ok(Value::Tuple(parts.iter().map(|part| self.zero(part, name, span)).collect::<Lowered<_>>()?))
            }
            Shape::Array(..) if shape.is_exact() => {
                let cells = self.room_for(shape, name, span);
                self.fill(&cells);
                Ok(self.read(&cells, name))
            }
            Shape::Array(..) => Err(unknown_size(span)),
        }
    }
}
