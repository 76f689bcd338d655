//! Calls of functions.

use super::expr::Any;
use super::{Kind, Lower, Value, describe};
use crate::signature::Signature;
use crate::term::Term;
use crate::types::{Integer, Ty, show};
use quote::ToTokens;
use riesz_rust::Precision;
use std::rc::Rc;

/// The functions without arguments that traits give floats.
fn of_trait(name: &str) -> Option<f64> {
    Some(match name {
        "zero" | "default" => 0.0,
        "one" => 1.0,
        "nan" => f64::NAN,
        "infinity" => f64::INFINITY,
        "neg_infinity" => f64::NEG_INFINITY,
        "epsilon" => f64::EPSILON,
        "max_value" => f64::MAX,
        "min_value" => f64::MIN,
        "min_positive_value" => f64::MIN_POSITIVE,
        name => return super::constant::constant(name),
    })
}

impl Lower<'_> {
    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Value {
        let syn::Expr::Path(path) = super::expr::strip(&call.func) else {
            return match self.any(&call.func) {
                Any::Closure(closure) => {
                    let arguments = call.args.iter().map(|argument| self.value(argument)).collect();
                    match self.apply(&closure, arguments, call) {
                        Any::Value(value) => value,
                        _ => self.refuse(call, "this is no value", "give a number, a tuple or an array"),
                    }
                }
                _ => self.refuse(&call.func, "this cannot be called where a derivative is taken", "name the function"),
            };
        };
        if let Some(function) = self.world.higher.get(&crate::types::key(&path.path)).cloned()
            && path.path.get_ident().is_none_or(|ident| self.lookup(&ident.to_string()).is_none())
        {
            return self.call_with_functions(&function, call);
        }
        let named = |name: &str| path.path.segments.last().is_some_and(|segment| segment.ident == name);
        if named("from_fn") && !self.world.functions.contains_key(&crate::types::key(&path.path)) {
            let help = "write `let a: [f64; 3] = std::array::from_fn(..)`, with the length that it has";
            return self.refuse(call, "the length of this array is not visible here", help);
        }
        let arguments: Vec<Value> = call.args.iter().map(|argument| self.value(argument)).collect();
        if let Some(var) = path.path.get_ident().and_then(|ident| self.lookup(&ident.to_string())) {
            return match self.vars[var.0].kind.clone() {
                Kind::Closure(closure) => match self.apply(&closure, arguments, call) {
                    Any::Value(value) => value,
                    _ => self.refuse(call, "this is no value", "give a number, a tuple or an array"),
                },
                _ if matches!(self.vars[var.0].ty, Ty::Error) => Value::error(),
                _ => self.refuse(&call.func, "this is no function", "call a function or a closure"),
            };
        }
        self.call_path(path, arguments, call)
    }

    /// A call of a function by its path.
    pub(super) fn call_path(&mut self, path: &syn::ExprPath, arguments: Vec<Value>, at: &dyn ToTokens) -> Value {
        if arguments.iter().any(|argument| matches!(argument.ty, Ty::Error)) {
            return Value::error();
        }
        let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let mut segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        // `<f64 as Float>::sin`
        if let Some(of) = &path.qself
            && show(&*of.ty) == self.real()
            && let [.., named, method] = segments[..]
            && crate::generic::is_known(named)
        {
            segments = vec![self.real(), method];
        }
        match segments[..] {
            ["f64" | "f32", "from"] if segments[0] == self.real() => match arguments.into_iter().next() {
                Some(value) if value.is_int() => Value::new(Term::call("real", [self.settled(value).term]), Ty::Float),
                Some(value) if value.is_float() => value,
                _ => self.refuse(at, "`f64::from` of this cannot be differentiated", "write `as f64`"),
            },
            ["f64", name]
                if self.precision == Precision::Double && arguments.is_empty() && of_trait(name).is_some() =>
            {
                Value::new(Term::Real(of_trait(name).unwrap_or(0.0)), Ty::Float)
            }
            ["f64", name]
                if name.starts_with("from_") && arguments.len() == 1 && self.precision == Precision::Double =>
            {
                match arguments.into_iter().next() {
                    Some(value) if value.is_int() && Integer::named(&name[5..]).is_some() => {
                        Value::new(Term::call("real", [self.settled(value).term]), Ty::Float)
                    }
                    Some(value) if value.is_float() && name == "from_f64" => Value::new(value.term, Ty::Float),
                    _ => self.refuse(at, format!("`{name}` of this cannot be differentiated"), "write `from`"),
                }
            }
            ["f64" | "f32", method] if segments[0] == self.real() => {
                let mut arguments = arguments.into_iter();
                match arguments.next() {
                    Some(value) if value.is_float() => self.float_function(value, method, arguments.collect(), at),
                    _ => self.refuse(at, format!("`f64::{method}` cannot be differentiated"), "call it on a number"),
                }
            }
            ["Some"] if arguments.len() == 1 => {
                let mut arguments = arguments;
                let value = arguments.remove(0);
                match value.holds_place() {
                    true => {
                        self.refuse(at, "a `&mut` inside another value cannot be differentiated", "give a copy of it")
                    }
                    false => Self::some(value),
                }
            }
            [.., "cmp", "min" | "max"] if arguments.len() == 2 && arguments.iter().all(Value::is_int) => {
                let integer = arguments.iter().fold(Integer::LITERAL, |all, one| match one.ty {
                    Ty::Int(integer) => all.with(integer),
                    _ => all,
                });
                let terms: Vec<Term> =
                    arguments.into_iter().map(|argument| self.settle(argument.term, integer)).collect();
                Value::new(Term::call(segments[segments.len() - 1], terms), Ty::Int(integer))
            }
            [.., "mem", "replace" | "take"] => {
                let mut arguments = arguments.into_iter();
                let (Some(old), new) = (arguments.next(), arguments.next()) else { return Value::error() };
                let Some(place) = old.place.clone() else {
                    return self.refuse(at, "this needs a variable here", "write `&mut` and a variable");
                };
                let new = match new {
                    Some(new) => new,
                    None => Value::new(self.dummy(&old.ty, at), old.ty.clone()),
                };
                let term = self.name_it("t", super::operator::unmarked(old.term), at);
                self.write_place(&place, new, at);
                Value::new(term, old.ty)
            }
            [.., "Vec", "new" | "with_capacity"] => {
                let name = self.fresh("v");
                let place = self.place(at);
                self.emit(vec![name.clone()], Term::Array(Vec::new()), place);
                Value::new(Term::Name(name), Ty::Array(Box::new(Ty::Unknown), Box::new(Term::Int(0))))
            }
            [.., "swap"] if segments.len() > 1 && segments[segments.len() - 2] == "mem" => {
                let places: Vec<_> = arguments.iter().filter_map(|argument| argument.place.clone()).collect();
                let [a, b] = &places[..] else {
                    return self.refuse(at, "`swap` needs two variables here", "write `&mut a` and `&mut b`");
                };
                let (x, y) = (arguments[0].clone(), arguments[1].clone());
                let x_term = self.name_it("t", super::operator::unmarked(x.term), at);
                let y_term = self.name_it("t", super::operator::unmarked(y.term), at);
                self.write_place(a, Value::new(y_term, y.ty), at);
                self.write_place(b, Value::new(x_term, x.ty), at);
                Value::unit()
            }
            ["usize" | "i32" | "i64" | "u32" | "u64", "from"] => match arguments.into_iter().next() {
                Some(value) if value.is_int() => {
                    let integer = Integer::named(segments[0]).unwrap_or(Integer::USIZE);
                    Value::new(self.settled(value).term, Ty::Int(integer))
                }
                _ => self.refuse(at, "this conversion cannot be differentiated", "write `as`"),
            },
            _ => {
                let key = match segments[..] {
                    ["self", ref rest @ ..] if !rest.is_empty() => rest.join("::"),
                    ["Self", name] => match self.lookup("self").map(|var| self.vars[var.0].ty.clone()) {
                        Some(Ty::Struct(of)) => format!("{}::{name}", of.name),
                        _ => show(path),
                    },
                    _ => segments.join("::"),
                };
                if let Some(signature) = self.world.functions.get(&key).cloned() {
                    return self.call_function(&signature, arguments, at);
                }
                if let Some(value) = self.derivative_call(path, &segments, &arguments, at) {
                    return value;
                }
                if let Some(of) = self.world.types.structs.get(&key).cloned()
                    && of.fields.len() == arguments.len()
                {
                    // The constructor of a tuple struct.
                    let terms = arguments.into_iter().map(|argument| argument.term).collect();
                    return Value::new(Term::tuple(terms), Ty::Struct(of));
                }
                self.unknown_function(path, &segments)
            }
        }
    }

    /// A function that is not known: of another module, where it can be asked for.
    fn unknown_function(&mut self, path: &syn::ExprPath, segments: &[&str]) -> Value {
        let lower = |name: &&str| name.starts_with(|letter: char| letter.is_lowercase() || letter == '_');
        let standard = matches!(segments[0], "std" | "core" | "alloc" | "f32") || Integer::named(segments[0]).is_some();
        let generic = path.path.segments.iter().any(|segment| !segment.arguments.is_empty());
        if path.qself.is_none() && !standard && !generic && segments.iter().all(lower) {
            self.errors.need(&path.path);
            return Value::error();
        }
        let message = format!("the body of `{}` is not visible to `#[differentiable]`", show(path));
        let help = "call a function with `#[differentiable]`, or one of the same annotated module";
        self.refuse(path, message, help)
    }

    /// The arguments of a call as terms, if they have the types of the parameters.
    pub(super) fn arguments(
        &mut self,
        signature: &Signature,
        arguments: &[Value],
        at: &dyn ToTokens,
    ) -> Option<Vec<Term>> {
        if arguments.len() != signature.parameters.len() {
            return None;
        }
        if signature.precision.is_some_and(|precision| precision != self.precision) {
            let message = format!("`{}` computes with the other precision", signature.name);
            self.refuse(at, message, "use `f64` or `f32` in both functions");
            return None;
        }
        for (parameter, argument) in signature.parameters.iter().zip(arguments) {
            if !self.agrees(&parameter.ty, &argument.ty) {
                let (expected, found) = (describe(&parameter.ty), describe(&argument.ty));
                let message = format!("`{}` takes {expected} here, and this seems to be {found}", signature.name);
                self.refuse(at, message, "check that the attribute understands the argument");
                return None;
            }
        }
        let terms = arguments.iter().zip(&signature.parameters).map(|(argument, parameter)| {
            let term = super::operator::unmarked(argument.term.clone());
            match (&argument.ty, &parameter.ty) {
                (Ty::Int(from), Ty::Int(to)) => self.settle(term, from.with(*to)),
                _ => term,
            }
        });
        Some(terms.collect())
    }

    pub(super) fn call_function(
        &mut self,
        signature: &Rc<Signature>,
        arguments: Vec<Value>,
        at: &dyn ToTokens,
    ) -> Value {
        let Some(terms) = self.arguments(signature, &arguments, at) else { return Value::error() };
        let result = signature.result.as_ref().map(|shape| shape.plain());
        let outputs: Vec<usize> = (0..arguments.len()).filter(|at| signature.parameters[*at].output).collect();
        let place = self.place(at);
        let term = Term::At(place, Term::Call(signature.riesz_name(), terms).into());
        if outputs.is_empty() {
            return match result {
                Some(ty) => Value::new(term, ty),
                None => Value::unit(),
            };
        }
        // What is handed over by `&mut` comes back beside the result.
        let mut names = Vec::new();
        if result.is_some() {
            names.push(self.fresh("t"));
        }
        for output in &outputs {
            let hint = signature.parameters[*output].name.to_string();
            names.push(self.fresh(&hint));
        }
        self.emit(names.clone(), term, place);
        let given = if result.is_some() { &names[1..] } else { &names[..] };
        for (output, name) in outputs.iter().zip(given) {
            let argument = &arguments[*output];
            match &argument.place {
                Some(place) => {
                    let ty = match signature.parameters[*output].may_grow() {
                        true => signature.parameters[*output].shape.plain(),
                        false => argument.ty.clone(),
                    };
                    let value = Value::new(Term::Name(name.clone()), ty);
                    self.write_place(&place.clone(), value, at);
                }
                None => {
                    self.refuse(at, "a `&mut` argument needs a variable here", "write `&mut` and a variable");
                }
            }
        }
        match result {
            Some(ty) => Value::new(Term::Name(names[0].clone()), ty),
            None => Value::unit(),
        }
    }
}
