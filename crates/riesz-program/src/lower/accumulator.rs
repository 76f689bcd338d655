//! Accumulators: numbers in registers, arrays in their final place.

use super::operation::unsupported_layout;
use super::value::{Accumulator, Cells, Length, Shape, Target, Value};
use super::{Lowered, Lowerer, not_data, unknown_size};
use crate::program::{Expression, Fault, Kind, Operand, Statement};
use riesz_core::Type;
use riesz_core::term::{Binding, Place as Step};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl<'p> Lowerer<'_, 'p> {
    /// Builds an array where it is added.
    pub(super) fn add_built(&mut self, part: &Accumulator, built: &'p Binding, span: Span) -> Lowered<Value> {
        match part {
            Accumulator::Cells(cells) => {
                self.operation(built, Some(&Target { cells: cells.clone(), add: true }))?;
            }
            _ => {
                let value = self.operation(built, None)?;
                self.add_to(part, &value, span)?;
            }
        }
        Ok(Value::unit())
    }

    /// An accumulator, at a target if there is one.
    pub(super) fn accumulator_at(
        &mut self,
        ty: &Type,
        target: Option<&Target>,
        name: &Option<Name>,
        span: Span,
    ) -> Lowered<Accumulator> {
        match target {
            Some(target) => {
                let shape = self.shape_of_type(ty, span)?;
                self.check_shape(&shape, &target.cells, span);
                self.fill_rows(&target.cells, span)?;
                Ok(Accumulator::Cells(target.cells.clone()))
            }
            None => self.accumulator(ty, name, span),
        }
    }

    /// Makes sure that room has the lengths of a shape.
    fn check_shape(&mut self, shape: &Shape, cells: &Cells, span: Span) {
        match (shape, cells) {
            (Shape::Array(extent, element), Cells::Array(Length::Known(len), inner)) => {
                self.build.check_equal(*len, extent.most, Fault::WrongShape, span);
                self.check_shape(element, inner, span);
            }
            (Shape::Tuple(parts), Cells::Tuple(cells)) => {
                for (part, cells) in parts.iter().zip(cells) {
                    self.check_shape(part, cells, span);
                }
            }
            _ => {}
        }
    }

    /// Sets everything in cells to zero, whether they lie row by row or not.
    fn fill_rows(&mut self, cells: &Cells, span: Span) -> Lowered<()> {
        match cells {
            Cells::Array(Length::Known(len), inner) => {
                let mut flat = true;
                self.check_flat(inner, &mut vec![*len], &mut flat);
                if flat {
                    self.fill(cells);
                    return Ok(());
                }
                let inner = inner.clone();
                self.each(*len, span, &mut |lowerer, index| {
                    let element = lowerer.element_of(&inner, index);
                    lowerer.fill_rows(&element, span)
                })
            }
            Cells::Tuple(parts) => parts.iter().try_for_each(|part| self.fill_rows(part, span)),
            _ => {
                self.fill(cells);
                Ok(())
            }
        }
    }

    pub(super) fn accumulator(&mut self, ty: &Type, name: &Option<Name>, span: Span) -> Lowered<Accumulator> {
        match ty {
            Type::Real => {
                let register = self.build.mutable(Kind::Real, name.clone());
                self.build.push(Statement::Set(register, Operand::Real(0.0)));
                Ok(Accumulator::Number(register))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                let parts = parts.iter().map(|part| self.accumulator(part, name, span)).collect::<Lowered<_>>()?;
                Ok(Accumulator::Tuple(parts))
            }
            Type::Array(..) => {
                let shape = self.shape_of_type(ty, span)?;
                if !shape.is_exact() {
                    return Err(unknown_size(span));
                }
                let cells = self.room_for(&shape, name, span);
                self.fill(&cells);
                Ok(Accumulator::Cells(cells))
            }
            _ => Err(not_data(ty, span)),
        }
    }

    /// The part of an accumulator that a path leads to.
    pub(super) fn part_of(&mut self, accumulator: Accumulator, path: &[Step], span: Span) -> Lowered<Accumulator> {
        let mut part = accumulator;
        for step in path {
            part = match (step, part) {
                (Step::Component(at), Accumulator::Tuple(mut parts)) if *at < parts.len() => parts.swap_remove(*at),
                (Step::Component(at), Accumulator::Cells(Cells::Tuple(mut parts))) if *at < parts.len() => {
                    Accumulator::Cells(parts.swap_remove(*at))
                }
                (Step::Element(index), Accumulator::Cells(Cells::Array(Length::Known(len), inner))) => {
                    let index = self.number(*index, span)?;
                    self.build.check_index(index, len, span);
                    Accumulator::Cells(self.element_of(&inner, index))
                }
                _ => return Err(unsupported_layout("this accumulator", span)),
            };
        }
        Ok(part)
    }

    pub(super) fn read_accumulator(&mut self, accumulator: &Accumulator) -> Value {
        match accumulator {
            Accumulator::Number(register) => {
                let copied = Expression::Copy(Operand::Register(*register));
                Value::Number(self.build.bind(Kind::Real, None, copied))
            }
            Accumulator::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.read_accumulator(part)).collect()),
            Accumulator::Cells(cells) => self.read(cells, &None),
        }
    }
}
