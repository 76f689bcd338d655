//! The functions that functions of a program call, and the values that they read.

use crate::term::{Atom, Body, Function, FunctionId, Global, GlobalId, Op, Origin, Program};
use crate::types::Type;
use rustc_hash::FxHashSet;

/// The functions and globals that functions need.
#[derive(Clone, Debug)]
pub struct Reachable {
    /// The functions.
    pub functions: Vec<FunctionId>,
    /// The globals.
    pub globals: Vec<GlobalId>,
}

impl Program {
    /// The functions and globals that some functions need, in no particular order, themselves included.
    pub fn reachable(&self, roots: &[FunctionId]) -> Reachable {
        self.needs(roots, &self.globals)
    }

    /// Whether a function needs derivatives of others.
    pub fn derives(&self, function: FunctionId) -> bool {
        self.contains(function, &|op| matches!(op, Op::Derive(..)))
    }

    /// Whether a function needs others whose derivatives are stated.
    pub fn has_rules(&self, function: FunctionId) -> bool {
        self.contains(function, &|op| matches!(op, Op::Ruled(..)))
    }

    /// Whether a function needs an operation of some kind.
    fn contains(&self, function: FunctionId, test: &dyn Fn(&Op) -> bool) -> bool {
        fn inside(body: &Body, test: &dyn Fn(&Op) -> bool) -> bool {
            body.bindings.iter().any(|binding| {
                let mut found = test(&binding.op);
                binding.op.visit_bodies(&mut |body| found |= inside(body, test));
                found
            })
        }
        self.reachable(&[function]).functions.into_iter().any(|id| inside(&self.function(id).body, test))
    }

    fn needs(&self, roots: &[FunctionId], globals: &[Global]) -> Reachable {
        // Sets, not tables: what one check needs is found in a time that does not grow with the program.
        let mut seen = FxHashSet::default();
        let mut wanted = FxHashSet::default();
        let mut found = Reachable { functions: Vec::new(), globals: Vec::new() };
        let mut work = roots.to_vec();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            found.functions.push(id);
            let mut bodies = vec![&self.function(id).body];
            while let Some(body) = bodies.pop() {
                for binding in &body.bindings {
                    match &binding.op {
                        Op::Call(function, _) | Op::Closure(function, _) => work.push(*function),
                        Op::Map { forward, reverse, .. } => work.extend([*forward, *reverse]),
                        Op::Ruled(ruled, _) => work.extend(ruled.functions()),
                        Op::Global(global) if wanted.insert(*global) => {
                            found.globals.push(*global);
                            if let Origin::Computed(function) = globals[global.0 as usize].origin {
                                work.push(function);
                            }
                        }
                        _ => {}
                    }
                    binding.op.visit_bodies(&mut |body| bodies.push(body));
                }
            }
        }
        found
    }

    /// The same program with nothing in it but what some functions need. Identities stay: the place of any other function
    /// is taken by an empty one. Globals that are `known` count as given, and what computes them is not needed.
    pub fn part(&self, roots: &[FunctionId], known: &dyn Fn(GlobalId) -> bool) -> Program {
        let given = |(at, global): (usize, &Global)| match known(GlobalId(at as u32)) {
            true => Global { origin: Origin::Given, ..global.clone() },
            false => global.clone(),
        };
        let globals: Vec<Global> = self.globals.iter().enumerate().map(given).collect();
        let mut needed = vec![false; self.functions.len()];
        for function in self.needs(roots, &globals).functions {
            needed[function.0 as usize] = true;
        }
        let empty = |function: &Function| Function {
            name: function.name.clone(),
            vars: Vec::new(),
            parameters: 0,
            body: Body { bindings: Vec::new(), result: Atom::Int(0) },
            result: Type::Int,
            span: function.span,
        };
        // The function of a global that is not needed is empty now.
        let computed = |global: &Global| match global.origin {
            Origin::Computed(function) => needed[function.0 as usize],
            Origin::Given => true,
        };
        let globals = globals.iter().map(|global| match computed(global) {
            true => global.clone(),
            false => Global { origin: Origin::Given, ..global.clone() },
        });
        let functions = self.functions.iter().zip(&needed);
        Program {
            functions: functions
                .map(|(function, needed)| if *needed { function.clone() } else { empty(function) })
                .collect(),
            globals: globals.collect(),
        }
    }
}

/// The functions that a body refers to.
pub fn visit_functions(body: &Body, f: &mut dyn FnMut(FunctionId)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            match &binding.op {
                Op::Call(function, _) | Op::Closure(function, _) => f(*function),
                Op::Map { forward, reverse, .. } => {
                    f(*forward);
                    f(*reverse);
                }
                Op::Ruled(ruled, _) => ruled.functions().into_iter().for_each(&mut *f),
                _ => {}
            }
            binding.op.visit_bodies(&mut |body| visit_functions(body, f));
        }
    });
}
