//! The draft of a group of items: core with incomplete types.
//!
//! A draft is core whose types may contain unknowns. Three operations have another meaning than in core: `Copy` may
//! convert (an `Int` to an `R`, also inside arrays), the function of a `Call` is a position in [`Draft::calls`], and
//! that of a `Closure` is a position in [`Draft::lambdas`]. [`super::finish`] turns a draft into core.
//!
//! Variables are numbered through the whole draft, so that a size in a type means the same in all of its functions and
//! closures.

use super::call::Callable;
use super::scope::Scope;
use super::square::Norms;
use super::unify::Unknowns;
use super::{Checker, ItemId, UnitId};
use crate::size::{self, Size};
use crate::term::{Atom, Binding, Body, FunctionId, Op, Step, Var};
use crate::types::Type;
use riesz_primitive::scalar;
use riesz_syntax::parser::MAX_ERRORS;
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Span, Tree};
use std::cell::Cell;
use std::rc::Rc;

/// How many parts a type may have: doubling tuples grow without bound.
pub(super) const LARGEST_TYPE: u32 = 20_000;
/// How deep types may nest: functions of types recurse.
pub(super) const DEEPEST_TYPE: u32 = 500;
/// How many bindings the functions of one group may have, expanded local functions included.
const MOST_BINDINGS: usize = 1_000_000;
/// How deep calls of local functions may be expanded.
const DEEPEST_EXPANSION: usize = 10_000;
/// How many parts the types of all those bindings may have.
const MOST_PARTS: usize = 20_000_000;

pub(crate) struct Draft<'c> {
    pub checker: &'c mut Checker,
    /// The file that names and expressions are taken from.
    pub unit: UnitId,
    pub scope: Scope,
    pub unknowns: Unknowns,
    pub vars: Vec<DraftVar>,
    /// The types that stand for the type variables of the item.
    pub type_arguments: Vec<(Name, Type)>,
    pub calls: Vec<DraftCall>,
    pub lambdas: Vec<DraftLambda>,
    pub postponed: Vec<Postponed>,
    /// Sizes that must be equal, when more is known of them.
    pub later: Vec<(Size, Size, Span)>,
    pub norms: Norms,
    pub diagnostics: Vec<Diagnostic>,
    bodies: Vec<OpenBody>,
    body_count: u32,
    binding_count: usize,
    part_count: usize,
    /// How many calls of local functions are being expanded inside each other.
    expansions: usize,
    /// Whether a type or the whole has grown too large: then the item is wrong anyway, and its check is to end soon.
    too_large: bool,
    /// Whether a type turned out too large where nothing could be reported.
    pub overgrown: Cell<bool>,
}

pub(crate) struct DraftVar {
    pub name: Option<Name>,
    pub ty: Type,
    /// The size that an `Int` variable is known to be.
    pub size: Option<Size>,
    body: u32,
}

/// A call of an item: its function is known when its types are.
pub(crate) struct DraftCall {
    pub item: ItemId,
    pub types: Vec<Type>,
    pub sizes: Vec<Size>,
    pub span: Span,
}

/// A function written as an expression.
pub(crate) struct DraftLambda {
    pub parameter: Var,
    pub body: Option<Body>,
    pub result: Type,
    pub span: Span,
}

/// A function whose parameter's type was not known where it was written.
pub(crate) struct Postponed {
    pub callable: Rc<Callable>,
    pub lambda: usize,
    pub ty: Type,
    pub span: Span,
    active: Vec<u32>,
    /// How many variables there were where it was written: later ones it cannot use.
    seen: u32,
}

struct OpenBody {
    id: u32,
    /// How many of all variables can be used, if they are bound in this body.
    seen: u32,
    bindings: Vec<Binding>,
}

