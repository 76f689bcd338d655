//! Linear maps that are known where they are used are compiled away: applying `D f x` is forward mode, applying its
//! adjoint is reverse mode, and a combination of maps is applied by applying its parts.
//!
//! ```text
//! (g ∘ f) v = g (f v)      (f + g) v = f v + g v      (k · f) v = k · f v      (g ∘ f)ᵀ = fᵀ ∘ gᵀ
//! ```

mod matrix;

use crate::compile::{Compiler, Problem};
use riesz_core::build::{bind, size_of, write_size};
use riesz_core::term::{Atom, Binding, Body, Derive, Iteration, OnMaps, Op, Place, Step, Var};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;

/// A map that is known, with its spaces.
#[derive(Clone)]
pub(crate) struct KnownMap {
    pub(crate) from: Type,
    pub(crate) to: Type,
    pub(crate) form: Form,
}

#[derive(Clone)]
pub(crate) enum Form {
    /// The derivative of a function at a point, or its adjoint.
    Derivative {
        function: Atom,
        point: Atom,
        adjoint: bool,
    },
    /// The second map, then the first.
    Compose(Box<KnownMap>, Box<KnownMap>),
    Sum(Box<KnownMap>, Box<KnownMap>),
    Multiple(Atom, Box<KnownMap>),
}

impl KnownMap {
    /// The derivative of a function at a point, where that is a map of a type.
    pub fn derivative(function: Atom, point: Atom, ty: &Type) -> Option<KnownMap> {
        let Type::Linear(arrow) = ty else { return None };
        let (from, to) = (**arrow).clone();
        Some(KnownMap { from, to, form: Form::Derivative { function, point, adjoint: false } })
    }

    /// Whether no space of maps is among its spaces: the numbers of a vector are then at places in it.
    pub fn is_plain(&self) -> bool {
        !self.from.holds_maps() && !self.to.holds_maps()
    }

    pub(crate) fn adjoint(&self) -> KnownMap {
        let adjoint = |map: &KnownMap| Box::new(map.adjoint());
        let form = match &self.form {
            Form::Derivative { function, point, adjoint } => {
                Form::Derivative { function: *function, point: *point, adjoint: !adjoint }
            }
            Form::Compose(after, before) => Form::Compose(adjoint(before), adjoint(after)),
            Form::Sum(left, right) => Form::Sum(adjoint(left), adjoint(right)),
            Form::Multiple(factor, map) => Form::Multiple(*factor, adjoint(map)),
        };
        KnownMap { from: self.to.clone(), to: self.from.clone(), form }
    }

    fn multiple(self, factor: Atom) -> KnownMap {
        let (from, to) = (self.from.clone(), self.to.clone());
        KnownMap { from, to, form: Form::Multiple(factor, Box::new(self)) }
    }

    fn plus(self, other: KnownMap) -> KnownMap {
        let (from, to) = (self.from.clone(), self.to.clone());
        KnownMap { from, to, form: Form::Sum(Box::new(self), Box::new(other)) }
    }
}

