//! The cost of applying a map, of applying its adjoint, and of writing it out as a matrix.   [004 §11]
//!
//! Costs are computed from the plan that is executed: a shared part counts once, and a rank-one map takes `n + 1 + m`
//! multiplications and not `m · n`. Copying is free. Additions are counted where two numbers are added; additions to
//! zeros that a map writes are counted too.

use std::cmp::Ordering;

use crate::fold::visit;
use crate::language::Language;
use crate::map::{Contraction, Form, LinearMap, Map, RankOne, Side};
use crate::plan::{Plan, Work};
use crate::relation::Relation;

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications of two numbers.
    pub multiplications: u64,
    /// Additions of two numbers.
    pub additions: u64,
    /// Numbers kept: the coefficients of the map, and the vectors made on the way.
    pub storage: u64,
}

impl Cost {
    /// Multiplications and additions.
    pub fn work(&self) -> u64 {
        self.multiplications.saturating_add(self.additions)
    }
}

/// By work, then by storage.
impl Ord for Cost {
    fn cmp(&self, other: &Cost) -> Ordering {
        let key = |cost: &Cost| (cost.work(), cost.storage, cost.multiplications);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Cost) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The costs of the three things one does with a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Of applying it.
    pub apply: Cost,
    /// Of applying its adjoint.
    pub adjoint: Cost,
    /// Of writing it out as a matrix, by columns or by rows, whichever is cheaper. An estimate: the entries of vectors on
    /// the way are taken to be spread evenly.
    pub matrix: Cost,
}

impl LinearMap {
    /// The cost of applying the map to a vector.
    pub fn cost(&self) -> Cost {
        let plan = Plan::new(self);
        let (multiplications, additions) = plan.work();
        Cost { multiplications, additions, storage: plan.room().saturating_add(self.storage()) }
    }

    /// The costs of applying the map, of applying its adjoint, and of writing it out.
    pub fn costs(&self) -> Costs {
        let adjoint = self.adjoint();
        let matrix = materialise(self).min(materialise(&adjoint));
        Costs { apply: self.cost(), adjoint: adjoint.cost(), matrix }
    }

    /// How many numbers the term is made of, shared ones counted once.
    pub fn storage(&self) -> u64 {
        let mut vectors = std::collections::HashSet::new();
        let mut total = 0u64;
        visit(self, |map| {
            let mut count = |address: usize, length: usize| {
                if vectors.insert(address) {
                    total = total.saturating_add(length as u64);
                }
            };
            match map.form() {
                Form::Diagonal(values) => count(values.address(), values.values().len()),
                Form::RankOne(RankOne { left, right, .. }) => {
                    count(left.address(), left.values().len());
                    count(right.address(), right.values().len());
                    total = total.saturating_add(1);
                }
                Form::Contract(Contraction { matrix, .. }) => {
                    count(matrix.address(), matrix.entries() as usize);
                }
                Form::Reduce { relation, .. } => total = total.saturating_add(relation.storage() as u64),
                Form::Scale(_) => total = total.saturating_add(1),
                _ => {}
            }
        });
        total
    }
}

/// Additions where the results of several maps meet.
pub(crate) fn meeting<L: Language>(maps: &[Map<L>], rows: u64) -> u64 {
    let some = maps.iter().filter(|map| !is_zero(map) && L::numbers(map.columns()) > 0).count() as u64;
    some.saturating_sub(1).saturating_mul(rows)
}

/// Whether a map gives nothing, at sight.
fn is_zero<L: Language>(map: &Map<L>) -> bool {
    map.factors().iter().any(|map| matches!(map.form(), Form::Zero))
}

/// Whether a product with the only number of a vector changes nothing: `u ⊗ 1` is a column and `1 ⊗ v` a row.
pub(crate) fn is_one(vector: &[f64]) -> bool {
    vector == [1.0]
}

