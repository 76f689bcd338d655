//! Written types, and the signatures of functions.
//!
//! In a signature, type variables and sizes are numbered parameters: `([n]t, Int) -> t` has one of each. A size is
//! passed to the function unless an `Int` argument already has its value.

use super::draft::{DEEPEST_TYPE, Draft};
use super::foreign;
use super::scope::Entry;
use super::{Checker, Resolved, UnitId};
use crate::size::{self, Size};
use crate::types::{Record, Type};
use riesz_syntax::tree::{self, BinaryOperator, Name, Parameter, PatternKind, SizeKind, TypeKind};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// How many parts a written type may have once its named types are expanded.
const LARGEST_TYPE: usize = 10_000;

/// The type of a function, over numbered types and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The type variables.
    pub types: Vec<Name>,
    /// The sizes.
    pub sizes: Vec<SizeParameter>,
    /// The parameters.
    pub parameters: Vec<Type>,
    /// The result.
    pub result: Type,
    /// Where the parameters are declared; empty for built-in functions.
    pub spans: Vec<Span>,
}

/// A size of a signature.
#[derive(Clone, Debug)]
pub(crate) struct SizeParameter {
    /// Its name; none for `_`.
    pub name: Option<Name>,
    /// The `Int` parameter that it is, if it is one.
    pub argument: Option<usize>,
}

/// Reads written types. What names of sizes and of type variables mean is up to the place.
struct Reader<'a> {
    checker: &'a Checker,
    unit: UnitId,
    place: &'a mut dyn TypeScope,
    /// The named types being expanded.
    expanding: Vec<Name>,
    parts: usize,
    depth: u32,
    too_large: bool,
    diagnostics: Vec<Diagnostic>,
}

/// The meanings of names in a written type.
trait TypeScope {
    fn size(&mut self, name: &Name, span: Span) -> Result<Size, Box<Diagnostic>>;
    fn hole(&mut self, in_function: bool) -> Size;
    fn variable(&mut self, name: &Name, span: Span) -> Result<Type, Box<Diagnostic>>;
}

