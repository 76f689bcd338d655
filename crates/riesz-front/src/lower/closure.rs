//! Closures, and functions inside of functions: their bodies stand in the place of each call.

use super::assigned::{Exits, assigned};
use super::constant::MOST_EXPANSIONS;
use super::expr::Any;
use super::{Closure, Kind, Lower, Value, VarId};
use crate::term::Term;
use crate::types::Ty;
use quote::ToTokens;
use std::rc::Rc;

impl Lower<'_> {
    pub(super) fn closure(&mut self, closure: &syn::ExprClosure) -> Any {
        let mut changed = assigned(|visit| visit(&closure.body)).names;
        for input in &closure.inputs {
            super::pattern::names(input, &mut |name| {
                changed.remove(name);
            });
        }
        let assigns = self.roots(changed.iter());
        if closure.capture.is_some() && !assigns.is_empty() {
            let help = "leave `move` out, or return the new value";
            return Any::Value(self.refuse(closure, "this closure assigns its own copy of a variable", help));
        }
        Any::Closure(Rc::new(Closure {
            inputs: closure.inputs.iter().cloned().collect(),
            output: match &closure.output {
                syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
                syn::ReturnType::Default => None,
            },
            body: (*closure.body).clone(),
            scopes: self.scopes.clone(),
            captured: self.snapshot(),
            assigns,
        }))
    }

    /// The variables that some names change: for a `&mut`, that which it refers to; for a closure, those that it assigns.
    pub(super) fn roots<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<VarId> {
        let mut roots = Vec::new();
        for var in names.filter_map(|name| self.lookup(name)) {
            match &self.vars[var.0].kind {
                Kind::Alias(place) => roots.push(place.root),
                Kind::Closure(closure) => roots.extend(&closure.assigns),
                _ => roots.push(var),
            }
        }
        roots
    }

    /// The variables that a loop may assign, as far as its text shows.
    pub(super) fn assigned_roots(&self, found: &super::assigned::Assigned) -> Vec<VarId> {
        let mut roots = self.roots(found.names.iter());
        let is_closure =
            |name: &&String| self.lookup(name).is_some_and(|var| matches!(self.vars[var.0].kind, Kind::Closure(_)));
        roots.extend(self.roots(found.mentioned.iter().filter(is_closure)));
        roots
    }

    /// The functions among the items of a block, which see each other.
    pub(super) fn inner_functions(&mut self, functions: &[&syn::ItemFn]) {
        let mut declared = Vec::new();
        for function in functions {
            let signature = &function.sig;
            if !signature.generics.params.is_empty() || signature.asyncness.is_some() || signature.unsafety.is_some() {
                let help = "put it beside this function, into a module with `#[differentiable]`";
                self.refuse(&signature.ident, "this function inside the function cannot be differentiated", help);
                continue;
            }
            let name = signature.ident.to_string();
            declared.push((self.declare_kind(&name, Ty::Error, Term::Unset, Kind::Value), written(function)));
        }
        for (var, closure) in declared {
            let (scopes, captured) = (self.scopes.clone(), self.snapshot());
            self.vars[var.0].kind = Kind::Closure(Rc::new(Closure { scopes, captured, ..closure }));
        }
    }

    /// The result of a closure for arguments: its body in the place of the call.
    pub(super) fn apply(&mut self, closure: &Closure, arguments: Vec<Value>, at: &dyn ToTokens) -> Any {
        self.apply_to(closure, arguments.into_iter().map(Any::Value).collect(), at)
    }

    /// A call of a function that takes functions: its body in the place of the call.
    pub(super) fn call_with_functions(&mut self, function: &syn::ItemFn, call: &syn::ExprCall) -> Value {
        let arguments = call.args.iter().map(|argument| self.value_or_function(argument)).collect();
        let closure = Closure { scopes: vec![Vec::new()], captured: self.snapshot(), ..written(function) };
        match self.apply_to(&closure, arguments, call) {
            Any::Value(value) => value,
            _ => self.refuse(
                call,
                "a function as a result cannot be differentiated",
                "give a number, a tuple or an array",
            ),
        }
    }

    /// An argument that may be a closure, a function, or a reference to one.
    fn value_or_function(&mut self, argument: &syn::Expr) -> Any {
        let inner = match super::expr::strip(argument) {
            syn::Expr::Reference(reference) => super::expr::strip(&reference.expr),
            inner => inner,
        };
        let syn::Expr::Path(path) = inner else {
            return self.any(if matches!(inner, syn::Expr::Closure(_)) { inner } else { argument });
        };
        if let Some(var) = path.path.get_ident().and_then(|ident| self.lookup(&ident.to_string())) {
            return self.any(if matches!(self.vars[var.0].kind, Kind::Closure(_)) { inner } else { argument });
        }
        let known = self.world.functions.get(&crate::types::key(&path.path)).map(|known| known.parameters.len());
        let of_numbers = path.path.segments.first().is_some_and(|first| first.ident == self.real());
        let is_function = known.is_some() || (of_numbers && super::number::is_unary(path));
        match known.or(is_function.then_some(1)) {
            Some(count) => {
                let names: Vec<syn::Ident> = (0..count).map(|at| quote::format_ident!("argument{}", at)).collect();
                self.any(&syn::parse_quote!(|#(#names),*| #path(#(#names),*)))
            }
            None => self.any(argument),
        }
    }

    /// What a closure gives for arguments, which may be closures themselves.
    fn apply_to(&mut self, closure: &Closure, arguments: Vec<Any>, at: &dyn ToTokens) -> Any {
        if self.depth >= MOST_EXPANSIONS {
            let help = "put a recursive function beside this one, into a module with `#[differentiable]`";
            return Any::Value(self.refuse(at, "closures call each other too deeply", help));
        }
        if closure.inputs.len() != arguments.len() {
            return Any::Value(Value::error());
        }
        // A closure sees the values that variables had where it was made: a `move` closure has copies of them. Those that
        // it assigns are its own until it is dropped.
        let mut own = closure.assigns.clone();
        for argument in &arguments {
            match argument {
                Any::Value(value) => own.extend(value.place.as_ref().map(|place| place.root)),
                Any::Closure(closure) => own.extend(&closure.assigns),
                Any::Iter(_) => {}
            }
        }
        let now = self.snapshot();
        self.restore_but(&closure.captured, &own);
        let scopes = std::mem::replace(&mut self.scopes, closure.scopes.clone());
        let loops = std::mem::take(&mut self.loops);
        self.depth += 1;
        self.scopes.push(Vec::new());
        let outside = self.vars.len();
        for (input, argument) in closure.inputs.iter().zip(arguments) {
            match (argument, input) {
                (Any::Value(value), input) => self.bind(input, value),
                (Any::Closure(closure), syn::Pat::Type(typed)) => {
                    self.declare_special(&typed.pat, Kind::Closure(closure));
                }
                (Any::Closure(closure), input) => {
                    self.declare_special(input, Kind::Closure(closure));
                }
                (Any::Iter(_), input) => {
                    self.refuse(at, "an iterator as an argument cannot be differentiated", "pass an array");
                    self.bind_errors(input);
                }
            }
        }
        let before = self.snapshot();
        let value = match Exits::of_expr(&closure.body).returns {
            false => self.any(&closure.body),
            true => Any::Value(self.returning(closure)),
        };
        // Parameters are its own too.
        let is_own =
            |var: &VarId| var.0 >= outside || self.vars[var.0].name == super::statement::OK || own.contains(var);
        let changes = self.changed(&before).iter().any(|var| !is_own(var));
        self.depth -= 1;
        self.loops = loops;
        self.scopes = scopes;
        self.restore_but(&now, &own);
        if changes {
            let help = "write a `for` loop, or a function with a `&mut` parameter";
            return Any::Value(self.refuse(at, "this closure changes something around it", help));
        }
        value
    }

    /// A body that may return.
    fn returning(&mut self, closure: &Closure) -> Value {
        let written = closure.output.as_ref().and_then(|ty| self.written_type(ty));
        let result = written.as_ref().map_or(Ty::Unknown, |shape| shape.plain());
        let result = std::mem::replace(&mut self.result, result);
        let built = std::mem::replace(&mut self.built, written);
        let returned = self.returned.take();
        self.returned_flag();
        let value = match &closure.body {
            syn::Expr::Block(body) => self.scope(|lower| lower.statements(&body.block.stmts, true)),
            body => self.scope(|lower| lower.statements(&[syn::Stmt::Expr(body.clone(), None)], true)),
        };
        self.returned = returned;
        (self.result, self.built) = (result, built);
        value
    }

    /// Puts back the variables' terms, but for that of the assertions and some others.
    fn restore_but(&mut self, before: &[(Term, Ty)], others: &[VarId]) {
        for (at, (variable, (term, ty))) in self.vars.iter_mut().zip(before).enumerate() {
            if variable.name != super::statement::OK && !others.contains(&VarId(at)) {
                (variable.term, variable.ty) = (term.clone(), ty.clone());
            }
        }
    }
}

/// A function as a closure that sees nothing.
fn written(function: &syn::ItemFn) -> Closure {
    let signature = &function.sig;
    let inputs = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(syn::Pat::Type(typed.clone())),
        syn::FnArg::Receiver(_) => None,
    });
    Closure {
        inputs: inputs.collect(),
        output: match &signature.output {
            syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
            syn::ReturnType::Default => None,
        },
        body: syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: (*function.block).clone() }),
        scopes: Vec::new(),
        captured: Vec::new(),
        assigns: Vec::new(),
    }
}
