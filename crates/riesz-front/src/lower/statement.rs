//! Blocks of statements. `return`, `break` and `continue` become structure: the statements after one that may leave the
//! block move to the other branch of a conditional, or depend on a flag that the statement sets.

use super::assigned::{Exits, diverges, expr_diverges};
use super::expr::Any;
use super::{Kind, Lower, Value, VarId};
use crate::error::Errors;
use crate::term::{Block, Let, Term};
use crate::types::{Sequence, SignatureType, Ty};
use quote::ToTokens;
use std::rc::Rc;
use syn::visit::Visit;

/// The variable that says whether every assertion has held.
pub(super) const OK: &str = "#ok";

impl Lower<'_> {
    /// Statements and their value. In tail position the value is the function's, and `return` gives it.
    pub(super) fn statements(&mut self, statements: &[syn::Stmt], tail: bool) -> Value {
        self.items(statements);
        for (at, statement) in statements.iter().enumerate() {
            let rest = &statements[at + 1..];
            let last = rest.is_empty();
            if let syn::Stmt::Local(syn::Local {
                pat,
                init: Some(syn::LocalInit { expr, diverge: Some((_, otherwise)), .. }),
                ..
            }) = statement
            {
                return self.let_else(pat, expr, otherwise, rest, tail);
            }
            let exits = Exits::of_statement(statement);
            if exits.is_empty() {
                match statement {
                    syn::Stmt::Expr(expr, None) if last => {
                        return if tail { self.tail_value(expr) } else { self.value(expr) };
                    }
                    // A macro without a semicolon is the value of its block.
                    syn::Stmt::Macro(inner) if last && inner.semi_token.is_none() => {
                        let expr = syn::Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: inner.mac.clone() });
                        return self.value(&expr);
                    }
                    statement => {
                        if is_integer(statement) {
                            self.indices = super::integer::indices(|visit| rest.iter().for_each(visit));
                        }
                        let value = self.statement(statement);
                        self.indices.clear();
                        if matches!(value.ty, Ty::Never) {
                            return value;
                        }
                    }
                }
                continue;
            }
            match statement {
                syn::Stmt::Expr(syn::Expr::Return(inner), _) if tail => {
                    return match &inner.expr {
                        Some(expr) => self.tail_value(expr),
                        None => Value::unit(),
                    };
                }
                syn::Stmt::Expr(expr, _) if expr_diverges(expr) && !matches!(expr, syn::Expr::If(_)) => {
                    return self.value(expr);
                }
                syn::Stmt::Expr(syn::Expr::If(inner), semi) => {
                    let no_exits = inner.else_branch.as_ref().map(|(_, no)| Exits::of_expr(no)).unwrap_or_default();
                    let yes_exits = Exits::of_block(&inner.then_branch);
                    let yes_leaves = diverges(&inner.then_branch);
                    let no_leaves = inner.else_branch.as_ref().is_some_and(|(_, no)| expr_diverges(no));
                    // What follows belongs to the branches that reach it; it is written once.
                    let is_value = last && semi.is_none();
                    if is_value && tail {
                        return self.split(inner, &[], &[], true, true);
                    }
                    if yes_leaves && no_leaves {
                        return self.split(inner, &[], &[], tail, false);
                    }
                    if yes_leaves && no_exits.is_empty() {
                        return self.split(inner, &[], rest, tail, is_value);
                    }
                    if no_leaves && yes_exits.is_empty() {
                        return self.split(inner, rest, &[], tail, is_value);
                    }
                }
                _ => {}
            }
            let flags = self.flags(&exits, statement);
            let value = self.statement(statement);
            if last && matches!(statement, syn::Stmt::Expr(_, None)) {
                return match (tail, exits.returns, self.returned) {
                    (true, true, Some((flag, returned))) => self.pick_returned(flag, returned, value),
                    _ => value,
                };
            }
            let left = flags.iter().fold(Term::Bool(false), |left, flag| {
                let flag = self.vars[flag.0].term.clone();
                match left {
                    Term::Bool(false) => flag,
                    left => Term::Binary("or", left.into(), flag.into()),
                }
            });
            let left = self.name_it("left", left, statement);
            let returned = self.returned.filter(|_| tail && exits.returns);
            let scopes = self.scopes.clone();
            let value = self.branch(
                left,
                statement,
                |lower| match returned {
                    Some((_, value)) => Value::new(lower.vars[value.0].term.clone(), lower.result.clone()),
                    None => Value::never(),
                },
                |lower| lower.statements(rest, tail),
            );
            self.scopes = scopes;
            return value;
        }
        Value::unit()
    }

    /// The value of a function: a conditional whose branches may return.
    fn tail_value(&mut self, expr: &syn::Expr) -> Value {
        match expr {
            syn::Expr::Block(inner) if inner.label.is_none() => {
                self.scope(|lower| lower.statements(&inner.block.stmts, true))
            }
            syn::Expr::If(inner) if inner.else_branch.is_some() => self.split(inner, &[], &[], true, true),
            expr => {
                let built = self.built.as_ref().and_then(|shape| from_fn(expr, shape));
                self.value(built.as_ref().unwrap_or(expr))
            }
        }
    }

    /// A conditional with statements behind each branch.
    fn split(
        &mut self,
        inner: &syn::ExprIf,
        behind_yes: &[syn::Stmt],
        behind_no: &[syn::Stmt],
        tail: bool,
        is_value: bool,
    ) -> Value {
        let (condition, scope) = self.scoped_condition(&inner.cond);
        let followed = |lower: &mut Self, scope: super::Scope, statements: &[syn::Stmt], rest: &[syn::Stmt]| {
            let scopes = lower.scopes.clone();
            lower.scopes.push(scope);
            lower.scopes.push(Vec::new());
            let ends = rest.is_empty() && (is_value || tail);
            let value = lower.statements(statements, tail && (ends || statements_leave(statements)));
            lower.scopes = scopes;
            if rest.is_empty() {
                return value;
            }
            lower.scope(|lower| lower.statements(rest, tail))
        };
        let empty = Vec::new();
        self.branch(
            condition,
            &inner.cond,
            |lower| followed(lower, scope, &inner.then_branch.stmts, behind_yes),
            |lower| match &inner.else_branch {
                None => followed(lower, Vec::new(), &empty, behind_no),
                Some((_, no)) => match &**no {
                    syn::Expr::Block(block) => followed(lower, Vec::new(), &block.block.stmts, behind_no),
                    other => followed(lower, Vec::new(), &[syn::Stmt::Expr(other.clone(), None)], behind_no),
                },
            },
        )
    }

    /// `let pattern = value else { otherwise };` and what follows.
    fn let_else(
        &mut self,
        pattern: &syn::Pat,
        value: &syn::Expr,
        otherwise: &syn::Expr,
        rest: &[syn::Stmt],
        tail: bool,
    ) -> Value {
        let (pattern, written) = match pattern {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        if let Some(ty) = written {
            self.written_type(ty);
        }
        let Some(value) = self.scrutinee(value) else {
            self.bind_errors(pattern);
            return self.statements(rest, tail);
        };
        // The names are for what follows, and not for the other branch.
        self.scopes.push(Vec::new());
        let condition = self.fits(pattern, &value);
        let names = self.scopes.pop().unwrap_or_default();
        let Some(condition) = condition else {
            self.bind_errors(pattern);
            return self.statements(rest, tail);
        };
        let condition = self.name_it("c", condition, pattern);
        let otherwise = match otherwise {
            syn::Expr::Block(block) => block.block.stmts.clone(),
            other => vec![syn::Stmt::Expr(other.clone(), None)],
        };
        let exits = otherwise.iter().any(|statement| Exits::of_statement(statement).returns);
        if exits && !tail {
            self.returned_flag();
        }
        self.branch(
            condition,
            pattern,
            |lower| {
                lower.scopes.push(names);
                let value = lower.statements(rest, tail);
                lower.scopes.pop();
                value
            },
            |lower| lower.scope(|lower| lower.statements(&otherwise, tail)),
        )
    }

    /// The flags that a statement may set; they are made where they are not there yet.
    fn flags(&mut self, exits: &Exits, at: &dyn ToTokens) -> Vec<VarId> {
        let mut flags = Vec::new();
        if exits.returns {
            flags.push(self.returned_flag().0);
        }
        for (labels, breaks) in [(&exits.breaks, true), (&exits.continues, false)] {
            for label in labels {
                if let Some(flag) = self.loop_flag(label, breaks, at) {
                    flags.push(flag);
                }
            }
        }
        flags.sort_unstable();
        flags.dedup();
        flags
    }

    pub(super) fn returned_flag(&mut self) -> (VarId, VarId) {
        if self.returned.is_none() {
            let flag = self.hidden("returned", Ty::Bool, Term::Bool(false));
            let value = self.hidden("result", self.result.clone(), Term::Unset);
            self.returned = Some((flag, value));
        }
        self.returned.unwrap_or((VarId(0), VarId(0)))
    }

    /// A variable that no name of the program means.
    pub(super) fn hidden(&mut self, name: &str, ty: Ty, term: Term) -> VarId {
        self.vars.push(super::Variable { name: name.to_string(), ty, term, kind: Kind::Value, mutable: true });
        VarId(self.vars.len() - 1)
    }

    fn pick_returned(&mut self, flag: VarId, returned: VarId, value: Value) -> Value {
        let flag = self.vars[flag.0].term.clone();
        let returned = Value::new(self.vars[returned.0].term.clone(), self.result.clone());
        self.branch(flag, &quote::quote!(return), |_| returned, |_| value)
    }

    fn statement(&mut self, statement: &syn::Stmt) -> Value {
        match statement {
            syn::Stmt::Local(local) => self.local(local),
            syn::Stmt::Item(_) => Value::unit(),
            syn::Stmt::Expr(expr, _) => {
                let value = match self.any(expr) {
                    Any::Value(value) => value,
                    _ => Value::unit(),
                };
                // The value may have an error to report.
                if !value.is_unit() && !matches!(value.ty, Ty::Never | Ty::Error) {
                    self.name_it("t", value.term.clone(), expr);
                }
                value
            }
            syn::Stmt::Macro(inner) => {
                let expr = syn::Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: inner.mac.clone() });
                self.value(&expr)
            }
        }
    }

    fn local(&mut self, local: &syn::Local) -> Value {
        let (pattern, written) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let Some(init) = &local.init else {
            let ty = match written {
                Some(ty) => self.written_type(ty).map_or(Ty::Error, |shape| shape.plain()),
                None => Ty::Unknown,
            };
            match pattern {
                syn::Pat::Ident(ident) => {
                    self.declare(&ident.ident.to_string(), ty, Term::Unset);
                }
                pattern => self.bind_errors(pattern),
            }
            return Value::unit();
        };
        let built = written.and_then(|ty| {
            let (shape, _) = self.world.types.read(ty, &mut Errors::default())?;
            from_fn(&init.expr, &shape)
        });
        let value = match self.any(built.as_ref().unwrap_or(&init.expr)) {
            Any::Value(value) => value,
            Any::Closure(closure) => {
                return self.declare_special(pattern, Kind::Closure(closure));
            }
            Any::Iter(iter) => {
                return self.declare_special(pattern, Kind::Iter(Rc::new(iter)));
            }
        };
        if matches!(value.ty, Ty::Never) {
            self.bind_errors(pattern);
            return value;
        }
        let ty = match written {
            Some(ty) if !is_inferred(ty) => match self.written_type(ty) {
                Some(shape) => Some(shape.plain()),
                None => Some(Ty::Error),
            },
            _ => None,
        };
        // The type that is written decides between integers; lengths are known better from the value.
        let ty = match (ty, value.ty) {
            (Some(written @ Ty::Int(_)), Ty::Int(_)) => written,
            (Some(written), Ty::Unknown) => written,
            (Some(written @ Ty::Option(_)), Ty::Option(found)) if *found == Ty::Unknown => written,
            (Some(Ty::Array(element, _)), Ty::Array(found, length)) if *found == Ty::Unknown => {
                Ty::Array(element, length)
            }
            (Some(Ty::Error), _) => Ty::Error,
            (_, found) => found,
        };
        // What is bound is a value of its own, unless it is a `&mut`.
        self.bind(pattern, Value { term: value.term, ty, place: value.place, parts: value.parts });
        Value::unit()
    }

    /// A type that is written inside of the function.
    pub(super) fn written_type(&mut self, ty: &syn::Type) -> Option<crate::types::SignatureType> {
        let (shape, _) = self.world.types.read(ty, self.errors)?;
        let mut other = false;
        shape.precisions(&mut |precision| other |= precision != self.precision);
        if other {
            let message = format!("this function computes with `{}`", self.real());
            self.refuse(ty, message, "use `f64` or `f32` alone");
            return None;
        }
        Some(shape)
    }

    pub(super) fn declare_special(&mut self, pattern: &syn::Pat, kind: Kind) -> Value {
        match pattern {
            syn::Pat::Ident(ident) if ident.mutability.is_some() && matches!(kind, Kind::Iter(_)) => {
                let help = "write the chain where it is used, or bind it without `mut`";
                self.refuse(pattern, "an iterator that is consumed in several steps cannot be differentiated", help);
                self.bind_errors(pattern);
            }
            syn::Pat::Ident(ident) => {
                self.declare_kind(&ident.ident.to_string(), Ty::Error, Term::Unset, kind);
            }
            pattern => {
                self.refuse(pattern, "this cannot be taken apart", "bind it to a name");
            }
        }
        Value::unit()
    }

    /// Declares the variable of the assertions, if there are any.
    pub(super) fn watch_assertions(&mut self, body: &syn::Block) {
        if has_assertions(body) {
            let ok = self.declare(OK, Ty::Bool, Term::Bool(true));
            self.vars[ok.0].mutable = true;
        }
    }

    /// The value of the function if every assertion has held, else an index out of range.
    pub(super) fn unless_broken(&mut self, value: Term) -> Term {
        let Some(ok) = self.lookup(OK) else { return value };
        let holds = self.vars[ok.0].term.clone();
        if holds == Term::Bool(true) {
            return value;
        }
        let value = self.name_it("result", value, &quote::quote!(assert));
        let none = Term::call("replicate", [Term::Int(0), value.clone()]);
        let broken = Block { lets: Vec::<Let>::new(), result: Term::Index(none.into(), vec![Term::Int(0)]) };
        let fine = Block { lets: Vec::new(), result: value };
        Term::If(holds.into(), fine.into(), broken.into())
    }
}

