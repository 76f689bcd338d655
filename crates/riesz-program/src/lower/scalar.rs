//! Numbers: arithmetic of reals, and of integers, with overflow checks where needed.

use super::value::Value;
use super::{Lowered, Lowerer};
use crate::program::{Arithmetic, Expression, Fault, Kind, Operand};
use riesz_core::Type;
use riesz_core::term::{Atom, Comparison};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

/// Integers up to this size are real numbers, odd or even as they are.
const EXACT: i64 = 1 << 53;

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
        if std::ptr::eq(primitive, &scalar::POWI) && self.may_be_large(operands[1]) {
            return self.large_power(operands[0], operands[1], name, span);
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

    /// Whether an integer may be so large that the real number next to it does not tell whether it is odd.
    fn may_be_large(&self, operand: Operand) -> bool {
        match operand {
            Operand::Int(value) => value.unsigned_abs() > EXACT as u64,
            operand if self.build.kind(operand) != Kind::Int => false,
            operand => {
                let known = self.build.bounds.polynomials.operand(operand);
                !self.build.bounds.is_small(&known)
            }
        }
    }

    /// `x^n`, and where `n` is large `(x²)^(n div 2) · x^(n mod 2)`.
    fn large_power(&mut self, x: Operand, n: Operand, name: Option<Name>, span: Span) -> Lowered<Value> {
        let two = || vec![n, Operand::Int(2)];
        let half = self.integer(&scalar::FLOOR_DIV, two(), None, span)?;
        let rest = self.integer(&scalar::FLOOR_MOD, two(), None, span)?;
        let mut bind = |kind: Kind, expression: Expression| self.build.bind(kind, None, expression);
        let below = bind(Kind::Bool, Expression::Compare(Comparison::LessEqual, n, Operand::Int(EXACT)));
        let above = bind(Kind::Bool, Expression::Compare(Comparison::LessEqual, Operand::Int(-EXACT), n));
        let exact = bind(Kind::Bool, Expression::And(below, above));
        let even = bind(Kind::Bool, Expression::Equal(rest, Operand::Int(0)));
        let square = bind(Kind::Real, Expression::Real(&scalar::MUL, vec![x, x]));
        let base = bind(Kind::Real, Expression::Select(exact, x, square));
        let exponent = bind(Kind::Int, Expression::Select(exact, n, half));
        let exponent = bind(Kind::Real, Expression::ToReal(exponent));
        let power = bind(Kind::Real, Expression::Real(&scalar::POWI, vec![base, exponent]));
        let odd = bind(Kind::Real, Expression::Real(&scalar::MUL, vec![power, x]));
        let whole = bind(Kind::Real, Expression::Select(even, power, odd));
        self.bound(Kind::Real, name, Expression::Select(exact, power, whole))
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
