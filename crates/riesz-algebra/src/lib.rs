#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
pub mod law;

pub mod finite;
pub mod kronecker;
pub mod module;
pub mod nagata;
pub mod real;
pub mod semiring;

#[cfg(feature = "alloc")]
pub mod expression;
#[cfg(feature = "alloc")]
pub mod graph;
#[cfg(feature = "alloc")]
pub mod order;
#[cfg(feature = "alloc")]
pub mod tangent;

pub use finite::Finite;
pub use kronecker::Kronecker;
pub use module::{Module, Scalar};
pub use nagata::Nagata;
pub use real::Real;
pub use semiring::{Monoid, Ring, Semiring};
#[cfg(feature = "alloc")]
pub use {
    expression::{Expr, abstract_derivative, evaluate},
    kronecker::kronecker_laws,
    module::module_laws,
    semiring::{ring_laws, semiring_laws},
    tangent::{CorrectAd, Sparse},
};
