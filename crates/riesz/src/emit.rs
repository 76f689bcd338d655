//! A function of a program, or a derivative of it, in other languages and as a picture.

use crate::session::{Session, place};
use crate::{Diagnostic, NoFiles, Type};
use riesz_category::combinator::Combinators;
use riesz_category::graph::{Graph, Of, draw};
use riesz_core::term::VarInfo;
use riesz_core::{FunctionId, size};

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

impl Session {
    /// A function, or a derivative of it by all arguments that vary, as a Rust source file that needs `riesz-runtime` alone.
    pub fn emit_rust(&mut self, name: &str, what: What) -> Result<String, Vec<Diagnostic>> {
        let written = self.function_of_types(name)?;
        let function = match what {
            What::Value => written,
            _ => self.derivative(name, written, what)?,
        };
        let mut program = self.program().clone();
        // A derivative comes from where its function is written.
        program.functions[function.0 as usize].span = program.function(written).span;
        self.within(|| {
            riesz_calculus::compile_for_code(&mut program, &[function])?;
            let (lowered, entries) = riesz_program::lower(&program, &[function]);
            if let Some(Err(problem)) = entries.first() {
                let message = format!("this cannot be written as code: {}", problem.reason);
                return Err(vec![Diagnostic::error("no-code", problem.span, message)]);
            }
            let sources = self.sources();
            let place = |span| place(sources, span);
            Ok(riesz_rust::emit(
                &lowered,
                &riesz_rust::Options { place: &place, exports: &[], fine: false, precision: Default::default() },
            ))
        })?
    }

    /// A `fun` of the program, and those that it calls, as combinators. Derivatives in them are compiled before.
    pub fn combinators(&self, name: &str) -> Result<Combinators, Vec<Diagnostic>> {
        self.as_combinators(self.function_of_types(name)?)
    }

    /// A `fun` of the program, or a derivative of it by all arguments that vary, as the text of combinators.
    pub fn emit_combinators(&mut self, name: &str, what: What) -> Result<String, Vec<Diagnostic>> {
        let written = self.function_of_types(name)?;
        let function = match what {
            What::Value => written,
            _ => self.derivative(name, written, what)?,
        };
        Ok(self.as_combinators(function)?.to_string())
    }

    fn as_combinators(&self, function: FunctionId) -> Result<Combinators, Vec<Diagnostic>> {
        let mut program = self.checker.program.clone();
        self.within(|| {
            riesz_calculus::compile_from(&mut program, &[function])?;
            riesz_category::compile::compile(&program, function).map_err(|problem| vec![*problem])
        })?
    }

    /// A `fun` of the program as a graph.
    pub fn graph(&self, name: &str, of: Of) -> Result<Graph, Vec<Diagnostic>> {
        let function = self.checker.program.function(self.function_of_types(name)?);
        let parameter =
            |var: &VarInfo| (var.name.as_ref().map_or("_".to_string(), |name| name.to_string()), var.ty.clone());
        let parameters: Vec<(String, Type)> = function.vars[..function.parameters].iter().map(parameter).collect();
        let combinators = self.combinators(name)?;
        self.within(|| draw(&combinators, &parameters, &function.result, of))
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

    /// Defines a derivative of a function, in the language.
    fn derivative(&mut self, name: &str, id: FunctionId, what: What) -> Result<FunctionId, Vec<Diagnostic>> {
        let function = self.program().function(id).clone();
        let own = self.parameters_of(name);
        let first = function.parameters.saturating_sub(own.len());
        let names = riesz_core::print::names(&function);
        let shown = |ty: &Type| {
            let size = |atom| match atom {
                size::Atom::Var(var) => names[var.0 as usize].clone(),
                _ => "_".to_string(),
            };
            ty.show(&size, &|variable| format!("t{variable}"))
        };
        let (mut parameters, mut all, mut active, mut tangents) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, written) in own.iter().enumerate() {
            let ty = &function.vars[first + at].ty;
            let parameter = names[first + at].clone();
            parameters.push(format!("{parameter}: {written}"));
            if ty.varies() {
                tangents.push(format!("d_{parameter}: {}", shown(&ty.tangent())));
                active.push(parameter.clone());
            }
            all.push(parameter);
        }
        let tuple = |parts: &[String]| match parts {
            [one] => one.clone(),
            parts => format!("({})", parts.join(", ")),
        };
        let of = format!("\\{} -> {name}({}), {}", active.join(" "), all.join(", "), tuple(&active));
        let (body, suffix) = match what {
            What::Value => (format!("{name}({})", all.join(", ")), "value"),
            What::Grad => (format!("grad({of})"), "grad"),
            What::Jvp => {
                parameters.extend(tangents);
                let directions: Vec<String> = active.iter().map(|parameter| format!("d_{parameter}")).collect();
                (format!("jvp({of}, {})", tuple(&directions)), "jvp")
            }
            What::Vjp => {
                parameters.push(format!("cotangent: {}", shown(&function.result.tangent())));
                (format!("vjp({of}, cotangent)"), "vjp")
            }
        };
        if active.is_empty() {
            let message = format!("`{name}` has no real argument to differentiate with respect to");
            return Err(vec![Diagnostic::error("no-derivative", function.span, message)]);
        }
        let derivative = format!("{name}_{suffix}");
        let text = format!("fun {derivative}({}) = {body}\n", parameters.join(", "));
        self.define(&derivative, &text, &NoFiles)?;
        self.function_of_types(&derivative)
    }
}
