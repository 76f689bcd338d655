//! Flow analysis: the set of functions that each variable can hold. It is the least solution of
//! `made(source) ⊆ made(target)` over all operations that pass values on.

use super::{has_functions, shape};
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, FunctionId, Op, Origin, Program, Recurrence, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The target of a call.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Callee {
    /// A closure of a function.
    Function(FunctionId),
    /// A linear map of a type, which may stand for a function.
    Map(Type),
}

/// Where something is: in a variable of a function, or in its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Variable(FunctionId, Var),
    Result(FunctionId),
}

/// The functions that each variable can hold.
pub(super) struct Flow<'p> {
    program: &'p Program,
    made: FxHashMap<Holder, FxHashSet<Callee>>,
    changed: bool,
}

impl<'p> Flow<'p> {
    /// The flow of closures through some functions of a program, which are the only ones that can be called in them.
    pub fn new(program: &'p Program, functions: &[FunctionId]) -> Flow<'p> {
        let mut flow = Flow { program, made: FxHashMap::default(), changed: true };
        while std::mem::replace(&mut flow.changed, false) {
            for &function in functions {
                let body = &program.function(function).body;
                flow.body(function, body);
                flow.pass(function, body.result, Holder::Result(function));
            }
        }
        flow
    }

    /// The functions that a variable of a function type can hold, in a fixed order; `None` if it can hold a linear map.
    pub fn alternatives(&self, function: FunctionId, called: Atom) -> Option<Vec<FunctionId>> {
        let mut found = Vec::new();
        for made in self.callable(function, called) {
            match made {
                Callee::Function(function) => found.push(function),
                Callee::Map(_) => return None,
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// The targets of a call that have the type of the called function.
    fn callable(&self, function: FunctionId, called: Atom) -> Vec<Callee> {
        let Atom::Var(var) = called else { return Vec::new() };
        let expected = shape(&self.program.function(function).var(var).ty);
        let fits = |made: &&Callee| match made {
            Callee::Function(function) => {
                let function = self.program.function(*function);
                let parameter = &function.vars[function.parameters - 1].ty;
                shape(&Type::function(parameter.clone(), function.result.clone())) == expected
            }
            Callee::Map(ty) => *ty == expected,
        };
        self.made.get(&Holder::Variable(function, var)).into_iter().flatten().filter(fits).cloned().collect()
    }

    fn body(&mut self, function: FunctionId, body: &'p Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.binding(function, binding);
            }
        });
    }

    fn binding(&mut self, function: FunctionId, Binding { var, op, .. }: &'p Binding) {
        let here = Holder::Variable(function, *var);
        op.visit_bodies(&mut |body| self.body(function, body));
        match op {
            Op::Closure(called, captured) => {
                self.arguments(function, captured, *called);
                self.add(here, [Callee::Function(*called)]);
            }
            Op::Map { forward, reverse, captured } => {
                self.arguments(function, captured, *forward);
                self.arguments(function, captured, *reverse);
            }
            Op::Call(called, arguments) => {
                self.arguments(function, arguments, *called);
                self.follow(Holder::Result(*called), here);
            }
            Op::Ruled(ruled, arguments) => {
                ruled.functions().into_iter().for_each(|called| self.arguments(function, arguments, called));
                let value = Holder::Variable(ruled.tangent, Var(arguments.len() as u32));
                self.pass(function, Atom::Var(*var), value);
                self.follow(Holder::Result(ruled.value), here);
            }
            Op::Apply(called, argument) => self.apply(function, *called, *argument, here),
            Op::Derive(_, operands) => self.apply(function, operands[0], operands[1], here),
            Op::Global(global) => {
                if let Origin::Computed(thunk) = self.program.global(*global).origin {
                    self.follow(Holder::Result(thunk), here);
                }
            }
            Op::Loop(Recurrence { state, start, body, .. })
            | Op::Scan(Recurrence { state, start, body, .. })
            | Op::Trace(Recurrence { state, start, body, .. })
            | Op::While { state, start, body, .. }
            | Op::TraceWhile { state, start, body, .. } => {
                for source in [*start, body.result] {
                    self.pass(function, source, Holder::Variable(function, *state));
                    self.pass(function, source, here);
                }
            }
            _ => {
                op.visit_atoms(&mut |atom| self.pass(function, *atom, here));
                op.visit_bodies(&mut |body| self.pass(function, body.result, here));
            }
        }
    }

    fn apply(&mut self, function: FunctionId, called: Atom, argument: Atom, here: Holder) {
        for made in self.callable(function, called) {
            if let Callee::Function(called) = made {
                let last = self.program.function(called).parameters as u32 - 1;
                self.pass(function, argument, Holder::Variable(called, Var(last)));
                self.follow(Holder::Result(called), here);
            }
        }
    }

    fn arguments(&mut self, function: FunctionId, arguments: &[Atom], called: FunctionId) {
        for (at, argument) in arguments.iter().enumerate() {
            self.pass(function, *argument, Holder::Variable(called, Var(at as u32)));
        }
    }

    /// Every target that an operand holds is also at the other place.
    fn pass(&mut self, function: FunctionId, source: Atom, to: Holder) {
        let Atom::Var(var) = source else { return };
        let mut maps = Vec::new();
        find_maps(&self.program.function(function).var(var).ty, &mut maps);
        self.add(to, maps);
        self.follow(Holder::Variable(function, var), to);
    }

    fn follow(&mut self, from: Holder, to: Holder) {
        if let Some(made) = self.made.get(&from).cloned() {
            self.add(to, made);
        }
    }

    fn add(&mut self, to: Holder, made: impl IntoIterator<Item = Callee>) {
        let ty = match to {
            Holder::Variable(function, var) => &self.program.function(function).var(var).ty,
            Holder::Result(function) => &self.program.function(function).result,
        };
        if !has_functions(ty) {
            return;
        }
        let there = self.made.entry(to).or_default();
        for made in made {
            self.changed |= there.insert(made);
        }
    }
}

/// The linear maps that a value of a type holds.
fn find_maps(ty: &Type, maps: &mut Vec<Callee>) {
    match ty {
        Type::Linear(_) => maps.push(Callee::Map(shape(ty))),
        Type::Array(_, element) => find_maps(element, maps),
        Type::Tuple(_) | Type::Record(_) => {
            ty.components().unwrap_or_default().iter().for_each(|part| find_maps(part, maps));
        }
        _ => {}
    }
}
