//! Counts of the passes over whole programs, for tests that check that a pipeline runs each of them once.

use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    static PASSES: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Counts a pass over a whole program that begins on this thread.
pub fn pass(name: &'static str) {
    PASSES.with_borrow_mut(|passes| *passes.entry(name).or_default() += 1);
}

/// The result of work, and the passes that ran on this thread for it, by name.
pub fn passes<T>(work: impl FnOnce() -> T) -> (T, BTreeMap<&'static str, u64>) {
    let before = PASSES.take();
    let value = work();
    let found = PASSES.replace(before);
    PASSES.with_borrow_mut(|all| found.iter().for_each(|(name, count)| *all.entry(name).or_default() += count));
    (value, found)
}

#[cfg(test)]
mod tests {
    use super::{pass, passes};

    #[test]
    fn passes_are_those_of_the_work() {
        pass("before");
        let (inner, outer) = passes(|| {
            pass("one");
            passes(|| pass("two")).1
        });
        assert_eq!(inner.into_iter().collect::<Vec<_>>(), [("two", 1)]);
        assert_eq!(outer.into_iter().collect::<Vec<_>>(), [("one", 1), ("two", 1)]);
    }
}
