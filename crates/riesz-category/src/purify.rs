//! Programs whose accumulators are values: `acc += v` becomes `acc′ = acc + v`.
//!
//! Compiled derivatives add cotangents in place. Combinators have no mutable state, so every addition gives a new
//! accumulator, and an operation with additions inside passes accumulators along: a `For` becomes a loop with the
//! accumulators as its state, and a conditional or a function that takes accumulators also returns them.

mod keep;
mod rewrite;

use rewrite::Rewriter;
use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Program, Var};
use std::collections::{HashMap, HashSet};

/// The same program without additions in place, as far as functions need it; none where there are none.
pub fn purify(program: &Program, functions: &[FunctionId]) -> Option<Program> {
    let reachable = program.reachable(functions).functions;
    let holds = |id: &FunctionId| {
        program.function(*id).vars.iter().any(|var| var.ty.any(&mut |part| matches!(part, Type::Accumulator(_))))
    };
    if !reachable.iter().any(holds) {
        return None;
    }
    let changes = Changes::of(program, &reachable);
    let mut pure = program.clone();
    for id in reachable.into_iter().filter(holds) {
        pure.functions[id.0 as usize] = Rewriter::function(program.function(id), id, &changes);
    }
    Some(pure)
}

/// Which parameters of which functions are added to.
struct Changes(HashMap<FunctionId, Vec<usize>>);

impl Changes {
    fn of(program: &Program, functions: &[FunctionId]) -> Changes {
        let mut changes = Changes(HashMap::new());
        loop {
            let mut new = false;
            for id in functions {
                let function = program.function(*id);
                let roots = Roots::of(function);
                let added = changes.inside(&function.body, &roots);
                let found: Vec<usize> =
                    (0..function.parameters).filter(|at| added.contains(&Var(*at as u32))).collect();
                if changes.parameters(*id) != found {
                    changes.0.insert(*id, found);
                    new = true;
                }
            }
            if !new {
                return changes;
            }
        }
    }

    fn parameters(&self, function: FunctionId) -> &[usize] {
        self.0.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The accumulators of something around a body that it adds to, in the order in which it does.
    fn inside(&self, body: &Body, roots: &Roots) -> Vec<Var> {
        let mut found = Vec::new();
        let mut own = HashSet::new();
        let mut work = vec![body];
        while let Some(body) = work.pop() {
            for binding in &body.bindings {
                match &binding.op {
                    Op::Accumulator => {
                        own.insert(binding.var);
                    }
                    Op::AddTo(Atom::Var(var), ..) => found.push(roots.of_var(*var)),
                    Op::Call(function, arguments) => {
                        for at in self.parameters(*function) {
                            if let Some(Atom::Var(var)) = arguments.get(*at) {
                                found.push(roots.of_var(*var));
                            }
                        }
                    }
                    _ => {}
                }
                binding.op.visit_bodies(&mut |inner| work.push(inner));
            }
        }
        let mut seen = HashSet::new();
        found.retain(|var| !own.contains(var) && seen.insert(*var));
        found
    }
}

/// Which accumulator a variable is another name for.
struct Roots(HashMap<Var, Var>);

impl Roots {
    fn of(function: &Function) -> Roots {
        let mut roots = Roots(HashMap::new());
        let mut work = vec![&function.body];
        while let Some(body) = work.pop() {
            for Binding { var, op, .. } in &body.bindings {
                if let (Op::Copy(Atom::Var(source)), Type::Accumulator(_)) = (op, &function.var(*var).ty) {
                    let root = roots.of_var(*source);
                    roots.0.insert(*var, root);
                }
                op.visit_bodies(&mut |inner| work.push(inner));
            }
        }
        roots
    }

    fn of_var(&self, mut var: Var) -> Var {
        while let Some(source) = self.0.get(&var) {
            var = *source;
        }
        var
    }
}
