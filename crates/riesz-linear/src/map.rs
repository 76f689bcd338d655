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
//! **Constructors do not simplify**, so a term prints as it was built and `coo` sees the original structure. **A term may
//! be a million maps deep** and may share parts: no function in this crate recurses over it, and walks visit a shared part
//! once.

use std::sync::Arc;

use crate::language::{Extra, Language};
use crate::numbers::Numbers;

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
        /// The space of an element of the arrays.
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
    /// iterations.
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

/// The way in which a family combines its maps.
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

    /// The domain.
    pub fn domain(&self) -> &L::Space {
        &self.0.domain
    }

    /// The codomain.
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

    /// Its address in memory.
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
