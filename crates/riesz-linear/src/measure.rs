//! How large a map is: simplification makes it smaller.

use crate::cost::{leaf_work, meeting};
use crate::map::{Form, LinearMap};

/// What is made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Multiplications and additions.
    pub work: u64,
    /// How much there is to read.
    pub weight: u64,
    /// Numbers kept.
    pub storage: u64,
}

/// What a map adds to the measures of its children.
pub(crate) fn own_measure(map: &LinearMap) -> Measure {
    let (multiplications, additions) = leaf_work(map);
    let leaf = multiplications.saturating_add(additions);
    let count = map.children().len() as u64;
    let (work, weight, storage) = match map.form() {
        Form::Zero | Form::Identity => (0, 1, 0),
        Form::Scale(_) => (leaf, 2, 1),
        Form::Project(_) | Form::Inject(_) | Form::Unitary(_) => (0, 3, 0),
        Form::Reduce { relation, .. } => (leaf, 3, relation.storage() as u64),
        Form::Diagonal(_) => (leaf, 3, map.rows() as u64),
        Form::RankOne(_) => (leaf, 3, (map.rows() as u64).saturating_add(map.columns() as u64)),
        Form::Contract(contraction) => (leaf, 3, contraction.matrix.entries()),
        Form::Compose(_) => (0, 1, 0),
        Form::Add(maps) => (meeting(maps, map.rows()), 1, 0),
        Form::Join(maps) => (meeting(maps, map.rows()), 1 + count, 0),
        Form::Fork(_) | Form::Each(_) => (0, 1 + count, 0),
        Form::Map(_) => (0, 2, 0),
        Form::Family(_, never, _) | Form::Extra(never) => match *never {},
    };
    Measure { work, weight, storage }
}
