//! A function of a program, or a derivative of it, as source code.

use crate::session::{Session, place};
use crate::{Diagnostic, NoFiles, Type};
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
        let function = self.known_function(name)?;
        let function = match what {
            What::Value => function,
            _ => self.derivative(name, function, what)?,
        };
        let mut program = self.program().clone();
        riesz_calculus::compile_for_code(&mut program, &[function])?;
        let (lowered, entries) = riesz_program::lower(&program, &[function]);
        if let Some(Err(problem)) = entries.first() {
            let message = format!("this cannot be written as code: {}", problem.reason);
            return Err(vec![Diagnostic::error("no-code", problem.span, message)]);
        }
        let sources = self.sources();
        let place = |span| place(sources, span);
        Ok(riesz_rust::emit(&lowered, &riesz_rust::Options { place: &place, exports: &[] }))
    }

    fn known_function(&self, name: &str) -> Result<FunctionId, Vec<Diagnostic>> {
        self.function_named(name).ok_or_else(|| {
            let message = format!("there is no function `{name}` whose types are all known");
            vec![Diagnostic::placeless("no-function", message).help("name a `fun` of the file without type variables")]
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
            let message = format!("`{name}` has no argument that it could be differentiated by");
            return Err(vec![Diagnostic::error("no-derivative", function.span, message)]);
        }
        let derivative = format!("{name}_{suffix}");
        let text = format!("fun {derivative}({}) = {body}\n", parameters.join(", "));
        self.define(&derivative, &text, &NoFiles)?;
        self.known_function(&derivative)
    }
}
