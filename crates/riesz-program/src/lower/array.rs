//! First-order functions of arrays. Functions that only move elements are views (`view`), functions of linear algebra
//! are single statements (`product`); the others are loops.

use super::operation::{unsupported, unsupported_layout};
use super::value::{Cells, Length, Target, Value};
use super::{Lowered, Lowerer};
use crate::program::{Fault, Kind, Operand};
use riesz_core::term::{Atom, Var};
use riesz_primitive::Primitive;
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let view = match primitive.name {
            "reverse" => self.reverse(arguments, span)?,
            "slice" => self.slice(arguments, span)?,
            "flatten" => self.flatten(arguments, span)?,
            "transpose" => self.transpose(arguments, span)?,
            "concat" => return self.concat(arguments, var, target, span),
            "gather" => return self.gather(arguments, var, target, span),
            "scatter_add" => return self.scatter_add(arguments, var, target, span),
            "update" => return self.update(arguments, var, target, span),
            "outer" => return self.outer(arguments, var, target, span),
            "dot" => return self.dot(arguments, false, var, target, span),
            "exact dot" => return self.dot(arguments, true, var, target, span),
            _ if primitive.array().is_some_and(|row| row.matrix.is_some()) => {
                return self.matrix(primitive, arguments, var, target, span);
            }
            name => return Err(unsupported(&format!("`{name}` is not available in native code"), span)),
        };
        match target {
            Some(target) => {
                self.write(&view, target, span)?;
                Ok(self.in_target(target, None))
            }
            None => Ok(view),
        }
    }

    fn concat(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        let mut arrays = Vec::new();
        let mut total = Operand::Int(0);
        for argument in arguments {
            let array = self.array(*argument, span)?;
            arrays.push((total, array.clone()));
            total = self.build.add(total, array.len);
        }
        self.set_length(length, total, Fault::Unforeseen, span);
        for (from, array) in arrays {
            let cells = self.shifted(inner, from);
            let part = Target { cells: Cells::Array(Length::Known(array.len), Box::new(cells)), add: false };
            self.write(&Value::Array(array), &part, span)?;
        }
        self.build.check_length(total, span);
        Ok(self.in_target(&target, Some(total)))
    }

    fn gather(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let (array, indices) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, indices.len, Fault::Unforeseen, span);
        self.each(indices.len, span, &mut |lowerer, at| {
            let cells = lowerer.element_of(&indices.cells, at);
            let Value::Number(index) = lowerer.read(&cells, &None) else {
                return Err(unsupported_layout("this index", span));
            };
            lowerer.build.check_index(index, array.len, span);
            let cells = lowerer.element_of(&array.cells, index);
            let element = lowerer.read(&cells, &None);
            let cells = lowerer.element_of(inner, at);
            lowerer.write(&element, &Target { cells, add: false }, span)
        })?;
        Ok(self.in_target(&target, Some(indices.len)))
    }

    fn scatter_add(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let count = self.number(arguments[0], span)?;
        let (indices, values) = (self.array(arguments[1], span)?, self.array(arguments[2], span)?);
        self.build.check_count(count, span);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, count, Fault::Unforeseen, span);
        let mut integers = false;
        all_kinds(inner, &mut |kind| integers |= kind != Kind::Real);
        if integers {
            return Err(unsupported("`scatter_add` of integers", span));
        }
        self.fill(&target.cells);
        self.build.check_equal(indices.len, values.len, Fault::Unforeseen, span);
        self.each(indices.len, span, &mut |lowerer, at| {
            let cells = lowerer.element_of(&indices.cells, at);
            let Value::Number(index) = lowerer.read(&cells, &None) else {
                return Err(unsupported_layout("this index", span));
            };
            lowerer.build.check_index(index, count, span);
            let cells = lowerer.element_of(&values.cells, at);
            let element = lowerer.read(&cells, &None);
            let cells = lowerer.element_of(inner, index);
            lowerer.write(&element, &Target { cells, add: true }, span)
        })?;
        Ok(self.in_target(&target, Some(count)))
    }

    fn update(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let (index, value) = (self.number(arguments[1], span)?, self.atom(arguments[2], span)?);
        self.build.check_index(index, array.len, span);
        let target = match target {
            Some(target) => target.clone(),
            None => {
                let shape = self.shape_of_array(&array);
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        self.write(&Value::Array(array.clone()), &target, span)?;
        let Cells::Array(_, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        let cells = self.element_of(inner, index);
        self.write(&value, &Target { cells, add: false }, span)?;
        Ok(self.in_target(&target, Some(array.len)))
    }
}

fn all_kinds(cells: &Cells, seen: &mut dyn FnMut(Kind)) {
    match cells {
        Cells::Number(kind, _) => seen(*kind),
        Cells::Tuple(parts) => parts.iter().for_each(|part| all_kinds(part, seen)),
        Cells::Array(_, inner) => all_kinds(inner, seen),
        Cells::Absent => {}
    }
}
