//! Coordinates in the order of declaration.
//!
//! The components of a record's value are sorted by name, so that `{x = 1, y = 2}` and `{y = 2, x = 1}` are the same value.
//! Where coordinates are counted, a user counts the fields as they are declared. So the map whose entries are counted is
//! taken between the tuples of these fields:
//!
//! ```text
//! coo m  =  coo (D (declare ∘ m ∘ declare⁻¹) (declare 0))
//! ```

use super::arithmetic::Typed;
use super::draft::Draft;
use crate::term::{Atom, Derive, OnMaps, Op};
use crate::types::Type;
use riesz_syntax::Span;

impl Type {
    /// Whether values have their coordinates in the order of declaration.
    pub fn is_declared(&self) -> bool {
        match self {
            Type::Array(_, element) => element.is_declared(),
            Type::Record(record) if !record.shown.is_sorted() => false,
            ty => ty.components().unwrap_or_default().iter().all(Type::is_declared),
        }
    }
}

impl Draft<'_> {
    /// What made a value in the present body.
    fn made_by(&self, value: Atom) -> Option<Op> {
        let bindings = self.present();
        bindings.iter().rev().find(|binding| Atom::Var(binding.var) == value).map(|binding| binding.op.clone())
    }

    fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.resolve_deep(&self.vars[var.0 as usize].ty),
            Atom::Real(_) => Type::Real,
            Atom::Int(_) => Type::Int,
            Atom::Bool(_) => Type::Bool,
        }
    }

    /// The map between the spaces in which the fields of records are in the order of declaration.
    pub(super) fn declared_map(&mut self, (map, ty): Typed, span: Span) -> Typed {
        let Type::Linear(arrow) = self.resolve_deep(&ty) else { return (map, ty) };
        if arrow.0.is_declared() && arrow.1.is_declared() {
            return (map, ty);
        }
        // The structure of a derivative shows in its function.
        let (function, point, result) = match self.made_by(map) {
            Some(Op::Derive(Derive::Derivative, operands)) => {
                let [function, point] = [0, 1].map(|at| (operands[at], self.type_of(operands[at])));
                (function.0, point, self.result_of(&function))
            }
            _ => {
                let origin = self.bind(Op::OnMaps(OnMaps::Origin, vec![map]), arrow.0.clone(), span);
                (map, self.read_sizes(origin, arrow.0.clone(), span), arrow.1.clone())
            }
        };
        let space = self.resolve_deep(&point.1);
        let (origin, declared) = self.declare(point, span);
        let lambda = self.lambda(declared.clone(), Type::Error, span);
        self.open();
        let parameter = self.lambdas[lambda].parameter;
        self.adopt(parameter);
        let argument = self.undeclare((Atom::Var(parameter), declared.clone()), &space, span);
        let image = self.bind(Op::Apply(function, argument.0), result.clone(), span);
        let image = self.read_sizes(image, result, span);
        let (image, result) = self.declare(image, span);
        let body = self.close(image);
        let result = self.leave(&result);
        self.lambdas[lambda].body = Some(body);
        self.lambdas[lambda].result = result.clone();
        let ty = Type::function(declared.clone(), result);
        let function = (self.closure(lambda, ty.clone(), span), ty);
        self.derive(Derive::Derivative, function, (origin, declared), None, span)
    }

    /// The value with the tuple of its fields, as they are declared, in the place of every record.
    fn declare(&mut self, value: Typed, span: Span) -> Typed {
        match self.resolve_deep(&value.1) {
            ty if ty.is_declared() => (value.0, ty),
            Type::Array(..) => self.each(&[value], span, |draft, mut parts| draft.declare(parts.remove(0), span)),
            Type::Record(record) => {
                let parts = self.parts(value, span);
                let parts = record.shown.iter().map(|&at| self.declare(parts[at as usize].clone(), span));
                let (atoms, types): (Vec<_>, Vec<_>) = parts.collect();
                let ty = Type::Tuple(types.into());
                (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
            }
            _ => self.each_part(value, span, |draft, part, _| draft.declare(part, span)),
        }
    }

    /// The value of a type of which this is the declared form.
    fn undeclare(&mut self, value: Typed, ty: &Type, span: Span) -> Typed {
        match ty {
            ty if ty.is_declared() => (value.0, ty.clone()),
            Type::Array(_, element) => {
                self.each(&[value], span, |draft, mut parts| draft.undeclare(parts.remove(0), element, span))
            }
            ty => {
                let parts = self.parts(value, span);
                let fields = ty.components().unwrap_or_default();
                let mut order: Vec<usize> = (0..fields.len()).collect();
                if let Type::Record(record) = ty
                    && !record.shown.is_sorted()
                {
                    record.shown.iter().enumerate().for_each(|(at, &field)| order[field as usize] = at);
                }
                let fields = fields.iter().zip(order).map(|(ty, at)| self.undeclare(parts[at].clone(), ty, span));
                let atoms = fields.map(|(atom, _)| atom).collect();
                (self.bind(Op::Tuple(atoms), ty.clone(), span), ty.clone())
            }
        }
    }
}
