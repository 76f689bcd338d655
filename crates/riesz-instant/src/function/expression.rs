//! Expressions.

use super::{Translator, trusted};
use crate::host;
use crate::machine::number;
use crate::primitive;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use riesz_core::Comparison;
use riesz_primitive::{Primitive, scalar};
use riesz_program::program::{Arithmetic, Expression, Kind, Operand, Register, SiteId};

impl Translator<'_> {
    /// The value to which a register is bound.
    pub(super) fn expression(&mut self, register: Register, expression: &Expression) -> Value {
        match expression {
            Expression::Copy(a) => self.operand(*a),
            Expression::Real(primitive, operands) => self.real(primitive, operands),
            Expression::Int(primitive, operands, site) => self.integer(primitive, operands, *site),
            Expression::Position(arithmetic, a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                match self.large.contains(&register) {
                    true => self.saturating(*arithmetic, a, b),
                    false => match arithmetic {
                        Arithmetic::Add => self.builder.ins().iadd(a, b),
                        Arithmetic::Sub => self.builder.ins().isub(a, b),
                        Arithmetic::Mul => self.builder.ins().imul(a, b),
                    },
                }
            }
            Expression::Compare(comparison, a, b) => {
                let kind = self.kind(*a);
                let (a, b) = (self.operand(*a), self.operand(*b));
                match kind {
                    Kind::Real => {
                        let condition = match comparison {
                            Comparison::Less => FloatCC::LessThan,
                            Comparison::LessEqual => FloatCC::LessThanOrEqual,
                            Comparison::Greater => FloatCC::GreaterThan,
                            Comparison::GreaterEqual => FloatCC::GreaterThanOrEqual,
                        };
                        self.builder.ins().fcmp(condition, a, b)
                    }
                    Kind::Int | Kind::Bool => {
                        let condition = match comparison {
                            Comparison::Less => IntCC::SignedLessThan,
                            Comparison::LessEqual => IntCC::SignedLessThanOrEqual,
                            Comparison::Greater => IntCC::SignedGreaterThan,
                            Comparison::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
                        };
                        self.builder.ins().icmp(condition, a, b)
                    }
                }
            }
            Expression::Equal(a, b) => {
                let kind = self.kind(*a);
                let (a, b) = (self.operand(*a), self.operand(*b));
                match kind {
                    Kind::Real => self.builder.ins().fcmp(FloatCC::Equal, a, b),
                    Kind::Int | Kind::Bool => self.builder.ins().icmp(IntCC::Equal, a, b),
                }
            }
            Expression::Near(a, b, tolerance) => {
                let kind = self.kind(*a);
                let (a, b, tolerance) = (self.operand(*a), self.operand(*b), self.operand(*tolerance));
                match kind {
                    Kind::Real => self.ask_host(&host::near(), &[a, b, tolerance]),
                    Kind::Int => self.ask_host(&host::near_integers(), &[a, b, tolerance]),
                    Kind::Bool => self.builder.ins().icmp(IntCC::Equal, a, b),
                }
            }
            Expression::Not(a) => {
                let a = self.operand(*a);
                self.builder.ins().icmp_imm_s(IntCC::Equal, a, 0)
            }
            Expression::And(a, b) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                self.builder.ins().band(a, b)
            }
            Expression::Within(index, len) => {
                let (index, len) = (self.operand(*index), self.operand(*len));
                self.builder.ins().icmp(IntCC::UnsignedLessThan, index, len)
            }
            Expression::Select(condition, a, b) => {
                let (condition, a, b) = (self.operand(*condition), self.operand(*a), self.operand(*b));
                self.builder.ins().select(condition, a, b)
            }
            Expression::ToReal(a) => {
                let a = self.operand(*a);
                self.builder.ins().fcvt_from_sint(types::F64, a)
            }
            Expression::Truncate(a, site) => self.truncate(*a, *site),
            Expression::IsNan(a) => {
                let a = self.operand(*a);
                self.builder.ins().fcmp(FloatCC::Unordered, a, a)
            }
            Expression::Load(element) => {
                let ty = number(self.kind_of(element.buffer));
                let (base, offset) = self.element(*element);
                self.builder.ins().load(ty, trusted(), base, offset)
            }
        }
    }

    fn real(&mut self, primitive: &'static Primitive, operands: &[Operand]) -> Value {
        let values: Vec<Value> = operands.iter().map(|operand| self.operand(*operand)).collect();
        if let Some(value) = primitive::inline(&mut self.builder, primitive, operands, &values) {
            return value;
        }
        let Some(row) = primitive.scalar() else { return self.builder.ins().f64const(f64::NAN) };
        let row = self.int(std::ptr::from_ref(row) as i64);
        match values[..] {
            [x] => self.ask_host(&host::real_of_one(), &[row, x]),
            [x, y, ..] => self.ask_host(&host::real_of_two(), &[row, x, y]),
            [] => self.builder.ins().f64const(f64::NAN),
        }
    }

    /// A function of integers, which fails where there is no result.
    fn integer(&mut self, primitive: &'static Primitive, operands: &[Operand], site: SiteId) -> Value {
        let values: Vec<Value> = operands.iter().map(|operand| self.operand(*operand)).collect();
        let checked = match values[..] {
            [a, b] if *primitive == scalar::ADD => Some(self.builder.ins().sadd_overflow(a, b)),
            [a, b] if *primitive == scalar::SUB => Some(self.builder.ins().ssub_overflow(a, b)),
            [a, b] if *primitive == scalar::MUL => Some(self.builder.ins().smul_overflow(a, b)),
            [a] if *primitive == scalar::NEG => {
                let zero = self.int(0);
                Some(self.builder.ins().ssub_overflow(zero, a))
            }
            [a, b] if *primitive == scalar::MIN => return self.builder.ins().smin(a, b),
            [a, b] if *primitive == scalar::MAX => return self.builder.ins().smax(a, b),
            [a, b] if matches!(operands[1], Operand::Int(1..)) && *primitive == scalar::FLOOR_DIV => {
                return primitive::floor_div(&mut self.builder, a, b).0;
            }
            [a, b] if matches!(operands[1], Operand::Int(1..)) && *primitive == scalar::FLOOR_MOD => {
                return primitive::floor_div(&mut self.builder, a, b).1;
            }
            _ => None,
        };
        if let Some((value, overflows)) = checked {
            let fits = self.builder.ins().icmp_imm_s(IntCC::Equal, overflows, 0);
            self.check(fits, site, operands);
            return value;
        }
        let Some(row) = primitive.scalar() else { return self.int(0) };
        let row = self.int(std::ptr::from_ref(row) as i64);
        let (count, to) = (self.int(values.len().min(2) as i64), self.words(1));
        let zero = self.int(0);
        let [a, b] = [0, 1].map(|at| values.get(at).copied().unwrap_or(zero));
        let there = self.ask_host(&host::integer(), &[row, count, a, b, to]);
        self.check(there, site, operands);
        self.builder.ins().load(types::I64, trusted(), to, 0)
    }

    /// Arithmetic on sizes, which are as large as they can be where they would be larger.
    fn saturating(&mut self, arithmetic: Arithmetic, a: Value, b: Value) -> Value {
        let (value, overflows) = match arithmetic {
            Arithmetic::Add => self.builder.ins().sadd_overflow(a, b),
            Arithmetic::Sub => self.builder.ins().ssub_overflow(a, b),
            Arithmetic::Mul => self.builder.ins().smul_overflow(a, b),
        };
        let sign = match arithmetic {
            Arithmetic::Add | Arithmetic::Sub => a,
            Arithmetic::Mul => self.builder.ins().bxor(a, b),
        };
        let (least, most) = (self.int(i64::MIN), self.int(i64::MAX));
        let negative = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, sign, 0);
        let end = self.builder.ins().select(negative, least, most);
        self.builder.ins().select(overflows, end, value)
    }

    /// The integer part of a number, which fails where it is not one of 64 bits.
    fn truncate(&mut self, of: Operand, site: SiteId) -> Value {
        let value = self.operand(of);
        let whole = self.builder.ins().trunc(value);
        // 2^63 is the first that does not fit.
        let least = self.builder.ins().f64const(-9223372036854775808.0);
        let most = self.builder.ins().f64const(9223372036854775808.0);
        let above = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, whole, least);
        let below = self.builder.ins().fcmp(FloatCC::LessThan, whole, most);
        let fits = self.builder.ins().band(above, below);
        self.check(fits, site, &[of]);
        self.builder.ins().fcvt_to_sint_sat(types::I64, whole)
    }
}
