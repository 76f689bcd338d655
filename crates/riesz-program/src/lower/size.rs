//! Sizes: computed from their operands, or read from an array.

use super::operation::unsupported_layout;
use super::value::{Cells, Length, Value};
use super::{Lowered, Lowerer, unknown_size};
use crate::program::{Expression, Kind, Operand};
use riesz_core::size::{Atom as SizeAtom, Size};
use riesz_core::term::{Step as SizeStep, Var};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    /// A size as an operand, where everything it is made of is known.
    pub(super) fn size(&mut self, size: &Size, span: Span) -> Lowered<Operand> {
        self.size_where(size, span, &mut |lowerer, var| lowerer.values[var.0 as usize].as_ref().and_then(Value::number))
    }

    pub(super) fn size_where(
        &mut self,
        size: &Size,
        span: Span,
        value: &mut dyn FnMut(&mut Self, Var) -> Option<Operand>,
    ) -> Lowered<Operand> {
        if *size == Size::Hole {
            return Err(unknown_size(span));
        }
        let mut total = Operand::Int(0);
        for monomial in size.monomials() {
            let mut product = Operand::Int(1);
            for factor in monomial.factors() {
                let factor = match factor {
                    SizeAtom::Var(var) => value(self, *var),
                    SizeAtom::Global(global) => self.globals.get(global).and_then(Value::number),
                    SizeAtom::Parameter(_) | SizeAtom::Unknown(_) => None,
                };
                let factor = factor.ok_or_else(|| unknown_size(span))?;
                product = self.build.mul(product, factor);
            }
            let coefficient = monomial.coefficient();
            if coefficient < 0 && coefficient > i64::MIN {
                product = self.build.mul(product, Operand::Int(-coefficient));
                total = self.build.sub(total, product);
            } else {
                product = self.build.mul(product, Operand::Int(coefficient));
                total = self.build.add(total, product);
            }
        }
        Ok(total)
    }

    pub(super) fn size_of(&mut self, value: &Value, path: &[SizeStep], span: Span) -> Lowered<Operand> {
        match (path, value) {
            ([], Value::Array(array)) => Ok(array.len),
            ([SizeStep::Component(at), rest @ ..], Value::Tuple(parts)) if *at < parts.len() => {
                self.size_of(&parts[*at], rest, span)
            }
            ([SizeStep::Elements, rest @ ..], Value::Array(array)) => {
                let cells = array.cells.clone();
                self.size_in(&cells, rest, array.len, span)
            }
            _ => Err(unsupported_layout("this array", span)),
        }
    }

    /// The size at the end of a path inside of arrays that have `count` elements together; zero where that is none.
    fn size_in(&mut self, cells: &Cells, path: &[SizeStep], around: Operand, span: Span) -> Lowered<Operand> {
        match (path, cells) {
            ([], Cells::Array(Length::Known(len), _)) => {
                let is_some = matches!(around, Operand::Int(1..));
                if is_some || self.build.same(around, *len) {
                    return Ok(*len);
                }
                let none = self.build.bind(Kind::Bool, None, Expression::Equal(around, Operand::Int(0)));
                let len = self.build.bind(Kind::Int, None, Expression::Select(none, Operand::Int(0), *len));
                self.build.bounds.is_size(len);
                Ok(len)
            }
            ([], Cells::Array(Length::Stored { .. }, _)) => Err(unknown_size(span)),
            ([SizeStep::Component(at), rest @ ..], Cells::Tuple(parts)) if *at < parts.len() => {
                self.size_in(&parts[*at], rest, around, span)
            }
            ([SizeStep::Elements, rest @ ..], Cells::Array(Length::Known(len), inner)) => {
                let around = self.build.mul(around, *len);
                self.size_in(inner, rest, around, span)
            }
            ([SizeStep::Elements, ..], Cells::Array(Length::Stored { .. }, _)) => Err(unknown_size(span)),
            _ => Err(unsupported_layout("this array", span)),
        }
    }
}
