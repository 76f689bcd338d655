//! Linear maps as terms: one closed enum that joins the operators of the papers.   [002 Fig. 3, 003 §3.3, §6.1]
//!
//! | form | papers | at `x` |
//! |---|---|---|
//! | zero, identity, scale `k` | `0`, `1`, `S(k)` | `0`, `x`, `k · x` |
//! | diagonal `d` | `Δ` of scales | `d * x`, number by number |
//! | rank-one | `c · (u ⊗ v)` | `c ⟨v, x⟩ · u` |
//! | contraction | `(a *)`, `(* b)` | `a x`, `x b` |
//! | reduction | `red_R` | `Σ_{(i, j) ∈ R} x_i` in place `j` |
//! | project, inject | `π`, `ι` | a part; a vector with one part |
//! | unitary | `assoc`, `_ᵀ`, `zip` | the same numbers in another shape or order |
//! | add, compose | `⊕`, `∘` | `f x + g x`, `g (f x)` |
//! | fork, join | `×`, `V`, `B` and `⋈`, `H`, `B'` | `(f x, g x)`, `f x₀ + g x₁` |
//! | each, map | `Π`, `fⁿ` | `(f x₀, g x₁)`, `[f xᵢ | i < n]` |
//!
//! Fork, join and each have products where they are given tuples of maps, and arrays where they are given arrays.
//!
//! **Constructors build what they say** and simplify nothing, so a term prints as it was built and `coo` sees the
//! structure that was there. **A term may be a million maps deep** and may share parts: nothing in this crate recurses
//! over it, and what walks it visits a shared part once.

use std::sync::Arc;

use crate::language::{Extra, Language};
use crate::matrix::Matrix;
use crate::numbers::Numbers;
use crate::relation::Relation;
use crate::space::{Space, SpaceError};
use crate::vector::Vector;

/// A linear map between two spaces, over the coefficients and spaces of a language. Cheap to clone.
pub struct Map<L: Language>(Arc<Node<L>>);

/// A linear map with numbers for coefficients, between spaces of known sizes.
pub type LinearMap = Map<Numbers>;

impl<L: Language> Clone for Map<L> {
    fn clone(&self) -> Map<L> {
        Map(self.0.clone())
    }
}

struct Node<L: Language> {
    domain: L::Space,
    codomain: L::Space,
    columns: L::Dimension,
    rows: L::Dimension,
    form: Form<L>,
}

/// How a linear map is made.
#[derive(Clone)]
pub enum Form<L: Language = Numbers> {
    /// `0`
    Zero,
    /// `1`
    Identity,
    /// `S(k)`
    Scale(L::Number),
    /// The product with a vector, number by number.
    Diagonal(L::Vector),
    /// `c · (u ⊗ v)`
    RankOne(RankOne<L>),
    /// The product with a matrix on one side.
    Contract(Contraction<L>),
    /// `red_R`
    Reduce {
        /// `R`
        relation: L::Relation,
        /// What the arrays are made of.
        element: L::Space,
    },
    /// `πᵢ`: a part of a product or an element of an array.
    Project(L::Part),
    /// `ιᵢ`: a product or an array that is zero elsewhere.
    Inject(L::Part),
    /// The same numbers in another shape or order.
    Unitary(L::Unitary),
    /// `f ⊕ g`
    Add(Vec<Map<L>>),
    /// `g ∘ f`, written `[g, f]`: the last is applied first. Also the linear recurrence of a loop, as the sequence of its
    /// turns.
    Compose(Vec<Map<L>>),
    /// `f × g`, `V [f, g]`
    Fork(Vec<Map<L>>),
    /// `f ⋈ g`, `H [f, g]`
    Join(Vec<Map<L>>),
    /// `Π fₓ`: part by part.
    Each(Vec<Map<L>>),
    /// `fⁿ`: element by element, always the same.
    Map(Map<L>),
    /// A fork, a join or a sum of as many maps as a binder says, or maps element by element: `B(n, λi. f)`.
    Family(Family, L::Binder, Map<L>),
    /// A map that only this language has.
    Extra(L::Extra),
}

