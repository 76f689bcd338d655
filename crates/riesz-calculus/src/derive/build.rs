//! From the linear program to symbolic linear maps: one equation for each binding.
//!
//! A linear operation on tangents is a linear map after the derivatives of its operands:
//!
//! ```text
//! dy = c · dx          D y = scale c ∘ D x
//! dy = da + db         D y = D a + D b
//! dy = dx[i]           D y = project i ∘ D x
//! dy = [dz | i < n]    D y = build i < n. D z
//! ```
//!
//! A linear variable that is not the tangent of a variable of the program, and is used once, stands inside the equation that
//! uses it.

use super::term::{Expr, Form, Head, Item, Label, Loop, Operation, Term};
use crate::linearise::{Streams, Tangent};
use riesz_core::Type;
use riesz_core::print::names;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Program, Reduction, Turn, Var, VarInfo};
use riesz_primitive::array;
use riesz_syntax::tree::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the variables of a function and of its two streams.
pub(crate) struct Scope<'p> {
    pub program: &'p Program,
    pub vars: Vec<VarInfo>,
    /// How many of the variables are those of the function itself.
    pub own: usize,
    /// What variables of the primal stream are bound to.
    pub definitions: FxHashMap<Var, Op>,
    /// The indices and states of the bodies around a variable.
    pub within: FxHashMap<Var, Vec<Var>>,
    /// What each variable is called.
    pub names: Vec<String>,
    /// The variables whose tangents linear variables are.
    pub primal_of: FxHashMap<Var, Var>,
    /// The same for linear variables of which tangents are copies.
    origin: FxHashMap<Var, Var>,
}

impl<'p> Scope<'p> {
    pub fn new(program: &'p Program, function: &Function, streams: &Streams) -> Scope<'p> {
        let mut scope = Scope {
            program,
            vars: streams.vars.clone(),
            own: function.vars.len(),
            definitions: FxHashMap::default(),
            within: FxHashMap::default(),
            names: names(&Function { vars: streams.vars.clone(), ..function.clone() }),
            primal_of: FxHashMap::default(),
            origin: FxHashMap::default(),
        };
        scope.learn(&function.body.bindings, &mut Vec::new());
        scope.learn(&streams.primal, &mut Vec::new());
        scope.learn(&streams.linear, &mut Vec::new());
        let mut tangents: Vec<(&Var, &Tangent)> = streams.tangents.iter().collect();
        tangents.sort_by_key(|(var, _)| **var);
        for (var, tangent) in tangents {
            if let Tangent::Value(Atom::Var(linear)) = tangent {
                scope.primal_of.entry(*linear).or_insert(*var);
                let mut linear = *linear;
                scope.origin.entry(linear).or_insert(*var);
                while let Some(Op::Copy(Atom::Var(source))) = scope.definitions.get(&linear) {
                    linear = *source;
                    scope.origin.entry(linear).or_insert(*var);
                }
            }
        }
        scope
    }

    /// Learns definitions, the innermost of a variable first: what a body keeps is bound again around it.
    fn learn(&mut self, bindings: &[Binding], around: &mut Vec<Var>) {
        for binding in bindings {
            let mut bound = Vec::new();
            binding.op.visit_bound(&mut |var| bound.push(*var));
            let depth = around.len();
            around.extend(bound);
            for var in &around[depth..] {
                self.within.entry(*var).or_insert_with(|| around.clone());
            }
            let mut bodies = Vec::new();
            binding.op.visit_bodies(&mut |body| bodies.push(body));
            for body in bodies {
                stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.learn(&body.bindings, around));
            }
            around.truncate(depth);
            self.definitions.entry(binding.var).or_insert_with(|| binding.op.clone());
            self.within.entry(binding.var).or_insert_with(|| around.clone());
        }
    }

