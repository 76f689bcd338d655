//! Categories, products and coproducts, binary and indexed.   [004 §4, §15]
//!
//! ```text
//!   id : a ⇝ a                       exᵢ  : Π aᵢ ⇝ aᵢ          inᵢ : aᵢ ⇝ Π aᵢ
//!   g ∘ f : a ⇝ c                    dup  : a ⇝ Π a            jam : Π a ⇝ a
//!   Π fᵢ : Π aᵢ ⇝ Π bᵢ               f △ g = (f × g) ∘ dup     f ▽ g = jam ∘ (f × g)
//! ```
//!
//! Objects are spaces known at run time, so a category is a trait with a type of objects and a type of morphisms, and
//! operations that need an object take it as an argument. Products have any number of parts, and `power`, `each`,
//! `replicate` and `sum` are the same for arrays, whose elements have one space. Coproducts are the same objects as
//! products: all of these categories except that of functions have biproducts [004 §4.4]. [`law`](crate::law) states
//! their laws as functions.

use riesz_linear::{LinearMap, Relation, Space};

// ANCHOR: category
/// Objects, morphisms, identities and composition.   [004 §4.1]
pub trait Category {
    /// The domains and codomains of morphisms.
    type Object: Clone;
    /// The morphisms.
    type Morphism: Clone;

    /// `id : a ⇝ a`
    fn identity(a: &Self::Object) -> Self::Morphism;

    /// `fₙ ∘ … ∘ f₁ : a ⇝ b`, in the order in which they are applied. Of nothing, the identity. There may be very many:
    /// the iterations of a loop are composed by one call.
    fn compose(a: &Self::Object, path: Vec<Self::Morphism>) -> Self::Morphism;

    /// `g ∘ f`
    fn after(g: Self::Morphism, f: Self::Morphism) -> Self::Morphism;
}
// ANCHOR_END: category

/// Categories whose morphisms know their ends.
pub trait Between: Category {
    /// Where a morphism comes from.
    fn domain(f: &Self::Morphism) -> Self::Object;

    /// The codomain of a morphism.
    fn codomain(f: &Self::Morphism) -> Self::Object;
}

/// Products: parts can be taken and things duplicated.   [004 §4.2, §4.3; indexed: Fig. 13]
pub trait Cartesian: Category {
    /// `Π aᵢ`
    fn product(parts: Vec<Self::Object>) -> Self::Object;

    /// `aⁿ`
    fn power(n: usize, a: &Self::Object) -> Self::Object;

    /// `f × g`, of any number of morphisms
    fn cross(maps: Vec<Self::Morphism>) -> Self::Morphism;

    /// `exᵢ : Π aᵢ ⇝ aᵢ`: a part of a product, an element of a power
    fn project(index: usize, whole: &Self::Object) -> Self::Morphism;

    /// `dup : a ⇝ a × … × a`
    fn duplicate(n: usize, a: &Self::Object) -> Self::Morphism;

    /// `crossI : (aᵢ ⇝ bᵢ) → (aⁿ ⇝ bⁿ)`
    fn each(maps: Vec<Self::Morphism>) -> Self::Morphism;

    /// `replI : a ⇝ aⁿ`
    fn replicate(n: usize, a: &Self::Object) -> Self::Morphism;

    /// `f △ g = (f × g) ∘ dup`
    fn fork(a: &Self::Object, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Self::after(Self::cross(maps.clone()), Self::duplicate(maps.len(), a))
    }

    /// `forkI fs = crossI fs ∘ replI`
    fn fork_each(a: &Self::Object, maps: Vec<Self::Morphism>) -> Self::Morphism {
        Self::after(Self::each(maps.clone()), Self::replicate(maps.len(), a))
    }
}

/// Coproducts on the objects of products: parts can be put in place and things added.   [004 §4.4; indexed: Fig. 13]
pub trait Cocartesian: Cartesian {
    /// `inᵢ : aᵢ ⇝ Π aᵢ`
    fn inject(index: usize, whole: &Self::Object) -> Self::Morphism;

    /// `jam : a × … × a ⇝ a`
    fn merge(n: usize, a: &Self::Object) -> Self::Morphism;

