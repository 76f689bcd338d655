//! Branches that give arrays of sizes that nobody foresees: each makes the buffers of the result as long as it needs them.
//!
//! ```text
//! a = if c then e else f     is     new b of 0; if c: n = size e; grow b to n; b = e  else: n = size f; ...; a is n of b
//! ```

use super::value::{Extent, Shape, Target, Value};
use super::{Lowered, Lowerer, unknown_size};
use crate::layout::kind_of;
use crate::program::{Buffer, Expression, Kind, Operand, Register, Statement};
use riesz_core::Type;
use riesz_core::term::{Body, Var};
use riesz_syntax::Span;

impl<'p> Lowerer<'_, 'p> {
    pub(super) fn either_grown(
        &mut self,
        condition: Operand,
        bodies: [&'p Body; 2],
        var: Var,
        span: Span,
    ) -> Lowered<Value> {
        let (ty, name) = (self.ty(var), self.name(var));
        let mut lens: Vec<Register> = Vec::new();
        let mut mutable = |lowerer: &mut Self| {
            lens.push(lowerer.build.mutable(Kind::Int, None));
            Ok(Operand::Int(0))
        };
        let shape = self.shape_by(ty, &mut mutable, span)?;
        let mut buffers: Vec<Buffer> = Vec::new();
        self.room_by(&shape, &mut |build, kind, _, _| {
            buffers.push(build.allocate(kind, name.clone(), Operand::Int(0), span));
            buffers[buffers.len() - 1]
        });
        let mut blocks = Vec::new();
        for body in bodies {
            let opened = self.build.open();
            let written = self.grow_to(body, &lens, &buffers, span);
            blocks.push(self.build.close(opened));
            written?;
        }
        let no = blocks.pop().unwrap_or_default();
        self.build.push(Statement::If(condition, blocks.pop().unwrap_or_default(), no));
        let mut lens = lens.into_iter();
        let mut settled = |lowerer: &mut Self| {
            let len = lens.next().ok_or_else(|| unknown_size(span))?;
            let len = lowerer.build.bind(Kind::Int, None, Expression::Copy(Operand::Register(len)));
            lowerer.build.bounds.is_size(len);
            Ok(len)
        };
        let shape = self.shape_by(ty, &mut settled, span)?;
        let mut made = buffers.into_iter();
        let cells = self.room_by(&shape, &mut |build, kind, _, _| {
            made.next().unwrap_or_else(|| build.allocate(kind, None, Operand::Int(0), span))
        });
        Ok(self.read(&cells, &name))
    }

    /// Writes what a branch gives to buffers, which are made as long as it is, and its lengths to registers.
    fn grow_to(&mut self, body: &'p Body, lens: &[Register], buffers: &[Buffer], span: Span) -> Lowered<()> {
        let value = self.body(body)?;
        let shape = self.shape_of_value(&value, span)?;
        if !shape.is_exact() {
            return Err(unknown_size(span));
        }
        let mut found = Vec::new();
        lengths(&shape, &mut found);
        for (register, len) in lens.iter().zip(found) {
            self.build.push(Statement::Set(*register, len));
        }
        let mut made = buffers.iter();
        let cells = self.room_by(&shape, &mut |build, kind, count, _| match made.next() {
            Some(buffer) => {
                build.grow(*buffer, count, span);
                *buffer
            }
            None => build.allocate(kind, None, count, span),
        });
        self.write(&value, &Target { cells, add: false }, span)
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

/// The lengths of the arrays in a shape, outer ones first.
fn lengths(shape: &Shape, found: &mut Vec<Operand>) {
    match shape {
        Shape::Number(_) => {}
        Shape::Tuple(parts) => parts.iter().for_each(|part| lengths(part, found)),
        Shape::Array(extent, element) => {
            found.push(extent.most);
            lengths(element, found);
        }
    }
}
