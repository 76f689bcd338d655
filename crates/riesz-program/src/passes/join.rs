//! Arrays that are only concatenated are written to their final place.
//!
//! ```text
//! b[i] = x;  c[j] = y                                     a[i] = x;  a[n + j] = y
//! a[0 ..] = b[.. n];  a[n ..] = c[.. m]             is
//! ```
//!
//! Consider a buffer that is made in a block, or in each iteration of it, written there, and read only by one copy of
//! all of it. It is replaced by the part of the target buffer to which it is copied. The earlier uses of the target may
//! only be such copies, each after the last, until the target is full. The sizes of the other parts are not negative,
//! so each part has room. If this is checked at run time, nothing is written to the target before the check.

use crate::polynomial::Polynomials;
use crate::program::{
    Allocation, Arithmetic, Block, Buffer, Element, Expression, Kind, Operand, Outcome, Procedure, Register,
    RegisterInfo, Statement,
};
use crate::visit::{Use, each_statement};
use riesz_core::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// Writes what is only joined where it goes.
pub fn join(procedure: &mut Procedure) {
    let mut reads: FxHashMap<Buffer, usize> = FxHashMap::default();
    each_statement(&procedure.body, &mut |statement| {
        statement.buffers(&mut |buffer, how| *reads.entry(buffer).or_default() += usize::from(how == Use::Read));
    });
    let is_given = |buffer: Buffer| procedure.results.contains(&Outcome::Buffer(buffer));
    let once: FxHashSet<Buffer> = reads
        .into_iter()
        .filter(|(buffer, count)| *count == 1 && !is_given(*buffer))
        .map(|(buffer, _)| buffer)
        .collect();
    let polynomials = Polynomials::of(procedure);
    let mut work = vec![(&mut procedure.body, None, false)];
    while let Some((block, private, in_lanes)) = work.pop() {
        let mut nothing = Vec::new();
        let private = Private::open(block, private.unwrap_or(&mut nothing), &once);
        // In this order, those that are parts of others come first.
        let mut wholes: Vec<Buffer> = (block.iter())
            .filter_map(|statement| if let Statement::Copy { to, .. } = statement { Some(to.buffer) } else { None })
            .collect();
        wholes.dedup();
        for buffer in wholes {
            if let Some(joined) = Joined::of(block, buffer, &once, &polynomials, &procedure.registers) {
                *block = joined.write(std::mem::take(block), &mut procedure.registers);
            }
        }
        let parts: Vec<Buffer> = (block.iter())
            .filter_map(|statement| if let Statement::Copy { from, .. } = statement { Some(from.buffer) } else { None })
            .filter(|buffer| !in_lanes && once.contains(buffer))
            .collect();
        for buffer in parts {
            if let Some(joined) = Joined::into_other(block, buffer, &polynomials, &procedure.registers) {
                *block = joined.write(std::mem::take(block), &mut procedure.registers);
            }
        }
        private.close(block);
        for statement in block {
            match statement {
                Statement::For(each) => {
                    // Lanes have what they make side by side, and their copies iteration it round.
                    let in_lanes = in_lanes || each.parallel;
                    let private = (!in_lanes).then_some(&mut each.private);
                    work.push((&mut each.body, private, in_lanes));
                }
                statement => work.extend(statement.blocks_mut().into_iter().map(|block| (block, None, in_lanes))),
            }
        }
    }
}

/// The buffers that each iteration of a loop uses anew. While joins are looked for, they are made where an iteration comes to them.
struct Private<'p> {
    allocations: &'p mut Vec<Allocation>,
    buffers: FxHashSet<Buffer>,
}

