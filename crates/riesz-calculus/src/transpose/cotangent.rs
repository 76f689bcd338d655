//! Cotangents: sums of the contributions of the uses of a variable.
//!
//! A sum starts with the first contribution, and is zero only if there is none: no zero is added to anything.

use super::{Contributions, Transposer};
use crate::compile::has_holes;
use riesz_core::Type;
use riesz_core::term::{Atom, Op, Place, Var};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl Transposer<'_> {
    /// Contributes to the part of a variable's cotangent that a path leads to.
    pub(crate) fn add(&mut self, to: Atom, path: &[Place], value: Atom, span: Span) {
        let Atom::Var(var) = to else { return };
        if !self.linear.contains(&var) {
            return;
        }
        if let Some((accumulator, mut place)) = self.place(var) {
            place.extend_from_slice(path);
            self.bind(Op::AddTo(accumulator, place, value), Type::unit(), span);
            return;
        }
        let mut contributions = self.contributed.entry(var).or_default();
        for place in path {
            let Place::Component(at) = place else { unreachable!("elements are contributed to accumulators") };
            contributions = contributions.parts.entry(*at).or_default();
        }
        contributions.whole.push(value);
    }

    /// The accumulator that what is contributed to a variable is added to, and where.
    pub(super) fn place(&self, mut var: Var) -> Option<(Atom, Vec<Place>)> {
        let mut path = Vec::new();
        while let Some((whole, place)) = self.parts.get(&var) {
            path.push(*place);
            var = *whole;
        }
        path.reverse();
        Some((*self.accumulators.get(&var)?, path))
    }

    /// The cotangent of a variable; none where nothing contributes to it.
    pub(super) fn cotangent(&mut self, var: Var, span: Span) -> Option<Atom> {
        let ty = self.ty(var);
        if let Some(&accumulator) = self.accumulators.get(&var) {
            return Some(self.bind(Op::Read(accumulator), ty, span));
        }
        let contributions = self.contributed.remove(&var)?;
        let shape = self.shapes.get(&var).map(|shape| Atom::Var(*shape));
        self.total(contributions, &ty, shape, span)
    }

    pub(super) fn total(
        &mut self,
        contributions: Contributions,
        ty: &Type,
        shape: Option<Atom>,
        span: Span,
    ) -> Option<Atom> {
        let mut terms = contributions.whole;
        if !contributions.parts.is_empty() {
            let mut parts = contributions.parts;
            let mut atoms = Vec::new();
            for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                let shape = shape.filter(|_| has_holes(part));
                let shape = shape.map(|shape| self.bind(Op::Project(shape, at), part.clone(), span));
                let total = parts.remove(&at).and_then(|part_of| self.total(part_of, part, shape, span));
                atoms.push(match total.or(shape) {
                    Some(total) => total,
                    None => self.zero(part, span),
                });
            }
            terms.push(self.bind(Op::Tuple(atoms), ty.clone(), span));
        }
        let mut terms = terms.into_iter();
        let mut total = terms.next()?;
        for term in terms {
            total = self.plus(total, term, ty, span);
        }
        Some(total)
    }

    pub(super) fn plus(&mut self, a: Atom, b: Atom, ty: &Type, span: Span) -> Atom {
        let op = match ty {
            Type::Real => Op::Scalar(&scalar::ADD, vec![a, b]),
            _ => Op::Plus(a, b),
        };
        self.bind(op, ty.clone(), span)
    }

    /// The zero of a tangent space.
    pub(super) fn zero(&mut self, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Real => Atom::Real(0.0),
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default().iter().map(|part| self.zero(part, span)).collect();
                self.bind(Op::Tuple(parts), ty.clone(), span)
            }
            _ => {
                let accumulator = self.bind(Op::Accumulator, Type::Accumulator(ty.clone().into()), span);
                self.bind(Op::Read(accumulator), ty.clone(), span)
            }
        }
    }

    /// The zero of a linear variable.
    pub(super) fn zero_of(&mut self, var: Var, span: Span) -> Atom {
        match self.shapes.get(&var) {
            Some(shape) => Atom::Var(*shape),
            None => self.zero(&self.ty(var), span),
        }
    }

    /// An accumulator of a type, of the shape of a zero where there is one.
    pub(crate) fn accumulator_of(&mut self, ty: Type, zero: Option<Atom>, span: Span) -> Atom {
        let accumulator = self.bind(Op::Accumulator, Type::Accumulator(ty.into()), span);
        if let Some(zero) = zero {
            self.bind(Op::AddTo(accumulator, Vec::new(), zero), Type::unit(), span);
        }
        accumulator
    }

    /// The target to which a function adds the cotangent of a tangent: an accumulator; for an accumulator, its
    /// cotangent.
    pub(crate) fn accumulator_for(&mut self, tangent: Atom, span: Span) -> Atom {
        let ty = self.atom_type(tangent);
        match (tangent, &ty) {
            (Atom::Var(var), Type::Accumulator(inner)) => match self.read.get(&var) {
                Some(cotangent) => *cotangent,
                None => self.zero(inner, span),
            },
            (Atom::Var(var), _) if self.accumulators.contains_key(&var) => self.accumulators[&var],
            _ => {
                // What does not vary has a cotangent that is not read.
                let zero = has_holes(&ty).then(|| self.bind(Op::Zero(tangent), ty.clone(), span));
                self.accumulator_of(ty, zero, span)
            }
        }
    }
}
