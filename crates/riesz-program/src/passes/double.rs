//! `a = b · c; d = a + a` is `d = b · 2c`, where `c` is a number and `a` is used for nothing else.
//!
//! Derivatives of squares contain many such sums. The results differ only in the rounding of subnormal products.

use crate::program::{Block, Expression, Operand, Outcome, Procedure, Register, Statement};
use crate::visit::each_statement;
use riesz_primitive::Primitive;
use riesz_primitive::scalar::{ADD, EXACT_MUL, MUL};
use rustc_hash::FxHashMap;

/// Doubles numbers instead of products with them.
pub fn double(procedure: &mut Procedure) {
    let mut uses: FxHashMap<Register, usize> = FxHashMap::default();
    let mut products: FxHashMap<Register, Product> = FxHashMap::default();
    let mut used = |operand: Operand| {
        if let Operand::Register(register) = operand {
            *uses.entry(register).or_default() += 1;
        }
    };
    for result in &procedure.results {
        if let Outcome::Number(operand) = result {
            used(*operand);
        }
    }
    each_statement(&procedure.body, &mut |statement| {
        statement.operands(&mut used);
        if let Statement::Let(register, Expression::Real(primitive, operands)) = statement
            && [&MUL, &EXACT_MUL].contains(primitive)
            && let [factor, Operand::Real(number)] | [Operand::Real(number), factor] = operands[..]
            && !matches!(factor, Operand::Register(register) if procedure.registers[register.0 as usize].mutable)
            && (2.0 * number).is_finite()
        {
            products.insert(*register, Product { primitive, factor, number });
        }
    });
    products.retain(|register, _| uses.get(register) == Some(&2));
    if !products.is_empty() {
        double_in(&mut procedure.body, &products);
    }
}

/// A product of a factor and a number.
struct Product {
    primitive: &'static Primitive,
    factor: Operand,
    number: f64,
}

fn double_in(block: &mut Block, products: &FxHashMap<Register, Product>) {
    for statement in block {
        if let Statement::Let(_, Expression::Real(primitive, operands)) = statement
            && *primitive == &ADD
            && let [Operand::Register(a), Operand::Register(b)] = operands[..]
            && a == b
            && let Some(Product { primitive: product, factor, number }) = products.get(&a)
        {
            (*primitive, *operands) = (product, vec![*factor, Operand::Real(2.0 * number)]);
        }
        statement.blocks_mut().into_iter().for_each(|block| double_in(block, products));
    }
}
