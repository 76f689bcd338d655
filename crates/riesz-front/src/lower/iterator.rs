//! Iterators, as a count and an element for each index.
//!
//! ```text
//! v.iter()            count = size(v)            element(i) = v[i]
//! a.zip(b)            count = min(|a|, |b|)      element(i) = (a(i), b(i))
//! a.rev()             count = |a|                element(i) = a(|a| − 1 − i)
//! v.windows(k)        count = size(v) − k + 1    element(i) = slice(v, i, i + k)
//! ```
//!
//! A filter gives each element a condition, under which it counts.

use super::expr::Any;
use super::operator::alone;
use super::{Closure, Lower, Place, Value, Whereabouts};
use crate::term::{Block, Iteration, Let, Term};
use crate::types::{Integer, Ty};
use quote::ToTokens;
use std::rc::Rc;

/// An iterator.
#[derive(Clone)]
pub(crate) enum Iter {
    /// Integers from a term on, as many as another says.
    Range(Term, Term, Integer),
    /// The elements of an array, which is an atom.
    Elements(Value),
    /// The places of the elements of an array, which can be assigned.
    Places(Place),
    /// The places of chunks of a length; whether the last may be shorter.
    PlaceChunks(Place, Term, bool),
    /// The windows of a length.
    Windows(Value, Term),
    /// Chunks of a length; whether the last may be shorter.
    Chunks(Value, Term, bool),
    Map(Box<Iter>, Function),
    Filter(Box<Iter>, Function),
    Zip(Box<Iter>, Box<Iter>),
    Chain(Box<Iter>, Box<Iter>),
    Enumerate(Box<Iter>),
    Rev(Box<Iter>),
    Skip(Box<Iter>, Term),
    Take(Box<Iter>, Term),
    StepBy(Box<Iter>, Term),
}

/// A function that an iterator is given: a closure, or a path such as `f64::max`.
#[derive(Clone)]
pub(crate) enum Function {
    Closure(Rc<Closure>),
    Path(syn::ExprPath),
}

impl Iter {
    /// The arrays whose elements can be assigned.
    pub fn places(&self, visit: &mut dyn FnMut(&Place)) {
        match self {
            Iter::Places(place) | Iter::PlaceChunks(place, ..) => visit(place),
            Iter::Range(..) | Iter::Elements(_) | Iter::Windows(..) | Iter::Chunks(..) => {}
            Iter::Map(of, _)
            | Iter::Filter(of, _)
            | Iter::Enumerate(of)
            | Iter::Rev(of)
            | Iter::Skip(of, _)
            | Iter::Take(of, _)
            | Iter::StepBy(of, _) => of.places(visit),
            Iter::Zip(a, b) | Iter::Chain(a, b) => {
                a.places(visit);
                b.places(visit);
            }
        }
    }

    pub fn is_filtered(&self) -> bool {
        match self {
            Iter::Filter(..) => true,
            Iter::Range(..) | Iter::Elements(_) | Iter::Windows(..) | Iter::Chunks(..) => false,
            Iter::Places(_) | Iter::PlaceChunks(..) => false,
            Iter::Map(of, _)
            | Iter::Enumerate(of)
            | Iter::Rev(of)
            | Iter::Skip(of, _)
            | Iter::Take(of, _)
            | Iter::StepBy(of, _) => of.is_filtered(),
            Iter::Zip(a, b) | Iter::Chain(a, b) => a.is_filtered() || b.is_filtered(),
        }
    }
}

