//! Differentiable functions for other crates.

use riesz::{Differentiable, differentiable};

/// A spring.
#[derive(Clone, Debug, Differentiable)]
pub struct Spring {
    /// How much force a length takes.
    pub stiffness: f64,
    /// Its length at rest.
    pub length: f64,
}

/// Functions of one spring.
pub mod one {
    use super::{Spring, differentiable};

    /// The energy of a spring of some length.
    #[differentiable]
    pub fn energy(spring: &Spring, x: f64) -> f64 {
        0.5 * spring.stiffness * square(x - spring.length)
    }

    #[differentiable]
    fn square(x: f64) -> f64 {
        x * x
    }
}
