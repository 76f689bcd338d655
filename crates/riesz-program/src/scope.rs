//! The facts about blocks, procedures and programs that every printer needs: where mutable registers are declared, which
//! buffers a block makes and which change their place, which loops count their iterations, which blocks give their memory
//! back, which procedures are reached.

use crate::each_statement;
use crate::program::{
    Argument, Block, Buffer, For, Operand, Outcome, Procedure, ProcedureId, Program, Register, Statement, Target, While,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The mutable registers to declare in a block, each with the first statement that uses it: those that no block around it
/// has declared, and that more than one block inside of it uses, or itself.
pub fn declarations(procedure: &Procedure, block: &Block, declared: &FxHashSet<Register>) -> Vec<(usize, Register)> {
    let mut seen: FxHashMap<Register, (usize, usize, bool)> = FxHashMap::default();
    for (at, statement) in block.iter().enumerate() {
        let mut here = FxHashMap::default();
        used(procedure, statement, &mut here);
        for (register, own) in here {
            let entry = seen.entry(register).or_insert((at, 0, false));
            entry.1 += 1;
            entry.2 |= own;
        }
    }
    let results: FxHashSet<Register> = match std::ptr::eq(block, &procedure.body) {
        true => (procedure.results.iter())
            .filter_map(|result| match result {
                Outcome::Number(Operand::Register(register)) => Some(*register),
                _ => None,
            })
            .collect(),
        false => FxHashSet::default(),
    };
    let mut found: Vec<(usize, Register)> = (seen.into_iter())
        .filter(|(register, (_, statements, own))| {
            !declared.contains(register) && (*statements > 1 || *own || results.contains(register))
        })
        .map(|(register, (first, _, _))| (first, register))
        .collect();
    found.sort_unstable();
    found
}

/// The mutable registers of a statement, and whether it uses each itself or in more than one of its blocks.
fn used(procedure: &Procedure, statement: &Statement, found: &mut FxHashMap<Register, bool>) {
    let mutable = |register: Register| procedure.registers[register.0 as usize].mutable;
    let note = |register: Register, own: bool, found: &mut FxHashMap<Register, bool>| {
        if mutable(register) {
            found.entry(register).and_modify(|before| *before = true).or_insert(own);
        }
    };
    match statement {
        Statement::Set(register, _) | Statement::Reduce(register, ..) => note(*register, true, found),
        _ => {}
    }
    crate::each_operand(statement, &mut |operand| {
        if let Operand::Register(register) = operand {
            note(register, true, found);
        }
    });
    for block in crate::blocks(statement) {
        let mut inner = FxHashMap::default();
        for statement in block {
            used(procedure, statement, &mut inner);
        }
        for register in inner.into_keys() {
            note(register, false, found);
        }
    }
}
/// How the iterations of a loop count as steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Each is a step: the outermost loop, and loops around others.
    All,
    /// They are steps if there are more than [`FEW`]: straight code whose length is known only when it runs.
    IfMany,
    /// None: straight code that runs a few times. The loop around it counts.
    None,
}

/// How many iterations of straight code need not be counted, since the loop around them is.
pub const FEW: i64 = 256;

/// How the iterations of a loop count as steps.
pub fn counting(each: &For, outermost: bool) -> Counting {
    match each.count {
        _ if !each.counted => Counting::None,
        _ if outermost || each.body.iter().any(contains_loop) => Counting::All,
        Operand::Int(..=FEW) => Counting::None,
        Operand::Int(_) => Counting::All,
        _ => Counting::IfMany,
    }
}

fn contains_loop(statement: &Statement) -> bool {
    match statement {
        Statement::For(_) | Statement::While(_) | Statement::Call(_) => true,
        Statement::If(_, yes, no) => yes.iter().chain(no).any(contains_loop),
        _ => false,
    }
}

/// The buffers that a block makes, without those of the blocks inside of it.
pub fn made(block: &Block) -> Vec<Buffer> {
    let mut made = Vec::new();
    for statement in block {
        match statement {
            Statement::Allocate(allocation) => made.push(allocation.buffer),
            Statement::For(For { private, .. }) | Statement::While(While { private, .. }) => {
                made.extend(private.iter().map(|allocation| allocation.buffer));
            }
            Statement::Call(call) => made.extend(call.results.iter().filter_map(|target| match target {
                Target::Buffer(buffer) => Some(*buffer),
                Target::Register(_) => None,
            })),
            _ => {}
        }
    }
    made
}

/// Whether a block makes buffers and takes no more memory behind it than before: it lets no buffer grow that is there
/// already. One that it exchanges with its own is as long.
pub fn leaves_nothing(block: &Block) -> bool {
    let (mut makes, mut leaves) = (false, false);
    each_statement(block, &mut |statement| match statement {
        Statement::Allocate(_) => makes = true,
        Statement::For(For { private, .. }) | Statement::While(While { private, .. }) => makes |= !private.is_empty(),
        Statement::Call(call) => {
            makes = true;
            leaves |= call.arguments.iter().any(|argument| matches!(argument, Argument::Whole(_)));
        }
        Statement::Grow(_) => leaves = true,
        _ => {}
    });
    makes && !leaves
}

/// The buffers of a procedure whose place changes: they are exchanged, grown, or passed to be grown.
pub fn moved(procedure: &Procedure) -> FxHashSet<Buffer> {
    let mut moved = FxHashSet::default();
    each_statement(&procedure.body, &mut |statement| match statement {
        Statement::Grow(allocation) => moved.extend([allocation.buffer]),
        Statement::Swap(a, b) => moved.extend([*a, *b]),
        Statement::Call(call) => moved.extend(call.arguments.iter().filter_map(|argument| match argument {
            Argument::Whole(buffer) => Some(*buffer),
            _ => None,
        })),
        _ => {}
    });
    moved
}

/// Some procedures, and those that they call, in order.
pub fn reached(program: &Program, from: impl Iterator<Item = ProcedureId>) -> Vec<ProcedureId> {
    let (mut found, mut work) = (FxHashSet::default(), from.collect::<Vec<_>>());
    while let Some(id) = work.pop() {
        if found.insert(id) {
            each_statement(&program.procedure(id).body, &mut |statement| {
                if let Statement::Call(call) = statement {
                    work.push(call.procedure);
                }
            });
        }
    }
    let mut found: Vec<ProcedureId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
