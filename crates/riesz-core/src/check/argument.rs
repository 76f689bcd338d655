//! The arguments of calls: their number is that of the parameters, and each is checked at the type of its parameter.

use super::arithmetic::Typed;
use super::draft::Draft;
use super::signature::Signature;
use crate::size::Size;
use crate::term::{Atom, Op};
use crate::types::Type;
use riesz_syntax::{Diagnostic, Span};

use super::call::{CallArgument, instantiate};

impl Draft<'_> {
    /// The value of an argument.
    pub fn value(&mut self, given: &CallArgument, hint: Option<&Type>) -> Typed {
        match given {
            CallArgument::Expr(expr) => self.expr(*expr, hint),
            CallArgument::Value(atom, ty, _) => (*atom, ty.clone()),
            CallArgument::Elements(body, generators, span) => {
                let (iteration, size, element) = self.iterate(&generators[0], *span, |draft| draft.expr(*body, None));
                self.built(iteration, size, element, *span)
            }
        }
    }

    pub fn given_span(&self, given: &CallArgument) -> Span {
        match given {
            CallArgument::Expr(expr) => self.tree().expr(*expr).span,
            CallArgument::Value(_, _, span) | CallArgument::Elements(_, _, span) => *span,
        }
    }

    /// Makes as many arguments as there are parameters: a function of several parameters is a function of one tuple.
    pub fn adapt(
        &mut self,
        given: Vec<CallArgument>,
        parameters: usize,
        what: &str,
        span: Span,
    ) -> Option<Vec<CallArgument>> {
        if given.len() == parameters {
            return Some(given);
        }
        if parameters == 1 {
            let values: Vec<Typed> = given.iter().map(|given| self.value(given, None)).collect();
            let (atoms, types): (Vec<Atom>, Vec<Type>) = values.into_iter().unzip();
            let ty = Type::Tuple(types.into());
            return Some(vec![CallArgument::Value(self.bind(Op::Tuple(atoms), ty.clone(), span), ty, span)]);
        }
        if let [only] = &given[..] {
            let place = self.given_span(only);
            let (atom, ty) = self.value(only, None);
            match self.resolve(&ty) {
                Type::Error => return None,
                Type::Tuple(parts) if parts.len() == parameters => {
                    let parts = self.parts((atom, ty), place);
                    return Some(parts.into_iter().map(|(atom, ty)| CallArgument::Value(atom, ty, place)).collect());
                }
                unknown @ Type::Unknown(_) => {
                    let tuple = Type::Tuple((0..parameters).map(|_| self.unknowns.ty()).collect());
                    let _ = self.unify(&unknown, &tuple, place);
                    let parts = self.parts((atom, tuple), place);
                    return Some(parts.into_iter().map(|(atom, ty)| CallArgument::Value(atom, ty, place)).collect());
                }
                _ => {}
            }
        }
        self.wrong_arguments(given.len(), parameters, what, span);
        None
    }

    pub fn wrong_arguments(&mut self, given: usize, parameters: usize, what: &str, span: Span) {
        let takes = match parameters {
            0 => "no arguments".to_string(),
            1 => "1 argument".to_string(),
            n => format!("{n} arguments"),
        };
        let given = if given == 0 { "none".to_string() } else { given.to_string() };
        let message = format!("{what} takes {takes}, {given} given");
        self.report(Diagnostic::error("wrong-arguments", span, message));
    }

    /// Adds to what was just said of the arguments of a call.
    pub fn explain(&mut self, call: Span, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        if let Some(last) = self.diagnostics.pop() {
            let about = last.code == "wrong-arguments" && last.labels.len() == 1 && last.labels[0].span == call;
            self.diagnostics.push(if about { more(last) } else { last });
        }
    }

    /// Unknowns for the type variables and sizes of a signature.
    pub fn fresh(&mut self, signature: &Signature) -> (Vec<Type>, Vec<Size>) {
        let types = signature.types.iter().map(|_| self.unknowns.ty()).collect();
        let sizes = signature.sizes.iter().map(|size| self.unknowns.named_size(size.name.clone())).collect();
        (types, sizes)
    }

    /// Arguments at the parameters' types: values first, then functions, whose parameters' types the values tell.
    pub fn arguments(
        &mut self,
        signature: &Signature,
        types: &[Type],
        sizes: &[Size],
        given: &[CallArgument],
        what: &str,
    ) -> Vec<Atom> {
        let mut atoms = vec![Atom::Int(0); given.len()];
        for functions in [false, true] {
            for (at, given) in given.iter().enumerate() {
                let function = match given {
                    CallArgument::Expr(expr) => self.callable(*expr),
                    _ => None,
                };
                if function.is_some() != functions {
                    continue;
                }
                let expected = instantiate(&signature.parameters[at], types, sizes);
                let place = self.given_span(given);
                let (atom, ty) = match function {
                    Some(function) => self.function_value(function, Some(&expected), place),
                    None => self.value(given, Some(&expected)),
                };
                atoms[at] = self.flow_or(atom, &ty, &expected, place, |draft, mismatch| {
                    let declared = signature.spans.get(at);
                    let diagnostic = draft.mismatch(mismatch, &ty, &expected, place);
                    match declared {
                        Some(&declared) if declared.file != super::PRELUDE_FILE => {
                            diagnostic.label(declared, format!("{what} takes this"))
                        }
                        _ => diagnostic,
                    }
                });
                for (size, parameter) in sizes.iter().zip(&signature.sizes) {
                    if parameter.argument == Some(at) {
                        let value = self.size_of(atoms[at]);
                        if let Err(mismatch) = self.equate(&value, size, place) {
                            let diagnostic = self.mismatch(mismatch, &Type::Error, &Type::Error, place);
                            self.report(diagnostic);
                        }
                    }
                }
            }
        }
        atoms
    }
}
