//! Functions of a session in other languages.

use crate::{Diagnostic, Session};
use riesz_category::combinator::Combinators;
use riesz_category::graph::{Graph, Of, draw};
use riesz_core::FunctionId;

impl Session {
    /// A `fun` of the program, and those that it calls, as combinators. Derivatives in them are compiled before.
    pub fn combinators(&self, name: &str) -> Result<Combinators, Vec<Diagnostic>> {
        let function = self.function_of_types(name)?;
        let mut program = self.checker.program.clone();
        riesz_calculus::compile_from(&mut program, &[function])?;
        riesz_category::compile::compile(&program, function).map_err(|problem| vec![*problem])
    }

    /// A `fun` of the program as a graph.
    pub fn graph(&self, name: &str, of: Of) -> Result<Graph, Vec<Diagnostic>> {
        let function = self.checker.program.function(self.function_of_types(name)?);
        let parameters: Vec<String> = function.vars[..function.parameters]
            .iter()
            .map(|var| var.name.as_ref().map_or("_".to_string(), |name| name.to_string()))
            .collect();
        draw(&self.combinators(name)?, &parameters, of).map_err(|problem| vec![*problem])
    }

    fn function_of_types(&self, name: &str) -> Result<FunctionId, Vec<Diagnostic>> {
        self.checker.function_named(name).ok_or_else(|| {
            vec![match self.function_text(name) {
                None => self.no_function(name),
                Some(_) => Diagnostic::placeless("generic-function", format!("`{name}` has type variables"))
                    .help("write a function of the types you mean that calls it"),
            }]
        })
    }
}