/// Whether a statement gives a variable an integer whose type is not written.
fn is_integer(statement: &syn::Stmt) -> bool {
    match statement {
        syn::Stmt::Local(syn::Local { pat: syn::Pat::Ident(_), init: Some(init), .. }) => {
            matches!(&*init.expr, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_), .. }))
        }
        _ => false,
    }
}

fn is_inferred(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Infer(_) => true,
        ty => ty.to_token_stream().to_string().contains('_') && ty.to_token_stream().into_iter().count() <= 4,
    }
}

fn statements_leave(statements: &[syn::Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        syn::Stmt::Expr(expr, _) => expr_diverges(expr),
        _ => false,
    })
}

/// Whether a block has an assertion or a panic, other than in a closure.
pub(super) fn has_assertions(body: &syn::Block) -> bool {
    struct Find(bool);
    impl<'a> Visit<'a> for Find {
        fn visit_macro(&mut self, call: &'a syn::Macro) {
            self.0 |= is_assertion(call);
        }
    }
    let mut find = Find(false);
    find.visit_block(body);
    find.0
}

pub(super) fn is_assertion(call: &syn::Macro) -> bool {
    let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    name.contains("assert") || super::assigned::is_panic(call)
}

/// `std::array::from_fn(f)` where an array is expected, as `(0..N).map(f).collect()`.
fn from_fn(expr: &syn::Expr, shape: &SignatureType) -> Option<syn::Expr> {
    let syn::Expr::Call(call) = super::expr::strip(expr) else { return None };
    let syn::Expr::Path(path) = super::expr::strip(&call.func) else { return None };
    let SignatureType::Array(Sequence::Fixed(length), element) = shape else { return None };
    let is_from_fn = path.path.segments.last().is_some_and(|segment| segment.ident == "from_fn");
    let (true, [made]) = (is_from_fn, &call.args.iter().collect::<Vec<_>>()[..]) else { return None };
    let mut made = (*made).clone();
    if let syn::Expr::Closure(closure) = &mut made
        && let Some(inner) = from_fn(&closure.body, element)
    {
        *closure.body = inner;
    }
    let span = syn::spanned::Spanned::span(path);
    Some(syn::parse_quote_spanned!(span=> (0..#length).map(#made).collect::<Vec<_>>()))
}
