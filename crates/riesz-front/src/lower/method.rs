//! Methods of arrays, iterators and structs.

use super::expr::Any;
use super::iterator::Iter;
use super::{Lower, Value, describe};
use crate::term::Term;
use crate::types::{Ty, show};
use quote::ToTokens;

/// The methods that give what they are called on.
const COPIES: [&str; 4] = ["clone", "to_owned", "as_ref", "borrow"];

fn has_places(iter: &Iter) -> bool {
    let mut found = false;
    iter.places(&mut |_| found = true);
    found
}

impl Lower<'_> {
    /// Whether a method of a struct gives the struct itself.
    fn is_copy(&self, of: &str, name: &str) -> bool {
        let full = format!("{of}::{name}");
        let known = self.world.functions.contains_key(&full) || self.world.unread.contains_key(&full);
        COPIES.contains(&name) && !known && !self.world.of_traits.contains(&full)
    }

    pub(super) fn method(&mut self, call: &syn::ExprMethodCall) -> Any {
        let name = call.method.to_string();
        // `v.iter_mut()` and the like change their receiver.
        if super::assigned::MUTATING.contains(&name.as_str()) {
            return self.mutating(call, &name);
        }
        let receiver = self.any(&call.receiver);
        match receiver {
            Any::Iter(iter) => self.iterator_method(iter, call, &name),
            Any::Closure(_) => Any::Value(self.refuse(call, "a closure has no methods here", "call it by its name")),
            Any::Value(value) => match value.ty.clone() {
                Ty::Error => {
                    for argument in &call.args {
                        self.any(argument);
                    }
                    Any::Value(Value::error())
                }
                Ty::Float => Any::Value(self.float_method(value, call, &name)),
                Ty::Int(integer) => Any::Value(self.int_method(value, integer, call, &name)),
                Ty::Array(..) => self.array_method(value, call, &name),
                Ty::Struct(of) if !self.is_copy(&of.name, &name) => {
                    Any::Value(self.struct_method(value, &of.name.clone(), call))
                }
                Ty::Option(_) => Any::Value(self.option_method(value, call, &name)),
                Ty::Enum(_) if crate::types::is_ordering(&value.ty) => {
                    Any::Value(self.ordering_method(value, call, &name))
                }
                _ if COPIES.contains(&name.as_str()) => Any::Value(Value { place: None, parts: Vec::new(), ..value }),
                ty => {
                    let message = format!("`{name}` of {} cannot be differentiated", describe(&ty));
                    Any::Value(self.refuse(&call.method, message, "use the fields and the numbers in it"))
                }
            },
        }
    }

    fn array_method(&mut self, value: Value, call: &syn::ExprMethodCall, name: &str) -> Any {
        let Ty::Array(element, length) = value.ty.clone() else { return Any::Value(Value::error()) };
        match (name, call.args.len()) {
            ("len", 0) => {
                let term = self.array_atom(value.term, call);
                let term = self.length(&term, &length);
                let term = self.name_it("n", term, call);
                Any::Value(Value::int(term))
            }
            ("is_empty", 0) => {
                let term = self.array_atom(value.term, call);
                let length = self.length(&term, &length);
                Any::Value(Value::new(Term::binary("==", length, Term::Int(0)), Ty::Bool))
            }
            ("clone" | "to_vec" | "to_owned" | "as_slice" | "as_ref" | "borrow" | "into_boxed_slice", 0) => {
                Any::Value(Value { place: None, parts: Vec::new(), ..value })
            }
            ("as_mut_slice", 0) => {
                let place = self.place_of(&call.receiver);
                match place {
                    Some(_) => Any::Value(Value { place, ..value }),
                    None => Any::Value(self.refuse(call, "this is no variable", "bind it to a variable first")),
                }
            }
            ("iter" | "into_iter", 0) => {
                let term = self.array_atom(value.term, call);
                Any::Iter(Iter::Elements(Value::new(term, value.ty)))
            }
            ("windows" | "chunks" | "chunks_exact", 1) => {
                let term = self.array_atom(value.term, call);
                let width = self.count_atom(&call.args[0]);
                let value = Value::new(term, value.ty);
                Any::Iter(match name {
                    "windows" => Iter::Windows(value, width),
                    _ => Iter::Chunks(value, width, name == "chunks"),
                })
            }
            ("first" | "last", 0) => {
                let iter = Iter::Elements(Value::new(self.array_atom(value.term, call), value.ty));
                Any::Value(match name {
                    "first" => self.nth(&iter, Term::Int(0), call),
                    _ => self.last(&iter, call),
                })
            }
            ("get", 1) if !matches!(super::expr::strip(&call.args[0]), syn::Expr::Range(_)) => {
                let iter = Iter::Elements(Value::new(self.array_atom(value.term, call), value.ty));
                let position = self.count_atom(&call.args[0]);
                Any::Value(self.nth(&iter, position, call))
            }
            ("split_at", 1) => {
                let whole = self.array_atom(value.term, call);
                let at = self.count_atom(&call.args[0]);
                let length = self.length(&whole, &length);
                let (from, to) = (Term::Int(0), self.name_it("n", length, call));
                let mut part = |from: Term, to: Term| {
                    let count = self.name_it("n", Term::binary("-", to.clone(), from.clone()), call);
                    let ty = Ty::Array(element.clone(), Box::new(count));
                    (Term::call("slice", [whole.clone(), from, to]), ty)
                };
                let (a, b) = (part(from, at.clone()), part(at, to));
                Any::Value(Value::new(Term::Tuple(vec![a.0, b.0]), Ty::Tuple(vec![a.1, b.1])))
            }
            ("map", 1) => {
                let term = self.array_atom(value.term, call);
                let Some(function) = self.function_argument(&call.args[0]) else { return Any::Value(Value::error()) };
                let iter = Iter::Map(Box::new(Iter::Elements(Value::new(term, value.ty))), function);
                Any::Value(self.collect(&iter, call))
            }
            ("concat", 0) => match *element {
                Ty::Array(inner, _) => {
                    let ty = Ty::Array(inner, Box::new(Term::Unset));
                    Any::Value(Value::new(Term::call("flatten", [value.term]), ty))
                }
                _ => Any::Value(Value::error()),
            },
            _ => Any::Value(self.refuse(
                &call.method,
                format!("the method `{name}` of arrays cannot be differentiated"),
                "write it as a loop",
            )),
        }
    }

    fn array_atom(&mut self, term: Term, at: &dyn ToTokens) -> Term {
        self.name_it("v", term, at)
    }

    /// The array of the elements of an iterator.
    fn collect(&mut self, iter: &Iter, at: &dyn ToTokens) -> Value {
        let (iteration, element) = self.each(iter, None, at, |_, value| value);
        if matches!(element, Ty::Error) {
            return Value::error();
        }
        let length = match self.is_count(&iteration.count) {
            true => (*iteration.count).clone(),
            false => Term::Unset,
        };
        Value::new(self.built(iteration), Ty::Array(Box::new(element), Box::new(length)))
    }

    fn iterator_method(&mut self, iter: Iter, call: &syn::ExprMethodCall, name: &str) -> Any {
        let of = Box::new(iter);
        let error = || Any::Value(Value::error());
        match (name, call.args.len()) {
            ("iter" | "into_iter" | "copied" | "cloned" | "clone", 0) => Any::Iter(*of),
            ("map", 1) => match self.function_argument(&call.args[0]) {
                Some(function) => Any::Iter(Iter::Map(of, function)),
                None => error(),
            },
            ("filter", 1) => match self.function_argument(&call.args[0]) {
                Some(function) => Any::Iter(Iter::Filter(of, function)),
                None => error(),
            },
            ("zip", 1) => match self.iterator_argument(&call.args[0]) {
                Some(other) if !of.is_filtered() && !other.is_filtered() => Any::Iter(Iter::Zip(of, Box::new(other))),
                Some(_) => Any::Value(self.refuse(
                    call,
                    "the positions of filtered elements are not known",
                    "call `zip` before `filter`",
                )),
                None => error(),
            },
            ("chain", 1) => match self.iterator_argument(&call.args[0]) {
                Some(other) if of.is_filtered() || other.is_filtered() => Any::Value(self.refuse(
                    call,
                    "the positions of filtered elements are not known",
                    "write a loop for each",
                )),
                Some(other) if has_places(&of) || has_places(&other) => Any::Value(self.refuse(
                    call,
                    "places of two arrays cannot be followed in one chain",
                    "write a loop for each",
                )),
                Some(other) => Any::Iter(Iter::Chain(of, Box::new(other))),
                None => error(),
            },
            ("enumerate", 0) => Any::Iter(Iter::Enumerate(of)),
            ("rev", 0) => Any::Iter(Iter::Rev(of)),
            ("skip" | "take" | "step_by", 1) => {
                let by = self.count_atom(&call.args[0]);
                if of.is_filtered() {
                    let help = format!("call `{name}` before `filter`");
                    return Any::Value(self.refuse(call, "the positions of filtered elements are not known", help));
                }
                Any::Iter(match name {
                    "skip" => Iter::Skip(of, by),
                    "take" => Iter::Take(of, by),
                    _ => Iter::StepBy(of, by),
                })
            }
            ("len", 0) => {
                let count = self.count(&of, call);
                let count = if self.is_count(&count) { count } else { Term::call("max", [count, Term::Int(0)]) };
                Any::Value(Value::int(self.name_it("n", count, call)))
            }
            ("count", 0) => {
                let (iteration, _) = self.each(&of, Some(Term::Int(0)), call, |_, _| Value::int(Term::Int(1)));
                let term = self.reduced("sum", iteration, Term::Int(0));
                Any::Value(Value::int(term))
            }
            ("sum" | "product", 0) => {
                let probe = if name == "sum" { Term::Int(0) } else { Term::Int(1) };
                let (iteration, ty) = self.each(&of, Some(probe), call, |_, value| value);
                let reduction = if name == "sum" { "sum" } else { "prod" };
                match ty {
                    Ty::Float | Ty::Int(_) => {
                        let place = self.place(call);
                        let empty = match (name, &ty) {
                            ("sum", Ty::Float) => Term::Real(0.0),
                            ("sum", _) => Term::Int(0),
                            (_, Ty::Float) => Term::Real(1.0),
                            _ => Term::Int(1),
                        };
                        let term = self.reduced(reduction, iteration, empty);
                        Any::Value(Value::new(Term::At(place, term.into()), ty))
                    }
                    Ty::Error => error(),
                    ty => {
                        let message = format!("`{name}` of {} cannot be differentiated", describe(&ty));
                        Any::Value(self.refuse(call, message, "reduce numbers"))
                    }
                }
            }
            ("all" | "any", 1) => {
                let Some(function) = self.function_argument(&call.args[0]) else { return error() };
                let other = Term::Bool(name == "all");
                let (iteration, ty) = self.each(&of, Some(other), call, |lower, value| {
                    match lower.apply_function(&function, vec![value], call) {
                        Any::Value(value) => value,
                        _ => Value::error(),
                    }
                });
                match ty {
                    Ty::Error => error(),
                    _ => {
                        let reduction = if name == "all" { "all" } else { "any" };
                        let term = self.reduced(reduction, iteration, Term::Bool(name == "all"));
                        Any::Value(Value::new(term, Ty::Bool))
                    }
                }
            }
            ("fold", 2) => {
                let start = self.value(&call.args[0]);
                let Some(function) = self.function_argument(&call.args[1]) else { return error() };
                Any::Value(self.fold_by(&of, start, call, &mut |lower, now, element| {
                    lower.applied(&function, vec![now, element], call)
                }))
            }
            ("for_each", 1) => match super::expr::strip(&call.args[0]) {
                syn::Expr::Closure(closure) if closure.inputs.len() == 1 => {
                    let exits = super::assigned::Exits::default();
                    let pattern = closure.inputs[0].clone();
                    Any::Value(self.repeat_for(&of, &pattern, None, &exits, call, |visit| visit(&closure.body), &mut |lower| {
                        lower.value(&closure.body);
                    }))
                }
                other => Any::Value(self.refuse(other, "`for_each` needs a closure here", "write a `for` loop")),
            },
            ("collect", 0) => Any::Value(self.collect(&of, call)),
            ("next", 0) if of.is_filtered() => {
                let all: syn::Expr = syn::parse_quote!(|_| true);
                match self.function_argument(&all) {
                    Some(function) => Any::Value(self.find(&of, &function, false, call)),
                    None => error(),
                }
            }
            ("next", 0) => Any::Value(self.nth(&of, Term::Int(0), call)),
            ("nth", 1) => {
                let position = self.count_atom(&call.args[0]);
                Any::Value(self.nth(&of, position, call))
            }
            ("last", 0) => Any::Value(self.last(&of, call)),
            ("reduce" | "min_by" | "max_by" | "find" | "position", 1) => {
                let Some(function) = self.function_argument(&call.args[0]) else { return error() };
                Any::Value(match name {
                    "reduce" => self.reduce(&of, call, &mut |lower, before, element| {
                        lower.applied(&function, vec![before, element], call)
                    }),
                    "find" | "position" => self.find(&of, &function, name == "position", call),
                    name => self.extreme(&of, name == "max_by", &function, call),
                })
            }
            ("min" | "max", 0) => Any::Value(self.reduce(&of, call, &mut |lower, before, element| match element.ty {
                Ty::Int(integer) => {
                    Value::new(Term::call(name, [before.term, element.term]), Ty::Int(integer))
                }
                Ty::Error => Value::error(),
                ty => {
                    let message = format!("`{name}` of {} cannot be differentiated", describe(&ty));
                    lower.refuse(call, message, "use `max_by(|a, b| a.total_cmp(b))`, or `fold`")
                }
            })),
            ("try_fold" | "max_by_key" | "min_by_key" | "find_map", _) => Any::Value(self.refuse(
                &call.method,
                format!("the iterator method `{name}` cannot be differentiated"),
                "use `max_by`, `find` and `map`, or a loop",
            )),
            _ => Any::Value(self.refuse(
                &call.method,
                format!("the iterator method `{name}` cannot be differentiated"),
                "use `map`, `filter`, `zip`, `enumerate`, `rev`, `skip`, `take`, `step_by`, `sum`, `product`, `fold`, `all`, `any`, `collect`, or a loop",
            )),
        }
    }

    /// An argument that can be iterated over: an iterator or an array.
    fn iterator_argument(&mut self, expr: &syn::Expr) -> Option<Iter> {
        let is_mut = matches!(super::expr::strip(expr), syn::Expr::Reference(of) if of.mutability.is_some());
        match self.any(expr) {
            Any::Iter(iter) => Some(iter),
            Any::Value(value) => match (&value.ty, is_mut) {
                (Ty::Array(..), true) => self.place_of(expr).map(Iter::Places),
                (Ty::Array(..), false) => {
                    let term = self.array_atom(value.term, expr);
                    Some(Iter::Elements(Value::new(term, value.ty)))
                }
                (Ty::Error, _) => None,
                _ => {
                    self.refuse(expr, "this cannot be iterated over", "use an array or an iterator");
                    None
                }
            },
            Any::Closure(_) => None,
        }
    }

    fn struct_method(&mut self, value: Value, of: &str, call: &syn::ExprMethodCall) -> Value {
        let full = format!("{of}::{}", call.method);
        if self.world.of_traits.contains(&full) {
            let message = format!("`{}` is a method of a trait, which cannot be differentiated", call.method);
            return self.refuse(
                &call.method,
                message,
                "write a method with another name in an `impl` of the type, and call it",
            );
        }
        match self.world.functions.get(&full).cloned() {
            Some(signature) => {
                let mut arguments = vec![value];
                arguments.extend(call.args.iter().map(|argument| self.value(argument)));
                self.call_function(&signature, arguments, call)
            }
            None if self.world.unread.contains_key(&full) => {
                self.world.unread[&full].iter().for_each(|path| self.errors.need(path));
                Value::error()
            }
            None => {
                let message = format!("the method `{}` is not visible to `#[differentiable]`", show(&call.method));
                let help = "put the type, its `impl` and the function into one module with `#[differentiable]`";
                self.refuse(&call.method, message, help)
            }
        }
    }
}
