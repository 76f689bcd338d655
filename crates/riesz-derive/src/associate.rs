//! Association: which bracketing of a chain of derivatives is cheapest.   [004 §11]
//!
//! The factors become maps with numbers in them, of the sizes that are known; the cost does not depend on the numbers.

use super::build::Derivative;
use super::count::dimension;
use super::scope::Scope;
use super::term::{Extra, Form, Item, Kind, Term};
use riesz_core::Type;
use riesz_core::size::{Atom, Size};
use riesz_linear::{LinearMap, Matrix, Relation, Side, Space, Vector};
use riesz_primitive::array::{Array, Contraction, Product};

/// The orders in which the factors of a derivative are best multiplied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Association {
    /// The chains of a derivative in which there is something to choose.
    pub chains: Vec<Chain>,
    /// The sizes that the costs are for.
    pub sizes: Vec<KnownSize>,
    /// Why there are no chains, where there are none.
    pub nothing: Option<String>,
}

/// A size that a cost is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSize {
    /// The name of the size.
    pub name: String,
    /// The assumed value of the size.
    pub value: i64,
    /// Whether it was not given.
    pub assumed: bool,
}

/// A chain of maps and its cheapest bracketing. Costs are multiplications and additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The factors, the last applied first.
    pub factors: Vec<String>,
    /// The cheapest bracketing, of the factors as `m1`, `m2`, ….
    pub bracketing: String,
    /// The cost of the cheapest bracketing.
    pub cheapest: u64,
    /// The same for forward mode, which brackets from the right.
    pub forward: u64,
    /// The same for reverse mode, which brackets from the left.
    pub reverse: u64,
}

/// The value of a size that is not given.
const ASSUMED: i64 = 10;
/// The most numbers that the maps of a chain may have together.
const MOST: u64 = 20_000_000;
/// The most chains to look at.
const CHAINS: usize = 6;

/// The cheapest bracketings of the chains of a derivative.
pub(crate) fn associate(scope: &Scope, derivative: &Derivative, given: &[(String, i64)]) -> Association {
    let mut chains = Vec::new();
    for item in &derivative.items {
        if let Item::Map(_, map) = item {
            collect(map, &mut chains);
        }
    }
    collect(&derivative.result, &mut chains);
    let mut sizes = Sizes { scope, given, known: Vec::new() };
    let (mut found, mut problem) = (Vec::new(), None);
    for chain in chains.iter().take(CHAINS) {
        match sizes.chain(chain) {
            Ok(chain) => found.push(chain),
            Err(why) => problem = Some(why),
        }
    }
    let nothing = || match problem {
        Some(why) => why.to_string(),
        None => "there is no chain of three maps or more".to_string(),
    };
    let nothing = found.is_empty().then(nothing);
    let mut known = sizes.known;
    known.retain(|_| !found.is_empty());
    Association { chains: found, sizes: known, nothing }
}

/// The chains of three maps or more that do something.
fn collect<'t>(map: &'t Term, found: &mut Vec<&'t [Term]>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        if let Form::Compose(maps) = map.form()
            && maps.iter().filter(|map| !is_projection(map)).count() > 2
        {
            found.push(maps);
        }
        map.children().iter().for_each(|child| collect(child, found));
    });
}

/// Whether a map takes a part, which costs nothing in any order.
fn is_projection(map: &Term) -> bool {
    matches!(map.form(), Form::Project(_) | Form::Inject(_) | Form::Extra(Extra { kind: Kind::Derivative(_), .. }))
}

struct Sizes<'s, 'p> {
    scope: &'s Scope<'p>,
    given: &'s [(String, i64)],
    known: Vec<KnownSize>,
}

