//! Counts of the making and applying of derivatives: additions and multiplications of numbers, including those with the
//! coefficients of terms, and allocated bytes.

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
    let (result, coefficients) = riesz_linear::count::counted(work);
    let count = COUNT.get() - before;
    let multiplications = count.multiplications + coefficients.multiplications;
    (result, Count { multiplications, additions: count.additions + coefficients.additions, ..count })
}

/// Does something that is not counted.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    let before = COUNT.get();
    let result = riesz_linear::count::uncounted(work);
    COUNT.set(before);
    result
}

pub(crate) fn multiplied() {
    let count = COUNT.get();
    COUNT.set(Count { multiplications: count.multiplications + 1, ..count });
}

pub(crate) fn added() {
    let count = COUNT.get();
    COUNT.set(Count { additions: count.additions + 1, ..count });
}

pub(crate) fn made(bytes: usize) {
    let count = COUNT.get();
    COUNT.set(Count { bytes: count.bytes + bytes as u64, ..count });
}
