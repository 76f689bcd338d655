//! Preloading: an iteration reads elements that are far from those of its neighbours only once.
//!
//! ```text
//! for i < n: for c < k: for j < d: ... x[i · d + j] ...
//!   is
//! for i < n: (for j < d: row[j] = x[i · d + j]); for c < k: for j < d: ... row[j] ...
//! ```
//!
//! Iterations that run in lanes read such elements one by one, since they are not adjacent; in a buffer of the
//! iteration, they are.

use crate::iterations::{Iterations, Names, Step};
use crate::program::{
    Allocation, Arithmetic, Block, Element, Expression, For, Kind, Operand, Procedure, Register, Statement,
};
use riesz_core::Comparison;
use rustc_hash::{FxHashMap, FxHashSet};

/// Stages what the outermost loops of a procedure read whose iterations are independent.
pub fn preload(procedure: &mut Procedure) {
    let body = std::mem::take(&mut procedure.body);
    procedure.body = preload_block(procedure, body);
}

fn preload_block(procedure: &mut Procedure, block: Block) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for mut statement in block {
        match &mut statement {
            Statement::For(each) if each.parallel => preload_loop(procedure, each, &mut written),
            other => {
                for inner in other.blocks_mut() {
                    *inner = preload_block(procedure, std::mem::take(inner));
                }
            }
        }
        written.push(statement);
    }
    written
}

fn preload_loop(procedure: &mut Procedure, each: &mut For, before: &mut Block) {
    let iterations = Iterations::of(procedure, each, &FxHashSet::default());
    let mut checked: FxHashSet<Register> = FxHashSet::default();
    for (_, statement) in &iterations.always {
        if let Statement::Check(_, _, operands) = statement {
            checked.extend(operands.iter().filter_map(|operand| match operand {
                Operand::Register(register) => Some(*register),
                _ => None,
            }));
        }
    }
    let mut reads: Vec<Read> = Vec::new();
    for (path, statement) in &iterations.always {
        let Statement::Let(register, Expression::Load(element)) = statement else { continue };
        let mut reach =
            Reach { iterations: &iterations, checked: &checked, index: each.index, indices: FxHashSet::default() };
        if iterations.is_written(element.buffer) || reach.motion(element.at) != Some(Motion::Far) {
            continue;
        }
        let (needed, missing): (Vec<Step>, Vec<Step>) =
            path.iter().partition(|step| reach.indices.contains(&step.index));
        let known = |step: &Step| {
            iterations.is_outside(step.count) || needed.iter().any(|other| step.count == Operand::Register(other.index))
        };
        if !missing.is_empty()
            && needed.iter().all(known)
            && missing.iter().all(|step| iterations.is_outside(step.count))
        {
            reads.push(Read { register: *register, element: *element, needed, missing });
        }
    }
    if reads.is_empty() {
        return;
    }
    let (mut first, mut places) = (Block::new(), FxHashMap::default());
    let mut private = Vec::new();
    for read in reads {
        let kind = procedure.buffers[read.element.buffer.0 as usize].kind;
        let row = procedure.buffer("row", kind);
        let count = procedure.table_size(&read.needed, before);
        private.push(Allocation { buffer: row, count, site: read.missing[0].site });
        // The same loops with indices of their own.
        let mut names = Names::default();
        let mut loops: Vec<For> = Vec::new();
        for step in &read.needed {
            let Step { index, count, site, .. } = *step;
            loops.push(names.again(&For::new(index, count, true, Vec::new(), site), procedure));
        }
        let mut body = Block::new();
        let at = compute(procedure, &iterations, read.element.at, &mut names, &mut body);
        let value = procedure.register(kind, false);
        body.push(Statement::Let(value, Expression::Load(Element { at, ..read.element })));
        let place = procedure.table_place(&read.needed, &names, &mut body);
        body.push(Statement::Store(Element { buffer: row, at: place }, Operand::Register(value)));
        for around in loops.into_iter().rev() {
            body = vec![Statement::For(For { body, ..around })];
        }
        // An element that is not read need not be there.
        for step in &read.missing {
            let some = procedure.register(Kind::Bool, false);
            let any = Expression::Compare(Comparison::Greater, step.count, Operand::Int(0));
            body = vec![Statement::Let(some, any), Statement::If(Operand::Register(some), body, Block::new())];
        }
        first.append(&mut body);
        places.insert(read.register, (row, read.needed));
    }
    let mut body = first;
    body.extend(replace(procedure, &each.body, &places));
    each.body = body;
    each.private.extend(private);
}

