//! Counts of the work with maps: operations with their coefficients, when laws combine them and when a map becomes its
//! matrix; operations and allocated bytes of those who make and apply derivatives. Each thread counts separately.
//! Applications of maps over numbers that count themselves are not counted here.

use std::cell::Cell;
use std::ops::Sub;

/// Operations on numbers, and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Multiplications of two numbers that are not zero.
    pub multiplications: u64,
    /// Additions of two numbers.
    pub additions: u64,
    /// Bytes of vectors, rows and morphisms that were made.
    pub bytes: u64,
}

impl Sub for Count {
    type Output = Count;

    fn sub(self, before: Count) -> Count {
        Count {
            multiplications: self.multiplications - before.multiplications,
            additions: self.additions - before.additions,
            bytes: self.bytes - before.bytes,
        }
    }
}

thread_local! {
    static COUNT: Cell<Count> = const { Cell::new(Count { multiplications: 0, additions: 0, bytes: 0 }) };
}

/// Does something, and says what it took.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Count) {
    let before = COUNT.get();
    let result = work();
    (result, COUNT.get() - before)
}

/// Does something that is not counted.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    let before = COUNT.get();
    let result = work();
    COUNT.set(before);
    result
}

/// Counts multiplications.
pub fn multiplied(count: u64) {
    let before = COUNT.get();
    COUNT.set(Count { multiplications: before.multiplications + count, ..before });
}

/// Counts additions.
pub fn added(count: u64) {
    let before = COUNT.get();
    COUNT.set(Count { additions: before.additions + count, ..before });
}

/// Counts allocated bytes.
pub fn allocated(bytes: usize) {
    let before = COUNT.get();
    COUNT.set(Count { bytes: before.bytes + bytes as u64, ..before });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinearMap, Space, Vector};

    #[test]
    fn laws_and_matrices_are_counted() {
        let chain = LinearMap::compose(vec![LinearMap::scale(2.0, Space::Real), LinearMap::scale(3.0, Space::Real)]);
        let (simple, count) = counted(|| chain.as_ref().map(LinearMap::simplify));
        assert_eq!(simple.map(|map| map.to_string()).ok().as_deref(), Some("scale 6.0"));
        assert_eq!(count, Count { multiplications: 1, ..Count::default() });
        let diagonal = LinearMap::diagonal(Vector::of_reals([2.0, 3.0]));
        assert_eq!(counted(|| diagonal.matrix()).1, Count { multiplications: 2, ..Count::default() });
        assert_eq!(counted(|| uncounted(|| diagonal.matrix())).1, Count::default());
    }
}
