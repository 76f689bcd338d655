//! A function of a program, or a derivative of it, in other languages.

use crate::compilation::place;
use crate::definition::Keyword;
use crate::handle::derivative::{self, Derivative};
use crate::session::Session;
use crate::{Diagnostic, FileId, Name, ParseOptions};
use riesz_core::check::PRELUDE;
use riesz_core::check::suggest::nearest;
use riesz_core::{FunctionId, Program};
use riesz_program::Signature;
use riesz_syntax::tree::ItemKind;
use riesz_syntax::{Span, parse};

/// The function to write for a function `f`: `f` itself or a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The function.
    Value,
    /// Value and tangent, from a point and a tangent.
    Jvp,
    /// Value and cotangent of the point, from a point and a cotangent of the value.
    Vjp,
    /// The gradient.
    Grad,
}

impl Variant {
    /// The derivative that is to be written; none for the function itself.
    pub(crate) fn derivative(self) -> Option<Derivative> {
        match self {
            Variant::Value => None,
            Variant::Jvp => Some(Derivative::Forward),
            Variant::Vjp => Some(Derivative::Reverse),
            Variant::Grad => Some(Derivative::Gradient),
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
    pub fn emit_rust(&self, name: &str, what: Variant) -> Result<String, Vec<Diagnostic>> {
        self.emit_loops(name, what, |mut lowered, _, place| {
            let precision = Default::default();
            riesz_program::schedule::schedule(&mut lowered, &riesz_rust::target(precision, false));
            Ok(riesz_rust::emit(&lowered, &riesz_rust::Options { place, exports: &[], precision }))
        })
    }

    /// The same as a C11 source file that needs the C library alone.
    pub fn emit_c(&self, name: &str, what: Variant) -> Result<String, Vec<Diagnostic>> {
        self.emit_loops(name, what, |mut lowered, signature, place| {
            riesz_program::passes::reuse::reuse(&mut lowered);
            let written = riesz_c::emit(&lowered, &riesz_c::Options { place, exports: &[signature] });
            written.map_err(|problem| no_code(&format!("there is no C for {}", problem.what), problem.span))
        })
    }

    /// A function, or a derivative of it, as a loop program that a backend prints.
    fn emit_loops(
        &self,
        name: &str,
        what: Variant,
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

    pub(crate) fn function_of_types(&self, name: &str) -> Result<FunctionId, Vec<Diagnostic>> {
        self.checker.function_named(name).ok_or_else(|| {
            vec![match self.function_text(name) {
                None => self.no_function(name),
                Some(_) => has_type_variables(name),
            }]
        })
    }

    /// A function or a derivative of it, in a program with nothing else but what that needs.
    pub(crate) fn written(
        &self,
        name: &str,
        wanted: Option<Derivative>,
    ) -> Result<(Program, FunctionId), Vec<Diagnostic>> {
        let function = self.function_of_types(name)?;
        let mut program = self.program().part(&[function], &|_| false);
        let Some(wanted) = wanted else { return Ok((program, function)) };
        let derived = derivative::write(&mut program, function, wanted, None).map_err(|problem| vec![*problem])?;
        Ok((program, derived))
    }

    /// A `fun` as it is written.
    pub(crate) fn function_text(&self, name: &str) -> Option<String> {
        if let Some(definition) = self.definitions.get(name) {
            return (definition.keyword == Keyword::Fun).then(|| self.sources.text(definition.span).to_string());
        }
        let (tree, _) = parse(FileId(0), PRELUDE, &ParseOptions::default());
        let item = tree
            .items
            .iter()
            .find(|item| matches!(&item.kind, ItemKind::Fun { name: found, .. } if &*found.name == name))?;
        Some(self.sources.text(item.span).to_string())
    }

    pub(crate) fn no_function(&self, name: &str) -> Diagnostic {
        let functions = self.definitions().filter(|definition| definition.keyword == Keyword::Fun);
        no_function(name, functions.map(|definition| &definition.name), self.definitions.contains_key(name))
    }
}

/// Says that a program has no function of a name, which something else may have.
pub(crate) fn no_function<'n>(name: &str, functions: impl Iterator<Item = &'n Name>, is_defined: bool) -> Diagnostic {
    let functions: Vec<&Name> = functions.collect();
    let message = format!("the program has no function `{name}`");
    let diagnostic = Diagnostic::placeless("unknown-function", message);
    if is_defined {
        return diagnostic.help(format!("`{name}` is defined, but not by `fun`"));
    }
    if riesz_primitive::table().iter().any(|primitive| primitive.name == name) {
        return diagnostic.help(format!("`{name}` is built in; write a function that calls it, and derive that"));
    }
    if let Some(meant) = nearest(name, functions.iter().map(|name| &***name)) {
        return diagnostic.help(format!("did you mean `{meant}`?"));
    }
    let known: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
    diagnostic.help(match known.is_empty() {
        true => "it has no functions".to_string(),
        false => format!("its functions are {}", known.join(", ")),
    })
}

fn no_code(reason: &str, span: Span) -> Vec<Diagnostic> {
    vec![Diagnostic::error("no-code", span, format!("this cannot be written as code: {reason}"))]
}
