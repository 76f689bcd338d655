//! The checker: from trees to typed core.
//!
//! Items are taken in groups that need each other, each group after those it needs. A group is checked as a [`draft`],
//! in one pass over its expressions, bottom-up from the written types of parameters; [`finish`] then makes core of it.
//! A function with type variables is checked once as it stands, and again for each choice of types it is used at.

mod arithmetic;
mod builtin;
mod call;
mod derivative;
mod draft;
mod expr;
mod finish;
mod needs;
mod order;
mod scope;
mod signature;
pub mod suggest;
mod unify;

use crate::data::Data;
use crate::size::{self, Size};
use crate::term::{Atom, Body, Function, FunctionId, Global, GlobalId, Op, Origin, Program, Var};
use crate::types::Type;
use arithmetic::Typed;
use call::Callable;
use draft::Draft;
use finish::DraftFunction;
use riesz_primitive::Primitive;
use riesz_syntax::parser::MAX_ERRORS;
use riesz_syntax::tree::{self, ExprId, ExprKind, ItemKind, Name, PatternKind};
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Entry, Scope};
use signature::{Signature, SizeParameter};
use std::rc::Rc;

/// The file that the prelude counts as in places: it is the first of all sources.
pub const PRELUDE_FILE: FileId = FileId(0);
/// The part of the language that is written in the language.
pub const PRELUDE: &str = include_str!("../prelude.rz");
/// How many instances of functions with type variables a program may need.
const MOST_INSTANCES: usize = 10_000;
/// How deep the types may nest at which functions with type variables are used.
const DEEPEST_INSTANCE: usize = 200;

/// A file among those being checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitId(pub u32);

/// An item among all that have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemId(pub u32);

/// What a name means.
pub(crate) enum Found {
    Local(Entry),
    Item(ItemId),
    Primitive(&'static Primitive),
}

/// Everything known of the program so far. More files and expressions can be added at any time.
pub struct Checker {
    /// The core of what has been checked.
    pub program: Program,
    /// The `check`s, in the order they are written.
    pub checks: Vec<Check>,
    units: Vec<Unit>,
    items: Vec<Item>,
    names: FxHashMap<Name, ItemId>,
    prelude: FxHashMap<Name, ItemId>,
    types: FxHashMap<Name, (UnitId, usize)>,
    /// The named types that have been found to be wrong; nothing more is said of them.
    wrong_types: FxHashSet<Name>,
    constants: FxHashMap<GlobalId, i64>,
    instances: FxHashMap<(ItemId, Vec<Type>), FunctionId>,
    /// The instances that the present addition asked for.
    fresh_instances: Vec<(ItemId, Vec<Type>)>,
    requests: Vec<Request>,
    primitive_signatures: FxHashMap<(&'static str, usize), Rc<Signature>>,
    data: Vec<Rc<Data>>,
    given: FxHashMap<GlobalId, Rc<Data>>,
    /// The type variables of the item being checked, for messages.
    variables: Vec<Name>,
}

/// What names mean at a moment.
#[derive(Clone)]
pub struct Names {
    names: FxHashMap<Name, ItemId>,
    types: FxHashMap<Name, (UnitId, usize)>,
    checks: usize,
}

struct Unit {
    tree: Rc<Tree>,
    prelude: bool,
}

struct Item {
    unit: UnitId,
    /// Its position in the tree.
    at: usize,
    name: Name,
    signature: Option<Rc<Signature>>,
    function: Option<FunctionId>,
    global: Option<(GlobalId, Type)>,
    callable: Option<Rc<Callable>>,
}

/// A function to be checked at certain types.
struct Request {
    item: ItemId,
    types: Vec<Type>,
    function: FunctionId,
    span: Span,
}

/// A `check` of the program.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its label, where written.
    pub label: Option<Name>,
    /// Where it stands.
    pub span: Span,
    /// Where its condition stands.
    pub condition: Span,
    /// Computes the condition, or the tuple of the condition and both sides of the equation that it is.
    pub function: FunctionId,
    /// The type of both sides, where the condition is an equation.
    pub sides: Option<Type>,
    /// Whether the equation is `~=`.
    pub approximate: bool,
}

/// An expression that has been checked: a function without parameters, and the type of its value.
#[derive(Clone, Debug)]
pub struct Thunk {
    /// Computes the value.
    pub function: FunctionId,
    /// The type of the value.
    pub ty: Type,
}

/// What a name is bound to for one expression.
#[derive(Clone, Debug)]
pub enum Bound {
    /// An expression of the tree that comes with it.
    Expr(Rc<Tree>, ExprId),
    /// Data from outside.
    Data(Data),
}

impl Default for Checker {
    fn default() -> Checker {
        Checker::new()
    }
}

impl Checker {
    /// A checker that knows the built-in functions and the prelude.
    pub fn new() -> Checker {
        let mut checker = Checker {
            program: Program::default(),
            checks: Vec::new(),
            units: Vec::new(),
            items: Vec::new(),
            names: FxHashMap::default(),
            prelude: FxHashMap::default(),
            types: FxHashMap::default(),
            wrong_types: FxHashSet::default(),
            constants: FxHashMap::default(),
            instances: FxHashMap::default(),
            fresh_instances: Vec::new(),
            requests: Vec::new(),
            primitive_signatures: FxHashMap::default(),
            data: Vec::new(),
            given: FxHashMap::default(),
            variables: Vec::new(),
        };
        let (tree, mut problems) = riesz_syntax::parse(PRELUDE_FILE, PRELUDE, &ParseOptions::default());
        problems.extend(checker.add_units(vec![tree], true, false));
        assert!(problems.is_empty(), "the prelude is a correct program: {problems:?}");
        checker
    }

