//! A Rust function as a function of Riesz.
//!
//! Rust rebinds variables where Riesz binds names once. A variable therefore has a current term, and assignment gives it
//! another. Where control flow joins, the terms of the variables that were assigned are the results of the conditional or
//! the state of the loop:
//!
//! ```text
//! let mut s = 0.0;                    let s_1 = 0.0
//! if c { s += x; }                    let s_3 = if c then { let s_2 = s_1 + x; s_2 } else s_1
//! for i in 0..n { s *= w[i]; }        let s_5 = loop s_4 = s_3 for i < n do s_4 * w[i]
//! ```
//!
//! - `expr`, `operator`, `method`, `number`, `call`, `derivative`, `constant`, `macros`: expressions
//! - `place`, `mutate`: assignments to variables, elements and fields
//! - `statement`: blocks, and the statements after a `return`, `break` or `continue`
//! - `control`, `repeat`, `leave`: conditionals and loops, and the ways to leave them
//! - `closure`: closures, in the place of their calls
//! - `iterator`, `search`: chains of iterators, as a count and an element for each index
//! - `integer`: the integers of Rust as numbers of 64 bits
//! - `option`: values that may be missing
//! - `assigned`: which variables a loop assigns, and how its body can be left

mod assigned;
mod call;
mod closure;
mod constant;
mod control;
mod derivative;
mod expr;
mod integer;
mod item;
mod iterator;
mod leave;
mod macros;
mod method;
mod mutate;
mod number;
mod operator;
mod option;
mod pattern;
mod place;
mod repeat;
mod search;
mod statement;

use crate::error::Errors;
use crate::signature::Signature;
use crate::term::{Block, Let, Name, PlaceId, Term};
use crate::types::{Integer, SignatureType, Ty, components, describe};
use crate::world::World;
use iterator::Iter;
use proc_macro2::TokenStream;
use quote::ToTokens;
use riesz_rust::Precision;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A function of Riesz: the names and types of its parameters are in its signature.
pub(crate) struct Lowered {
    pub body: Block,
    /// The constants that names of the function are assumed to be.
    pub checks: Vec<(TokenStream, f64)>,
}

/// Lowers the body of a function whose signature has been read.
pub(crate) fn lower(
    signature: &Signature,
    body: &syn::Block,
    world: &World,
    places: &mut Vec<TokenStream>,
    errors: &mut Errors,
) -> Lowered {
    let lower = Lower {
        world,
        errors,
        places,
        vars: Vec::new(),
        scopes: vec![Vec::new()],
        blocks: vec![Vec::new()],
        taken: HashSet::new(),
        next: 0,
        loops: Vec::new(),
        returned: None,
        result: signature.result.as_ref().map_or(Ty::Tuple(Vec::new()), |shape| shape.plain()),
        consts: Vec::new(),
        depth: 0,
        checks: Vec::new(),
        imported: HashMap::new(),
        assigns_also: Vec::new(),
        intervals: HashMap::new(),
        counts: HashMap::new(),
        arguments: HashSet::new(),
        indices: HashSet::new(),
        precision: signature.precision.unwrap_or_default(),
        given: HashMap::new(),
        built: signature.result.clone(),
    };
    lower.function(signature, body)
}

pub(crate) struct Lower<'w> {
    world: &'w World,
    errors: &'w mut Errors,
    /// The tokens that places stand for.
    places: &'w mut Vec<TokenStream>,
    vars: Vec<Variable>,
    scopes: Vec<Scope>,
    /// The blocks that are being written, the innermost last.
    blocks: Vec<Vec<Let>>,
    /// The names that have been given.
    taken: HashSet<Name>,
    next: u32,
    loops: Vec<LoopFrame>,
    /// The flag and the value of a `return` inside of a loop.
    returned: Option<(VarId, VarId)>,
    result: Ty,
    /// The type of the result as it is written.
    built: Option<SignatureType>,
    /// The constants whose values are being computed.
    consts: Vec<String>,
    /// How many closures and constants are being expanded.
    depth: usize,
    checks: Vec<(TokenStream, f64)>,
    /// The names that a `use` inside of the function gives constants of the standard library, with their values, and that
    /// of their module.
    imported: HashMap<String, Option<f64>>,
    /// Names that the next loop assigns beside those that its text shows.
    assigns_also: Vec<String>,
    /// The known ranges of integers.
    intervals: HashMap<Name, integer::Interval>,
    /// The indices of loops, and their counts.
    counts: HashMap<Name, Term>,
    /// The parameters.
    arguments: HashSet<Name>,
    /// The variables that are used as indices, in the scope of the next that is bound.
    indices: HashSet<String>,
    /// How long real numbers are.
    precision: Precision,
    /// The types of what `break` has given loops and blocks.
    given: HashMap<VarId, Ty>,
}