impl<'a> Reader<'a> {
    fn new(checker: &'a Checker, unit: UnitId, place: &'a mut dyn TypeScope) -> Reader<'a> {
        Reader {
            checker,
            unit,
            place,
            expanding: Vec::new(),
            parts: 0,
            depth: 0,
            too_large: false,
            diagnostics: Vec::new(),
        }
    }

    fn ty(&mut self, ty: &tree::Type, bound: &[(Name, Size)], in_function: bool) -> Type {
        self.parts += 1;
        if self.parts >= LARGEST_TYPE || self.depth >= DEEPEST_TYPE {
            self.too_large = true;
            return Type::Error;
        }
        self.depth += 1;
        let read = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.parts_of(ty, bound, in_function));
        self.depth -= 1;
        if self.depth == 0 && self.too_large {
            let message = format!("this type has more than {LARGEST_TYPE} parts or {DEEPEST_TYPE} levels");
            let diagnostic = Diagnostic::error("type-too-large", ty.span, message);
            self.diagnostics.push(diagnostic.help("use an array instead of nested tuples"));
        }
        read
    }

    fn parts_of(&mut self, ty: &tree::Type, bound: &[(Name, Size)], in_function: bool) -> Type {
        match &ty.kind {
            TypeKind::Name(name, sizes) => self.named(name, sizes, ty.span, bound, in_function),
            TypeKind::Tuple(parts) => Type::Tuple(parts.iter().map(|part| self.ty(part, bound, in_function)).collect()),
            TypeKind::Array(size, element) => {
                let size = self.size(size, bound, in_function);
                Type::array(size, self.ty(element, bound, in_function))
            }
            TypeKind::Record(fields) => {
                let mut read: Vec<(Name, Type)> = Vec::with_capacity(fields.len());
                let mut seen = FxHashSet::default();
                for (name, ty) in fields {
                    let ty = self.ty(ty, bound, in_function);
                    if !seen.insert(&name.name) {
                        let message = format!("the field `{}` occurs twice in this type", name.name);
                        self.diagnostics.push(Diagnostic::error("duplicate-name", name.span, message));
                    } else {
                        read.push((name.name.clone(), ty));
                    }
                }
                Type::Record(Record::new(read))
            }
            TypeKind::Function(from, to) => Type::function(self.ty(from, bound, true), self.ty(to, bound, true)),
            TypeKind::Linear(from, to) => Type::Linear((self.ty(from, bound, true), self.ty(to, bound, true)).into()),
            TypeKind::Error => Type::Error,
        }
    }

    fn named(
        &mut self,
        name: &Name,
        sizes: &[tree::Size],
        span: Span,
        bound: &[(Name, Size)],
        in_function: bool,
    ) -> Type {
        let built_in = match &**name {
            "R" => Some(Type::Real),
            "Int" => Some(Type::Int),
            "Bool" => Some(Type::Bool),
            _ => None,
        };
        if let Some(ty) = built_in {
            if !sizes.is_empty() {
                self.diagnostics.push(
                    Diagnostic::error("wrong-sizes", span, format!("`{name}` takes no sizes"))
                        .help(format!("an array is written with its size in front: `[n]{name}`")),
                );
            }
            return ty;
        }
        if !name.chars().next().is_some_and(char::is_uppercase) {
            if !sizes.is_empty() {
                self.diagnostics.push(Diagnostic::error("wrong-sizes", span, "a type variable takes no sizes"));
            }
            return self.place.variable(name, span).unwrap_or_else(|diagnostic| {
                self.diagnostics.push(*diagnostic);
                Type::Error
            });
        }
        let Some((unit, parameters, body)) = self.checker.type_named(name) else {
            let known = self.checker.type_names();
            let diagnostic = Diagnostic::error("unknown-type", span, format!("there is no type `{name}`"));
            let nearest = super::suggest::nearest(name, known.iter().map(|name| &**name));
            self.diagnostics.push(match (foreign::type_meant(name), nearest) {
                (Some((what, meant)), _) => diagnostic.suggest(span, what, meant),
                (None, Some(meant)) => diagnostic.did_you_mean(span, meant),
                (None, None) => diagnostic.help(
                    "types are `R`, `Int`, `Bool`, arrays, tuples, records, functions, and those named by `type`",
                ),
            });
            return Type::Error;
        };
        if self.checker.wrong_types.contains(name) {
            return Type::Error;
        }
        if parameters.len() != sizes.len() {
            let takes = match parameters.len() {
                0 => "no sizes".to_string(),
                1 => "1 size".to_string(),
                several => format!("{several} sizes"),
            };
            let given = if sizes.is_empty() { "none".to_string() } else { sizes.len().to_string() };
            let diagnostic = Diagnostic::error("wrong-sizes", span, format!("`{name}` takes {takes}, {given} given"));
            self.diagnostics.push(match parameters.is_empty() {
                true => diagnostic.suggest(span, "write", &**name),
                false => {
                    let names: Vec<&str> = parameters.iter().map(|name| &**name).collect();
                    diagnostic.help(format!("write `{name}[{}]`, with a size for each", names.join(", ")))
                }
            });
            return Type::Error;
        }
        if self.expanding.contains(name) {
            let message = format!("the type `{name}` is defined in terms of itself");
            let diagnostic = Diagnostic::error("cyclic-type", span, message);
            self.diagnostics
                .push(diagnostic.help("the values of a type have one shape, so that types are not recursive"));
            return Type::Error;
        }
        let sizes: Vec<(Name, Size)> =
            (parameters.iter().cloned()).zip(sizes.iter().map(|size| self.size(size, bound, in_function))).collect();
        self.expanding.push(name.clone());
        let unit = std::mem::replace(&mut self.unit, unit);
        let expanded = self.ty(&body, &sizes, in_function);
        self.unit = unit;
        self.expanding.pop();
        expanded
    }

    fn size(&mut self, size: &tree::Size, bound: &[(Name, Size)], in_function: bool) -> Size {
        match &size.kind {
            SizeKind::Integer(value) => Size::Constant(*value),
            SizeKind::Hole => self.place.hole(in_function),
            SizeKind::Error => Size::Hole,
            SizeKind::Name(name) => match bound.iter().find(|(other, _)| other == name) {
                Some((_, size)) => size.clone(),
                None if !self.expanding.is_empty() => {
                    self.unbound_size(name, size.span, bound);
                    Size::Hole
                }
                None => self.place.size(name, size.span).unwrap_or_else(|diagnostic| {
                    self.diagnostics.push(*diagnostic);
                    Size::Hole
                }),
            },
            SizeKind::Binary(operator, left, right) => {
                let (left, right) = (self.size(left, bound, in_function), self.size(right, bound, in_function));
                let computed = match operator {
                    BinaryOperator::Add => left.add(&right),
                    BinaryOperator::Subtract => left.sub(&right),
                    _ => left.mul(&right),
                };
                computed.unwrap_or_else(|| {
                    self.diagnostics.push(Diagnostic::error(
                        "integer-too-large",
                        size.span,
                        "this size does not fit into 64 bits",
                    ));
                    Size::Hole
                })
            }
        }
    }
}