impl<'c> Draft<'c> {
    pub fn new(checker: &'c mut Checker, unit: UnitId) -> Draft<'c> {
        Draft {
            checker,
            unit,
            scope: Scope::default(),
            unknowns: Unknowns::default(),
            vars: Vec::new(),
            type_arguments: Vec::new(),
            calls: Vec::new(),
            lambdas: Vec::new(),
            postponed: Vec::new(),
            later: Vec::new(),
            norms: Norms::default(),
            diagnostics: Vec::new(),
            bodies: Vec::new(),
            body_count: 0,
            binding_count: 0,
            part_count: 0,
            expansions: 0,
            too_large: false,
            overgrown: Cell::new(false),
        }
    }

    /// The present file.
    pub fn tree(&self) -> Rc<Tree> {
        self.checker.tree(self.unit)
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_ERRORS && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports and gives the value that fits everywhere.
    pub fn fail(&mut self, diagnostic: Diagnostic) -> (Atom, Type) {
        self.report(diagnostic);
        (Atom::Int(0), Type::Error)
    }

    // ---- bodies ----

    /// Starts a body inside the present one.
    pub fn open(&mut self) {
        self.body_count += 1;
        self.bodies.push(OpenBody { id: self.body_count, seen: u32::MAX, bindings: Vec::new() });
    }

    /// Ends the innermost body.
    pub fn close(&mut self, result: Atom) -> Body {
        let open = self.bodies.pop().expect("a body is open");
        Body { bindings: open.bindings, result }
    }

    /// Opens a body again, to add to it.
    pub fn reopen(&mut self, body: Body) {
        self.open();
        self.bodies.last_mut().expect("just opened").bindings = body.bindings;
    }

    /// A variable bound in the present body (of a parameter: in the body that is about to be opened around it).
    pub fn var(&mut self, ty: Type, name: Option<Name>) -> Var {
        let body = self.bodies.last().map_or(0, |body| body.id);
        self.vars.push(DraftVar { name, ty, size: None, body });
        Var(self.vars.len() as u32 - 1)
    }

    /// Whether a variable is bound in the present body, not in one around it.
    pub fn is_of_present_body(&self, var: Var) -> bool {
        self.bodies.last().is_some_and(|body| body.id == self.vars[var.0 as usize].body)
    }

    /// Binds an operation's result.
    pub fn bind(&mut self, op: Op, ty: Type, span: Span) -> Atom {
        if let Some(square) = self.square_of_norm(&op, span) {
            return square;
        }
        let size = self.size_of_op(&op);
        self.measure(&ty, span);
        let var = self.var(ty, None);
        self.vars[var.0 as usize].size = size;
        self.push(Binding { var, op, span });
        Atom::Var(var)
    }

    /// Sees to it that types stay small, each and together: tuples of tuples double quickly.
    fn measure(&mut self, ty: &Type, span: Span) {
        let mut parts = 0;
        if !fits(ty, DEEPEST_TYPE, &mut parts) || self.overgrown.get() {
            return self.reject_type(span);
        }
        self.part_count += parts as usize;
        if self.part_count > MOST_PARTS {
            self.reject_size(span);
        }
    }

    /// Reports that a type is too large.
    pub fn reject_type(&mut self, span: Span) {
        if std::mem::replace(&mut self.too_large, true) {
            return;
        }
        self.report(
            Diagnostic::error("type-too-large", span, "the type of this value is too large")
                .here(format!("more than {LARGEST_TYPE} parts, or nested more than {DEEPEST_TYPE} deep"))
                .help("use an array instead of nested tuples"),
        );
    }

    /// Reports types that grew too large where nothing could be reported.
    pub fn reject_overgrown(&mut self) {
        self.measure_unknowns();
        let last = self.bodies.last().and_then(|body| body.bindings.last()).map(|binding| binding.span);
        if let (true, Some(span)) = (self.overgrown.get(), last) {
            self.reject_type(span);
        }
    }

    fn reject_size(&mut self, span: Span) {
        if std::mem::replace(&mut self.too_large, true) {
            return;
        }
        self.report(
            Diagnostic::error(
                "program-too-large",
                span,
                "this item is too large once its local functions are expanded",
            )
            .help("make the functions that it uses most `fun`s of their own"),
        );
    }

    /// Writes what a call of a local function stands for. A function that calls itself so has no end.
    pub fn expansion<T>(&mut self, span: Span, write: impl FnOnce(&mut Self) -> T) -> T {
        self.count(span);
        if self.expansions >= DEEPEST_EXPANSION {
            self.reject_size(span);
        }
        self.expansions += 1;
        let written = write(self);
        self.expansions -= 1;
        written
    }

    fn count(&mut self, span: Span) {
        riesz_limit::poll();
        self.binding_count += 1;
        if self.binding_count == MOST_BINDINGS {
            self.reject_size(span);
        }
    }

    pub fn push(&mut self, binding: Binding) {
        self.count(binding.span);
        if self.binding_count < MOST_BINDINGS {
            self.bodies.last_mut().expect("a body is open").bindings.push(binding);
        }
    }

    /// Whether enough is wrong with the item: what is left of it need not be looked at.
    pub fn gives_up(&self) -> bool {
        self.too_large || self.diagnostics.len() >= MAX_ERRORS
    }

    /// Makes a variable one of the present body.
    pub fn adopt(&mut self, var: Var) {
        self.vars[var.0 as usize].body = self.bodies.last().map_or(0, |body| body.id);
    }

    /// Whether a variable can be used in the present body.
    pub fn in_scope(&self, var: Var) -> bool {
        let body = self.vars[var.0 as usize].body;
        body == 0 || self.bodies.iter().rev().any(|open| open.id == body && var.0 < open.seen)
    }

    // ---- sizes ----

    /// The size that an `Int` stands for.
    pub fn size_of(&self, atom: Atom) -> Size {
        match atom {
            Atom::Int(value) => Size::Constant(value),
            Atom::Var(var) => self.vars[var.0 as usize].size.clone().unwrap_or(Size::var(var)),
            Atom::Real(_) | Atom::Bool(_) => Size::Hole,
        }
    }

    fn size_of_op(&self, op: &Op) -> Option<Size> {
        match op {
            Op::Copy(atom @ (Atom::Int(_) | Atom::Var(_))) => {
                Some(self.size_of(*atom)).filter(|size| *size != Size::Hole)
            }
            Op::Global(global) => Some(match self.checker.constant(*global) {
                Some(value) => Size::Constant(value),
                None => Size::Atom(size::Atom::Global(*global)),
            }),
            Op::Scalar(primitive, arguments) => {
                let (left, right) = (self.size_of(*arguments.first()?), self.size_of(*arguments.get(1)?));
                if let (true, Size::Constant(exponent @ 0..=64)) = (std::ptr::eq(*primitive, &scalar::POWI), &right) {
                    return (0..*exponent).try_fold(Size::Constant(1), |power, _| power.mul(&left));
                }
                if std::ptr::eq(*primitive, &scalar::ADD) {
                    left.add(&right)
                } else if std::ptr::eq(*primitive, &scalar::SUB) {
                    left.sub(&right)
                } else if std::ptr::eq(*primitive, &scalar::MUL) {
                    left.mul(&right)
                } else {
                    None
                }
                .filter(|size| *size != Size::Hole)
            }
            Op::SizeOf(Atom::Var(var), path) => {
                let mut ty = self.resolve(&self.vars[var.0 as usize].ty);
                for step in path {
                    ty = match (step, &ty) {
                        (Step::Elements, Type::Array(_, element)) => self.resolve(element),
                        (Step::Component(at), _) => self.resolve(ty.components()?.get(*at)?),
                        _ => return None,
                    };
                }
                match ty {
                    Type::Array(size, _) => Some(self.resolve_size(&size)).filter(|size| *size != Size::Hole),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The length of an array, as an `Int`.
    pub fn length(&mut self, array: Atom, ty: &Type, span: Span) -> Atom {
        if let Type::Array(size, _) = self.resolve(ty)
            && let Some(atom) = self.simple(&self.resolve_size(&size))
        {
            return atom;
        }
        self.bind(Op::SizeOf(array, Vec::new()), Type::Int, span)
    }

    /// Whether an operation of this function makes a value, rather than takes it from others.
    pub fn is_made_here(&self, value: Atom) -> bool {
        let mut bindings = self.bodies.iter().rev().flat_map(|open| open.bindings.iter().rev());
        let made = bindings.find(|binding| value == Atom::Var(binding.var));
        made.is_some_and(|made| !matches!(made.op, Op::Project(..) | Op::Index(..) | Op::Global(_)))
    }

    /// A size that is a constant or a single variable, as an atom.
    fn simple(&self, size: &Size) -> Option<Atom> {
        match size {
            Size::Constant(value) => Some(Atom::Int(*value)),
            Size::Atom(size::Atom::Var(var)) if self.in_scope(*var) => Some(Atom::Var(*var)),
            _ => None,
        }
    }

    /// Computes a size. Sizes that are not yet known count as zero: callers resolve first.
    pub fn compute(&mut self, size: &Size, span: Span) -> Atom {
        if let Some(atom) = self.simple(size) {
            return atom;
        }
        let mut total: Option<Atom> = None;
        for monomial in size.monomials() {
            let mut product = Atom::Int(monomial.coefficient());
            for &factor in monomial.factors() {
                let factor = match factor {
                    size::Atom::Var(var) => Atom::Var(var),
                    size::Atom::Global(global) => self.bind(Op::Global(global), Type::Int, span),
                    size::Atom::Parameter(_) | size::Atom::Unknown(_) => Atom::Int(0),
                };
                product = match product {
                    Atom::Int(1) => factor,
                    product => self.bind(Op::Scalar(&scalar::MUL, vec![product, factor]), Type::Int, span),
                };
            }
            total = Some(match total {
                None => product,
                Some(total) => self.bind(Op::Scalar(&scalar::ADD, vec![total, product]), Type::Int, span),
            });
        }
        total.unwrap_or(Atom::Int(0))
    }

    /// A type as seen outside the body that has just been closed: sizes that were bound in it are read off the value.
    pub fn leave(&self, ty: &Type) -> Type {
        let ty = self.resolve_deep(ty);
        ty.map_sizes(&mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Var(var) if !self.in_scope(var) => Size::Hole,
                atom => Size::Atom(atom),
            })
        })
    }

    /// Reads every unknown size of a value's type off the value.
    pub fn read_sizes(&mut self, value: Atom, ty: Type, span: Span) -> (Atom, Type) {
        let mut holes = Vec::new();
        find_holes(&ty, &mut Vec::new(), &mut holes);
        if holes.is_empty() {
            return (value, ty);
        }
        let mut sizes = Vec::new();
        for path in holes {
            let size = self.bind(Op::SizeOf(value, path), Type::Int, span);
            sizes.push(self.size_of(size));
        }
        let mut sizes = sizes.into_iter();
        let ty = fill_holes(&ty, &mut sizes);
        (self.bind(Op::Copy(value), ty.clone(), span), ty)
    }

    // ---- functions written as expressions ----

    /// Reserves a place for a function's body.
    pub fn lambda(&mut self, parameter: Type, result: Type, span: Span) -> usize {
        let parameter = self.var(parameter, None);
        self.lambdas.push(DraftLambda { parameter, body: None, result, span });
        self.lambdas.len() - 1
    }

    /// The value of a function.
    pub fn closure(&mut self, lambda: usize, ty: Type, span: Span) -> Atom {
        self.bind(Op::Closure(FunctionId(lambda as u32), Vec::new()), ty, span)
    }

    /// Remembers a function until the type of its parameter is known.
    pub fn postpone(&mut self, callable: Rc<Callable>, lambda: usize, ty: Type, span: Span) {
        let active = self.bodies.iter().map(|body| body.id).collect();
        let seen = self.vars.len() as u32;
        self.postponed.push(Postponed { callable, lambda, ty, span, active, seen });
    }

    /// Works as if the bodies around the postponed function were the open ones.
    pub fn at_postponed<T>(&mut self, postponed: &Postponed, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside =
            postponed.active.iter().map(|&id| OpenBody { id, seen: postponed.seen, bindings: Vec::new() }).collect();
        let saved = std::mem::replace(&mut self.bodies, outside);
        let done = work(self);
        self.bodies = saved;
        done
    }
}

/// Whether a type has few enough parts and levels; counts the parts.
fn fits(ty: &Type, depth: u32, parts: &mut u32) -> bool {
    *parts += 1;
    if depth == 0 || *parts > LARGEST_TYPE {
        return false;
    }
    match ty {
        Type::Array(_, element) => fits(element, depth - 1, parts),
        Type::Tuple(inner) => inner.iter().all(|part| fits(part, depth - 1, parts)),
        Type::Record(record) => record.fields.iter().all(|(_, ty)| fits(ty, depth - 1, parts)),
        Type::Function(arrow) | Type::Linear(arrow) => {
            fits(&arrow.0, depth - 1, parts) && fits(&arrow.1, depth - 1, parts)
        }
        _ => true,
    }
}

/// The paths to the arrays of unknown size in a value, outermost first.
fn find_holes(ty: &Type, path: &mut Vec<Step>, holes: &mut Vec<Vec<Step>>) {
    match ty {
        Type::Array(size, element) => {
            if *size == Size::Hole {
                holes.push(path.clone());
            }
            path.push(Step::Elements);
            find_holes(element, path, holes);
            path.pop();
        }
        Type::Tuple(_) | Type::Record(_) => {
            for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                path.push(Step::Component(at));
                find_holes(part, path, holes);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Puts sizes in place of the holes, in the same order.
fn fill_holes(ty: &Type, sizes: &mut dyn Iterator<Item = Size>) -> Type {
    match ty {
        Type::Array(size, element) => {
            let size = if *size == Size::Hole { sizes.next().unwrap_or(Size::Hole) } else { size.clone() };
            Type::array(size, fill_holes(element, sizes))
        }
        Type::Tuple(_) | Type::Record(_) => {
            let parts = ty.components().unwrap_or_default();
            ty.with_components(parts.iter().map(|part| fill_holes(part, sizes)).collect())
        }
        _ => ty.clone(),
    }
}
