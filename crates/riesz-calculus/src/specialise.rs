//! Functions that take functions, before they are differentiated: calls of functions that are known where they are
//! called become direct calls.

use crate::compile::Calculus;
use riesz_core::renumber::renumber;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Binding, Body, FunctionId, Op, Var, VarInfo};
use rustc_hash::FxHashMap;

/// How many copies of functions a program may need.
const MOST_COPIES: usize = 10_000;

/// Makes every call of a known function direct: applications of closures that are made in the function, and calls that
/// pass such closures, which become calls of copies of the called function that make the closures themselves.
pub(crate) fn specialise(calculus: &mut Calculus, id: FunctionId) {
    if !calculus.specialised.insert(id) {
        return;
    }
    let function = calculus.program.function(id).clone();
    let mut specialiser = Specialiser { calculus, known: FxHashMap::default() };
    let body = specialiser.body(&function.body);
    calculus.program.functions[id.0 as usize].body = body;
}

/// A closure: the function and what it captured.
type Known = (FunctionId, Vec<Atom>);

struct Specialiser<'c> {
    calculus: &'c mut Calculus,
    /// Variables that are closures made here.
    known: FxHashMap<Var, Known>,
}

impl Specialiser<'_> {
    fn body(&mut self, body: &Body) -> Body {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let bindings = body.bindings.iter().map(|binding| self.binding(binding)).collect();
            Body { bindings, result: body.result }
        })
    }

    fn closure(&self, atom: &Atom) -> Option<Known> {
        match atom {
            Atom::Var(var) => self.known.get(var).cloned(),
            _ => None,
        }
    }

    fn binding(&mut self, Binding { var, op, span }: &Binding) -> Binding {
        let op = match op {
            Op::Closure(function, captured) => {
                let (function, captured) = self.direct(*function, captured.clone());
                self.known.insert(*var, (function, captured.clone()));
                Op::Closure(function, captured)
            }
            Op::Copy(source) => {
                if let Some(closure) = self.closure(source) {
                    self.known.insert(*var, closure);
                }
                op.clone()
            }
            Op::Apply(called, argument) => match self.closure(called) {
                Some((function, mut arguments)) => {
                    arguments.push(*argument);
                    let (function, arguments) = self.direct(function, arguments);
                    Op::Call(function, arguments)
                }
                None => op.clone(),
            },
            Op::Call(function, arguments) => {
                let (function, arguments) = self.direct(*function, arguments.clone());
                Op::Call(function, arguments)
            }
            _ => {
                let mut op = op.clone();
                op.visit_bodies_mut(&mut |body| *body = self.body(body));
                op
            }
        };
        Binding { var: *var, op, span: *span }
    }

    /// A function and arguments, some of them closures that are known: the copy of the function that makes them
    /// itself, and what they capture in their place.
    fn direct(&mut self, function: FunctionId, arguments: Vec<Atom>) -> Known {
        let closures: Vec<Option<Known>> = arguments.iter().map(|argument| self.closure(argument)).collect();
        if closures.iter().all(Option::is_none) {
            return (function, arguments);
        }
        let passed = (arguments.iter().zip(&closures))
            .flat_map(|(argument, closure)| match closure {
                Some((_, captured)) => captured.clone(),
                None => vec![*argument],
            })
            .collect();
        let key = (function, closures.iter().map(|closure| closure.as_ref().map(|(function, _)| *function)).collect());
        if let Some(&copy) = self.calculus.copies.get(&key) {
            return (copy, passed);
        }
        if self.calculus.copies.len() >= MOST_COPIES {
            return (function, arguments);
        }
        let original = self.calculus.program.function(function).clone();
        let mut vars = original.vars.clone();
        let (mut parameters, mut makes) = (Vec::new(), Vec::new());
        for at in 0..original.parameters {
            let parameter = Var(at as u32);
            let Some(Some((inner, captured))) = closures.get(at) else {
                parameters.push(parameter);
                continue;
            };
            let mut inside: Vec<Atom> = Vec::with_capacity(captured.len());
            for info in &self.calculus.program.function(*inner).vars[..captured.len()] {
                let ty = info.ty.map_sizes(&mut |size| {
                    size.replace(&mut |atom| match atom {
                        size::Atom::Var(var) => match inside.get(var.0 as usize) {
                            Some(Atom::Var(var)) => Size::var(*var),
                            _ => Size::Hole,
                        },
                        atom => Size::Atom(atom),
                    })
                });
                vars.push(VarInfo { name: info.name.clone(), ty });
                let var = Var(vars.len() as u32 - 1);
                parameters.push(var);
                inside.push(Atom::Var(var));
            }
            makes.push(Binding { var: parameter, op: Op::Closure(*inner, inside), span: original.span });
        }
        let mut body = original.body.clone();
        body.bindings.splice(0..0, makes);
        let copy = renumber(original.name.clone(), &parameters, body, &original.result, original.span, &|var| {
            vars[var.0 as usize].clone()
        });
        self.calculus.program.functions.push(copy);
        let copy = FunctionId(self.calculus.program.functions.len() as u32 - 1);
        self.calculus.copies.insert(key, copy);
        (copy, passed)
    }
}
