#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// Numbers, and what gradients live in
pub mod semiring;

pub mod module;

// A value and its gradient as one number
pub mod nagata;

pub mod kronecker;

pub mod finite;

// Elementary functions, and how each is differentiated
pub mod real;

// Expressions, and what their gradients can be made of
#[cfg(feature = "alloc")]
pub mod expression;
#[cfg(feature = "alloc")]
pub mod tangent;

// Derivatives of higher order
#[cfg(feature = "alloc")]
pub mod order;

// Derivatives as linear maps between vector spaces
#[cfg(feature = "alloc")]
pub mod space;
#[cfg(feature = "alloc")]
pub mod tower;

// What all of this rests on
#[cfg(feature = "alloc")]
pub mod graph;
#[cfg(feature = "alloc")]
pub mod law;

pub use finite::Finite;
pub use kronecker::Kronecker;
pub use module::{Module, Scalar};
pub use nagata::Nagata;
pub use real::Real;
pub use semiring::{Monoid, Ring, Semiring};
#[cfg(feature = "alloc")]
pub use {
    expression::{Expr, abstract_derivative, evaluate},
    finite::finite_laws,
    kronecker::kronecker_laws,
    module::{difference_law, module_laws},
    semiring::{homomorphism_laws, monoid_laws, ring_laws, semiring_laws},
    tangent::{CorrectAd, Sparse, correct_ad_laws},
};
