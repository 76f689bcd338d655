//! Information about the variables of a function: their names, types and definitions, and expressions over them.

use super::code::readable;
use super::term::{Expr, Head, Label, Operation, size_of};
use riesz_calculus::linearise::{Streams, Tangent};
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Program, Var, VarInfo};
use riesz_syntax::tree::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// How many variables are written out at most in one expression.
const LONGEST: usize = 200;

/// The facts about the variables of a function and of its two streams.
pub(crate) struct Scope<'p> {
    pub program: &'p Program,
    pub vars: Vec<VarInfo>,
    /// How many of the variables are those of the function itself.
    pub own: usize,
    /// The operations to which variables of the primal stream are bound.
    pub definitions: FxHashMap<Var, Op>,
    /// The indices and states of the bodies around a variable.
    pub within: FxHashMap<Var, Vec<Var>>,
    /// The name of each variable.
    pub names: Vec<String>,
    /// The variables whose tangents linear variables are.
    pub primal_of: FxHashMap<Var, Var>,
    /// The same for linear variables of which tangents are copies.
    pub origin: FxHashMap<Var, Var>,
    /// Variables whose tangents are not zero.
    pub active: FxHashSet<Var>,
    /// The calls that variables are bound to.
    pub calls: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
    /// How many variables may still be written out: shared values would make an expression as long as it likes.
    fuel: Cell<usize>,
    /// The arguments that vary, and the space of their tangents.
    inputs: (Vec<Name>, Type),
    /// The indices and states of bodies. The linear program may bind one to an iteration that was chosen.
    pub bound: FxHashSet<Var>,
    /// Whether maps are written so that their text alone says what they are: with spaces, and without differences.
    pub complete: Cell<bool>,
}

impl<'p> Scope<'p> {
    pub fn new(program: &'p Program, function: &Function, streams: &Streams) -> Scope<'p> {
        let mut scope = Scope {
            program,
            vars: streams.vars.clone(),
            own: function.vars.len(),
            definitions: FxHashMap::default(),
            within: FxHashMap::default(),
            names: readable(
                &Function { vars: streams.vars.clone(), ..function.clone() },
                &[&streams.primal, &streams.linear],
            ),
            primal_of: FxHashMap::default(),
            origin: FxHashMap::default(),
            bound: FxHashSet::default(),
            inputs: (Vec::new(), Type::unit()),
            fuel: Cell::new(0),
            complete: Cell::new(false),
            active: FxHashSet::default(),
            calls: FxHashMap::default(),
        };
        scope.learn(&function.body.bindings, &mut Vec::new());
        for (var, op) in &scope.definitions {
            match op {
                Op::Call(called, arguments) => {
                    scope.calls.insert(*var, (*called, arguments.clone()));
                }
                // Its derivative is that of the tangent, by the arguments alone.
                Op::Ruled(ruled, arguments) => {
                    let arguments = arguments.iter().copied().chain([Atom::Var(*var)]).collect();
                    scope.calls.insert(*var, (ruled.tangent, arguments));
                }
                _ => {}
            }
        }
        scope.learn(&streams.primal, &mut Vec::new());
        scope.learn(&streams.linear, &mut Vec::new());
        for (var, op) in &scope.definitions {
            if let Op::Project(Atom::Var(all), 1) = op
                && matches!(scope.definitions.get(all), Some(Op::TraceWhile { .. }))
            {
                let mut name = "iterations".to_string();
                while scope.names.contains(&name) {
                    name.push('\'');
                }
                scope.names[var.0 as usize] = name;
            }
        }
        let mut tangents: Vec<(&Var, &Tangent)> = streams.tangents.iter().collect();
        tangents.sort_by_key(|(var, _)| **var);
        for (var, tangent) in tangents {
            if !matches!(tangent, Tangent::Zero) {
                scope.active.insert(*var);
            }
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
        let spaces = streams.inputs.iter().map(|input| scope.ty(*input).clone()).collect();
        let name = |input: &Var| Name::from(scope.name(scope.primal_of[input]));
        scope.inputs = (streams.inputs.iter().map(name).collect(), Type::tuple(spaces));
        scope
    }

    /// Learns definitions, the innermost of a variable first: what a body keeps is bound again around it.
    fn learn(&mut self, bindings: &[Binding], around: &mut Vec<Var>) {
        for binding in bindings {
            let mut bound = Vec::new();
            binding.op.visit_bound(&mut |var| bound.push(*var));
            let depth = around.len();
            self.bound.extend(&bound);
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
            if !self.bound.contains(&binding.var) {
                self.definitions.entry(binding.var).or_insert_with(|| binding.op.clone());
            }
            self.within.entry(binding.var).or_insert_with(|| around.clone());
        }
    }

    /// The loop whose state a variable is.
    pub fn loop_of(&self, state: Var) -> Option<(Var, &Op)> {
        let is_loop = |op: &&Op| match op {
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => recurrence.state == state,
            _ => false,
        };
        let (var, op) = self.definitions.iter().find(|(_, op)| is_loop(op))?;
        Some((*var, op))
    }

    pub fn name(&self, var: Var) -> &str {
        &self.names[var.0 as usize]
    }

    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var.0 as usize].ty
    }