/// The names of a block, with the variables that they mean.
type Scope = Vec<(String, VarId)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VarId(usize);

/// A variable of the Rust function.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Ty,
    /// Its present value.
    term: Term,
    kind: Kind,
    /// Whether it can be assigned. Assignment through any other name is through a `&mut` that is not followed.
    mutable: bool,
}

/// The meaning of a name of the Rust function.
#[derive(Clone)]
enum Kind {
    Value,
    /// A `&mut` to a part of another variable.
    Alias(Place),
    Closure(Rc<Closure>),
    Iter(Rc<Iter>),
}

/// A variable, or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    root: VarId,
    path: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Index(Term),
    Field(usize),
    /// From an index to below another.
    Slice(Term, Term),
}

/// A closure, with what its names mean.
#[derive(Clone)]
pub(crate) struct Closure {
    inputs: Vec<syn::Pat>,
    /// The type of the result, where it is written.
    output: Option<syn::Type>,
    body: syn::Expr,
    scopes: Vec<Scope>,
    /// The variables' values where it was made.
    captured: Vec<(Term, Ty)>,
    /// The variables around it that it assigns.
    assigns: Vec<VarId>,
}

/// A loop or a labelled block around the statement that is being lowered.
#[derive(Clone)]
struct LoopFrame {
    label: Option<String>,
    /// Set by `break`.
    broken: Option<VarId>,
    /// Set by `continue`.
    continued: Option<VarId>,
    /// The variable to which `break` assigns a value.
    value: Option<VarId>,
    /// Whether only a `break` with its label leaves it.
    is_block: bool,
}

/// A value of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    term: Term,
    ty: Ty,
    /// The place of the value, for elements from `iter_mut` and for `&mut` expressions.
    place: Option<Place>,
    /// The same of the components of a tuple.
    parts: Vec<Whereabouts>,
}

/// Where a value lies, and where its components do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whereabouts {
    place: Option<Place>,
    parts: Vec<Whereabouts>,
}

impl Whereabouts {
    /// Whether a part of the value is a `&mut`.
    fn holds_place(&self) -> bool {
        self.place.is_some() || self.parts.iter().any(Whereabouts::holds_place)
    }
}

impl Value {
    /// Whether it is a `&mut`, or has one in it.
    fn holds_place(&self) -> bool {
        self.place.is_some() || self.parts.iter().any(Whereabouts::holds_place)
    }

    fn new(term: Term, ty: Ty) -> Value {
        Value { term, ty, place: None, parts: Vec::new() }
    }

    fn unit() -> Value {
        Value::new(Term::Tuple(Vec::new()), Ty::Tuple(Vec::new()))
    }

    fn never() -> Value {
        Value::new(Term::Unset, Ty::Never)
    }

    fn error() -> Value {
        Value::new(Term::Unset, Ty::Error)
    }

    fn int(term: Term) -> Value {
        Value::new(term, Ty::Int(Integer::USIZE))
    }

    fn is_unit(&self) -> bool {
        matches!(&self.ty, Ty::Tuple(parts) if parts.is_empty())
    }

    fn is_float(&self) -> bool {
        self.ty == Ty::Float
    }

    fn is_int(&self) -> bool {
        matches!(self.ty, Ty::Int(_))
    }
}

