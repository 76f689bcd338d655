//! Text to tree: sources, lexer, parser, formatter and diagnostics of the Riesz language.
//!
//! A [`Source`] becomes a [`Tree`] by [`parse`], which reports as many [`Diagnostic`]s as it finds and always returns a
//! tree. [`format()`] prints a text anew with its comments. [`render()`] shows diagnostics to a person.

pub mod diagnostic;
pub mod format;
pub mod lexer;
pub mod parser;
pub mod render;
pub mod same;
pub mod source;
pub mod token;
pub mod tree;

pub use diagnostic::{Diagnostic, Label, Severity, Suggestion};
pub use format::{FormatOptions, format};
pub use parser::{ParseOptions, parse, parse_expression, parse_signature, parse_type};
pub use render::render;
pub use same::same;
pub use source::{FileId, Source, Sources, Span};
pub use tree::Tree;