    /// Whether a variable changes from one iteration of a body to the next.
    pub fn changes_with(&self, var: Var, index: Var) -> bool {
        var == index || self.within.get(&var).is_some_and(|around| around.contains(&index))
    }

    /// Whether the program's author has named a variable.
    fn is_named(&self, var: Var) -> bool {
        (var.0 as usize) < self.own && self.vars[var.0 as usize].name.is_some()
    }

    /// An operand as an expression: variables of the function stay, what linearisation computed is written out.
    pub fn expr(&self, atom: Atom) -> Expr {
        self.fuel.set(LONGEST);
        self.unfold(atom, &|var| (var.0 as usize) >= self.own).folded()
    }

    /// The expression with the values that have no name written out, as far as that is short.
    pub fn tidy(&self, expr: &Expr) -> Expr {
        const LONG: usize = 12;
        let written = expr.replace(&|var| {
            if self.is_named(var) {
                return None;
            }
            self.fuel.set(LONGEST);
            let written = self.unfold(Atom::Var(var), &|var| !self.is_named(var));
            (written.weight() <= LONG).then_some(written)
        });
        written.folded()
    }

    /// The expression as seen outside the body of an index, on which it may depend; none where it needs a value of that body
    /// that cannot be written out.
    pub fn outside(&self, expr: &Expr, index: Var) -> Option<Expr> {
        let inside = |var: Var| var != index && self.changes_with(var, index);
        self.fuel.set(LONGEST);
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
            if !open(var) || self.fuel.get() == 0 {
                return Expr::Atom(atom);
            }
            self.fuel.set(self.fuel.get() - 1);
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
                apply(Head::Function(Operation::new(primitive)), arguments)
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

    /// The definition of a value, in terms of the values from which it is computed.
    pub fn definition(&self, var: Var) -> Option<Expr> {
        self.fuel.set(LONGEST);
        self.definitions.get(&var).and_then(|op| self.written(op, &|_| false))
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

    /// The array of what a variable of a body is in each iteration.
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
            && size == size_of(&count)
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
                Some(Type::array(size_of(count), element))
            }
            _ => None,
        }
    }

    /// Whether an expression changes from one iteration of a body to the next.
    pub fn depends(&self, expr: &Expr, index: Var) -> bool {
        let mut found = false;
        expr.visit(&mut |var| found |= self.changes_with(var, index));
        found
    }

    /// The name of a part of a space.
    pub fn part(&self, space: &Type, at: usize) -> Label {
        let (names, inputs) = &self.inputs;
        match names.len() > 1 && space == inputs {
            true => names.get(at).cloned(),
            false => label_of(space, at),
        }
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