/// What becomes of the maps of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `⟨fₓ⟩`: their results stand beside each other.
    Fork,
    /// `[fₓ]`: each takes one part, and their results are added.
    Join,
    /// `Π fₓ`: each takes one part and gives one.
    Each,
    /// `Σₓ fₓ`: their results are added.
    Add,
}

/// `c · (u ⊗ v)`, kept as `c`, `u` and `v`.   [003 §3.2, §8]
#[derive(Clone, Debug)]
pub struct RankOne<L: Language = Numbers> {
    /// `c`
    pub coefficient: L::Number,
    /// `u`, in the codomain.
    pub left: L::Vector,
    /// `v`, in the domain.
    pub right: L::Vector,
}

/// `(a *) : [n]V ⊸ [m]V` and `(* b) : V ⊗ [m]R ⊸ V ⊗ [n]R`.   [003 §3.1, §3.3]
#[derive(Clone, Debug, PartialEq)]
pub struct Contraction<L: Language = Numbers> {
    /// On which side of the argument the matrix stands.
    pub side: Side,
    /// The matrix.
    pub matrix: L::Matrix,
    /// `V`
    pub over: L::Space,
}

/// A side of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `a x`
    Left,
    /// `x b`
    Right,
}

impl LinearMap {
    /// `x ↦ d * x`, number by number
    pub fn diagonal(values: Vector) -> LinearMap {
        LinearMap::new(values.space().clone(), values.space().clone(), Form::Diagonal(values))
    }

    /// `c · (u ⊗ v)`, that is `x ↦ c ⟨v, x⟩ · u`
    pub fn rank_one(coefficient: f64, left: Vector, right: Vector) -> LinearMap {
        let (domain, codomain) = (right.space().clone(), left.space().clone());
        LinearMap::new(domain, codomain, Form::RankOne(RankOne { coefficient, left, right }))
    }

    /// `⟨v, _⟩ : V ⊸ R`, as `1 ⊗ v`
    pub fn row(v: Vector) -> LinearMap {
        LinearMap::rank_one(1.0, Vector::number(1.0), v)
    }

    /// `_ · u : R ⊸ V`, as `u ⊗ 1`
    pub fn column(u: Vector) -> LinearMap {
        LinearMap::rank_one(1.0, u, Vector::number(1.0))
    }

    /// `(a *) : [n]V ⊸ [m]V` for an `m × n` matrix
    pub fn left(matrix: Matrix, over: Space) -> LinearMap {
        let domain = Space::array(matrix.columns(), over.clone());
        let codomain = Space::array(matrix.rows(), over.clone());
        LinearMap::new(domain, codomain, Form::Contract(Contraction { side: Side::Left, matrix, over }))
    }

    /// `(* b) : V ⊗ [m]R ⊸ V ⊗ [n]R` for an `m × n` matrix
    pub fn right(matrix: Matrix, over: Space) -> LinearMap {
        let domain = over.tensor(&Space::reals(matrix.rows()));
        let codomain = over.tensor(&Space::reals(matrix.columns()));
        LinearMap::new(domain, codomain, Form::Contract(Contraction { side: Side::Right, matrix, over }))
    }

    /// `red_R`, on arrays with elements of a space
    pub fn reduce(relation: Relation, element: Space) -> LinearMap {
        let (domain, codomain) = (relation.domain(&element), relation.codomain(&element));
        LinearMap::new(domain, codomain, Form::Reduce { relation, element })
    }

    /// `πᵢ : (…, Vᵢ, …) ⊸ Vᵢ`, also for the elements of an array
    ///
    /// # Errors
    /// Where the space has no such part.
    pub fn project(index: usize, domain: Space) -> Result<LinearMap, SpaceError> {
        let codomain = part(index, &domain)?;
        Ok(LinearMap::new(domain, codomain, Form::Project(index)))
    }

    /// `ιᵢ : Vᵢ ⊸ (…, Vᵢ, …)`, also for the elements of an array
    ///
    /// # Errors
    /// Where the space has no such part.
    pub fn inject(index: usize, codomain: Space) -> Result<LinearMap, SpaceError> {
        let domain = part(index, &codomain)?;
        Ok(LinearMap::new(domain, codomain, Form::Inject(index)))
    }

