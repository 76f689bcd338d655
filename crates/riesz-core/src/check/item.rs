//! Items: declared, sorted into strongly connected groups, and checked group by group.

use super::call::Callable;
use super::draft::Draft;
use super::finish::DraftFunction;
use super::rule::ItemFunction;
use super::{Check, Checker, Item, ItemId, UnitId, foreign, signature};
use crate::size::{self, Size};
use crate::term::{Global, GlobalId, Op, Origin};
use crate::types::Type;
use riesz_syntax::parser::MAX_ERRORS;
use riesz_syntax::tree::{self, ExprKind, ItemKind, Name};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

impl Checker {
    pub(super) fn declare(
        &mut self,
        unit: UnitId,
        replace: bool,
        (first_unit, first_item): (usize, usize),
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let tree = self.tree(unit);
        let prelude = self.units[unit.0 as usize].prelude;
        for (at, item) in tree.items.iter().enumerate() {
            match &item.kind {
                ItemKind::Fun { name, .. } | ItemKind::Let { name, .. } => {
                    let id = ItemId(self.items.len() as u32);
                    let ruled = matches!(&item.kind, ItemKind::Fun { rule: Some(_), .. });
                    let behind = if ruled { &ItemFunction::BEHIND[..] } else { &[] };
                    for part in [ItemFunction::Whole].iter().chain(behind) {
                        self.items.push(Item {
                            unit,
                            at,
                            part: *part,
                            name: name.name.clone(),
                            signature: None,
                            function: None,
                            global: None,
                            callable: None,
                        });
                    }
                    let names = if prelude { &mut self.prelude } else { &mut self.names };
                    if let Some(before) = names.insert(name.name.clone(), id)
                        && !(replace && (before.0 as usize) < first_item)
                    {
                        let before = self.item_span(before);
                        diagnostics.push(twice(&name.name, name.span, before));
                    }
                }
                ItemKind::Type { name, .. } => {
                    if matches!(&*name.name, "R" | "Int" | "Bool") {
                        let message = format!("`{}` is a built-in type", name.name);
                        diagnostics
                            .push(Diagnostic::error("duplicate-name", name.span, message).help("choose another name"));
                    } else if !name.name.chars().next().is_some_and(char::is_uppercase) {
                        let message =
                            format!("the name of a type starts with a capital letter, not as `{}` does", name.name);
                        diagnostics.push(Diagnostic::error("bad-type-name", name.span, message));
                    } else if let Some((unit, at)) = self.types.insert(name.name.clone(), (unit, at))
                        && !(replace && (unit.0 as usize) < first_unit)
                    {
                        let before = match &self.tree(unit).items[at].kind {
                            ItemKind::Type { name, .. } => name.span,
                            _ => name.span,
                        };
                        diagnostics.push(twice(&name.name, name.span, before));
                    }
                }
                ItemKind::Check { .. } | ItemKind::Import { .. } => {}
            }
        }
    }

    /// Reads every named type once, so that mistakes are found in unused types too.
    pub(super) fn check_types(&mut self, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) {
        let tree = self.tree(unit);
        for item in &tree.items {
            let ItemKind::Type { name, sizes, .. } = &item.kind else { continue };
            if diagnostics.len() >= MAX_ERRORS {
                return;
            }
            let hole = |ident: &tree::Ident| tree::Size { kind: tree::SizeKind::Hole, span: ident.span };
            let kind = tree::TypeKind::Name(name.name.clone(), sizes.iter().map(hole).collect());
            let used = tree::Type { kind, span: name.span };
            if name.name.chars().next().is_some_and(char::is_uppercase) && !matches!(&*name.name, "R" | "Int" | "Bool")
            {
                let (_, _, mut found) = signature::signature(self, unit, &[], Some(&used));
                if !found.is_empty() {
                    self.wrong_types.insert(name.name.clone());
                }
                diagnostics.append(&mut found);
            }
        }
    }

    pub(super) fn item_span(&self, item: ItemId) -> Span {
        let item = &self.items[item.0 as usize];
        match &self.tree(item.unit).items[item.at].kind {
            ItemKind::Fun { name, .. } | ItemKind::Let { name, .. } => name.span,
            _ => self.tree(item.unit).items[item.at].span,
        }
    }