    /// What names mean now, to be put back if an addition turns out to be unwanted.
    pub fn names_now(&self) -> Names {
        Names { names: self.names.clone(), types: self.types.clone(), checks: self.checks.len() }
    }

    /// Puts back what names meant.
    pub fn restore(&mut self, before: Names) {
        (self.names, self.types) = (before.names, before.types);
        self.wrong_types.clear();
        self.checks.truncate(before.checks);
    }

    /// Adds files that may refer to each other. `replace`: new definitions take the place of old ones of the same name,
    /// as at a prompt; otherwise each name is defined once. When there are errors, nothing of the files is kept.
    pub fn add(&mut self, trees: Vec<Tree>, replace: bool) -> Vec<Diagnostic> {
        let before = self.names_now();
        let diagnostics = self.add_units(trees, false, replace);
        if !diagnostics.is_empty() {
            self.restore(before);
            self.requests.clear();
        }
        diagnostics
    }

    fn add_units(&mut self, trees: Vec<Tree>, prelude: bool, replace: bool) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let first_item = self.items.len();
        let first_unit = self.units.len();
        for tree in trees {
            let unit = UnitId(self.units.len() as u32);
            self.units.push(Unit { tree: Rc::new(tree), prelude });
            self.declare(unit, replace, (first_unit, first_item), &mut diagnostics);
        }
        for unit in first_unit..self.units.len() {
            self.check_types(UnitId(unit as u32), &mut diagnostics);
        }
        let edges: Vec<Vec<usize>> =
            (first_item..self.items.len()).map(|item| self.needs(ItemId(item as u32), first_item)).collect();
        for group in order::groups(&edges) {
            if diagnostics.len() >= MAX_ERRORS {
                break;
            }
            let cyclic = group.len() > 1 || edges[group[0]].contains(&group[0]);
            let members: Vec<ItemId> = group.into_iter().map(|at| ItemId((first_item + at) as u32)).collect();
            self.group(&members, cyclic, &mut diagnostics);
        }
        for unit in first_unit..self.units.len() {
            self.unit_checks(UnitId(unit as u32), &mut diagnostics);
        }
        self.serve_requests(&mut diagnostics);
        diagnostics.truncate(MAX_ERRORS);
        diagnostics
    }

