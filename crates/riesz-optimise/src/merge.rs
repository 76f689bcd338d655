//! An array of traced loops and the array that is made of the traces are built in one pass.
//!
//! ```text
//! b = [trace(i) | i < n]                (b, c) = [(t, g(t)) with t = trace(i) | i < n]
//! c = [g(b[i]) | i < n]         is
//! ```
//!
//! `g` is the loop back through the residuals of `trace(i)`. As one pass, the residuals of one element are stored at a
//! time, and they may have a different length for each element, as those of a `while` loop have. The values that depend
//! on `b` alone, such as the sum of the results, are computed after the pass.

use crate::cost::is_pure;
use crate::each::Writer;
use crate::length::Lengths;

use riesz_core::build::type_of;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many bindings may stand between the two loops.
const BETWEEN: usize = 256;

/// Builds arrays together with the arrays of their traces.
pub(crate) fn merge(function: &mut Function) {
    let lengths = Lengths::of(&function.body);
    let Function { body, vars, .. } = function;
    in_body(body, vars, &lengths);
}

fn in_body(body: &mut Body, vars: &mut Vec<VarInfo>, lengths: &Lengths) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &mut body.bindings {
            binding.op.visit_bodies_mut(&mut |body| in_body(body, vars, lengths));
        }
        let mut at = 0;
        while at < body.bindings.len() {
            if let Some(pair) = Pair::starting_at(at, &body.bindings, vars, lengths) {
                let bindings = std::mem::take(&mut body.bindings);
                body.bindings = pair.merged(bindings, vars);
            }
            at += 1;
        }
    });
}

/// Two loops that become one.
struct Pair {
    first: usize,
    second: usize,
    /// The arrays of the first, with their positions among its components if there are several.
    arrays: FxHashMap<Var, Option<usize>>,
    /// The bindings between the two that depend on the first, in order.
    between: Vec<usize>,
}

impl Pair {
    fn starting_at(first: usize, bindings: &[Binding], vars: &[VarInfo], lengths: &Lengths) -> Option<Pair> {
        let made = &bindings[first];
        let (Op::Build(iteration) | Op::Builds(iteration)) = &made.op else { return None };
        if !traces(&iteration.body) || !is_pure(&iteration.body, vars) {
            return None;
        }
        let mut arrays = FxHashMap::from_iter([(made.var, None)]);
        let (mut between, mut dependent) = (Vec::new(), FxHashSet::default());
        for (at, binding) in bindings.iter().enumerate().skip(first + 1).take(BETWEEN) {
            if let Op::Project(Atom::Var(tuple), component) = binding.op
                && tuple == made.var
            {
                arrays.insert(binding.var, Some(component));
                between.push(at);
                continue;
            }
            let needs = Free::of(std::slice::from_ref(binding), &[], vars).found;
            if let Op::Build(other) | Op::Builds(other) = &binding.op
                && lengths.equal(iteration.count, other.count)
                && is_pure(&other.body, vars)
                && !needs.iter().any(|var| dependent.contains(var))
                && reads_rows(other, &arrays, vars)
            {
                return Some(Pair { first, second: at, arrays, between });
            }
            if needs.iter().any(|var| dependent.contains(var) || arrays.contains_key(var)) {
                // Additions to accumulators keep their order.
                if needs.iter().any(|var| matches!(vars[var.0 as usize].ty, Type::Accumulator(_))) {
                    return None;
                }
                dependent.insert(binding.var);
                between.push(at);
            }
        }
        None
    }

    fn merged(self, bindings: Vec<Binding>, vars: &mut Vec<VarInfo>) -> Vec<Binding> {
        let Pair { first, second, arrays, between } = self;
        let mut bindings: Vec<Option<Binding>> = bindings.into_iter().map(Some).collect();
        let mut take = |at: usize| bindings[at].take().expect("each binding is taken once");
        let (one, two) = (take(first), take(second));
        let dependents: Vec<Binding> = between.into_iter().map(take).collect();
        let mut out: Vec<Binding> = bindings.iter_mut().take(second).filter_map(Option::take).collect();
        one_pass(one, two, &arrays, vars, &mut out);
        out.extend(dependents);
        out.extend(bindings.into_iter().flatten());
        out
    }
}

/// Whether a loop that stores values of its iterations is in a body.
fn traces(body: &Body) -> bool {
    body.bindings.iter().any(|binding| matches!(binding.op, Op::Trace(_) | Op::TraceWhile { .. }))
}

