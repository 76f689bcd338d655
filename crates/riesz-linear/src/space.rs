//! Spaces: `V ::= R | (V₁, …, Vₙ) | [n]V`.   [002 §2.2, 003 §2.2]
//!
//! A vector is a flat slice of numbers in the order of its space: the parts of a product one after the other, the
//! elements of an array likewise, so that an array of arrays is row-major. The zero space is the empty product.
//!
//! **Tensor products are strict.** `V ⊗ W` is `V` with a copy of `W` for every `R`. Then `R ⊗ V = V = V ⊗ R`,
//! `(U ⊗ V) ⊗ W = U ⊗ (V ⊗ W)` and `(⊕ Vₓ) ⊗ W = ⊕ (Vₓ ⊗ W)` are equalities of spaces, and the unitary operators
//! between them [003 §3.2] are identities. Only the exchange `V ⊗ W ⊸ W ⊗ V` and zipping move numbers.
//!
//! A space is as deep as a type that someone wrote, so it is walked by recursion; a linear map never is.

use crate::count::{added, multiplied};
use std::fmt;
use std::sync::Arc;

use riesz_algebra::Module;

/// A finite-dimensional inner product space.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Space {
    /// `R`
    Real,
    /// `(V₁, …, Vₙ)`: the direct sum. Empty, it is the zero space.
    Product(Arc<[Space]>),
    /// `[n]V`: the copower `Vⁿ`.
    Array(usize, Arc<Space>),
}

impl Space {
    /// `(V₁, …, Vₙ)`
    pub fn product(parts: impl IntoIterator<Item = Space>) -> Space {
        Space::Product(parts.into_iter().collect())
    }

    /// `[n]V`
    pub fn array(size: usize, element: Space) -> Space {
        Space::Array(size, Arc::new(element))
    }

    /// `[n]R`
    pub fn reals(size: usize) -> Space {
        Space::array(size, Space::Real)
    }

    /// The number of numbers in a vector; the largest `usize` for a space too large to have vectors.
    pub fn dimension(&self) -> usize {
        match self {
            Space::Real => 1,
            Space::Product(parts) => sum_of_dimensions(parts),
            Space::Array(size, element) => size.saturating_mul(element.dimension()),
        }
    }

    /// `V ⊗ W`: this space with a copy of the other for every `R`.
    pub fn tensor(&self, other: &Space) -> Space {
        match self {
            Space::Real => other.clone(),
            Space::Product(parts) => Space::product(parts.iter().map(|part| part.tensor(other))),
            Space::Array(size, element) => Space::array(*size, element.tensor(other)),
        }
    }

    /// How many parts a product or an array has; none for `R`.
    pub fn count(&self) -> usize {
        match self {
            Space::Real => 0,
            Space::Product(parts) => parts.len(),
            Space::Array(size, _) => *size,
        }
    }

    /// The part of a product or element of an array.
    pub fn part(&self, index: usize) -> Option<&Space> {
        match self {
            Space::Real => None,
            Space::Product(parts) => parts.get(index),
            Space::Array(size, element) => (index < *size).then_some(&**element),
        }
    }

    /// The parts of a product or the elements of an array, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Space> {
        (0..self.count()).filter_map(|index| self.part(index))
    }

    /// Where in a vector a part starts.
    pub fn offset(&self, index: usize) -> usize {
        match self {
            Space::Real => 0,
            Space::Product(parts) => sum_of_dimensions(&parts[..index.min(parts.len())]),
            Space::Array(_, element) => index.saturating_mul(element.dimension()),
        }
    }

    /// The zero vector.
    pub fn zero(&self) -> Vec<f64> {
        vec![0.0; self.dimension()]
    }

    /// The unit vectors, in order.
    pub fn basis(&self) -> impl Iterator<Item = Vec<f64>> {
        let dimension = self.dimension();
        (0..dimension).map(move |at| {
            let mut unit = vec![0.0; dimension];
            unit[at] = 1.0;
            unit
        })
    }
}

fn sum_of_dimensions(parts: &[Space]) -> usize {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.dimension()))
}

/// `⟨u, v⟩ = Σᵢ uᵢ vᵢ`, with exact zeros. The inner product of any space is that of the flat vectors.
pub fn inner(u: &[f64], v: &[f64]) -> f64 {
    added(u.len().min(v.len()).saturating_sub(1) as u64);
    u.iter().zip(v).map(|(u, v)| times(*u, *v)).sum::<f64>() + 0.0
}

/// The product inside a linear map, where a factor that is exactly zero makes it exactly zero.
pub(crate) fn times(a: f64, b: f64) -> f64 {
    if a != 0.0 && b != 0.0 {
        multiplied(1);
    }
    b.scale(&a)
}

/// The sum of two coefficients.
pub(crate) fn plus(a: f64, b: f64) -> f64 {
    added(1);
    a + b
}

/// `R`, `[3]R`, `(R, [2]R)`, `(R,)` for a product of one, `()` for the zero space
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Space::Real => f.write_str("R"),
            Space::Array(size, element) => write!(f, "[{size}]{element}"),
            Space::Product(parts) => {
                f.write_str("(")?;
                for (at, part) in parts.iter().enumerate() {
                    let separator = if at > 0 { ", " } else { "" };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
        }
    }
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Spaces that do not fit together, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceError(pub(crate) String);

impl SpaceError {
    pub(crate) fn new(message: impl Into<String>) -> SpaceError {
        SpaceError(message.into())
    }
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SpaceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_read_as_types() {
        let space = Space::product([Space::Real, Space::array(2, Space::reals(3)), Space::product([])]);
        assert_eq!(space.to_string(), "(R, [2][3]R, ())");
        assert_eq!(Space::product([Space::Real]).to_string(), "(R,)");
        assert_eq!(space.dimension(), 7);
        assert_eq!(space.part(1), Some(&Space::array(2, Space::reals(3))));
        assert_eq!((space.offset(1), space.offset(2)), (1, 7));
        assert_eq!(space.part(3), None);
    }

    #[test]
    fn spaces_too_large_for_vectors_are_still_spaces() {
        let huge = Space::array(usize::MAX, Space::reals(3));
        assert_eq!(huge.dimension(), usize::MAX);
        assert_eq!(Space::product([huge.clone(), huge]).dimension(), usize::MAX);
    }

    #[test]
    fn zeros_are_exact() {
        assert_eq!(inner(&[0.0, 2.0], &[f64::NAN, 3.0]), 6.0);
        assert_eq!(inner(&[f64::INFINITY], &[0.0]), 0.0);
        assert!(inner(&[f64::NAN], &[1.0]).is_nan());
    }
}
