//! Instances: a function with type variables is checked again for each choice of types at which it is used.

use super::draft::Draft;
use super::{Checker, ItemId, Request, foreign};
use crate::size::{self, Size};
use crate::term::{Atom, Body, Function, FunctionId, Var};
use crate::types::Type;
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Span};

/// How many instances of functions with type variables a program may need.
const MOST_INSTANCES: usize = 10_000;
/// How deep the types may nest at which functions with type variables are used.
const DEEPEST_INSTANCE: usize = 200;

impl Checker {
    /// The function that an item is at certain types, whose sizes are numbered parameters.
    pub(crate) fn instance(&mut self, item: ItemId, types: Vec<Type>, span: Span) -> FunctionId {
        if let Some(function) = self.items[item.0 as usize].function {
            return function;
        }
        if let Some(&function) = self.instances.get(&(item, types.clone())) {
            return function;
        }
        let function = self.reserve(self.item_name(item), span);
        self.instances.insert((item, types.clone()), function);
        self.fresh_instances.push((item, types.clone()));
        self.requests.push(Request { item, types, function, span });
        function
    }

    pub(super) fn serve_requests(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        while let Some(Request { item, types, function, span }) = self.requests.pop() {
            if !diagnostics.is_empty() {
                break;
            }
            let name = self.item_name(item);
            if types.iter().any(|ty| !is_shallow(ty, DEEPEST_INSTANCE)) {
                let message = format!("`{name}` is used at types that nest more than {DEEPEST_INSTANCE} deep");
                diagnostics.push(
                    Diagnostic::error("too-many-instances", span, message)
                        .help("a function that calls itself at ever larger types has no end"),
                );
                continue;
            }
            if self.instances.len() > MOST_INSTANCES {
                diagnostics.push(
                    Diagnostic::error(
                        "too-many-instances",
                        span,
                        format!("`{name}` is used at more than {MOST_INSTANCES} types"),
                    )
                    .help("a function that calls itself at ever larger types has no end"),
                );
                continue;
            }
            let Some(signature) = self.signature(item) else { continue };
            let unit = self.items[item.0 as usize].unit;
            let mut draft = Draft::new(self, unit);
            // The sizes inside the types are parameters too.
            let mut count = 0;
            for ty in &types {
                ty.map_sizes(&mut |size| {
                    count += size.atoms().len() as u32;
                    size.clone()
                });
            }
            let hidden: Vec<Var> = (0..count).map(|_| draft.var(Type::Int, None)).collect();
            let inside = |ty: &Type| {
                ty.map_sizes(&mut |size| {
                    size.replace(&mut |atom| match atom {
                        size::Atom::Parameter(at) => Size::var(hidden[at as usize]),
                        atom => Size::Atom(atom),
                    })
                })
            };
            let types: Vec<Type> = types.iter().map(inside).collect();
            let drafted = draft.fun_body(item, &signature, &types, &hidden);
            let found = std::mem::take(&mut draft.diagnostics);
            if found.is_empty() {
                let finished = draft.finish(drafted);
                draft.checker.program.functions[function.0 as usize] = finished;
            } else {
                let names: Vec<String> = signature
                    .types
                    .iter()
                    .zip(&types)
                    .map(|(name, ty)| format!("{name} = {}", draft.show(ty)))
                    .collect();
                let note = format!("`{name}` is used with {} here", names.join(", "));
                let advice = foreign::variables(&signature.types);
                diagnostics.extend(found.into_iter().map(|diagnostic| {
                    let mut diagnostic = diagnostic.label(span, note.clone());
                    diagnostic.help.extend(advice.clone());
                    diagnostic
                }));
            }
        }
        let fresh = std::mem::take(&mut self.fresh_instances);
        if !diagnostics.is_empty() {
            // What has not been finished, or calls what has not, must not be found again.
            self.requests.clear();
            for instance in fresh {
                self.instances.remove(&instance);
            }
        }
    }

    /// A place for a function that is yet to be checked.
    pub(super) fn reserve(&mut self, name: Name, span: Span) -> FunctionId {
        let body = Body { bindings: Vec::new(), result: Atom::Int(0) };
        self.program.functions.push(Function { name, vars: Vec::new(), parameters: 0, body, result: Type::Int, span });
        FunctionId(self.program.functions.len() as u32 - 1)
    }
}

/// Whether a type nests no deeper than a number of levels.
fn is_shallow(ty: &Type, levels: usize) -> bool {
    let inner = |ty: &Type| levels > 0 && is_shallow(ty, levels - 1);
    match ty {
        Type::Array(_, element) => inner(element),
        Type::Tuple(_) | Type::Record(_) => ty.components().unwrap_or_default().iter().all(inner),
        Type::Function(arrow) | Type::Linear(arrow) => inner(&arrow.0) && inner(&arrow.1),
        _ => true,
    }
}
