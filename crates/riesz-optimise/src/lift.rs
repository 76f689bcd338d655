//! A product in a branch is computed before it: a condition on indices only restricts the iterations.
//!
//! ```text
//! for j < m: if c(j) then g(dot(a, x(j))) else h     is     for j < m: p = dot(a, x(j))
//!                                                                      if c(j) then g(p) else h
//! ```
//!
//! The products of all iterations can then be one product of matrices, which takes a fraction of the time of as many
//! products of vectors. This pays only if the condition holds in a fair share of the iterations, so it must be a condition on the
//! indices of loops with known counts, of which a sample is evaluated. What comes out of a branch cannot fail.

use crate::batch::is_dot;
use crate::cost::Safety;
use crate::separate::{cost, needs, slice};
use riesz_core::Size;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Body, Op, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The share of the iterations in which a branch must be taken, in percent: with less, a product of matrices for all
/// iterations is no faster than products of vectors in these.
const SHARE: usize = 25;
/// How many values of an index a sample has.
const SAMPLE: i64 = 8;
/// The most indices of a condition.
const INDICES: usize = 3;

/// A product in a branch of the body of a loop, and what it needs.
pub(crate) struct Lift {
    /// The position of the branch in the body.
    branch: usize,
    /// Whether it is the branch in which the condition holds.
    holds: bool,
    /// The positions of the bindings in the branch, in order; the product is the last.
    slice: Vec<usize>,
}

impl Lift {
    /// The products that can come out of the branches of a loop's body.
    pub fn all(body: &Body, safety: &Safety) -> Vec<Lift> {
        let mut found = Vec::new();
        for (at, binding) in body.bindings.iter().enumerate() {
            let Op::If { condition, yes, no } = &binding.op else { continue };
            for (branch, holds) in [(yes, true), (no, false)] {
                if branch.bindings.iter().any(is_product) && is_frequent(*condition, holds, body, safety) {
                    found.extend(products(branch, safety).map(|slice| Lift { branch: at, holds, slice }));
                }
            }
        }
        found
    }

