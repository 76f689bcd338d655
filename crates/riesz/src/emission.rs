//! Functions of a session in other languages.

use crate::{Diagnostic, Session};
use riesz_category::combinator::Combinators;

impl Session {
    /// A `fun` of the program, and those that it calls, as combinators. Derivatives in them are compiled before.
    pub fn combinators(&self, name: &str) -> Result<Combinators, Vec<Diagnostic>> {
        let Some(function) = self.checker.function_named(name) else {
            return Err(vec![match self.function_text(name) {
                None => self.no_function(name),
                Some(_) => Diagnostic::placeless("generic-function", format!("`{name}` has type variables"))
                    .help("write a function of the types you mean that calls it"),
            }]);
        };
        let mut program = self.checker.program.clone();
        riesz_calculus::compile_from(&mut program, &[function])?;
        riesz_category::compile::compile(&program, function).map_err(|problem| vec![*problem])
    }
}
