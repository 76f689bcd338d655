//! Expressions: from tree to draft.

use super::arithmetic::{Typed, is_number};
use super::call::Callable;
use super::draft::Draft;
use super::scope::Entry;
use super::suggest::nearest;
use super::{Found, UnitId};
use crate::size::{self, Size};
use crate::term::{Atom, Comparison, Iteration, Op, Turn};
use crate::types::{Record, Type};
use riesz_primitive::Kind;
use riesz_syntax::tree::{
    BinaryOperator, ExprId, ExprKind, Field, Generator, Ident, Integer, LetBinding, Name, Pattern, PatternKind, Turns,
    UnaryOperator,
};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// How close `~=` is, unless `within` says otherwise.
const TOLERANCE: f64 = 1e-9;

impl Draft<'_> {
    /// An expression, used where the type `hint` is expected, if anything is.
    pub fn expr(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_here(id, hint))
    }

    /// An expression that must be of a type.
    pub fn expr_of(&mut self, id: ExprId, expected: &Type) -> Atom {
        let (atom, ty) = self.expr(id, Some(expected));
        let span = value_span(&self.tree(), id);
        self.flow(atom, &ty, expected, span)
    }

    fn expr_here(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        let tree = self.tree();
        let expr = tree.expr(id);
        let span = expr.span;
        if self.gives_up() {
            return (Atom::Int(0), Type::Error);
        }
        match &expr.kind {
            ExprKind::Integer(integer) => self.integer(*integer, hint, span),
            ExprKind::Real(value) => (Atom::Real(*value), Type::Real),
            ExprKind::Bool(value) => (Atom::Bool(*value), Type::Bool),
            ExprKind::Name(name) => self.name(name, hint, span),
            ExprKind::Paren(inner) | ExprKind::Block(inner) => {
                let outside = self.scope.clone();
                self.scope = outside.inner();
                let value = self.expr(*inner, hint);
                self.scope = outside;
                value
            }
            ExprKind::Tuple(parts) => self.tuple(parts, hint, span),
            ExprKind::Array(elements) => self.array(elements, hint, span),
            ExprKind::Comprehension { body, generators } => self.comprehension(*body, generators, hint, span),
            ExprKind::Record(fields) => self.record(fields, hint, span),
            ExprKind::Let { bindings, body } => {
                let outside = self.scope.clone();
                self.scope = outside.inner();
                for binding in bindings {
                    self.let_binding(binding);
                }
                let value = self.expr(*body, hint);
                self.scope = outside;
                value
            }
            ExprKind::Lambda { .. } => {
                let callable =
                    Rc::new(Callable::Lambda { unit: self.unit, lambda: id, scope: self.scope.clone(), ty: None });
                self.function_value(callable, hint, span)
            }
            ExprKind::If { condition, yes, no } => {
                let condition = self.expr_of(*condition, &Type::Bool);
                let branch = |id: ExprId| move |draft: &mut Self| draft.expr(id, hint);
                let places = (value_span(&tree, *yes), value_span(&tree, *no));
                self.conditional(condition, branch(*yes), branch(*no), places, span)
            }
            ExprKind::Loop { pattern, start, turns, body } => self.a_loop(pattern, *start, turns, *body, hint, span),
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let operand = self.expr_of(*operand, &Type::Bool);
                (self.bind(Op::Not(operand), Type::Bool, span), Type::Bool)
            }
            ExprKind::Unary { operator: UnaryOperator::Negate, operand } => match &tree.expr(*operand).kind {
                ExprKind::Integer(Integer { value: Some(value), .. }) if *value == 1 << 63 => {
                    let ty = self.unknowns.number();
                    (self.bind(Op::Copy(Atom::Int(i64::MIN)), ty.clone(), span), ty)
                }
                _ => {
                    let value = self.expr(*operand, hint);
                    self.negate(value, span)
                }
            },
            ExprKind::Binary { .. } => self.binary(id, hint),
            ExprKind::Approximately { left, right, tolerance } => {
                let compared = self.compared(*left, *right, "~=", span);
                let tolerance = match tolerance {
                    Some(tolerance) => self.expr_of(*tolerance, &Type::Real),
                    None => Atom::Real(TOLERANCE),
                };
                match compared {
                    Some((left, right, _)) => {
                        (self.bind(Op::Near(left, right, tolerance), Type::Bool, span), Type::Bool)
                    }
                    None => (Atom::Int(0), Type::Bool),
                }
            }
            ExprKind::Call { .. } => {
                if let Some(callable) = self.callable(id) {
                    return self.function_value(callable, hint, span);
                }
                self.call_expr(id, &mut std::iter::empty(), hint)
            }
            ExprKind::Index { array, indices } => {
                let mut value = self.expr(*array, None);
                for &index in indices {
                    value = self.index(value, index, tree.expr(*array).span, span);
                }
                value
            }
            ExprKind::Field { of, field, field_span } => {
                let value = self.expr(*of, None);
                self.field(value, field, *field_span)
            }
            ExprKind::Error => (Atom::Int(0), Type::Error),
        }
    }

    // ---- literals and names ----

    fn integer(&mut self, integer: Integer, hint: Option<&Type>, span: Span) -> Typed {
        if integer.real.is_infinite() {
            let diagnostic = Diagnostic::error("number-too-large", span, "this number is beyond every `R`");
            return self.fail(diagnostic.suggest(span, "infinity is written `inf`", "inf"));
        }
        if let Some(Type::Real) = hint.map(|hint| self.resolve(hint)) {
            return (Atom::Real(integer.real), Type::Real);
        }
        match integer.value.and_then(|value| i64::try_from(value).ok()) {
            Some(value) => {
                let ty = self.unknowns.number();
                (self.bind(Op::Copy(Atom::Int(value)), ty.clone(), span), ty)
            }
            None if matches!(hint.map(|hint| self.resolve(hint)), Some(Type::Int)) => self.fail(
                Diagnostic::error("integer-too-large", span, "this integer does not fit into 64 bits")
                    .help("an `Int` is needed here, and the largest is 9223372036854775807"),
            ),
            None => (Atom::Real(integer.real), Type::Real),
        }
    }

    fn name(&mut self, name: &Name, hint: Option<&Type>, span: Span) -> Typed {
        match self.lookup(name) {
            Some(Found::Local(Entry::Value(atom, ty))) => (atom, ty),
            Some(Found::Local(Entry::Callable(callable))) => self.function_value(callable, hint, span),
            Some(Found::Local(Entry::Data(data))) => self.data(data, hint, span),
            Some(Found::Item(item)) => match self.checker.global_of(item) {
                Some((global, ty)) => {
                    let ty = ty.clone();
                    let value = self.bind(Op::Global(global), ty.clone(), span);
                    self.read_sizes(value, ty, span)
                }
                None => self.item_value(item, hint, span),
            },
            Some(Found::Primitive(primitive)) => match primitive.kind {
                Kind::Constant(value) => (Atom::Real(value), Type::Real),
                _ => self.function_value(Rc::new(Callable::Primitive(primitive)), hint, span),
            },
            None => self.unknown_name(name, span),
        }
    }

    /// What a name means here.
    pub fn lookup(&self, name: &str) -> Option<Found> {
        match self.scope.find(name) {
            Some(entry) => Some(Found::Local(entry)),
            None => self.checker.find(self.unit, name),
        }
    }

    pub fn unknown_name(&mut self, name: &Name, span: Span) -> Typed {
        let local = self.scope.names();
        let known: Vec<Name> = local.into_iter().chain(self.checker.names(self.unit)).collect();
        let diagnostic = Diagnostic::error("unknown-name", span, format!("`{name}` is not defined"));
        let diagnostic = match nearest(name, known.iter().map(|name| &**name)) {
            Some(meant) => diagnostic.here("not found").suggest(span, "did you mean", meant),
            None => match foreign(name) {
                Some(help) => diagnostic.here("not found").help(help),
                None => diagnostic.here("not found in this scope"),
            },
        };
        self.fail(diagnostic)
    }

    // ---- structures ----

    fn tuple(&mut self, parts: &[ExprId], hint: Option<&Type>, span: Span) -> Typed {
        let hints = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Tuple(hints)) if hints.len() == parts.len() => hints.to_vec(),
            _ => Vec::new(),
        };
        let (mut atoms, mut types) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        for (at, &part) in parts.iter().enumerate() {
            let (atom, ty) = self.expr(part, hints.get(at));
            atoms.push(atom);
            types.push(ty);
        }
        let ty = Type::Tuple(types.into());
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    fn record(&mut self, fields: &[(Ident, ExprId)], hint: Option<&Type>, span: Span) -> Typed {
        let hints = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Record(record)) => Some(record),
            _ => None,
        };
        let mut seen: Vec<(&Ident, Typed)> = Vec::with_capacity(fields.len());
        let mut names = FxHashSet::default();
        for (name, value) in fields {
            let hint = hints.as_ref().and_then(|record| Some(&record.fields[record.position(&name.name)?].1));
            let value = self.expr(*value, hint);
            if !names.insert(&name.name) {
                self.report(Diagnostic::error(
                    "duplicate-name",
                    name.span,
                    format!("the field `{}` is given twice", name.name),
                ));
                continue;
            }
            seen.push((name, value));
        }
        let record = Record::new(seen.iter().map(|(name, (_, ty))| (name.name.clone(), ty.clone())).collect());
        seen.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let atoms = seen.iter().map(|(_, (atom, _))| *atom).collect();
        let ty = Type::Record(record);
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    fn array(&mut self, elements: &[ExprId], hint: Option<&Type>, span: Span) -> Typed {
        let element_hint = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Array(_, element)) => Some((*element).clone()),
            _ => None,
        };
        let tree = self.tree();
        if let Some(literals) = elements.iter().map(|&element| literal(&tree, element)).collect::<Option<Vec<_>>>()
            && !literals.is_empty()
        {
            return self.array_of_literals(literals, element_hint, span);
        }
        let mut joined = None;
        let mut values = Vec::with_capacity(elements.len());
        for &element in elements {
            let mut value = self.expr(element, element_hint.as_ref());
            let place = tree.expr(element).span;
            joined = Some(match joined {
                None => value.1.clone(),
                Some(joined) => match self.join(&joined, &value.1, place) {
                    Ok(joined) => joined,
                    Err(mismatch) => {
                        let first = tree.expr(elements[0]).span;
                        let shown = self.show(&joined);
                        let diagnostic = self
                            .mismatch(mismatch.swapped(), &value.1, &joined, place)
                            .label(first, format!("the elements before are {shown}"))
                            .help("all elements of an array have one type and one size");
                        self.report(diagnostic);
                        value.1 = Type::Error;
                        joined
                    }
                },
            });
            values.push((value, place));
        }
        let element = match joined {
            Some(joined) => joined,
            None => element_hint.unwrap_or_else(|| self.unknowns.ty()),
        };
        let atoms: Vec<Atom> =
            (values.into_iter()).map(|((atom, ty), place)| self.flow(atom, &ty, &element, place)).collect();
        let ty = Type::array(Size::Constant(atoms.len() as i64), element);
        (self.bind(Op::Array(atoms), ty.clone(), span), ty)
    }

    /// Tables of numbers can be long: their elements need no variables.
    fn array_of_literals(&mut self, mut literals: Vec<Atom>, hint: Option<Type>, span: Span) -> Typed {
        let real = literals.iter().any(|literal| matches!(literal, Atom::Real(_)));
        let element = match hint.map(|hint| self.resolve(&hint)) {
            _ if real => Type::Real,
            Some(Type::Real) => Type::Real,
            _ => self.unknowns.number(),
        };
        if element == Type::Real {
            literals.iter_mut().for_each(make_real);
        }
        let ty = Type::array(Size::Constant(literals.len() as i64), element);
        (self.bind(Op::Array(literals), ty.clone(), span), ty)
    }

    fn comprehension(&mut self, body: ExprId, generators: &[Generator], hint: Option<&Type>, span: Span) -> Typed {
        let element_hint = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Array(_, element)) => Some((*element).clone()),
            _ => None,
        };
        let (iteration, size, element) = self.iterate(&generators[0], span, |draft| match &generators[1..] {
            [] => draft.expr(body, element_hint.as_ref()),
            rest => draft.comprehension(body, rest, element_hint.as_ref(), span),
        });
        self.built(iteration, size, element, span)
    }

    /// The array of an iteration.
    pub fn built(&mut self, iteration: Iteration, size: Size, element: Type, span: Span) -> Typed {
        let ty = Type::array(size, element);
        let built = self.bind(Op::Build(iteration), ty.clone(), span);
        self.read_sizes(built, ty, span)
    }

    /// A body for each element of a generator: the iteration, its size and the type of the body as seen from outside.
    pub fn iterate(
        &mut self,
        generator: &Generator,
        span: Span,
        body: impl FnOnce(&mut Self) -> Typed,
    ) -> (Iteration, Size, Type) {
        let (count, size, array) = self.generator_source(generator);
        self.open();
        let index = self.var(Type::Int, None);
        let outside = self.scope.clone();
        self.scope = outside.inner();
        self.bind_generated(generator, index, array);
        let (result, ty) = body(self);
        self.scope = outside;
        let body = self.close(result);
        self.reject_ragged(&ty, index, span);
        (Iteration { count, index, body }, size, self.leave(&ty))
    }

    /// What a generator runs over: how many, that as a size, and the array, if there is one.
    fn generator_source(&mut self, generator: &Generator) -> (Atom, Size, Option<Typed>) {
        match generator {
            Generator::Below { bound, .. } => {
                let count = self.expr_of(*bound, &Type::Int);
                (count, self.size_of(count), None)
            }
            Generator::Each { array, .. } => {
                let span = self.tree().expr(*array).span;
                let (atom, ty) = self.expr(*array, None);
                let (size, element) = self.array_type(&ty, span, "a generator runs over the elements of an array");
                let ty = Type::array(size.clone(), element);
                (self.length(atom, &ty, span), size, Some((atom, ty)))
            }
        }
    }

    /// Binds the names of a generator for one index.
    fn bind_generated(&mut self, generator: &Generator, index: crate::term::Var, array: Option<Typed>) {
        match (generator, array) {
            (Generator::Each { pattern, .. }, Some((array, ty))) => {
                let element = match ty {
                    Type::Array(_, element) => (*element).clone(),
                    _ => Type::Error,
                };
                let value = self.bind(Op::Index(array, Atom::Var(index)), element.clone(), pattern.span);
                self.bind_pattern(pattern, (value, element));
            }
            (Generator::Below { index: name, .. }, _) => {
                self.vars[index.0 as usize].name = Some(name.name.clone());
                self.scope.bind(name.name.clone(), Entry::Value(Atom::Var(index), Type::Int));
            }
            (Generator::Each { .. }, None) => {}
        }
    }

    /// Elements whose size depends on their index make no array.
    fn reject_ragged(&mut self, element: &Type, index: crate::term::Var, span: Span) {
        let mut depends = false;
        self.resolve_deep(element).map_sizes(&mut |size| {
            depends |= size.atoms().contains(&size::Atom::Var(index));
            size.clone()
        });
        if depends {
            self.report(
                Diagnostic::error("ragged-array", span, "the elements of this array would differ in size")
                    .help("an array is rectangular: an inner bound may depend on an outer index only under a sum or another reduction"),
            );
        }
    }

    /// The size and element type of an array.
    pub fn array_type(&mut self, ty: &Type, span: Span, needed: &str) -> (Size, Type) {
        if matches!(self.resolve(ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        match self.resolve(ty) {
            Type::Array(size, element) => (self.resolve_size(&size), (*element).clone()),
            Type::Error => (Size::Constant(0), Type::Error),
            unknown @ Type::Unknown(_) => {
                let (size, element) = (self.unknowns.size(), self.unknowns.ty());
                let _ = self.unify(&unknown, &Type::array(size.clone(), element.clone()), span);
                (size, element)
            }
            other => {
                let shown = self.show(&other);
                let diagnostic = Diagnostic::error("not-an-array", span, format!("expected an array, found {shown}"))
                    .here(format!("this is {shown}"))
                    .help(needed);
                self.report(diagnostic);
                (Size::Constant(0), Type::Error)
            }
        }
    }

    fn index(&mut self, (array, ty): Typed, index: ExprId, array_span: Span, span: Span) -> Typed {
        let (_, element) =
            self.array_type(&ty, array_span, "only arrays are indexed with `[ ]`; fields are taken with `.`");
        let place = self.tree().expr(index).span;
        let (at, index_ty) = self.expr(index, Some(&Type::Int));
        let at = self.flow_or(at, &index_ty, &Type::Int, place, |draft, mismatch| {
            draft.mismatch(mismatch, &index_ty, &Type::Int, place).help("an index is an `Int`")
        });
        if element == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        (self.bind(Op::Index(array, at), element.clone(), span), element)
    }

    fn field(&mut self, (value, ty): Typed, field: &Field, span: Span) -> Typed {
        if matches!(self.resolve(&ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        let ty = self.resolve(&ty);
        let mut meant = None;
        let position = match (&ty, field) {
            (Type::Error, _) => return (Atom::Int(0), Type::Error),
            (Type::Tuple(parts), Field::Position(at)) if (*at as usize) < parts.len() => Ok(*at as usize),
            (Type::Tuple(parts), Field::Position(_)) => Err(match parts.len() {
                0 => "`()` has no fields".to_string(),
                fields => format!("the fields of this tuple are .0 to .{}", fields - 1),
            }),
            (Type::Record(record), Field::Name(name)) => record.position(name).ok_or_else(|| {
                let names: Vec<&str> = record.shown.iter().map(|&at| &*record.fields[at as usize].0).collect();
                meant = nearest(name, names.iter().copied()).map(str::to_string);
                format!("its fields are {}", names.join(", "))
            }),
            (Type::Record(_), Field::Position(_)) => Err("the fields of a record are taken by name".to_string()),
            (Type::Array(..), Field::Position(at)) => Err(format!("elements of an array are taken with `[{at}]`")),
            (Type::Unknown(_), _) => {
                Err("its type is not known here: write it, as in `let x: (R, R) = ...`".to_string())
            }
            _ => Err("only tuples and records have fields".to_string()),
        };
        match position {
            Ok(at) => {
                let part = match &ty {
                    Type::Record(record) => record.fields[at].1.clone(),
                    Type::Tuple(parts) => parts[at].clone(),
                    _ => Type::Error,
                };
                (self.bind(Op::Project(value, at), part.clone(), span), part)
            }
            Err(help) => {
                let field = match field {
                    Field::Position(at) => at.to_string(),
                    Field::Name(name) => name.to_string(),
                };
                let message = format!("{} has no field `{field}`", self.show(&ty));
                let diagnostic = Diagnostic::error("unknown-field", span, message);
                self.fail(match meant {
                    Some(meant) => diagnostic.suggest(span, "did you mean", meant),
                    None => diagnostic.help(help),
                })
            }
        }
    }

    // ---- bindings ----

    fn let_binding(&mut self, binding: &LetBinding) {
        let annotation = binding.annotation.as_ref().map(|ty| self.annotation(ty));
        if let (PatternKind::Name(name), None) = (&binding.pattern.kind, &annotation)
            && let Some(callable) = self.callable(binding.value)
        {
            self.scope.bind(name.clone(), Entry::Callable(callable));
            return;
        }
        let value = match annotation {
            Some(ty) => (self.expr_of(binding.value, &ty), ty),
            None => self.expr(binding.value, None),
        };
        self.bind_pattern(&binding.pattern, value);
    }

    /// Binds the names of a pattern to the parts of a value.
    pub fn bind_pattern(&mut self, pattern: &Pattern, value: Typed) {
        self.bind_parts(pattern, value, &mut FxHashSet::default());
    }

    fn bind_parts<'p>(&mut self, pattern: &'p Pattern, (atom, ty): Typed, seen: &mut FxHashSet<&'p Name>) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                if !seen.insert(name) {
                    let message = format!("`{name}` is bound twice in one pattern");
                    self.report(Diagnostic::error("duplicate-name", pattern.span, message));
                }
                if let Atom::Var(var) = atom {
                    self.vars[var.0 as usize].name.get_or_insert_with(|| name.clone());
                }
                self.scope.bind(name.clone(), Entry::Value(atom, ty));
            }
            PatternKind::Wildcard | PatternKind::Error => {}
            PatternKind::Tuple(parts) => {
                if matches!(self.resolve(&ty), Type::Unknown(_)) {
                    self.force_postponed();
                }
                if let unknown @ Type::Unknown(_) = self.resolve(&ty) {
                    let tuple = Type::Tuple(parts.iter().map(|_| self.unknowns.ty()).collect());
                    let _ = self.unify(&unknown, &tuple, pattern.span);
                }
                let values = match self.resolve(&ty) {
                    Type::Tuple(types) if types.len() == parts.len() => self.parts((atom, ty), pattern.span),
                    Type::Error => parts.iter().map(|_| (Atom::Int(0), Type::Error)).collect(),
                    other => {
                        let shown = self.show(&other);
                        let message = format!("a pattern of {} parts cannot match {shown}", parts.len());
                        let diagnostic = Diagnostic::error("pattern-mismatch", pattern.span, message)
                            .here(format!("the value is {shown}"));
                        self.report(match other {
                            Type::Array(..) => {
                                diagnostic.help("only tuples are taken apart; elements are `v[0]`, `v[1]`")
                            }
                            Type::Record(_) => diagnostic.help("only tuples are taken apart; fields are `r.x`, `r.y`"),
                            Type::Tuple(_) => diagnostic.help("write `_` for parts that are not needed"),
                            _ => diagnostic.help("only tuples are taken apart"),
                        });
                        parts.iter().map(|_| (Atom::Int(0), Type::Error)).collect()
                    }
                };
                for (part, value) in parts.iter().zip(values) {
                    self.bind_parts(part, value, seen);
                }
            }
        }
    }

    // ---- control ----

    /// `if condition then yes else no`
    pub fn conditional(
        &mut self,
        condition: Atom,
        yes: impl FnOnce(&mut Self) -> Typed,
        no: impl FnOnce(&mut Self) -> Typed,
        places: (Span, Span),
        span: Span,
    ) -> Typed {
        let (yes, a) = self.branch(yes);
        let (no, b) = self.branch(no);
        let joined = match self.join_either(&a, &b, span) {
            Ok(joined) => joined,
            Err(mismatch) => {
                let diagnostic = self.mismatch(mismatch.swapped(), &b, &a, places.1);
                let diagnostic = diagnostic.label(places.0, format!("this is {}", self.show(&a)));
                return self.fail(diagnostic.help("both branches of an `if` have one type and one size"));
            }
        };
        let (yes, no) = (self.convert_result(yes, &a, &joined, span), self.convert_result(no, &b, &joined, span));
        let value = self.bind(Op::If { condition, yes, no }, joined.clone(), span);
        self.read_sizes(value, joined, span)
    }

    fn branch(&mut self, branch: impl FnOnce(&mut Self) -> Typed) -> (crate::term::Body, Type) {
        self.open();
        let outside = self.scope.clone();
        self.scope = outside.inner();
        let (result, ty) = branch(self);
        self.scope = outside;
        let body = self.close(result);
        (body, self.leave(&ty))
    }

    fn convert_result(&mut self, body: crate::term::Body, from: &Type, to: &Type, span: Span) -> crate::term::Body {
        let result = body.result;
        self.reopen(body);
        let result = self.flow(result, from, to, span);
        self.close(result)
    }

    fn a_loop(
        &mut self,
        pattern: &Pattern,
        start: ExprId,
        turns: &Turns,
        body: ExprId,
        hint: Option<&Type>,
        span: Span,
    ) -> Typed {
        let start_span = self.tree().expr(start).span;
        let start = self.expr(start, hint);
        let body_span = value_span(&self.tree(), body);
        let next = |draft: &mut Self, state: Typed| {
            draft.bind_pattern(pattern, state);
            draft.expr(body, None)
        };
        match turns {
            Turns::For(generator) => {
                let (count, _, array) = self.generator_source(generator);
                let (turn, ty) = self.turns(start, start_span, count, body_span, |draft, state, index| {
                    draft.bind_generated(generator, index, array);
                    next(draft, state)
                });
                (self.bind(Op::Loop(turn), ty.clone(), span), ty)
            }
            Turns::While(condition) => {
                let (start, ty) = self.loop_start(start, start_span);
                self.open();
                let state = self.var(ty.clone(), None);
                let outside = self.scope.clone();
                self.scope = outside.inner();
                self.bind_pattern(pattern, (Atom::Var(state), ty.clone()));
                let holds = self.expr_of(*condition, &Type::Bool);
                let condition = self.close(holds);
                self.scope = outside.inner();
                self.open();
                self.adopt(state);
                let mistakes = self.diagnostics.len();
                let result = next(self, (Atom::Var(state), ty.clone()));
                let result = self.loop_result(result, &ty, body_span, start_span, mistakes);
                let body = self.close(result);
                self.scope = outside;
                (self.bind(Op::While { state, start, condition, body }, ty.clone(), span), ty)
            }
        }
    }

    /// The turns of a loop over a state that may start as an `Int` and turn out to be an `R`.
    pub fn turns(
        &mut self,
        start: Typed,
        start_span: Span,
        count: Atom,
        body_span: Span,
        next: impl FnOnce(&mut Self, Typed, crate::term::Var) -> Typed,
    ) -> (Turn, Type) {
        let (start, ty) = self.loop_start(start, start_span);
        self.open();
        let state = self.var(ty.clone(), None);
        let index = self.var(Type::Int, None);
        let outside = self.scope.clone();
        self.scope = outside.inner();
        let mistakes = self.diagnostics.len();
        let result = next(self, (Atom::Var(state), ty.clone()), index);
        let result = self.loop_result(result, &ty, body_span, start_span, mistakes);
        let body = self.close(result);
        self.scope = outside;
        (Turn { state, start, count, index, body }, ty)
    }

    fn loop_start(&mut self, (start, ty): Typed, span: Span) -> Typed {
        let loose = self.loosen(&ty);
        (self.flow(start, &ty, &loose, span), loose)
    }

    /// `mistakes`: how many there were before the body; one more in it may have spoilt the type of its result.
    fn loop_result(
        &mut self,
        (result, from): Typed,
        state: &Type,
        span: Span,
        start_span: Span,
        mistakes: usize,
    ) -> Atom {
        if self.diagnostics.len() > mistakes {
            return result;
        }
        self.flow_or(result, &from, state, span, |draft, mismatch| {
            let shown = draft.show(state);
            draft
                .mismatch(mismatch, &from, state, span)
                .label(start_span, format!("the loop starts with {shown}"))
                .help("the type and size of a loop's state stay the same from turn to turn")
        })
    }

    // ---- operators ----

    /// A chain of operators, which may be as long as the file, from the left.
    fn binary(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        let tree = self.tree();
        let mut chain = Vec::new();
        let mut leftmost = id;
        while let ExprKind::Binary { left, .. } = &tree.expr(leftmost).kind {
            chain.push(leftmost);
            leftmost = *left;
        }
        let arithmetic = |operator: &BinaryOperator| {
            use BinaryOperator::*;
            matches!(operator, Add | Subtract | Multiply | Divide | Power)
        };
        // A hint of R makes literals real from the start.
        let hint = hint.map(|hint| self.resolve(hint)).filter(|hint| *hint == Type::Real);
        let inner_hint = |operator: &BinaryOperator| if arithmetic(operator) { hint.as_ref() } else { None };
        let ExprKind::Binary { operator: first, .. } = &tree.expr(chain[chain.len() - 1]).kind else {
            return (Atom::Int(0), Type::Error);
        };
        let first_hint = if chain.len() == 1 && *first == BinaryOperator::Power { None } else { inner_hint(first) };
        let mut value = self.expr(leftmost, first_hint);
        for &link in chain.iter().rev() {
            let ExprKind::Binary { operator, left, right, .. } = &tree.expr(link).kind else { continue };
            let span = tree.expr(link).span;
            value = match operator {
                BinaryOperator::And | BinaryOperator::Or => {
                    let left_span = tree.expr(*left).span;
                    let condition = self.flow(value.0, &value.1, &Type::Bool, left_span);
                    let rest = |draft: &mut Self| (draft.expr_of(*right, &Type::Bool), Type::Bool);
                    if *operator == BinaryOperator::And {
                        self.conditional(condition, rest, |_| (Atom::Bool(false), Type::Bool), (span, span), span)
                    } else {
                        self.conditional(condition, |_| (Atom::Bool(true), Type::Bool), rest, (span, span), span)
                    }
                }
                BinaryOperator::Equal | BinaryOperator::NotEqual => {
                    let right = self.expr(*right, None);
                    let sign = if *operator == BinaryOperator::Equal { "==" } else { "!=" };
                    let same = match self.compared_values(value, right, sign, span) {
                        Some((left, right, _)) => self.bind(Op::Same(left, right), Type::Bool, span),
                        None => Atom::Int(0),
                    };
                    match operator {
                        BinaryOperator::Equal => (same, Type::Bool),
                        _ => (self.bind(Op::Not(same), Type::Bool, span), Type::Bool),
                    }
                }
                BinaryOperator::Less => self.comparison(Comparison::Less, value, *right, span),
                BinaryOperator::LessEqual => self.comparison(Comparison::LessEqual, value, *right, span),
                BinaryOperator::Greater => self.comparison(Comparison::Greater, value, *right, span),
                BinaryOperator::GreaterEqual => self.comparison(Comparison::GreaterEqual, value, *right, span),
                _ => {
                    let power = *operator == BinaryOperator::Power;
                    let literal = power && is_integer_literal(&tree, *right);
                    let right = self.expr(*right, if power { None } else { inner_hint(operator) });
                    self.arithmetic(*operator, value, right, literal, span)
                }
            };
        }
        value
    }

    fn comparison(&mut self, comparison: Comparison, left: Typed, right: ExprId, span: Span) -> Typed {
        let right = self.expr(right, None);
        self.compare(comparison, left, right, span)
    }

    /// Both sides of an equation, at one type.
    pub fn compared(&mut self, left: ExprId, right: ExprId, sign: &str, span: Span) -> Option<(Atom, Atom, Type)> {
        let left = self.expr(left, None);
        let hint = Some(left.1.clone()).filter(|ty| !is_number(ty));
        let right = self.expr(right, hint.as_ref());
        self.compared_values(left, right, sign, span)
    }

    fn compared_values(&mut self, left: Typed, right: Typed, sign: &str, span: Span) -> Option<(Atom, Atom, Type)> {
        let joined = match self.join(&left.1, &right.1, span) {
            Ok(joined) => joined,
            Err(mismatch) => {
                let diagnostic = self.differ(mismatch, &left.1, &right.1, sign, span);
                self.report(diagnostic);
                return None;
            }
        };
        let resolved = self.resolve_deep(&joined);
        if resolved == Type::Error {
            return None;
        }
        if resolved.any(&mut |part| matches!(part, Type::Function(_) | Type::Linear(_))) {
            let shown = self.show(&resolved);
            let (what, help) = match resolved {
                Type::Linear(_) => ("linear maps", "compare their matrices: `matrix(m)`"),
                _ => ("functions", "compare their values at a point"),
            };
            self.report(
                Diagnostic::error("not-comparable", span, format!("`{sign}` does not compare {what}"))
                    .here(format!("both sides are {shown}"))
                    .help(help),
            );
            return None;
        }
        let (left, right) = (self.flow(left.0, &left.1, &joined, span), self.flow(right.0, &right.1, &joined, span));
        Some((left, right, joined))
    }

    /// What a `check` tests: the condition, and both sides of an equation, to show when it fails.
    pub fn condition(&mut self, id: ExprId) -> (Atom, Option<(Atom, Atom, Type)>) {
        let tree = self.tree();
        let span = tree.expr(id).span;
        match &tree.expr(id).kind {
            ExprKind::Paren(inner) => self.condition(*inner),
            ExprKind::Binary { operator: BinaryOperator::Equal, left, right, .. } => {
                let sides = self.compared(*left, *right, "==", span);
                let holds = match &sides {
                    Some((left, right, _)) => self.bind(Op::Same(*left, *right), Type::Bool, span),
                    None => Atom::Bool(false),
                };
                (holds, sides)
            }
            ExprKind::Approximately { left, right, tolerance } => {
                let sides = self.compared(*left, *right, "~=", span);
                let tolerance = match tolerance {
                    Some(tolerance) => self.expr_of(*tolerance, &Type::Real),
                    None => Atom::Real(TOLERANCE),
                };
                let holds = match &sides {
                    Some((left, right, _)) => self.bind(Op::Near(*left, *right, tolerance), Type::Bool, span),
                    None => Atom::Bool(false),
                };
                (holds, sides)
            }
            _ => (self.expr_of(id, &Type::Bool), None),
        }
    }

    // ---- functions as values ----

    /// The function that an expression is by its form, if it is one: these are expanded where they are used.
    pub fn callable(&self, id: ExprId) -> Option<Rc<Callable>> {
        self.callable_of(id, None)
    }

    pub fn callable_of(&self, id: ExprId, ty: Option<Type>) -> Option<Rc<Callable>> {
        let tree = self.tree();
        match &tree.expr(id).kind {
            ExprKind::Paren(inner) => self.callable_of(*inner, ty),
            ExprKind::Lambda { .. } => {
                Some(Rc::new(Callable::Lambda { unit: self.unit, lambda: id, scope: self.scope.clone(), ty }))
            }
            ExprKind::Call { arguments, .. }
                if arguments.iter().any(|argument| matches!(argument, riesz_syntax::tree::Argument::Hole(_))) =>
            {
                Some(Rc::new(Callable::Holes { unit: self.unit, call: id, scope: self.scope.clone() }))
            }
            ExprKind::Name(name) => match self.lookup(name)? {
                Found::Local(Entry::Callable(callable)) => Some(callable),
                Found::Item(item) => self.checker.callable_item(item),
                Found::Primitive(primitive) if !matches!(primitive.kind, Kind::Constant(_)) => {
                    Some(Rc::new(Callable::Primitive(primitive)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Works in the scope of another place.
    pub fn within<T>(&mut self, unit: UnitId, scope: super::scope::Scope, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved_unit = std::mem::replace(&mut self.unit, unit);
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let done = work(self);
        self.unit = saved_unit;
        self.scope = saved_scope;
        done
    }
}

/// The number that an expression is by its form.
fn literal(tree: &riesz_syntax::Tree, id: ExprId) -> Option<Atom> {
    let number = |id: ExprId| match tree.expr(id).kind {
        ExprKind::Integer(Integer { value: Some(value), .. }) => i64::try_from(value).ok().map(Atom::Int),
        ExprKind::Real(value) => Some(Atom::Real(value)),
        _ => None,
    };
    match tree.expr(id).kind {
        ExprKind::Unary { operator: UnaryOperator::Negate, operand } => match number(operand)? {
            Atom::Int(0) => None,
            Atom::Int(value) => Some(Atom::Int(-value)),
            Atom::Real(value) => Some(Atom::Real(-value)),
            _ => None,
        },
        _ => number(id),
    }
}

/// An integer where a real number is needed.
pub(super) fn make_real(atom: &mut Atom) {
    if let Atom::Int(value) = *atom {
        *atom = Atom::Real(value as f64);
    }
}

/// Where the value of an expression is computed: behind its `let`s.
pub(super) fn value_span(tree: &riesz_syntax::Tree, id: ExprId) -> Span {
    let mut expr = tree.expr(id);
    while let ExprKind::Let { body, .. } | ExprKind::Block(body) = &expr.kind {
        expr = tree.expr(*body);
    }
    expr.span
}

fn is_integer_literal(tree: &riesz_syntax::Tree, id: ExprId) -> bool {
    match &tree.expr(id).kind {
        ExprKind::Integer(Integer { value: Some(value), .. }) => i64::try_from(*value).is_ok(),
        ExprKind::Paren(inner) => is_integer_literal(tree, *inner),
        _ => false,
    }
}

/// What people from other languages look for.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "len" | "length" => "the number of elements of an array is `size(v)`",
        "ln" => "the natural logarithm is `log`",
        "range" => "write `iota(n)`, or a generator: `[... | i < n]`",
        "mean" | "average" => "write `sum(v) / size(v)`",
        "matmul" | "mm" => "the product of matrices is `dot(a, b)`",
        "fabs" => "the absolute value is `abs`",
        "arctan" | "arcsin" | "arccos" => "it is called `atan`, `asin`, `acos`",
        "int" => "write `trunc(x)` for the integer part of a real number",
        "float" | "double" => "an `Int` becomes an `R` by itself where one is needed; `real(k)` says so",
        "print" | "println" => "there is no printing inside a program; evaluate an expression to see its value",
        "exp10" => "write `10 ^ x`",
        "derivative" | "diff" | "deriv" | "differentiate" => "the derivative of `f` at `x` is the linear map `D(f, x)`",
        "gradient" | "nabla" => "the gradient of `f` at `x` is `grad(f, x)`",
        "jacfwd" | "jacrev" | "jac" => "the matrix of the derivative of `f` at `x` is `jacobian(f, x)`",
        "pullback" => "the adjoint of the derivative is `adjoint(D(f, x))`",
        "tgamma" | "gamma" => "write `exp(lgamma(x))`",
        "zeros" => "write `replicate(n, 0.0)`",
        "ones" => "write `replicate(n, 1.0)`",
        _ => return None,
    })
}