    /// Checks an expression, with names bound for it alone.
    pub fn expression(&mut self, tree: Tree, id: ExprId, bound: Vec<(Name, Bound)>) -> Result<Thunk, Vec<Diagnostic>> {
        let span = tree.expr(id).span;
        let unit = UnitId(self.units.len() as u32);
        self.units.push(Unit { tree: Rc::new(tree), prelude: false });
        let mut entries = Vec::new();
        for (name, bound) in bound {
            match bound {
                Bound::Data(data) => {
                    self.data.push(Rc::new(data));
                    entries.push((name, Err(self.data.len() - 1)));
                }
                Bound::Expr(tree, id) => {
                    let unit = UnitId(self.units.len() as u32);
                    self.units.push(Unit { tree, prelude: false });
                    entries.push((name, Ok((unit, id))));
                }
            }
        }
        let mut draft = Draft::new(self, unit);
        draft.open();
        for (name, entry) in entries {
            let entry = match entry {
                Err(data) => Entry::Data(data),
                Ok((unit, id)) => draft.within(unit, Scope::default(), |draft| match draft.callable(id) {
                    Some(callable) => Entry::Callable(callable),
                    None => {
                        let (atom, ty) = draft.expr(id, None);
                        Entry::Value(atom, ty)
                    }
                }),
            };
            draft.scope.bind(name, entry);
        }
        let (atom, ty) = draft.expr(id, None);
        draft.settle();
        let body = draft.close(atom);
        let result = draft.leave(&ty);
        let mut diagnostics = std::mem::take(&mut draft.diagnostics);
        if diagnostics.is_empty() {
            let function = DraftFunction::thunk("expression".into(), body, result, span);
            let (function, ty) = draft.finish_thunk(function);
            self.serve_requests(&mut diagnostics);
            if diagnostics.is_empty() {
                return Ok(Thunk { function, ty });
            }
        }
        self.requests.clear();
        Err(diagnostics)
    }

    /// The data that a global was given.
    pub fn given(&self, global: GlobalId) -> Option<&Data> {
        self.given.get(&global).map(|data| &**data)
    }

    /// Every name that an expression can use, for completion.
    pub fn visible_names(&self) -> Vec<Name> {
        let primitives = riesz_primitive::table().iter().filter(|primitive| is_identifier(primitive.name));
        let mut names: Vec<Name> = self.names.keys().cloned().collect();
        names.extend(self.types.keys().cloned());
        names.extend(primitives.map(|primitive| Name::from(primitive.name)));
        names.sort();
        names.dedup();
        names
    }

