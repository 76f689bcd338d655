//! Residuals of a loop that are cheap to compute from its state are computed again, and the state is stored instead.
//!
//! ```text
//! trace s < m: keep f(x), g(x)               trace s < m: keep x
//! for s < m backwards: … f[s] … g[s] …   is   for s < m backwards: … f(x[s]) … g(x[s]) …
//! ```
//!
//! `x` is the state of an iteration. Reading a number that a long loop has stored takes longer than a few additions and
//! multiplications, and value and gradient take less memory. The results are the same to the last bit.

use crate::rename::Renaming;
use riesz_core::build::{bind, fresh, type_of};
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Recurrence, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::scalar::{ADD, EXACT_MUL, MUL, NEG, SUB};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How many operations may be repeated for each residual that is no longer stored.
const AGAIN: usize = 3;

/// Computes cheap residuals where they are read.
pub(crate) fn recompute(function: &mut Function) {
    let Function { body, vars, .. } = function;
    in_body(body, vars);
}

fn in_body(body: &mut Body, vars: &mut Vec<VarInfo>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &mut body.bindings {
            binding.op.visit_bodies_mut(&mut |body| in_body(body, vars));
        }
        let mut places = None;
        for at in 0..body.bindings.len() {
            let Binding { op, span, .. } = &mut body.bindings[at];
            let (Op::Trace(Recurrence { body: traced, .. }) | Op::TraceWhile { body: traced, .. }) = op else {
                continue;
            };
            let before = (traced.bindings.len(), traced.result);
            name_parts(traced, vars, *span);
            let places = places.get_or_insert_with(|| Places::of(body));
            match Plan::of(at, body, places, vars) {
                Some(plan) => {
                    plan.carry_out(body, vars);
                    *places = Places::of(body);
                }
                None => {
                    if let Some(traced) = body_mut(&mut body.bindings[at].op) {
                        traced.bindings.truncate(before.0);
                        traced.result = before.1;
                    }
                }
            }
        }
    });
}

/// The residuals of a loop that a later loop computes again.
struct Plan {
    /// The loop, and the later one, in their block.
    traced: usize,
    reader: usize,
    /// The variable of the later loop that says which iteration it goes back through.
    iteration: Var,
    /// The arrays of residuals, with their positions in what the body of the loop gives.
    residuals: FxHashMap<Var, usize>,
    /// The bindings in the body of the loop that compute them, by position.
    slice: Vec<usize>,
    /// The parts of the state that these need.
    leaves: Vec<Var>,
}

impl Plan {
    fn of(at: usize, block: &Body, places: &Places, vars: &[VarInfo]) -> Option<Plan> {
        let traced = Traced::of(&block.bindings[at].op)?;
        let parts = traced.parts()?;
        // The later loop, and the iteration, for which the most residuals are read in no other place.
        let mut readers: BTreeMap<(usize, Var), FxHashMap<Var, usize>> = BTreeMap::new();
        for (array, part) in places.residuals(block.bindings[at].var, traced.offset)? {
            if let Some(reader) = places.only(array) {
                readers.entry(reader).or_default().insert(array, part);
            }
        }
        let ((reader, iteration), mut residuals) = readers.into_iter().max_by_key(|(_, arrays)| arrays.len())?;
        let positions: FxHashMap<Var, usize> =
            traced.body.bindings.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
        residuals.retain(|_, part| matches!(parts[*part], Atom::Var(var) if traced.is_cheap(var, &positions, vars)));
        let wanted: FxHashSet<Var> = residuals.values().filter_map(|part| variable(parts[*part])).collect();
        let Slice { bindings: slice, leaves, work } = traced.slice(wanted, &positions, vars)?;
        let leaves: Vec<Var> = leaves.into_iter().collect();
        // Arrays are stored for arrays, not for numbers.
        let rank = residuals.values().map(|part| rank(&type_of(parts[*part], vars))).max()?;
        if leaves.iter().any(|leaf| self::rank(&vars[leaf.0 as usize].ty) > rank) {
            return None;
        }
        let removed = residuals.values().filter(|part| self::rank(&type_of(parts[**part], vars)) == rank).count();
        let is_kept = |leaf: &Var| {
            parts.iter().enumerate().any(|(at, part)| {
                at > 0 && *part == Atom::Var(*leaf) && !residuals.values().any(|residual| *residual == at)
            })
        };
        let added = leaves.iter().filter(|leaf| !is_kept(leaf)).count();
        let gains = removed > added && work <= AGAIN * (removed - added);
        gains.then_some(Plan { traced: at, reader, iteration, residuals, slice, leaves })
    }

