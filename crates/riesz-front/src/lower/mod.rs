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
//! - `expr`, `operator`, `method`, `call`, `constant`, `macros`: expressions
//! - `place`, `mutate`: assignments to variables, elements and fields
//! - `statement`: blocks, and what follows a `return`, `break` or `continue`
//! - `control`, `repeat`: conditionals and loops
//! - `iterator`: chains of iterators, as a count and an element for each index
//! - `assigned`: which variables a loop assigns, and how its body can be left

mod assigned;
mod call;
mod constant;
mod control;
mod expr;
mod iterator;
mod macros;
mod method;
mod mutate;
mod operator;
mod pattern;
mod place;
mod repeat;
mod statement;

use crate::error::Errors;
use crate::rule::Rule;
use crate::signature::Signature;
use crate::term::{Block, Let, Name, PlaceId, Term};
use crate::types::{Integer, Ty, Types, components, describe};
use iterator::Iter;
use proc_macro2::TokenStream;
use quote::ToTokens;
use riesz_rust::Precision;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// The functions and types that a function sees.
#[derive(Default)]
pub(crate) struct World {
    pub types: Types,
    pub functions: HashMap<String, Rc<Signature>>,
    pub constants: HashMap<String, (syn::Type, syn::Expr)>,
    /// The methods that need types of other modules.
    pub unread: HashMap<String, Vec<syn::Path>>,
    /// The methods that a trait gives the types of the module, as `Type::method`.
    pub of_traits: HashSet<String>,
    /// The functions of Riesz that functions of other modules are, by their names.
    pub texts: BTreeMap<String, String>,
    /// The functions among them that have rules.
    pub rules: BTreeMap<String, Rule>,
}

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
        counts: HashSet::new(),
        precision: signature.precision.unwrap_or_default(),
    };
    lower.function(signature, body)
}

pub(crate) struct Lower<'w> {
    world: &'w World,
    errors: &'w mut Errors,
    /// The tokens that places stand for.
    places: &'w mut Vec<TokenStream>,
    vars: Vec<Variable>,
    scopes: Vec<Vec<(String, VarId)>>,
    /// The blocks that are being written, the innermost last.
    blocks: Vec<Vec<Let>>,
    /// The names that have been given.
    taken: HashSet<Name>,
    next: u32,
    loops: Vec<LoopFrame>,
    /// The flag and the value of a `return` inside of a loop.
    returned: Option<(VarId, VarId)>,
    result: Ty,
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
    /// Names of integers that are not negative.
    counts: HashSet<Name>,
    /// How long real numbers are.
    precision: Precision,
}

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

/// What a name of the Rust function stands for.
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
}

/// A closure, with what its names mean.
#[derive(Clone)]
pub(crate) struct Closure {
    inputs: Vec<syn::Pat>,
    body: syn::Expr,
    scopes: Vec<Vec<(String, VarId)>>,
    /// The variables' values where it was made.
    captured: Vec<(Term, Ty)>,
}

/// A loop around the statement that is being lowered.
struct LoopFrame {
    label: Option<String>,
    /// Set by `break`.
    broken: Option<VarId>,
    /// Set by `continue`.
    continued: Option<VarId>,
}

/// A value of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    term: Term,
    ty: Ty,
    /// Where it lies, for elements that are handed out by `iter_mut` and for `&mut` expressions.
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
            self.counts.insert(size.clone());
        }
        for (size, generic) in signature.sizes.iter().zip(signature.generics.const_params()) {
            self.declare(&generic.ident.to_string(), Ty::Int(Integer::USIZE), Term::Name(size.clone()));
        }
        for parameter in &signature.parameters {
            self.taken.insert(parameter.name.clone());
            for length in &parameter.lengths {
                if let Term::Name(name) = length {
                    self.taken.insert(name.clone());
                    self.counts.insert(name.clone());
                }
            }
            if matches!(parameter.ty, Ty::Int(Integer { signed: false, .. })) {
                self.counts.insert(parameter.name.clone());
            }
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
                    self.refuse(pattern, "a `&mut` parameter must stay what it is", help);
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
        let mut results: Vec<Term> = outputs.iter().map(|output| self.vars[output.0].term.clone()).collect();
        if !value.is_unit() || results.is_empty() {
            results.insert(0, value.term);
        }
        let result = self.unless_broken(Term::tuple(results));
        let lets = self.blocks.pop().unwrap_or_default();
        Lowered { body: Block { lets, result }, checks: self.checks }
    }

    /// The type of real numbers.
    fn real(&self) -> &'static str {
        match self.precision {
            Precision::Double => "f64",
            Precision::Single => "f32",
        }
    }

    /// A name that nobody has yet.
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
        if self.is_count(&term) {
            self.counts.insert(name.clone());
        }
        self.emit(vec![name.clone()], term, place);
        Term::Name(name)
    }

    /// Whether an integer is surely not negative.
    fn is_count(&self, term: &Term) -> bool {
        match term {
            Term::Int(number) => *number >= 0,
            Term::Name(name) => self.counts.contains(name),
            Term::At(_, inner) => self.is_count(inner),
            Term::Binary("+" | "*", left, right) => self.is_count(left) && self.is_count(right),
            Term::Call(function, arguments) => match (&**function, &arguments[..]) {
                ("size", _) => true,
                ("max", [a, b]) => self.is_count(a) || self.is_count(b),
                ("min", [a, b]) | ("div", [a, b]) => self.is_count(a) && self.is_count(b),
                ("rust_integer", [_, least, _]) => self.is_count(least),
                ("rust_unsigned", _) => true,
                ("mod", [_, modulus]) => self.is_count(modulus),
                _ => false,
            },
            _ => false,
        }
    }

    /// A reduction, which gives `empty` where there is nothing to reduce.
    pub(crate) fn reduced(&self, reduction: &'static str, iteration: crate::term::Iteration, empty: Term) -> Term {
        if self.is_count(&iteration.count) {
            return Term::Reduce(reduction, iteration);
        }
        let some = Term::binary(">", (*iteration.count).clone(), Term::Int(0));
        let reduced = operator::alone(Term::Reduce(reduction, iteration));
        Term::If(some.into(), reduced.into(), operator::alone(empty).into())
    }

    /// An array, which is empty where its length is negative.
    pub(crate) fn built(&self, mut iteration: crate::term::Iteration) -> Term {
        if !self.is_count(&iteration.count) {
            iteration.count = Term::call("max", [*iteration.count, Term::Int(0)]).into();
        }
        Term::Build(iteration)
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
            (Ty::Array(a, _), Ty::Array(b, _)) => self.agrees(a, b),
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.agrees(a, b)),
            (a, b) => a == b,
        }
    }

    /// Something of a type, for a place where nobody looks at it.
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
            Ty::Array(..) | Ty::Unknown => {
                let help = "give the array its value before the branch or the loop, or use an array `[f64; N]`";
                self.refuse(at, "the length of this array is not known on every way to here", help);
                Term::Unset
            }
            Ty::Never | Ty::Error => Term::Unset,
        }
    }
}
