//! A function of a program, or a derivative of it, as combinators and as a picture.

use crate::emit::Variant;
use crate::handle::derivative::{self, Derivative};
use crate::{Diagnostic, Session};
use riesz_category::combinator::Combinators;
use riesz_core::term::VarInfo;
use riesz_core::{FunctionId, Program};
use riesz_draw::{Ends, Graph, Of, draw};

impl Session {
    /// A `fun` of the program, and those that it calls, as combinators. Derivatives in them are compiled before.
    pub fn combinators(&self, name: &str) -> Result<Combinators, Vec<Diagnostic>> {
        self.as_combinators(self.written(name, None)?)
    }

    /// A `fun` of the program, or a derivative of it by all arguments that vary, as the text of combinators.
    pub fn emit_combinators(&self, name: &str, what: Variant) -> Result<String, Vec<Diagnostic>> {
        Ok(self.as_combinators(self.written(name, what.derivative())?)?.to_string())
    }

    fn as_combinators(&self, (mut program, function): (Program, FunctionId)) -> Result<Combinators, Vec<Diagnostic>> {
        self.within(|| {
            riesz_calculus::compile_from(&mut program, &[function])?;
            riesz_category::compile::compile(&program, function).map_err(|problem| vec![*problem])
        })?
    }

    /// A `fun` of the program as a graph, with its derivative if that is wanted.
    pub fn graph(&self, name: &str, of: Of) -> Result<Graph, Vec<Diagnostic>> {
        let id = self.function_of_types(name)?;
        let function = self.checker.program.function(id);
        let parameter =
            |var: &VarInfo| (var.name.as_ref().map_or("_".to_string(), |name| name.to_string()), var.ty.clone());
        let parameters = function.vars[..function.parameters].iter().map(parameter).collect();
        let active = match of {
            Of::Value => vec![false; function.parameters],
            _ => derivative::active_parameters(function).map_err(|problem| vec![*problem])?,
        };
        let ends = Ends { parameters, active, result: function.result.clone() };
        let combinators = match of {
            Of::Value => self.combinators(name)?,
            Of::Gradient => self.as_combinators(self.written(name, Some(Derivative::ValueAndGradient))?)?,
            Of::Derivative | Of::Adjoint => {
                let mut program = self.program().part(&[id], &|_| false);
                let inner = derivative::of_what_varies(&mut program, id, &ends.active);
                let both = self.within(|| riesz_calculus::compile_with_map(&mut program, inner))??;
                self.as_combinators((program, both))?
            }
        };
        self.within(|| draw(&combinators, &ends, of))
    }
}
