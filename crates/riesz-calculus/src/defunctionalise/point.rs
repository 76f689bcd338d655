//! Functions in the point of a derivative, and in its value, do not vary: the derivative is that of the rest of the
//! value with respect to the rest of the point.
//!
//! ```text
//! D(f, p)  =  D(\q -> rest(f(p with q)), rest(p))
//! ```

use super::{Writer, as_data, has_functions};
use crate::compile::with_sizes;
use riesz_core::Type;
use riesz_core::build::{bind, fresh};
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, Iteration, Op, Var, VarInfo};
use riesz_syntax::Span;

impl Writer<'_> {
    /// Differentiates a function at a point, one of which holds functions.
    pub(super) fn derive_rest(
        &mut self,
        var: Var,
        (function, captured): (FunctionId, Vec<Atom>),
        (derive, operands): (Derive, &[Atom]),
        span: Span,
        out: &mut Vec<Binding>,
    ) {
        let made = self.program.function(function);
        let (from, to) = (made.vars[captured.len()].ty.clone(), made.result.clone());
        let point = operands[0];
        let rest = self.rest_function(function);
        let all: Vec<Atom> = captured.iter().copied().chain([point]).collect();
        let known = |var: Var| all.get(var.0 as usize).copied();
        let (from, to) = (with_sizes(&from, known), with_sizes(&to, known));
        let at = {
            let mut scribe = Scribe { vars: &mut self.vars, span };
            scribe.rest(point, &from, out)
        };
        let closure =
            self.bind(Op::Closure(rest, all.clone()), Type::function(without(&from), without(&to)), span, out);
        let operands: Vec<Atom> = [closure, at].iter().chain(&operands[1..]).copied().collect();
        if matches!(derive, Derive::Derivative | Derive::Taylor) || !has_functions(&to) {
            out.push(Binding { var, op: Op::Derive(derive, operands), span });
            return;
        }
        let parts = self.ty(Atom::Var(var)).components().unwrap_or_default();
        let both = Type::Tuple([without(&to), parts[1].clone()].into());
        let both = self.bind(Op::Derive(derive, operands), both, span, out);
        let value = self.bind(Op::Call(self.copy(function), all), parts[0].clone(), span, out);
        let vector = self.bind(Op::Project(both, 1), parts[1].clone(), span, out);
        out.push(Binding { var, op: Op::Tuple(vec![value, vector]), span });
    }

    /// The function of what it captured, a point, and the rest of another point, that gives the rest of the value where the
    /// functions are those of the first.
    fn rest_function(&mut self, function: FunctionId) -> FunctionId {
        if let Some((_, known)) = self.besides.rests.iter().find(|(of, _)| *of == function) {
            return *known;
        }
        let original = self.program.function(function);
        let span = original.span;
        let mut vars: Vec<VarInfo> = original.vars[..original.parameters].to_vec();
        vars.iter_mut().for_each(|info| info.ty = as_data(&info.ty));
        let from = &original.vars[original.parameters - 1].ty;
        vars.push(VarInfo { name: None, ty: without(from) });
        let parameters = vars.len();
        let mut bindings = Vec::new();
        let mut scribe = Scribe { vars: &mut vars, span };
        let mut arguments: Vec<Atom> = (0..parameters as u32 - 1).map(|at| Atom::Var(Var(at))).collect();
        let (whole, rest) = (Atom::Var(Var(parameters as u32 - 2)), Atom::Var(Var(parameters as u32 - 1)));
        arguments.pop();
        arguments.push(scribe.with(whole, rest, from, &mut bindings));
        let value = scribe.bind(Op::Call(self.copies[&function], arguments), as_data(&original.result), &mut bindings);
        let result = scribe.rest(value, &original.result, &mut bindings);
        let ty = without(&original.result);
        let body = Body { bindings, result };
        let name = original.name.clone();
        let id = self.besides.add(Function { name, vars, parameters, body, result: ty, span });
        self.besides.rests.push((function, id));
        id
    }
}

/// Writes what a value is without the functions in it, and what it is with them.
struct Scribe<'v> {
    vars: &'v mut Vec<VarInfo>,
    span: Span,
}

impl Scribe<'_> {
    fn var(&mut self, ty: Type) -> Var {
        fresh(self.vars, ty)
    }

    fn bind(&mut self, op: Op, ty: Type, out: &mut Vec<Binding>) -> Atom {
        bind(self.vars, out, op, ty, self.span)
    }

    /// The value, with `()` in the place of functions.
    fn rest(&mut self, value: Atom, ty: &Type, out: &mut Vec<Binding>) -> Atom {
        match ty {
            _ if !has_functions(ty) => value,
            Type::Function(_) => self.bind(Op::Tuple(Vec::new()), Type::unit(), out),
            Type::Array(_, element) => {
                let count = self.bind(Op::SizeOf(value, Vec::new()), Type::Int, out);
                self.each(count, &without(ty), out, |scribe, index, out| {
                    let part = scribe.bind(Op::Index(value, index), as_data(element), out);
                    scribe.rest(part, element, out)
                })
            }
            _ => {
                let types = ty.components().unwrap_or_default();
                let mut parts = Vec::with_capacity(types.len());
                for (at, ty) in types.iter().enumerate() {
                    let part = self.bind(Op::Project(value, at), as_data(ty), out);
                    parts.push(self.rest(part, ty, out));
                }
                self.bind(Op::Tuple(parts), without(ty), out)
            }
        }
    }

    /// The value that has its functions from one, and the rest from another.
    fn with(&mut self, whole: Atom, rest: Atom, ty: &Type, out: &mut Vec<Binding>) -> Atom {
        match ty {
            _ if !has_functions(ty) => rest,
            Type::Function(_) => whole,
            Type::Array(_, element) => {
                let count = self.bind(Op::SizeOf(whole, Vec::new()), Type::Int, out);
                self.each(count, &as_data(ty), out, |scribe, index, out| {
                    let whole = scribe.bind(Op::Index(whole, index), as_data(element), out);
                    let rest = scribe.bind(Op::Index(rest, index), without(element), out);
                    scribe.with(whole, rest, element, out)
                })
            }
            _ => {
                let types = ty.components().unwrap_or_default();
                let mut parts = Vec::with_capacity(types.len());
                for (at, ty) in types.iter().enumerate() {
                    let whole = self.bind(Op::Project(whole, at), as_data(ty), out);
                    let rest = self.bind(Op::Project(rest, at), without(ty), out);
                    parts.push(self.with(whole, rest, ty, out));
                }
                self.bind(Op::Tuple(parts), as_data(ty), out)
            }
        }
    }

    fn each(
        &mut self,
        count: Atom,
        ty: &Type,
        out: &mut Vec<Binding>,
        element: impl FnOnce(&mut Self, Atom, &mut Vec<Binding>) -> Atom,
    ) -> Atom {
        let index = self.var(Type::Int);
        let mut bindings = Vec::new();
        let result = element(self, Atom::Var(index), &mut bindings);
        self.bind(Op::Build(Iteration { count, index, body: Body { bindings, result } }), ty.clone(), out)
    }
}

/// The type, with `()` in the place of functions.
pub(crate) fn without(ty: &Type) -> Type {
    ty.rebuild(&mut Clone::clone, &mut |part| matches!(part, Type::Function(_)).then(Type::unit))
}
