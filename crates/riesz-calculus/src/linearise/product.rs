//! Products: `Π f` is a loop that starts with 1 and multiplies.

use super::Lineariser;
use crate::compile::Problem;
use riesz_core::build::size_of;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Recurrence, Step, Var};
use riesz_core::{Size, Type};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl Lineariser<'_> {
    /// A product is a loop.
    pub(super) fn product(&mut self, var: Var, iteration: &Iteration, span: Span) -> Result<(), Problem> {
        let count = &iteration.count;
        // Elements are of the type of their product: that names no size bound where they are made.
        let ty = self.ty(var).clone();
        let results = self.var(Type::array(size_of(*count), ty.clone()));
        let build = Binding { var: results, op: Op::Build(iteration.clone()), span };
        self.active.insert(results);
        self.binding(&build)?;
        let start = self.ones(&ty, Atom::Var(results), &mut vec![Step::Elements], span);
        let (state, value) = (self.var(ty.clone()), self.var(ty.clone()));
        let iteration_index = self.var(Type::Int);
        let mut bindings =
            vec![Binding { var: value, op: Op::Index(Atom::Var(results), Atom::Var(iteration_index)), span }];
        let result = self.times(Atom::Var(state), Atom::Var(value), &ty, &mut bindings, span);
        self.active.extend([state, value]);
        let body = Body { bindings, result };
        let recurrence = Recurrence { state, start, count: *count, index: iteration_index, body };
        self.binding(&Binding { var, op: Op::Loop(recurrence), span })
    }

    /// The value of a type whose numbers are all 1, as large as what a path leads to.
    pub(super) fn ones(&mut self, ty: &Type, like: Atom, path: &mut Vec<Step>, span: Span) -> Atom {
        match ty {
            Type::Array(size, element) => {
                let count = match size {
                    Size::Hole => self.primal(Op::SizeOf(like, path.clone()), Type::Int, span),
                    size => self.size_atom(size, span),
                };
                self.open();
                let index = self.var(Type::Int);
                path.push(Step::Elements);
                let one = self.ones(element, like, path, span);
                path.pop();
                let body = Body { bindings: self.close().primal, result: one };
                self.primal(Op::Build(Iteration { count, index, body }), ty.clone(), span)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut ones = Vec::new();
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    path.push(Step::Component(at));
                    ones.push(self.ones(part, like, path, span));
                    path.pop();
                }
                self.primal(Op::Tuple(ones), ty.clone(), span)
            }
            Type::Int => Atom::Int(1),
            _ => Atom::Real(1.0),
        }
    }

    /// `a * b` component by component, as plain bindings; every variable of it is active.
    pub(super) fn times(&mut self, a: Atom, b: Atom, ty: &Type, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let bind = |lineariser: &mut Self, bindings: &mut Vec<Binding>, op: Op, ty: Type| {
            let var = lineariser.var(ty);
            lineariser.active.insert(var);
            bindings.push(Binding { var, op, span });
            Atom::Var(var)
        };
        match ty {
            Type::Array(size, element) => {
                let count = match size {
                    Size::Hole => {
                        let count = self.var(Type::Int);
                        bindings.push(Binding { var: count, op: Op::SizeOf(b, Vec::new()), span });
                        Atom::Var(count)
                    }
                    size => self.size_atom(size, span),
                };
                let index = self.var(Type::Int);
                let mut inner = Vec::new();
                let mut at = |lineariser: &mut Self, array: Atom| {
                    let var = lineariser.var((**element).clone());
                    lineariser.active.insert(var);
                    inner.push(Binding { var, op: Op::Index(array, Atom::Var(index)), span });
                    Atom::Var(var)
                };
                let (a, b) = (at(self, a), at(self, b));
                let result = self.times(a, b, element, &mut inner, span);
                let body = Body { bindings: inner, result };
                bind(self, bindings, Op::Build(Iteration { count, index, body }), ty.clone())
            }
            Type::Tuple(_) | Type::Record(_) => {
                let types = ty.components().unwrap_or_default();
                let mut parts = Vec::new();
                for (at, part) in types.iter().enumerate() {
                    let mut component = |lineariser: &mut Self, of: Atom| {
                        let var = lineariser.var(part.clone());
                        lineariser.active.insert(var);
                        bindings.push(Binding { var, op: Op::Project(of, at), span });
                        Atom::Var(var)
                    };
                    let (a, b) = (component(self, a), component(self, b));
                    parts.push(self.times(a, b, part, bindings, span));
                }
                let var = self.var(ty.clone());
                self.active.insert(var);
                bindings.push(Binding { var, op: Op::Tuple(parts), span });
                Atom::Var(var)
            }
            _ => bind(self, bindings, Op::Scalar(&scalar::MUL, vec![a, b]), ty.clone()),
        }
    }
}
