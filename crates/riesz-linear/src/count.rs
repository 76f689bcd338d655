//! Counts of operations with the coefficients of maps: when laws combine them, and when a map becomes its matrix. Each
//! thread counts separately. Applications of maps are not counted here, because the type of the numbers can count them.

use std::cell::Cell;
use std::ops::Sub;

/// Operations on numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Multiplications of two numbers that are not zero.
    pub multiplications: u64,
    /// Additions of two numbers.
    pub additions: u64,
}

impl Sub for Arithmetic {
    type Output = Arithmetic;

    fn sub(self, before: Arithmetic) -> Arithmetic {
        Arithmetic {
            multiplications: self.multiplications - before.multiplications,
            additions: self.additions - before.additions,
        }
    }
}

thread_local! {
    static COUNT: Cell<Arithmetic> = const { Cell::new(Arithmetic { multiplications: 0, additions: 0 }) };
}

/// Does something, and says what was computed with coefficients meanwhile.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Arithmetic) {
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

pub(crate) fn multiplied(count: u64) {
    let before = COUNT.get();
    COUNT.set(Arithmetic { multiplications: before.multiplications + count, ..before });
}

pub(crate) fn added(count: u64) {
    let before = COUNT.get();
    COUNT.set(Arithmetic { additions: before.additions + count, ..before });
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
        assert_eq!(count, Arithmetic { multiplications: 1, additions: 0 });
        let diagonal = LinearMap::diagonal(Vector::of_reals([2.0, 3.0]));
        assert_eq!(counted(|| diagonal.matrix()).1, Arithmetic { multiplications: 2, additions: 0 });
        assert_eq!(counted(|| uncounted(|| diagonal.matrix())).1, Arithmetic::default());
    }
}
