//! How large a map is: simplification makes it smaller. The measure is that of the form, which all languages share, and
//! that of the coefficients, which a language states.

use crate::cost::meeting;
use crate::language::Language;
use crate::map::{Family, Form, Map};

/// The measure that simplification reduces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Multiplications and additions.
    pub work: u64,
    /// How much there is to read.
    pub weight: u64,
    /// Numbers kept.
    pub storage: u64,
}

/// The measure that a map adds to those of its children.
pub(crate) fn measure<L: Language>(map: &Map<L>) -> Measure {
    let Measure { work, weight, storage } = L::coefficients(map);
    let rows = L::numbers(map.rows());
    let count = map.children().len() as u64;
    let (sums, text) = match map.form() {
        Form::Zero | Form::Identity | Form::Compose(_) => (0, 1),
        Form::Scale(_) | Form::Map(_) => (0, 2),
        Form::Diagonal(_) | Form::RankOne(_) | Form::Contract(_) | Form::Reduce { .. } => (0, 3),
        Form::Project(_) | Form::Inject(_) | Form::Unitary(_) => (0, 3),
        Form::Add(maps) => (meeting(maps, rows), 1),
        Form::Join(maps) => (meeting(maps, rows), 1 + count),
        Form::Fork(_) | Form::Each(_) => (0, 1 + count),
        Form::Family(Family::Add | Family::Join, ..) => (L::repetitions(map).saturating_sub(1).saturating_mul(rows), 6),
        Form::Family(Family::Fork | Family::Each, ..) => (0, 6),
        Form::Extra(_) => (0, 0),
    };
    Measure { work: work.saturating_add(sums), weight: weight + text, storage }
}
