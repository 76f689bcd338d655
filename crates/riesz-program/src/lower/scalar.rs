//! Numbers: arithmetic of reals, and of integers, checked where it could overflow.

use super::value::Value;
use super::{Lowered, Lowerer};
use crate::program::{Arithmetic, Expression, Fault, Kind, Operand};
use riesz_core::Type;
use riesz_core::term::Atom;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl Lowerer<'_, '_> {
    pub(super) fn scalar(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        ty: &Type,
        name: Option<Name>,
        span: Span,
    ) -> Lowered<Value> {
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in arguments {
            operands.push(self.number(*argument, span)?);
        }
        if *ty == Type::Int {
            return self.integer(primitive, operands, name, span).map(Value::Number);
        }
        for operand in &mut operands {
            if self.build.kind(*operand) == Kind::Int {
                *operand = match *operand {
                    Operand::Int(value) => Operand::Real(value as f64),
                    operand => self.build.bind(Kind::Real, None, Expression::ToReal(operand)),
                };
            }
        }
        if std::ptr::eq(primitive, &scalar::POWI) {
            match operands[1] {
                Operand::Real(2.0) => {
                    return self.bound(
                        Kind::Real,
                        name,
                        Expression::Real(&scalar::MUL, vec![operands[0], operands[0]]),
                    );
                }
                Operand::Real(-1.0) => {
                    let one = Operand::Real(1.0);
                    return self.bound(Kind::Real, name, Expression::Real(&scalar::DIV, vec![one, operands[0]]));
                }
                _ => {}
            }
        }
        self.bound(Kind::Real, name, Expression::Real(primitive, operands))
    }

    /// A primitive of integers; sums that cannot overflow are not checked.
    pub(super) fn integer(
        &mut self,
        primitive: &'static Primitive,
        operands: Vec<Operand>,
        name: Option<Name>,
        span: Span,
    ) -> Lowered<Operand> {
        if let (Some(arithmetic), [a, b]) = (Arithmetic::of(primitive), &operands[..]) {
            let known = &self.build.bounds.polynomials;
            let sizes = [known.operand(*a), known.operand(*b), known.arithmetic(arithmetic, *a, *b)];
            if sizes.iter().all(|size| self.build.bounds.is_small(size)) {
                return Ok(self.build.arithmetic(arithmetic, *a, *b));
            }
        }
        let site = self.build.site(Fault::Integer(primitive), span);
        Ok(self.build.bind(Kind::Int, name, Expression::Int(primitive, operands, site)))
    }
}
