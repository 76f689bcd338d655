//! Functions: the body of a `fun` over its parameters and sizes, and the inference of the type of its result.

use super::draft::Draft;
use super::finish::DraftFunction;
use super::rule::{ItemFunction, Shared};
use super::scope::{Entry, Scope};
use super::signature::{Signature, SizeParameter};
use super::{ItemId, call, expr, needs};
use crate::size::{self, Size};
use crate::term::{Atom, Var};
use crate::types::Type;
use riesz_syntax::Diagnostic;
use riesz_syntax::tree::{self, ItemKind, Name, PatternKind, RuleKind};
use std::rc::Rc;

impl Draft<'_> {
    /// The body of a `fun` at certain types; `hidden` are sizes inside the types.
    pub(super) fn fun_body(
        &mut self,
        item: ItemId,
        signature: &Signature,
        types: &[Type],
        hidden: &[Var],
    ) -> DraftFunction {
        let entry = &self.checker.items[item.0 as usize];
        let (unit, at, name) = (entry.unit, entry.at, entry.name.clone());
        let tree = self.checker.tree(unit);
        let ItemKind::Fun { parameters, body, rule, .. } = &tree.items[at].kind else {
            unreachable!("only functions have signatures")
        };
        self.unit = unit;
        self.scope = Scope::default().inner();
        self.type_arguments = signature.types.iter().cloned().zip(types.iter().cloned()).collect();
        self.open();
        let integers: Vec<Option<Var>> = (signature.parameters.iter())
            .enumerate()
            .map(|(at, _)| {
                signature.sizes.iter().any(|size| size.argument == Some(at)).then(|| self.var(Type::Int, None))
            })
            .collect();
        let mut passed = hidden.to_vec();
        let mut sizes = Vec::with_capacity(signature.sizes.len());
        for size in &signature.sizes {
            let var = match size.argument {
                Some(at) => integers[at].expect("every argument that is a size has a variable"),
                None => {
                    let var = self.var(Type::Int, size.name.clone());
                    passed.push(var);
                    if let Some(name) = &size.name {
                        self.scope.bind(name.clone(), Entry::Value(Atom::Var(var), Type::Int));
                    }
                    var
                }
            };
            sizes.push(Size::var(var));
        }
        let mut repeated = Vec::new();
        let mut arguments = Vec::with_capacity(parameters.len());
        for (at, parameter) in parameters.iter().enumerate() {
            let ty = call::instantiate(&signature.parameters[at], types, &sizes);
            let var = integers[at].unwrap_or_else(|| self.var(ty.clone(), None));
            passed.push(var);
            self.reject_clash(&parameter.pattern, signature, &mut repeated);
            self.bind_pattern(&parameter.pattern, (Atom::Var(var), ty.clone()));
            arguments.push((Atom::Var(var), ty));
        }
        self.forgive_sizes(&tree.items[at].kind);
        let span = tree.items[at].span;
        let result = call::instantiate(&signature.result, types, &sizes);
        let (rule, whole, part) = match (rule, self.checker.rule_of(item)) {
            (Some(rule), Some((_, whole, part))) => (Some(rule), whole, part),
            _ => (None, item, ItemFunction::Whole),
        };
        if let (Some(rule), true) = (rule, part != ItemFunction::Value) {
            let hidden = (signature.sizes.iter().zip(&sizes))
                .filter(|(parameter, _)| parameter.argument.is_none())
                .map(|(_, size)| size.clone())
                .collect();
            let shared = Shared { whole, name: name.clone(), rule, types, sizes: hidden, arguments, result, span };
            let implicit = part == ItemFunction::Rule && rule.kind == RuleKind::Implicit;
            // The value is a parameter too where the derivative is looked at.
            let y = (part == ItemFunction::Tangent || implicit).then(|| {
                let y = self.var(shared.result.clone(), None);
                passed.push(y);
                (Atom::Var(y), shared.result.clone())
            });
            let (atom, result) = match (part, y) {
                (ItemFunction::Rule, y) => self.rule_part(&shared, y),
                (ItemFunction::Tangent, Some(y)) => self.tangent_part(&shared, y),
                (ItemFunction::Single, _) => self.single_part(&shared),
                _ => self.whole_part(&shared),
            };
            self.settle();
            let body = self.close(atom);
            let found = result.clone();
            return DraftFunction { name, parameters: passed, sizes, body, result, found, span };
        }
        let (atom, result, found) = match self.resolve(&signature.result) {
            Type::Unknown(_) | Type::Error => {
                let hint = Some(result.clone()).filter(|ty| *ty != Type::Error);
                let (atom, ty) = self.expr(*body, None);
                match hint {
                    Some(hint) => {
                        let place = expr::value_span(&tree, *body);
                        (self.flow(atom, &ty, &hint, place), hint.clone(), hint)
                    }
                    None => (atom, ty.clone(), ty),
                }
            }
            _ => {
                let place = expr::value_span(&tree, *body);
                let (atom, ty) = self.expr(*body, Some(&result));
                let declared = match &tree.items[at].kind {
                    ItemKind::Fun { result: Some(written), .. } => Some(written.span),
                    _ => None,
                };
                let atom = self.flow_or(atom, &ty, &result, place, |draft, mismatch| {
                    let diagnostic = draft.mismatch(mismatch, &ty, &result, place);
                    match declared {
                        Some(declared) => diagnostic.label(declared, format!("`{name}` should give this")),
                        None => diagnostic,
                    }
                });
                (atom, result, ty)
            }
        };
        self.settle();
        let body = self.close(atom);
        DraftFunction { name, parameters: passed, sizes, body, result, found, span }
    }

    /// A size in a signature that could not be read is unknown: nothing more is said of it.
    pub(super) fn forgive_sizes(&mut self, fun: &ItemKind) {
        let ItemKind::Fun { parameters, result, .. } = fun else { return };
        let types = parameters.iter().map(|parameter| &parameter.ty).chain(result);
        for name in types.flat_map(needs::size_names) {
            if self.lookup(&name).is_none() {
                self.scope.bind(name, Entry::Value(Atom::Int(0), Type::Error));
            }
        }
    }

    /// A name is either a size or a parameter, unless the parameter is the `Int` that the size is.
    pub(super) fn reject_clash(&mut self, pattern: &tree::Pattern, signature: &Signature, seen: &mut Vec<Name>) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                let size =
                    signature.sizes.iter().any(|size| size.argument.is_none() && size.name.as_ref() == Some(name));
                if size || seen.contains(name) {
                    let message = match size {
                        true => format!("`{name}` is both a parameter and the name of a size"),
                        false => format!("`{name}` is a parameter twice"),
                    };
                    let diagnostic = Diagnostic::error("duplicate-name", pattern.span, message);
                    self.report(match size {
                        true => diagnostic
                            .help("only an `Int` parameter is a size itself; choose another name for one of them"),
                        false => diagnostic,
                    });
                }
                seen.push(name.clone());
            }
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.reject_clash(part, signature, seen)),
            PatternKind::Wildcard | PatternKind::Error => {}
        }
    }

    /// The checks that wait until all of the item has been seen.
    pub(super) fn settle(&mut self) {
        self.finish_postponed();
        self.equate_later();
        self.reject_open_sizes();
        self.reject_overgrown();
    }

    /// Gives a function the result that was found for it, over its own parameters.
    pub(super) fn generalise(&mut self, item: ItemId, function: &DraftFunction) {
        let found = self.final_type(&function.result);
        if let Some(signature) = &mut self.checker.items[item.0 as usize].signature {
            let signature = Rc::make_mut(signature);
            signature.result = over_parameters(&found, function, signature);
        }
    }

    /// Fills in the sizes that the written result of a function leaves open and its body tells: an array without elements
    /// cannot tell those of its elements.
    pub(super) fn fill_in(&mut self, item: ItemId, function: &DraftFunction) {
        let found = self.final_type(&function.found);
        if let Some(signature) = &mut self.checker.items[item.0 as usize].signature
            && function.result.any(&mut |part| matches!(part, Type::Array(Size::Hole, _)))
        {
            let signature = Rc::make_mut(signature);
            let found = over_parameters(&found, function, signature);
            signature.result = filled_in(&signature.result, &found);
        }
    }
}