/// An element that is read in loops that it does not depend on.
struct Read {
    register: Register,
    element: Element,
    /// The loops around that it depends on, and the others.
    needed: Vec<Step>,
    missing: Vec<Step>,
}

/// How a position moves from iteration to iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Motion {
    Still,
    Near,
    Far,
}

struct Reach<'t, 'b> {
    iterations: &'t Iterations<'b>,
    checked: &'t FxHashSet<Register>,
    /// The index of the loop.
    index: Register,
    /// The indices of loops inside that the position depends on.
    indices: FxHashSet<Register>,
}

impl Reach<'_, '_> {
    /// How a position moves; none where that is not arithmetic alone, or has to be checked.
    fn motion(&mut self, operand: Operand) -> Option<Motion> {
        let Operand::Register(register) = operand else { return Some(Motion::Still) };
        if register == self.index {
            return Some(Motion::Near);
        }
        if self.checked.contains(&register) {
            return None;
        }
        if self.iterations.is_outside(operand) {
            return Some(Motion::Still);
        }
        match self.iterations.bound.get(&register) {
            Some((_, Expression::Position(arithmetic, a, b))) => {
                let (a, b) = (self.motion(*a)?, self.motion(*b)?);
                Some(match (arithmetic, a, b) {
                    (_, Motion::Still, Motion::Still) => Motion::Still,
                    (Arithmetic::Add | Arithmetic::Sub, Motion::Still, Motion::Near) => Motion::Near,
                    (Arithmetic::Add | Arithmetic::Sub, Motion::Near, Motion::Still) => Motion::Near,
                    _ => Motion::Far,
                })
            }
            Some(_) => None,
            None if self.iterations.is_fixed(operand) => {
                self.indices.insert(register);
                Some(Motion::Still)
            }
            None => None,
        }
    }
}

/// Computes a position again.
fn compute(
    procedure: &mut Procedure,
    iterations: &Iterations,
    operand: Operand,
    names: &mut Names,
    block: &mut Block,
) -> Operand {
    let Operand::Register(register) = operand else { return operand };
    let known = names.of(operand);
    if known != operand || iterations.is_outside(operand) {
        return known;
    }
    let Some((_, Expression::Position(arithmetic, a, b))) = iterations.bound.get(&register) else { return operand };
    let a = compute(procedure, iterations, *a, names, block);
    let b = compute(procedure, iterations, *b, names, block);
    let value = procedure.position(*arithmetic, a, b, block);
    names.insert(register, value);
    value
}

type Places = FxHashMap<Register, (crate::program::Buffer, Vec<Step>)>;

/// The statements of a block, with elements read where they have been preloaded.
fn replace(procedure: &mut Procedure, block: &Block, places: &Places) -> Block {
    let mut written = Vec::with_capacity(block.len());
    for statement in block {
        match statement {
            Statement::Let(register, _) if places.contains_key(register) => {
                let (buffer, path) = &places[register];
                let at = procedure.table_place(path, &Names::default(), &mut written);
                written.push(Statement::Let(*register, Expression::Load(Element { buffer: *buffer, at })));
            }
            Statement::For(each) => {
                let body = replace(procedure, &each.body, places);
                written.push(Statement::For(For { body, ..each.clone() }));
            }
            other => written.push(other.clone()),
        }
    }
    written
}
