//! A buffer is made of one that is no longer used.
//!
//! ```text
//! a = allocate n; ...; last use of a; ...; b = allocate n; ...     is   a = allocate n; ...; ...; the same with a for b
//! ```
//!
//! Both have elements of one kind, and equally many. The elements of a new buffer are unwritten, so nothing reads what the
//! old one left there. Results keep their own buffers, and so do buffers that are exchanged or grown.
//!
//! Backends run this pass last, behind those that look at what a buffer holds: a buffer then holds several arrays, one
//! after the other. No statement uses two of them, so the pass takes no freedom from loops.

use crate::polynomial::Polynomials;
use crate::program::{Block, Buffer, Kind, Outcome, Procedure, Program, Statement};
use crate::scope;
use crate::visit::each_statement;
use riesz_core::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// Reuses the buffers of all procedures. Whether there were any to reuse.
pub fn reuse(program: &mut Program) -> bool {
    riesz_limit::pass("reuse");
    program.procedures.iter_mut().map(reuse_in).fold(false, |any, changed| any | changed)
}

/// The same for one procedure.
pub fn reuse_in(procedure: &mut Procedure) -> bool {
    let mut fixed = scope::moved(procedure);
    fixed.extend(procedure.results.iter().filter_map(|result| match result {
        Outcome::Buffer(buffer) => Some(*buffer),
        Outcome::Number(_) => None,
    }));
    // What the condition of a loop makes is used in the loop's body, too.
    each_statement(&procedure.body, &mut |statement| {
        if let Statement::While(each) = statement {
            fixed.extend(scope::made(&each.before));
        }
    });
    let sizes = Polynomials::of(procedure);
    let kinds: Vec<Kind> = procedure.buffers.iter().map(|info| info.kind).collect();
    let mut names = FxHashMap::default();
    let mut work = vec![&procedure.body];
    while let Some(block) = work.pop() {
        plan(block, &fixed, &sizes, &kinds, &mut names);
        work.extend(block.iter().flat_map(Statement::blocks));
    }
    rename(&mut procedure.body, &names);
    !names.is_empty()
}

/// Finds the buffers of a block that others can be, and notes the others.
fn plan(
    block: &Block,
    fixed: &FxHashSet<Buffer>,
    sizes: &Polynomials,
    kinds: &[Kind],
    names: &mut FxHashMap<Buffer, Buffer>,
) {
    let mut made: FxHashMap<Buffer, (Kind, Size)> = FxHashMap::default();
    for statement in block {
        if let Statement::Allocate(allocation) = statement
            && !fixed.contains(&allocation.buffer)
        {
            let size = sizes.operand(allocation.count);
            if size != Size::Hole {
                made.insert(allocation.buffer, (kinds[allocation.buffer.0 as usize], size));
            }
        }
    }
    // The first and the last statement that uses each, other than to make it.
    let mut used: FxHashMap<Buffer, (usize, usize)> = FxHashMap::default();
    for (at, statement) in block.iter().enumerate() {
        if matches!(statement, Statement::Allocate(_)) {
            continue;
        }
        let mut note = |statement: &Statement| {
            statement.buffers(&mut |buffer, _| {
                if made.contains_key(&buffer) {
                    used.entry(buffer).or_insert((at, at)).1 = at;
                }
            });
        };
        note(statement);
        statement.blocks().into_iter().for_each(|inner| each_statement(inner, &mut note));
    }
    let mut order: Vec<(usize, usize, Buffer)> = used.into_iter().map(|(b, (first, last))| (first, last, b)).collect();
    order.sort_unstable();
    // The buffers in use, each with the last statement that uses it.
    let mut open: FxHashMap<&(Kind, Size), Vec<(usize, Buffer)>> = FxHashMap::default();
    for (first, last, buffer) in order {
        let alike = open.entry(&made[&buffer]).or_default();
        match alike.iter_mut().find(|(end, _)| *end < first) {
            Some((end, other)) => {
                *end = last;
                names.insert(buffer, *other);
            }
            None => alike.push((last, buffer)),
        }
    }
}

/// Writes the new names, and drops what makes the others.
fn rename(block: &mut Block, names: &FxHashMap<Buffer, Buffer>) {
    block.retain(|statement| !matches!(statement, Statement::Allocate(made) if names.contains_key(&made.buffer)));
    for statement in block {
        statement.buffers_mut(&mut |buffer| *buffer = names.get(buffer).copied().unwrap_or(*buffer));
        statement.blocks_mut().into_iter().for_each(|inner| rename(inner, names));
    }
}
