//! Combinators, and the categories that interpret them.   [003, 004]
//!
//! A function of the core, which has variables, becomes a [`Combinator`](combinator::Combinator), which has none
//! ([`compile`](mod@compile)). A combinator can be interpreted in any category that has the operations of programs
//! ([`interpret`](mod@interpret)): in that of functions it computes values; in [`D<K>`](derivative::D) values and
//! derivatives, for any category `K` of linear maps ([`linear`]); in [`Incremental`](incremental::Incremental) values,
//! and their updates when arguments change. With one program and one definition of differentiation, each category gives
//! an algorithm:
//!
//! ```
//! use riesz_category::via::{Via, derivative};
//! use riesz_core::Checker;
//! use riesz_core::evaluate::Value;
//! use riesz_syntax::{FileId, ParseOptions, parse};
//!
//! let (tree, _) = parse(FileId(1), "fun f(x: R, y: R): R = log(x) + x * y - sin(y)", &ParseOptions::default());
//! let mut checker = Checker::new();
//! assert!(checker.add(vec![tree], false).is_empty());
//! let f = checker.function_named("f").unwrap();
//!
//! for via in Via::ALL {
//!     let found = derivative(&checker.program, f, vec![Value::Real(2.0), Value::Real(0.0)], via).unwrap();
//!     assert_eq!(found.apply(&[1.0, 0.0]), [0.5]);                // ∂f/∂x = 1/x + y
//!     assert_eq!(found.transpose_apply(&[1.0]), [0.5, 1.0]);      // ∂f/∂y = x − cos y
//! }
//! ```
//!
//! Reading order: [`category`], its [`law`]s, the representations in [`linear`], [`derivative`]; then [`combinator`],
//! [`compile`](mod@compile), [`interpret`](mod@interpret); the rest of Riesz uses [`via`].

pub mod category;
pub mod law;

pub mod tangent;

pub mod linear;

pub mod combinator;
pub mod compile;
pub mod interpret;
mod purify;

pub mod derivative;
pub mod incremental;
pub mod space;

pub mod via;

pub mod closure;

pub use riesz_linear::count;