impl<'p> Private<'p> {
    fn open(block: &mut Block, allocations: &'p mut Vec<Allocation>, once: &FxHashSet<Buffer>) -> Private<'p> {
        let buffers: FxHashSet<Buffer> = allocations.iter().map(|made| made.buffer).collect();
        let is_part = |statement: &Statement| match statement {
            Statement::Copy { from, .. } => buffers.contains(&from.buffer) && once.contains(&from.buffer),
            _ => false,
        };
        if block.iter().any(is_part) {
            for made in std::mem::take(allocations) {
                let first = block.iter().position(|statement| touches(statement, made.buffer));
                block.insert(first.unwrap_or(block.len()), Statement::Allocate(made));
            }
        }
        Private { allocations, buffers }
    }

    fn close(self, block: &mut Block) {
        let Private { allocations, buffers } = self;
        block.retain(|statement| match statement {
            Statement::Allocate(made) if buffers.contains(&made.buffer) => {
                allocations.push(*made);
                false
            }
            _ => true,
        });
    }
}

/// Buffers that are parts of another.
struct Joined {
    /// Where each of them begins.
    parts: FxHashMap<Buffer, Element>,
    /// The statements that go: where they are made and copied.
    gone: FxHashSet<usize>,
    /// Where the first is made.
    first: usize,
    /// The values that must come before it, in order: the other buffer, and sizes.
    earlier: Vec<usize>,
}

impl Joined {
    /// Looks at what is copied to a buffer that a block makes.
    fn of(
        block: &Block,
        whole: Buffer,
        once: &FxHashSet<Buffer>,
        polynomials: &Polynomials,
        registers: &[RegisterInfo],
    ) -> Option<Joined> {
        let (at, size) = making(block, whole)?;
        let copies = copies_in_a_row(block, at, whole, size, polynomials)?;
        let settled = checked(&block[..*copies.last()?]);
        let made_of = |copied: usize| {
            let Statement::Copy { to, from, count } = &block[copied] else { return None };
            let made = whole_part(block, copied, polynomials).filter(|_| once.contains(&from.buffer))?;
            let before = polynomials.operand(to.at);
            let behind = polynomials.operand(size).sub(&before)?.sub(&polynomials.operand(*count))?;
            let fits = made >= settled || [before, behind].iter().all(|room| matches!(room, Size::Constant(0..)));
            fits.then_some(made)
        };
        let found: Vec<(usize, usize)> =
            copies.into_iter().filter_map(|copied| Some((made_of(copied)?, copied))).collect();
        let first = found.iter().map(|(made, _)| *made).min()?;
        let mut earlier = Vec::new();
        if at > first {
            needed(block, first, size, registers, &mut earlier)?;
            earlier.push(at);
        }
        let (mut parts, mut gone) = (FxHashMap::default(), FxHashSet::default());
        for (made, copied) in found {
            let Statement::Copy { to, from, .. } = &block[copied] else { continue };
            needed(block, first, to.at, registers, &mut earlier)?;
            parts.insert(from.buffer, *to);
            gone.extend([made, copied]);
        }
        earlier.sort_unstable();
        earlier.dedup();
        Some(Joined { parts, gone, first, earlier })
    }

    /// Looks at where a buffer is copied to that a block makes: a part of one that is there before, and that nothing looks
    /// at or writes to, at that place, until the copy. There is room, as no check stands between: also that sizes are equal
    /// may be what says so.
    fn into_other(
        block: &Block,
        part: Buffer,
        polynomials: &Polynomials,
        registers: &[RegisterInfo],
    ) -> Option<Joined> {
        let copied = block
            .iter()
            .position(|statement| matches!(statement, Statement::Copy { from, .. } if from.buffer == part))?;
        let Statement::Copy { to, count, .. } = &block[copied] else { return None };
        let made = whole_part(block, copied, polynomials)?;
        let checks = block[made..copied].iter().any(|statement| matches!(statement, Statement::Check(..)));
        if checks || making(block, to.buffer).is_some_and(|(at, _)| at > made) {
            return None;
        }
        let is_behind = |place: Operand, other: Operand, count: Operand| {
            let end = polynomials.operand(other).add(&polynomials.operand(count));
            let room = end.and_then(|end| polynomials.operand(place).sub(&end));
            matches!(room, Some(Size::Constant(0..)))
        };
        let is_apart = |statement: &Statement| match statement {
            Statement::Copy { to: other, from, count: size } if from.buffer != to.buffer => {
                is_behind(to.at, other.at, *size) || is_behind(other.at, to.at, *count)
            }
            _ => false,
        };
        let free = |statement: &Statement| !touches(statement, to.buffer) || is_apart(statement);
        if !block[made + 1..copied].iter().all(free) {
            return None;
        }
        let mut earlier = Vec::new();
        needed(block, made, to.at, registers, &mut earlier)?;
        earlier.sort_unstable();
        earlier.dedup();
        Some(Joined {
            parts: [(part, *to)].into_iter().collect(),
            gone: [made, copied].into_iter().collect(),
            first: made,
            earlier,
        })
    }

