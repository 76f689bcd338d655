//! First-order functions of arrays. Functions that only move elements are views (`view`), functions of linear algebra
//! are single statements (`product`); the others are loops.

use super::operation::{unsupported, unsupported_layout};
use super::value::{Cells, Length, Target, Value};
use super::{Lowered, Lowerer, Unsupported};
use crate::program::{Expression, Fault, Kind, Operand};
use riesz_core::term::{Atom, Var};
use riesz_primitive::array::{Array, Bounds, Contraction, Direction, Indexing, Reindex};
use riesz_primitive::{Primitive, scalar};
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
        let Some(row) = primitive.array() else {
            return Err(unsupported(&format!("`{}` is not available in native code", primitive.name), span));
        };
        let view = match row {
            Array::Reindex(reindex) => match (reindex.direction, reindex.index.slope()) {
                (Direction::Gather, Some(step)) if reindex.bounds != Bounds::Each => {
                    self.line(reindex, step, arguments, span)?
                }
                (Direction::Gather, _) => return self.gather(reindex, arguments, var, target, span),
                (Direction::Scatter, _) => return self.scatter(reindex, primitive, arguments, var, target, span),
            },
            Array::Exchange => self.transpose(arguments, span)?,
            Array::Merge => self.flatten(arguments, span)?,
            Array::Concatenate => return self.concat(arguments, var, target, span),
            Array::Replace => return self.update(arguments, var, target, span),
            Array::Product(product) => {
                return match product.contraction {
                    Contraction::Inner => self.dot(product, arguments, var, target, span),
                    Contraction::Outer => self.outer(product, arguments, var, target, span),
                };
            }
            Array::Matrix(matrix) => return self.matrix(matrix, arguments, var, target, span),
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
        self.set_length(length, total, Fault::WrongShape, span);
        for (from, array) in arrays {
            let cells = self.shifted(inner, from);
            let part = Target { cells: Cells::Array(Length::Known(array.len), Box::new(cells)), add: false };
            self.write(&Value::Array(array), &part, span)?;
        }
        self.build.check_length(total, span);
        Ok(self.in_target(&target, Some(total)))
    }

    fn gather(
        &mut self,
        reindex: &'static Reindex,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let array = self.array(arguments[reindex.array], span)?;
        let count = reindex.count(&mut IndexLowering { lowerer: self, arguments, span })?;
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, count, Fault::WrongShape, span);
        self.each(count, span, &mut |lowerer, at| {
            let index = reindex.index.evaluate(at, &mut IndexLowering { lowerer, arguments, span })?;
            if reindex.bounds == Bounds::Each {
                lowerer.build.check_index(index, array.len, span);
            }
            let cells = lowerer.element_of(&array.cells, index);
            let element = lowerer.read(&cells, &None);
            let cells = lowerer.element_of(inner, at);
            lowerer.write(&element, &Target { cells, add: false }, span)
        })?;
        Ok(self.in_target(&target, Some(count)))
    }

    fn scatter(
        &mut self,
        reindex: &'static Reindex,
        primitive: &'static Primitive,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = reindex.count(&mut IndexLowering { lowerer: self, arguments, span })?;
        let array = self.array(arguments[reindex.array], span)?;
        self.build.check_count(count, span);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, count, Fault::WrongShape, span);
        let mut integers = false;
        all_kinds(inner, &mut |kind| integers |= kind != Kind::Real);
        if integers {
            return Err(unsupported(&format!("`{}` of integers", primitive.name), span));
        }
        self.fill(&target.cells);
        for (at, argument) in arguments.iter().enumerate() {
            if at != reindex.array
                && let Value::Array(indices) = self.atom(*argument, span)?
            {
                self.build.check_equal(indices.len, array.len, Fault::WrongShape, span);
            }
        }
        self.each(array.len, span, &mut |lowerer, at| {
            let index = reindex.index.evaluate(at, &mut IndexLowering { lowerer, arguments, span })?;
            if reindex.bounds == Bounds::Each {
                lowerer.build.check_index(index, count, span);
            }
            let cells = lowerer.element_of(&array.cells, at);
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

/// Index functions as expressions of the loop program.
pub(super) struct IndexLowering<'w, 'l, 'p, 'o> {
    pub lowerer: &'w mut Lowerer<'l, 'p>,
    pub arguments: &'o [Atom],
    pub span: Span,
}

impl Indexing for IndexLowering<'_, '_, '_, '_> {
    type Value = Operand;
    type Error = Unsupported;

    fn constant(&mut self, value: i64) -> Operand {
        Operand::Int(value)
    }

    fn length(&mut self, argument: usize) -> Lowered<Operand> {
        Ok(self.lowerer.array(self.arguments[argument], self.span)?.len)
    }

    fn integer(&mut self, argument: usize) -> Lowered<Operand> {
        self.lowerer.number(self.arguments[argument], self.span)
    }

    fn element(&mut self, argument: usize, at: Operand) -> Lowered<Operand> {
        let array = self.lowerer.array(self.arguments[argument], self.span)?;
        let cells = self.lowerer.element_of(&array.cells, at);
        match self.lowerer.read(&cells, &None) {
            Value::Number(index) => Ok(index),
            _ => Err(unsupported_layout("this index", self.span)),
        }
    }

    fn apply(&mut self, primitive: &'static Primitive, a: Operand, b: Operand) -> Lowered<Operand> {
        let build = &mut self.lowerer.build;
        Ok(match primitive {
            primitive if *primitive == scalar::ADD => build.add(a, b),
            primitive if *primitive == scalar::SUB => build.sub(a, b),
            primitive if *primitive == scalar::MUL => build.mul(a, b),
            primitive => {
                let site = build.site(Fault::Integer(primitive), self.span);
                build.bind(Kind::Int, None, Expression::Int(primitive, vec![a, b], site))
            }
        })
    }
}