impl Compiler<'_> {
    pub(crate) fn known_map(&self, atom: Atom) -> Option<KnownMap> {
        match atom {
            Atom::Var(var) => self.maps.get(&var).cloned(),
            _ => None,
        }
    }

    /// The result of an operation on maps, if it is a map and the operands are known.
    pub(crate) fn known_result(&self, operation: OnMaps, operands: &[Atom]) -> Option<KnownMap> {
        let map = |at: usize| self.known_map(operands[at]);
        Some(match operation {
            OnMaps::Adjoint => map(0)?.adjoint(),
            OnMaps::Compose => {
                let (after, before) = (map(0)?, map(1)?);
                let (from, to) = (before.from.clone(), after.to.clone());
                KnownMap { from, to, form: Form::Compose(Box::new(after), Box::new(before)) }
            }
            OnMaps::Add => map(0)?.plus(map(1)?),
            OnMaps::Subtract => map(0)?.plus(map(1)?.multiple(Atom::Real(-1.0))),
            OnMaps::Scale => map(1)?.multiple(operands[0]),
            OnMaps::Matrix
            | OnMaps::Coo
            | OnMaps::System
            | OnMaps::Factors
            | OnMaps::Entries
            | OnMaps::OfEntries
            | OnMaps::OfMatrix => return None,
        })
    }

    pub(crate) fn bind(&mut self, op: Op, ty: Type, out: &mut Vec<Binding>, span: Span) -> Atom {
        bind(&mut self.vars, out, op, ty, span)
    }

    /// Binds a variable to what a known map makes of a vector.
    pub(crate) fn apply(
        &mut self,
        var: Var,
        map: &KnownMap,
        argument: Atom,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        let ty = self.vars[var.0 as usize].ty.clone();
        let op = match &map.form {
            Form::Derivative { function, point, adjoint } => {
                let value = match self.atom_type(*function) {
                    Type::Function(arrow) | Type::Linear(arrow) => arrow.1.clone(),
                    _ => Type::unit(),
                };
                let both = self.var(Type::Tuple([value, ty].into()));
                let derive = if *adjoint { Derive::Reverse } else { Derive::Forward };
                self.derive(both, derive, &[*function, *point, argument], span, out)?;
                Op::Project(Atom::Var(both), 1)
            }
            Form::Compose(after, before) => {
                let between = self.var(before.to.clone());
                self.apply(between, before, argument, span, out)?;
                return self.apply(var, after, Atom::Var(between), span, out);
            }
            Form::Sum(left, right) => {
                let (a, b) = (self.var(ty.clone()), self.var(ty.clone()));
                self.apply(a, left, argument, span, out)?;
                self.apply(b, right, argument, span, out)?;
                match ty {
                    Type::Real => Op::Scalar(&scalar::ADD, vec![Atom::Var(a), Atom::Var(b)]),
                    _ => Op::Plus(Atom::Var(a), Atom::Var(b)),
                }
            }
            Form::Multiple(factor, map) => {
                let vector = self.var(ty.clone());
                self.apply(vector, map, argument, span, out)?;
                Op::Copy(self.multiple(*factor, Atom::Var(vector), &ty, span, out))
            }
        };
        out.push(Binding { var, op, span });
        Ok(())
    }

    /// `factor · vector`, with exact zeros.
    pub(crate) fn multiple(
        &mut self,
        factor: Atom,
        vector: Atom,
        ty: &Type,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Atom {
        match ty {
            Type::Real => self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![factor, vector]), Type::Real, out, span),
            Type::Linear(_) => self.bind(Op::OnMaps(OnMaps::Scale, vec![factor, vector]), ty.clone(), out, span),
            Type::Array(size, element) => {
                let count = self.count(size, vector, &[], out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                let part = self.bind(Op::Index(vector, Atom::Var(index)), (**element).clone(), &mut bindings, span);
                let result = self.multiple(factor, part, element, span, &mut bindings);
                let body = Body { bindings, result };
                self.bind(Op::Build(Iteration { count, index, body }), ty.clone(), out, span)
            }
            _ => {
                let mut parts = Vec::new();
                for (at, part_type) in ty.components().unwrap_or_default().iter().enumerate() {
                    let part = self.bind(Op::Project(vector, at), part_type.clone(), out, span);
                    parts.push(self.multiple(factor, part, part_type, span, out));
                }
                self.bind(Op::Tuple(parts), ty.clone(), out, span)
            }
        }
    }

    /// The size of the array that a path into a value leads to.
    fn count(&mut self, size: &Size, value: Atom, path: &[Place], out: &mut Vec<Binding>, span: Span) -> Atom {
        match size {
            Size::Hole => {
                let step = |place: &Place| match place {
                    Place::Element(_) => Step::Elements,
                    Place::Component(at) => Step::Component(*at),
                };
                self.bind(Op::SizeOf(value, path.iter().map(step).collect()), Type::Int, out, span)
            }
            size => write_size(size, &mut self.vars, out, span),
        }
    }

    /// The type of an array with the length of a value, where the type leaves that open.
    fn sized(&mut self, ty: &Type, value: Atom, out: &mut Vec<Binding>, span: Span) -> Type {
        match ty {
            Type::Array(Size::Hole, element) => {
                let count = self.count(&Size::Hole, value, &[], out, span);
                Type::Array(size_of(count), element.clone())
            }
            ty => ty.clone(),
        }
    }
}
