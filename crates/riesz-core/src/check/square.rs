//! `norm(v)² = inner(v, v)`
//!
//! The derivative of `norm` at zero is zero by convention, so a square that is made of it has no second derivative there.
//! The inner product has all of them. The law is applied where the square of a norm is written: `norm(v)^2`,
//! `norm(v) * norm(v)`, `pow(norm(v), 2.0)`, also of a name for the norm in the same body. Inside a nested body the name is
//! a value that is there already, and stays.

use super::ItemId;
use super::arithmetic::Typed;
use super::draft::Draft;
use crate::size::Size;
use crate::term::{Atom, Op, Var};
use crate::types::Type;
use riesz_primitive::other::prelude::NORM;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;

impl Draft<'_> {
    /// Remembers the vector of a norm.
    pub(super) fn note_norm(&mut self, item: ItemId, types: &[Type], arguments: &[Atom], value: Atom) {
        if let ([ty], &[vector], Atom::Var(var)) = (types, arguments, value)
            && self.checker.is_prelude(item, &NORM)
        {
            self.norms.insert(var, (vector, ty.clone()));
        }
    }

    /// `inner(v, v)` in place of an operation that is the square of `norm(v)`.
    pub(super) fn square_of_norm(&mut self, op: &Op, span: Span) -> Option<Atom> {
        let Op::Scalar(primitive, operands) = op else { return None };
        let &[left, right] = &operands[..] else { return None };
        let (vector, ty) = self.norm_here(left)?;
        let is = |row: &'static Primitive| *primitive == row;
        let squared = match right {
            Atom::Real(exponent) => exponent == 2.0 && (is(&scalar::POW) || is(&scalar::POWER)),
            exponent if is(&scalar::POWI) => self.size_of(exponent) == Size::Constant(2),
            other => {
                let same = other == left || self.norm_here(other).is_some_and(|(other, _)| other == vector);
                same && is(&scalar::MUL)
            }
        };
        let space = self.resolve_deep(&ty);
        let open = |part: &Type| matches!(part, Type::Unknown(_) | Type::Variable(_) | Type::Error | Type::Int);
        if !squared || space.any(&mut |part| open(part)) {
            return None;
        }
        let vector: Typed = (vector, space);
        Some(self.inner(vector.clone(), vector, span).0)
    }

    /// The vector whose norm a variable of the present body is, and its type.
    fn norm_here(&self, atom: Atom) -> Option<(Atom, Type)> {
        let Atom::Var(var) = atom else { return None };
        let found = self.norms.get(&var)?;
        self.is_of_present_body(var).then(|| found.clone())
    }
}

/// The vectors of norms, by the variable that is the norm.
pub(super) type Norms = rustc_hash::FxHashMap<Var, (Atom, Type)>;
