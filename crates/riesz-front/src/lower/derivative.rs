//! Derivatives inside of functions: `f::grad(x)` is `grad(\v -> f(v), x)`.

use super::{Lower, Value};
use crate::signature::Signature;
use crate::term::{Name, Term};
use crate::types::{SignatureType, Ty, key};
use quote::ToTokens;
use std::rc::Rc;

/// The derivatives that can be called inside of functions.
const OPERATORS: [&str; 5] = ["grad", "jvp", "hvp", "hessian", "jacobian"];

impl Lower<'_> {
    /// A call of a derivative of a function, if a path may be one.
    pub(super) fn derivative_call(
        &mut self,
        path: &syn::ExprPath,
        segments: &[&str],
        arguments: &[Value],
        at: &dyn ToTokens,
    ) -> Option<Value> {
        let [.., function, method] = segments else { return None };
        if !function.starts_with(|letter: char| letter.is_lowercase()) || path.qself.is_some() {
            return None;
        }
        let mut function = path.path.clone();
        function.segments.pop();
        function.segments.pop_punct();
        let name = key(&function);
        let name = name.strip_prefix("self::").unwrap_or(&name);
        let signature = self.world.functions.get(name).cloned();
        let Some(operator) = OPERATORS.into_iter().find(|operator| operator == method) else {
            signature?;
            let help = format!("use one of {}", OPERATORS.map(|operator| format!("`{operator}`")).join(", "));
            return Some(self.refuse(at, format!("`{method}` cannot be called inside of a function here"), help));
        };
        let Some(signature) = signature else {
            self.errors.need(&function);
            return Some(Value::error());
        };
        let by = match self.world.by.get(name) {
            Some(by) => by.clone(),
            None => signature.active(None),
        };
        Some(self.derivative(operator, &signature, &by, arguments, at))
    }

    fn derivative(
        &mut self,
        operator: &'static str,
        signature: &Rc<Signature>,
        by: &[usize],
        arguments: &[Value],
        at: &dyn ToTokens,
    ) -> Value {
        let name = &signature.name;
        let parameters = &signature.parameters;
        let outputs = parameters.iter().any(|parameter| parameter.output);
        let parts = by.iter().any(|at| !parameters[*at].shape.is_real());
        if outputs || parts || (operator == "jacobian" && by.len() > 1) {
            let message = format!("`{name}::{operator}` cannot be called inside of a function");
            let help = "name one parameter by `wrt(..)`, of which all parts are real numbers; results are returned";
            return self.refuse(at, message, help);
        }
        // Each parameter that counts is followed by its tangent.
        let tangents = matches!(operator, "jvp" | "hvp");
        let (mut points, mut directions) = (Vec::new(), Vec::new());
        let mut given = arguments.iter();
        for position in 0..parameters.len() {
            points.extend(given.next().cloned());
            if tangents && by.contains(&position) {
                directions.extend(given.next().cloned());
            }
        }
        if given.next().is_some() || points.len() != parameters.len() || by.is_empty() {
            return Value::error();
        }
        for (position, direction) in by.iter().zip(&directions) {
            if !self.agrees(&parameters[*position].ty, &direction.ty) {
                return self.refuse(at, "this tangent does not have the type of its argument", "give one of that type");
            }
        }
        let Some(mut terms) = self.arguments(signature, &points, at) else { return Value::error() };
        terms.extend(directions.into_iter().map(|direction| super::operator::unmarked(direction.term)));
        let terms: Vec<Term> = terms.into_iter().map(|term| self.name_it("a", term, at)).collect();
        let result = signature.result.as_ref().map_or(Ty::Error, SignatureType::plain);
        let kinds: Vec<Ty> = by.iter().map(|at| points[*at].ty.clone()).collect();
        let point = if let [one] = &kinds[..] { one.clone() } else { Ty::Tuple(kinds) };
        let ty = match operator {
            "grad" | "hvp" => point,
            "hessian" => composed(&point, &point),
            "jacobian" => composed(&result, &point),
            _ => Ty::Tuple(vec![result.clone(), result]),
        };
        let function: Name = signature.riesz_name();
        let place = self.place(at);
        let term = Term::Derive { operator, function, by: by.to_vec(), arguments: terms };
        let term = self.name_it("d", Term::At(place, term.into()), at);
        Value::new(term, ty)
    }
}

/// The type of the matrix of a derivative: the result with a copy of the argument for every number.
fn composed(result: &Ty, argument: &Ty) -> Ty {
    match result {
        Ty::Float => argument.clone(),
        Ty::Array(element, length) => Ty::Array(Box::new(composed(element, argument)), length.clone()),
        Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| composed(part, argument)).collect()),
        _ => Ty::Error,
    }
}
