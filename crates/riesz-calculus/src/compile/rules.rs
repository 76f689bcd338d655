//! Stated derivatives where nothing is differentiated any more.

use riesz_core::Type;
use riesz_core::reachable::visit_functions;
use riesz_core::term::{Atom, Body, Function, FunctionId, Op, Program, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes plain calls of functions whose derivatives are stated, where nothing is differentiated any more.
pub fn forget_rules(program: &mut Program, roots: &[FunctionId]) {
    for id in program.reachable(roots).functions {
        forget(&mut program.functions[id.0 as usize].body);
    }
}

fn forget(body: &mut Body) {
    for binding in &mut body.bindings {
        binding.op = match std::mem::replace(&mut binding.op, Op::Accumulator) {
            Op::Ruled(ruled, arguments) => Op::Call(ruled.value, arguments),
            Op::Hold(value) | Op::Graft(value, _) => Op::Copy(value),
            op => op,
        };
        binding.op.visit_bodies_mut(&mut forget);
    }
}

/// Makes plain calls of functions whose derivatives are stated, where a rule calls them with values that it holds:
/// `hold x ↦ f(x)` is constant, whatever the rule of `f` says. A rule may therefore need the function that it belongs to,
/// also where functions are differentiated while they run, by [`riesz_core::term::Ruled::single`].
pub fn hold_rules(program: &mut Program, roots: &[FunctionId]) {
    let mut rules = FxHashSet::default();
    for id in program.reachable(roots).functions {
        visit_ops(&program.function(id).body, &mut |op| {
            if let Op::Ruled(ruled, _) = op {
                rules.extend([ruled.tangent, ruled.single]);
            }
        });
    }
    let mut rules: Vec<FunctionId> = rules.into_iter().collect();
    rules.sort_unstable();
    let mut copies = Copies::default();
    for id in rules {
        let function = program.function(id);
        let held = constants(function);
        let mut body = function.body.clone();
        replace_calls(&mut body, &mut |called, arguments| match arguments.iter().all(&held) {
            true => copies.of(program, called),
            false => called,
        });
        program.functions[id.0 as usize].body = body;
    }
}

/// Whether an atom of a function is held, or does not vary.
fn constants(function: &Function) -> impl Fn(&Atom) -> bool + use<> {
    let mut held: FxHashSet<Var> = FxHashSet::default();
    collect_held(&function.body, &mut held);
    let fixed = |(at, info): (usize, &riesz_core::term::VarInfo)| {
        matches!(info.ty, Type::Int | Type::Bool).then_some(Var(at as u32))
    };
    held.extend(function.vars.iter().enumerate().filter_map(fixed));
    move |atom| match atom {
        Atom::Var(var) => held.contains(var),
        _ => true,
    }
}

fn collect_held(body: &Body, held: &mut FxHashSet<Var>) {
    for binding in &body.bindings {
        if matches!(binding.op, Op::Hold(_)) {
            held.insert(binding.var);
        }
        binding.op.visit_bodies(&mut |body| collect_held(body, held));
    }
}

fn visit_ops(body: &Body, f: &mut dyn FnMut(&Op)) {
    for binding in &body.bindings {
        f(&binding.op);
        binding.op.visit_bodies(&mut |body| visit_ops(body, f));
    }
}

fn replace_calls(body: &mut Body, f: &mut dyn FnMut(FunctionId, &[Atom]) -> FunctionId) {
    for binding in &mut body.bindings {
        if let Op::Call(called, arguments) = &mut binding.op {
            *called = f(*called, arguments);
        }
        binding.op.visit_bodies_mut(&mut |body| replace_calls(body, f));
    }
}

/// Copies of functions, and of those that they call, that have no stated derivatives.
#[derive(Default)]
struct Copies(FxHashMap<FunctionId, FunctionId>);

impl Copies {
    fn of(&mut self, program: &mut Program, function: FunctionId) -> FunctionId {
        if !program.has_rules(function) {
            return function;
        }
        let mut work = Vec::new();
        let copy = self.entry(program, function, &mut work);
        while let Some(id) = work.pop() {
            let mut body = program.function(id).body.clone();
            forget(&mut body);
            // The function that a derivative is of keeps its rules.
            let mut derived = false;
            visit_ops(&body, &mut |op| derived |= matches!(op, Op::Derive(..)));
            let mut called = Vec::new();
            if derived {
                visit_ops(&body, &mut |op| {
                    called.extend(if let Op::Call(called, _) = op { Some(*called) } else { None })
                });
            } else {
                visit_functions(&body, &mut |id| called.push(id));
            }
            let of: FxHashMap<FunctionId, FunctionId> =
                called.into_iter().map(|called| (called, self.entry(program, called, &mut work))).collect();
            rename(&mut body, &of, derived);
            program.functions[id.0 as usize].body = body;
        }
        copy
    }

    /// The copy, which is still to be written if it is new.
    fn entry(&mut self, program: &mut Program, function: FunctionId, work: &mut Vec<FunctionId>) -> FunctionId {
        if let Some(copy) = self.0.get(&function) {
            return *copy;
        }
        let copy = program.add(program.function(function).clone());
        self.0.insert(function, copy);
        // A copy calls copies already.
        self.0.insert(copy, copy);
        work.push(copy);
        copy
    }
}

fn rename(body: &mut Body, of: &FxHashMap<FunctionId, FunctionId>, calls_only: bool) {
    let name = |id: &mut FunctionId| *id = of.get(id).copied().unwrap_or(*id);
    for binding in &mut body.bindings {
        match &mut binding.op {
            Op::Call(called, _) => name(called),
            Op::Closure(called, _) if !calls_only => name(called),
            Op::Map { forward, reverse, .. } if !calls_only => {
                name(forward);
                name(reverse);
            }
            _ => {}
        }
        binding.op.visit_bodies_mut(&mut |body| rename(body, of, calls_only));
    }
}
