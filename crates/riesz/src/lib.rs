//! Riesz, a differentiable functional language, for use from Rust.
//!
//! ```text
//! Program ──function──▶ Function ──grad, jvp, vjp, jacobian, ...──▶ Function ──compile──▶ Compiled ──call──▶ numbers
//! ```
//!
//! A [`Program`] is a text that has been checked. A [`Function`] of it, or a derivative of one, is compiled once. Calls,
//! from any thread, take borrowed slices and write to buffers of the caller. An [`Error`] has a message and a place.
//!
//! ```
//! use riesz::{Options, Program};
//!
//! # fn main() -> Result<(), riesz::Error> {
//! let program = Program::new("circle.rz", "fun area(r: R): R = pi * r^2")?;
//! let gradient = program.function("area")?.grad().compile(&Options::default())?;
//!
//! let mut by_radius = 0.0;
//! gradient.call(&[2.0.into()], &mut [(&mut by_radius).into()])?;
//! assert_eq!(by_radius, 4.0 * std::f64::consts::PI);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] evaluates expressions, as at a prompt. Every mistake in a text is a [`Diagnostic`]. Only the compiler of a
//! [`Toolchain`] touches files, processes and the environment.
//!
//! ```
//! use riesz::{Binding, Data, NoFiles, Session};
//!
//! let mut session = Session::default();
//! session.load_text("circle.rz", "fun area(r: R): R = pi * r^2", &NoFiles).unwrap();
//!
//! let area = session.evaluate("area(2)", Vec::new()).unwrap();
//! assert_eq!(area.to_string(), "12.566370614359172");
//!
//! // Names can be bound to data for one expression.
//! let radii = Data::List(vec![Data::Int(1), Data::Real(0.5)]);
//! let areas = session.evaluate("sum(area(r) | r in radii)", vec![("radii".into(), Binding::Data(radii))]).unwrap();
//! assert_eq!(areas.value.real(), 1.25 * std::f64::consts::PI);
//!
//! // A mistake is shown at its place.
//! let mistakes = session.evaluate("area(true)", Vec::new()).unwrap_err();
//! assert!(session.render(&mistakes, false).contains("area(true)"));
//! ```
//!
//! # Features
//!
//! The first three are on by default; without any, the library builds in a fraction of the time.
//!
//! | feature | |
//! |---|---|
//! | `attribute` | `#[differentiable]` on functions of Rust |
//! | `instant` | machine code in memory, without a compiler |
//! | `representations` | derivatives as morphisms of categories, pictures, and derivations as text |
//! | `faer`, `nalgebra-sparse`, `sprs` | sparse derivatives of functions of Rust as matrices of these crates |

pub mod bench;
mod compilation;
mod definition;
#[cfg(feature = "representations")]
mod derivation;
mod emit;
pub mod gradients;
mod handle;
mod input;
mod literals;
mod load;
pub mod modes;
#[cfg(feature = "representations")]
mod picture;
pub mod plot;
mod session;
#[cfg(feature = "attribute")]
mod sparse;
mod toolchain;
mod verdict;
pub mod via;

pub use definition::{Definition, Keyword};
pub use emit::Variant;
pub use handle::{Compiled, Diagnostics, Error, Function, Program};
pub use input::{Input, is_name};
pub use load::{Loaded, Loader, NoFiles, add_source};
pub use session::{Algebra, Binding, Evaluated, Formally, Options, OverBinding, Scope, Session};
pub use toolchain::{PATIENCE, Toolchain};

pub use riesz_calculus::{Associate, Checkpoints};
pub use riesz_call::{Argument, Leaf, Misfit, Output, Pool, Precision};
pub use riesz_certificate as certificate;
pub use riesz_core::evaluate::{Limits, Trap, is_asking, show_real};
pub use riesz_core::{Check, Data, Elements, Size, Type};
#[cfg(feature = "representations")]
pub use riesz_derive as derive;
#[cfg(feature = "representations")]
pub use riesz_draw as graph;
#[cfg(feature = "attribute")]
#[doc(hidden)]
pub use riesz_macros::__link;
#[cfg(feature = "attribute")]
pub use riesz_macros::{Differentiable, derivative, differentiable};
pub use riesz_native::{BuildObserver, Building, Cache, Compiler, Problem, Settings, abandon_builds, cache, processor};
pub use riesz_primitive as primitive;
#[doc(hidden)]
pub use riesz_runtime as __runtime;
pub use riesz_syntax as syntax;
pub use riesz_syntax::tree::Name;
pub use riesz_syntax::{Diagnostic, FileId, Label, ParseOptions, Severity, Source, Sources, Span, Suggestion, Tree};
#[cfg(feature = "attribute")]
pub use sparse::Sparse;

/// A value of a program, over numbers of 64 bits.
pub type Value = riesz_core::evaluate::Value<f64>;
