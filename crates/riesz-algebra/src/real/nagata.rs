//! The chain rule: `f (x, dx) = (f x, f' x • dx)`, for every row of the tables.   [000 §6.1, 001 §3]

use crate::module::Module;
use crate::nagata::Nagata;
use crate::real::operators::operators;
use crate::real::{Binary, Real, Unary};
use crate::semiring::{Ring, Semiring};

// ANCHOR: chain
impl<D: Real, E: Module<D>> Nagata<D, E> {
    /// A function of yours, from its value and its derivative: `f ⋈ f'`.
    #[inline(always)]
    pub fn chain(self, f: impl FnOnce(&D) -> D, derivative: impl FnOnce(&D) -> D) -> Self {
        Nagata { primal: f(&self.primal), tangent: self.tangent.scale(&derivative(&self.primal)) }
    }
}
// ANCHOR_END: chain

impl<D: Real, E: Module<D>> Real for Nagata<D, E> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Nagata { primal: D::constant(x), tangent: E::of_constants() }
    }

    #[inline(always)]
    fn unary(self, function: Unary) -> Self {
        let (primal, tangent) = self.primal.along(function, &self.tangent);
        Nagata { primal, tangent }
    }

    #[inline(always)]
    fn binary(self, function: Binary, other: Self) -> Self {
        let (primal, tangent) = self.primal.along_both(function, other.primal, &self.tangent, &other.tangent);
        Nagata { primal, tangent }
    }
}

operators!([D: Semiring, E: Module<D>] [D: Ring] [D: Real] Nagata<D, E>);