    /// `f₁ ⊕ … ⊕ fₙ`
    ///
    /// # Errors
    /// Where there are no maps, or two have different spaces.
    pub fn add(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let (domain, codomain) = (common(&maps, "a sum", End::Domain)?, common(&maps, "a sum", End::Codomain)?);
        Ok(LinearMap::new(domain, codomain, Form::Add(maps)))
    }

    /// `f₁ ∘ … ∘ fₙ`: the last is applied first
    ///
    /// # Errors
    /// Where there are no maps, or the codomain of one is not the domain of the one before it.
    pub fn compose(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let (Some(first), Some(last)) = (maps.first(), maps.last()) else {
            return Err(SpaceError::new("a composition of no maps has no spaces: write the identity of a space"));
        };
        if let Some(pair) = maps.windows(2).find(|pair| pair[0].domain() != pair[1].codomain()) {
            let (outer, inner) = (&pair[0], &pair[1]);
            return Err(SpaceError::new(format!(
                "a map to {} is followed by a map from {}",
                inner.codomain(),
                outer.domain()
            )));
        }
        let (domain, codomain) = (last.domain().clone(), first.codomain().clone());
        Ok(LinearMap::new(domain, codomain, Form::Compose(maps)))
    }

    /// `f₁ × … × fₙ : V ⊸ (W₁, …, Wₙ)`
    ///
    /// # Errors
    /// Where there are no maps, or two have different domains.
    pub fn fork(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let domain = common(&maps, "a fork", End::Domain)?;
        let codomain = Space::product(maps.iter().map(|map| map.codomain().clone()));
        Ok(LinearMap::new(domain, codomain, Form::Fork(maps)))
    }

    /// `V [f₁, …, fₙ] : V ⊸ [n]W`; `B(n, λi. fᵢ)` for the maps of a function
    ///
    /// # Errors
    /// Where there are no maps, or two have different spaces.
    pub fn fork_array(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let (domain, element) =
            (common(&maps, "a fork", End::Domain)?, common(&maps, "a fork to an array", End::Codomain)?);
        let codomain = Space::array(maps.len(), element);
        Ok(LinearMap::new(domain, codomain, Form::Fork(maps)))
    }

    /// `f₁ ⋈ … ⋈ fₙ : (V₁, …, Vₙ) ⊸ W`
    ///
    /// # Errors
    /// Where there are no maps, or two have different codomains.
    pub fn join(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let codomain = common(&maps, "a join", End::Codomain)?;
        let domain = Space::product(maps.iter().map(|map| map.domain().clone()));
        Ok(LinearMap::new(domain, codomain, Form::Join(maps)))
    }

    /// `H [f₁, …, fₙ] : [n]V ⊸ W`; `B'(n, λi. fᵢ)` for the maps of a function
    ///
    /// # Errors
    /// Where there are no maps, or two have different spaces.
    pub fn join_array(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let (codomain, element) =
            (common(&maps, "a join", End::Codomain)?, common(&maps, "a join of an array", End::Domain)?);
        let domain = Space::array(maps.len(), element);
        Ok(LinearMap::new(domain, codomain, Form::Join(maps)))
    }

    /// `Π fₓ : (V₁, …, Vₙ) ⊸ (W₁, …, Wₙ)`
    pub fn each(maps: Vec<LinearMap>) -> LinearMap {
        let domain = Space::product(maps.iter().map(|map| map.domain().clone()));
        let codomain = Space::product(maps.iter().map(|map| map.codomain().clone()));
        LinearMap::new(domain, codomain, Form::Each(maps))
    }

    /// `Π fᵢ : [n]V ⊸ [n]W`
    ///
    /// # Errors
    /// Where there are no maps, or two have different spaces.
    pub fn each_array(maps: Vec<LinearMap>) -> Result<LinearMap, SpaceError> {
        let (from, to) =
            (common(&maps, "an array of maps", End::Domain)?, common(&maps, "an array of maps", End::Codomain)?);
        let (domain, codomain) = (Space::array(maps.len(), from), Space::array(maps.len(), to));
        Ok(LinearMap::new(domain, codomain, Form::Each(maps)))
    }