    /// The function that a `fun` without type variables became.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        let item = self.names.get(name).or_else(|| self.prelude.get(name))?;
        self.items[item.0 as usize].function
    }

    /// The function that a `fun` is when its type variables are all one type, and how many parameters are written; the
    /// sizes come before those. An error says why there is none at this type.
    pub fn function_at(&mut self, name: &str, ty: &Type) -> Result<Option<(FunctionId, usize)>, Vec<Diagnostic>> {
        let Some(&item) = self.names.get(name) else { return Ok(None) };
        let Some(signature) = self.signature(item) else { return Ok(None) };
        let span = self.item_span(item);
        let function = self.instance(item, vec![ty.clone(); signature.types.len()], span);
        let mut diagnostics = Vec::new();
        self.serve_requests(&mut diagnostics);
        match diagnostics.is_empty() {
            true => Ok(Some((function, signature.parameters.len()))),
            false => Err(diagnostics),
        }
    }

    // ---- declarations ----

    fn declare(
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
                    self.items.push(Item {
                        unit,
                        at,
                        name: name.name.clone(),
                        signature: None,
                        function: None,
                        global: None,
                        callable: None,
                    });
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

    /// Reads every named type once, so that mistakes are found in types nobody uses.
    fn check_types(&mut self, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) {
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

    fn item_span(&self, item: ItemId) -> Span {
        let item = &self.items[item.0 as usize];
        match &self.tree(item.unit).items[item.at].kind {
            ItemKind::Fun { name, .. } | ItemKind::Let { name, .. } => name.span,
            _ => self.tree(item.unit).items[item.at].span,
        }
    }

    // ---- groups ----

    fn group(&mut self, members: &[ItemId], cyclic: bool, diagnostics: &mut Vec<Diagnostic>) {
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
            let ItemKind::Fun { parameters, result, .. } = &tree.items[at].kind else { continue };
            let (signature, known, mut found) = signature::signature(self, unit, parameters, result.as_ref());
            diagnostics.append(&mut found);
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
    fn funs(&mut self, members: &[ItemId], unwritten: &[ItemId], cyclic: bool, diagnostics: &mut Vec<Diagnostic>) {
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

    fn let_item(&mut self, id: ItemId, diagnostics: &mut Vec<Diagnostic>) {
        let (unit, at) = (self.items[id.0 as usize].unit, self.items[id.0 as usize].at);
        let tree = self.tree(unit);
        let ItemKind::Let { name, annotation, value } = &tree.items[at].kind else { return };
        let mut draft = Draft::new(self, unit);
        draft.open();
        let annotation = annotation.as_ref().map(|ty| draft.annotation(ty));
        if let Some(callable) = draft.callable_of(*value, annotation.clone())
            && !matches!(annotation, Some(Type::Linear(_)))
        {
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
    fn name_sizes(&self, _: GlobalId, ty: Type) -> Type {
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(_) => Size::Hole,
                atom => Size::Atom(atom),
            })
        })
    }

    fn unit_checks(&mut self, unit: UnitId, diagnostics: &mut Vec<Diagnostic>) {
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

    // ---- instances ----

    /// A place for a function that is yet to be checked.
    fn reserve(&mut self, name: Name, span: Span) -> FunctionId {
        let body = Body { bindings: Vec::new(), result: Atom::Int(0) };
        self.program.functions.push(Function { name, vars: Vec::new(), parameters: 0, body, result: Type::Int, span });
        FunctionId(self.program.functions.len() as u32 - 1)
    }

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

    fn serve_requests(&mut self, diagnostics: &mut Vec<Diagnostic>) {
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
                diagnostics.extend(found.into_iter().map(|diagnostic| diagnostic.label(span, note.clone())));
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

    // ---- what drafts ask ----

    pub(crate) fn tree(&self, unit: UnitId) -> Rc<Tree> {
        self.units[unit.0 as usize].tree.clone()
    }

    pub(crate) fn find(&self, unit: UnitId, name: &str) -> Option<Found> {
        let item = match self.units[unit.0 as usize].prelude {
            true => self.prelude.get(name),
            false => self.names.get(name).or_else(|| self.prelude.get(name)),
        };
        match item {
            Some(&item) => Some(Found::Item(item)),
            None => riesz_primitive::find(name).filter(|row| is_identifier(row.name)).map(Found::Primitive),
        }
    }

    pub(crate) fn names(&self, _: UnitId) -> Vec<Name> {
        self.visible_names()
    }

    pub(crate) fn signature(&self, item: ItemId) -> Option<Rc<Signature>> {
        self.items[item.0 as usize].signature.clone()
    }

    fn set_result(&mut self, item: ItemId, result: Type) {
        if let Some(signature) = &mut self.items[item.0 as usize].signature {
            Rc::make_mut(signature).result = result;
        }
    }

    pub(crate) fn item_name(&self, item: ItemId) -> Name {
        self.items[item.0 as usize].name.clone()
    }

    pub(crate) fn callable_item(&self, item: ItemId) -> Option<Rc<Callable>> {
        self.items[item.0 as usize].callable.clone()
    }

    pub(crate) fn global_of(&self, item: ItemId) -> Option<(GlobalId, &Type)> {
        self.items[item.0 as usize].global.as_ref().map(|(global, ty)| (*global, ty))
    }

    pub(crate) fn constant(&self, global: GlobalId) -> Option<i64> {
        self.constants.get(&global).copied()
    }

    pub(crate) fn variable_name(&self, index: u32) -> String {
        self.variables.get(index as usize).map_or_else(|| "t".to_string(), |name| name.to_string())
    }

    pub(crate) fn type_named(&self, _: UnitId, name: &Name) -> Option<(UnitId, Vec<Name>, tree::Type)> {
        let (unit, at) = *self.types.get(name)?;
        match &self.tree(unit).items[at].kind {
            ItemKind::Type { sizes, body, .. } => {
                Some((unit, sizes.iter().map(|size| size.name.clone()).collect(), body.clone()))
            }
            _ => None,
        }
    }

    pub(crate) fn type_names(&self) -> Vec<Name> {
        self.types.keys().cloned().chain(["Int", "Bool"].map(Name::from)).collect()
    }

    /// The top-level `Int`s that the sizes of a written type name.
    pub(crate) fn integer_globals(&self, unit: UnitId, ty: Option<&tree::Type>) -> Vec<(Name, Size)> {
        let mut found = Vec::new();
        for name in ty.map(needs::size_names).unwrap_or_default() {
            if let Some(Found::Item(item)) = self.find(unit, &name)
                && let Some((global, Type::Int)) = self.global_of(item)
            {
                let size = self.constant(global).map_or(Size::Atom(size::Atom::Global(global)), Size::Constant);
                found.push((name, size));
            }
        }
        found
    }
}

impl Draft<'_> {
    /// The body of a `fun` at certain types; `hidden` are sizes inside the types.
    fn fun_body(&mut self, item: ItemId, signature: &Signature, types: &[Type], hidden: &[Var]) -> DraftFunction {
        let entry = &self.checker.items[item.0 as usize];
        let (unit, at, name) = (entry.unit, entry.at, entry.name.clone());
        let tree = self.checker.tree(unit);
        let ItemKind::Fun { parameters, body, .. } = &tree.items[at].kind else {
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
        for (at, parameter) in parameters.iter().enumerate() {
            let ty = call::instantiate(&signature.parameters[at], types, &sizes);
            let var = integers[at].unwrap_or_else(|| self.var(ty.clone(), None));
            passed.push(var);
            self.reject_clash(&parameter.pattern, signature, &mut repeated);
            self.bind_pattern(&parameter.pattern, (Atom::Var(var), ty));
        }
        self.forgive_sizes(&tree.items[at].kind);
        let span = tree.items[at].span;
        let result = call::instantiate(&signature.result, types, &sizes);
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
    fn forgive_sizes(&mut self, fun: &ItemKind) {
        let ItemKind::Fun { parameters, result, .. } = fun else { return };
        let types = parameters.iter().map(|parameter| &parameter.ty).chain(result);
        for name in types.flat_map(needs::size_names) {
            if self.lookup(&name).is_none() {
                self.scope.bind(name, Entry::Value(Atom::Int(0), Type::Error));
            }
        }
    }

    /// A name is either a size or a parameter, unless the parameter is the `Int` that the size is.
    fn reject_clash(&mut self, pattern: &tree::Pattern, signature: &Signature, seen: &mut Vec<Name>) {
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

    /// What was put off until all of the item had been seen.
    fn settle(&mut self) {
        self.finish_postponed();
        self.equate_later();
        self.reject_open_sizes();
        self.reject_overgrown();
    }

    /// Gives a function the result that was found for it, over its own parameters.
    fn generalise(&mut self, item: ItemId, function: &DraftFunction) {
        let found = self.final_type(&function.result);
        if let Some(signature) = &mut self.checker.items[item.0 as usize].signature {
            let signature = Rc::make_mut(signature);
            signature.result = over_parameters(&found, function, signature);
        }
    }

    /// Fills in the sizes that the written result of a function leaves open and its body tells: an array without elements
    /// cannot tell those of its elements.
    fn fill_in(&mut self, item: ItemId, function: &DraftFunction) {
        let found = self.final_type(&function.found);
        if let Some(signature) = &mut self.checker.items[item.0 as usize].signature
            && function.result.any(&mut |part| matches!(part, Type::Array(Size::Hole, _)))
        {
            let signature = Rc::make_mut(signature);
            let found = over_parameters(&found, function, signature);
            signature.result = filled_in(&signature.result, &found);
        }
    }

    /// Data from outside, at the type that is expected here.
    pub(crate) fn data(&mut self, at: usize, hint: Option<&Type>, span: Span) -> Typed {
        let hint = hint.map(|hint| self.resolve_deep(hint));
        let data = self.checker.data[at].clone();
        let ty = match data.type_at(hint.as_ref()) {
            Ok(ty) => ty,
            Err(problem) => {
                return self.fail(Diagnostic::error("bad-data", span, format!("the data do not fit: {problem}")));
            }
        };
        let global = GlobalId(self.checker.program.globals.len() as u32);
        self.checker.program.globals.push(Global { name: "data".into(), ty: ty.clone(), origin: Origin::Given });
        self.checker.given.insert(global, data);
        (self.bind(Op::Global(global), ty.clone(), span), ty)
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

fn twice(name: &Name, span: Span, before: Span) -> Diagnostic {
    Diagnostic::error("duplicate-name", span, format!("`{name}` is defined twice"))
        .here("defined again here")
        .label(before, "first defined here")
}

/// Whether a row's name can be written as a name.
fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
}
