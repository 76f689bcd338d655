//! `[(f(i), g(i)) | i < n]` is `([f(i) | i < n], [g(i) | i < n])`: arrays that are built together but share no
//! expensive values are built separately, so that each can be fused with its reader or removed.
//!
//! Shared values are computed for each array: reads, and at most one addition or multiplication, which is cheaper than
//! storing a number and reading it again.

use crate::cost::is_pure;
use crate::each::Writer;
use crate::rename::Renaming;
use riesz_core::build::type_of;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::scalar::{ADD, EXACT_MUL, MUL, NEG, SUB};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many additions or multiplications may be done again for an element.
const AGAIN: usize = 1;

/// Takes apart what is built together without need.
pub(crate) fn separate(function: &mut Function) {
    let mut separating = Separating { vars: &mut function.vars, arrays: FxHashMap::default() };
    separating.body(&mut function.body);
}

struct Separating<'v> {
    vars: &'v mut Vec<VarInfo>,
    /// The components of arrays that have been taken apart.
    arrays: FxHashMap<Var, Vec<Atom>>,
}

impl Separating<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            for Binding { var, mut op, span } in bindings {
                op.visit_bodies_mut(&mut |body| self.body(body));
                let op = match op {
                    Op::Builds(iteration) => match self.apart(var, &iteration, span, &mut body.bindings) {
                        Some(arrays) => {
                            self.arrays.insert(var, arrays.clone());
                            Op::Tuple(arrays)
                        }
                        None => Op::Builds(iteration),
                    },
                    Op::Project(Atom::Var(tuple), at) => match self.arrays.get(&tuple) {
                        Some(arrays) => Op::Copy(arrays[at]),
                        None => Op::Project(Atom::Var(tuple), at),
                    },
                    op => op,
                };
                body.bindings.push(Binding { var, op, span });
            }
        });
    }

    /// The arrays one by one, or in groups that share what costs; none where all do.
    fn apart(&mut self, var: Var, iteration: &Iteration, span: Span, out: &mut Vec<Binding>) -> Option<Vec<Atom>> {
        let Iteration { count, index, body } = iteration;
        let types = self.vars[var.0 as usize].ty.components()?;
        let made = body.bindings.iter().rev().find(|binding| Atom::Var(binding.var) == body.result)?;
        let Op::Tuple(parts) = &made.op else { return None };
        if parts.len() < 2 || !is_pure(body, self.vars) {
            return None;
        }
        let positions: FxHashMap<Var, usize> =
            body.bindings.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
        let needs = needs(body, &positions, self.vars);
        let places: Vec<Option<usize>> = (parts.iter())
            .map(|part| match part {
                Atom::Var(var) => positions.get(var).copied(),
                _ => None,
            })
            .collect();
        let groups = groups(body, &places, &needs);
        if groups.len() < 2 {
            return None;
        }
        let mut arrays = vec![Atom::Int(0); parts.len()];
        for (at, group) in groups.into_iter().enumerate() {
            let wanted: Vec<usize> = group.iter().filter_map(|part| places[*part]).collect();
            let mut bindings: Vec<Binding> =
                slice(&wanted, &needs).into_iter().map(|at| body.bindings[at].clone()).collect();
            let chosen: Vec<Atom> = group.iter().map(|part| parts[*part]).collect();
            let result = match chosen[..] {
                [part] => part,
                _ => {
                    let ty = Type::Tuple(chosen.iter().map(|part| type_of(*part, self.vars)).collect());
                    Writer { vars: self.vars, span }.bind(Op::Tuple(chosen), ty, &mut bindings)
                }
            };
            let mut iteration = Iteration { count: *count, index: *index, body: Body { bindings, result } };
            // The first keeps the variables, the others get their own.
            if at > 0 {
                let mut renaming = Renaming::default();
                iteration.index = Writer { vars: self.vars, span }.var(Type::Int);
                renaming.insert(*index, Atom::Var(iteration.index));
                renaming.freshen(&mut iteration.body, None, self.vars);
            }
            let mut writer = Writer { vars: self.vars, span };
            if let [part] = group[..] {
                arrays[part] = writer.bind(Op::Build(iteration), types[part].clone(), out);
            } else {
                let ty = Type::Tuple(group.iter().map(|part| types[*part].clone()).collect());
                let several = writer.bind(Op::Builds(iteration), ty, out);
                for (at, part) in group.iter().enumerate() {
                    arrays[*part] = writer.bind(Op::Project(several, at), types[*part].clone(), out);
                }
            }
        }
        Some(arrays)
    }
}

