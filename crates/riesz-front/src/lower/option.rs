//! Options: a pair of whether there is a value, and the value. Where there is none, something of its type stands in its
//! place, which nothing looks at.
//!
//! ```text
//! v.get(i)               (i < n, if i < n then v[i] else 0)
//! o.map(f)               (there, if there then f(value) else 0)
//! o.unwrap_or(y)         if there then value else y
//! ```

use super::operator::alone;
use super::{Lower, Value};
use crate::term::{Block, Term};
use crate::types::{Ty, describe};
use quote::ToTokens;

impl Lower<'_> {
    /// `None`, whose type is not known yet.
    pub(super) fn none() -> Value {
        Value::new(Term::Unset, Ty::Option(Box::new(Ty::Unknown)))
    }

    /// `Some(value)`
    pub(super) fn some(value: Value) -> Value {
        Value::new(Term::Tuple(vec![Term::Bool(true), value.term]), Ty::Option(Box::new(value.ty)))
    }

    /// The option that holds a value under a condition, which is an atom.
    pub(super) fn some_if(&mut self, there: Term, value: Value, at: &dyn ToTokens) -> Value {
        if matches!(value.ty, Ty::Error) {
            return Value::error();
        }
        let (lets, none) = self.block(|lower| lower.dummy(&value.ty, at));
        let value_or_none = match &there {
            Term::Bool(true) => value.term,
            _ => Term::If(there.clone().into(), alone(value.term).into(), Block { lets, result: none }.into()),
        };
        Value::new(Term::Tuple(vec![there, value_or_none]), Ty::Option(Box::new(value.ty)))
    }

    /// Whether there is a value, as an atom, and the value, which is looked at only if there is one.
    pub(super) fn option_parts(&mut self, option: Value, at: &dyn ToTokens) -> (Term, Value) {
        let inner = match option.ty {
            Ty::Option(inner) => *inner,
            _ => return (Term::Bool(false), Value::error()),
        };
        let (there, value) = match option.term {
            Term::Unset => return (Term::Bool(false), Value::new(Term::Unset, inner)),
            Term::Tuple(mut parts) if parts.len() == 2 => {
                let value = parts.pop().unwrap_or(Term::Unset);
                (parts.pop().unwrap_or(Term::Unset), value)
            }
            whole => {
                let whole = self.name_it("option", whole, at);
                (Term::Field(whole.clone().into(), 0), Term::Field(whole.into(), 1))
            }
        };
        let there = self.name_it("there", there, at);
        let value = match value {
            Term::If(condition, yes, _) if *condition == there && yes.lets.is_empty() => yes.result,
            value => value,
        };
        (there, Value::new(value, inner))
    }

    /// One of two values, of which only that is computed which is asked for.
    fn either(&mut self, there: &Term, some: (Block, Ty), none: (Block, Ty), at: &dyn ToTokens) -> Value {
        match there {
            Term::Bool(_) => {
                let (block, ty) = if *there == Term::Bool(true) { some } else { none };
                let term = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
                Value::new(term, ty)
            }
            there => {
                let (mut yes, yes_ty) = some;
                let (mut no, no_ty) = none;
                if matches!(yes_ty, Ty::Error) || matches!(no_ty, Ty::Error) {
                    return Value::error();
                }
                if !self.agrees(&yes_ty, &no_ty) {
                    let message = format!("this is {} or {}", describe(&yes_ty), describe(&no_ty));
                    return self.refuse(at, message, "check that the attribute understands both");
                }
                let ty = super::control::join(&yes_ty, &no_ty);
                for block in [&mut yes, &mut no] {
                    if block.result == Term::Unset {
                        block.result = self.dummy(&ty, at);
                    }
                }
                Value::new(Term::If(there.clone().into(), yes.into(), no.into()), ty)
            }
        }
    }

    /// The result of a function, which may be a closure or a path, for some arguments, in a block of its own.
    fn block_of(&mut self, function: &syn::Expr, arguments: Vec<Value>, at: &dyn ToTokens) -> (Block, Ty) {
        let Some(function) = self.function_argument(function) else { return (alone(Term::Unset), Ty::Error) };
        self.own_block(at, |lower| lower.applied(&function, arguments, at))
    }

    /// The result of a function, which must be a value.
    pub(super) fn applied(
        &mut self,
        function: &super::iterator::Function,
        arguments: Vec<Value>,
        at: &dyn ToTokens,
    ) -> Value {
        match self.apply_function(function, arguments, at) {
            super::expr::Any::Value(value) => value,
            _ => self.refuse(at, "this is no value", "give a number, a tuple or an array"),
        }
    }

    /// Something that stops the derivative, as the function stops.
    fn stops(&mut self, value: &Value) -> Block {
        alone(Term::Index(Term::call("replicate", [Term::Int(0), value.term.clone()]).into(), vec![Term::Int(0)]))
    }

    pub(super) fn option_method(&mut self, option: Value, call: &syn::ExprMethodCall, name: &str) -> Value {
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        let (there, value) = self.option_parts(option.clone(), call);
        let (inner, ty) = (value.clone(), value.ty.clone());
        let here = |value: Value| (alone(value.term), value.ty);
        match (name, &arguments[..]) {
            ("is_some", []) => Value::new(there, Ty::Bool),
            ("is_none", []) => Value::new(there.not(), Ty::Bool),
            ("copied" | "cloned" | "clone" | "as_ref" | "to_owned" | "as_deref", []) => {
                Value { place: None, parts: Vec::new(), ..option }
            }
            ("unwrap", []) | ("expect", [_]) => {
                if matches!(ty, Ty::Unknown | Ty::Error) {
                    return self.refuse(call, "the type of this `Option` is not known here", "write it: `Option<f64>`");
                }
                let stops = self.stops(&value);
                self.either(&there, here(value), (stops, ty), call)
            }
            ("unwrap_or", [other]) => {
                let other = self.value(other);
                self.either(&there, here(value), here(other), call)
            }
            ("unwrap_or_default", []) => {
                let other = self.own_block(call, |lower| Value::new(lower.dummy(&ty, call), ty.clone()));
                self.either(&there, here(value), other, call)
            }
            ("unwrap_or_else", [function]) => {
                let other = self.block_of(function, Vec::new(), call);
                self.either(&there, here(value), other, call)
            }
            ("map_or", [other, function]) => {
                let other = self.value(other);
                let mapped = self.block_of(function, vec![inner], call);
                self.either(&there, mapped, here(other), call)
            }
            ("map_or_else", [other, function]) => {
                let other = self.block_of(other, Vec::new(), call);
                let mapped = self.block_of(function, vec![inner], call);
                self.either(&there, mapped, other, call)
            }
            ("map", [function]) => {
                let (block, ty) = self.block_of(function, vec![inner], call);
                let term = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
                self.some_if(there, Value::new(term, ty), call)
            }
            ("and_then", [function]) => {
                let mapped = self.block_of(function, vec![inner], call);
                self.either(&there, mapped, here(Self::none()), call)
            }
            ("or", [other]) => {
                let other = self.value(other);
                self.either(&there, here(option), here(other), call)
            }
            ("or_else", [function]) => {
                let other = self.block_of(function, Vec::new(), call);
                self.either(&there, here(option), other, call)
            }
            ("filter" | "is_some_and" | "is_none_or", [function]) => {
                let (block, _) = self.block_of(function, vec![inner], call);
                let holds = if block.lets.is_empty() { block.result } else { Term::Scope(block.into()) };
                match name {
                    "is_none_or" => {
                        let holds = Term::Binary("or", there.not().into(), holds.into());
                        Value::new(holds, Ty::Bool)
                    }
                    "is_some_and" => Value::new(there.and(holds), Ty::Bool),
                    _ => {
                        let there = self.name_it("there", there.and(holds), call);
                        self.some_if(there, value, call)
                    }
                }
            }
            _ => {
                let message = format!("`{name}` of an `Option` cannot be differentiated");
                self.refuse(&call.method, message, "match on it, or use `unwrap_or`, `map`, `map_or` or `is_some`")
            }
        }
    }
}
