//! Functions as values on their way to the core: their captured values, and the sizes that they read from their
//! parameters.

use super::{Finisher, number};
use crate::size::{self, Size};
use crate::term::{Atom, Body, FunctionId, Op, Step, Var};
use crate::types::Type;
use riesz_syntax::Span;
use rustc_hash::FxHashSet;

impl Finisher<'_, '_> {
    /// A closure: its body becomes a function whose first parameters are what it captures.
    pub(super) fn closure(&mut self, lambda: FunctionId) -> Op {
        let draft = &mut self.draft.lambdas[lambda.0 as usize];
        let (parameter, result, span) = (draft.parameter, draft.result.clone(), draft.span);
        let body = draft.body.take().unwrap_or(Body { bindings: Vec::new(), result: Atom::Int(0) });
        let body = self.lambda_body(parameter, body, span);
        let result = self.rename(&self.draft.final_type(&result));
        let mut free = Free { bound: FxHashSet::from_iter([parameter]), found: Vec::new(), seen: FxHashSet::default() };
        free.type_of(self, Atom::Var(parameter));
        free.body(self, &body);
        let captured: Vec<Var> = free.found.into_iter().filter(|var| self.defined.contains(var)).collect();
        let parameters: Vec<Var> = captured.iter().copied().chain([parameter]).collect();
        let function = number(self.draft, "lambda".into(), &parameters, body, result, span);
        self.draft.checker.program.functions.push(function);
        let id = FunctionId(self.draft.checker.program.functions.len() as u32 - 1);
        Op::Closure(id, captured.into_iter().map(Atom::Var).collect())
    }

    /// The body of a function of one parameter. Sizes in the parameter's type that only a later use of the function told are
    /// read off the parameter.
    fn lambda_body(&mut self, parameter: Var, body: Body, span: Span) -> Body {
        let mut later = Vec::new();
        self.sizes_told_later(&self.type_of(Atom::Var(parameter)), &mut Vec::new(), &mut later);
        self.defined.insert(parameter);
        self.bodies.push(Vec::with_capacity(body.bindings.len() + later.len()));
        for (size, path) in &later {
            let read = self.bind(Op::SizeOf(Atom::Var(parameter), path.clone()), Type::Int, span);
            self.same.insert(*size, read);
        }
        for binding in body.bindings {
            self.binding(binding);
        }
        let result = self.atom(body.result);
        let body = self.end_body(result);
        self.defined.remove(&parameter);
        for (size, _) in &later {
            self.same.remove(size);
        }
        body
    }

    /// The sizes in a type that cannot be used here, and where they stand.
    fn sizes_told_later(&self, ty: &Type, path: &mut Vec<Step>, found: &mut Vec<(Var, Vec<Step>)>) {
        match ty {
            Type::Array(size, element) => {
                if let Size::Atom(size::Atom::Var(var)) = size
                    && !self.defined.contains(var)
                    && found.iter().all(|(other, _)| other != var)
                {
                    found.push((*var, path.clone()));
                }
                path.push(Step::Elements);
                self.sizes_told_later(element, path, found);
                path.pop();
            }
            Type::Tuple(_) | Type::Record(_) => {
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    path.push(Step::Component(at));
                    self.sizes_told_later(part, path, found);
                    path.pop();
                }
            }
            _ => {}
        }
    }
}

/// The variables that a body uses and does not bind; sizes that types name before the values of those types.
struct Free {
    bound: FxHashSet<Var>,
    found: Vec<Var>,
    seen: FxHashSet<Var>,
}

impl Free {
    fn var(&mut self, finisher: &Finisher, var: Var) {
        if self.bound.contains(&var) || !self.seen.insert(var) {
            return;
        }
        self.type_of(finisher, Atom::Var(var));
        self.found.push(var);
    }

    fn type_of(&mut self, finisher: &Finisher, atom: Atom) {
        for atom in finisher.type_of(atom).sizes().iter().flat_map(Size::atoms) {
            if let size::Atom::Var(var) = atom {
                self.var(finisher, var);
            }
        }
    }

    fn body(&mut self, finisher: &Finisher, body: &Body) {
        for binding in &body.bindings {
            binding.op.visit_bound(&mut |var| {
                self.bound.insert(*var);
            });
            self.bound.insert(binding.var);
        }
        for binding in &body.bindings {
            self.type_of(finisher, Atom::Var(binding.var));
            binding.op.visit_bound(&mut |var| self.type_of(finisher, Atom::Var(*var)));
            binding.op.visit_atoms(&mut |atom| {
                if let Atom::Var(var) = atom {
                    self.var(finisher, *var);
                }
            });
            binding.op.visit_bodies(&mut |body| self.body(finisher, body));
        }
        if let Atom::Var(var) = body.result {
            self.var(finisher, var);
        }
    }
}
