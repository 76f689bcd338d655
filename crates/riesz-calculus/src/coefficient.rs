//! The coefficients of primitives' derivatives, from data to core.

use crate::linearise::Lineariser;
use riesz_core::term::{Atom, Body, Op};
use riesz_core::{Comparison, Type};
use riesz_primitive::derivative::{self, Coefficient};
use riesz_syntax::Span;

impl Lineariser<'_> {
    /// Computes a coefficient among the primal bindings.
    pub(crate) fn coefficient(
        &mut self,
        coefficient: &Coefficient,
        arguments: &[Atom],
        result: Atom,
        span: Span,
    ) -> Atom {
        match coefficient {
            Coefficient::Argument(at) => self.as_real(arguments[*at], span),
            Coefficient::Result => result,
            Coefficient::Constant(value) => Atom::Real(*value),
            Coefficient::Apply(primitive, operands) => {
                let operands =
                    operands.iter().map(|operand| self.coefficient(operand, arguments, result, span)).collect();
                self.primal(Op::Scalar(primitive, operands), Type::Real, span)
            }
            Coefficient::If { left, comparison, right, then, otherwise } => {
                let left = self.coefficient(left, arguments, result, span);
                let right = self.coefficient(right, arguments, result, span);
                let condition = match comparison {
                    derivative::Comparison::Less => Op::Compare(Comparison::Less, left, right),
                    derivative::Comparison::Equal => Op::Same(left, right),
                };
                let condition = self.primal(condition, Type::Bool, span);
                let yes = self.coefficient_body(then, arguments, result, span);
                let no = self.coefficient_body(otherwise, arguments, result, span);
                self.primal(Op::If { condition, yes, no }, Type::Real, span)
            }
        }
    }

    fn coefficient_body(&mut self, coefficient: &Coefficient, arguments: &[Atom], result: Atom, span: Span) -> Body {
        self.open();
        let result = self.coefficient(coefficient, arguments, result, span);
        Body { bindings: self.close().primal, result }
    }

    /// The operand as a real number: exponents may be integers.
    fn as_real(&mut self, atom: Atom, span: Span) -> Atom {
        match atom {
            Atom::Int(value) => Atom::Real(value as f64),
            Atom::Var(var) if *self.ty(var) == Type::Int => self.primal(Op::ToReal(atom), Type::Real, span),
            atom => atom,
        }
    }
}
