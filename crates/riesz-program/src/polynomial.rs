//! The integers of a procedure as polynomials over those that are not computed from others.
//!
//! ```text
//! a = n · m;  b = a + n;  c = b − 1     give     c = n·m + n − 1
//! ```
//!
//! Positions and sizes are compared as polynomials, which also show how a position depends on an index: a position
//! `s·i + c` moves by `s` from one iteration to the next. A register that is bound once has the polynomial of its
//! expression. A register that is set more than once is `_`, except where its reader knows its value
//! ([`Polynomials::set`]), and so are numbers of other types.

use crate::program::{Arithmetic, Block, Expression, Kind, Operand, Procedure, Register, RegisterInfo, Statement};
use crate::visit::each_statement;
use riesz_core::Var;
use riesz_core::size::{Atom, Size};
use rustc_hash::FxHashMap;

/// The integers of a procedure as polynomials.
#[derive(Clone, Default)]
pub struct Polynomials {
    /// Registers that are something else than themselves.
    known: FxHashMap<Register, Size>,
}

impl Polynomials {
    /// The polynomials of a procedure.
    pub fn of(procedure: &Procedure) -> Polynomials {
        let mut polynomials = Polynomials::default();
        polynomials.learn(&procedure.registers, &procedure.body);
        polynomials
    }

    /// Learns what a block binds, given all registers of its procedure.
    pub(crate) fn learn(&mut self, registers: &[RegisterInfo], block: &Block) {
        for (at, info) in registers.iter().enumerate() {
            if info.mutable || info.kind != Kind::Int {
                self.set(Register(at as u32), Size::Hole);
            }
        }
        each_statement(block, &mut |statement| {
            if let Statement::Let(register, expression) = statement {
                self.bind(*register, self.expression(expression));
            }
        });
    }

    /// An operand.
    pub fn operand(&self, operand: Operand) -> Size {
        match operand {
            Operand::Int(value) => Size::Constant(value),
            Operand::Register(register) => {
                self.known.get(&register).cloned().unwrap_or_else(|| Size::Atom(atom(register)))
            }
            Operand::Real(_) | Operand::Bool(_) => Size::Hole,
        }
    }

    /// The polynomial that an expression computes.
    pub fn expression(&self, expression: &Expression) -> Size {
        match expression {
            Expression::Copy(a) => self.operand(*a),
            Expression::Position(arithmetic, a, b) => self.arithmetic(*arithmetic, *a, *b),
            Expression::Int(primitive, operands, _) => match (Arithmetic::of(primitive), &operands[..]) {
                (Some(arithmetic), [a, b]) => self.arithmetic(arithmetic, *a, *b),
                _ => Size::Hole,
            },
            _ => Size::Hole,
        }
    }

    /// A sum, difference or product; `_` also where it is too large to be written down.
    pub fn arithmetic(&self, arithmetic: Arithmetic, a: Operand, b: Operand) -> Size {
        let (a, b) = (self.operand(a), self.operand(b));
        let computed = match arithmetic {
            Arithmetic::Add => a.add(&b),
            Arithmetic::Sub => a.sub(&b),
            Arithmetic::Mul => a.mul(&b),
        };
        computed.unwrap_or(Size::Hole)
    }

    /// Learns what a register is bound to; where that is `_`, it remains what it was.
    pub fn bind(&mut self, register: Register, size: Size) {
        if size != Size::Hole {
            self.known.insert(register, size);
        }
    }

    /// Learns what a register holds from now on that is set more than once.
    pub fn set(&mut self, register: Register, size: Size) {
        self.known.insert(register, size);
    }

    /// Whether two operands are known to be the same.
    pub fn same(&self, a: Operand, b: Operand) -> bool {
        let size = self.operand(a);
        size != Size::Hole && size == self.operand(b)
    }
}

/// A register as what polynomials are made of.
pub fn atom(register: Register) -> Atom {
    Atom::Var(Var(register.0))
}

/// How much a polynomial grows with a register, where that is a number.
pub fn slope(size: &Size, register: Register) -> Option<i64> {
    let mut slope = 0;
    for monomial in size.monomials() {
        match monomial.factors() {
            [factor] if *factor == atom(register) => slope = monomial.coefficient(),
            factors if factors.contains(&atom(register)) => return None,
            _ => {}
        }
    }
    Some(slope)
}

/// A polynomial with another one for a register.
pub fn with(size: &Size, register: Register, value: &Size) -> Size {
    size.replace(&mut |other| if other == atom(register) { value.clone() } else { Size::Atom(other) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use riesz_syntax::{FileId, Span};

    /// `n` and `i`; `m`, which is set more than once; and what is bound to the expressions.
    fn procedure(bound: Vec<Expression>) -> Procedure {
        let info = |at| RegisterInfo { name: None, kind: Kind::Int, mutable: at == 2 };
        let registers = (0..3 + bound.len()).map(info).collect();
        let body = bound.into_iter().zip(3..).map(|(expression, at)| Statement::Let(Register(at), expression));
        Procedure {
            name: "f".into(),
            span: Span { file: FileId(0), start: 0, end: 0 },
            parameters: Vec::new(),
            results: Vec::new(),
            registers,
            buffers: Vec::new(),
            body: body.collect(),
            nan_flag: None,
        }
    }

    const N: Operand = Operand::Register(Register(0));
    const I: Operand = Operand::Register(Register(1));
    const M: Operand = Operand::Register(Register(2));

    fn bound(at: u32) -> Operand {
        Operand::Register(Register(3 + at))
    }

    #[test]
    fn what_is_computed_in_other_ways_is_the_same() {
        let polynomials = Polynomials::of(&procedure(vec![
            Expression::Position(Arithmetic::Add, I, Operand::Int(1)),
            Expression::Position(Arithmetic::Mul, bound(0), N),
            Expression::Position(Arithmetic::Mul, N, I),
            Expression::Position(Arithmetic::Add, N, bound(2)),
        ]));
        assert!(polynomials.same(bound(1), bound(3)));
        assert!(!polynomials.same(bound(1), bound(2)));
        assert_eq!(slope(&polynomials.operand(bound(0)), Register(1)), Some(1));
        assert_eq!(slope(&polynomials.operand(bound(1)), Register(1)), None);
        let first = with(&polynomials.operand(bound(1)), Register(1), &Size::Constant(0));
        assert_eq!(first, polynomials.operand(N));
    }

    #[test]
    fn what_is_set_more_than_once_is_not_known() {
        let mut polynomials = Polynomials::of(&procedure(vec![Expression::Copy(M), Expression::Copy(M)]));
        assert!(!polynomials.same(bound(0), bound(1)));
        assert!(!polynomials.same(M, M));
        assert!(polynomials.same(bound(0), bound(0)));
        polynomials.set(Register(2), polynomials.operand(N));
        assert!(polynomials.same(M, N));
    }
}
