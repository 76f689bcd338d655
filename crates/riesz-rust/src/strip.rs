//! Which loops run thirty-two iterations at a time, and which products use fused multiply-add.

use crate::classify::{Class, Lanes};
use riesz_program::program::{Block, Combine, Element, Expression, For, Kind, Operand, Register, Statement};
use rustc_hash::FxHashMap;

/// Whether strips are worth it, and can do all that a loop does. They are where turns have loops inside, which read what
/// is the same in all turns.
pub(crate) fn fits(lanes: &Lanes, each: &For) -> bool {
    let enough = !matches!(each.count, Operand::Int(..32));
    let loops = each.body.iter().any(|statement| matches!(statement, Statement::For(_) | Statement::Product(_)));
    enough && loops && block_fits(lanes, &each.body)
}

fn block_fits(lanes: &Lanes, block: &Block) -> bool {
    block.iter().all(|statement| {
        let fits = match statement {
            Statement::Let(register, expression) => {
                lanes.class(Operand::Register(*register)) != Class::Varying || expression_fits(expression)
            }
            Statement::Reduce(register, combine, _) => !lanes.reduced.contains(register) || *combine == Combine::Sum,
            Statement::Store(element, _) | Statement::Fill(element, ..) => stores(lanes, *element),
            Statement::Copy { to, .. } => stores(lanes, *to),
            Statement::Product(product) => stores(lanes, product.to),
            // Where every lane adds to a place of its own, in a buffer that they share, lanes take turns.
            Statement::Add(element, _) => {
                lanes.varying.contains(&element.buffer) || lanes.class(element.at) != Class::Varying
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
        let parts = matches!(statement, Statement::If(condition, ..) if lanes.class(*condition) != Class::Uniform);
        fits && !parts && riesz_program::blocks(statement).into_iter().all(|inner| block_fits(lanes, inner))
    })
}

/// Whether an element is written at the same place in every lane, or at places that are a step apart in a shared buffer.
fn stores(lanes: &Lanes, element: Element) -> bool {
    match lanes.class(element.at) {
        Class::Uniform => true,
        Class::Linear(_) => !lanes.varying.contains(&element.buffer) && lanes.kind(element.buffer) == Kind::Real,
        Class::Varying => false,
    }
}

fn expression_fits(expression: &Expression) -> bool {
    match expression {
        Expression::Real(primitive, _) => matches!(
            primitive.name,
            "+" | "-"
                | "*"
                | "/"
                | "unary -"
                | "exact *"
                | "exp"
                | "log"
                | "sin"
                | "cos"
                | "tanh"
                | "sqrt"
                | "abs"
                | "expm1"
                | "log1p"
                | "sinh"
                | "cosh"
                | "max"
                | "min"
                | "integer ^"
        ),
        Expression::Int(..) | Expression::Truncate(..) | Expression::Near(..) => false,
        _ => true,
    }
}

/// The products of varying numbers in a loop that are only added to something, in the block that they are computed in.
pub(crate) fn products(lanes: &Lanes, each: &For) -> FxHashMap<Register, (Operand, Operand)> {
    let mut uses: FxHashMap<Register, usize> = FxHashMap::default();
    let mut work = vec![&each.body];
    while let Some(block) = work.pop() {
        for statement in block {
            riesz_program::each_operand(statement, &mut |operand| {
                if let Operand::Register(register) = operand {
                    *uses.entry(register).or_default() += 1;
                }
            });
            work.extend(riesz_program::blocks(statement));
        }
    }
    let mut found = FxHashMap::default();
    let mut work = vec![&each.body];
    while let Some(block) = work.pop() {
        let mut products: FxHashMap<Register, (Operand, Operand)> = FxHashMap::default();
        for statement in block {
            match statement {
                Statement::Let(register, Expression::Real(primitive, operands)) => {
                    if let ("*", [a, b]) = (primitive.name, &operands[..])
                        && uses.get(register) == Some(&1)
                        && lanes.class(Operand::Register(*register)) == Class::Varying
                        && !lanes.is_mutable(*a)
                        && !lanes.is_mutable(*b)
                    {
                        products.insert(*register, (*a, *b));
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
            work.extend(riesz_program::blocks(statement));
        }
    }
    found
}
