//! Calls: values are passed as their numbers and buffers (`layout`).

use super::operation::{unsupported, unsupported_layout};
use super::residual;
use super::value::{Accumulator, Array, Cells, Length, Place, Shape, Value};
use super::write::shape_of_cells;
use super::{Lowered, Lowerer, Unsupported};
use crate::layout::{Passing, kind_of, slots};
use crate::program::{Argument, Call, Element, Fault, Kind, Operand, Statement, Target};
use riesz_core::Type;
use riesz_core::size::Size;
use riesz_core::term::{Atom, FunctionId};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    pub(super) fn call(&mut self, called: FunctionId, arguments: &[Atom], span: Span) -> Lowered<Value> {
        let program = self.lowering.program;
        let function = program.function(called);
        // A recursive function calls itself while it is being lowered.
        let entry = self.lowering.function(called).map_err(|problem| Unsupported { span, ..problem })?;
        let mut passed = Vec::new();
        let mut behind = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.vars) {
            let value = self.whole(*argument, span)?;
            let value = if residual::passes(function) { self.out_of_store(value, span)? } else { value };
            self.pass(&value, &parameter.ty, &mut passed, &mut behind, span)?;
        }
        for global in &entry.globals {
            let Some(value) = self.globals.get(global).cloned() else {
                return Err(unsupported("the value of a top-level `let` is not available here", span));
            };
            self.pass(&value, &program.global(*global).ty, &mut passed, &mut behind, span)?;
        }
        if residual::passes(function) {
            let store = self
                .store
                .ok_or_else(|| unsupported("the residuals of a recursive function cannot be stored here", span))?;
            passed.extend(store.buffers().map(Argument::Whole));
        }
        if slots(&function.result, Passing::Result).is_none() {
            return Err(super::not_data(&function.result, span));
        }
        let mut results = Vec::new();
        let mut value = self.receive(&function.result, &mut results, span)?;
        let site = self.build.site(Fault::Call(function.name.clone()), span);
        self.build.push(Statement::Call(Call { procedure: entry.procedure, arguments: passed, results, site }));
        self.stride(&mut value);
        for (accumulator, cells) in behind {
            let sum = self.read(&cells, &None);
            self.add_to(&accumulator, &sum, span)?;
        }
        Ok(value)
    }

    fn pass(
        &mut self,
        value: &Value,
        ty: &Type,
        passed: &mut Vec<Argument>,
        behind: &mut Vec<(Accumulator, Cells)>,
        span: Span,
    ) -> Lowered<()> {
        match (value, ty) {
            (Value::Number(operand), _) => {
                passed.push(Argument::Number(*operand));
                Ok(())
            }
            (Value::Tuple(parts), _) => {
                let types = ty.components().unwrap_or_default();
                parts.iter().zip(&types).try_for_each(|(part, ty)| self.pass(part, ty, passed, behind, span))
            }
            (Value::Array(array), Type::Array(size, element)) => {
                let array = self.flattened(array, span)?;
                self.pass_array(&array, size, element, passed, span)
            }
            (Value::Accumulator(accumulator), Type::Accumulator(inner)) => {
                self.pass_accumulator(accumulator, inner, passed, behind, span)
            }
            _ => Err(unsupported_layout("this argument", span)),
        }
    }

    fn pass_array(
        &mut self,
        array: &Array,
        size: &Size,
        element: &Type,
        passed: &mut Vec<Argument>,
        span: Span,
    ) -> Lowered<()> {
        if Passing::Argument.with_length(size) {
            passed.push(Argument::Number(array.len));
        }
        self.pass_cells(&array.cells, element, array.len, passed, span)
    }

    /// Cells that lie row by row, inside of arrays of a number of elements.
    fn pass_cells(
        &mut self,
        cells: &Cells,
        ty: &Type,
        count: Operand,
        passed: &mut Vec<Argument>,
        span: Span,
    ) -> Lowered<()> {
        match (cells, ty) {
            (Cells::Number(_, place), _) => {
                passed.push(Argument::Elements(Element { buffer: place.buffer, at: place.offset }, count));
                Ok(())
            }
            (Cells::Tuple(parts), _) => {
                let types = ty.components().unwrap_or_default();
                parts.iter().zip(&types).try_for_each(|(part, ty)| self.pass_cells(part, ty, count, passed, span))
            }
            (Cells::Array(Length::Known(len), inner), Type::Array(size, element)) => {
                if Passing::Argument.with_length(size) {
                    passed.push(Argument::Number(*len));
                }
                let count = self.build.mul(count, *len);
                self.pass_cells(inner, element, count, passed, span)
            }
            _ => Err(super::unknown_size(span)),
        }
    }

    /// Passes an accumulator. A register, and a buffer that is passed already, cannot be added to by the call: what it adds
    /// is added up in a buffer apart, and to the accumulator behind the call.
    fn pass_accumulator(
        &mut self,
        accumulator: &Accumulator,
        ty: &Type,
        passed: &mut Vec<Argument>,
        behind: &mut Vec<(Accumulator, Cells)>,
        span: Span,
    ) -> Lowered<()> {
        let apart = match accumulator {
            Accumulator::Number(_) => Shape::Number(Kind::Real),
            Accumulator::Tuple(parts) => {
                let types = ty.components().unwrap_or_default();
                return parts
                    .iter()
                    .zip(&types)
                    .try_for_each(|(part, ty)| self.pass_accumulator(part, ty, passed, behind, span));
            }
            Accumulator::Cells(cells) if is_passed(cells, passed) => shape_of_cells(cells),
            Accumulator::Cells(cells) => return self.pass_cells(cells, ty, Operand::Int(1), passed, span),
        };
        let cells = self.room_for(&apart, &None, span);
        self.fill(&cells);
        self.pass_cells(&cells, ty, Operand::Int(1), passed, span)?;
        behind.push((accumulator.clone(), cells));
        Ok(())
    }

    /// Registers and buffers for the result of a call.
    fn receive(&mut self, ty: &Type, results: &mut Vec<Target>, span: Span) -> Lowered<Value> {
        match ty {
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                let parts: Lowered<_> = parts.iter().map(|part| self.receive(part, results, span)).collect();
                Ok(Value::Tuple(parts?))
            }
            Type::Array(..) => match self.receive_cells(ty, &mut Vec::new(), results, span)? {
                Cells::Array(Length::Known(len), cells) => Ok(Value::Array(Array { len, cells: *cells })),
                _ => Err(super::unknown_size(span)),
            },
            _ => {
                let kind = kind_of(ty).ok_or_else(|| super::not_data(ty, span))?;
                let register = self.build.register(kind, None);
                results.push(Target::Register(register));
                Ok(Value::Number(Operand::Register(register)))
            }
        }
    }

    fn receive_cells(
        &mut self,
        ty: &Type,
        lens: &mut Vec<Operand>,
        results: &mut Vec<Target>,
        span: Span,
    ) -> Lowered<Cells> {
        match ty {
            Type::Array(_, element) => {
                let register = self.build.register(Kind::Int, None);
                results.push(Target::Register(register));
                let len = Operand::Register(register);
                self.build.bounds.is_size(len);
                lens.push(len);
                let inner = self.receive_cells(element, lens, results, span)?;
                lens.pop();
                Ok(Cells::Array(Length::Known(len), Box::new(inner)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                let parts: Lowered<_> =
                    parts.iter().map(|part| self.receive_cells(part, lens, results, span)).collect();
                Ok(Cells::Tuple(parts?))
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| super::not_data(ty, span))?;
                let buffer = self.build.buffer(kind, None);
                results.push(Target::Buffer(buffer));
                // The strides are products of lengths, which only the call gives: see `stride`.
                Ok(Cells::Number(kind, Place { buffer, offset: Operand::Int(0), strides: lens.clone() }))
            }
        }
    }

    /// Makes strides of the lengths that a call gave.
    fn stride(&mut self, value: &mut Value) {
        match value {
            Value::Array(array) => self.stride_cells(&mut array.cells),
            Value::Tuple(parts) => parts.iter_mut().for_each(|part| self.stride(part)),
            Value::Number(_) | Value::Accumulator(_) => {}
        }
    }

    fn stride_cells(&mut self, cells: &mut Cells) {
        match cells {
            Cells::Number(_, place) => place.strides = self.strides(&place.strides.clone()),
            Cells::Tuple(parts) => parts.iter_mut().for_each(|part| self.stride_cells(part)),
            Cells::Array(_, inner) => self.stride_cells(inner),
            Cells::Absent => {}
        }
    }
}

/// Whether a call is given a buffer of some cells already.
fn is_passed(cells: &Cells, passed: &[Argument]) -> bool {
    let mut found = false;
    let mut is_given = |place: &Place| {
        found |= passed
            .iter()
            .any(|argument| matches!(argument, Argument::Elements(given, _) if given.buffer == place.buffer));
    };
    cells.leaves(&mut is_given, &mut |_| {});
    found
}
