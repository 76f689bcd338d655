//! Long literals are data, not code.
//!
//! ```text
//! f = … [1.5, 2.5, …] …     is     let literal = [1.5, 2.5, …]     f = … literal …
//! ```
//!
//! A compiler of machine code takes time for each element that a program writes out. An array of many constants becomes a
//! top-level value, which the interpreter computes once, and which code takes as an argument.
//!
//! For a trap, every real constant of an expression is data, since the trap does not see values that the compiler computes.

use riesz_core::build::{Builder, bind};
use riesz_core::free::count_uses;
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Global, GlobalId, Op, Origin, Program, Var};
use riesz_core::types::Type;
use riesz_primitive::scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// From how many numbers on a literal is data.
const MANY: usize = 64;

/// Whether a function computes nothing but a long literal.
pub(crate) fn is_literal(function: &Function) -> bool {
    let numbers = numbers(&function.body.bindings);
    let is_known = |binding: &Binding| numbers.contains_key(&binding.var);
    let Atom::Var(result) = function.body.result else { return false };
    function.parameters == 0
        && numbers.get(&result).is_some_and(|count| *count >= MANY)
        && function.body.bindings.iter().all(is_known)
}

/// Makes the long literals inside of the functions that some functions need top-level values.
pub(crate) fn lift(program: &mut Program, roots: &[FunctionId]) {
    for id in program.reachable(roots).functions {
        let function = program.function(id);
        if is_literal(function) || !has_literal(&function.body, function) {
            continue;
        }
        let function = function.clone();
        let mut body = function.body.clone();
        lift_from(&mut body, &function, program);
        program.functions[id.0 as usize].body = body;
    }
}

/// Makes the real constants of functions top-level values, except those in the bodies of loops and branches, so that
/// everything is computed from them when the functions run.
pub(crate) fn lift_constants(program: &mut Program, functions: &[FunctionId]) {
    for id in functions {
        let Function { name, span, mut vars, mut body, .. } = program.function(*id).clone();
        let mut bindings = Vec::with_capacity(body.bindings.len());
        for mut binding in body.bindings {
            binding.op.visit_atoms_mut(&mut |atom| {
                if matches!(atom, Atom::Real(_)) {
                    let global = add_global(
                        program,
                        Builder::new(Vec::new(), span).function(name.clone(), &[], *atom, &Type::Real),
                    );
                    *atom = bind(&mut vars, &mut bindings, Op::Global(global), Type::Real, binding.span);
                }
            });
            bindings.push(binding);
        }
        body.bindings = bindings;
        let function = &mut program.functions[id.0 as usize];
        (function.vars, function.body) = (vars, body);
    }
}

/// Adds a top-level value that a function computes.
fn add_global(program: &mut Program, computing: Function) -> GlobalId {
    let (name, ty) = (computing.name.clone(), computing.result.clone());
    let computing = program.add(computing);
    program.globals.push(Global { name, ty, origin: Origin::Computed(computing) });
    GlobalId(program.globals.len() as u32 - 1)
}

fn has_literal(body: &Body, function: &Function) -> bool {
    let mut found = !literals(body, function).is_empty();
    body.bindings.iter().for_each(|binding| binding.op.visit_bodies(&mut |body| found |= has_literal(body, function)));
    found
}

fn lift_from(body: &mut Body, function: &Function, program: &mut Program) {
    let found = literals(body, function);
    for var in &found {
        let Some(place) = body.bindings.iter().position(|binding| binding.var == *var) else { continue };
        let ty = &function.var(*var).ty;
        let literal = Body { bindings: parts(&body.bindings[..=place], *var), result: Atom::Var(*var) };
        let (name, span) = (function.name.clone(), body.bindings[place].span);
        let info = |var: Var| function.var(var).clone();
        body.bindings[place].op = Op::Global(add_global(program, renumber(name, &[], literal, ty, span, &info)));
    }
    body.bindings.iter_mut().for_each(|binding| {
        binding.op.visit_bodies_mut(&mut |body| lift_from(body, function, program));
    });
}

/// The long literals of a body that are no part of others.
fn literals(body: &Body, function: &Function) -> Vec<Var> {
    let numbers = numbers(&body.bindings);
    let is_long = |var: &Var| {
        let mut is_closed = true;
        let ty = &function.var(*var).ty;
        ty.visit_variables(&mut |_| is_closed = false);
        is_closed && matches!(ty, Type::Array(..)) && numbers.get(var).is_some_and(|count| *count >= MANY)
    };
    if !numbers.keys().any(is_long) {
        return Vec::new();
    }
    let mut needed = FxHashMap::default();
    let others = body.bindings.iter().filter(|binding| !numbers.contains_key(&binding.var));
    for binding in others {
        count_uses(std::slice::from_ref(binding), None, &mut needed);
    }
    count_uses(&[], Some(body.result), &mut needed);
    let bound = body.bindings.iter().map(|binding| binding.var);
    bound.filter(|var| needed.contains_key(var) && is_long(var)).collect()
}

/// The bindings that a literal needs, in order.
fn parts(bindings: &[Binding], literal: Var) -> Vec<Binding> {
    let (mut needed, mut found) = (FxHashSet::from_iter([literal]), Vec::new());
    for binding in bindings.iter().rev() {
        if needed.contains(&binding.var) {
            binding.op.visit_atoms(&mut |atom| {
                if let Atom::Var(var) = atom {
                    needed.insert(*var);
                }
            });
            found.push(binding.clone());
        }
    }
    found.reverse();
    found
}

/// The variables that are constants and arrays and tuples of them, with how many numbers each has.
fn numbers(bindings: &[Binding]) -> FxHashMap<Var, usize> {
    let mut known: FxHashMap<Var, usize> = FxHashMap::default();
    for binding in bindings {
        let count = |atom: &Atom| match atom {
            Atom::Var(var) => known.get(var).copied(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => Some(1),
        };
        let all = match &binding.op {
            Op::Array(parts) | Op::Tuple(parts) if !parts.is_empty() => parts.iter().map(count).sum(),
            Op::Copy(atom) | Op::ToReal(atom) => count(atom),
            Op::Scalar(primitive, operands) if **primitive == scalar::NEG => operands.iter().map(count).sum(),
            _ => None,
        };
        if let Some(all) = all {
            known.insert(binding.var, all);
        }
    }
    known
}
