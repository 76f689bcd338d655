//! Conditionals: `D (if c then f else g) = if c then D f else D g`, with the residuals of both branches beside the
//! value.

use super::{Level, Lineariser, Needed, Nested, Tangent};
use crate::compile::{Problem, open_sizes};
use riesz_core::Type;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Var, VarInfo};
use riesz_syntax::Span;

impl Lineariser<'_> {
    pub(super) fn conditional(
        &mut self,
        var: Var,
        condition: Atom,
        yes: &Body,
        no: &Body,
        span: Span,
    ) -> Result<Tangent, Problem> {
        let varies = self.ty(var).varies();
        let mut yes = self.nested(yes)?;
        let mut no = self.nested(no)?;
        let tangents = match varies {
            true => Some((self.result_tangent(&mut yes, span), self.result_tangent(&mut no, span))),
            false => None,
        };
        let results = |tangent: Option<Atom>| tangent.into_iter().collect::<Vec<Atom>>();
        let needed_yes = self.needed(&yes.level, &results(tangents.map(|t| t.0)), &[]);
        let needed_no = self.needed(&no.level, &results(tangents.map(|t| t.1)), &[]);
        if needed_yes.kept.is_empty() && needed_no.kept.is_empty() {
            let yes = Body { bindings: yes.level.primal.clone(), result: yes.result };
            let no = Body { bindings: no.level.primal.clone(), result: no.result };
            self.level().primal.push(Binding { var, op: Op::If { condition, yes, no }, span });
        } else {
            let kept_types = |lineariser: &Self, needed: &Needed, level: &Level| -> Vec<Type> {
                needed.kept.iter().map(|kept| lineariser.outside(lineariser.ty(*kept), level, &[])).collect()
            };
            let types_yes = kept_types(self, &needed_yes, &yes.level);
            let types_no = kept_types(self, &needed_no, &no.level);
            let branch = |lineariser: &mut Self, nested: &Nested, before: &[Type], own: &[Var], after: &[Type]| {
                let mut bindings = nested.level.primal.clone();
                let mut parts = vec![nested.result];
                parts.extend(before.iter().map(|ty| lineariser.dummy(ty, &mut bindings, span)));
                parts.extend(own.iter().map(|var| Atom::Var(*var)));
                parts.extend(after.iter().map(|ty| lineariser.dummy(ty, &mut bindings, span)));
                let tuple = lineariser.var(Type::Tuple(parts.iter().map(|part| lineariser.atom_type(*part)).collect()));
                bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
                Body { bindings, result: Atom::Var(tuple) }
            };
            let yes_body = branch(self, &yes, &[], &needed_yes.kept, &types_no);
            let no_body = branch(self, &no, &types_yes, &needed_no.kept, &[]);
            let op = Op::If { condition, yes: yes_body, no: no_body };
            let types = [self.ty(var).clone()].into_iter().chain(types_yes).chain(types_no).collect();
            let all = self.primal(op, Type::Tuple(types), span);
            self.level().primal.push(Binding { var, op: Op::Project(all, 0), span });
            for (at, kept) in needed_yes.kept.iter().chain(&needed_no.kept).enumerate() {
                self.level().primal.push(Binding { var: *kept, op: Op::Project(all, at + 1), span });
            }
        }
        let body = |lineariser: &mut Self, needed: Needed, level: Level, tangent: Option<Atom>| {
            let mut bindings = needed.again;
            bindings.extend(level.linear);
            match tangent {
                Some(result) => Body { bindings, result },
                None => lineariser.unit_body(bindings, span),
            }
        };
        let yes = body(self, needed_yes, yes.level, tangents.map(|t| t.0));
        let no = body(self, needed_no, no.level, tangents.map(|t| t.1));
        let ty = if varies { self.ty(var).tangent() } else { Type::unit() };
        let tangent = self.linear(Op::If { condition, yes, no }, ty, span);
        Ok(if varies { Tangent::Value(tangent) } else { Tangent::Zero })
    }

    /// A value that is not used, in the place of what the other branch keeps. A short array has the elements that its type
    /// says, so that code needs no register for its length; any other array is written without elements.
    fn dummy(&mut self, ty: &Type, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let op = match ty {
            Type::Real => return Atom::Real(0.0),
            Type::Int => return Atom::Int(0),
            Type::Bool => return Atom::Bool(false),
            Type::Array(Size::Constant(len), element) if short(ty) => {
                Op::Array((0..*len).map(|_| self.dummy(element, bindings, span)).collect())
            }
            Type::Array(..) => Op::Array(Vec::new()),
            Type::Kept => {
                let unit = self.var(Type::unit());
                bindings.push(Binding { var: unit, op: Op::Tuple(Vec::new()), span });
                Op::Copy(Atom::Var(unit))
            }
            Type::Linear(arrow) => {
                let (forward, reverse) = (self.never(&arrow.0, &arrow.1, span), self.never(&arrow.1, &arrow.0, span));
                Op::Map { forward, reverse, captured: Vec::new() }
            }
            Type::Function(arrow) => Op::Closure(self.never(&arrow.0, &arrow.1, span), Vec::new()),
            _ => {
                let parts = ty.components().unwrap_or_default();
                Op::Tuple(parts.iter().map(|part| self.dummy(part, bindings, span)).collect())
            }
        };
        let var = self.var(ty.clone());
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    }

    /// A function that is never called.
    fn never(&mut self, from: &Type, to: &Type, span: Span) -> FunctionId {
        let result = open_sizes(to);
        let own = vec![VarInfo { name: None, ty: open_sizes(from) }];
        let outside = std::mem::replace(&mut self.vars, own);
        let mut bindings = Vec::new();
        let nothing = self.dummy(&result, &mut bindings, span);
        let vars = std::mem::replace(&mut self.vars, outside);
        let body = Body { bindings, result: nothing };
        self.calculus.add(Function { name: "never".into(), vars, parameters: 1, body, result, span })
    }
}

/// The most numbers in a short array.
const SHORT: i64 = 16;

/// Whether an array has few numbers, and as many in every run.
fn short(ty: &Type) -> bool {
    fn numbers(ty: &Type) -> Option<i64> {
        match ty {
            Type::Real | Type::Int | Type::Bool => Some(1),
            Type::Array(Size::Constant(len), element) => numbers(element)?.checked_mul(*len),
            _ => None,
        }
    }
    numbers(ty).is_some_and(|count| count <= SHORT)
}
