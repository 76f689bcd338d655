//! Expressions in lanes.

use super::{ELSEWHERE, Wide};
use riesz_primitive::Primitive;
use riesz_program::program::{Arithmetic, Expression, Kind, Operand};

impl Wide<'_, '_> {
    pub(super) fn expression(&self, expression: &Expression, mask: Option<&str>) -> String {
        let wide = |operand: &Operand| self.wide(*operand);
        match expression {
            Expression::Copy(a) => wide(a),
            Expression::Real(primitive, operands) => self.primitive(primitive, operands),
            Expression::Int(primitive, operands, _) => self.integer(primitive, operands, mask),
            Expression::Position(arithmetic, a, b) => {
                let function = match arithmetic {
                    Arithmetic::Add => "i64::wrapping_add",
                    Arithmetic::Sub => "i64::wrapping_sub",
                    Arithmetic::Mul => "i64::wrapping_mul",
                };
                format!("{}.map2({}, {function})", wide(a), wide(b))
            }
            Expression::Compare(comparison, a, b) => {
                format!("{}.compare({}, |a, b| a {} b)", wide(a), wide(b), comparison.sign())
            }
            Expression::Equal(a, b) => match self.writer.kind(*a) {
                Kind::Bool => format!("{}.same({})", wide(a), wide(b)),
                _ => format!("{}.compare({}, |a, b| a == b)", wide(a), wide(b)),
            },
            Expression::Near(a, b, tolerance) => match self.writer.kind(*a) {
                Kind::Bool => format!("{}.same({})", wide(a), wide(b)),
                kind => {
                    let near = if kind == Kind::Real { "near" } else { "near_integers" };
                    let tolerance = self.writer.tolerance(*tolerance);
                    format!("{}.compare({}, |a, b| {near}(a, b, {tolerance}))", wide(a), wide(b))
                }
            },
            Expression::Not(a) => format!("{}.negated()", wide(a)),
            Expression::And(a, b) => format!("{}.and({})", wide(a), wide(b)),
            Expression::Within(index, len) => format!("{}.within({})", wide(index), wide(len)),
            Expression::Select(condition, a, b) => {
                let kind = self.ty(self.writer.kind(*a));
                format!("{kind}::select({}, {}, {})", wide(condition), wide(a), wide(b))
            }
            Expression::ToReal(a) => format!("{}.real()", wide(a)),
            Expression::Truncate(a, _) => {
                let argument = match mask {
                    Some(mask) => format!("Lanes::select({mask}, {}, Lanes::splat(0.0))", wide(a)),
                    None => wide(a),
                };
                format!("{argument}.truncate().ok_or_else(|| fault({ELSEWHERE}, &[]))?")
            }
            Expression::IsNan(a) => format!("{}.is_nan()", wide(a)),
            Expression::Load(element) => self.load(*element, None, mask),
        }
    }

    fn primitive(&self, primitive: &Primitive, operands: &[Operand]) -> String {
        let Some(row) = primitive.scalar() else { return String::new() };
        let mut text = row.rust.replace("riesz_runtime::", &format!("{}::", self.ty(Kind::Real)));
        for (at, operand) in operands.iter().enumerate() {
            text = text.replace(&format!("{{{at}}}"), &self.wide(*operand));
        }
        text
    }

    fn integer(&self, primitive: &Primitive, operands: &[Operand], mask: Option<&str>) -> String {
        // Inactive lanes compute with ones.
        let shown: Vec<String> = operands
            .iter()
            .map(|operand| match mask {
                Some(mask) => format!("Ints::select({mask}, {}, Ints::splat(1))", self.wide(*operand)),
                None => self.wide(*operand),
            })
            .collect();
        let zero = "Ints::splat(0)".to_string();
        let (a, b) = (&shown[0], shown.get(1).unwrap_or(&zero));
        let Some(row) = primitive.scalar().and_then(|row| row.integer) else { return String::new() };
        if let Some(method) = row.lanes {
            return format!("{a}.{method}({b}).ok_or_else(|| fault({ELSEWHERE}, &[]))?");
        }
        let second = if shown.len() > 1 { "b" } else { "_" };
        let function = format!("|a, {second}| {}", row.rust.replace("{0}", "a").replace("{1}", "b"));
        format!("{a}.try_map2({b}, {function}).ok_or_else(|| fault({ELSEWHERE}, &[]))?")
    }
}
