//! The size of an expression: as written out, and as stored.

use alloc::vec::Vec;

use super::{Expr, Signature};
use crate::graph::order;

impl<V, F: Signature> Expr<V, F> {
    /// How many nodes it has, each part counted as often as it occurs. Stops at `u64::MAX`.
    pub fn size(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::new();
        for step in order(&self.0) {
            let parts = step.parts.iter().filter_map(|part| sizes.get(*part));
            sizes.push(parts.fold(1, |sum, size| sum.saturating_add(*size)));
        }
        sizes.pop().unwrap_or(0)
    }

    /// How many nodes are held, each part counted once.
    pub fn nodes(&self) -> usize {
        order(&self.0).len()
    }
}
