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

use crate::fold::fold;
use crate::map::{Contraction, Form, LinearMap, RankOne};
use crate::unitary::Unitary;

impl LinearMap {
    /// `mᵀ : W ⊸ V` for `m : V ⊸ W`. Shared parts stay shared.
    pub fn adjoint(&self) -> LinearMap {
        fold(self, adjoint_of)
    }
}

// ANCHOR: adjoint
/// The adjoint of a map, given those of its children.
fn adjoint_of(map: &LinearMap, mut adjoints: Vec<LinearMap>) -> LinearMap {
    let form = match map.form() {
        Form::Zero => Form::Zero,
        Form::Identity => Form::Identity,
        Form::Scale(k) => Form::Scale(*k),
        Form::Diagonal(values) => Form::Diagonal(values.clone()),
        Form::RankOne(RankOne { coefficient, left, right }) => {
            Form::RankOne(RankOne { coefficient: *coefficient, left: right.clone(), right: left.clone() })
        }
        Form::Contract(Contraction { side, matrix, over }) => {
            Form::Contract(Contraction { side: *side, matrix: matrix.transpose(), over: over.clone() })
        }
        Form::Reduce { relation, element } => Form::Reduce { relation: relation.converse(), element: element.clone() },
        Form::Project(index) => Form::Inject(*index),
        Form::Inject(index) => Form::Project(*index),
        Form::Unitary(unitary) => Form::Unitary(match unitary {
            Unitary::Reshape => Unitary::Reshape,
            Unitary::Transpose { outer, inner, element } => {
                Unitary::Transpose { outer: inner.clone(), inner: outer.clone(), element: element.clone() }
            }
            Unitary::Zip => Unitary::Unzip,
            Unitary::Unzip => Unitary::Zip,
        }),
        Form::Add(_) => Form::Add(adjoints),
        Form::Compose(_) => {
            adjoints.reverse();
            Form::Compose(adjoints)
        }
        Form::Fork(_) => Form::Join(adjoints),
        Form::Join(_) => Form::Fork(adjoints),
        Form::Each(_) => Form::Each(adjoints),
        Form::Map(_) => Form::Map(adjoints.swap_remove(0)),
    };
    LinearMap::new(map.codomain().clone(), map.domain().clone(), form)
}
// ANCHOR_END: adjoint
