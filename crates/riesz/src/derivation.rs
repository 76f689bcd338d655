//! The derivation of the derivative of a function of a session.

use crate::{Diagnostic, FileId, NoFiles, ParseOptions, Session, Span};
use riesz_core::FunctionId;
use riesz_derive::{Derivation, Derivations, derive};
use riesz_syntax::tree::{self, ItemKind, TypeKind};
use riesz_syntax::{FormatOptions, format, parse};

impl Session {
    /// Shows how the derivative of a `fun`, of the program or of the prelude, is made, stage by stage. Of a function with
    /// type variables it is that at real numbers.
    pub fn derive(&mut self, name: &str, options: &Derivations) -> Result<Derivation, Vec<Diagnostic>> {
        let (function, text) = self.derived_function(name)?;
        let original = format(&text, &FormatOptions::default()).unwrap_or(text);
        self.within(|| derive(&self.checker.program, function, &original, options))?
    }

    /// The derivation of the derivative of a `fun` as a text that [`check`](riesz_certificate::check) replays.
    pub fn certificate(&mut self, name: &str, options: &Derivations) -> Result<String, Vec<Diagnostic>> {
        let (function, _) = self.derived_function(name)?;
        self.within(|| riesz_derive::certificate(&self.checker.program, function, options))?
    }

    /// The function of a name, with its text; one with type variables, at real numbers.
    fn derived_function(&mut self, name: &str) -> Result<(FunctionId, String), Vec<Diagnostic>> {
        let Some(text) = self.function_text(name) else {
            return Err(vec![self.no_function(name)]);
        };
        match self.checker.function_named(name) {
            Some(function) => Ok((function, text)),
            None => self.at_numbers(name, &text),
        }
    }

    /// Puts `R` in the place of type variables, for one derivation.
    fn at_numbers(&mut self, name: &str, text: &str) -> Result<(FunctionId, String), Vec<Diagnostic>> {
        let at_numbers = with_numbers(text);
        let scope = self.scope();
        let defined = self.define(&format!("{name} at R"), &at_numbers, &NoFiles);
        let function = self.checker.function_named(name);
        self.restore(scope);
        match (defined, function) {
            (Ok(_), Some(function)) => Ok((function, at_numbers)),
            _ => {
                let message = format!("`{name}` has type variables, and does not fit where they are `R`");
                let help = "write a function of the types you mean that calls it, and derive that";
                Err(vec![Diagnostic::placeless("generic-function", message).help(help)])
            }
        }
    }
}

/// The text of a function with `R` in the place of its type variables.
fn with_numbers(text: &str) -> String {
    let (tree, _) = parse(FileId(0), text, &ParseOptions::default());
    let mut found = Vec::new();
    for item in &tree.items {
        if let ItemKind::Fun { parameters, result, .. } = &item.kind {
            parameters.iter().for_each(|parameter| variables(&parameter.ty, &mut found));
            result.iter().for_each(|ty| variables(ty, &mut found));
        }
    }
    let mut replaced = text.to_string();
    for span in found.into_iter().rev() {
        replaced.replace_range(span.start as usize..span.end as usize, "R");
    }
    replaced
}

/// The places of type variables: names in lower case.
fn variables(ty: &tree::Type, found: &mut Vec<Span>) {
    match &ty.kind {
        TypeKind::Name(name, _) if name.starts_with(char::is_lowercase) => found.push(ty.span),
        TypeKind::Name(..) | TypeKind::Error => {}
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| variables(part, found)),
        TypeKind::Array(_, element) => variables(element, found),
        TypeKind::Record(fields) => fields.iter().for_each(|(_, ty)| variables(ty, found)),
        TypeKind::Function(from, to) | TypeKind::Linear(from, to) => {
            variables(from, found);
            variables(to, found);
        }
    }
}