    fn carry_out(self, block: &mut Body, vars: &mut Vec<VarInfo>) {
        let Plan { traced, reader, iteration, residuals, slice, leaves } = self;
        let Binding { var, op, span } = &mut block.bindings[traced];
        let (tuple, span) = (*var, *span);
        let Some(Traced { body, offset, index, .. }) = Traced::of(op) else { return };
        let copied: Vec<Binding> = slice.iter().map(|at| body.bindings[*at].clone()).collect();
        let Some(parts) = parts(body).map(<[Atom]>::to_vec) else { return };
        // The states that are not stored yet are stored after the other residuals.
        let mut all = parts.clone();
        let components: Vec<usize> = leaves
            .iter()
            .map(|leaf| {
                let stored = all.iter().skip(1).position(|part| *part == Atom::Var(*leaf)).map(|at| at + 1);
                let at = stored.unwrap_or_else(|| {
                    all.push(Atom::Var(*leaf));
                    all.len() - 1
                });
                at + offset
            })
            .collect();
        let Some(mut types) = vars[tuple.0 as usize].ty.components() else { return };
        let Some(Type::Array(size, _)) = types.get(1 + offset).cloned() else { return };
        let added = all.iter().skip(parts.len());
        types.extend(added.map(|leaf| Type::Array(size.clone(), type_of(*leaf, vars).into())));
        vars[tuple.0 as usize].ty = Type::tuple(types.clone());
        if let Some(body) = body_mut(op) {
            let ty = Type::Tuple(all.iter().map(|part| type_of(*part, vars)).collect());
            body.result = bind(vars, &mut body.bindings, Op::Tuple(all), ty, span);
        }
        let states: Vec<Binding> = components
            .into_iter()
            .map(|at| {
                let var = fresh(vars, types[at].clone());
                Binding { var, op: Op::Project(Atom::Var(tuple), at), span }
            })
            .collect();
        let arrays: Vec<Var> = states.iter().map(|binding| binding.var).collect();
        let Some(into) = body_mut(&mut block.bindings[reader].op) else { return };
        let after = into.bindings.iter().position(|binding| binding.var == iteration).map_or(0, |at| at + 1);
        let mut renaming = Renaming::default();
        let mut again = Vec::new();
        for (leaf, array) in leaves.iter().zip(&arrays) {
            let op = Op::Index(Atom::Var(*array), Atom::Var(iteration));
            let ty = vars[leaf.0 as usize].ty.clone();
            renaming.insert(*leaf, bind(vars, &mut again, op, ty, span));
        }
        if let Some(index) = index {
            renaming.insert(index, Atom::Var(iteration));
        }
        let mut copied = Body { bindings: copied, result: Atom::Int(0) };
        renaming.freshen(&mut copied, None, vars);
        again.extend(copied.bindings);
        let now: FxHashMap<Var, Atom> =
            residuals.iter().map(|(array, part)| (*array, renaming.atom(parts[*part]))).collect();
        read_again(into, &now);
        into.bindings.splice(after..after, again);
        let at = traced + 1;
        block.bindings.splice(at..at, states);
    }
}

/// Lets what is computed again stand for what was read.
fn read_again(body: &mut Body, now: &FxHashMap<Var, Atom>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &mut body.bindings {
            if let Op::Index(Atom::Var(array), _) = binding.op
                && let Some(atom) = now.get(&array)
            {
                binding.op = Op::Copy(*atom);
            }
            binding.op.visit_bodies_mut(&mut |body| read_again(body, now));
        }
    });
}

/// A loop that stores values of its iterations.
struct Traced<'b> {
    state: Var,
    index: Option<Var>,
    body: &'b Body,
    /// How far the arrays of residuals are behind the residuals that the body gives.
    offset: usize,
}

