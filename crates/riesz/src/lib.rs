//! Riesz, a differentiable functional language, for use from Rust.
//!
//! ```text
//! Program ──function──▶ Function ──grad, jvp, vjp, jacobian, ...──▶ Function ──compile──▶ Compiled ──call──▶ numbers
//! ```
//!
//! A [`Program`] is a text that has been checked. A [`Function`] of it, or a derivative of one, is compiled once and called
//! as often as wanted, from any thread, with borrowed slices in and buffers of the caller out. An [`Error`] says what is
//! wrong and where.
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
//! A [`Session`] evaluates expressions, as at a prompt. Every mistake in a text is a [`Diagnostic`]. Nothing here touches
//! files, processes or the environment, but for the compiler of a [`Toolchain`].
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
//! All are on by default; without any, the library builds in a fraction of the time.
//!
//! | feature | |
//! |---|---|
//! | `attribute` | `#[differentiable]` on functions of Rust |
//! | `instant` | machine code in memory, without a compiler |
//! | `representations` | derivatives as morphisms of categories, pictures, and derivations as text |

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
mod toolchain;
mod verdict;
pub mod via;

pub use definition::{Definition, Keyword};
pub use emit::What;
pub use handle::{Compiled, Diagnostics, Error, Function, Program};
pub use input::{Input, is_name};
pub use load::{Loaded, Loader, NoFiles, add_source};
pub use session::{Algebra, Binding, Evaluated, Formally, Given, Options, Scope, Session};
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
pub use riesz_native::{Building, Cache, Compiler, Problem, Settings, Watch, abandon_builds, cache, processor};
pub use riesz_primitive as primitive;
#[doc(hidden)]
pub use riesz_runtime as __runtime;
pub use riesz_syntax as syntax;
pub use riesz_syntax::tree::Name;
pub use riesz_syntax::{Diagnostic, FileId, Label, ParseOptions, Severity, Source, Sources, Span, Suggestion, Tree};

/// What a program computes with, as numbers of 64 bits.
pub type Value = riesz_core::evaluate::Value<f64>;
