//! The parameters and results of a procedure: numbers in registers, arrays in buffers with their lengths.

use super::value::{Accumulator, Array, Cells, Length, Place, Target, Value};
use super::{Lowered, Lowerer, Unsupported, not_data};
use crate::layout::{Passing, kind_of, slots};
use crate::program::{Kind, Operand, Outcome, Parameter};
use riesz_core::term::Function;
use riesz_core::types::Type;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl<'p> Lowerer<'_, 'p> {
    /// The registers and buffers that a parameter of a type is passed in.
    pub(super) fn parameter(
        &mut self,
        ty: &Type,
        name: &Option<Name>,
        span: Span,
        parameters: &mut Vec<Parameter>,
    ) -> Lowered<Value> {
        if slots(ty, Passing::Argument).is_none() {
            return Err(not_data(ty, span));
        }
        match ty {
            Type::Real | Type::Int | Type::Bool | Type::Kept => {
                let register = self.build.register(kind_of(ty).unwrap_or(Kind::Int), name.clone());
                parameters.push(Parameter::Number(register));
                Ok(Value::Number(Operand::Register(register)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = named_parts(ty, name);
                let parts: Lowered<_> =
                    parts.iter().map(|(ty, name)| self.parameter(ty, name, span, parameters)).collect();
                Ok(Value::Tuple(parts?))
            }
            Type::Accumulator(inner) => {
                let cells = self.cells_of_parameter(inner, name, &mut Vec::new(), true, parameters)?;
                Ok(Value::Accumulator(Accumulator::Cells(cells)))
            }
            _ => match self.cells_of_parameter(ty, name, &mut Vec::new(), false, parameters)? {
                Cells::Array(Length::Known(len), cells) => Ok(Value::Array(Array { len, cells: *cells })),
                _ => Err(not_data(ty, span)),
            },
        }
    }

    /// The cells of a parameter inside of arrays of some lengths, row by row.
    fn cells_of_parameter(
        &mut self,
        ty: &Type,
        name: &Option<Name>,
        lens: &mut Vec<Operand>,
        added: bool,
        parameters: &mut Vec<Parameter>,
    ) -> Lowered<Cells> {
        Ok(match ty {
            Type::Array(size, element) => {
                let len = if Passing::Argument.with_length(size) {
                    let register = self.build.register(Kind::Int, Some(format!("{}_len", shown(name)).into()));
                    parameters.push(Parameter::Number(register));
                    Operand::Register(register)
                } else {
                    self.size(size, self.function.span)?
                };
                self.build.bounds.is_size(len);
                lens.push(len);
                let inner = self.cells_of_parameter(element, name, lens, added, parameters)?;
                lens.pop();
                Cells::Array(Length::Known(len), Box::new(inner))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut cells = Vec::new();
                for (ty, name) in named_parts(ty, name) {
                    cells.push(self.cells_of_parameter(&ty, &name, lens, added, parameters)?);
                }
                Cells::Tuple(cells)
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| not_data(ty, self.function.span))?;
                let buffer = self.build.buffer(kind, name.clone());
                parameters.push(if added { Parameter::Added(buffer) } else { Parameter::Read(buffer) });
                let strides = self.strides(lens);
                Cells::Number(kind, Place { buffer, offset: Operand::Int(0), strides })
            }
        })
    }

    /// How far apart elements are, row by row, in arrays of some lengths.
    pub(super) fn strides(&mut self, lens: &[Operand]) -> Vec<Operand> {
        let mut strides = vec![Operand::Int(1); lens.len()];
        for at in (1..lens.len()).rev() {
            strides[at - 1] = self.build.mul(strides[at], lens[at]);
        }
        strides
    }

    /// The body, and what it gives as results of the procedure.
    pub(super) fn results(&mut self, function: &'p Function) -> Lowered<Vec<Outcome>> {
        if slots(&function.result, Passing::Result).is_none() {
            return Err(not_data(&function.result, function.span));
        }
        let mut outcomes = Vec::new();
        let inferred = match self.holds_arrays(&function.result) {
            true => self.infer_shape(function.body.result).ok().filter(|shape| shape.is_exact()),
            false => None,
        };
        match inferred {
            Some(shape) => {
                let cells = self.room_for(&shape, &Some("result".into()), function.span);
                self.body_into(&function.body, &Target { cells: cells.clone(), add: false })?;
                self.outcomes_of_cells(&cells, &mut outcomes);
            }
            None => {
                let value = self.body(&function.body)?;
                self.outcomes(value, &mut outcomes, function.span)?;
            }
        }
        Ok(outcomes)
    }

    fn outcomes_of_cells(&mut self, cells: &Cells, outcomes: &mut Vec<Outcome>) {
        match cells {
            Cells::Number(_, place) if place.strides.is_empty() => {
                let number = self.build.load(place.buffer, place.offset, None);
                outcomes.push(Outcome::Number(number));
            }
            Cells::Number(_, place) => outcomes.push(Outcome::Buffer(place.buffer)),
            Cells::Tuple(parts) => parts.iter().for_each(|part| self.outcomes_of_cells(part, outcomes)),
            Cells::Array(length, inner) => {
                outcomes.push(Outcome::Number(length.most()));
                self.outcomes_of_cells(inner, outcomes);
            }
            Cells::Absent => {}
        }
    }

    fn outcomes(&mut self, value: Value, outcomes: &mut Vec<Outcome>, span: Span) -> Lowered<()> {
        match value {
            Value::Number(operand) => outcomes.push(Outcome::Number(operand)),
            Value::Tuple(parts) => {
                for part in parts {
                    self.outcomes(part, outcomes, span)?;
                }
            }
            Value::Array(array) => {
                let shape = self.shape_of_array(&array);
                let cells = self.room_for(&shape, &Some("result".into()), span);
                self.write(&Value::Array(array), &Target { cells: cells.clone(), add: false }, span)?;
                self.outcomes_of_cells(&cells, outcomes);
            }
            Value::Accumulator(_) => {
                return Err(Unsupported { reason: "an accumulator is returned".into(), span });
            }
        }
        Ok(())
    }
}

fn shown(name: &Option<Name>) -> &str {
    name.as_deref().unwrap_or("value")
}

/// The components of a tuple or record with names for them.
fn named_parts(ty: &Type, name: &Option<Name>) -> Vec<(Type, Option<Name>)> {
    let parts = ty.components().unwrap_or_default();
    let named = |at: usize| match ty {
        Type::Record(record) => format!("{}_{}", shown(name), record.fields[at].0),
        _ => format!("{}_{at}", shown(name)),
    };
    parts.into_iter().enumerate().map(|(at, part)| (part, Some(named(at).into()))).collect()
}
