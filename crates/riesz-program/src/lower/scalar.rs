//! Numbers: arithmetic of reals, and of integers, checked where it could overflow.

use super::value::Value;
use super::{Lowered, Lowerer};
use crate::program::{Expression, Fault, Kind, Operand};
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
        let settled = operands.iter().all(|operand| !self.build.is_mutable(*operand));
        let bounds = &self.build.bounds;
        let size = match (primitive.name, &operands[..]) {
            ("+", [a, b]) => bounds.size(*a).add(&bounds.size(*b)),
            ("-", [a, b]) => bounds.size(*a).sub(&bounds.size(*b)),
            ("*", [a, b]) => bounds.size(*a).mul(&bounds.size(*b)),
            _ => None,
        }
        .filter(|_| settled);
        if let (Some(size), [a, b]) = (&size, &operands[..])
            && bounds.is_small(size)
            && operands.iter().all(|operand| bounds.is_small(&bounds.size(*operand)))
        {
            return Ok(match primitive.name {
                "+" => self.build.add(*a, *b),
                "-" => self.build.sub(*a, *b),
                _ => self.build.mul(*a, *b),
            });
        }
        let site = self.build.site(Fault::Integer(primitive), span);
        let computed = self.build.bind(Kind::Int, name, Expression::Int(primitive, operands, site));
        self.build.bounds.learn(computed, size);
        Ok(computed)
    }
}
