//! Riesz, a differentiable functional language, for use from Rust.
//!
//! ```text
//! text ──load──▶ trees ──check──▶ typed core ──evaluate──▶ value
//! ```
//!
//! A [`Session`] holds a program and takes a text all the way to its value. Every mistake in the text is a
//! [`Diagnostic`], a value that [`Session::render`] shows to a person; nothing here touches files, processes or the
//! environment.
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

pub mod bench;
mod definition;
mod derivation;
mod emit;
pub mod gradients;
mod input;
mod load;
pub mod modes;
pub mod plot;
mod session;
mod verdict;
pub mod via;

pub use definition::Definition;
pub use emit::What;
pub use input::{Input, is_name};
pub use load::{Loaded, Loader, NoFiles, add_source};
pub use session::{Binding, Evaluated, Options, Scope, Session};

pub use riesz_calculus::Checkpoints;
pub use riesz_calculus::derive;
pub use riesz_category::graph;
pub use riesz_core::evaluate::{Limits, is_asking, show_real};
pub use riesz_core::{Check, Data, Elements, Size, Type};
pub use riesz_native::{
    Building, Cache, Compiler, Native, Pool, Precision, Problem, Settings, Watch, abandon_builds, cache, processor,
};
pub use riesz_primitive as primitive;
pub use riesz_syntax as syntax;
pub use riesz_syntax::tree::Name;
pub use riesz_syntax::{Diagnostic, FileId, Label, ParseOptions, Severity, Source, Sources, Span, Suggestion, Tree};

/// What a program computes with, as numbers of 64 bits.
pub type Value = riesz_core::evaluate::Value<f64>;