    pub(super) fn group(&mut self, members: &[ItemId], cyclic: bool, diagnostics: &mut Vec<Diagnostic>) {
        let kind = |checker: &Checker, item: ItemId| {
            let item = &checker.items[item.0 as usize];
            matches!(checker.tree(item.unit).items[item.at].kind, ItemKind::Let { .. })
        };
        if cyclic && let Some(&item) = members.iter().find(|&&item| kind(self, item)) {
            let name = self.item_name(item);
            let span = self.item_span(item);
            let mut diagnostic =
                Diagnostic::error("cyclic-let", span, format!("`{name}` is defined in terms of itself"));
            for &other in members.iter().filter(|&&other| other != item).take(3) {
                diagnostic = diagnostic.label(self.item_span(other), format!("through `{}`", self.item_name(other)));
            }
            diagnostics.push(diagnostic.help("a `let` is a value, and is not recursive; a `fun` may be"));
            return;
        }
        if kind(self, members[0]) {
            return self.let_item(members[0], diagnostics);
        }
        let mut unwritten = Vec::new();
        for &item in members {
            let (unit, at) = (self.items[item.0 as usize].unit, self.items[item.0 as usize].at);
            let tree = self.tree(unit);
            let ItemKind::Fun { parameters, result, rule, .. } = &tree.items[at].kind else { continue };
            let (signature, known, mut found) = signature::signature(self, unit, parameters, result.as_ref());
            let is_whole = self.items[item.0 as usize].part == ItemFunction::Whole;
            if let (Some(rule), false) = (rule, known) {
                found.push(Draft::rule_needs_result(&self.item_name(item), rule.word));
            }
            if is_whole {
                diagnostics.append(&mut found);
            }
            if !found.is_empty() || rule.is_some() && !known {
                continue;
            }
            let function = signature.types.is_empty().then(|| self.reserve(self.item_name(item), tree.items[at].span));
            let entry = &mut self.items[item.0 as usize];
            entry.callable = Some(Rc::new(Callable::Item(item)));
            entry.function = function;
            entry.signature = Some(Rc::new(signature));
            if !known {
                unwritten.push(item);
            }
        }
        if unwritten.is_empty() {
            for &item in members {
                self.funs(&[item], &[], cyclic, diagnostics);
            }
        } else {
            self.funs(members, &unwritten, cyclic, diagnostics);
        }
    }

    /// Checks functions together; the results of some are yet to be found.
    pub(super) fn funs(
        &mut self,
        members: &[ItemId],
        unwritten: &[ItemId],
        cyclic: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let unit = self.items[members[0].0 as usize].unit;
        let mut draft = Draft::new(self, unit);
        for item in unwritten {
            let result = draft.unknowns.ty();
            draft.checker.set_result(*item, result);
        }
        let mut drafted = Vec::with_capacity(members.len());
        for &item in members {
            let Some(signature) = draft.checker.signature(item) else { continue };
            draft.checker.variables = signature.types.clone();
            let types: Vec<Type> = (0..signature.types.len()).map(|at| Type::Variable(at as u32)).collect();
            drafted.push((item, draft.fun_body(item, &signature, &types, &[])));
        }
        let mut found = std::mem::take(&mut draft.diagnostics);
        for &item in unwritten {
            if let Some((_, function)) = drafted.iter().find(|(other, _)| *other == item) {
                draft.generalise(item, function);
            }
        }
        let correct = found.is_empty();
        if correct && !cyclic && unwritten.is_empty() {
            for (item, function) in &drafted {
                draft.fill_in(*item, function);
            }
        }
        if let Some(diagnostic) = found.first_mut() {
            let variables = drafted.iter().filter_map(|(item, _)| draft.checker.signature(*item));
            diagnostic.help.extend(variables.flat_map(|signature| foreign::variables(&signature.types)));
        }
        if let [first, ..] = unwritten {
            let name = draft.checker.item_name(*first);
            for diagnostic in &mut found {
                if matches!(diagnostic.code, "size-mismatch" | "type-mismatch" | "bad-operands")
                    && members.len() + usize::from(cyclic) > 1
                {
                    diagnostic.help.push(format!("`{name}` is recursive: writing the type of its result may help, as in `[_]R` for an array of any size"));
                }
            }
        }
        diagnostics.append(&mut found);
        for (item, function) in drafted {
            match draft.checker.items[item.0 as usize].function {
                Some(id) if correct => {
                    let finished = draft.finish(function);
                    draft.checker.program.functions[id.0 as usize] = finished;
                }
                _ => {}
            }
        }
    }