    pub fn name(&self, var: Var) -> &str {
        &self.names[var.0 as usize]
    }

    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var.0 as usize].ty
    }

    /// Whether a variable changes from one turn of a body to the next.
    pub fn changes_with(&self, var: Var, index: Var) -> bool {
        var == index || self.within.get(&var).is_some_and(|around| around.contains(&index))
    }

    /// Whether the program's author has named a variable.
    fn is_named(&self, var: Var) -> bool {
        (var.0 as usize) < self.own && self.vars[var.0 as usize].name.is_some()
    }

    /// An operand as an expression: variables of the function stay, what linearisation computed is written out.
    pub fn expr(&self, atom: Atom) -> Expr {
        self.unfold(atom, &|var| (var.0 as usize) >= self.own)
    }

    /// The expression with the values that have no name written out, as far as that is short.
    pub fn tidy(&self, expr: &Expr) -> Expr {
        const LONG: usize = 24;
        expr.replace(&|var| {
            if self.is_named(var) {
                return None;
            }
            let written = self.unfold(Atom::Var(var), &|var| !self.is_named(var));
            (written.weight() <= LONG).then_some(written)
        })
    }

    /// The expression as seen outside the body of an index, on which it may depend; none where it needs a value of that body
    /// that cannot be written out.
    pub fn outside(&self, expr: &Expr, index: Var) -> Option<Expr> {
        let inside = |var: Var| var != index && self.changes_with(var, index);
        let written = expr.replace(&|var| inside(var).then(|| self.unfold(Atom::Var(var), &inside)));
        let mut free = true;
        written.visit(&mut |var| free &= !inside(var) || self.binds(&written, var));
        free.then_some(written)
    }

    /// Whether an expression binds an index itself.
    fn binds(&self, expr: &Expr, var: Var) -> bool {
        match expr {
            Expr::Atom(_) => false,
            Expr::Apply(_, arguments) => arguments.iter().any(|argument| self.binds(argument, var)),
            Expr::Each { index, element, .. } => *index == var || self.binds(element, var),
        }
    }

    /// Writes out the variables that `open` says, as far as they have expressions.
    fn unfold(&self, atom: Atom, open: &dyn Fn(Var) -> bool) -> Expr {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let Atom::Var(var) = atom else { return Expr::Atom(atom) };
            if !open(var) {
                return Expr::Atom(atom);
            }
            let written = self.definitions.get(&var).and_then(|op| self.written(op, open));
            written.unwrap_or(Expr::Atom(atom))
        })
    }

    fn written(&self, op: &Op, open: &dyn Fn(Var) -> bool) -> Option<Expr> {
        let go = |atom: &Atom| self.unfold(*atom, open);
        let apply = |head: Head, atoms: &[Atom]| Some(Expr::Apply(head, atoms.iter().map(go).collect()));
        match op {
            Op::Copy(atom) => Some(go(atom)),
            Op::Scalar(primitive, arguments) | Op::ArrayFunction(primitive, arguments) => {
                apply(Head::Function(Operation(primitive)), arguments)
            }
            Op::Compare(comparison, a, b) => apply(Head::Compare(*comparison), &[*a, *b]),
            Op::Same(a, b) => apply(Head::Same, &[*a, *b]),
            Op::Not(a) => apply(Head::Not, &[*a]),
            Op::ToReal(a) => apply(Head::ToReal, &[*a]),
            Op::Truncate(a) => apply(Head::Truncate, &[*a]),
            Op::IsNan(a) => apply(Head::IsNan, &[*a]),
            Op::Tuple(parts) => apply(Head::Tuple, parts),
            Op::Array(elements) => apply(Head::Array, elements),
            Op::Global(global) => Some(Expr::Apply(Head::Global(*global), Vec::new())),
            Op::Index(array, index) => Some(self.element(go(array), go(index))),
            Op::Project(tuple, at) => self.component(*tuple, *at, open),
            Op::Build(iteration) => self.each(iteration, iteration.body.result, open),
            Op::Reduce(reduction, iteration) => {
                Some(Expr::Apply(Head::Reduce(*reduction), vec![self.each(iteration, iteration.body.result, open)?]))
            }
            Op::If { condition, yes, no } => {
                let branch = |body: &Body| self.within_body(body, body.result, open);
                Some(Expr::Apply(Head::If, vec![go(condition), branch(yes)?, branch(no)?]))
            }
            _ => None,
        }
    }

    /// `array[index]`, where an array that is written out element by element gives its element.
    pub fn element(&self, array: Expr, at: Expr) -> Expr {
        match array {
            Expr::Each { index, element, .. } if at.weight() <= 2 => {
                element.replace(&|var| (var == index).then(|| at.clone()))
            }
            array => Expr::Apply(Head::Index, vec![array, at]),
        }
    }

    fn component(&self, tuple: Atom, at: usize, open: &dyn Fn(Var) -> bool) -> Option<Expr> {
        let label = self.label(tuple, at);
        let Atom::Var(var) = tuple else { return None };
        match self.definitions.get(&var) {
            Some(Op::Tuple(parts)) if open(var) => Some(self.unfold(*parts.get(at)?, open)),
            // Arrays built together, one of which is the array that the program builds.
            Some(Op::Builds(iteration)) if open(var) => {
                let Atom::Var(result) = iteration.body.result else { return None };
                let Some(Op::Tuple(parts)) = self.definitions.get(&result) else { return None };
                self.each(iteration, *parts.get(at)?, open)
            }
            Some(Op::Call(..) | Op::Trace(_) | Op::TraceWhile { .. } | Op::Loop(_) | Op::If { .. }) if open(var) => {
                None
            }
            _ => Some(Expr::Apply(Head::Component(at, label), vec![self.unfold(tuple, open)])),
        }
    }

    /// The array of what a variable of a body is in each turn.
    fn each(&self, iteration: &Iteration, element: Atom, open: &dyn Fn(Var) -> bool) -> Option<Expr> {
        let element = self.within_body(&iteration.body, element, open)?;
        Some(self.array(iteration.index, self.unfold(iteration.count, open), element))
    }

    fn within_body(&self, body: &Body, result: Atom, open: &dyn Fn(Var) -> bool) -> Option<Expr> {
        let bound: FxHashSet<Var> = body.bindings.iter().map(|binding| binding.var).collect();
        let written = self.unfold(result, &|var| open(var) || bound.contains(&var));
        let mut closed = true;
        written.visit(&mut |var| closed &= !bound.contains(&var));
        closed.then_some(written)
    }

    /// `[element | index < count]`, and `a` for `[a[i] | i < n]`.
    pub fn array(&self, index: Var, count: Expr, element: Expr) -> Expr {
        if let Expr::Apply(Head::Index, arguments) = &element
            && arguments[1] == Expr::var(index)
            && !self.depends(&arguments[0], index)
            && let Some(Type::Array(size, _)) = self.type_of(&arguments[0])
            && size == super::term::size_of(&count)
        {
            return arguments[0].clone();
        }
        Expr::Each { index, count: Box::new(count), element: Box::new(element) }
    }

    /// The type of an expression, where it is easily known.
    pub fn type_of(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Atom(Atom::Var(var)) => Some(self.ty(*var).clone()),
            Expr::Apply(Head::Global(global), _) => Some(self.program.global(*global).ty.clone()),
            Expr::Apply(Head::Index, arguments) => match self.type_of(&arguments[0])? {
                Type::Array(_, element) => Some((*element).clone()),
                _ => None,
            },
            Expr::Apply(Head::Component(at, _), arguments) => {
                self.type_of(&arguments[0])?.components()?.get(*at).cloned()
            }
            Expr::Each { count, element, .. } => {
                let element = self.type_of(element).unwrap_or(Type::Real);
                Some(Type::array(super::term::size_of(count), element))
            }
            _ => None,
        }
    }

    /// Whether an expression changes from one turn of a body to the next.
    pub fn depends(&self, expr: &Expr, index: Var) -> bool {
        let mut found = false;
        expr.visit(&mut |var| found |= self.changes_with(var, index));
        found
    }

    fn label(&self, tuple: Atom, at: usize) -> Label {
        match tuple {
            Atom::Var(var) => label_of(self.ty(var), at),
            _ => None,
        }
    }
}