/// The type of a function's result over its parameters; a size that is none of theirs is open.
fn over_parameters(result: &Type, function: &DraftFunction, signature: &mut Signature) -> Type {
    let arguments = function.parameters.len() - signature.parameters.len();
    result.map_sizes(&mut |size| {
        size.replace(&mut |atom| {
            let size = Size::Atom(atom);
            if let Some(at) = function.sizes.iter().position(|other| *other == size) {
                return Size::Atom(size::Atom::Parameter(at as u32));
            }
            let size::Atom::Var(var) = atom else { return size };
            match function.parameters[arguments..].iter().position(|other| *other == var) {
                // An `Int` parameter that no written type names as a size.
                Some(argument) => {
                    let known = signature.sizes.iter().position(|size| size.argument == Some(argument));
                    let at = known.unwrap_or_else(|| {
                        signature.sizes.push(SizeParameter { name: None, argument: Some(argument) });
                        signature.sizes.len() - 1
                    });
                    Size::Atom(size::Atom::Parameter(at as u32))
                }
                None => Size::Hole,
            }
        })
    })
}

/// A type with the sizes that it leaves open taken from another.
fn filled_in(ty: &Type, other: &Type) -> Type {
    match (ty, other) {
        (Type::Array(size, element), Type::Array(other_size, other)) => {
            let size = if *size == Size::Hole { other_size } else { size };
            Type::array(size.clone(), filled_in(element, other))
        }
        (Type::Tuple(_) | Type::Record(_), Type::Tuple(_) | Type::Record(_)) => {
            let (parts, others) = (ty.components().unwrap_or_default(), other.components().unwrap_or_default());
            match parts.len() == others.len() {
                true => ty.with_components(parts.iter().zip(&others).map(|(ty, other)| filled_in(ty, other)).collect()),
                false => ty.clone(),
            }
        }
        _ => ty.clone(),
    }
}