    /// `fⁿ : [n]V ⊸ [n]W`
    #[expect(clippy::self_named_constructors, reason = "`map n f` is how the form is written")]
    pub fn map(size: usize, map: LinearMap) -> LinearMap {
        let domain = Space::array(size, map.domain().clone());
        let codomain = Space::array(size, map.codomain().clone());
        LinearMap::new(domain, codomain, Form::Map(map))
    }

    /// `self ∘ inner`
    ///
    /// # Errors
    /// Where the codomain of the inner map is not the domain of this one.
    pub fn after(&self, inner: &LinearMap) -> Result<LinearMap, SpaceError> {
        LinearMap::compose(vec![self.clone(), inner.clone()])
    }

    /// `self ⊕ other`
    ///
    /// # Errors
    /// Where the two have different spaces.
    pub fn plus(&self, other: &LinearMap) -> Result<LinearMap, SpaceError> {
        LinearMap::add(vec![self.clone(), other.clone()])
    }

    /// `k · self`, that is `S(k) ∘ self`; of a rank-one map, the map with that multiple as its coefficient
    pub fn times(&self, k: f64) -> LinearMap {
        if let Form::RankOne(RankOne { coefficient: 1.0, left, right }) = self.form() {
            return LinearMap::rank_one(k, left.clone(), right.clone());
        }
        let scale = LinearMap::scale(k, self.codomain().clone());
        let (domain, codomain) = (self.domain().clone(), self.codomain().clone());
        LinearMap::new(domain, codomain, Form::Compose(vec![scale, self.clone()]))
    }
}

impl<L: Language> Map<L> {
    /// `0 : V ⊸ W`
    pub fn zero(domain: L::Space, codomain: L::Space) -> Map<L> {
        Map::new(domain, codomain, Form::Zero)
    }

    /// `1 : V ⊸ V`
    pub fn identity(space: L::Space) -> Map<L> {
        Map::new(space.clone(), space, Form::Identity)
    }

    /// `S(k) : V ⊸ V`
    pub fn scale(k: L::Number, space: L::Space) -> Map<L> {
        Map::new(space.clone(), space, Form::Scale(k))
    }

    /// A composition of maps that fit, the last applied first, or the one map there is; there is one.
    pub fn composed(mut maps: Vec<Map<L>>) -> Map<L> {
        if maps.len() == 1 {
            return maps.swap_remove(0);
        }
        let (domain, codomain) = (maps[maps.len() - 1].domain().clone(), maps[0].codomain().clone());
        // where sizes are expressions, one size may be written in two ways
        let fits = |pair: &[Map<L>]| !L::SHARES || pair[0].domain() == pair[1].codomain();
        debug_assert!(maps.windows(2).all(fits), "the factors fit");
        Map::new(domain, codomain, Form::Compose(maps))
    }

    /// The same; the identity of a space where there are no maps.
    pub fn chain(maps: Vec<Map<L>>, space: &L::Space) -> Map<L> {
        match maps.is_empty() {
            true => Map::new(space.clone(), space.clone(), Form::Identity),
            false => Map::composed(maps),
        }
    }

    /// A sum of maps between the same spaces, or the one map there is; none of no maps.
    pub fn total(mut maps: Vec<Map<L>>) -> Option<Map<L>> {
        if maps.len() == 1 {
            return maps.pop();
        }
        let first = maps.first()?;
        let (domain, codomain) = (first.domain().clone(), first.codomain().clone());
        Some(Map::new(domain, codomain, Form::Add(maps)))
    }

    /// The factors of a composition, or the one map there is.
    pub fn factors(&self) -> &[Map<L>] {
        match self.form() {
            Form::Compose(maps) => maps,
            _ => std::slice::from_ref(self),
        }
    }

    /// Where it maps from.
    pub fn domain(&self) -> &L::Space {
        &self.0.domain
    }

    /// Where it maps to.
    pub fn codomain(&self) -> &L::Space {
        &self.0.codomain
    }

    /// The dimension of the domain.
    pub fn columns(&self) -> L::Dimension {
        self.0.columns
    }

    /// The dimension of the codomain.
    pub fn rows(&self) -> L::Dimension {
        self.0.rows
    }

    /// How it is made.
    pub fn form(&self) -> &Form<L> {
        &self.0.form
    }