/// The name of a field.
pub(crate) fn label_of(ty: &Type, at: usize) -> Label {
    match ty {
        Type::Record(record) => record.fields.get(at).map(|(name, _)| name.clone()),
        _ => None,
    }
}

/// The derivative of a function as equations, in the order of the program.
pub(crate) struct Derivative {
    /// `D x = m`, for the arguments, then for the bindings.
    pub items: Vec<Item>,
    /// The derivative of the result.
    pub result: Term,
}

/// Whether linear maps alone can say what a linear program does: nothing is added to an accumulator.
pub(crate) fn is_pure(bindings: &[Binding], vars: &[VarInfo]) -> bool {
    bindings.iter().all(|binding| {
        let mut pure =
            !matches!(binding.op, Op::Accumulator | Op::AddTo(..) | Op::Read(_) | Op::For(_) | Op::Derive(..));
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
pub(crate) fn build(scope: &Scope, function: &Function, streams: &Streams, mask: &[bool]) -> Derivative {
    let arguments: Vec<(usize, Name)> = mask
        .iter()
        .enumerate()
        .filter(|(_, active)| **active)
        .map(|(at, _)| (at, scope.name(Var(at as u32)).into()))
        .collect();
    let spaces: Vec<Type> = arguments.iter().map(|(at, _)| function.vars[*at].ty.tangent()).collect();
    let from = Type::tuple(spaces.clone());
    let mut uses = FxHashMap::default();
    count_uses(&streams.linear, streams.output, &mut uses);
    let mut builder =
        Builder { scope, linear: &streams.linear_vars, from: from.clone(), uses, inside: FxHashMap::default() };
    let mut items = Vec::new();
    for (at, (input, (_, name))) in streams.inputs.iter().zip(&arguments).enumerate() {
        let map = match spaces.len() {
            1 => Term::identity(&from),
            _ => Term::new(from.clone(), spaces[at].clone(), Form::Component(at, Some(name.clone()))),
        };
        items.push(Item::Map(*input, map));
    }
    items.extend(builder.level(&streams.linear));
    let to = function.result.tangent();
    let result = match streams.output {
        Some(output) => builder.operand(output, &to),
        None => Term::zero(&from, &to),
    };
    Derivative { items, result }
}

fn count_uses(bindings: &[Binding], result: Option<Atom>, uses: &mut FxHashMap<Var, usize>) {
    let mut used = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            *uses.entry(*var).or_default() += 1;
        }
    };
    result.iter().for_each(&mut used);
    for binding in bindings {
        binding.op.visit_atoms(&mut used);
    }
    for binding in bindings {
        binding.op.visit_bodies(&mut |body| count_uses(&body.bindings, Some(body.result), uses));
    }
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
                None => Term::new(self.from.clone(), self.scope.ty(var).clone(), Form::Derivative(var)),
            },
            _ => Term::zero(&self.from, ty),
        }
    }

    /// One equation for each binding of a level.
    fn level(&mut self, bindings: &[Binding]) -> Vec<Item> {
        let mut items = Vec::new();
        for Binding { var, op, .. } in bindings {
            if !self.linear.contains(var) {
                // An index that is chosen rather than run over; anything else is a value of the point.
                if let Op::Copy(at) = op
                    && (var.0 as usize) < self.scope.own
                    && *self.scope.ty(*var) == Type::Int
                {
                    items.push(Item::Value(*var, self.scope.expr(*at)));
                }
                continue;
            }
            let map = self.op(*var, op);
            let shared = self.uses.get(var).is_some_and(|uses| *uses > 1) && map.weight() > 2;
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
            match items.is_empty() {
                true => result,
                false => Term::new(result.from.clone(), result.to.clone(), Form::Let(items, Box::new(result))),
            }
        })
    }

    fn is_linear(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.linear.contains(&var))
    }

    /// A map after the derivative of an operand.
    fn after(&self, form: Form, operand: Atom, to: &Type) -> Term {
        let inner = self.operand(operand, &self.ty(operand));
        Term::new(inner.to.clone(), to.clone(), form).after(inner)
    }

    fn op(&mut self, var: Var, op: &Op) -> Term {
        let to = self.scope.ty(var).clone();
        let (from, scope) = (self.from.clone(), self.scope);
        match op {
            Op::Copy(a) => self.operand(*a, &to),
            Op::Plus(a, b) => Term::sum(vec![self.operand(*a, &to), self.operand(*b, &to)], &from, &to),
            Op::Scalar(primitive, arguments) => match (&arguments[..], primitive.name) {
                ([a, b], "+") => Term::sum(vec![self.operand(*a, &to), self.operand(*b, &to)], &from, &to),
                ([a, b], "-") => {
                    let minus = Term::scale(Expr::Atom(Atom::Real(-1.0)), &to);
                    Term::sum(vec![self.operand(*a, &to), minus.after(self.operand(*b, &to))], &from, &to)
                }
                ([a], _) => self.after(Form::Scale(Expr::Atom(Atom::Real(-1.0))), *a, &to),
                ([a, b], _) => {
                    let (factor, tangent) = if self.is_linear(*a) { (*b, *a) } else { (*a, *b) };
                    self.after(Form::Scale(scope.expr(factor)), tangent, &to)
                }
                _ => Term::zero(&from, &to),
            },
            Op::Index(array, index) => self.after(Form::Element(scope.expr(*index)), *array, &to),
            Op::Project(tuple, at) => {
                let label = label_of(&self.ty(*tuple), *at);
                self.after(Form::Component(*at, label), *tuple, &to)
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
                Term::new(from, to, Form::ForkArray(maps))
            }
            Op::ArrayFunction(primitive, arguments) => self.array_function(Operation(primitive), arguments, &to),
            Op::Build(iteration) | Op::Builds(iteration) => {
                let Iteration { count, index, body } = iteration;
                let element = self.ty(body.result);
                let body = Box::new(self.body(body, &element));
                let parts = matches!(op, Op::Builds(_));
                Term::new(from, to, Form::Build { index: *index, count: scope.expr(*count), parts, body })
            }
            Op::Reduce(Reduction::Sum, Iteration { count, index, body }) => {
                let body = Box::new(self.body(body, &to));
                Term::new(from, to, Form::Total { index: *index, count: scope.expr(*count), body })
            }
            Op::If { condition, yes, no } => {
                let (yes, no) = (self.body(yes, &to), self.body(no, &to));
                let condition = scope.expr(*condition);
                Term::new(from, to, Form::If { condition, yes: Box::new(yes), no: Box::new(no) })
            }
            Op::Loop(turn) | Op::Scan(turn) | Op::Trace(turn) => {
                let kind = match op {
                    Op::Loop(_) => Loop::Last,
                    Op::Scan(_) => Loop::Scan,
                    _ => Loop::Trace,
                };
                let Turn { state, start, count, index, body } = turn;
                let state_type = scope.ty(*state).clone();
                let start = Box::new(self.operand(*start, &state_type));
                let body = Box::new(self.body(body, &self.ty(body.result)));
                let count = scope.expr(*count);
                Term::new(from, to, Form::Loop { kind, state: *state, start, index: *index, count, body })
            }
            Op::Call(_, passed) => self.call(var, passed, to),
            _ => Term::zero(&from, &to),
        }
    }

    /// The derivative of a called function at the arguments of the call, after the derivatives of those that vary.
    fn call(&self, var: Var, passed: &[Atom], to: Type) -> Term {
        let scope = self.scope;
        let original = scope.origin.get(&var).and_then(|primal| scope.definitions.get(primal));
        let (name, arguments) = match original {
            Some(Op::Call(called, arguments)) => {
                let called = scope.program.function(*called);
                let written = arguments.iter().enumerate().filter(|(at, _)| !is_size(called, Var(*at as u32)));
                (called.name.clone(), written.map(|(_, argument)| scope.expr(*argument)).collect())
            }
            _ => ("_".into(), Vec::new()),
        };
        let inner: Vec<Term> = passed
            .iter()
            .filter(|atom| self.is_linear(**atom) || matches!(atom, Atom::Real(0.0)))
            .map(|atom| self.operand(*atom, &self.ty(*atom)))
            .collect();
        let inner = self.forked(inner);
        Term::new(inner.to.clone(), to, Form::Call { name, arguments }).after(inner)
    }

    /// Some derivatives side by side.
    fn forked(&self, mut maps: Vec<Term>) -> Term {
        match maps.len() {
            1 => maps.swap_remove(0),
            _ => {
                let to = Type::Tuple(maps.iter().map(|map| map.to.clone()).collect());
                Term::new(self.from.clone(), to, Form::Fork(maps))
            }
        }
    }

    fn array_function(&self, operation: Operation, arguments: &[Atom], to: &Type) -> Term {
        let scope = self.scope;
        // Materialised zeros of an argument that does not vary are operands like the others.
        let varies = |atom: Atom| self.is_linear(atom) || matches!(atom, Atom::Real(_)) && operation.name() != "dot";
        if operation == Operation(&array::EXACT_DOT) {
            let (a, b) = (arguments[0], arguments[1]);
            let left = self.is_linear(a);
            let (value, tangent) = if left { (scope.expr(b), a) } else { (scope.expr(a), b) };
            let form = match (to, rank(&self.ty(a)), rank(&self.ty(b))) {
                (Type::Real, 1, 1) => Form::RankOne { coefficient: Expr::one(), left: None, right: Some(value) },
                _ if left => Form::Function(operation, vec![None, Some(value)]),
                _ => Form::Function(operation, vec![Some(value), None]),
            };
            return self.after(form, tangent, to);
        }
        let holes = arguments.iter().map(|atom| if varies(*atom) { None } else { Some(scope.expr(*atom)) }).collect();
        let inner = arguments.iter().filter(|atom| varies(**atom)).map(|atom| self.operand(*atom, &self.ty(*atom)));
        let inner = self.forked(inner.collect());
        Term::new(inner.to.clone(), to.clone(), Form::Function(operation, holes)).after(inner)
    }
}

/// Whether a parameter is a size that the types of others mention, which nobody writes.
fn is_size(function: &Function, var: Var) -> bool {
    let mentions = |ty: &Type| {
        let mut found = false;
        ty.map_sizes(&mut |size| {
            found |= size.atoms().contains(&riesz_core::size::Atom::Var(var));
            size.clone()
        });
        found
    };
    function.vars[..function.parameters].iter().any(|info| mentions(&info.ty))
}

/// How many indices an element takes.
pub(crate) fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        _ => 0,
    }
}
