//! Arrays `[D; N]`: a number for each of `N` variables, adjacent in memory.

use crate::finite::Below;
use crate::module::Scalar;
use crate::tangent::{CorrectAd, Dense};

impl<D: Scalar, const N: usize> CorrectAd<Below<N>, D> for [D; N] {
    fn rep(dense: &Dense<Below<N>, D>) -> Self {
        let mut values = dense.values().into_iter();
        core::array::from_fn(|_| values.next().unwrap_or_else(D::zero))
    }
    fn abs(&self) -> Dense<Below<N>, D> {
        Dense::tabulate(|v: &Below<N>| self[v.get()].clone())
    }
}
