//! A product of matrices that is only copied is computed in its final place.
//!
//! ```text
//! b = p · q;  for i < n: for j < m: a[i, j] = b[i, j]     is   a = p · q
//! b = p · q;  for i < n: for j < m: a[i, j] = b[j, i]     is   a = qᵀ · pᵀ          (p · q)ᵀ = qᵀ · pᵀ
//! ```
//!
//! Transposing a factor costs nothing: it only exchanges the strides of rows and columns.

use crate::program::{
    Arithmetic, Block, Buffer, Element, Expression, For, Operand, Procedure, Product, Register, Statement,
};
use crate::program::{Outcome, Strided};
use crate::visit::{Use, each_statement};
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;

/// Computes products of matrices where they go.
pub fn place(procedure: &mut Procedure) {
    let mut touches: FxHashMap<Buffer, usize> = FxHashMap::default();
    each_statement(&procedure.body, &mut |statement| {
        statement.buffers(&mut |buffer, how| {
            if how != Use::Make {
                *touches.entry(buffer).or_default() += 1;
            }
        });
    });
    for result in &procedure.results {
        if let Outcome::Buffer(buffer) = result {
            *touches.entry(*buffer).or_default() += 2;
        }
    }
    let mut work = vec![&mut procedure.body];
    while let Some(block) = work.pop() {
        place_in(block, &touches);
        work.extend(block.iter_mut().flat_map(Statement::blocks_mut));
    }
}

fn place_in(block: &mut Block, touches: &FxHashMap<Buffer, usize>) {
    let mut at = 0;
    while at < block.len() {
        let placed = match &block[at] {
            // A product and a copy of it are all that has to do with the buffer between them.
            Statement::Product(product) if touches.get(&product.to.buffer) == Some(&2) => {
                placed(product, &block[at + 1..])
            }
            _ => None,
        };
        match placed {
            Some((further, product)) => {
                block[at + 1 + further] = Statement::Product(product);
                block.remove(at);
            }
            None => at += 1,
        }
    }
}

/// The copy of a product among the statements behind it, and the product in its place.
fn placed(product: &Product, rest: &[Statement]) -> Option<(usize, Product)> {
    let factors = [product.left.first.buffer, product.right.first.buffer];
    for (at, statement) in rest.iter().enumerate() {
        if let Statement::For(each) = statement
            && let Some((to, transposed)) = copy_of(product, each)
        {
            let turned = |factor: Strided| Strided { row: factor.column, column: factor.row, ..factor };
            return Some((
                at,
                match transposed {
                    false => Product { to, ..product.clone() },
                    true => Product {
                        to,
                        left: turned(product.right),
                        right: turned(product.left),
                        rows: product.columns,
                        columns: product.rows,
                        ..product.clone()
                    },
                },
            ));
        }
        let mut changes = false;
        let mut note = |buffer: Buffer, how: Use| changes |= how != Use::Read && factors.contains(&buffer);
        statement.buffers(&mut note);
        for inner in statement.blocks() {
            each_statement(inner, &mut |statement| statement.buffers(&mut note));
        }
        if changes {
            return None;
        }
    }
    None
}

/// Where a loop copies a whole product to, and whether it exchanges rows and columns.
fn copy_of(product: &Product, outer: &For) -> Option<(Element, bool)> {
    let (inner, around) = outer.body.split_last()?;
    let Statement::For(inner) = inner else { return None };
    let mut known: FxHashMap<Register, &Expression> = FxHashMap::default();
    let (mut loaded, mut stored) = (None, None);
    for statement in around.iter().chain(&inner.body) {
        match statement {
            Statement::Let(register, expression @ Expression::Position(..)) => {
                known.insert(*register, expression);
            }
            Statement::Let(register, Expression::Load(element)) if loaded.is_none() => {
                loaded = Some((*register, *element));
            }
            // Products are sums that begin with zero, which zero is added to without a trace.
            Statement::Let(register, Expression::Real(primitive, operands)) => match &operands[..] {
                [a, Operand::Real(0.0)] if *primitive == &scalar::ADD && *a == Operand::Register(loaded?.0) => {
                    loaded = Some((*register, loaded?.1))
                }
                _ => return None,
            },
            Statement::Store(element, value) if stored.is_none() => stored = Some((*element, *value)),
            _ => return None,
        }
    }
    let ((register, from), (to, value)) = (loaded?, stored?);
    if from.buffer != product.to.buffer || product.to.at != Operand::Int(0) || value != Operand::Register(register) {
        return None;
    }
    let steps = |at: Operand| {
        let mut found = Vec::new();
        terms(at, &known, &mut found)?;
        let step = |index: Register| found.iter().find(|(other, _)| *other == index).map(|(_, step)| *step);
        (found.len() == 2).then_some((step(outer.index)?, step(inner.index)?))
    };
    let ((row, column), (across, down)) = (steps(to.at)?, steps(from.at)?);
    if row != inner.count || column != Operand::Int(1) {
        return None;
    }
    let to = Element { buffer: to.buffer, at: Operand::Int(0) };
    let sizes = (outer.count, inner.count);
    match (across, down) {
        (across, Operand::Int(1)) if across == product.columns && sizes == (product.rows, product.columns) => {
            Some((to, false))
        }
        (Operand::Int(1), down) if down == product.columns && sizes == (product.columns, product.rows) => {
            Some((to, true))
        }
        _ => None,
    }
}

/// The terms of a position that is a sum of registers, each times its step; none where it is anything else.
fn terms(at: Operand, known: &FxHashMap<Register, &Expression>, found: &mut Vec<(Register, Operand)>) -> Option<()> {
    let Operand::Register(register) = at else { return None };
    match known.get(&register) {
        None => found.push((register, Operand::Int(1))),
        Some(Expression::Position(Arithmetic::Add, a, b)) => {
            terms(*a, known, found)?;
            terms(*b, known, found)?;
        }
        Some(Expression::Position(Arithmetic::Mul, Operand::Register(index), step)) if !known.contains_key(index) => {
            found.push((*index, *step));
        }
        Some(_) => return None,
    }
    Some(())
}
