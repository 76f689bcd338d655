//! Expressions.

use super::iterator::Iter;
use super::{Closure, Kind, Lower, Place, Step, Value, components, describe};
use crate::term::{Block, Term};
use crate::types::{Integer, Ty, show};
use quote::ToTokens;
use std::rc::Rc;

/// The meaning of an expression.
pub(super) enum Any {
    Value(Value),
    Iter(Iter),
    Closure(Rc<Closure>),
}

impl Lower<'_> {
    /// An expression that is a value.
    pub(super) fn value(&mut self, expr: &syn::Expr) -> Value {
        match self.any(expr) {
            Any::Value(value) => value,
            Any::Iter(_) => {
                let help = "end the chain with `sum`, `product`, `fold`, `collect`, `all` or `any`, or loop over it";
                self.refuse(expr, "an iterator cannot be used as a value here", help)
            }
            Any::Closure(_) => {
                let help = "bind it by `let` and call it by its name, or pass it to an iterator";
                self.refuse(expr, "a closure cannot be used as a value here", help)
            }
        }
    }

    /// An expression whose value becomes a part of another, where a `&mut` could not be followed.
    pub(super) fn kept_value(&mut self, expr: &syn::Expr) -> Value {
        let value = self.value(expr);
        if value.holds_place() {
            let help = "assign to the variable by its own name";
            return self.refuse(expr, "a `&mut` inside another value cannot be differentiated", help);
        }
        value
    }

    /// An expression as a term that costs nothing to write twice.
    pub(super) fn atom(&mut self, expr: &syn::Expr) -> Value {
        let value = self.value(expr);
        let term = self.name_it("t", value.term, expr);
        Value { term, ..value }
    }

    pub(super) fn any(&mut self, expr: &syn::Expr) -> Any {
        match expr {
            syn::Expr::Paren(inner) => self.any(&inner.expr),
            syn::Expr::Group(inner) => self.any(&inner.expr),
            syn::Expr::Closure(closure) => self.closure(closure),
            syn::Expr::Range(range) => self.range(range).map_or_else(|| Any::Value(Value::error()), Any::Iter),
            syn::Expr::MethodCall(call) => self.method(call),
            syn::Expr::Reference(inner) if inner.mutability.is_none() => self.any(&inner.expr),
            syn::Expr::Path(path) => match path.path.get_ident().and_then(|ident| self.lookup(&ident.to_string())) {
                Some(id) => match &self.vars[id.0].kind {
                    Kind::Closure(closure) => Any::Closure(closure.clone()),
                    Kind::Iter(iter) => Any::Iter((**iter).clone()),
                    Kind::Alias(place) => {
                        let place = place.clone();
                        let value = self.read_place(&place, expr);
                        Any::Value(Value { place: Some(place), ..value })
                    }
                    Kind::Value => Any::Value(self.read_place(&Place { root: id, path: Vec::new() }, expr)),
                },
                None => Any::Value(self.path(path)),
            },
            _ => Any::Value(self.plain(expr)),
        }
    }

    pub(super) fn plain(&mut self, expr: &syn::Expr) -> Value {
        match expr {
            syn::Expr::Lit(literal) => self.literal(&literal.lit, false),
            syn::Expr::Unary(unary) => self.unary(unary),
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Assign(assign) => self.assign(assign),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Tuple(tuple) => {
                let parts: Vec<Value> = tuple.elems.iter().map(|part| self.value(part)).collect();
                let places = parts
                    .iter()
                    .map(|part| super::Whereabouts { place: part.place.clone(), parts: part.parts.clone() });
                let places = places.collect();
                let (terms, types) = parts.into_iter().map(|part| (part.term, part.ty)).unzip();
                Value { parts: places, ..Value::new(Term::Tuple(terms), self.together(types, Ty::Tuple)) }
            }
            syn::Expr::Array(array) => {
                let parts: Vec<Value> = array.elems.iter().map(|part| self.kept_value(part)).collect();
                let element = parts.first().map_or(Ty::Unknown, |part| part.ty.clone());
                let length = Term::Int(parts.len() as i64);
                let ty = Ty::Array(Box::new(element), Box::new(length));
                Value::new(Term::Array(parts.into_iter().map(|part| part.term).collect()), ty)
            }
            syn::Expr::Repeat(repeat) => {
                let element = self.value(&repeat.expr);
                self.repeat(element, &repeat.len)
            }
            syn::Expr::Index(index) => self.index(index),
            syn::Expr::Field(field) => match self.place_of(expr) {
                Some(place) => self.read_place(&place, expr),
                None => {
                    let of = self.value(&field.base);
                    match self.field_of(&of.ty, &field.member, field) {
                        Some((at, ty, alone)) => {
                            let of = self.name_it("t", of.term, &field.base);
                            Value::new(if alone { of } else { Term::Field(of.into(), at) }, ty)
                        }
                        None => Value::error(),
                    }
                }
            },
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::Struct(literal) => self.struct_literal(literal),
            syn::Expr::If(inner) => self.if_(inner),
            syn::Expr::Match(inner) => self.match_(inner),
            syn::Expr::Block(inner) => match &inner.label {
                None => self.scope(|lower| lower.statements(&inner.block.stmts, false)),
                Some(label) => self.labelled(&label.name.ident.to_string(), inner),
            },
            syn::Expr::ForLoop(inner) => self.for_(inner),
            syn::Expr::While(inner) => self.while_(inner),
            syn::Expr::Loop(inner) => self.loop_(inner),
            syn::Expr::Return(inner) => self.return_(inner),
            syn::Expr::Break(inner) => self.break_(inner),
            syn::Expr::Continue(inner) => self.continue_(inner),
            syn::Expr::Reference(inner) => match self.place_of(&inner.expr) {
                Some(place) => {
                    let value = self.read_place(&place, &inner.expr);
                    Value { place: Some(place), ..value }
                }
                None => self.value(&inner.expr),
            },
            syn::Expr::Macro(inner) => self.macro_(&inner.mac),
            syn::Expr::Unsafe(_) => {
                self.refuse(expr, "`unsafe` code cannot be differentiated", "write it with safe indexing")
            }
            syn::Expr::Await(_) | syn::Expr::Async(_) => {
                self.refuse(expr, "asynchronous code cannot be differentiated", "compute the values before the call")
            }
            syn::Expr::Try(_) => {
                let help = "handle the error before the function is called";
                self.refuse(expr, "`?` cannot be differentiated: a derivative has no error to return", help)
            }
            syn::Expr::Let(inner) => {
                self.bind_errors(&inner.pat);
                let help = "put it first, or use `match`";
                self.refuse(expr, "a `let` after `&&` or `||` in a condition cannot be differentiated", help)
            }
            _ => self.refuse(
                expr,
                format!("`{}` cannot be differentiated", shorten(&show(expr))),
                "the book's page on Rust functions lists what can be written",
            ),
        }
    }

    /// `()` and errors stay what they are when they stand in a larger type.
    fn together(&self, types: Vec<Ty>, make: impl FnOnce(Vec<Ty>) -> Ty) -> Ty {
        if types.contains(&Ty::Error) { Ty::Error } else { make(types) }
    }

    pub(super) fn literal(&mut self, literal: &syn::Lit, negative: bool) -> Value {
        match literal {
            syn::Lit::Float(number) => match (number.suffix(), number.base10_parse::<f64>()) {
                (suffix, Ok(value)) if suffix.is_empty() || suffix == self.real() => {
                    Value::new(Term::Real(if negative { -value } else { value }), Ty::Float)
                }
                _ => {
                    let message = format!("this function computes with `{}`", self.real());
                    self.refuse(literal, message, "write the number without a suffix")
                }
            },
            syn::Lit::Int(number) if number.suffix() == self.real() => match number.base10_digits().parse::<f64>() {
                Ok(value) => Value::new(Term::Real(if negative { -value } else { value }), Ty::Float),
                Err(_) => Value::error(),
            },
            syn::Lit::Int(number) => {
                let integer = Integer::named(number.suffix());
                match (number.base10_parse::<i64>(), integer, number.suffix()) {
                    (Ok(value), Some(integer), _) => int(value, negative, integer),
                    (Ok(value), None, "") => int(value, negative, Integer::LITERAL),
                    _ => self.refuse(literal, "this integer does not fit `i64`", "use a smaller number"),
                }
            }
            syn::Lit::Bool(value) => Value::new(Term::Bool(value.value), Ty::Bool),
            _ => self.refuse(literal, "text cannot be differentiated", "use numbers and booleans"),
        }
    }

    pub(super) fn repeat(&mut self, element: Value, length: &syn::Expr) -> Value {
        let count = Value::int(self.count_atom(length));
        if matches!(element.ty, Ty::Error) {
            return Value::error();
        }
        let ty = Ty::Array(Box::new(element.ty), Box::new(count.term.clone()));
        Value::new(Term::call("replicate", [count.term, element.term]), ty)
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Value {
        let name = crate::types::key(&literal.path);
        let this = self.lookup("self").map(|var| self.vars[var.0].ty.clone());
        let known = match this {
            Some(Ty::Struct(of)) if name == "Self" => Some(of),
            _ => self.world.types.structs.get(&name).cloned(),
        };
        let Some(of) = known else {
            self.errors.need(&literal.path);
            return Value::error();
        };
        let mut given: Vec<Option<Term>> = vec![None; of.fields.len()];
        for field in &literal.fields {
            let value = self.kept_value(&field.expr);
            match of.fields.iter().position(|(member, _)| *member == field.member) {
                Some(at) => given[at] = Some(value.term),
                None => return Value::error(),
            }
        }
        let rest = literal.rest.as_ref().map(|rest| {
            let value = self.value(rest);
            self.name_it("rest", value.term, rest)
        });
        let alone = of.fields.len() == 1;
        let terms = given.into_iter().enumerate().map(|(at, term)| match (term, &rest) {
            (Some(term), _) => term,
            (None, Some(rest)) if alone => rest.clone(),
            (None, Some(rest)) => Term::Field(rest.clone().into(), at),
            (None, None) => Term::Unset,
        });
        Value::new(Term::tuple(terms.collect()), Ty::Struct(of))
    }

    /// The position of a field, its type, and whether it is the only one, which stands for the struct.
    pub(super) fn field_of(&mut self, ty: &Ty, member: &syn::Member, at: &dyn ToTokens) -> Option<(usize, Ty, bool)> {
        let found = match (ty, member) {
            (Ty::Struct(of), member) => {
                of.fields.iter().position(|(name, _)| name == member).map(|at| (at, of.fields.len() == 1))
            }
            (Ty::Tuple(_), syn::Member::Unnamed(index)) => Some((index.index as usize, false)),
            (Ty::Error, _) => return None,
            _ => None,
        };
        let part = found.and_then(|(at, alone)| Some((at, components(ty)?.get(at)?.clone(), alone)));
        if part.is_none() {
            let message = format!("{} has no field that can be differentiated by this name", describe(ty));
            self.refuse(at, message, "the fields of tuples and of visible structs can be used");
        }
        part
    }

    fn index(&mut self, index: &syn::ExprIndex) -> Value {
        if let syn::Expr::Range(range) = strip(&index.index) {
            let array = self.value(&index.expr);
            return self.slice(array, range, index);
        }
        let expr = syn::Expr::Index(index.clone());
        match self.place_of(&expr) {
            Some(place) => self.read_place(&place, &expr),
            None => {
                let array = self.value(&index.expr);
                let at = self.atom(&index.index);
                match array.ty {
                    Ty::Array(element, _) if at.is_int() => {
                        let array = self.name_it("t", array.term, &index.expr);
                        let place = self.place(index);
                        Value::new(Term::At(place, Term::Index(array.into(), vec![at.term]).into()), *element)
                    }
                    Ty::Error => Value::error(),
                    _ => self.refuse(
                        index,
                        "only arrays can be indexed, by integers",
                        "index a slice, a `Vec` or an array",
                    ),
                }
            }
        }
    }

    /// `v[a..b]`
    pub(super) fn slice(&mut self, array: Value, range: &syn::ExprRange, at: &dyn ToTokens) -> Value {
        let Ty::Array(element, length) = &array.ty else {
            return match array.ty {
                Ty::Error => Value::error(),
                _ => self.refuse(at, "only arrays have slices", "index a slice, a `Vec` or an array"),
            };
        };
        let (element, length) = (element.clone(), length.clone());
        let term = self.name_it("v", array.term, at);
        let (from, to) = self.ends(&term, &length, range);
        let count = self.name_it("n", Term::binary("-", to.clone(), from.clone()), at);
        let ty = Ty::Array(element, Box::new(count));
        let place = self.place(at);
        Value::new(Term::At(place, Term::call("slice", [term, from, to]).into()), ty)
    }

    /// Where a slice begins, and where it ends.
    pub(super) fn ends(&mut self, array: &Term, length: &Term, range: &syn::ExprRange) -> (Term, Term) {
        let from = range.start.as_ref().map_or(Term::Int(0), |start| self.atom(start).term);
        let to = match &range.end {
            None => self.length(array, length),
            Some(end) => {
                let end_value = self.value(end).term;
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                let end_value = if closed { Term::binary("+", end_value, Term::Int(1)) } else { end_value };
                self.name_it("to", end_value, end)
            }
        };
        (from, to)
    }

    /// The length of an array: what is known of it, or its size.
    pub(super) fn length(&mut self, array: &Term, known: &Term) -> Term {
        match known {
            Term::Unset => Term::call("size", [array.clone()]),
            known => known.clone(),
        }
    }

    /// An expression in a block of its own, which must not assign anything around it.
    pub(super) fn own_block(&mut self, at: &dyn ToTokens, write: impl FnOnce(&mut Self) -> Value) -> (Block, Ty) {
        let before = self.snapshot();
        let (lets, value) = self.block(write);
        if self.snapshot()[..before.len()] != before[..] {
            let help = "assign in a statement of its own, before or after this expression";
            self.refuse(at, "an assignment in this place cannot be differentiated", help);
            self.restore(&before);
        }
        let ty = super::iterator::outside(value.ty, &lets);
        (Block { lets, result: value.term }, ty)
    }
}

fn int(value: i64, negative: bool, integer: Integer) -> Value {
    Value::new(Term::Int(if negative { -value } else { value }), Ty::Int(integer))
}

/// An expression without parentheses around it.
pub(super) fn strip(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => strip(&inner.expr),
        syn::Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

/// A step into a value.
pub(super) fn step(term: Term, step: &Step) -> Term {
    match (term, step) {
        (Term::Index(array, mut path), Step::Index(at)) => {
            path.push(at.clone());
            Term::Index(array, path)
        }
        (term, Step::Index(at)) => Term::Index(term.into(), vec![at.clone()]),
        (term, Step::Field(at)) => Term::Field(term.into(), *at),
        (term, Step::Slice(from, to)) => Term::call("slice", [term, from.clone(), to.clone()]),
    }
}