    /// Moves a product out of its branch: what does not need the loop, whose variables are `bound`, is returned.
    pub fn apply(&self, body: &mut Body, bound: &FxHashSet<Var>) -> Vec<Binding> {
        let Op::If { yes, no, .. } = &mut body.bindings[self.branch].op else { return Vec::new() };
        let branch = if self.holds { yes } else { no };
        let (mut outside, mut inside, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut varying = FxHashSet::default();
        for (at, binding) in std::mem::take(&mut branch.bindings).into_iter().enumerate() {
            if self.slice.binary_search(&at).is_err() {
                rest.push(binding);
                continue;
            }
            let mut varies = is_product(&binding);
            binding.op.visit_atoms(&mut |atom| {
                varies |= matches!(atom, Atom::Var(var) if bound.contains(var) || varying.contains(var));
            });
            if varies {
                varying.insert(binding.var);
                inside.push(binding);
            } else {
                outside.push(binding);
            }
        }
        branch.bindings = rest;
        body.bindings.splice(self.branch..self.branch, inside);
        outside
    }
}

fn is_product(binding: &Binding) -> bool {
    matches!(&binding.op, Op::ArrayFunction(primitive, _) if is_dot(primitive))
}

/// For each product of a branch, the positions of the bindings that it needs, if these are cheap and cannot fail.
fn products(branch: &Body, safety: &Safety) -> impl Iterator<Item = Vec<usize>> {
    let positions: FxHashMap<Var, usize> =
        branch.bindings.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
    let needs = needs(branch, &positions, safety.vars);
    let products = (0..branch.bindings.len()).filter(|at| is_product(&branch.bindings[*at]));
    products.map(move |at| slice(&[at], &needs)).filter(|slice| {
        let (last, before) = slice.split_last().expect("a product needs itself");
        let is_cheap = |at: &usize| cost(&branch.bindings[*at].op) <= 1;
        let is_safe = |at: &usize| safety.is_safe(branch.bindings[*at].var, &branch.bindings[*at].op);
        before.iter().all(|at| is_cheap(at) && is_safe(at)) && is_safe(last)
    })
}

/// Whether a condition is one on the indices of the loops around, and often as it is wanted.
fn is_frequent(condition: Atom, wanted: bool, body: &Body, safety: &Safety) -> bool {
    let mut indices = Vec::new();
    if !collect(condition, body, safety, &mut indices) || indices.is_empty() || indices.len() > INDICES {
        return false;
    }
    let counts: Option<Vec<i64>> = indices
        .iter()
        .map(|index| match safety.around.iter().find(|(around, _)| around == index)?.1 {
            Atom::Int(count) if count > 0 => Some(count),
            _ => None,
        })
        .collect();
    let Some(counts) = counts else { return false };
    let steps: Vec<i64> = counts.iter().map(|count| SAMPLE.min(*count)).collect();
    let (mut taken, all) = (0, steps.iter().product::<i64>());
    for sample in 0..all {
        let (mut rest, mut at) = (sample, FxHashMap::default());
        for ((index, count), steps) in indices.iter().zip(&counts).zip(&steps) {
            // The middle of each part of the range.
            at.insert(*index, (2 * (rest % steps) + 1) * count / (2 * steps));
            rest /= steps;
        }
        taken += usize::from(holds(condition, body, safety, &at) == Some(wanted));
    }
    100 * taken >= SHARE * all as usize
}

/// Collects the indices that a condition depends on; whether it depends on nothing else.
fn collect(condition: Atom, body: &Body, safety: &Safety, indices: &mut Vec<Var>) -> bool {
    let mut number = |atom: Atom| {
        let size = safety.lengths.atom(atom);
        let known = size != Size::Hole;
        known
            && size.atoms().into_iter().all(|atom| match atom {
                size::Atom::Var(var) if safety.around.iter().any(|(index, _)| *index == var) => {
                    if !indices.contains(&var) {
                        indices.push(var);
                    }
                    true
                }
                _ => false,
            })
    };
    match condition {
        Atom::Bool(_) => true,
        Atom::Var(var) => match body.bindings.iter().find(|binding| binding.var == var).map(|binding| &binding.op) {
            Some(Op::Compare(_, a, b) | Op::Same(a, b)) => number(*a) && number(*b),
            Some(Op::Not(a)) => collect(*a, body, safety, indices),
            Some(Op::If { condition, yes, no }) => {
                collect(*condition, body, safety, indices)
                    && [yes, no].into_iter().all(|branch| collect(branch.result, branch, safety, indices))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a condition holds for some values of the indices.
fn holds(condition: Atom, body: &Body, safety: &Safety, at: &FxHashMap<Var, i64>) -> Option<bool> {
    let number = |atom: Atom| {
        let value = safety.lengths.atom(atom).replace(&mut |atom| match atom {
            size::Atom::Var(var) => at.get(&var).map_or(Size::Hole, |value| Size::Constant(*value)),
            _ => Size::Hole,
        });
        match value {
            Size::Constant(value) => Some(value),
            _ => None,
        }
    };
    match condition {
        Atom::Bool(holds) => Some(holds),
        Atom::Var(var) => match &body.bindings.iter().find(|binding| binding.var == var)?.op {
            Op::Compare(comparison, a, b) => Some(comparison.holds(&number(*a)?, &number(*b)?)),
            Op::Same(a, b) => Some(number(*a)? == number(*b)?),
            Op::Not(a) => holds(*a, body, safety, at).map(|holds| !holds),
            Op::If { condition, yes, no } => {
                let branch = if holds(*condition, body, safety, at)? { yes } else { no };
                holds(branch.result, branch, safety, at)
            }
            _ => None,
        },
        _ => None,
    }
}
