//! Methods of numbers, arrays and iterators.

use super::expr::Any;
use super::iterator::{Function, Iter};
use super::{Lower, Value, describe};
use crate::term::Term;
use crate::types::{Integer, Ty, show};
use quote::ToTokens;

/// The methods of `f64` of one argument that Riesz has by a name of its own.
const UNARY: [(&str, &str); 25] = [
    ("sqrt", "sqrt"),
    ("cbrt", "cbrt"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("exp_m1", "expm1"),
    ("ln", "log"),
    ("ln_1p", "log1p"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin", "asin"),
    ("acos", "acos"),
    ("atan", "atan"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh", "tanh"),
    ("asinh", "asinh"),
    ("acosh", "acosh"),
    ("atanh", "atanh"),
    ("abs", "abs"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("round", "round"),
];

/// The methods that give what they are called on.
const COPIES: [&str; 4] = ["clone", "to_owned", "as_ref", "borrow"];

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
                _ if COPIES.contains(&name.as_str()) => Any::Value(Value { place: None, parts: Vec::new(), ..value }),
                ty => {
                    let message = format!("`{name}` of {} cannot be differentiated", describe(&ty));
                    Any::Value(self.refuse(&call.method, message, "use the fields and the numbers in it"))
                }
            },
        }
    }

    fn float_method(&mut self, value: Value, call: &syn::ExprMethodCall, name: &str) -> Value {
        if name == "expect" && call.args.len() == 1 {
            return self.float_function(value, "unwrap", Vec::new(), call);
        }
        let arguments: Vec<Value> = call.args.iter().map(|argument| self.value(argument)).collect();
        self.float_function(value, name, arguments, call)
    }

    /// A method of `f64`.
    pub(super) fn float_function(
        &mut self,
        value: Value,
        name: &str,
        arguments: Vec<Value>,
        at: &dyn ToTokens,
    ) -> Value {
        if matches!(value.ty, Ty::Error) || arguments.iter().any(|argument| matches!(argument.ty, Ty::Error)) {
            return Value::error();
        }
        let place = self.place(at);
        let float = |term: Term| Value::new(Term::At(place, term.into()), Ty::Float);
        let x = value.term;
        if let (Some((_, known)), true) = (UNARY.iter().find(|(rust, _)| *rust == name), arguments.is_empty()) {
            return float(Term::call(known, [x]));
        }
        let terms: Vec<Term> = arguments.iter().map(|argument| argument.term.clone()).collect();
        match (name, &terms[..]) {
            ("powi", [n]) => float(Term::Binary("^", x.into(), n.clone().into())),
            ("powf", [y]) => float(Term::call("pow", [x, y.clone()])),
            ("atan2" | "hypot", [y]) => float(Term::call(name, [x, y.clone()])),
            ("min" | "max" | "copysign", [y]) => float(Term::call(&format!("rust_{name}"), [x, y.clone()])),
            ("clamp", [low, high]) => float(Term::call("rust_clamp", [x, low.clone(), high.clone()])),
            ("mul_add", [a, b]) => float(Term::binary("+", Term::binary("*", x, a.clone()), b.clone())),
            ("log", [base]) => {
                let base = Term::call("log", [base.clone()]);
                float(Term::binary("/", Term::call("log", [x]), base))
            }
            ("recip", []) => float(Term::binary("/", Term::Real(1.0), x)),
            ("trunc" | "fract" | "signum", []) => float(Term::call(&format!("rust_{name}"), [x])),
            ("to_radians", []) => float(Term::binary("*", x, Term::Real(std::f64::consts::PI / 180.0))),
            ("to_degrees", []) => float(Term::binary("*", x, Term::Real(180.0 / std::f64::consts::PI))),
            ("sin_cos", []) => {
                let x = self.name_it("t", x, at);
                let term = Term::Tuple(vec![Term::call("sin", [x.clone()]), Term::call("cos", [x])]);
                Value::new(term, Ty::Tuple(vec![Ty::Float, Ty::Float]))
            }
            ("is_nan", []) => Value::new(Term::call("is_nan", [x]), Ty::Bool),
            ("is_finite", []) => {
                Value::new(Term::binary("<", Term::call("abs", [x]), Term::Real(f64::INFINITY)), Ty::Bool)
            }
            ("is_infinite", []) => {
                Value::new(Term::binary("==", Term::call("abs", [x]), Term::Real(f64::INFINITY)), Ty::Bool)
            }
            // Of `T::from(2.0)`, which is an option: there is no such method of numbers.
            ("unwrap", []) => Value::new(x, Ty::Float),
            ("is_zero", []) => Value::new(Term::binary("==", x, Term::Real(0.0)), Ty::Bool),
            ("clone" | "to_owned" | "into" | "to_f64", []) => Value::new(x, Ty::Float),
            _ => {
                let message = format!("`f64::{name}` is not in the table of functions that Riesz can differentiate");
                self.refuse(at, message, "the book's page on Rust functions lists the methods of `f64`")
            }
        }
    }

    fn int_method(&mut self, value: Value, integer: Integer, call: &syn::ExprMethodCall, name: &str) -> Value {
        let terms: Vec<Term> = call.args.iter().map(|argument| self.value(argument).term).collect();
        let ty = Ty::Int(integer);
        let x = value.term;
        match (name, &terms[..]) {
            ("min" | "max", [y]) => Value::new(Term::call(name, [x, y.clone()]), ty),
            ("abs", []) => Value::new(Term::call("abs", [x]), ty),
            ("rem_euclid", [Term::Int(n)]) if *n > 0 => Value::new(Term::call("mod", [x, Term::Int(*n)]), ty),
            ("div_euclid", [Term::Int(n)]) if *n > 0 => Value::new(Term::call("div", [x, Term::Int(*n)]), ty),
            ("saturating_sub", [y]) if !integer.signed => {
                Value::new(Term::call("max", [Term::binary("-", x, y.clone()), Term::Int(0)]), ty)
            }
            ("abs_diff", [y]) => Value::new(Term::call("abs", [Term::binary("-", x, y.clone())]), ty),
            ("pow", [Term::Int(n)]) if (0..=16).contains(n) => {
                Value::new(Term::Binary("^", x.into(), Term::Int(*n).into()), ty)
            }
            ("clone" | "to_owned", []) => Value::new(x, ty),
            _ => {
                let message = format!("the integer method `{name}` is outside of what can be differentiated");
                self.refuse(&call.method, message, "use arithmetic, `min`, `max`, `abs` and `as`")
            }
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
                let width = self.atom(&call.args[0]).term;
                let value = Value::new(term, value.ty);
                Any::Iter(match name {
                    "windows" => Iter::Windows(value, width),
                    _ => Iter::Chunks(value, width, name == "chunks"),
                })
            }
            ("first" | "last" | "get" | "iter().max_by" | "split_first", _) => Any::Value(self.refuse(
                &call.method,
                format!("`{name}` gives an `Option`, which cannot be differentiated"),
                "index the array, which panics where there is no element",
            )),
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
                format!("the method `{name}` of arrays is outside of what can be differentiated"),
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
            ("enumerate", 0) => Any::Iter(Iter::Enumerate(of)),
            ("rev", 0) => Any::Iter(Iter::Rev(of)),
            ("skip" | "take" | "step_by", 1) => {
                let by = self.atom(&call.args[0]).term;
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
                Any::Value(self.fold(&of, start, &function, call))
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
            ("min" | "max" | "min_by" | "max_by" | "next" | "last" | "nth" | "find" | "position" | "reduce" | "max_by_key"
            | "min_by_key", _) => Any::Value(self.refuse(
                &call.method,
                format!("`{name}` gives an `Option`, which cannot be differentiated"),
                "use `fold`, as in `fold(f64::NEG_INFINITY, f64::max)`, or a loop",
            )),
            _ => Any::Value(self.refuse(
                &call.method,
                format!("the iterator method `{name}` is outside of what can be differentiated"),
                "use `map`, `filter`, `zip`, `enumerate`, `rev`, `skip`, `take`, `step_by`, `sum`, `product`, `fold`, `all`, `any`, `collect`, or a loop",
            )),
        }
    }

    /// What can be iterated over: an iterator or an array.
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

    /// A fold is a loop that assigns one variable.
    fn fold(&mut self, iter: &Iter, start: Value, function: &Function, call: &syn::ExprMethodCall) -> Value {
        if matches!(start.ty, Ty::Error) {
            return Value::error();
        }
        let term = self.name_it("acc", start.term, &call.args[0]);
        let accumulator = self.hidden("acc", start.ty, term);
        let exits = super::assigned::Exits::default();
        let pattern: syn::Pat = syn::parse_quote!(fold_element);
        // The accumulator is the only variable that is assigned: it has a name that no program can write.
        self.scopes.push(vec![("#acc".to_string(), accumulator)]);
        let assigns: syn::Expr = syn::parse_quote!(());
        self.assigns_also.push("#acc".to_string());
        self.repeat_for(iter, &pattern, None, &exits, call, |visit| visit(&assigns), &mut |lower| {
            let element = match lower.lookup("fold_element") {
                Some(id) => {
                    let variable = &lower.vars[id.0];
                    Value::new(variable.term.clone(), variable.ty.clone())
                }
                None => Value::error(),
            };
            let variable = &lower.vars[accumulator.0];
            let now = Value::new(variable.term.clone(), variable.ty.clone());
            let next = match lower.apply_function(function, vec![now, element], call) {
                Any::Value(value) => value,
                _ => Value::error(),
            };
            if matches!(next.ty, Ty::Error) {
                lower.vars[accumulator.0].ty = Ty::Error;
                return;
            }
            let term = lower.name_it("acc", super::operator::unmarked(next.term), call);
            lower.vars[accumulator.0].term = term;
        });
        self.scopes.pop();
        let variable = &self.vars[accumulator.0];
        Value::new(variable.term.clone(), variable.ty.clone())
    }

    fn struct_method(&mut self, value: Value, of: &str, call: &syn::ExprMethodCall) -> Value {
        let full = format!("{of}::{}", call.method);
        if self.world.of_traits.contains(&full) {
            let message = format!("`{}` is a method of a trait, which cannot be differentiated", call.method);
            return self.refuse(&call.method, message, "call a method of the type's own `impl`, of another name");
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
