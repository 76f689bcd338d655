//! Unit vectors: a sum of products with the numbers of a unit vector is one of its terms.
//!
//! ```text
//! u = 0; u[t] += 1;  for j < n: y += x[j] · u[j]        is        y += x[t]
//! ```
//!
//! A matrix is computed from unit vectors, one for each row or column. Zero times anything is zero in a derivative, so
//! the terms of the other numbers are zeros.

use crate::polynomial::Polynomials;
use crate::program::{Block, Buffer, Combine, Element, Expression, For, Operand, Procedure, Register, Statement};
use crate::visit::{Use, each_statement};
use riesz_primitive::scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Replaces the sums over the numbers of unit vectors in a procedure.
pub fn unit(procedure: &mut Procedure) {
    let mut units = Units::of(procedure);
    if !units.found.is_empty() {
        let body = std::mem::take(&mut procedure.body);
        procedure.body = units.block(body);
    }
}

/// A unit vector: where its one is, and how many numbers it has.
#[derive(Clone, Copy)]
struct Unit {
    at: Operand,
    count: Operand,
}

struct Units {
    polynomials: Polynomials,
    found: FxHashMap<Buffer, Unit>,
    /// Those among them that have been written where a statement stands.
    there: FxHashSet<Buffer>,
}

impl Units {
    fn of(procedure: &Procedure) -> Units {
        let mut units =
            Units { polynomials: Polynomials::of(procedure), found: FxHashMap::default(), there: FxHashSet::default() };
        units.find(procedure, &procedure.body);
        // Nothing else is written to the vector.
        let mut writes: FxHashMap<Buffer, usize> = FxHashMap::default();
        each_statement(&procedure.body, &mut |statement| {
            statement.buffers(&mut |buffer, how| *writes.entry(buffer).or_default() += usize::from(how == Use::Write));
            if let Statement::Swap(a, b) = statement {
                [a, b].into_iter().for_each(|buffer| *writes.entry(*buffer).or_default() += 3);
            }
        });
        units.found.retain(|buffer, _| writes.get(buffer) == Some(&2));
        units
    }

    /// Finds the buffers that are filled with zeros, to one of which one is added in the same block.
    fn find(&mut self, procedure: &Procedure, block: &Block) {
        let mut zeros: FxHashMap<Buffer, Operand> = FxHashMap::default();
        let is_fixed = |operand: Operand| match operand {
            Operand::Register(register) => !procedure.registers[register.0 as usize].mutable,
            _ => true,
        };
        for statement in block {
            match statement {
                Statement::Fill(Element { buffer, at: Operand::Int(0) }, count, Operand::Real(0.0)) => {
                    zeros.insert(*buffer, *count);
                }
                Statement::Add(Element { buffer, at }, Operand::Real(1.0)) => {
                    if let Some(count) = zeros.remove(buffer)
                        && is_fixed(*at)
                        && is_fixed(count)
                    {
                        self.found.insert(*buffer, Unit { at: *at, count });
                    }
                }
                other => {
                    other.buffers(&mut |buffer, _| {
                        zeros.remove(&buffer);
                    });
                }
            }
            statement.blocks().into_iter().for_each(|inner| self.find(procedure, inner));
        }
    }

    fn block(&mut self, block: Block) -> Block {
        let (mut written, before) = (Vec::with_capacity(block.len()), self.there.clone());
        for mut statement in block {
            if let Statement::Add(Element { buffer, .. }, _) = &statement
                && self.found.contains_key(buffer)
            {
                self.there.insert(*buffer);
            }
            if let Statement::For(each) = &statement
                && let Some(unit) = self.summed(each)
            {
                written.push(Statement::Let(each.index, Expression::Copy(unit.at)));
                let Statement::For(each) = statement else { continue };
                written.extend(each.body.into_iter().map(|statement| match statement {
                    Statement::Let(register, Expression::Load(element)) if self.there.contains(&element.buffer) => {
                        Statement::Let(register, Expression::Copy(Operand::Real(1.0)))
                    }
                    other => other,
                }));
                continue;
            }
            for inner in statement.blocks_mut() {
                *inner = self.block(std::mem::take(inner));
            }
            written.push(statement);
        }
        self.there = before;
        written
    }

    /// The unit vector over whose numbers a loop only sums, if it does.
    fn summed(&self, each: &For) -> Option<Unit> {
        let mut unit: Option<Unit> = None;
        // The numbers that are zero where that of the unit vector is.
        let mut zeros: FxHashSet<Register> = FxHashSet::default();
        for statement in &each.body {
            match statement {
                Statement::Let(register, Expression::Load(element)) if self.there.contains(&element.buffer) => {
                    let found = self.found[&element.buffer];
                    let all = self.polynomials.same(each.count, found.count) || each.count == found.count;
                    if !all
                        || element.at != Operand::Register(each.index)
                        || unit.is_some_and(|unit| unit.at != found.at)
                    {
                        return None;
                    }
                    unit = Some(found);
                    zeros.insert(*register);
                }
                Statement::Let(_, Expression::Int(..) | Expression::Truncate(..)) => return None,
                Statement::Let(register, expression) => {
                    if is_zero(expression, &zeros) {
                        zeros.insert(*register);
                    }
                }
                Statement::Reduce(_, Combine::Sum, Operand::Register(value))
                | Statement::Add(_, Operand::Register(value))
                    if zeros.contains(value) => {}
                _ => return None,
            }
        }
        unit.filter(|_| each.private.is_empty())
    }
}

/// Whether an expression is zero where some registers are.
fn is_zero(expression: &Expression, zeros: &FxHashSet<Register>) -> bool {
    let zero = |operand: &Operand| matches!(operand, Operand::Register(register) if zeros.contains(register));
    match expression {
        Expression::Copy(a) => zero(a),
        Expression::Real(primitive, operands) if *primitive == &scalar::EXACT_MUL => operands.iter().any(zero),
        Expression::Real(primitive, operands) => {
            [&scalar::ADD, &scalar::SUB, &scalar::NEG].contains(primitive) && operands.iter().all(zero)
        }
        _ => false,
    }
}