impl Reader<'_> {
    /// Says of the first size that a named type should have as a parameter that it has not, and what to write.
    fn unbound_size(&mut self, name: &Name, span: Span, bound: &[(Name, Size)]) {
        if self.diagnostics.iter().any(|diagnostic| diagnostic.code == "unknown-size") {
            return;
        }
        let Some(ty) = self.expanding.last() else { return };
        let mut parameters: Vec<Name> = bound.iter().map(|(name, _)| name.clone()).collect();
        let body = self.checker.type_named(ty).map(|(_, _, body)| super::needs::size_names(&body));
        for size in body.unwrap_or_default() {
            if !parameters.contains(&size) {
                parameters.push(size);
            }
        }
        let message = format!("the size `{name}` is not a parameter of the type `{ty}`");
        let help = format!("write `type {ty}[{}] = ...`", parameters.join(", "));
        self.diagnostics.push(Diagnostic::error("unknown-size", span, message).help(help));
    }
}

/// In a signature, names of sizes and type variables are bound by being written.
struct Header {
    types: Vec<Name>,
    sizes: Vec<SizeParameter>,
    /// The `Int` parameters.
    integers: Vec<(Name, usize)>,
    /// Whether the result is being read: then nothing more is bound.
    result: bool,
    /// Top-level `Int`s, which a result may name.
    globals: Vec<(Name, Size)>,
}

impl TypeScope for Header {
    fn size(&mut self, name: &Name, span: Span) -> Result<Size, Box<Diagnostic>> {
        if let Some(at) = self.sizes.iter().position(|size| size.name.as_ref() == Some(name)) {
            return Ok(Size::Atom(size::Atom::Parameter(at as u32)));
        }
        let argument = self.integers.iter().find(|(other, _)| other == name).map(|(_, at)| *at);
        if self.result && argument.is_none() {
            if let Some((_, size)) = self.globals.iter().find(|(other, _)| other == name) {
                return Ok(size.clone());
            }
            return Err(Box::new(
                Diagnostic::error("unknown-size", span, format!("the size `{name}` is bound nowhere"))
                    .help("a size is bound by the type of a parameter; write `_` if only the value determines it"),
            ));
        }
        self.sizes.push(SizeParameter { name: Some(name.clone()), argument });
        Ok(Size::Atom(size::Atom::Parameter(self.sizes.len() as u32 - 1)))
    }

    fn hole(&mut self, in_function: bool) -> Size {
        if self.result || in_function {
            return Size::Hole;
        }
        self.sizes.push(SizeParameter { name: None, argument: None });
        Size::Atom(size::Atom::Parameter(self.sizes.len() as u32 - 1))
    }

    fn variable(&mut self, name: &Name, _: Span) -> Result<Type, Box<Diagnostic>> {
        let at = self.types.iter().position(|other| other == name).unwrap_or_else(|| {
            self.types.push(name.clone());
            self.types.len() - 1
        });
        Ok(Type::Variable(at as u32))
    }
}

/// The signature of a function; the result is `None` where it is not written.
pub(crate) fn signature(
    checker: &Checker,
    unit: UnitId,
    parameters: &[Parameter],
    result: Option<&tree::Type>,
) -> (Signature, bool, Vec<Diagnostic>) {
    let integers = parameters
        .iter()
        .enumerate()
        .filter_map(|(at, parameter)| match (&parameter.pattern.kind, &parameter.ty.kind) {
            (PatternKind::Name(name), TypeKind::Name(ty, _)) if &**ty == "Int" => Some((name.clone(), at)),
            _ => None,
        })
        .collect();
    let globals = match result {
        Some(_) => checker.integer_globals(unit, result),
        None => Vec::new(),
    };
    let mut header = Header { types: Vec::new(), sizes: Vec::new(), integers, result: false, globals };
    let mut diagnostics = Vec::new();
    let mut read = |header: &mut Header, ty: &tree::Type| {
        let mut reader = Reader::new(checker, unit, header);
        let read = reader.ty(ty, &[], false);
        diagnostics.append(&mut reader.diagnostics);
        read
    };
    let types: Vec<Type> = parameters.iter().map(|parameter| read(&mut header, &parameter.ty)).collect();
    header.result = true;
    let read_result = result.map(|result| read(&mut header, result));
    let known = read_result.is_some();
    let spans = parameters.iter().map(|parameter| parameter.pattern.span.to(parameter.ty.span)).collect();
    let signature = Signature {
        types: header.types,
        sizes: header.sizes,
        parameters: types,
        result: read_result.unwrap_or(Type::Error),
        spans,
    };
    (signature, known, diagnostics)
}

