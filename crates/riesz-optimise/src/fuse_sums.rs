//! A sum and a later loop that read the same arrays are fused.
//!
//! ```text
//! t = Σ f(b[i]) | i < n                 t = Σ f(b[i]), with g(b[i]) | i < n
//! for i < n: g(b[i])            is
//! ```
//!
//! The residuals of the terms of a sum are read by the sum, and again by the reverse loop. As one loop they read each
//! residual in one place, and it need not be stored ([`fuse`](super::fuse)): value and gradient take the memory of the
//! value. The sum moves to the loop, together with its dependents; the loop itself must not depend on it.

use crate::cost::is_pure;
use crate::length::Lengths;
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var, VarInfo};
use riesz_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// How much may depend on a sum that is moved.
const MOVED: usize = 256;

/// Fuses sums with later loops.
pub(crate) fn fuse_sums(function: &mut Function) {
    let lengths = Lengths::of(&function.body);
    fuse_in(&mut function.body, &function.vars, &lengths);
}

fn fuse_in(body: &mut Body, vars: &[VarInfo], lengths: &Lengths) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &mut body.bindings {
            binding.op.visit_bodies_mut(&mut |body| fuse_in(body, vars, lengths));
        }
        let pairs = pairs(&body.bindings, vars, lengths);
        if pairs.is_empty() {
            return;
        }
        let mut moving = Moving::of(std::mem::take(&mut body.bindings), vars);
        for (sum, each) in pairs {
            moving.put(sum, each);
        }
        body.bindings = moving.ordered();
    });
}

/// The sums and loops that read an array in common: where they are in a block.
fn pairs(bindings: &[Binding], vars: &[VarInfo], lengths: &Lengths) -> Vec<(usize, usize)> {
    let mut built: FxHashMap<Var, Var> = FxHashMap::default();
    let mut sums: FxHashMap<Var, usize> = FxHashMap::default();
    let mut pairs = Vec::new();
    for (at, Binding { var, op, .. }) in bindings.iter().enumerate() {
        match op {
            Op::Build(_) | Op::Builds(_) => {
                built.insert(*var, *var);
            }
            Op::Project(Atom::Var(arrays), _) => {
                if let Some(whole) = built.get(arrays).copied() {
                    built.insert(*var, whole);
                }
            }
            Op::Reduce(_, iteration) if is_pure(&iteration.body, vars) => {
                sums.extend(read(iteration).filter_map(|array| built.get(&array)).map(|whole| (*whole, at)));
            }
            Op::For(iteration) => {
                let mut wholes = read(iteration).filter_map(|array| built.get(&array));
                let Some(sum) = wholes.find_map(|whole| sums.get(whole).copied()) else { continue };
                if let Op::Reduce(_, Iteration { count, .. }) = &bindings[sum].op
                    && lengths.equal(*count, iteration.count)
                {
                    pairs.push((sum, at));
                    sums.retain(|_, other| *other != sum);
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The arrays that a loop reads by its index, in every iteration.
fn read(iteration: &Iteration) -> impl Iterator<Item = Var> {
    iteration.body.bindings.iter().filter_map(|binding| match binding.op {
        Op::Index(Atom::Var(array), Atom::Var(index)) if index == iteration.index => Some(array),
        _ => None,
    })
}

/// The bindings of a block, some of which move.
struct Moving {
    bindings: Vec<Binding>,
    /// Where each of them is to stand.
    places: Vec<(usize, usize)>,
    /// How many have been moved.
    moved: usize,
    /// The variables that each uses, and the bindings that use a variable.
    needs: Vec<Vec<Var>>,
    users: FxHashMap<Var, Vec<usize>>,
    /// The bindings that use accumulators.
    touching: FxHashSet<usize>,
}

impl Moving {
    fn of(bindings: Vec<Binding>, vars: &[VarInfo]) -> Moving {
        let mut moving = Moving {
            places: (0..bindings.len()).map(|at| (at, 0)).collect(),
            moved: 0,
            needs: Vec::with_capacity(bindings.len()),
            users: FxHashMap::default(),
            touching: FxHashSet::default(),
            bindings,
        };
        for at in 0..moving.bindings.len() {
            let needs = Free::of(std::slice::from_ref(&moving.bindings[at]), &[], vars).found;
            for var in &needs {
                moving.users.entry(*var).or_default().push(at);
                if matches!(vars[var.0 as usize].ty, Type::Accumulator(_)) {
                    moving.touching.insert(at);
                }
            }
            moving.needs.push(needs);
        }
        moving
    }

    /// Makes a sum and a later loop one, where the loop is, unless it depends on the sum.
    fn put(&mut self, sum: usize, each: usize) {
        let mut after: Vec<usize> = Vec::new();
        let mut next = vec![sum];
        while let Some(at) = next.pop() {
            for user in self.users.get(&self.bindings[at].var).into_iter().flatten() {
                let later = self.places[*user] > self.places[each];
                if *user == each || (!later && self.touching.contains(user)) || after.len() > MOVED {
                    return;
                }
                if !later && !after.contains(user) {
                    after.push(*user);
                    next.push(*user);
                }
            }
        }
        let Op::For(Iteration { index, body, .. }) =
            std::mem::replace(&mut self.bindings[each].op, Op::Tuple(Vec::new()))
        else {
            return;
        };
        let span = self.bindings[each].span;
        if let Op::Reduce(_, Iteration { index: own, body: terms, .. }) = &mut self.bindings[sum].op {
            terms.bindings.push(Binding { var: index, op: Op::Copy(Atom::Var(*own)), span });
            terms.bindings.extend(body.bindings);
        }
        let needs = std::mem::take(&mut self.needs[each]);
        for var in needs {
            self.users.entry(var).or_default().push(sum);
        }
        self.touching.insert(sum);
        after.sort_unstable_by_key(|at| self.places[*at]);
        for at in [sum].into_iter().chain(after) {
            self.moved += 1;
            self.places[at] = (self.places[each].0, self.moved);
        }
    }

    fn ordered(self) -> Vec<Binding> {
        let mut bindings: Vec<((usize, usize), Binding)> = self.places.into_iter().zip(self.bindings).collect();
        bindings.sort_unstable_by_key(|(place, _)| *place);
        bindings.into_iter().map(|(_, binding)| binding).collect()
    }
}