/// Multiplications and additions of a map without children.
pub(crate) fn leaf_work(map: &LinearMap) -> (u64, u64) {
    let (rows, columns) = (map.rows() as u64, map.columns() as u64);
    if rows == 0 || columns == 0 {
        return (0, 0);
    }
    match map.form() {
        Form::Scale(_) | Form::Diagonal(_) => (rows, 0),
        Form::RankOne(RankOne { coefficient, left, right }) => {
            let factors = [left, right].map(|vector| if is_one(vector.values()) { 0 } else { vector.values().len() });
            let products = factors[0].saturating_add(factors[1]).saturating_add(usize::from(*coefficient != 1.0));
            (products as u64, columns - 1)
        }
        Form::Contract(Contraction { side, matrix, over }) => {
            let width = over.dimension() as u64;
            // Numbers of the result that have no terms.
            let empty = match side {
                Side::Left => matrix.empty_rows(),
                Side::Right => matrix.transpose().empty_rows(),
            };
            let rows = rows - empty as u64 * width;
            let products = matrix.entries().saturating_mul(width);
            (products, products.saturating_sub(rows))
        }
        Form::Reduce { relation, element } => {
            (0, (relation.additions() as u64).saturating_mul(element.dimension() as u64))
        }
        Form::Zero
        | Form::Identity
        | Form::Project(_)
        | Form::Inject(_)
        | Form::Unitary(_)
        | Form::Add(_)
        | Form::Compose(_)
        | Form::Fork(_)
        | Form::Join(_)
        | Form::Each(_)
        | Form::Map(_) => (0, 0),
        Form::Family(_, never, _) | Form::Extra(never) => match *never {},
    }
}

/// The cost of applying a map to the rows of the identity, which are sparse at first and fill up on the way.
pub(crate) fn materialise(map: &LinearMap) -> Cost {
    let plan = Plan::new(map);
    let mut flow = Flow { width: map.columns() as f64, multiplications: 0.0, additions: plan.additions as f64 };
    let kept = flow.run(&plan, map.columns() as f64);
    Cost {
        multiplications: flow.multiplications as u64,
        additions: flow.additions as u64,
        storage: (kept as u64).saturating_add(map.storage()),
    }
}

/// How many entries the rows in a buffer have together.
struct Flow {
    /// The length of a row.
    width: f64,
    multiplications: f64,
    additions: f64,
}

impl Flow {
    /// The entries of the result, given those of the argument.
    fn run(&mut self, plan: &Plan<'_>, argument: f64) -> f64 {
        let mut entries = vec![0.0; plan.lengths.len()];
        entries[crate::plan::ARGUMENT] = argument;
        for step in &plan.steps {
            let (read, written) = (step.source.buffer, step.target.buffer);
            let share = |length: usize| entries[read] * length as f64 / (plan.lengths[read] as f64).max(1.0);
            let made = match &step.work {
                Work::Copy(length) => share(*length),
                Work::Leaf(map) => self.leaf(map, share(map.columns())),
                Work::Map(repeated) => {
                    let before = (self.multiplications, self.additions);
                    let made = self.run(&repeated.body, share(repeated.columns));
                    let others = repeated.count as f64 - 1.0;
                    self.multiplications += (self.multiplications - before.0) * others;
                    self.additions += (self.additions - before.1) * others;
                    made * repeated.count as f64
                }
            };
            entries[written] = (entries[written] + made).min(self.width * plan.lengths[written] as f64);
        }
        entries[crate::plan::RESULT]
    }

    /// The entries of the result of a map without children.
    fn leaf(&mut self, map: &LinearMap, entries: f64) -> f64 {
        let full = self.width * map.rows() as f64;
        match map.form() {
            Form::Scale(_) | Form::Diagonal(_) => {
                self.multiplications += entries;
                entries
            }
            Form::RankOne(RankOne { coefficient, left, right }) => {
                let sum = entries.min(self.width);
                let (row, column) = (is_one(left.values()), is_one(right.values()));
                self.multiplications += if column { 0.0 } else { entries };
                self.multiplications += if row { 0.0 } else { sum * map.rows() as f64 };
                self.multiplications += if *coefficient == 1.0 { 0.0 } else { sum };
                self.additions += entries - sum;
                sum * map.rows() as f64
            }
            Form::Contract(Contraction { matrix, side, .. }) => {
                // The average number of entries that a number of the argument meets.
                let lines = match side {
                    Side::Left => matrix.columns(),
                    Side::Right => matrix.rows(),
                };
                let products = entries * matrix.entries() as f64 / (lines as f64).max(1.0);
                self.multiplications += products;
                self.additions += (products - full).max(0.0);
                products.min(full)
            }
            Form::Reduce { relation, .. } => {
                let made = match relation {
                    Relation::Replicate(n) => entries * *n as f64,
                    Relation::Prefix(n) | Relation::Suffix(n) => entries * (*n as f64 + 1.0) / 2.0,
                    Relation::Gather { indices, from } => entries * indices.len() as f64 / (*from as f64).max(1.0),
                    _ => entries,
                };
                self.additions += (made - full).max(0.0);
                made.min(full)
            }
            Form::Project(_) => entries * map.rows() as f64 / (map.columns() as f64).max(1.0),
            _ => entries,
        }
    }
}