impl Sizes<'_, '_> {
    fn chain(&mut self, factors: &[Term]) -> Result<Chain, &'static str> {
        const UNKNOWN: &str = "the sizes of some spaces are known only when the program runs";
        const LARGE: &str = "the maps are too large to be written out here";
        let mut maps = Vec::with_capacity(factors.len());
        let mut total = 0u64;
        for factor in factors {
            let from = self.numbers(factor.domain()).ok_or(UNKNOWN)?;
            let to = self.numbers(factor.codomain()).ok_or(UNKNOWN)?;
            total =
                total.saturating_add(if is_dense(factor) { from.saturating_mul(to) } else { from.saturating_add(to) });
            if total > MOST {
                return Err(LARGE);
            }
            maps.push(concrete(factor, from as usize, to as usize).ok_or(LARGE)?);
        }
        let best = LinearMap::compose(maps).map_err(|_| UNKNOWN)?.associate();
        Ok(Chain {
            factors: factors.iter().map(|factor| self.scope.show(factor)).collect(),
            bracketing: best.to_string(),
            cheapest: best.cost.work(),
            forward: best.forward.work(),
            reverse: best.reverse.work(),
        })
    }

    /// How many numbers a vector of a space has.
    fn numbers(&mut self, ty: &Type) -> Option<u64> {
        let size = dimension(ty);
        if size == Size::Hole {
            return None;
        }
        u64::try_from(size.evaluate(&mut |atom| self.size(atom))?).ok()
    }

    fn size(&mut self, atom: Atom) -> Option<i64> {
        let name = match atom {
            Atom::Var(var) => self.scope.name(var).to_string(),
            Atom::Global(global) => self.scope.program.global(global).name.to_string(),
            Atom::Parameter(_) | Atom::Unknown(_) => return None,
        };
        if let Some(known) = self.known.iter().find(|known| known.name == name) {
            return Some(known.value);
        }
        let given = self.given.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        let value = given.unwrap_or(ASSUMED);
        self.known.push(KnownSize { name, value, assumed: given.is_none() });
        Some(value)
    }
}

/// Whether a factor is a matrix for all that is known.
fn is_dense(factor: &Term) -> bool {
    match factor.form() {
        Form::Contract(contraction) if contraction.side == Side::Right => {
            matches!(factor.codomain(), Type::Array(_, element) if **element != Type::Real)
        }
        Form::Extra(Extra { kind: Kind::Derivative(_), .. }) | Form::Contract(_) => true,
        Form::Extra(Extra { kind: Kind::Function(operation, arguments), .. }) => {
            let inner = matches!(
                operation.primitive().array(),
                Some(Array::Product(Product { contraction: Contraction::Inner, .. }))
            );
            !inner || arguments[0].is_some()
        }
        Form::Reduce { .. } | Form::Unitary(_) => false,
        form => !matches!(
            form,
            Form::Zero
                | Form::Identity
                | Form::Scale(_)
                | Form::Diagonal(_)
                | Form::RankOne(_)
                | Form::Project(_)
                | Form::Inject(_)
        ),
    }
}

/// A map of the same form, of ones, between vectors of as many numbers.
fn concrete(factor: &Term, from: usize, to: usize) -> Option<LinearMap> {
    let flat = |n: usize| Space::array(n, Space::Real);
    let ones = |n: usize| Vector::new(flat(n), vec![1.0; n]).ok();
    let gather = || {
        let indices = (0..to).map(|at| at % from.max(1)).collect();
        LinearMap::reduce(Relation::Gather { indices, from }, Space::Real)
    };
    let scatter = || {
        let indices = (0..from).map(|at| at % to.max(1)).collect();
        LinearMap::reduce(Relation::Scatter { indices, to }, Space::Real)
    };
    Some(match factor.form() {
        Form::Zero => LinearMap::zero(flat(from), flat(to)),
        Form::Identity => LinearMap::identity(flat(from)),
        Form::Scale(_) => LinearMap::scale(2.0, flat(from)),
        Form::Diagonal(_) => LinearMap::diagonal(ones(from)?),
        Form::RankOne(_) => LinearMap::rank_one(1.0, ones(to)?, ones(from)?),
        _ if is_dense(factor) => {
            let matrix = Matrix::new(to, from, vec![1.0; to.checked_mul(from)?]).ok()?;
            LinearMap::left(matrix, Space::Real)
        }
        // Relations, which add numbers up or take them apart.
        _ if from > to => match factor.form() {
            Form::Project(_) => gather(),
            _ if to == 0 => LinearMap::zero(flat(from), flat(to)),
            _ => scatter(),
        },
        _ if from == 0 => LinearMap::zero(flat(from), flat(to)),
        _ => gather(),
    })
}