impl Lower<'_> {
    /// `a..b`
    pub(super) fn range(&mut self, range: &syn::ExprRange) -> Option<Iter> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.refuse(range, "a range without an end cannot be differentiated", "write where it ends");
            return None;
        };
        let from = self.atom(start);
        let to = self.value(end);
        let integer = match (&from.ty, &to.ty) {
            (Ty::Int(a), Ty::Int(b)) => a.with(*b),
            (Ty::Error, _) | (_, Ty::Error) => return None,
            _ => {
                self.refuse(range, "only ranges of integers can be differentiated", "count by an integer");
                return None;
            }
        };
        let from = Value { term: self.settle(from.term, integer), ..from };
        let from = Value { term: self.name_it("from", from.term, start), ..from };
        // An unsigned end is not negative: Rust panics before that.
        let to = match integer {
            Integer { signed: false, bits: 64 } => to,
            integer => Value { term: self.settle(to.term, integer), ..to },
        };
        let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
        let to = if closed { Term::binary("+", to.term, Term::Int(1)) } else { to.term };
        let whole = from.term == Term::Int(0);
        let count = if whole { to } else { Term::binary("-", to, from.term.clone()) };
        let count = self.name_it("n", count, range);
        if let (true, false, Term::Name(name)) = (whole, integer.signed, &count) {
            self.is_not_negative(name);
        }
        Some(Iter::Range(from.term, count, integer))
    }

    /// How many elements an iterator has.
    pub(super) fn count(&mut self, iter: &Iter, at: &dyn ToTokens) -> Term {
        match iter {
            Iter::Range(_, count, _) => count.clone(),
            Iter::Elements(value) => match &value.ty {
                Ty::Array(_, length) => self.length(&value.term, length),
                _ => Term::Int(0),
            },
            Iter::Places(place) => {
                let value = self.read_place(place, at);
                match &value.ty {
                    Ty::Array(_, length) => {
                        let term = super::operator::unmarked(value.term);
                        self.length(&term, length)
                    }
                    _ => Term::Int(0),
                }
            }
            Iter::Windows(value, width) => {
                let whole = self.count(&Iter::Elements(value.clone()), at);
                let count = Term::binary("+", Term::binary("-", whole, width.clone()), Term::Int(1));
                Term::call("max", [count, Term::Int(0)])
            }
            Iter::PlaceChunks(place, width, short) => {
                let value = self.read_place(place, at);
                let value = Value::new(super::operator::unmarked(value.term), value.ty);
                self.count(&Iter::Chunks(value, width.clone(), *short), at)
            }
            Iter::Chunks(value, width, short) => {
                let whole = self.count(&Iter::Elements(value.clone()), at);
                let whole = match short {
                    true => Term::binary("+", whole, Term::binary("-", width.clone(), Term::Int(1))),
                    false => whole,
                };
                Term::call("div", [whole, width.clone()])
            }
            Iter::Map(of, _) | Iter::Enumerate(of) | Iter::Rev(of) | Iter::Filter(of, _) => self.count(of, at),
            Iter::Zip(a, b) => {
                let (a, b) = (self.count(a, at), self.count(b, at));
                if a == b { a } else { Term::call("min", [a, b]) }
            }
            Iter::Chain(a, b) => Term::binary("+", self.count(a, at), self.count(b, at)),
            Iter::Skip(of, by) => {
                let count = Term::binary("-", self.count(of, at), by.clone());
                Term::call("max", [count, Term::Int(0)])
            }
            Iter::Take(of, most) => Term::call("min", [self.count(of, at), most.clone()]),
            Iter::StepBy(of, by) => {
                let whole = self.count(of, at);
                let whole = Term::binary("+", whole, Term::binary("-", by.clone(), Term::Int(1)));
                Term::call("div", [whole, by.clone()])
            }
        }
    }

    /// The element at an index, which is an atom, with the conditions under which it counts.
    pub(super) fn element(&mut self, iter: &Iter, index: Term, guards: &mut Vec<Term>, at: &dyn ToTokens) -> Value {
        match iter {
            Iter::Range(from, _, integer) => {
                let term = Term::binary("+", from.clone(), index);
                let term = self.name_it("i", term, at);
                // It lies between the ends of the range.
                self.is_settled(&term, &Ty::Int(*integer));
                Value::new(term, Ty::Int(*integer))
            }
            Iter::Elements(value) => match &value.ty {
                Ty::Array(element, _) => {
                    let place = self.place(at);
                    let term = Term::Index(value.term.clone().into(), vec![index]);
                    Value::new(Term::At(place, term.into()), (**element).clone())
                }
                _ => Value::error(),
            },
            Iter::Places(place) => {
                let place = self.element_place(place, index, at);
                let value = self.read_place(&place, at);
                Value { place: Some(place), ..value }
            }
            Iter::PlaceChunks(place, width, short) => {
                let from = self.name_it("from", Term::binary("*", index, width.clone()), at);
                let to = Term::binary("+", from.clone(), width.clone());
                let to = match short {
                    true => {
                        let whole = self.count(&Iter::Places(place.clone()), at);
                        Term::call("min", [to, whole])
                    }
                    false => to,
                };
                let to = self.name_it("to", to, at);
                let place = place.slice(from, to);
                let value = self.read_place(&place, at);
                Value { place: Some(place), ..value }
            }
            Iter::Windows(value, width) => {
                let to = Term::binary("+", index.clone(), width.clone());
                self.part(value, index, to, width.clone(), at)
            }
            Iter::Chunks(value, width, short) => {
                let from = self.name_it("from", Term::binary("*", index, width.clone()), at);
                let to = Term::binary("+", from.clone(), width.clone());
                if !short {
                    return self.part(value, from, to, width.clone(), at);
                }
                let whole = self.count(&Iter::Elements(value.clone()), at);
                let to = self.name_it("to", Term::call("min", [to, whole]), at);
                let count = self.name_it("n", Term::binary("-", to.clone(), from.clone()), at);
                self.part(value, from, to, count, at)
            }
            Iter::Map(of, function) => {
                let element = self.element(of, index, guards, at);
                match self.apply_function(function, vec![element], at) {
                    Any::Value(value) => value,
                    _ => {
                        let help = "give a number, a tuple or an array";
                        self.refuse(at, "iterators of iterators cannot be differentiated", help)
                    }
                }
            }
            Iter::Filter(of, function) => {
                let element = self.element(of, index, guards, at);
                let term = self.name_atoms(element.term, at);
                let element = Value { term, ..element };
                let (block, ty) = self.own_block(at, |lower| {
                    match lower.apply_function(function, vec![Value { place: None, ..element.clone() }], at) {
                        Any::Value(value) => value,
                        _ => Value::error(),
                    }
                });
                if ty == Ty::Bool {
                    let condition = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
                    guards.push(self.name_it("c", condition, at));
                }
                element
            }
            Iter::Zip(a, b) => {
                let a = self.element(a, index.clone(), guards, at);
                let b = self.element(b, index, guards, at);
                self.pair(a, b, at)
            }
            Iter::Chain(a, b) => {
                let count = self.count(a, at);
                let is_first = self.name_it("first", Term::binary("<", index.clone(), count.clone()), at);
                let (first, ty) = self.own_block(at, |lower| lower.element(a, index.clone(), &mut Vec::new(), at));
                let (second, other) = self.own_block(at, |lower| {
                    let index = lower.name_it("i", Term::binary("-", index, count), at);
                    lower.element(b, index, &mut Vec::new(), at)
                });
                if matches!(ty, Ty::Error) || matches!(other, Ty::Error) {
                    return Value::error();
                }
                let term = Term::If(is_first.into(), first.into(), second.into());
                Value::new(self.name_it("x", term, at), super::control::join(&ty, &other))
            }
            Iter::Enumerate(of) => {
                if of.is_filtered() {
                    let help = "call `enumerate` before `filter`";
                    return self.refuse(at, "the position among filtered elements is not known", help);
                }
                let element = self.element(of, index.clone(), guards, at);
                self.pair(Value::int(index), element, at)
            }
            Iter::Rev(of) => {
                let count = self.count(of, at);
                let last = Term::binary("-", count, Term::Int(1));
                let term = self.name_it("i", Term::binary("-", last, index), at);
                self.element(of, term, guards, at)
            }
            Iter::Skip(of, by) => {
                let term = self.name_it("i", Term::binary("+", index, by.clone()), at);
                self.element(of, term, guards, at)
            }
            Iter::Take(of, _) => self.element(of, index, guards, at),
            Iter::StepBy(of, by) => {
                let term = self.name_it("i", Term::binary("*", index, by.clone()), at);
                self.element(of, term, guards, at)
            }
        }
    }

    fn part(&mut self, of: &Value, from: Term, to: Term, count: Term, at: &dyn ToTokens) -> Value {
        let Ty::Array(element, _) = &of.ty else { return Value::error() };
        let ty = Ty::Array(element.clone(), Box::new(count));
        let term = Term::call("slice", [of.term.clone(), from, to]);
        let term = self.name_it("part", term, at);
        Value::new(term, ty)
    }

    /// A pair whose parts may be places.
    fn pair(&mut self, a: Value, b: Value, _at: &dyn ToTokens) -> Value {
        if matches!(a.ty, Ty::Error) || matches!(b.ty, Ty::Error) {
            return Value::error();
        }
        let ty = Ty::Tuple(vec![a.ty, b.ty]);
        let mut value = Value::new(Term::Tuple(vec![a.term, b.term]), ty);
        value.parts =
            [(a.place, a.parts), (b.place, b.parts)].map(|(place, parts)| Whereabouts { place, parts }).into();
        value
    }

    /// The same with everything in it that is not an atom bound to names.
    fn name_atoms(&mut self, term: Term, at: &dyn ToTokens) -> Term {
        match term {
            Term::Tuple(parts) => Term::Tuple(parts.into_iter().map(|part| self.name_atoms(part, at)).collect()),
            term => self.name_it("x", term, at),
        }
    }

    pub(super) fn function_argument(&mut self, expr: &syn::Expr) -> Option<Function> {
        if let syn::Expr::Path(path) = super::expr::strip(expr)
            && path.path.get_ident().is_none_or(|ident| self.lookup(&ident.to_string()).is_none())
        {
            return Some(Function::Path(path.clone()));
        }
        match self.any(expr) {
            Any::Closure(closure) => Some(Function::Closure(closure)),
            Any::Value(value) if matches!(value.ty, Ty::Error) => None,
            _ => {
                self.refuse(expr, "this function is not visible to `#[differentiable]`", "write a closure");
                None
            }
        }
    }

    pub(super) fn apply_function(&mut self, function: &Function, arguments: Vec<Value>, at: &dyn ToTokens) -> Any {
        match function {
            Function::Closure(closure) => self.apply(closure, arguments, at),
            Function::Path(path) => Any::Value(self.call_path(path, arguments, at)),
        }
    }

    /// An array, or a reduction of one, of what is written for each element; elements that do not count give `other`.
    pub(super) fn each(
        &mut self,
        iter: &Iter,
        other: Option<Term>,
        at: &dyn ToTokens,
        write: impl FnOnce(&mut Self, Value) -> Value,
    ) -> (Iteration, Ty) {
        let count = self.count(iter, at);
        let count = self.name_it("n", count, at);
        let index = self.fresh("i");
        self.is_index(&index, &count);
        let mut guards = Vec::new();
        let before = self.snapshot();
        let (lets, value) = self.block(|lower| {
            let element = lower.element(iter, Term::Name(index.clone()), &mut guards, at);
            let guard = guards.iter().cloned().fold(Term::Bool(true), Term::and);
            if guard == Term::Bool(true) {
                return write(lower, element);
            }
            let (lets, value) = lower.block(|lower| write(lower, element));
            let yes = Block { lets, result: value.term.clone() };
            let no = alone(other.clone().unwrap_or(Term::Unset));
            if other.is_none() {
                let help = "remove the filter, and write an `if` inside the sum";
                lower.refuse(at, "the number of elements that pass a filter is not known", help);
            }
            Value::new(Term::If(guard.into(), yes.into(), no.into()), value.ty)
        });
        if self.snapshot()[..before.len()] != before[..] {
            self.refuse(at, "an assignment in this place cannot be differentiated", "write a `for` loop");
            self.restore(&before);
        }
        let ty = outside(value.ty, &lets);
        let body = Block { lets, result: value.term };
        (Iteration { index, count: count.into(), body: body.into() }, ty)
    }
}

/// A type without lengths that only bindings know.
pub(super) fn outside(ty: Ty, lets: &[Let]) -> Ty {
    match ty {
        Ty::Array(element, length) => {
            let known = match &*length {
                Term::Name(name) => !lets.iter().any(|binding| binding.names.contains(name)),
                Term::Int(_) => true,
                _ => false,
            };
            Ty::Array(Box::new(outside(*element, lets)), if known { length } else { Box::new(Term::Unset) })
        }
        Ty::Tuple(parts) => Ty::Tuple(parts.into_iter().map(|part| outside(part, lets)).collect()),
        Ty::Option(inner) => Ty::Option(Box::new(outside(*inner, lets))),
        other => other,
    }
}
