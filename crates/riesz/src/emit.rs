//! A function of a program, or a derivative of it, in other languages and as a picture.

use crate::Diagnostic;
use crate::compilation::place;
use crate::handle::derivative::{self, Derivative};
use crate::session::Session;
use riesz_category::combinator::Combinators;
use riesz_core::term::VarInfo;
use riesz_core::{FunctionId, Program};
use riesz_draw::{Ends, Graph, Of, draw};
use riesz_program::Signature;
use riesz_syntax::Span;

/// What to write of a function `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The function.
    Value,
    /// Value and tangent, from a point and a tangent.
    Jvp,
    /// Value and cotangent of the point, from a point and a cotangent of the value.
    Vjp,
    /// The gradient.
    Grad,
}

impl What {
    /// The derivative that is to be written; none for the function itself.
    fn derivative(self) -> Option<Derivative> {
        match self {
            What::Value => None,
            What::Jvp => Some(Derivative::Forward),
            What::Vjp => Some(Derivative::Reverse),
            What::Grad => Some(Derivative::Gradient),
        }
    }
}

/// Says that a function has type variables.
pub(crate) fn has_type_variables(name: &str) -> Diagnostic {
    Diagnostic::placeless("generic-function", format!("`{name}` has type variables"))
        .help("write a function of the types you mean that calls it")
}

impl Session {
    /// A function, or a derivative of it by all arguments that vary, as a Rust source file that needs `riesz-runtime` alone.
    pub fn emit_rust(&self, name: &str, what: What) -> Result<String, Vec<Diagnostic>> {
        self.emit_loops(name, what, |mut lowered, _, place| {
            let precision = Default::default();
            riesz_program::schedule::schedule(&mut lowered, &riesz_rust::target(precision, false));
            Ok(riesz_rust::emit(&lowered, &riesz_rust::Options { place, exports: &[], precision }))
        })
    }

    /// The same as a C11 source file that needs the C library alone.
    pub fn emit_c(&self, name: &str, what: What) -> Result<String, Vec<Diagnostic>> {
        self.emit_loops(name, what, |lowered, signature, place| {
            let written = riesz_c::emit(&lowered, &riesz_c::Options { place, exports: &[signature] });
            written.map_err(|problem| no_code(&format!("there is no C for {}", problem.what), problem.span))
        })
    }

    /// A function, or a derivative of it, as a loop program that a backend prints.
    fn emit_loops(
        &self,
        name: &str,
        what: What,
        print: impl FnOnce(riesz_program::Program, Signature, &dyn Fn(Span) -> String) -> Result<String, Vec<Diagnostic>>,
    ) -> Result<String, Vec<Diagnostic>> {
        let (mut program, function) = self.written(name, what.derivative())?;
        self.within(|| {
            riesz_calculus::compile_for_code(&mut program, &[function])?;
            let (lowered, mut entries) = riesz_program::lower(&program, &[function]);
            match entries.pop() {
                Some(Ok(entry)) => {
                    let sources = self.sources();
                    print(lowered, Signature::of(&program, function, entry), &|span| place(sources, span))
                }
                Some(Err(problem)) => Err(no_code(&problem.reason, problem.span)),
                None => Err(Vec::new()),
            }
        })?
    }

    /// A `fun` of the program, and those that it calls, as combinators. Derivatives in them are compiled before.
    pub fn combinators(&self, name: &str) -> Result<Combinators, Vec<Diagnostic>> {
        self.as_combinators(self.written(name, None)?)
    }

    /// A `fun` of the program, or a derivative of it by all arguments that vary, as the text of combinators.
    pub fn emit_combinators(&self, name: &str, what: What) -> Result<String, Vec<Diagnostic>> {
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

    fn function_of_types(&self, name: &str) -> Result<FunctionId, Vec<Diagnostic>> {
        self.checker.function_named(name).ok_or_else(|| {
            vec![match self.function_text(name) {
                None => self.no_function(name),
                Some(_) => has_type_variables(name),
            }]
        })
    }

    /// A function or a derivative of it, in a program with nothing else but what that needs.
    fn written(&self, name: &str, wanted: Option<Derivative>) -> Result<(Program, FunctionId), Vec<Diagnostic>> {
        let function = self.function_of_types(name)?;
        let mut program = self.program().part(&[function], &|_| false);
        let Some(wanted) = wanted else { return Ok((program, function)) };
        let derived = derivative::write(&mut program, function, wanted, None).map_err(|problem| vec![*problem])?;
        Ok((program, derived))
    }
}

fn no_code(reason: &str, span: Span) -> Vec<Diagnostic> {
    vec![Diagnostic::error("no-code", span, format!("this cannot be written as code: {reason}"))]
}
