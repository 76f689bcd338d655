//! The checker: from trees to typed core.
//!
//! Items are checked in strongly connected groups, each group after the groups that it depends on. A group is checked
//! as a [`draft`], in one pass over its expressions, bottom-up from the written types of parameters; [`finish`] then
//! turns the draft into core. A function with type variables is checked once abstractly, and again for each choice of
//! types at which it is used.

mod argument;
mod arithmetic;
mod builtin;
mod call;
mod closure;
mod control;
mod derivative;
mod draft;
mod equation;
mod expr;
mod finish;
mod foreign;
mod function;
mod generator;
mod instance;
mod item;
mod linear;
mod mismatch;
mod needs;
mod operator;
mod order;
mod point;
mod reduce;
mod rule;
mod scope;
mod signature;
mod solve;
mod square;
mod structure;
pub mod suggest;
mod unify;

use crate::data::Data;
use crate::size::{self, Size};
use crate::term::{FunctionId, Global, GlobalId, Op, Origin, Program};
use crate::types::Type;
use arithmetic::Typed;
use call::Callable;
use draft::Draft;
use finish::DraftFunction;
use riesz_primitive::Primitive;
use riesz_syntax::parser::MAX_ERRORS;
use riesz_syntax::tree::{self, ExprId, ItemKind, Name};
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Span, Tree};
use rule::ItemFunction;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Entry, Scope};
use signature::Signature;
use std::rc::Rc;

/// The file that the prelude counts as in places: it is the first of all sources.
pub const PRELUDE_FILE: FileId = FileId(0);
/// The part of the language that is written in the language.
pub const PRELUDE: &str = include_str!("../prelude.rz");
/// A file among those being checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitId(pub u32);

/// An item among all that have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemId(pub u32);

/// The meaning of a name.
pub(crate) enum Resolved {
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
    /// The values that expressions get from outside, by name.
    data: Vec<(Name, Rc<Data>)>,
    given: FxHashMap<GlobalId, Rc<Data>>,
    /// The type variables of the item being checked, for messages.
    variables: Vec<Name>,
}

/// The meanings of names at a moment.
#[derive(Clone)]
pub struct Names {
    names: FxHashMap<Name, ItemId>,
    types: FxHashMap<Name, (UnitId, usize)>,
    checks: usize,
}

/// How far a checker has come, to go back to.
pub struct Mark {
    names: Names,
    units: usize,
    data: usize,
    functions: usize,
    globals: usize,
}

struct Unit {
    tree: Rc<Tree>,
    prelude: bool,
}

struct Item {
    unit: UnitId,
    /// Its position in the tree.
    at: usize,
    /// Which of the functions that stand there it is, where the derivative of one is stated.
    part: ItemFunction,
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
    /// The place.
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

/// The value of a name for one expression.
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

    /// The current meanings of names, to be restored if an addition fails.
    pub fn names_now(&self) -> Names {
        Names { names: self.names.clone(), types: self.types.clone(), checks: self.checks.len() }
    }

    /// Puts back what names meant.
    pub fn restore(&mut self, before: Names) {
        (self.names, self.types) = (before.names, before.types);
        self.wrong_types.clear();
        self.checks.truncate(before.checks);
    }

    /// Forgets an addition, or an expression, that was stopped on its way.
    pub fn abandon(&mut self, before: Names) {
        self.restore(before);
        self.requests.clear();
        for instance in std::mem::take(&mut self.fresh_instances) {
            self.instances.remove(&instance);
        }
    }

    /// How far the checker has come.
    pub fn mark(&self) -> Mark {
        Mark {
            names: self.names_now(),
            units: self.units.len(),
            data: self.data.len(),
            functions: self.program.functions.len(),
            globals: self.program.globals.len(),
        }
    }

    /// Goes back to a mark: the functions, data and instances since then are gone, and the items have no names.
    pub fn roll_back(&mut self, mark: Mark) {
        let Mark { names, units, data, functions, globals } = mark;
        self.abandon(names);
        self.units.truncate(units);
        self.data.truncate(data);
        self.program.functions.truncate(functions);
        self.program.globals.truncate(globals);
        self.given.retain(|global, _| (global.0 as usize) < globals);
        self.constants.retain(|global, _| (global.0 as usize) < globals);
        self.instances.retain(|_, function| (function.0 as usize) < functions);
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
                    self.data.push((name.clone(), Rc::new(data)));
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
        let primitives = riesz_primitive::table().iter().filter(|primitive| primitive.is_named());
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

    /// The function of the prelude that a row describes.
    pub(crate) fn prelude_item(&self, row: &Primitive) -> Option<ItemId> {
        self.prelude.get(row.name).copied()
    }

    /// Whether an item is the function of the prelude that a row describes.
    pub(crate) fn is_prelude(&self, item: ItemId, row: &Primitive) -> bool {
        self.prelude.get(row.name) == Some(&item)
    }

    pub(crate) fn tree(&self, unit: UnitId) -> Rc<Tree> {
        self.units[unit.0 as usize].tree.clone()
    }

    pub(crate) fn find(&self, unit: UnitId, name: &str) -> Option<Resolved> {
        let item = match self.units[unit.0 as usize].prelude {
            true => self.prelude.get(name),
            false => self.names.get(name).or_else(|| self.prelude.get(name)),
        };
        match item {
            Some(&item) => Some(Resolved::Item(item)),
            None => riesz_primitive::find(name).filter(|row| row.is_named()).map(Resolved::Primitive),
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

    /// The file in which an item stands, and its position there.
    pub(crate) fn place_of(&self, item: ItemId) -> (UnitId, usize) {
        let Item { unit, at, .. } = self.items[item.0 as usize];
        (unit, at)
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

    pub(crate) fn type_named(&self, name: &Name) -> Option<(UnitId, Vec<Name>, tree::Type)> {
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
            if let Some(Resolved::Item(item)) = self.find(unit, &name)
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
    /// Data from outside, at the type that is expected here.
    pub(crate) fn data(&mut self, at: usize, hint: Option<&Type>, span: Span) -> Typed {
        let hint = hint.map(|hint| self.resolve_deep(hint));
        let (name, data) = self.checker.data[at].clone();
        let ty = match data.type_at(hint.as_ref()) {
            Ok(ty) => ty,
            Err(problem) => {
                return self.fail(Diagnostic::error("bad-data", span, format!("the data do not fit: {problem}")));
            }
        };
        let global = GlobalId(self.checker.program.globals.len() as u32);
        self.checker.program.globals.push(Global { name, ty: ty.clone(), origin: Origin::Given });
        self.checker.given.insert(global, data);
        (self.bind(Op::Global(global), ty.clone(), span), ty)
    }
}