/// Inside a function, names of sizes are `Int`s in scope.
struct FunctionSizes<'d, 'c> {
    draft: &'d Draft<'c>,
    unknown: &'d mut Vec<Size>,
    globals: &'d mut Vec<(Name, Span)>,
}

impl TypeScope for FunctionSizes<'_, '_> {
    fn size(&mut self, name: &Name, span: Span) -> Result<Size, Box<Diagnostic>> {
        match self.draft.lookup(name) {
            Some(Resolved::Local(Entry::Value(atom, ty)))
                if matches!(self.draft.resolve(&ty), Type::Int | Type::Number(_)) =>
            {
                Ok(self.draft.size_of(atom))
            }
            Some(Resolved::Item(item)) if matches!(self.draft.checker.global_of(item), Some((_, Type::Int))) => {
                let (global, _) = self.draft.checker.global_of(item).expect("just found");
                self.globals.push((name.clone(), span));
                Ok(match self.draft.checker.constant(global) {
                    Some(value) => Size::Constant(value),
                    None => Size::Atom(size::Atom::Global(global)),
                })
            }
            _ => Err(Box::new(
                Diagnostic::error("unknown-size", span, format!("the size `{name}` is not an `Int` in scope"))
                    .help("write `_` to have the size inferred from the value"),
            )),
        }
    }

    fn hole(&mut self, in_function: bool) -> Size {
        if in_function {
            return Size::Hole;
        }
        self.unknown.pop().unwrap_or(Size::Hole)
    }

    fn variable(&mut self, name: &Name, span: Span) -> Result<Type, Box<Diagnostic>> {
        match self.draft.type_arguments.iter().find(|(other, _)| other == name) {
            Some((_, ty)) => Ok(ty.clone()),
            None => {
                let message = format!("the type variable `{name}` is not bound here");
                let diagnostic = Diagnostic::error("unknown-type", span, message);
                Err(Box::new(match foreign::type_meant(name) {
                    Some((what, meant)) => diagnostic.suggest(span, what, meant),
                    None => diagnostic.help("type variables are bound by the parameters of the `fun`; names of types start with a capital letter"),
                }))
            }
        }
    }
}

impl Draft<'_> {
    /// A written type inside a function.
    pub fn annotation(&mut self, ty: &tree::Type) -> Type {
        let holes = count_holes(ty);
        let mut unknown: Vec<Size> = (0..holes).map(|_| self.unknowns.size()).collect();
        let mut place = FunctionSizes { draft: self, unknown: &mut unknown, globals: &mut Vec::new() };
        let mut reader = Reader::new(self.checker, self.unit, &mut place);
        let read = reader.ty(ty, &[], false);
        let diagnostics = reader.diagnostics;
        diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        read
    }
}

/// How many sizes a written type leaves open.
fn count_holes(ty: &tree::Type) -> usize {
    fn in_size(size: &tree::Size) -> usize {
        match &size.kind {
            SizeKind::Hole => 1,
            SizeKind::Binary(_, left, right) => in_size(left) + in_size(right),
            _ => 0,
        }
    }
    match &ty.kind {
        TypeKind::Name(_, sizes) => sizes.iter().map(in_size).sum(),
        TypeKind::Array(size, element) => in_size(size) + count_holes(element),
        TypeKind::Tuple(parts) => parts.iter().map(count_holes).sum(),
        TypeKind::Record(fields) => fields.iter().map(|(_, ty)| count_holes(ty)).sum(),
        TypeKind::Function(from, to) | TypeKind::Linear(from, to) => count_holes(from) + count_holes(to),
        TypeKind::Error => 0,
    }
}

impl Checker {
    /// The signature in a row of the table of primitives.
    pub(crate) fn primitive_signature(
        &mut self,
        primitive: &'static riesz_primitive::Primitive,
        at: usize,
    ) -> Rc<Signature> {
        let key = (primitive.name, at);
        if let Some(signature) = self.primitive_signatures.get(&key) {
            return signature.clone();
        }
        let text = primitive.signatures[at];
        let (parameters, result) = riesz_syntax::parse_signature(super::PRELUDE_FILE, text).unwrap_or_else(|_| {
            panic!("the signature of `{}` in the table of primitives is well-formed: {text}", primitive.name)
        });
        let (mut signature, _, _) = signature(self, UnitId(0), &parameters, result.as_ref());
        signature.spans.clear();
        let signature = Rc::new(signature);
        self.primitive_signatures.insert(key, signature.clone());
        signature
    }
}
