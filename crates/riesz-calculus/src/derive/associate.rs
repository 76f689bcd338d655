//! Association: which bracketing of a chain of derivatives is cheapest.   [004 §11]
//!
//! The factors become maps with numbers in them, of the sizes that are known; what the numbers are does not matter to the cost.

use super::build::{Derivative, Scope};
use super::term::{Form, Term};
use riesz_core::Type;
use riesz_core::size::Atom;
use riesz_linear::{LinearMap, Matrix, Relation, Space, Vector};

/// What is known of the association of a derivative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Association {
    /// There is a chain to bracket.
    Chain {
        /// The factors.
        factors: Vec<String>,
        /// The cheapest bracketing.
        bracketing: String,
        /// Multiplications and additions of the cheapest bracketing.
        cheapest: u64,
        /// The same for forward mode.
        forward: u64,
        /// The same for reverse mode.
        reverse: u64,
    },
    /// There is nothing to choose, and why.
    Nothing(String),
}

/// The most numbers that the matrices of a chain may have together.
const MOST: u64 = 20_000_000;

/// The cheapest bracketing of a derivative.
pub(crate) fn associate(scope: &Scope, derivative: &Derivative, sizes: &[(String, i64)]) -> Association {
    let Derivative { items, result } = derivative;
    let factors = match &result.form {
        _ if !items.is_empty() => return nothing("the derivative is several equations, not one chain"),
        Form::Add(maps) => return nothing(&format!("the derivative is a sum of {} maps, not one chain", maps.len())),
        Form::Compose(maps) if maps.len() > 1 => maps,
        Form::Zero => return nothing("the derivative is zero"),
        _ => return nothing("the derivative is one map, not a chain"),
    };
    if factors.len() < 3 {
        return nothing("a chain of two maps has one bracketing");
    }
    let mut unknown = Vec::new();
    let mut space = |ty: &Type| -> Option<Space> {
        spaced(ty, &mut |atom| {
            let name = match atom {
                Atom::Var(var) => scope.name(var).to_string(),
                Atom::Global(global) => scope.program.global(global).name.to_string(),
                _ => "_".to_string(),
            };
            let known = sizes.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
            if known.is_none() && !unknown.contains(&name) {
                unknown.push(name);
            }
            known
        })
    };
    let ends: Vec<Option<(Space, Space)>> =
        factors.iter().map(|factor| Some((space(&factor.from)?, space(&factor.to)?))).collect();
    if !unknown.is_empty() {
        let options: Vec<String> = unknown.iter().map(|name| format!("--size {name}=N")).collect();
        return nothing(&format!("{} is not known; give {}", unknown.join(", "), options.join(" ")));
    }
    let Some(ends) = ends.into_iter().collect::<Option<Vec<_>>>() else {
        return nothing("the sizes of some spaces are known only when the program runs");
    };
    let cells = |(from, to): &(Space, Space)| (from.dimension() as u64).saturating_mul(to.dimension() as u64);
    let total = ends.iter().zip(factors).filter(|(_, factor)| is_dense(factor)).map(|(ends, _)| cells(ends));
    if total.fold(0u64, u64::saturating_add) > MOST {
        return nothing("the maps of the chain are too large to be written out here");
    }
    let maps: Option<Vec<LinearMap>> =
        factors.iter().zip(&ends).map(|(factor, (from, to))| concrete(factor, from, to)).collect();
    let Some(chain) = maps.and_then(|maps| LinearMap::compose(maps).ok()) else {
        return nothing("the factors of the chain meet in spaces whose sizes differ here");
    };
    let best = chain.associate();
    Association::Chain {
        factors: factors.iter().map(|factor| scope.show(factor)).collect(),
        bracketing: best.to_string(),
        cheapest: best.cost.work(),
        forward: best.forward.work(),
        reverse: best.reverse.work(),
    }
}

fn nothing(why: &str) -> Association {
    Association::Nothing(why.to_string())
}

fn spaced(ty: &Type, size: &mut dyn FnMut(Atom) -> Option<i64>) -> Option<Space> {
    match ty {
        Type::Real => Some(Space::Real),
        Type::Array(n, element) => {
            let n = n.evaluate(size);
            let element = spaced(element, size);
            Some(Space::array(usize::try_from(n?).ok()?, element?))
        }
        Type::Tuple(_) | Type::Record(_) => {
            let parts: Vec<Option<Space>> =
                ty.components().unwrap_or_default().iter().map(|part| spaced(part, size)).collect();
            Some(Space::product(parts.into_iter().collect::<Option<Vec<Space>>>()?))
        }
        _ => None,
    }
}

/// Whether a factor is a matrix for all that is known.
fn is_dense(factor: &Term) -> bool {
    !matches!(
        factor.form,
        Form::Scale(_)
            | Form::Identity
            | Form::Zero
            | Form::Diagonal(_)
            | Form::RankOne { .. }
            | Form::Sum
            | Form::Component(..)
    )
}

/// A map of the same form, of ones.
fn concrete(factor: &Term, from: &Space, to: &Space) -> Option<LinearMap> {
    let ones = |space: &Space| Vector::new(space.clone(), vec![1.0; space.dimension()]).ok();
    Some(match &factor.form {
        Form::Zero => LinearMap::zero(from.clone(), to.clone()),
        Form::Identity => LinearMap::identity(from.clone()),
        Form::Scale(_) => LinearMap::scale(2.0, from.clone()),
        Form::Diagonal(_) => LinearMap::diagonal(ones(from)?),
        Form::RankOne { .. } => LinearMap::rank_one(1.0, ones(to)?, ones(from)?),
        Form::Component(at, _) => LinearMap::project(*at, from.clone()).ok()?,
        Form::Sum => match from {
            Space::Array(n, element) => LinearMap::reduce(Relation::Sum(*n), (**element).clone()),
            _ => return None,
        },
        _ => {
            let (rows, columns) = (to.dimension(), from.dimension());
            let matrix = Matrix::new(rows, columns, vec![1.0; rows.checked_mul(columns)?]).ok()?;
            let flat = LinearMap::left(matrix, Space::Real);
            let reals = |space: &Space| matches!(space, Space::Array(_, element) if **element == Space::Real);
            if reals(from) && reals(to) {
                return Some(flat);
            }
            // A matrix by rows, between spaces of any shape.
            let row = |_| LinearMap::row(ones(from).unwrap_or_else(|| Vector::number(1.0)));
            match to {
                Space::Real => row(0),
                Space::Array(n, element) if **element == Space::Real => {
                    LinearMap::fork_array((0..*n).map(row).collect()).ok()?
                }
                _ => return None,
            }
        }
    })
}
