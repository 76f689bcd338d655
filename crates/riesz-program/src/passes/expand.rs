//! Products of matrices as loops, for passes that need the operations on single numbers.
//!
//! ```text
//! to = left · right   is   to = 0; for i: for k: for j: to[i, j] += left[i, k] · right[k, j]
//! ```

use crate::iterations::Iterations;
use crate::program::{
    Arithmetic, Block, Element, Expression, For, Kind, Operand, Procedure, Product, Register, SiteId, Statement,
    Strided,
};
use riesz_primitive::scalar;
use rustc_hash::FxHashSet;

/// Writes out the products of matrices in a loop by a matrix that is the same in every iteration, where that is wanted of the
/// loop with the product of two entries as a number.
pub(crate) fn expand(procedure: &mut Procedure, each: &mut For, wanted: &dyn Fn(&Procedure, &For, Register) -> bool) {
    let mut at = 0;
    while let Some(found) = nth_product(&each.body, &mut at.clone()).cloned() {
        let iterations = Iterations::of(procedure, each, &FxHashSet::default());
        let is_same = |factor: &Strided| {
            let places = [factor.first.at, factor.row, factor.column];
            !iterations.is_written(factor.first.buffer) && places.iter().all(|place| iterations.is_fixed(*place))
        };
        let is_wanted = is_same(&found.left) != is_same(&found.right);
        drop(iterations);
        if is_wanted {
            let (kept, registers) = (each.body.clone(), procedure.registers.len());
            let written = write_out(procedure, &found, each.site);
            put(&mut each.body, &mut at.clone(), written);
            if wanted(procedure, each, Register(registers as u32)) {
                continue;
            }
            each.body = kept;
            procedure.registers.truncate(registers);
        }
        at += 1;
    }
}

/// The product of matrices with this number, in the loops of a block.
fn nth_product<'b>(block: &'b Block, before: &mut usize) -> Option<&'b Product> {
    for statement in block {
        match statement {
            Statement::Product(product) => match before.checked_sub(1) {
                Some(fewer) => *before = fewer,
                None => return Some(product),
            },
            Statement::For(each) => {
                if let Some(found) = nth_product(&each.body, before) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Puts statements in the place of the product with this number.
fn put(block: &mut Block, before: &mut usize, by: Block) -> Option<Block> {
    let mut by = Some(by);
    for at in 0..block.len() {
        match &mut block[at] {
            Statement::Product(_) => match before.checked_sub(1) {
                Some(fewer) => *before = fewer,
                None => {
                    block.splice(at..=at, by.take()?);
                    return None;
                }
            },
            Statement::For(each) => by = Some(put(&mut each.body, before, by.take()?)?),
            _ => {}
        }
    }
    by
}

/// The product in loops. The first register that it makes is the product of two entries.
fn write_out(procedure: &mut Procedure, product: &Product, site: SiteId) -> Block {
    let value = procedure.register(Kind::Real, false);
    let [i, k, j] = [0; 3].map(|_| procedure.register(Kind::Int, false));
    let [row, inner, column] = [i, k, j].map(Operand::Register);
    let mut body = Block::new();
    let place = |procedure: &mut Procedure, first: Operand, steps: [(Operand, Operand); 2], block: &mut Block| {
        steps.into_iter().fold(first, |at, (index, step)| {
            let further = procedure.position(Arithmetic::Mul, index, step, block);
            procedure.position(Arithmetic::Add, at, further, block)
        })
    };
    let load = |procedure: &mut Procedure, from: Strided, indices: [Operand; 2], block: &mut Block| {
        let at = place(procedure, from.first.at, [(indices[0], from.row), (indices[1], from.column)], block);
        let element = procedure.register(Kind::Real, false);
        block.push(Statement::Let(element, Expression::Load(Element { at, ..from.first })));
        Operand::Register(element)
    };
    // What does not depend on the innermost index is read before its loop.
    let mut around = Block::new();
    let left = load(procedure, product.left, [row, inner], &mut around);
    let right = load(procedure, product.right, [inner, column], &mut body);
    let times = if product.exact { &scalar::EXACT_MUL } else { &scalar::MUL };
    body.push(Statement::Let(value, Expression::Real(times, vec![left, right])));
    let one = Operand::Int(1);
    let at = place(procedure, product.to.at, [(row, product.columns), (column, one)], &mut body);
    body.push(Statement::Add(Element { at, ..product.to }, Operand::Register(value)));
    let each = |index, count, body| Statement::For(For { counted: false, ..For::new(index, count, true, body, site) });
    around.push(each(j, product.columns, body));
    let mut written = Block::new();
    let count = procedure.position(Arithmetic::Mul, product.rows, product.columns, &mut written);
    written.push(Statement::Fill(product.to, count, Operand::Real(0.0)));
    written.push(each(i, product.rows, vec![each(k, product.inner, around)]));
    written
}