    pub(super) fn let_item(&mut self, id: ItemId, diagnostics: &mut Vec<Diagnostic>) {
        let (unit, at) = (self.items[id.0 as usize].unit, self.items[id.0 as usize].at);
        let tree = self.tree(unit);
        let ItemKind::Let { name, annotation, value } = &tree.items[at].kind else { return };
        let mut draft = Draft::new(self, unit);
        draft.open();
        let annotation = annotation.as_ref().map(|ty| draft.annotation(ty));
        if let Some(callable) = draft.callable_of(*value, annotation.clone())
            && !matches!(annotation, Some(Type::Linear(_)))
        {
            draft.check_names(*value);
            let mut found = std::mem::take(&mut draft.diagnostics);
            if let (Some(annotation), true) = (&annotation, found.is_empty()) {
                // With a written type it can be checked here, whether it is used or not.
                draft.expr_of(*value, annotation);
                draft.settle();
                found = std::mem::take(&mut draft.diagnostics);
            }
            diagnostics.append(&mut found);
            self.items[id.0 as usize].callable = Some(callable);
            return;
        }
        let (atom, ty) = match annotation {
            Some(ty) => (draft.expr_of(*value, &ty), ty),
            None => draft.expr(*value, None),
        };
        draft.settle();
        let body = draft.close(atom);
        let ty = draft.leave(&ty);
        let mut found = std::mem::take(&mut draft.diagnostics);
        if !found.is_empty() || ty.any(&mut |part| *part == Type::Error) {
            diagnostics.append(&mut found);
            return;
        }
        let constant = match (draft.size_of(atom), &ty) {
            (Size::Constant(value), Type::Int) => Some(value),
            _ => None,
        };
        let function = DraftFunction::thunk(name.name.clone(), body, ty, tree.items[at].span);
        let (function, ty) = draft.finish_thunk(function);
        let global = GlobalId(self.program.globals.len() as u32);
        let ty = self.name_sizes(global, ty);
        self.program.globals.push(Global {
            name: name.name.clone(),
            ty: ty.clone(),
            origin: Origin::Computed(function),
        });
        if let Some(constant) = constant {
            self.constants.insert(global, constant);
        }
        self.items[id.0 as usize].global = Some((global, ty));
    }

    /// The type of a top-level value: sizes that only the value tells stay open.
    pub(super) fn name_sizes(&self, _: GlobalId, ty: Type) -> Type {
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(_) => Size::Hole,
                atom => Size::Atom(atom),
            })
        })
    }

    pub(super) fn unit_checks(&mut self, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) {
        let tree = self.tree(unit);
        for item in &tree.items {
            let ItemKind::Check { label, condition } = &item.kind else { continue };
            if diagnostics.len() >= MAX_ERRORS {
                return;
            }
            let mut draft = Draft::new(self, unit);
            draft.open();
            let (holds, sides) = draft.condition(*condition);
            let (result, ty) = match &sides {
                None => (holds, Type::Bool),
                Some((left, right, side)) => {
                    let ty = Type::Tuple([Type::Bool, side.clone(), side.clone()].into());
                    (draft.bind(Op::Tuple(vec![holds, *left, *right]), ty.clone(), item.span), ty)
                }
            };
            draft.settle();
            let body = draft.close(result);
            let ty = draft.leave(&ty);
            let mut found = std::mem::take(&mut draft.diagnostics);
            if !found.is_empty() {
                diagnostics.append(&mut found);
                continue;
            }
            let (function, ty) = draft.finish_thunk(DraftFunction::thunk("check".into(), body, ty, item.span));
            let sides = match ty {
                Type::Tuple(parts) => parts.get(1).cloned(),
                _ => None,
            };
            self.checks.push(Check {
                label: label.as_ref().map(|label| label.name.clone()),
                span: item.span,
                condition: tree.expr(*condition).span,
                function,
                sides,
                approximate: matches!(tree.expr(*condition).kind, ExprKind::Approximately { .. }),
            });
        }
    }
}

fn twice(name: &Name, span: Span, before: Span) -> Diagnostic {
    Diagnostic::error("duplicate-name", span, format!("`{name}` is defined twice"))
        .here("defined again here")
        .label(before, "first defined here")
}
