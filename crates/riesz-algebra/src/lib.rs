//! The algebra that Riesz computes in.
//!
//! A [`Monoid`] has sums, a [`Semiring`] products too, a [`Ring`] differences too. A [`Module`] is what a gradient lives
//! in: sums, and multiples by the values of a semiring. [`Nagata`] joins a value and its gradient into one number. The
//! laws stand beside each trait, as functions that anyone can run on an instance of their own.
//!
//! ```
//! use riesz_algebra::{Monoid, Nagata, Semiring};
//!
//! // x (x + 1) at 5, and its derivative there
//! let x = Nagata { primal: 5.0, tangent: 1.0 };
//! assert_eq!(x.mul(&x.add(&Nagata::one())), Nagata { primal: 30.0, tangent: 11.0 });
//! ```

pub mod law;
pub mod module;
pub mod nagata;
pub mod semiring;
pub mod sparse;

pub use module::{Module, module_laws};
pub use nagata::Nagata;
pub use semiring::{Monoid, Ring, Semiring, ring_laws, semiring_laws};
pub use sparse::Sparse;
