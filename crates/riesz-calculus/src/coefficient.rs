//! The coefficients of primitives' derivatives, from data to core.

use crate::linearise::Lineariser;
use riesz_core::term::{Atom, Binding, Body, Op};
use riesz_core::{Comparison, Type};
use riesz_primitive::derivative::{self, Coefficient};
use riesz_primitive::scalar;
use riesz_syntax::Span;

/// Something that writes values as core.
pub(crate) trait Write {
    /// Binds an operation.
    fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom;

    /// The type of an operand.
    fn type_of(&self, atom: Atom) -> Type;

    /// Begins a body.
    fn open(&mut self);

    /// Ends the body that was begun last.
    fn close(&mut self) -> Vec<Binding>;
}

/// Writes a coefficient of the derivative of a primitive.
pub(crate) fn write(
    writer: &mut dyn Write,
    coefficient: &Coefficient,
    arguments: &[Atom],
    result: Atom,
    span: Span,
) -> Atom {
    match coefficient {
        Coefficient::Argument(at) => as_real(writer, arguments[*at], span),
        Coefficient::Result => result,
        Coefficient::Constant(value) => Atom::Real(*value),
        Coefficient::Apply(primitive, operands)
            if let [Coefficient::Argument(at), Coefficient::Constant(number)] = operands
                && std::ptr::eq(*primitive, &scalar::SUB)
                && is_large(writer, arguments[*at]) =>
        {
            writer.bind(Op::Scalar(primitive, vec![arguments[*at], Atom::Int(*number as i64)]), Type::Int, span)
        }
        Coefficient::Apply(primitive, operands) => {
            let operands = operands.iter().map(|operand| write(writer, operand, arguments, result, span)).collect();
            writer.bind(Op::Scalar(primitive, operands), Type::Real, span)
        }
        Coefficient::If { left, comparison, right, then, otherwise } => {
            let left = write(writer, left, arguments, result, span);
            let right = write(writer, right, arguments, result, span);
            let condition = match comparison {
                derivative::Comparison::Less => Op::Compare(Comparison::Less, left, right),
                derivative::Comparison::Equal => Op::Same(left, right),
            };
            let condition = writer.bind(condition, Type::Bool, span);
            let mut body = |coefficient: &Coefficient| {
                writer.open();
                let result = write(writer, coefficient, arguments, result, span);
                Body { bindings: writer.close(), result }
            };
            let (yes, no) = (body(then), body(otherwise));
            writer.bind(Op::If { condition, yes, no }, Type::Real, span)
        }
    }
}

/// Whether an operand is an exponent that may be so large that the real number next to it does not tell whether it is odd:
/// one less is one less as an integer.
fn is_large(writer: &dyn Write, atom: Atom) -> bool {
    match atom {
        Atom::Int(value) => value.unsigned_abs() > 1 << 53 && value > i64::MIN,
        atom => writer.type_of(atom) == Type::Int,
    }
}

/// The operand as a real number: exponents may be integers.
fn as_real(writer: &mut dyn Write, atom: Atom, span: Span) -> Atom {
    match atom {
        Atom::Int(value) => Atom::Real(value as f64),
        atom if writer.type_of(atom) == Type::Int => writer.bind(Op::ToReal(atom), Type::Real, span),
        atom => atom,
    }
}

impl Write for Lineariser<'_> {
    fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        self.primal(op, ty, span)
    }

    fn type_of(&self, atom: Atom) -> Type {
        self.atom_type(atom)
    }

    fn open(&mut self) {
        Lineariser::open(self);
    }

    fn close(&mut self) -> Vec<Binding> {
        Lineariser::close(self).primal
    }
}

impl Lineariser<'_> {
    /// Computes a coefficient among the primal bindings.
    pub(crate) fn coefficient(
        &mut self,
        coefficient: &Coefficient,
        arguments: &[Atom],
        result: Atom,
        span: Span,
    ) -> Atom {
        write(self, coefficient, arguments, result, span)
    }
}
