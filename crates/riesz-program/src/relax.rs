//! Products in which zero is exact, without the price.
//!
//! `0 · inf` is 0 in a derivative, and NaN in plain arithmetic; every other product is the same. What is linear in a NaN is
//! NaN, so where plain products make one that should not be, it shows in a result: plain code that gives no NaN is right,
//! and where it gives one, careful code has to be asked. That holds as long as no product decides anything on the way:
//! nothing is compared, truncated or taken to a power that depends on one.

use crate::program::{Buffer, Expression, Operand, Procedure, Program, Register, Statement};
use crate::visit::each_statement;
use riesz_primitive::scalar;
use rustc_hash::FxHashSet;

/// Makes exact products plain, where a NaN that this makes shows in the results. Whether there were any.
pub fn relax(program: &mut Program) -> bool {
    // What crosses calls is not followed.
    let calls = program.procedures.iter().any(|procedure| {
        let mut calls = false;
        each_statement(&procedure.body, &mut |statement| calls |= matches!(statement, Statement::Call(_)));
        calls
    });
    if calls {
        return false;
    }
    let mut relaxed = false;
    for procedure in &mut program.procedures {
        let mut products = Products { registers: FxHashSet::default(), buffers: FxHashSet::default() };
        if products.find(procedure) {
            make_plain(&mut procedure.body);
            relaxed = true;
        }
    }
    relaxed
}

/// What depends on exact products.
struct Products {
    registers: FxHashSet<Register>,
    buffers: FxHashSet<Buffer>,
}

impl Products {
    /// Whether there are exact products, none of which decides anything.
    fn find(&mut self, procedure: &Procedure) -> bool {
        loop {
            let before = self.registers.len() + self.buffers.len();
            each_statement(&procedure.body, &mut |statement| self.statement(statement));
            if self.registers.len() + self.buffers.len() == before {
                break;
            }
        }
        let mut decides = false;
        each_statement(&procedure.body, &mut |statement| {
            if let Statement::Let(_, expression) = statement {
                decides |= self.decides(expression);
            }
        });
        let some = !self.registers.is_empty() || !self.buffers.is_empty();
        some && !decides
    }

    fn has(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.registers.contains(&register))
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(register, expression) => {
                let mut found = match expression {
                    Expression::Real(primitive, _) => std::ptr::eq(*primitive, &scalar::EXACT_MUL),
                    Expression::Load(element) => self.buffers.contains(&element.buffer),
                    _ => false,
                };
                expression.operands(&mut |operand| found |= self.has(operand));
                if found {
                    self.registers.insert(*register);
                }
            }
            Statement::Set(register, value) | Statement::Reduce(register, _, value) if self.has(*value) => {
                self.registers.insert(*register);
            }
            Statement::Store(element, value) | Statement::Add(element, value) | Statement::Fill(element, _, value)
                if self.has(*value) =>
            {
                self.buffers.insert(element.buffer);
            }
            Statement::Copy { to, from, .. } if self.buffers.contains(&from.buffer) => {
                self.buffers.insert(to.buffer);
            }
            Statement::Swap(a, b) if self.buffers.contains(a) || self.buffers.contains(b) => {
                self.buffers.extend([*a, *b]);
            }
            Statement::Product(product) => {
                let factors = [product.left.first.buffer, product.right.first.buffer];
                if product.exact || factors.iter().any(|buffer| self.buffers.contains(buffer)) {
                    self.buffers.insert(product.to.buffer);
                }
            }
            Statement::Matrix(matrix) => {
                let right = matrix.b.is_some_and(|(element, _)| self.buffers.contains(&element.buffer));
                if right || self.buffers.contains(&matrix.a.buffer) {
                    self.buffers.insert(matrix.to.buffer);
                }
            }
            _ => {}
        }
    }

    /// Whether a NaN among the operands may be lost.
    fn decides(&self, expression: &Expression) -> bool {
        let mut found = false;
        expression.operands(&mut |operand| found |= self.has(operand));
        found
            && match expression {
                Expression::Real(primitive, _) => matches!(primitive.name, "^" | "pow" | "integer ^" | "hypot"),
                Expression::Compare(..)
                | Expression::Equal(..)
                | Expression::Near(..)
                | Expression::Truncate(..)
                | Expression::IsNan(_) => true,
                _ => false,
            }
    }
}

fn make_plain(block: &mut [Statement]) {
    for statement in block {
        match statement {
            Statement::Let(_, Expression::Real(primitive, _)) if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                *primitive = &scalar::MUL;
            }
            Statement::Product(product) => product.exact = false,
            _ => {}
        }
        for inner in statement.blocks_mut() {
            make_plain(inner);
        }
    }
}