    /// `jamI : aⁿ ⇝ a`
    fn sum(n: usize, a: &Self::Object) -> Self::Morphism;

    /// `0 : a ⇝ b`
    fn zero(a: &Self::Object, b: &Self::Object) -> Self::Morphism;

    /// `f ▽ g = jam ∘ (f × g)`
    fn join(b: &Self::Object, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let n = maps.len();
        Self::after(Self::merge(n, b), Self::cross(maps))
    }

    /// `joinI fs = jamI ∘ crossI fs`
    fn join_each(b: &Self::Object, maps: Vec<Self::Morphism>) -> Self::Morphism {
        let n = maps.len();
        Self::after(Self::sum(n, b), Self::each(maps))
    }

    /// `f + g = jam ∘ (f △ g)`
    fn add(a: &Self::Object, b: &Self::Object, mut maps: Vec<Self::Morphism>) -> Self::Morphism {
        match maps.len() {
            0 => Self::zero(a, b),
            1 => maps.remove(0),
            n => Self::after(Self::merge(n, b), Self::fork(a, maps)),
        }
    }
}

/// Linear maps in any representation: what a derivative can be made of.   [004 §4.6, "Scalable"; 003 §3.3]
pub trait Linear: Cocartesian<Object = Space> + Between {
    /// Whether morphisms carry no information, so that they need not be made.
    const VALUES_ONLY: bool = false;

    /// `scale k : a ⇝ a`
    fn scale(k: f64, a: &Space) -> Self::Morphism;

    /// A linear primitive: a map without parts, such as a diagonal, a contraction or a reshaping.
    fn primitive(map: &LinearMap) -> Self::Morphism;

    /// `h ∘ exᵢ`, for `h` from a part of a whole
    fn after_project(h: Self::Morphism, index: usize, whole: &Self::Object) -> Self::Morphism {
        Self::after(h, Self::project(index, whole))
    }

    /// `h ∘ inᵢ`, for `h` from a whole
    fn after_inject(h: &Self::Morphism, index: usize) -> Self::Morphism {
        Self::after(h.clone(), Self::inject(index, &Self::domain(h)))
    }

    /// `exᵢ ∘ h`, for `h` to a whole
    fn project_after(index: usize, h: &Self::Morphism) -> Self::Morphism {
        Self::after(Self::project(index, &Self::codomain(h)), h.clone())
    }

    /// `inᵢ ∘ h`, for `h` to a part of a whole
    fn inject_after(index: usize, whole: &Self::Object, h: Self::Morphism) -> Self::Morphism {
        Self::after(Self::inject(index, whole), h)
    }

    /// `k · h`
    fn times(k: f64, h: Self::Morphism) -> Self::Morphism {
        let scale = Self::scale(k, &Self::codomain(&h));
        Self::after(scale, h)
    }

    /// `h ∘ m` for a linear primitive
    fn after_primitive(h: Self::Morphism, map: &LinearMap) -> Self::Morphism {
        Self::after(h, Self::primitive(map))
    }

    /// `m ∘ h` for a linear primitive
    fn primitive_after(map: &LinearMap, h: Self::Morphism) -> Self::Morphism {
        Self::after(Self::primitive(map), h)
    }

    /// `red_R`: gather, scatter, prefix sums, slices, and whatever else moves and adds elements   [003 §2.2.3]
    fn relate(relation: Relation, element: &Space) -> Self::Morphism {
        Self::primitive(&LinearMap::reduce(relation, element.clone()))
    }
}

/// `aⁿ` in the categories whose objects are spaces. No element tells the space of those of an empty array, so that there is one empty power.
pub fn power(n: usize, a: &Space) -> Space {
    if n == 0 { Space::array(0, Space::product([])) } else { Space::array(n, a.clone()) }
}

/// The part of a product or power; the zero space where there is none.
pub(crate) fn part(index: usize, whole: &Space) -> Space {
    whole.part(index).cloned().unwrap_or_else(|| Space::product([]))
}

/// The power whose elements have these spaces, which are all one.
pub fn power_of(parts: &[Space]) -> Space {
    power(parts.len(), parts.first().unwrap_or(&Space::product([])))
}
