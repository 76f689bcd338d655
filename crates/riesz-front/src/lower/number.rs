//! Methods of real numbers, of integers, and of how they compare.

use super::{Lower, Value};
use crate::term::Term;
use crate::types::{Integer, Ty, ordering};
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

/// Whether a path names a function of one number.
pub(super) fn is_unary(path: &syn::ExprPath) -> bool {
    path.path.segments.last().is_some_and(|last| UNARY.iter().any(|(name, _)| last.ident == name))
}

impl Lower<'_> {
    pub(super) fn float_method(&mut self, value: Value, call: &syn::ExprMethodCall, name: &str) -> Value {
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
        let terms: Vec<Term> = arguments.into_iter().map(|argument| self.settled(argument).term).collect();
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
            ("partial_cmp", [y]) => {
                let (x, y) = (self.name_it("x", x, at), self.name_it("y", y.clone(), at));
                let nan = |of: &Term| Term::call("is_nan", [of.clone()]).not();
                let there = self.name_it("there", nan(&x).and(nan(&y)), at);
                let ordering = Value::new(Term::call("rust_compare", [x, y]), ordering());
                self.some_if(there, ordering, at)
            }
            ("total_cmp", [y]) => Value::new(Term::call("rust_total_compare", [x, y.clone()]), ordering()),
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

    pub(super) fn int_method(
        &mut self,
        value: Value,
        integer: Integer,
        call: &syn::ExprMethodCall,
        name: &str,
    ) -> Value {
        let arguments: Vec<Value> = call.args.iter().map(|argument| self.value(argument)).collect();
        let integer = arguments.iter().fold(integer, |integer, argument| match (name, &argument.ty) {
            ("pow", _) => integer,
            (_, Ty::Int(other)) => integer.with(*other),
            _ => integer,
        });
        let typed = |argument: &Value| match (name, &argument.ty) {
            ("pow", _) | (_, Ty::Int(Integer { bits: 1.., .. })) => argument.ty.clone(),
            _ => Ty::Int(integer),
        };
        let settled = arguments.iter().map(|one| self.settled(Value::new(one.term.clone(), typed(one))).term);
        let terms: Vec<Term> = settled.collect();
        let ty = Ty::Int(integer);
        let x = self.settle(value.term, integer);
        if let Some(term) = self.wrapping(integer, name, &x, &terms, call) {
            return Value::new(term, ty);
        }
        match (name, &terms[..]) {
            ("min" | "max", [y]) => Value::new(Term::call(name, [x, y.clone()]), ty),
            ("abs", []) => Value::new(Term::call("abs", [x]), ty),
            ("signum", []) => {
                let compared = Term::call("rust_compare_integers", [x, Term::Int(0)]);
                Value::new(Term::binary("-", compared, Term::Int(1)), ty)
            }
            ("cmp", [y]) => Value::new(Term::call("rust_compare_integers", [x, y.clone()]), ordering()),
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
                let message = format!("the integer method `{name}` cannot be differentiated");
                self.refuse(&call.method, message, "use arithmetic, `min`, `max`, `abs` and `as`")
            }
        }
    }

    /// Arithmetic that loses the upper bits.
    fn wrapping(
        &mut self,
        integer: Integer,
        name: &str,
        x: &Term,
        arguments: &[Term],
        at: &dyn ToTokens,
    ) -> Option<Term> {
        let sign = match name {
            "wrapping_add" => "+",
            "wrapping_sub" => "-",
            "wrapping_mul" => "*",
            _ => return None,
        };
        let [y] = arguments else { return None };
        if integer.bits == 0 || integer.bits == 64 {
            let message = format!("`{name}` of this type cannot be differentiated");
            return Some(self.refuse(at, message, "use integers of at most 32 bits, with a written type").term);
        }
        let term = Term::binary(sign, x.clone(), y.clone());
        // Not settled: the number is congruent already.
        Some(self.converted(term, integer, integer, at))
    }

    pub(super) fn ordering_method(&mut self, value: Value, call: &syn::ExprMethodCall, name: &str) -> Value {
        let is = |sign: &'static str, which: i64, term: Term| {
            Value::new(Term::binary(sign, term, Term::Int(which)), Ty::Bool)
        };
        match (name, call.args.len()) {
            ("reverse", 0) => Value::new(Term::binary("-", Term::Int(2), value.term), value.ty),
            ("is_lt", 0) => is("==", 0, value.term),
            ("is_gt", 0) => is("==", 2, value.term),
            ("is_le", 0) => is("!=", 2, value.term),
            ("is_ge", 0) => is("!=", 0, value.term),
            ("is_eq", 0) => is("==", 1, value.term),
            ("is_ne", 0) => is("!=", 1, value.term),
            ("clone", 0) => value,
            ("then", 1) => {
                let (first, other) = (self.name_it("c", value.term, call), self.value(&call.args[0]));
                let is_equal = Term::binary("==", first.clone(), Term::Int(1));
                let term = Term::If(
                    is_equal.into(),
                    super::operator::alone(other.term).into(),
                    super::operator::alone(first).into(),
                );
                Value::new(term, value.ty)
            }
            _ => {
                let message = format!("`{name}` of an `Ordering` cannot be differentiated");
                self.refuse(&call.method, message, "match on it")
            }
        }
    }
}
