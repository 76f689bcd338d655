//! Arrays of dynamic size: their buffers are allocated when their contents are known.
//!
//! ```text
//! a = if c then e else f     is     new b of 0; if c: m = size e; grow b to m; b = e  else: m = size f; ...; a is m of b
//! a = [e | i < n]            is     new b of 0; for i < n: x = e; if i == 0: m = size x; grow b to n · m; b[i] = x
//! ```
//!
//! The iterations of such a loop run one after the other. If their elements differ in size, the interpreter takes over:
//! it reports the error, or supports arrays of such rows, which occur among residuals.

use super::build::Builder;
use super::value::{Array, Cells, Extent, Shape, Target, Value};
use super::{Lowered, Lowerer, unknown_size};
use crate::layout::kind_of;
use crate::program::{Buffer, Expression, Fault, Kind, Operand, Register, Statement};
use riesz_core::Type;
use riesz_core::term::{Body, Iteration, Var};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl<'p> Lowerer<'_, 'p> {
    pub(super) fn either_of_dynamic_size(
        &mut self,
        condition: Operand,
        bodies: [&'p Body; 2],
        var: Var,
        span: Span,
    ) -> Lowered<Value> {
        let (ty, name) = (self.ty(var).clone(), self.name(var));
        let dynamic = self.dynamic(&ty, &name, span)?;
        let mut blocks = Vec::new();
        for body in bodies {
            let opened = self.build.open();
            let written = self.branch_to(body, &dynamic, span);
            blocks.push(self.build.close(opened));
            written?;
        }
        let no = blocks.pop().unwrap_or_default();
        self.build.push(Statement::If(condition, blocks.pop().unwrap_or_default(), no));
        let shape = self.settled_shape(&ty, &dynamic, span)?;
        let cells = self.room_by(&shape, &mut dynamic.buffers());
        Ok(self.read(&cells, &name))
    }

    /// Writes what a branch gives to buffers, which are made as long as it is.
    fn branch_to(&mut self, body: &'p Body, dynamic: &Dynamic, span: Span) -> Lowered<()> {
        let value = self.body(body)?;
        let shape = self.exact_shape(&value, span)?;
        self.set_lengths(&shape, dynamic);
        let cells = self.room_by(&shape, &mut dynamic.grow(span));
        self.write(&value, &Target { cells, add: false }, span)
    }

    /// The array of what an iteration gives, of elements of a type.
    pub(super) fn build_of_dynamic_size(
        &mut self,
        iteration: &'p Iteration,
        count: Operand,
        element: &Type,
        name: Option<Name>,
        span: Span,
    ) -> Lowered<Array> {
        let dynamic = self.dynamic(element, &name, span)?;
        dynamic.lens.iter().for_each(|len| self.build.push(Statement::Set(*len, Operand::Int(0))));
        let all = |element| Shape::Array(Extent { most: count, exact: true }, Box::new(element));
        self.iterate_as(iteration, count, false, span, &mut |lowerer| {
            let Some(Value::Number(index)) = lowerer.values[iteration.index.0 as usize] else { return Ok(()) };
            let value = lowerer.body(&iteration.body)?;
            let shape = lowerer.exact_shape(&value, span)?;
            let first = lowerer.build.bind(Kind::Bool, None, Expression::Equal(index, Operand::Int(0)));
            let opened = lowerer.build.open();
            lowerer.set_lengths(&shape, &dynamic);
            lowerer.room_by(&all(shape.clone()), &mut dynamic.grow(span));
            let made = lowerer.build.close(opened);
            lowerer.build.push(Statement::If(first, made, Vec::new()));
            let settled = lowerer.settled_shape(element, &dynamic, span)?;
            for (here, len) in lengths(&shape).into_iter().zip(lengths(&settled)) {
                lowerer.build.check_equal(here, len, Fault::WrongShape, span);
            }
            let cells = lowerer.room_by(&all(settled), &mut dynamic.buffers());
            let Cells::Array(_, cells) = cells else { return Err(unknown_size(span)) };
            let target = Target { cells: lowerer.element_of(&cells, index), add: false };
            lowerer.write(&value, &target, span)
        })?;
        let settled = self.settled_shape(element, &dynamic, span)?;
        match self.room_by(&all(settled), &mut dynamic.buffers()) {
            Cells::Array(_, cells) => Ok(Array { len: count, cells: *cells }),
            _ => Err(unknown_size(span)),
        }
    }

    /// The same for the arrays of what an iteration gives several of.
    pub(super) fn builds_of_dynamic_size(
        &mut self,
        iteration: &'p Iteration,
        count: Operand,
        var: Var,
        span: Span,
    ) -> Lowered<Value> {
        let arrays = self.ty(var).components().unwrap_or_default();
        let elements = arrays.iter().map(|array| match array {
            Type::Array(_, element) => Ok((**element).clone()),
            _ => Err(unknown_size(span)),
        });
        let element = Type::Tuple(elements.collect::<Lowered<_>>()?);
        match self.build_of_dynamic_size(iteration, count, &element, self.name(var), span)?.cells {
            Cells::Tuple(parts) => {
                Ok(Value::Tuple(parts.into_iter().map(|cells| Value::Array(Array { len: count, cells })).collect()))
            }
            _ => Err(unknown_size(span)),
        }
    }

    /// Buffers of no elements for values of a type, and registers for their lengths.
    fn dynamic(&mut self, ty: &Type, name: &Option<Name>, span: Span) -> Lowered<Dynamic> {
        let mut dynamic = Dynamic::default();
        let mut mutable = |lowerer: &mut Self| {
            dynamic.lens.push(lowerer.build.mutable(Kind::Int, None));
            Ok(Operand::Int(0))
        };
        let shape = self.shape_by(ty, &mut mutable, span)?;
        self.room_by(&shape, &mut |build, kind, _, _| {
            let buffer = build.allocate(kind, name.clone(), Operand::Int(0), span);
            dynamic.buffers.push(buffer);
            buffer
        });
        Ok(dynamic)
    }

    /// The shape of values of a type, with the lengths that the registers hold now.
    fn settled_shape(&mut self, ty: &Type, dynamic: &Dynamic, span: Span) -> Lowered<Shape> {
        let mut lens = dynamic.lens.iter();
        let mut settled = |lowerer: &mut Self| {
            let len = lens.next().ok_or_else(|| unknown_size(span))?;
            let len = lowerer.build.bind(Kind::Int, None, Expression::Copy(Operand::Register(*len)));
            lowerer.build.bounds.is_size(len);
            Ok(len)
        };
        self.shape_by(ty, &mut settled, span)
    }

    fn exact_shape(&mut self, value: &Value, span: Span) -> Lowered<Shape> {
        let shape = self.shape_of_value(value, span)?;
        if shape.is_exact() { Ok(shape) } else { Err(unknown_size(span)) }
    }

    fn set_lengths(&mut self, shape: &Shape, dynamic: &Dynamic) {
        for (register, len) in dynamic.lens.iter().zip(lengths(shape)) {
            self.build.push(Statement::Set(*register, len));
        }
    }

    /// The shape of values of a type, with the next length for each array.
    fn shape_by(
        &mut self,
        ty: &Type,
        next: &mut dyn FnMut(&mut Self) -> Lowered<Operand>,
        span: Span,
    ) -> Lowered<Shape> {
        match ty {
            Type::Array(_, element) => {
                let extent = Extent { most: next(self)?, exact: true };
                Ok(Shape::Array(extent, Box::new(self.shape_by(element, next, span)?)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Ok(Shape::Tuple(parts.iter().map(|part| self.shape_by(part, next, span)).collect::<Lowered<_>>()?))
            }
            _ => kind_of(ty).map(Shape::Number).ok_or_else(|| super::not_data(ty, span)),
        }
    }
}

/// The lengths and the buffers of a value of dynamic size.
#[derive(Default)]
struct Dynamic {
    /// The lengths of the arrays in a value, outer ones first.
    lens: Vec<Register>,
    buffers: Vec<Buffer>,
}

impl Dynamic {
    /// The buffers in order, whatever is to be there.
    fn buffers(&self) -> impl FnMut(&mut Builder, Kind, Operand, bool) -> Buffer {
        let mut next = 0;
        move |_, _, _, _| {
            next += 1;
            self.buffers[next - 1]
        }
    }

    /// The same, each made as long as what is to be there.
    fn grow(&self, span: Span) -> impl FnMut(&mut Builder, Kind, Operand, bool) -> Buffer {
        let mut next = self.buffers();
        move |build, kind, count, lengths| {
            let buffer = next(build, kind, count, lengths);
            build.grow(buffer, count, span);
            buffer
        }
    }
}

/// The lengths of the arrays in a shape, outer ones first.
fn lengths(shape: &Shape) -> Vec<Operand> {
    match shape {
        Shape::Number(_) => Vec::new(),
        Shape::Tuple(parts) => parts.iter().flat_map(lengths).collect(),
        Shape::Array(extent, element) => [extent.most].into_iter().chain(lengths(element)).collect(),
    }
}
