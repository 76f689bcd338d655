//! Which loops run in strips of several vectors, and which products use fused multiply-add.

use super::annotation::{Class, LaneSchedule};
use super::target::Target;
use crate::program::{Block, Combine, Element, Expression, For, Kind, Operand, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether strips are worthwhile, and the target has all operations of the loop. They are if iterations have inner
/// loops, which read values that are uniform.
pub(super) fn fits(target: &Target, procedure: &Procedure, lanes: &LaneSchedule, each: &For) -> bool {
    let enough = !matches!(each.count, Operand::Int(count) if count < target.strip * target.lanes);
    let loops = each.body.iter().any(|statement| matches!(statement, Statement::For(_) | Statement::Product(_)));
    target.strip > 1 && enough && loops && Strip { target, procedure, lanes }.block(&each.body)
}

struct Strip<'a> {
    target: &'a Target,
    procedure: &'a Procedure,
    lanes: &'a LaneSchedule,
}

impl Strip<'_> {
    fn block(&self, block: &Block) -> bool {
        block.iter().all(|statement| {
            let fits = match statement {
                Statement::Let(register, expression) => {
                    self.lanes.class(Operand::Register(*register)) != Class::Varying || self.expression(expression)
                }
                Statement::Reduce(register, combine, _) => {
                    !self.lanes.reduced.contains_key(register) || *combine == Combine::Sum
                }
                Statement::Store(element, _) | Statement::Fill(element, ..) => self.stores(*element),
                Statement::Copy { to, .. } => self.stores(*to),
                Statement::Product(product) => self.stores(product.to),
                // If each lane adds to its own position of a common buffer, lanes add one after the other.
                Statement::Add(element, _) => {
                    self.lanes.varying.contains(&element.buffer) || self.lanes.class(element.at) != Class::Varying
                }
                Statement::Set(..)
                | Statement::Allocate(_)
                | Statement::For(_)
                | Statement::If(..)
                | Statement::Check(..)
                | Statement::Swap(..) => true,
                Statement::Grow(_) | Statement::While(_) | Statement::Call(_) | Statement::Matrix(_) => false,
            };
            // Under a mask, elements are written one by one.
            let diverges = diverges(statement, self.lanes);
            fits && !diverges && statement.blocks().into_iter().all(|inner| self.block(inner))
        })
    }

    /// Whether an element is written at the same position in every lane, or at positions with a stride in a common
    /// buffer.
    fn stores(&self, element: Element) -> bool {
        match self.lanes.class(element.at) {
            Class::Uniform => true,
            Class::Linear(_) => {
                let kind = self.procedure.buffers[element.buffer.0 as usize].kind;
                !self.lanes.varying.contains(&element.buffer) && kind == Kind::Real
            }
            Class::Varying => false,
        }
    }

    fn expression(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Real(primitive, _) => self.target.strip_functions.contains(primitive),
            Expression::Int(..) | Expression::Truncate(..) | Expression::Near(..) => false,
            _ => true,
        }
    }
}

/// The products of varying numbers in a loop that are only added to something, in the block that computes them.
pub(super) fn fused(procedure: &Procedure, lanes: &LaneSchedule, each: &For) -> BTreeMap<Register, (Operand, Operand)> {
    let mut uses: FxHashMap<Register, usize> = FxHashMap::default();
    each_statement(&each.body, &mut |statement| {
        statement.operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                *uses.entry(register).or_default() += 1;
            }
        });
    });
    let is_mutable = |operand: Operand| match operand {
        Operand::Register(register) => procedure.registers[register.0 as usize].mutable,
        _ => false,
    };
    let mut found = BTreeMap::new();
    let mut work = vec![&each.body];
    while let Some(block) = work.pop() {
        let mut products: FxHashMap<Register, (Operand, Operand)> = FxHashMap::default();
        for statement in block {
            match statement {
                Statement::Let(register, Expression::Real(primitive, operands)) => {
                    if *primitive == &scalar::MUL
                        && let [a, b] = operands[..]
                        && uses.get(register) == Some(&1)
                        && lanes.class(Operand::Register(*register)) == Class::Varying
                        && !is_mutable(a)
                        && !is_mutable(b)
                    {
                        products.insert(*register, (a, b));
                    }
                }
                Statement::Add(element, Operand::Register(value)) if lanes.is_uniform(element.at) => {
                    found.extend(products.get(value).map(|product| (*value, *product)));
                }
                Statement::Reduce(total, Combine::Sum, Operand::Register(value)) if total != value => {
                    found.extend(products.get(value).map(|product| (*value, *product)));
                }
                _ => {}
            }
            work.extend(statement.blocks());
        }
    }
    found
}

/// Whether the iterations of a loop stay together, as those of a strip do.
pub(super) fn is_straight(each: &For, lanes: &LaneSchedule) -> bool {
    let mut straight = true;
    each_statement(&each.body, &mut |statement| {
        straight &= match statement {
            Statement::If(..) | Statement::For(_) => !diverges(statement, lanes),
            Statement::While(_) | Statement::Call(_) | Statement::Grow(_) | Statement::Matrix(_) => false,
            _ => true,
        };
    });
    straight
}

/// Whether lanes part at a statement.
fn diverges(statement: &Statement, lanes: &LaneSchedule) -> bool {
    match statement {
        Statement::If(condition, ..) => !lanes.is_uniform(*condition),
        Statement::For(each) => !lanes.is_uniform(each.count),
        Statement::While(each) => !lanes.is_uniform(each.condition),
        _ => false,
    }
}
