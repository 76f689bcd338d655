//! Privatisation: an iteration that writes to a shared buffer reads its values from its own copy.
//!
//! ```text
//! for i < n: for j < m: b[i · m + j] = x; ... b[i · m + j] ...
//!   is
//! for i < n: for j < m: b[i · m + j] = x; own[j] = x; ... own[j] ...
//! ```
//!
//! The rows of a buffer that all iterations write are far apart. Iterations that run in lanes would read them one by
//! one; their private copies are adjacent.

use crate::iterations::Iterations;
use crate::program::{
    Allocation, Arithmetic, Block, Buffer, Element, Expression, For, Operand, Procedure, Register, Statement,
};
use crate::visit::{Use, each_statement};
use rustc_hash::{FxHashMap, FxHashSet};

/// Gives iterations copies of what they write and read, in the outermost loops of a procedure whose iterations are independent.
pub fn privatise(procedure: &mut Procedure) {
    let body = std::mem::take(&mut procedure.body);
    procedure.body = privatise_block(procedure, body);
}

fn privatise_block(procedure: &mut Procedure, block: Block) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => privatise_loop(procedure, each, &written),
            other => {
                for inner in other.blocks_mut() {
                    *inner = privatise_block(procedure, std::mem::take(inner));
                }
            }
        }
        written.push(statement);
    }
    written
}

fn privatise_loop(procedure: &mut Procedure, each: &mut For, before: &Block) {
    let iterations = Iterations::of(procedure, each, &FxHashSet::default());
    let mut copies: Vec<(Buffer, Operand)> = iterations
        .touches
        .keys()
        .filter(|buffer| !iterations.made.contains(buffer) && is_new(**buffer, before))
        .filter_map(|buffer| Some((*buffer, row(&iterations, each.index, *buffer)?)))
        .collect();
    copies.sort_unstable_by_key(|(buffer, _)| *buffer);
    if copies.is_empty() {
        return;
    }
    let mut own = FxHashMap::default();
    let mut private = Vec::new();
    for (buffer, count) in copies {
        let copy = procedure.buffers[buffer.0 as usize].clone();
        procedure.buffers.push(copy);
        let copy = Buffer(procedure.buffers.len() as u32 - 1);
        private.push(Allocation { buffer: copy, count, site: each.site });
        own.insert(buffer, copy);
    }
    let body = copy_into(procedure, &iterations, each.index, &own, &each.body);
    each.body = body;
    each.private.extend(private);
}

/// Whether a buffer is made in a block, and nothing has been written to it yet: what iterations read, they have written.
fn is_new(buffer: Buffer, before: &Block) -> bool {
    let mut uses = Vec::new();
    each_statement(before, &mut |statement| {
        statement.buffers(&mut |other, how| {
            if other == buffer {
                uses.push(how);
            }
        });
    });
    uses == [Use::Make]
}

/// How many elements of a buffer an iteration has for itself, if it stores and reads only those, one by one.
fn row(iterations: &Iterations, index: Register, buffer: Buffer) -> Option<Operand> {
    let touches = &iterations.touches[&buffer];
    let is_both = [Use::Read, Use::Write].iter().all(|how| touches.iter().any(|(_, other)| other == how));
    let mut size = None;
    for (statement, _) in touches {
        let at = match statement {
            Statement::Store(element, _) | Statement::Let(_, Expression::Load(element)) => element.at,
            _ => return None,
        };
        let step = step(iterations, index, at)
            .filter(|step| iterations.is_outside(*step) && iterations.is_always(statement))?;
        if size.is_some_and(|size| size != step) {
            return None;
        }
        size = Some(step);
    }
    size.filter(|_| is_both)
}

/// The step of a position that is the index times a step, and something else.
fn step(iterations: &Iterations, index: Register, at: Operand) -> Option<Operand> {
    let Operand::Register(register) = at else { return None };
    match iterations.bound.get(&register)?.1 {
        Expression::Position(Arithmetic::Mul, a, b) if *a == Operand::Register(index) => Some(*b),
        Expression::Position(Arithmetic::Add, a, b) => match (step(iterations, index, *a), step(iterations, index, *b))
        {
            (Some(step), None) | (None, Some(step)) => Some(step),
            _ => None,
        },
        _ => None,
    }
}

/// The position in the row of the iteration.
fn in_row(
    procedure: &mut Procedure,
    iterations: &Iterations,
    index: Register,
    at: Operand,
    block: &mut Block,
) -> Operand {
    let Operand::Register(register) = at else { return at };
    match iterations.bound.get(&register) {
        Some((_, Expression::Position(Arithmetic::Add, a, b))) => {
            let (row, rest) = if step(iterations, index, *a).is_some() { (*a, *b) } else { (*b, *a) };
            match in_row(procedure, iterations, index, row, block) {
                Operand::Int(0) => rest,
                row => procedure.position(Arithmetic::Add, row, rest, block),
            }
        }
        _ => Operand::Int(0),
    }
}

fn copy_into(
    procedure: &mut Procedure,
    iterations: &Iterations,
    index: Register,
    own: &FxHashMap<Buffer, Buffer>,
    block: &Block,
) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for statement in block {
        match statement {
            Statement::Store(Element { buffer, at }, value) if own.contains_key(buffer) => {
                let place = in_row(procedure, iterations, index, *at, &mut written);
                written.push(statement.clone());
                written.push(Statement::Store(Element { buffer: own[buffer], at: place }, *value));
            }
            Statement::Let(register, Expression::Load(Element { buffer, at })) if own.contains_key(buffer) => {
                let at = in_row(procedure, iterations, index, *at, &mut written);
                written.push(Statement::Let(*register, Expression::Load(Element { buffer: own[buffer], at })));
            }
            Statement::For(each) => {
                let body = copy_into(procedure, iterations, index, own, &each.body);
                written.push(Statement::For(For { body, ..each.clone() }));
            }
            other => written.push(other.clone()),
        }
    }
    written
}