impl<'b> Traced<'b> {
    fn of(op: &'b Op) -> Option<Traced<'b>> {
        match op {
            Op::Trace(Recurrence { state, index, body, .. }) => {
                Some(Traced { state: *state, index: Some(*index), body, offset: 0 })
            }
            Op::TraceWhile { state, body, .. } => Some(Traced { state: *state, index: None, body, offset: 1 }),
            _ => None,
        }
    }

    /// The next state and the residuals.
    fn parts(&self) -> Option<&'b [Atom]> {
        parts(self.body)
    }

    /// Whether a variable of the body is cheap to compute from the state.
    fn is_cheap(&self, var: Var, positions: &FxHashMap<Var, usize>, vars: &[VarInfo]) -> bool {
        // The state itself is not computed.
        positions.contains_key(&var)
            && !self.is_leaf(var, positions)
            && self.slice(FxHashSet::from_iter([var]), positions, vars).is_some()
    }

    /// The bindings that compute some variables from the state; none if that is not cheap.
    fn slice(&self, wanted: FxHashSet<Var>, positions: &FxHashMap<Var, usize>, vars: &[VarInfo]) -> Option<Slice> {
        let mut slice = Slice::default();
        let mut seen = FxHashSet::default();
        let mut next: Vec<Var> = wanted.into_iter().collect();
        while let Some(var) = next.pop() {
            if !seen.insert(var) {
                continue;
            }
            if self.is_leaf(var, positions) {
                // A tuple is stored by its components.
                if vars[var.0 as usize].ty.components().is_some() {
                    return None;
                }
                slice.leaves.insert(var);
            } else if let Some(at) = positions.get(&var) {
                let binding = &self.body.bindings[*at];
                slice.work += work(binding.var, &binding.op, vars)?;
                slice.bindings.push(*at);
                next.extend(Free::of(std::slice::from_ref(binding), &[], vars).found);
            }
        }
        slice.bindings.sort_unstable();
        Some(slice)
    }

    /// Whether a variable is the state, or a component of it.
    fn is_leaf(&self, var: Var, positions: &FxHashMap<Var, usize>) -> bool {
        var == self.state
            || positions.get(&var).is_some_and(
                |at| matches!(self.body.bindings[*at].op, Op::Project(Atom::Var(of), _) if of == self.state),
            )
    }
}

#[derive(Default)]
struct Slice {
    bindings: Vec<usize>,
    leaves: std::collections::BTreeSet<Var>,
    work: usize,
}

/// Gives the components of a result variables of their own.
fn name_parts(body: &mut Body, vars: &mut Vec<VarInfo>, span: Span) {
    if parts(body).is_some() {
        return;
    }
    let Some(types) = type_of(body.result, vars).components() else { return };
    let Body { bindings, result } = body;
    let part = |(at, ty): (usize, &Type)| bind(vars, bindings, Op::Project(*result, at), ty.clone(), span);
    let parts = types.iter().enumerate().map(part).collect();
    *result = bind(vars, bindings, Op::Tuple(parts), Type::tuple(types), span);
}

fn parts(body: &Body) -> Option<&[Atom]> {
    body.bindings.iter().rev().find_map(|binding| match &binding.op {
        Op::Tuple(parts) if Atom::Var(binding.var) == body.result => Some(&parts[..]),
        _ => None,
    })
}

/// How many operations on numbers an operation is; none if one of them is not cheap, or not on numbers.
fn work(var: Var, op: &Op, vars: &[VarInfo]) -> Option<usize> {
    let within = |body: &Body| {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            body.bindings.iter().try_fold(0, |total, binding| Some(total + work(binding.var, &binding.op, vars)?))
        })
    };
    match op {
        Op::Copy(_) | Op::Tuple(_) | Op::Project(..) | Op::Index(..) | Op::SizeOf(..) => Some(0),
        Op::Compare(..) | Op::Same(..) | Op::Not(_) | Op::ToReal(_) => Some(0),
        Op::Scalar(primitive, _) => {
            let cheap = [&ADD, &SUB, &MUL, &EXACT_MUL, &NEG].contains(primitive);
            let real = vars[var.0 as usize].ty == Type::Real;
            cheap.then_some(usize::from(real))
        }
        Op::Build(Iteration { body, .. }) | Op::Builds(Iteration { body, .. }) => within(body),
        Op::If { yes, no, .. } => Some(within(yes)? + within(no)?),
        _ => None,
    }
}