/// Whether a loop reads the arrays by its own index only, and arrays among their elements.
fn reads_rows(iteration: &Iteration, arrays: &FxHashMap<Var, Option<usize>>, vars: &[VarInfo]) -> bool {
    let is_one = |atom: &Atom| matches!(atom, Atom::Var(var) if arrays.contains_key(var));
    let (mut rows, mut otherwise) = (false, false);
    walk(&iteration.body, &mut |part| match part {
        Part::Binding(Binding { var, op: Op::Index(array, Atom::Var(index)), .. })
            if is_one(array) && *index == iteration.index =>
        {
            rows |= has_rows(&vars[var.0 as usize].ty);
        }
        Part::Binding(Binding { op, .. }) => op.visit_atoms(&mut |atom| otherwise |= is_one(atom)),
        Part::Result(atom) => otherwise |= is_one(atom),
    });
    rows && !otherwise
}

fn has_rows(ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        ty => ty.components().is_some_and(|parts| parts.iter().any(has_rows)),
    }
}

enum Part<'b> {
    Binding(&'b Binding),
    Result(&'b Atom),
}

fn walk(body: &Body, visit: &mut dyn FnMut(Part<'_>)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            visit(Part::Binding(binding));
            binding.op.visit_bodies(&mut |body| walk(body, visit));
        }
        visit(Part::Result(&body.result));
    });
}

/// Lets an element stand for every read of the arrays.
fn replace_reads(body: &mut Body, index: Var, arrays: &FxHashMap<Var, Option<usize>>, element: Atom) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &mut body.bindings {
            if let Op::Index(Atom::Var(array), Atom::Var(at)) = binding.op
                && at == index
                && let Some(component) = arrays.get(&array)
            {
                binding.op = match component {
                    Some(component) => Op::Project(element, *component),
                    None => Op::Copy(element),
                };
            }
            binding.op.visit_bodies_mut(&mut |body| replace_reads(body, index, arrays, element));
        }
    });
}

/// The components of an element, if there are several.
fn components(element: Atom, several: bool, writer: &mut Writer, out: &mut Vec<Binding>) -> Vec<Atom> {
    match type_of(element, writer.vars).components() {
        Some(types) if several => {
            let part = |(at, ty)| writer.bind(Op::Project(element, at), ty, out);
            types.into_iter().enumerate().map(part).collect()
        }
        _ => vec![element],
    }
}

/// Writes the pass that makes what both make, and their components under their old names.
fn one_pass(
    one: Binding,
    two: Binding,
    arrays: &FxHashMap<Var, Option<usize>>,
    vars: &mut Vec<VarInfo>,
    out: &mut Vec<Binding>,
) {
    let span = two.span;
    let (first, second) = (Made::of(one), Made::of(two));
    let mut types = first.types(vars);
    let of_first = types.len();
    types.extend(second.types(vars));
    let Iteration { count, index, body: Body { mut bindings, result } } = first.iteration;
    let mut own = second.iteration;
    bindings.push(Binding { var: own.index, op: Op::Copy(Atom::Var(index)), span });
    replace_reads(&mut own.body, own.index, arrays, result);
    bindings.extend(own.body.bindings);
    let mut writer = Writer { vars, span };
    let mut parts = components(result, first.several, &mut writer, &mut bindings);
    parts.extend(components(own.body.result, second.several, &mut writer, &mut bindings));
    let ty = Type::Tuple(parts.iter().map(|part| type_of(*part, writer.vars)).collect());
    let element = writer.bind(Op::Tuple(parts), ty, &mut bindings);
    let body = Body { bindings, result: element };
    let op = Op::Builds(Iteration { count, index, body });
    let both = writer.bind(op, Type::Tuple(types.iter().cloned().collect()), out);
    let mut whole = |made: &Var, several: bool, from: usize, types: &[Type]| {
        let mut array = |at: usize| writer.bind(Op::Project(both, from + at), types[at].clone(), out);
        let op = match several {
            true => Op::Tuple((0..types.len()).map(array).collect()),
            false => Op::Copy(array(0)),
        };
        out.push(Binding { var: *made, op, span });
    };
    let (types_of_first, types_of_second) = types.split_at(of_first);
    whole(&first.var, first.several, 0, types_of_first);
    whole(&second.var, second.several, of_first, types_of_second);
}

/// A loop that makes one array or several.
struct Made {
    var: Var,
    iteration: Iteration,
    several: bool,
}

impl Made {
    fn of(Binding { var, op, .. }: Binding) -> Made {
        match op {
            Op::Build(iteration) => Made { var, iteration, several: false },
            Op::Builds(iteration) => Made { var, iteration, several: true },
            _ => unreachable!("a pair is of two loops that make arrays"),
        }
    }

    fn types(&self, vars: &[VarInfo]) -> Vec<Type> {
        let ty = &vars[self.var.0 as usize].ty;
        match ty.components() {
            Some(types) if self.several => types.to_vec(),
            _ => vec![ty.clone()],
        }
    }
}
