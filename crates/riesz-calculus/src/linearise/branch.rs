//! Conditionals: `D (if c then f else g) = if c then D f else D g`, with what both branches keep beside the value.

use super::{Level, Lineariser, Needed, Nested, Tangent};
use crate::compile::Problem;
use riesz_core::term::{Atom, Binding, Body, Op, Var};
use riesz_core::{Size, Type};
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
            let mut types = vec![self.ty(var).clone()];
            for (needed, level) in [(&needed_yes, &yes.level), (&needed_no, &no.level)] {
                types.extend(needed.kept.iter().map(|kept| self.outside(self.ty(*kept), level, &[])));
            }
            let branch = |lineariser: &mut Self, nested: &Nested, before: &[Var], own: &[Var], after: &[Var]| {
                let mut bindings = nested.level.primal.clone();
                let mut parts = vec![nested.result];
                parts.extend(before.iter().map(|var| lineariser.dummy(*var, &mut bindings, span)));
                parts.extend(own.iter().map(|var| Atom::Var(*var)));
                parts.extend(after.iter().map(|var| lineariser.dummy(*var, &mut bindings, span)));
                let tuple = lineariser.var(Type::Tuple(parts.iter().map(|part| lineariser.atom_type(*part)).collect()));
                bindings.push(Binding { var: tuple, op: Op::Tuple(parts), span });
                Body { bindings, result: Atom::Var(tuple) }
            };
            let yes_body = branch(self, &yes, &[], &needed_yes.kept, &needed_no.kept);
            let no_body = branch(self, &no, &needed_yes.kept, &needed_no.kept, &[]);
            let op = Op::If { condition, yes: yes_body, no: no_body };
            let all = self.primal(op, Type::Tuple(types.into()), span);
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

    /// A value that nobody looks at, in the place of what the other branch keeps.
    pub(super) fn dummy(&mut self, like: Var, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let ty = self.ty(like).clone();
        self.dummy_of(&ty, bindings, span)
    }

    pub(super) fn dummy_of(&mut self, ty: &Type, bindings: &mut Vec<Binding>, span: Span) -> Atom {
        let op = match ty {
            Type::Real => return Atom::Real(0.0),
            Type::Int => return Atom::Int(0),
            Type::Bool => return Atom::Bool(false),
            Type::Array(..) => Op::Array(Vec::new()),
            Type::Kept => {
                let unit = self.var(Type::unit());
                bindings.push(Binding { var: unit, op: Op::Tuple(Vec::new()), span });
                Op::Copy(Atom::Var(unit))
            }
            _ => {
                let parts = ty.components().unwrap_or_default();
                Op::Tuple(parts.iter().map(|part| self.dummy_of(part, bindings, span)).collect())
            }
        };
        let ty = match ty {
            Type::Array(_, element) => Type::array(Size::Constant(0), (**element).clone()),
            ty => ty.clone(),
        };
        let ty = ty.map_sizes(&mut |size| if matches!(size, Size::Constant(_)) { size.clone() } else { Size::Hole });
        let var = self.var(ty);
        bindings.push(Binding { var, op, span });
        Atom::Var(var)
    }
}
