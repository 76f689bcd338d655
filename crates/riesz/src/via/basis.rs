//! Linear maps as functions on the basis of the domain, stored as data: `u ⊸ v = Basis u → v`.   [001 §9, §11]
//!
//! ```text
//! (1 → t) ≅ t      (a + b → t) ≅ (a → t, b → t)
//! ```
//!
//! A function on the basis of a product is a function for each part, so a map is a tree in the shape of the point, with
//! a number at each leaf; a part on which the map is zero is absent.

use super::Representation;
use super::algebra::{Field, Gradient, row, spend_on};
use crate::Value;
use riesz_algebra::{Module, Monoid, Semiring};
use riesz_primitive::Counted;
use std::rc::Rc;

pub(super) const BASIS: Representation =
    row::<Trie<f64>, Trie<Counted>>("basis", "a trie over the basis of the domain", "001 §11");

/// A function on the basis of a space.
#[derive(Clone, Debug)]
enum Trie<D> {
    /// Zero everywhere.
    Zero,
    /// On the basis of `R`.
    Number(D),
    /// On the basis of a product or an array.
    Parts(Rc<[Trie<D>]>),
}

impl<D: Semiring> Monoid for Trie<D> {
    fn zero() -> Trie<D> {
        Trie::Zero
    }

    fn add(&self, other: &Trie<D>) -> Trie<D> {
        match (self, other) {
            (Trie::Number(x), Trie::Number(y)) => Trie::Number(x.add(y)),
            (Trie::Parts(a), Trie::Parts(b)) => {
                spend_on(a.len());
                Trie::Parts(a.iter().zip(b.iter()).map(|(a, b)| a.add(b)).collect())
            }
            (Trie::Zero, trie) | (trie, _) => trie.clone(),
        }
    }
}

impl<D: Semiring + Module<D>> Module<D> for Trie<D> {
    fn scale(&self, factor: &D) -> Trie<D> {
        match self {
            Trie::Zero => Trie::Zero,
            Trie::Number(x) => Trie::Number(x.scale(factor)),
            Trie::Parts(parts) => {
                spend_on(parts.len());
                Trie::Parts(parts.iter().map(|part| part.scale(factor)).collect())
            }
        }
    }
}

/// The shape of a point: how many numbers there are in each part.
pub(super) enum Branches {
    Number,
    Parts(Vec<Branches>, usize),
}

impl Branches {
    fn of(value: &Value) -> Branches {
        let parts = |shapes: Vec<Branches>| {
            let size = shapes.iter().map(Branches::size).sum();
            Branches::Parts(shapes, size)
        };
        match value {
            Value::Real(_) => Branches::Number,
            Value::Tuple(values) => parts(values.iter().map(Branches::of).collect()),
            Value::Values(values) => parts(values.iter().map(Branches::of).collect()),
            other => parts((0..other.count_coordinates()).map(|_| Branches::Number).collect()),
        }
    }

    fn size(&self) -> usize {
        match self {
            Branches::Number => 1,
            Branches::Parts(_, size) => *size,
        }
    }

    /// The coordinate of a number, which is 1 on one vector of the basis and 0 on the others.
    fn coordinate<D: Semiring>(&self, mut at: usize) -> Trie<D> {
        let Branches::Parts(shapes, _) = self else { return Trie::Number(D::one()) };
        let part = |shape: &Branches| {
            let inside = at < shape.size();
            at = at.wrapping_sub(shape.size());
            if inside { shape.coordinate(at.wrapping_add(shape.size())) } else { Trie::Zero }
        };
        Trie::Parts(shapes.iter().map(part).collect())
    }

    /// The numbers of a trie that are there, by the places of their coordinates.
    fn entries<D: Clone>(&self, trie: &Trie<D>, first: usize, entries: &mut Vec<(usize, D)>) {
        match (self, trie) {
            (_, Trie::Zero) => {}
            (Branches::Parts(shapes, _), Trie::Parts(parts)) => {
                let mut first = first;
                for (shape, part) in shapes.iter().zip(parts.iter()) {
                    shape.entries(part, first, entries);
                    first += shape.size();
                }
            }
            (_, Trie::Number(number)) => entries.push((first, number.clone())),
            (Branches::Number, Trie::Parts(_)) => {}
        }
    }
}

impl<D: Field> Gradient<D> for Trie<D> {
    type Coordinates = Branches;

    fn shape(point: &Value, _: usize) -> Branches {
        Branches::of(point)
    }

    fn coordinate(shape: &Branches, at: usize) -> Trie<D> {
        shape.coordinate(at)
    }

    fn entries(&self, shape: &Branches) -> Vec<(usize, D)> {
        let mut entries = Vec::new();
        shape.entries(self, 0, &mut entries);
        entries
    }
}
