//! Automatic differentiation as algebra: semirings, modules, and numbers that carry their derivative.
//!
//! A function is written once, generic over [`Real`] numbers. The type of the numbers determines the result: [`Nagata`]
//! numbers are values with a gradient, and a gradient can be any type with sums and multiples, a [`Module`]. An array
//! on the stack gives forward mode; a linear function that waits for a factor gives reverse mode.
//!
//! ```
//! use riesz_algebra::tangent::ReverseArray;
//! use riesz_algebra::{Kronecker, Nagata, Real};
//!
//! fn f<D: Real>(x: D, y: D) -> D {
//!     x.clone() * x * y.clone() + y.ln()
//! }
//!
//! // plain numbers: the value
//! assert_eq!(f(3.0, 1.0), 9.0);
//!
//! // forward mode: all derivatives at once, in vector instructions and without an allocation
//! let [x, y] = Nagata::variables([3.0, 1.0]);
//! assert_eq!(f(x, y).tangent, [6.0, 10.0]);
//!
//! // reverse mode: as fast for a million variables as for two
//! let variable = |v: usize, primal: f64| Nagata { primal, tangent: ReverseArray::delta(&v) };
//! let gradient = f(variable(0, 3.0), variable(1, 1.0)).tangent.gradient();
//! assert_eq!(gradient.run(2, |v: &usize| *v), Some(vec![6.0, 10.0]));
//! ```
//!
//! [`derivative`] has gradients, Jacobians, Hessians and Taylor series as functions of one line, and [`numeric`] the
//! operators of everyday code. [`real::Primitive`] adds a function of your own.
//!
//! The modules: [`real`] has the functions, [`tangent`] the representations of gradients, [`order`] and [`tower`]
//! higher derivatives, [`space`] derivatives as linear maps, [`expression`] formulas and their derivatives,
//! [`semiring`] other numbers: truth values, costs, intervals, polynomials. Every trait has laws, and each law is a
//! function that you can call on types of your own, such as [`module_laws`]. Zeros are exact in derivatives: see
//! [`module`].
//!
//! With the feature `num-traits` Nagata numbers have its `Zero`, `One` and `FromPrimitive`, which is what the matrices of
//! nalgebra need of their numbers (feature `nalgebra`). Polynomials are no [`Real`] numbers: they have no quotients.
//!
//! Without the feature `std` the crate is `no_std`; without `alloc` as well, it has the modules that need no heap:
//! [`semiring`], [`module`], [`nagata`], [`real`].

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

// Numbers as they are written in everyday code
pub mod numeric;

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

// Derivatives in one line
#[cfg(feature = "alloc")]
pub mod derivative;

// What all of this rests on
#[cfg(feature = "alloc")]
pub mod graph;
#[cfg(feature = "alloc")]
pub mod law;

pub use finite::Finite;
pub use kronecker::Kronecker;
pub use module::{Module, Scalar};
pub use nagata::Nagata;
pub use numeric::Numeric;
pub use real::Real;
pub use semiring::{Monoid, Ring, Semiring};
#[cfg(feature = "alloc")]
pub use {
    expression::{Expr, abstract_derivative, evaluate},
    finite::finite_laws,
    kronecker::kronecker_laws,
    module::{difference_law, module_laws, quotient_law},
    semiring::{homomorphism_laws, monoid_laws, ring_laws, semiring_laws},
    tangent::{CorrectAd, Sparse, correct_ad_laws},
};

/// The examples of the page that introduces the crate.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