impl Lower<'_> {
    fn function(mut self, signature: &Signature, body: &syn::Block) -> Lowered {
        for size in &signature.sizes {
            self.taken.insert(size.clone());
            self.is_length(size);
        }
        for (size, generic) in signature.sizes.iter().zip(signature.generics.const_params()) {
            self.declare(&generic.ident.to_string(), Ty::Int(Integer::USIZE), Term::Name(size.clone()));
        }
        for parameter in &signature.parameters {
            self.taken.insert(parameter.name.clone());
            for length in &parameter.lengths {
                if let Term::Name(name) = length {
                    self.taken.insert(name.clone());
                    self.is_length(name);
                }
            }
            self.arguments.insert(parameter.name.clone());
            self.is_settled(&Term::Name(parameter.name.clone()), &parameter.ty);
            let value = Value::new(Term::Name(parameter.name.clone()), parameter.ty.clone());
            self.bind(&parameter.pattern, value);
        }
        for parameter in signature.parameters.iter().filter(|parameter| parameter.output) {
            match &parameter.pattern {
                syn::Pat::Ident(ident) if ident.mutability.is_none() => {
                    if let Some(var) = self.lookup(&ident.ident.to_string()) {
                        self.vars[var.0].mutable = true;
                    }
                }
                pattern => {
                    let help = "give it a name, without `mut`: `name: &mut Type`";
                    self.refuse(pattern, "a `&mut` parameter cannot itself be `mut`", help);
                }
            }
        }
        let outputs: Vec<VarId> = (signature.parameters.iter())
            .filter(|parameter| parameter.output)
            .filter_map(|parameter| match &parameter.pattern {
                syn::Pat::Ident(ident) => self.lookup(&ident.ident.to_string()),
                _ => None,
            })
            .collect();
        self.watch_assertions(body);
        // Branches that return in different ways set one flag.
        if assigned::Exits::of_block(body).returns {
            self.returned_flag();
        }
        let value = self.statements(&body.stmts, true);
        if !matches!(value.ty, Ty::Error | Ty::Never) && !self.agrees(&self.result.clone(), &value.ty) {
            let help = "check that the attribute understands the type of the last expression";
            let (expected, found) = (describe(&self.result), describe(&value.ty));
            let at = body.stmts.last().map_or_else(|| body.to_token_stream(), |last| last.to_token_stream());
            self.errors.add(&at, format!("the result is {expected}, and this seems to be {found}"), help);
        }
        let value_ty = value.ty.clone();
        let term = if value_ty == Ty::Never { self.dummy(&self.result.clone(), &body) } else { value.term.clone() };
        let mut results: Vec<Term> = outputs.iter().map(|output| self.vars[output.0].term.clone()).collect();
        if !value.is_unit() || results.is_empty() {
            results.insert(0, term);
        }
        let result = self.unless_broken(Term::tuple(results));
        let lets = self.blocks.pop().unwrap_or_default();
        // What is not known has been refused, or is not there.
        let is_incomplete = result.is_incomplete() || lets.iter().any(|binding| binding.value.is_incomplete());
        if (is_incomplete || matches!(value_ty, Ty::Error)) && self.errors.is_empty() {
            let help = "write types, and give variables their values where they are declared";
            self.errors.add(&body, "the attribute cannot follow all values in this function", help);
        }
        Lowered { body: Block { lets, result }, checks: self.checks }
    }

    /// The type of real numbers.
    fn real(&self) -> &'static str {
        match self.precision {
            Precision::Double => "f64",
            Precision::Single => "f32",
        }
    }

    /// A new name.
    pub(crate) fn fresh(&mut self, hint: &str) -> Name {
        let hint: String = hint.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        let hint = hint.trim_start_matches('_');
        let hint = match hint.chars().next() {
            Some(first) if first.is_alphabetic() => hint,
            _ => "t",
        };
        loop {
            self.next += 1;
            let name: Name = format!("{hint}_{}", self.next).into();
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    fn place(&mut self, tokens: &dyn ToTokens) -> PlaceId {
        self.places.push(tokens.to_token_stream());
        self.places.len() - 1
    }

    /// Binds an expression to a name, unless it is one or costs nothing.
    fn name_it(&mut self, hint: &str, term: Term, at: &dyn ToTokens) -> Term {
        if term.is_atom() {
            return term;
        }
        let place = self.place(at);
        let name = self.fresh(hint);
        self.remember(&name, &term);
        self.emit(vec![name.clone()], term, place);
        Term::Name(name)
    }

    pub(crate) fn emit(&mut self, names: Vec<Name>, value: Term, place: PlaceId) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(Let { names, value, place });
        }
    }

    /// Writes a block of its own.
    fn block<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Vec<Let>, T) {
        self.blocks.push(Vec::new());
        let result = write(self);
        (self.blocks.pop().unwrap_or_default(), result)
    }

    fn declare(&mut self, name: &str, ty: Ty, term: Term) -> VarId {
        self.declare_kind(name, ty, term, Kind::Value)
    }

    fn declare_kind(&mut self, name: &str, ty: Ty, term: Term, kind: Kind) -> VarId {
        let mutable = term == Term::Unset;
        self.vars.push(Variable { name: name.to_string(), ty, term, kind, mutable });
        let id = VarId(self.vars.len() - 1);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_string(), id));
        }
        id
    }

    fn lookup(&self, name: &str) -> Option<VarId> {
        let all = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        all.into_iter().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    fn scope<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = write(self);
        self.scopes.pop();
        result
    }

    /// The result that something would have if it were written here.
    fn probe<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let errors = std::mem::take(self.errors);
        let (vars, scopes, loops, returned) =
            (self.vars.clone(), self.scopes.clone(), self.loops.clone(), self.returned);
        let (places, checks, also) = (self.places.len(), self.checks.len(), self.assigns_also.clone());
        let (_, found) = self.block(write);
        (self.vars, self.scopes, self.loops, self.returned) = (vars, scopes, loops, returned);
        self.places.truncate(places);
        self.checks.truncate(checks);
        self.assigns_also = also;
        *self.errors = errors;
        found
    }

    /// Reports an error.
    fn refuse(&mut self, at: &dyn ToTokens, message: impl std::fmt::Display, help: impl std::fmt::Display) -> Value {
        self.errors.add(at, message, help);
        Value::error()
    }

    /// Whether a value of one type can stand where another is expected, as far as this front end knows.
    fn agrees(&self, expected: &Ty, found: &Ty) -> bool {
        match (expected, found) {
            (Ty::Error | Ty::Unknown | Ty::Never, _) | (_, Ty::Error | Ty::Unknown | Ty::Never) => true,
            (Ty::Int(_), Ty::Int(_)) => true,
            (Ty::Array(a, _), Ty::Array(b, _)) | (Ty::Option(a), Ty::Option(b)) => self.agrees(a, b),
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.agrees(a, b)),
            (a, b) => a == b,
        }
    }

    /// Any value of a type, for a place where it is never read.
    fn dummy(&mut self, ty: &Ty, at: &dyn ToTokens) -> Term {
        match ty {
            Ty::Float => Term::Real(0.0),
            Ty::Int(_) | Ty::Enum(_) => Term::Int(0),
            Ty::Bool => Term::Bool(false),
            Ty::Tuple(parts) => Term::Tuple(parts.clone().iter().map(|part| self.dummy(part, at)).collect()),
            Ty::Array(element, length) if **length != Term::Unset => {
                let (element, length) = (self.dummy(element, at), (**length).clone());
                Term::call("replicate", [length, element])
            }
            Ty::Struct(of) => {
                let of = of.clone();
                let parts = of.fields.iter().map(|(_, shape)| self.dummy(&shape.plain(), at)).collect();
                Term::tuple(parts)
            }
            Ty::Option(inner) if **inner == Ty::Unknown => Term::Unset,
            Ty::Option(inner) => {
                let inner = self.dummy(inner, at);
                Term::Tuple(vec![Term::Bool(false), inner])
            }
            Ty::Array(..) | Ty::Unknown => {
                let help = "give the array its value before the branch or the loop, or use an array `[f64; N]`";
                self.refuse(at, "the length of this array is not known on every path to this place", help);
                Term::Unset
            }
            Ty::Never | Ty::Error => Term::Unset,
        }
    }
}
