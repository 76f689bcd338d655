//! Derivatives inside programs, and linear maps.

use super::types::{Type, array};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("D", 3, Writer::derivative),
    ("grad", 4, Writer::gradient),
    ("jvp", 3, Writer::jvp),
    ("vjp", 3, Writer::vjp),
    ("hvp", 2, Writer::hessian_vector),
    ("hessian", 2, Writer::hessian),
    ("jacobian", 2, Writer::jacobian),
    ("matrix", 2, Writer::matrix),
    ("adjoint", 3, Writer::adjoint),
    ("compose", 2, Writer::compose),
    ("sum of maps", 2, Writer::sum_of_maps),
    ("coo", 1, Writer::entries),
];

/// How many derivatives may stand inside each other.
const DEEPEST: usize = 2;

impl Writer {
    /// A function to differentiate, and a point, where one more derivative may stand.
    fn function_and_point(&mut self, from: &Type, to: &Type, fuel: usize) -> Option<(Node, Node)> {
        let shares = self.split(fuel, 2);
        self.derivatives += 1;
        let function = self.function_for(from, to, shares[0]);
        self.derivatives -= 1;
        Some((function, self.expr(from, shares[1])))
    }

    pub(super) fn may_derive(&mut self) -> bool {
        self.derivatives == 0 || self.derivatives < DEEPEST && self.random.percent(30)
    }

    fn derivative(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(1);
        let (function, point) = self.function_and_point(&from, ty, fuel)?;
        let direction = self.leaf(&from);
        Some(self.node(ty, "D($, $)($)", vec![function, point, direction]))
    }

    fn gradient(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (function, point) = self.function_and_point(ty, &Type::Real, fuel)?;
        Some(self.node(ty, "grad($, $)", vec![function, point]))
    }

    fn jvp(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(1);
        let (function, point) = self.function_and_point(&from, ty, fuel)?;
        let direction = self.leaf(&from);
        let template = *self.random.pick(&["jvp($, $, $).1", "jvp($, $, $).1", "jvp($, $, $).0"]);
        Some(self.node(ty, template, vec![function, point, direction]))
    }

    fn vjp(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let to = self.types().vector(1);
        let (function, point) = self.function_and_point(ty, &to, fuel)?;
        let direction = self.leaf(&to);
        Some(self.node(ty, "vjp($, $, $).1", vec![function, point, direction]))
    }

    fn hessian_vector(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || self.derivatives > 0 {
            return None;
        }
        let (function, point) = self.function_and_point(ty, &Type::Real, fuel)?;
        let direction = self.leaf(ty);
        Some(self.node(ty, "hvp($, $, $)", vec![function, point, direction]))
    }

    fn hessian(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(rows, row) = ty else { return None };
        if self.derivatives > 0 || **row != array(rows.clone(), Type::Real) {
            return None;
        }
        let (function, point) = self.function_and_point(row, &Type::Real, fuel)?;
        Some(self.node(ty, "hessian($, $)", vec![function, point]))
    }

    fn jacobian(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(rows, row) = ty else { return None };
        if !row.is_vector() || !self.may_derive() {
            return None;
        }
        let (function, point) = self.function_and_point(row, &array(rows.clone(), Type::Real), fuel)?;
        Some(self.node(ty, "jacobian($, $)", vec![function, point]))
    }

    fn matrix(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (function, point) = self.function_and_point(&Type::Real, ty, fuel)?;
        Some(self.node(ty, "matrix(D($, $))", vec![function, point]))
    }

    fn adjoint(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let to = self.types().vector(1);
        let (function, point) = self.function_and_point(ty, &to, fuel)?;
        let direction = self.leaf(&to);
        Some(self.node(ty, "adjoint(D($, $))($)", vec![function, point, direction]))
    }

    fn compose(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (from, between) = (self.types().vector(0), self.types().vector(1));
        let (after, middle) = self.function_and_point(&between, ty, fuel / 2)?;
        let (before, point) = self.function_and_point(&from, &between, fuel / 2)?;
        let direction = self.leaf(&from);
        Some(self.node(ty, "compose(D($, $), D($, $))($)", vec![after, middle, before, point, direction]))
    }

    fn sum_of_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(1);
        let (one, first) = self.function_and_point(&from, ty, fuel / 2)?;
        let (other, second) = self.function_and_point(&from, ty, fuel / 2)?;
        let (factor, direction) = (self.leaf(&Type::Real), self.leaf(&from));
        let sign = *self.random.pick(&["+", "-"]);
        let parts = vec![one, first, factor, other, second, direction];
        Some(self.node(ty, format!("(D($, $) {sign} $ * D($, $))($)"), parts))
    }

    fn entries(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real || !self.may_derive() {
            return None;
        }
        let (from, to) = (self.types().vector(1), self.types().vector(1));
        let (function, point) = self.function_and_point(&from, &to, fuel)?;
        Some(self.node(ty, "sum(coo(D($, $)).vals)", vec![function, point]))
    }
}
