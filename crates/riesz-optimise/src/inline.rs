//! `f(a) = e[x := a]` where `f(x) = e`: calls are replaced by the bodies of the called functions.
//!
//! A function is inlined if it has only one call or is small, so that a program grows at most by a constant factor.
//! Recursive functions are not inlined. A closure or linear map that is visible where it is applied is called directly.

use crate::calls::Calls;
use crate::rename::{Renaming, covers};
use riesz_core::build::type_of;
use riesz_core::term::{Atom, Binding, Body, FunctionId, OnMaps, Op, Program, Var, VarInfo};
use riesz_syntax::Span;
use rustc_hash::FxHashMap;

/// How many bindings a function may have to be put in place of each of its calls.
const SMALL: usize = 48;
/// How many bindings a function may grow by, for each of its own, when small functions take the place of calls.
const GROWTH: usize = 16;

/// Puts functions in place of their calls in one function. Those it calls should have been treated before.
pub(crate) fn inline(program: &mut Program, id: FunctionId, calls: &Calls) {
    let function = &mut program.functions[id.0 as usize];
    let vars = std::mem::take(&mut function.vars);
    let nothing = Body { bindings: Vec::new(), result: Atom::Int(0) };
    let body = std::mem::replace(&mut function.body, nothing);
    let growth = GROWTH * (SMALL + bindings_in(&body, usize::MAX));
    let mut inliner = Inliner { program, calls, vars, made: FxHashMap::default(), growth };
    let body = inliner.body(body);
    let vars = inliner.vars;
    let function = &mut program.functions[id.0 as usize];
    function.vars = vars;
    function.body = body;
}

/// A function value whose making is in sight: what to call, and the first arguments.
#[derive(Clone)]
struct Made {
    function: FunctionId,
    /// For a linear map, its adjoint.
    adjoint: Option<FunctionId>,
    captured: Vec<Atom>,
}

struct Inliner<'p> {
    program: &'p Program,
    calls: &'p Calls,
    vars: Vec<VarInfo>,
    made: FxHashMap<Var, Made>,
    growth: usize,
}

impl Inliner<'_> {
    fn body(&mut self, body: Body) -> Body {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut bindings = Vec::with_capacity(body.bindings.len());
            body.bindings.into_iter().for_each(|binding| self.binding(binding, &mut bindings));
            Body { bindings, result: body.result }
        })
    }

    fn binding(&mut self, Binding { var, op, span }: Binding, out: &mut Vec<Binding>) {
        let mut op = match op {
            Op::Apply(called, argument) => match self.made(called) {
                Some(Made { function, mut captured, .. }) => {
                    captured.push(argument);
                    Op::Call(function, captured)
                }
                None => Op::Apply(called, argument),
            },
            op => op,
        };
        let made = match &op {
            Op::Closure(function, captured) => {
                Some(Made { function: *function, adjoint: None, captured: captured.clone() })
            }
            Op::Map { forward, reverse, captured } => {
                Some(Made { function: *forward, adjoint: Some(*reverse), captured: captured.clone() })
            }
            Op::OnMaps(OnMaps::Adjoint, operands) => self.made(operands[0]).and_then(|made| {
                Some(Made { function: made.adjoint?, adjoint: Some(made.function), captured: made.captured })
            }),
            Op::Copy(source) => self.made(*source),
            _ => None,
        };
        if let Some(made) = made {
            self.made.insert(var, made);
        }
        match op {
            Op::Call(function, arguments) if self.is_welcome(function) => {
                self.splice(var, function, arguments, span, out);
            }
            _ => {
                op.visit_bodies_mut(&mut |body| {
                    let inner = std::mem::replace(body, Body { bindings: Vec::new(), result: body.result });
                    *body = self.body(inner);
                });
                out.push(Binding { var, op, span });
            }
        }
    }

    fn made(&self, atom: Atom) -> Option<Made> {
        match atom {
            Atom::Var(var) => self.made.get(&var).cloned(),
            _ => None,
        }
    }

    fn is_welcome(&mut self, function: FunctionId) -> bool {
        if self.calls.is_recursive(function) {
            return false;
        }
        if self.calls.is_called_once(function) {
            self.growth += GROWTH * bindings_in(&self.program.function(function).body, usize::MAX);
            return true;
        }
        let size = bindings_in(&self.program.function(function).body, SMALL);
        let welcome = size <= SMALL && size <= self.growth;
        if welcome {
            self.growth -= size;
        }
        welcome
    }

    /// Writes the body of a function, for arguments, in place of a call.
    fn splice(&mut self, var: Var, function: FunctionId, arguments: Vec<Atom>, span: Span, out: &mut Vec<Binding>) {
        let called = self.program.function(function);
        riesz_limit::write(called.body.bindings.len() as u64);
        let mut renaming = Renaming::default();
        for (at, argument) in arguments.into_iter().enumerate() {
            let VarInfo { name, ty } = called.vars[at].clone();
            let ty = renaming.ty(&ty);
            let seen = if covers(&type_of(argument, &self.vars), &ty) {
                argument
            } else {
                // The function knows more of the sizes than its caller.
                self.vars.push(VarInfo { name, ty });
                let copy = Var(self.vars.len() as u32 - 1);
                self.binding(Binding { var: copy, op: Op::Copy(argument), span }, out);
                Atom::Var(copy)
            };
            renaming.insert(Var(at as u32), seen);
        }
        let mut body = called.body.clone();
        renaming.freshen(&mut body, Some(&called.vars), &mut self.vars);
        // Calls in calls: a chain of functions can be long.
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            body.bindings.into_iter().for_each(|binding| self.binding(binding, out));
        });
        self.binding(Binding { var, op: Op::Copy(body.result), span }, out);
    }
}

/// How many bindings there are in a body and the bodies in it; counting may stop above `limit`.
pub fn bindings_in(body: &Body, limit: usize) -> usize {
    let mut count = 0;
    let mut work = vec![body];
    while let Some(body) = work.pop() {
        count += body.bindings.len();
        if count > limit {
            break;
        }
        body.bindings.iter().for_each(|binding| binding.op.visit_bodies(&mut |body| work.push(body)));
    }
    count
}