fn rank(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => 1 + rank(element),
        ty => ty.components().into_iter().flatten().map(|part| rank(&part)).max().unwrap_or(0),
    }
}

fn variable(atom: Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(var),
        _ => None,
    }
}

fn body_mut(op: &mut Op) -> Option<&mut Body> {
    match op {
        Op::Trace(recurrence) | Op::Loop(recurrence) | Op::Scan(recurrence) => Some(&mut recurrence.body),
        Op::TraceWhile { body, .. } => Some(body),
        Op::For(iteration) | Op::Build(iteration) | Op::Builds(iteration) | Op::Reduce(_, iteration) => {
            Some(&mut iteration.body)
        }
        _ => None,
    }
}

/// Where the variables of a block are read.
#[derive(Default)]
struct Places {
    /// The components that are taken of tuples: the variable and the position.
    components: FxHashMap<Var, Vec<(Var, usize)>>,
    /// The reads of each variable: the binding of the block and the variable by which it takes an element, or none for a
    /// read of another kind.
    reads: FxHashMap<Var, Vec<Option<(usize, Var)>>>,
}

impl Places {
    fn of(block: &Body) -> Places {
        let Places { mut components, reads: mut found } = Places::default();
        for (at, binding) in block.bindings.iter().enumerate() {
            match binding.op {
                Op::Project(Atom::Var(tuple), component) => {
                    components.entry(tuple).or_default().push((binding.var, component));
                    continue;
                }
                ref op => op.visit_atoms(&mut |atom| note(&mut found, *atom, None)),
            }
            let one_body = !matches!(binding.op, Op::While { .. } | Op::TraceWhile { .. } | Op::If { .. });
            let index = binding.op.iterations().map(|(index, _)| index);
            binding.op.visit_bodies(&mut |body| {
                let mut own: FxHashSet<Var> = body.bindings.iter().map(|binding| binding.var).collect();
                own.extend(index);
                look(body, &|iteration| (one_body && own.contains(&iteration)).then_some((at, iteration)), &mut found);
            });
        }
        note(&mut found, block.result, None);
        Places { components, reads: found }
    }

    /// The arrays of residuals that are taken of a loop, with their positions in what its body gives; none if the loop is
    /// read as a whole.
    fn residuals(&self, traced: Var, offset: usize) -> Option<impl Iterator<Item = (Var, usize)>> {
        let taken = self.components.get(&traced).filter(|_| !self.reads.contains_key(&traced))?;
        let arrays = taken.iter().filter(move |(_, component)| *component > offset);
        Some(arrays.map(move |(array, component)| (*array, component - offset)))
    }

    /// Where a variable is read, if that is one loop and one of its variables.
    fn only(&self, array: Var) -> Option<(usize, Var)> {
        let [first, rest @ ..] = self.reads.get(&array)?.as_slice() else { return None };
        first.filter(|_| rest.iter().all(|other| other == first))
    }
}

/// Collects the variables that a body reads, by one of its own variables or otherwise.
fn look(
    body: &Body,
    place: &dyn Fn(Var) -> Option<(usize, Var)>,
    found: &mut FxHashMap<Var, Vec<Option<(usize, Var)>>>,
) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            match &binding.op {
                Op::Index(array, Atom::Var(iteration)) => {
                    note(found, *array, place(*iteration));
                    note(found, Atom::Var(*iteration), None);
                }
                op => op.visit_atoms(&mut |atom| note(found, *atom, None)),
            }
            binding.op.visit_bodies(&mut |body| look(body, place, found));
        }
        note(found, body.result, None);
    });
}

fn note(found: &mut FxHashMap<Var, Vec<Option<(usize, Var)>>>, atom: Atom, place: Option<(usize, Var)>) {
    if let Atom::Var(var) = atom {
        found.entry(var).or_default().push(place);
    }
}
