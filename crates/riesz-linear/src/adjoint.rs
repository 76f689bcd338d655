//! Adjoints: `⟨mᵀ y, x⟩ = ⟨y, m x⟩`.   [002 Fig. 5, 003 Thm 6.5]
//!
//! ```text
//!         0ᵀ = 0                  (g ∘ f)ᵀ = fᵀ ∘ gᵀ
//!         1ᵀ = 1                  (f ⊕ g)ᵀ = fᵀ ⊕ gᵀ
//!      S(k)ᵀ = S(k)               (f × g)ᵀ = fᵀ ⋈ gᵀ        V(m)ᵀ = H(map (_ᵀ) m)
//!   (u ⊗ v)ᵀ = v ⊗ u              (f ⋈ g)ᵀ = fᵀ × gᵀ        H(m)ᵀ = V(map (_ᵀ) m)
//!      (a *)ᵀ = (aᵀ *)              (Π fₓ)ᵀ = Π fₓᵀ
//!      (* b)ᵀ = (* bᵀ)                 ιᵀ = π                  πᵀ = ι
//!      red_Rᵀ = red_Rᵀ                 uᵀ = u⁻¹ for unitary u
//! ```
//!
//! No primitive has a reverse rule: reverse mode follows from these equations.
//! They are written once, for maps with numbers in them and for maps with expressions.

use crate::fold::fold;
use crate::language::{Extra, Language};
use crate::law::{Law, law};
use crate::map::{Contraction, Family, Form, Map, RankOne, Side};

impl<L: Language> Map<L> {
    /// `mᵀ : W ⊸ V` for `m : V ⊸ W`. Shared parts stay shared.
    pub fn adjoint(&self) -> Map<L> {
        fold(self, adjoint_of)
    }

    /// The laws that say what the adjoint is, each once, in the order in which they are met from the outside.
    pub fn adjoint_laws(&self) -> Vec<&'static Law> {
        let mut laws: Vec<&'static Law> = Vec::new();
        let mut maps = vec![self];
        while let Some(map) = maps.pop() {
            let met = transposition(map).and_then(law);
            laws.extend(met.filter(|law| laws.iter().all(|known| known.name != law.name)));
            match map.form() {
                Form::Compose(factors) => maps.extend(factors),
                Form::Extra(extra) if !extra.transposes_children() => {}
                _ => maps.extend(map.children().iter().rev()),
            }
        }
        laws
    }
}

// ANCHOR: adjoint
/// The adjoint of a map, given those of its children.
fn adjoint_of<L: Language>(map: &Map<L>, mut adjoints: Vec<Map<L>>) -> Map<L> {
    let form = match map.form() {
        Form::Zero => Form::Zero,
        Form::Identity => Form::Identity,
        Form::Scale(k) => Form::Scale(k.clone()),
        Form::Diagonal(values) => Form::Diagonal(values.clone()),
        Form::RankOne(RankOne { coefficient, left, right }) => {
            Form::RankOne(RankOne { coefficient: coefficient.clone(), left: right.clone(), right: left.clone() })
        }
        Form::Contract(Contraction { side, matrix, over }) => {
            Form::Contract(Contraction { side: *side, matrix: L::transpose(matrix), over: over.clone() })
        }
        Form::Reduce { relation, element } => {
            Form::Reduce { relation: L::converse(relation), element: element.clone() }
        }
        Form::Project(index) => Form::Inject(index.clone()),
        Form::Inject(index) => Form::Project(index.clone()),
        Form::Unitary(unitary) => Form::Unitary(L::inverse(unitary)),
        Form::Add(_) => Form::Add(adjoints),
        Form::Compose(_) => {
            adjoints.reverse();
            Form::Compose(adjoints)
        }
        Form::Fork(_) => Form::Join(adjoints),
        Form::Join(_) => Form::Fork(adjoints),
        Form::Each(_) => Form::Each(adjoints),
        Form::Map(_) => Form::Map(adjoints.swap_remove(0)),
        Form::Family(family, binder, _) => Form::Family(family.adjoint(), binder.clone(), adjoints.swap_remove(0)),
        Form::Extra(extra) => extra.adjoint(map, adjoints),
    };
    Map::new(map.codomain().clone(), map.domain().clone(), form)
}
// ANCHOR_END: adjoint

impl Family {
    /// `⟨fₓ⟩ᵀ = [fₓᵀ]`
    fn adjoint(self) -> Family {
        match self {
            Family::Fork => Family::Join,
            Family::Join => Family::Fork,
            family => family,
        }
    }
}

/// The law that says what the adjoint of a form is.
fn transposition<L: Language>(map: &Map<L>) -> Option<&'static str> {
    Some(match map.form() {
        Form::Zero => "transpose of zero",
        Form::Identity => "transpose of the identity",
        Form::Scale(_) => "transpose of scale",
        Form::Diagonal(_) => "adjoint of diagonal",
        Form::RankOne(_) => "adjoint of rank-one",
        Form::Contract(Contraction { side: Side::Left, .. }) => "adjoint of contraction on the left",
        Form::Contract(Contraction { side: Side::Right, .. }) => "adjoint of contraction on the right",
        Form::Reduce { .. } => "adjoint of relational reduction",
        Form::Project(_) | Form::Inject(_) => "adjoint of inject",
        Form::Unitary(_) => "adjoint of a unitary map",
        Form::Add(_) | Form::Family(Family::Add, ..) => "transpose of add",
        Form::Compose(_) => "transpose of compose",
        Form::Fork(_) if L::is_array(map.codomain()) => "transpose of fork to an array",
        Form::Fork(_) => "transpose of fork",
        Form::Join(_) if L::is_array(map.domain()) => "transpose of join from an array",
        Form::Join(_) => "transpose of join",
        Form::Each(_) | Form::Map(_) | Form::Family(Family::Each, ..) => "adjoint of each",
        Form::Family(Family::Fork, ..) => "transpose of build",
        Form::Family(Family::Join, ..) => "transpose of transposed build",
        Form::Extra(extra) => return extra.transposition(),
    })
}
