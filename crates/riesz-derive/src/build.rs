//! From the linear program to symbolic linear maps: one equation for each binding.
//!
//! A linear operation on tangents is a linear map composed with the derivatives of its operands:
//!
//! ```text
//! dy = c · dx          D y = scale c ∘ D x
//! dy = da + db         D y = D a + D b
//! dy = dx[i]           D y = project i ∘ D x
//! dy = [dz | i < n]    D y = build i < n. D z
//! ```
//!
//! A linear variable that is used once, and is not the tangent of a variable of the program, is written inside the
//! equation that uses it.

use super::function::function;
use super::scope::{Scope, label_of};
use super::symbolic::rank;
use super::term::{Binder, Expr, Form, Item, Kind, Loop, Operation, Part, Term, after, bound, extra, sum, weight};
use riesz_calculus::linearise::Streams;
use riesz_core::Type;
use riesz_core::free::count_uses;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Recurrence, Reduction, Var, VarInfo};
use riesz_linear::{Family, RankOne};
use riesz_primitive::{array, scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The derivative of a function as equations, in the order of the program.
pub(crate) struct Derivative {
    /// `D x = m`, for the arguments, then for the bindings.
    pub items: Vec<Item>,
    /// The derivative of the result.
    pub result: Term,
}

/// Whether equations between linear maps can say what a linear program does: nothing is added to an accumulator, and no
/// tangent is a linear map itself.
pub(crate) fn is_pure(bindings: &[Binding], vars: &[VarInfo]) -> bool {
    bindings.iter().all(|binding| {
        let mut pure =
            !matches!(binding.op, Op::Accumulator | Op::AddTo(..) | Op::Read(_) | Op::For(_) | Op::Derive(..));
        pure &= !vars[binding.var.0 as usize].ty.holds_maps();
        binding.op.visit_atoms(&mut |atom| {
            if let Atom::Var(var) = atom {
                pure &= !matches!(vars[var.0 as usize].ty, Type::Accumulator(_) | Type::Linear(_));
            }
        });
        binding.op.visit_bodies(&mut |body| pure &= is_pure(&body.bindings, vars));
        pure
    })
}

/// Reads the equations off the linear program of a function.
pub(crate) fn build(scope: &Scope, function: &Function, streams: &Streams) -> Derivative {
    let spaces: Vec<Type> = streams.inputs.iter().map(|input| scope.ty(*input).clone()).collect();
    let from = Type::tuple(spaces.clone());
    let mut uses = FxHashMap::default();
    count_uses(&streams.linear, streams.output, &mut uses);
    let mut builder =
        Builder { scope, linear: &streams.linear_vars, from: from.clone(), uses, inside: FxHashMap::default() };
    let mut items = Vec::new();
    for (at, input) in streams.inputs.iter().enumerate() {
        let map = match spaces.len() {
            1 => Term::identity(from.clone()),
            _ => Term::new(from.clone(), spaces[at].clone(), Form::Project(Part::Component(at, scope.part(&from, at)))),
        };
        items.push(Item::Map(*input, map));
    }
    items.extend(builder.level(&streams.linear));
    let to = function.result.tangent();
    let result = match streams.output {
        Some(output) => builder.operand(output, &to),
        None => Term::zero(from, to),
    };
    Derivative { items, result }
}

struct Builder<'s, 'p> {
    scope: &'s Scope<'p>,
    linear: &'s FxHashSet<Var>,
    /// The tangents of the arguments.
    from: Type,
    uses: FxHashMap<Var, usize>,
    /// Linear variables that stand inside the equations that use them.
    inside: FxHashMap<Var, Term>,
}

impl Builder<'_, '_> {
    fn ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.scope.ty(var).clone(),
            _ => Type::Real,
        }
    }

    /// The derivative that a linear operand is.
    fn operand(&self, atom: Atom, ty: &Type) -> Term {
        match atom {
            Atom::Var(var) if self.linear.contains(&var) => match self.inside.get(&var) {
                Some(map) => map.clone(),
                None => extra(&self.from, self.scope.ty(var), Kind::Derivative(var), Vec::new()),
            },
            _ => Term::zero(self.from.clone(), ty.clone()),
        }
    }

    /// One equation for each binding of a level.
    fn level(&mut self, bindings: &[Binding]) -> Vec<Item> {
        let mut items = Vec::new();
        for Binding { var, op, .. } in bindings {
            if !self.linear.contains(var) {
                // An index that is chosen rather than run over; anything else is a value of the point.
                if let Op::Copy(at) = op
                    && self.scope.bound.contains(var)
                {
                    items.push(Item::Value(*var, self.scope.expr(*at)));
                }
                continue;
            }
            let map = self.op(*var, op);
            let shared = self.uses.get(var).is_some_and(|uses| *uses > 1) && weight(&map) > 2;
            if self.scope.primal_of.contains_key(var) || shared {
                items.push(Item::Map(*var, map));
            } else {
                self.inside.insert(*var, map);
            }
        }
        items
    }

    fn body(&mut self, body: &Body, ty: &Type) -> Term {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let items = self.level(&body.bindings);
            let result = self.operand(body.result, ty);
            bound(items, result)
        })
    }

    fn is_linear(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.linear.contains(&var))
    }

    /// A map after the derivative of an operand.
    fn after(&self, form: Form, operand: Atom, to: &Type) -> Term {
        let inner = self.operand(operand, &self.ty(operand));
        after(Term::new(inner.codomain().clone(), to.clone(), form), inner)
    }

    fn op(&mut self, var: Var, op: &Op) -> Term {
        let to = self.scope.ty(var).clone();
        let (from, scope) = (self.from.clone(), self.scope);
        match op {
            Op::Copy(a) => self.operand(*a, &to),
            Op::Plus(a, b) => sum(vec![self.operand(*a, &to), self.operand(*b, &to)], &from, &to),
            Op::Scalar(primitive, arguments) => match (&arguments[..], *primitive) {
                ([a, b], row) if *row == scalar::ADD => {
                    sum(vec![self.operand(*a, &to), self.operand(*b, &to)], &from, &to)
                }
                ([a, b], row) if *row == scalar::SUB => {
                    let minus = Term::scale(Expr::Atom(Atom::Real(-1.0)), to.clone());
                    sum(vec![self.operand(*a, &to), after(minus, self.operand(*b, &to))], &from, &to)
                }
                ([a], _) => self.after(Form::Scale(Expr::Atom(Atom::Real(-1.0))), *a, &to),
                ([a, b], _) => {
                    let (factor, tangent) = if self.is_linear(*a) { (*b, *a) } else { (*a, *b) };
                    self.after(Form::Scale(scope.expr(factor)), tangent, &to)
                }
                _ => Term::zero(from, to),
            },
            Op::Index(array, index) => self.after(Form::Project(Part::Element(scope.expr(*index))), *array, &to),
            Op::Project(tuple, at) => {
                let label = label_of(&self.ty(*tuple), *at);
                self.after(Form::Project(Part::Component(*at, label)), *tuple, &to)
            }
            Op::Tuple(parts) => {
                let types = to.components().unwrap_or_default();
                let maps = parts.iter().zip(&types).map(|(part, ty)| self.operand(*part, ty)).collect();
                Term::new(from, to, Form::Fork(maps))
            }
            Op::Array(elements) => {
                let element = match &to {
                    Type::Array(_, element) => (**element).clone(),
                    _ => Type::Real,
                };
                let maps = elements.iter().map(|part| self.operand(*part, &element)).collect();
                Term::new(from, to, Form::Fork(maps))
            }
            Op::ArrayFunction(primitive, arguments) => self.array_function(Operation::new(primitive), arguments, &to),
            Op::Build(iteration) | Op::Builds(iteration) => {
                let Iteration { count, index, body } = iteration;
                let element = self.ty(body.result);
                let body = self.body(body, &element);
                let binder = Binder { index: *index, count: scope.expr(*count) };
                match op {
                    Op::Builds(_) => extra(&from, &to, Kind::Builds(binder), vec![body]),
                    _ => Term::new(from, to, Form::Family(Family::Fork, binder, body)),
                }
            }
            Op::Reduce(Reduction::Sum, Iteration { count, index, body }) => {
                let body = self.body(body, &to);
                let binder = Binder { index: *index, count: scope.expr(*count) };
                Term::new(from, to, Form::Family(Family::Add, binder, body))
            }
            Op::If { condition, yes, no } => {
                let (yes, no) = (self.body(yes, &to), self.body(no, &to));
                let condition = scope.expr(*condition);
                extra(&from, &to, Kind::If(condition), vec![yes, no])
            }
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => {
                let kind = match op {
                    Op::Loop(_) => Loop::Last,
                    Op::Scan(_) => Loop::Scan,
                    _ => Loop::Trace,
                };
                let Recurrence { state, start, count, index, body } = recurrence;
                let state_type = scope.ty(*state).clone();
                let start = self.operand(*start, &state_type);
                let body = self.body(body, &self.ty(body.result));
                let binder = Binder { index: *index, count: scope.expr(*count) };
                extra(&from, &to, Kind::Loop { kind, state: *state, binder }, vec![start, body])
            }
            Op::Call(_, passed) => self.call(var, passed, to),
            _ => Term::zero(from, to),
        }
    }

    /// The derivative of a called function at the arguments of the call, after the derivatives of those that vary.
    fn call(&self, var: Var, passed: &[Atom], to: Type) -> Term {
        let scope = self.scope;
        let original = scope.origin.get(&var).and_then(|primal| Some((*primal, scope.calls.get(primal)?)));
        let Some((value, (called, arguments))) = original else { return Term::zero(self.from.clone(), to) };
        let varies = |atom: &Atom| matches!(atom, Atom::Var(var) if *var != value && scope.active.contains(var) && scope.ty(*var).varies());
        let mask: Vec<bool> = arguments.iter().map(varies).collect();
        let tangents = mask.iter().filter(|active| **active).count();
        // What is kept comes first.
        let passed = &passed[passed.len().saturating_sub(tangents)..];
        let inner = self.forked(passed.iter().map(|atom| self.operand(*atom, &self.ty(*atom))).collect());
        let arguments = arguments.iter().map(|argument| scope.expr(*argument)).collect();
        let call = extra(inner.codomain(), &to, Kind::Call { called: *called, mask, arguments }, Vec::new());
        after(call, inner)
    }

    /// Some derivatives side by side.
    fn forked(&self, mut maps: Vec<Term>) -> Term {
        match maps.len() {
            1 => maps.swap_remove(0),
            _ => {
                let to = Type::Tuple(maps.iter().map(|map| map.codomain().clone()).collect());
                Term::new(self.from.clone(), to, Form::Fork(maps))
            }
        }
    }

    fn array_function(&self, operation: Operation, arguments: &[Atom], to: &Type) -> Term {
        let scope = self.scope;
        let is_dot = *operation.primitive() == array::DOT;
        // Materialised zeros of an argument that does not vary are operands like the others.
        let varies = |atom: Atom| self.is_linear(atom) || matches!(atom, Atom::Real(_)) && !is_dot;
        if is_dot {
            let (a, b) = (arguments[0], arguments[1]);
            let left = self.is_linear(a);
            let (value, tangent) = if left { (scope.expr(b), a) } else { (scope.expr(a), b) };
            if (to, rank(&self.ty(a)), rank(&self.ty(b))) == (&Type::Real, 1, 1) {
                let row = RankOne { coefficient: Expr::one(), left: Expr::one(), right: value };
                return self.after(Form::RankOne(row), tangent, to);
            }
            let holes = if left { vec![None, Some(value)] } else { vec![Some(value), None] };
            let inner = self.operand(tangent, &self.ty(tangent));
            return after(function(operation, holes, inner.codomain(), to), inner);
        }
        let holes = arguments.iter().map(|atom| if varies(*atom) { None } else { Some(scope.expr(*atom)) }).collect();
        let inner = arguments.iter().filter(|atom| varies(**atom)).map(|atom| self.operand(*atom, &self.ty(*atom)));
        let inner = self.forked(inner.collect());
        after(function(operation, holes, inner.codomain(), to), inner)
    }
}
