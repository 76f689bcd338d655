//! The constructors of maps with numbers in them, which check that spaces fit.

use crate::map::{Contraction, Form, LinearMap, RankOne, Side};
use crate::matrix::Matrix;
use crate::relation::Relation;
use crate::space::{Space, SpaceError};
use crate::vector::Vector;

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