/// For each binding of a body, the positions of those before it that it needs, sizes in types included. What touches an
/// accumulator needs what touched it before.
pub(crate) fn needs(body: &Body, positions: &FxHashMap<Var, usize>, vars: &[VarInfo]) -> Vec<Vec<usize>> {
    let mut touched: FxHashMap<Var, usize> = FxHashMap::default();
    let mut needs = Vec::with_capacity(body.bindings.len());
    for (at, binding) in body.bindings.iter().enumerate() {
        let mut free = Free::default();
        free.bindings(std::slice::from_ref(binding), vars);
        let mut needed: Vec<usize> = free.found.iter().filter_map(|var| positions.get(var).copied()).collect();
        for var in free.found {
            if matches!(vars[var.0 as usize].ty, Type::Accumulator(_)) {
                needed.extend(touched.insert(var, at));
            }
        }
        needs.push(needed);
    }
    needs
}

/// Puts components together that share something that is not done again.
fn groups(body: &Body, places: &[Option<usize>], needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    // What doing a binding again costs, with all it needs.
    let mut again: Vec<usize> = Vec::with_capacity(needs.len());
    for (binding, needed) in body.bindings.iter().zip(needs) {
        let total = needed.iter().fold(cost(&binding.op), |total, at| total.saturating_add(again[*at]));
        again.push(total);
    }
    let mut sets: Vec<usize> = (0..needs.len()).collect();
    for (at, needed) in needs.iter().enumerate().filter(|(at, _)| again[*at] > AGAIN) {
        // The tuple itself needs everything, and joins nothing.
        if Atom::Var(body.bindings[at].var) == body.result {
            continue;
        }
        for other in needed.iter().filter(|other| again[**other] > AGAIN) {
            let (a, b) = (root(&mut sets, at), root(&mut sets, *other));
            sets[a] = b;
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut found: FxHashMap<usize, usize> = FxHashMap::default();
    for (part, place) in places.iter().enumerate() {
        let set = place.filter(|at| again[*at] > AGAIN).map(|at| root(&mut sets, at));
        match set.and_then(|set| found.get(&set)) {
            Some(group) => groups[*group].push(part),
            None => {
                found.extend(set.map(|set| (set, groups.len())));
                groups.push(vec![part]);
            }
        }
    }
    groups
}

/// The representative of a set, with paths halved on the way.
fn root(sets: &mut [usize], mut at: usize) -> usize {
    while sets[at] != at {
        sets[at] = sets[sets[at]];
        at = sets[at];
    }
    at
}

/// The positions of some bindings of a body and of all that they need, in order.
pub(crate) fn slice(wanted: &[usize], needs: &[Vec<usize>]) -> Vec<usize> {
    let mut found: FxHashSet<usize> = FxHashSet::default();
    let mut work = wanted.to_vec();
    while let Some(at) = work.pop() {
        if found.insert(at) {
            work.extend(&needs[at]);
        }
    }
    let mut order: Vec<usize> = found.into_iter().collect();
    order.sort_unstable();
    order
}

/// The cost of doing an operation again: 0 for reads.
pub(crate) fn cost(op: &Op) -> usize {
    match op {
        Op::Index(..)
        | Op::Project(..)
        | Op::Copy(_)
        | Op::Global(_)
        | Op::ToReal(_)
        | Op::SizeOf(..)
        | Op::Compare(..)
        | Op::Not(_)
        | Op::Tuple(_) => 0,
        Op::Scalar(primitive, _) if [&ADD, &SUB, &MUL, &EXACT_MUL, &NEG].contains(primitive) => 1,
        _ => usize::MAX,
    }
}
