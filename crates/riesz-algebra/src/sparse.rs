//! Sparse vectors: the coordinates that are not structurally zero.   [000 §4.3]
//!
//! A coordinate is kept once something may depend on it, even where its value is 0.0: what is absent is zero whatever the
//! numbers are. Two sparse vectors are equal when their coordinates are.

use crate::module::Module;
use crate::semiring::Monoid;

/// A vector with few coordinates.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    /// Coordinates and values, sorted.
    entries: Vec<(usize, f64)>,
}

impl Sparse {
    /// The vector that is 1 at one coordinate.
    pub fn unit(coordinate: usize) -> Sparse {
        Sparse { entries: vec![(coordinate, 1.0)] }
    }

    /// The coordinates that are not structurally zero, in order, with their values.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries.iter().copied()
    }
}

impl PartialEq for Sparse {
    fn eq(&self, other: &Sparse) -> bool {
        let present = |sparse: &Sparse| sparse.entries().filter(|(_, value)| *value != 0.0).collect::<Vec<_>>();
        present(self) == present(other)
    }
}

impl Monoid for Sparse {
    fn zero() -> Sparse {
        Sparse::default()
    }

    fn add(&self, other: &Sparse) -> Sparse {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        let (mut left, mut right) = (self.entries.iter().peekable(), other.entries.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return Sparse { entries },
            };
            let from_left = if order.is_le() { left.next() } else { None };
            let from_right = if order.is_ge() { right.next() } else { None };
            match (from_left, from_right) {
                (Some((at, a)), Some((_, b))) => entries.push((*at, a + b)),
                (Some(entry), None) | (None, Some(entry)) => entries.push(*entry),
                (None, None) => {}
            }
        }
    }
}

impl Module<f64> for Sparse {
    fn scale(&self, factor: &f64) -> Sparse {
        Sparse { entries: self.entries.iter().map(|(at, value)| (*at, value.scale(factor))).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::module_laws;

    #[test]
    fn laws_and_structure() {
        let vector = |entries: &[(usize, f64)]| Sparse { entries: entries.to_vec() };
        let (u, v, w) = (vector(&[(0, 1.0), (3, 2.0)]), vector(&[(1, -4.0), (3, 5.0)]), vector(&[]));
        module_laws((&2.0, &-3.0), (&u, &v, &w)).unwrap();
        assert_eq!(u.add(&v).entries().collect::<Vec<_>>(), [(0, 1.0), (1, -4.0), (3, 7.0)]);
        assert_eq!(u.scale(&0.0).entries().count(), 2);
    }
}