    /// The block with what is written to the parts going to the whole.
    fn write(self, block: Block, registers: &mut Vec<RegisterInfo>) -> Block {
        let (mut moved, mut rest) = (Vec::new(), Vec::new());
        for (at, statement) in block.into_iter().enumerate() {
            match (self.earlier.binary_search(&at), self.gone.contains(&at)) {
                (Ok(_), _) => moved.push(statement),
                (_, true) => {}
                _ => rest.push((at, statement)),
            }
        }
        let behind = rest.partition_point(|(at, _)| *at < self.first);
        let behind = rest.split_off(behind);
        let mut written: Block = rest.into_iter().map(|(_, statement)| statement).collect();
        written.extend(moved);
        for (_, statement) in behind {
            redirect(statement, &self.parts, registers, &mut written);
        }
        written
    }
}

/// Where a block makes a buffer, and how large it is.
fn making(block: &Block, buffer: Buffer) -> Option<(usize, Operand)> {
    block.iter().enumerate().find_map(|(at, statement)| match statement {
        Statement::Allocate(made) if made.buffer == buffer => Some((at, made.count)),
        _ => None,
    })
}

/// Where a block makes the buffer that is copied somewhere, if it is copied whole and only written before, and that is the
/// end of it.
fn whole_part(block: &Block, copied: usize, polynomials: &Polynomials) -> Option<usize> {
    let Statement::Copy { from, count, .. } = &block[copied] else { return None };
    let (made, len) = making(block, from.buffer).filter(|(made, _)| *made < copied)?;
    let own = block[made + 1..copied].iter().all(|statement| writes_only(statement, from.buffer));
    let later = block[copied + 1..].iter().any(|statement| touches(statement, from.buffer));
    let whole = from.at == Operand::Int(0) && polynomials.same(len, *count);
    (whole && own && !later).then_some(made)
}

/// The copies to a buffer of a size that come before all else that is done with it, each going behind the last, if they fill
/// it.
fn copies_in_a_row(
    block: &Block,
    made: usize,
    buffer: Buffer,
    size: Operand,
    polynomials: &Polynomials,
) -> Option<Vec<usize>> {
    let is = |operand: Operand, end: &Size| polynomials.operand(operand).sub(end) == Some(Size::Constant(0));
    let (mut found, mut end) = (Vec::new(), Size::Constant(0));
    for (at, statement) in block.iter().enumerate().skip(made + 1) {
        match statement {
            Statement::Copy { to, from, count } if to.buffer == buffer && from.buffer != buffer && is(to.at, &end) => {
                found.push(at);
                end = end.add(&polynomials.operand(*count)).unwrap_or(Size::Hole);
            }
            statement if touches(statement, buffer) => break,
            _ => {}
        }
    }
    is(size, &end).then_some(found)
}

/// The first place behind all checks of some statements that may say that a size is not negative.
fn checked(block: &[Statement]) -> usize {
    let mut others = FxHashSet::default();
    let mut place = 0;
    for (at, statement) in block.iter().enumerate() {
        match statement {
            Statement::Let(register, Expression::Within(..) | Expression::Equal(..)) => {
                others.insert(*register);
            }
            Statement::Check(Operand::Register(condition), ..) if others.contains(condition) => {}
            Statement::Check(..) => place = at + 1,
            _ => {}
        }
    }
    place
}

/// Whether a statement has nothing to do with a buffer but writing elements of it.
fn writes_only(statement: &Statement, buffer: Buffer) -> bool {
    let mut fine = true;
    let mut look = |statement: &Statement| {
        let element = match statement {
            Statement::Store(element, _) | Statement::Add(element, _) | Statement::Fill(element, ..) => Some(element),
            Statement::Copy { to, .. } => Some(to),
            _ => None,
        };
        let mut uses = 0;
        statement.buffers(&mut |other, _| uses += usize::from(other == buffer));
        fine &= uses == usize::from(element.is_some_and(|element| element.buffer == buffer));
    };
    look(statement);
    for block in statement.blocks() {
        each_statement(block, &mut |statement| look(statement));
    }
    fine
}

fn touches(statement: &Statement, buffer: Buffer) -> bool {
    let mut found = false;
    let mut look = |statement: &Statement| statement.buffers(&mut |other, _| found |= other == buffer);
    look(statement);
    for block in statement.blocks() {
        each_statement(block, &mut |statement| look(statement));
    }
    found
}

/// The statements behind a place that compute a size from what is there at that place; none where that cannot be.
fn needed(
    block: &Block,
    place: usize,
    size: Operand,
    registers: &[RegisterInfo],
    found: &mut Vec<usize>,
) -> Option<()> {
    let Operand::Register(register) = size else { return Some(()) };
    if registers[register.0 as usize].mutable {
        return None;
    }
    let binds = |statement: &Statement| {
        let mut binds = false;
        statement.defines(&mut |defined| binds |= defined == register);
        binds
    };
    let Some(at) = block[place..].iter().position(binds).map(|at| place + at) else { return Some(()) };
    match &block[at] {
        Statement::Let(_, Expression::Position(_, a, b)) => {
            found.push(at);
            needed(block, place, *a, registers, found)?;
            needed(block, place, *b, registers, found)
        }
        _ => None,
    }
}

/// Has what a statement writes to parts go to the whole.
fn redirect(
    mut statement: Statement,
    parts: &FxHashMap<Buffer, Element>,
    registers: &mut Vec<RegisterInfo>,
    written: &mut Block,
) {
    for inner in statement.blocks_mut() {
        let mut block = Vec::with_capacity(inner.len());
        for statement in std::mem::take(inner) {
            redirect(statement, parts, registers, &mut block);
        }
        *inner = block;
    }
    if let Statement::Store(element, _)
    | Statement::Add(element, _)
    | Statement::Fill(element, ..)
    | Statement::Copy { to: element, .. } = &mut statement
        && let Some(first) = parts.get(&element.buffer)
    {
        let at = match (element.at, first.at) {
            (Operand::Int(0), first) => first,
            (at, Operand::Int(0)) => at,
            (Operand::Int(at), Operand::Int(first)) => Operand::Int(first.saturating_add(at)),
            (at, first) => {
                registers.push(RegisterInfo { name: None, kind: Kind::Int, mutable: false });
                let sum = Register(registers.len() as u32 - 1);
                written.push(Statement::Let(sum, Expression::Position(Arithmetic::Add, first, at)));
                Operand::Register(sum)
            }
        };
        *element = Element { buffer: first.buffer, at };
    }
    written.push(statement);
}
