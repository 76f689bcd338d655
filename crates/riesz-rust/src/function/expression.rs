//! Expressions.

use super::Writer;
use crate::Spelling;
use riesz_primitive::Primitive;
use riesz_program::program::{Arithmetic, Expression, Kind, Operand, Register};

impl Writer<'_> {
    /// The expression of a register. A size that may be larger than integers becomes the largest one, for which no
    /// memory suffices.
    pub fn bound_to(&self, register: Register, expression: &Expression) -> String {
        match expression {
            Expression::Position(arithmetic, a, b) if self.sizes.contains(&register) => {
                let function = match arithmetic {
                    Arithmetic::Add => "saturating_add",
                    Arithmetic::Sub => "saturating_sub",
                    Arithmetic::Mul => "saturating_mul",
                };
                format!("{}.{function}({})", self.bound(*a), self.operand(*b))
            }
            other => self.expression(other),
        }
    }

    pub fn expression(&self, expression: &Expression) -> String {
        let show = |operand: &Operand| self.operand(*operand);
        // The first of two integers tells the type where nothing else does: it would be one of 32 bits.
        let first = |a: &Operand, b: &Operand| match (a, b) {
            (Operand::Int(_), Operand::Int(_)) => self.bound(*a),
            _ => self.operand(*a),
        };
        match expression {
            Expression::Copy(a) => self.bound(*a),
            Expression::Real(primitive, operands) => self.primitive(primitive, operands),
            Expression::Int(primitive, operands, site) => self.integer(primitive, operands, site.0),
            Expression::Position(arithmetic, a, b) => {
                format!("{} {} {}", first(a, b), arithmetic.sign(), show(b))
            }
            Expression::Compare(comparison, a, b) => {
                format!("{} {} {}", first(a, b), comparison.sign(), show(b))
            }
            Expression::Equal(a, b) => format!("{} == {}", first(a, b), show(b)),
            Expression::Near(a, b, tolerance) => match self.kind(*a) {
                Kind::Real => format!("near({}, {}, {})", show(a), show(b), self.tolerance(*tolerance)),
                Kind::Int => format!("near_integers({}, {}, {})", show(a), show(b), self.tolerance(*tolerance)),
                Kind::Bool => format!("{} == {}", show(a), show(b)),
            },
            Expression::Not(a) => format!("!{}", show(a)),
            Expression::And(a, b) => format!("{} & {}", show(a), show(b)),
            Expression::Within(index, len) => format!("({} as u64) < {} as u64", self.bound(*index), self.bound(*len)),
            Expression::Select(condition, a, b) => {
                format!("if {} {{ {} }} else {{ {} }}", show(condition), first(a, b), show(b))
            }
            Expression::ToReal(a) => format!("{} as {}", self.bound(*a), self.precision.real()),
            Expression::Truncate(a, site) => {
                format!("truncate({0}).ok_or_else(|| fault({1}, &[{0}.to_bits() as i64]))?", show(a), site.0)
            }
            Expression::IsNan(a) => format!("{}.is_nan()", show(a)),
            Expression::Load(element) => {
                format!("at({}, {})", self.buffer_ref(element.buffer), self.operand(element.at))
            }
        }
    }

    fn primitive(&self, primitive: &Primitive, operands: &[Operand]) -> String {
        let Some(row) = primitive.scalar() else { return String::new() };
        let mut text = row.rust.replace("riesz_runtime::", "");
        for (at, operand) in operands.iter().enumerate() {
            text = text.replace(&format!("{{{at}}}"), &self.operand(*operand));
        }
        match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(inner) if !inner.contains(['(', ')']) => inner.to_string(),
            _ => text,
        }
    }

    fn integer(&self, primitive: &Primitive, operands: &[Operand], site: u32) -> String {
        let shown: Vec<String> = operands.iter().map(|operand| self.bound(*operand)).collect();
        let Some(row) = primitive.scalar().and_then(|row| row.integer) else { return String::new() };
        let places = shown.iter().enumerate();
        let failing = places.fold(row.rust.to_string(), |text, (at, shown)| text.replace(&format!("{{{at}}}"), shown));
        if let Some(total) = failing.strip_prefix("Some(").and_then(|text| text.strip_suffix(')')) {
            return total.to_string();
        }
        format!("{failing}.ok_or_else(|| fault({site}, &[{}]))?", self.list(operands))
    }
}