    /// The maps it is made of.
    pub fn children(&self) -> &[Map<L>] {
        match self.form() {
            Form::Add(maps) | Form::Compose(maps) | Form::Fork(maps) | Form::Join(maps) | Form::Each(maps) => maps,
            Form::Map(map) | Form::Family(_, _, map) => std::slice::from_ref(map),
            Form::Extra(extra) => extra.children(),
            Form::Zero
            | Form::Identity
            | Form::Scale(_)
            | Form::Diagonal(_)
            | Form::RankOne(_)
            | Form::Contract(_)
            | Form::Reduce { .. }
            | Form::Project(_)
            | Form::Inject(_)
            | Form::Unitary(_) => &[],
        }
    }

    /// The map with other maps in place of its children, which have the same spaces.
    pub fn with_children(&self, maps: Vec<Map<L>>) -> Map<L> {
        let form = match self.form() {
            Form::Add(_) => Form::Add(maps),
            Form::Compose(_) => Form::Compose(maps),
            Form::Fork(_) => Form::Fork(maps),
            Form::Join(_) => Form::Join(maps),
            Form::Each(_) => Form::Each(maps),
            Form::Map(_) => Form::Map(maps[0].clone()),
            Form::Family(family, binder, _) => Form::Family(*family, binder.clone(), maps[0].clone()),
            Form::Extra(extra) => Form::Extra(extra.with_children(maps)),
            _ => return self.clone(),
        };
        Map::new(self.domain().clone(), self.codomain().clone(), form)
    }

    /// Whether two are one and the same in memory.
    pub fn is(&self, other: &Map<L>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Where it lies in memory.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether something else may hold it too.
    pub(crate) fn may_be_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// The one place where maps are made; the form fits the spaces.
    pub fn new(domain: L::Space, codomain: L::Space, form: Form<L>) -> Map<L> {
        let (columns, rows) = (L::dimension(&domain), L::dimension(&codomain));
        Map(Arc::new(Node { domain, codomain, columns, rows, form }))
    }
}

#[derive(Clone, Copy)]
enum End {
    Domain,
    Codomain,
}

/// The one domain or codomain of a family of maps.
fn common(maps: &[LinearMap], what: &str, end: End) -> Result<Space, SpaceError> {
    let space = |map: &LinearMap| match end {
        End::Domain => map.domain().clone(),
        End::Codomain => map.codomain().clone(),
    };
    let Some(first) = maps.first().map(space) else {
        return Err(SpaceError::new(format!("{what} of no maps has no spaces: write the zero map between two spaces")));
    };
    match maps.iter().map(space).find(|other| *other != first) {
        None => Ok(first),
        Some(other) => {
            let end = match end {
                End::Domain => "domain",
                End::Codomain => "codomain",
            };
            Err(SpaceError::new(format!("the maps of {what} have one {end}, and here are both {first} and {other}")))
        }
    }
}

fn part(index: usize, space: &Space) -> Result<Space, SpaceError> {
    match space.part(index) {
        Some(part) => Ok(part.clone()),
        None => Err(SpaceError::new(format!("{space} has no part {index}"))),
    }
}

/// Children are moved to a list, not dropped inside their parent, so that the deepest term needs no stack.
impl<L: Language> Drop for Node<L> {
    fn drop(&mut self) {
        let mut orphans = Vec::new();
        take_children(&mut self.form, &mut orphans);
        while let Some(map) = orphans.pop() {
            if let Some(mut node) = Arc::into_inner(map.0) {
                take_children(&mut node.form, &mut orphans);
            }
        }
    }
}

fn take_children<L: Language>(form: &mut Form<L>, orphans: &mut Vec<Map<L>>) {
    match form {
        Form::Add(maps) | Form::Compose(maps) | Form::Fork(maps) | Form::Join(maps) | Form::Each(maps) => {
            orphans.append(maps);
        }
        Form::Map(_) | Form::Family(..) => {
            if let Form::Map(map) | Form::Family(_, _, map) = std::mem::replace(form, Form::Zero) {
                orphans.push(map);
            }
        }
        Form::Extra(extra) => orphans.extend(extra.children().iter().cloned()),
        _ => {}
    }
}
