//! Loops over the same indices are fused, and values that an iteration stores are not loaded again.
//!
//! ```text
//! for i < n: a; b[i] = x          for i < n: a; b[i] = x; c(x)
//! for j < n: c(b[j])        is
//! ```
//!
//! The second loop may read values of the first only from the same iteration. A buffer without reads is removed
//! ([`tidy`](mod@crate::tidy)). The second loop may have a few iterations less: the others then become boundary
//! iterations of the first ([`edge`](mod@crate::edge)).

use crate::iterations::Names;
use crate::passes::edge::{WIDEST, has_edges};
use crate::polynomial::{Polynomials, atom};
use crate::program::{
    Block, Buffer, Element, Expression, For, Kind, Operand, Procedure, Register, RegisterInfo, Statement,
};
use crate::visit::{Use, each_statement};
use riesz_core::Comparison;
use riesz_core::size::{Atom, Size};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fuses the loops of a procedure.
pub fn fuse(procedure: &mut Procedure) {
    let positions = Polynomials::of(procedure);
    let mut fusing = Fusing { registers: &mut procedure.registers, positions };
    let body = std::mem::take(&mut procedure.body);
    procedure.body = fusing.block(body);
}

struct Fusing<'p> {
    registers: &'p mut Vec<RegisterInfo>,
    positions: Polynomials,
}

impl Fusing<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut written: Block = Vec::with_capacity(block.len());
        for mut statement in block {
            for inner in statement.blocks_mut() {
                *inner = self.block(std::mem::take(inner));
            }
            if let Statement::For(second) = &statement
                && let Some((at, fused, late)) = self.with_earlier(second, &written)
            {
                // What stands between them goes before both, or after them where it needs what the first gives.
                let between = written.split_off(at + 1);
                written.truncate(at);
                let (after, before): (Vec<_>, Vec<_>) =
                    between.into_iter().enumerate().partition(|(place, _)| late.contains(place));
                written.extend(before.into_iter().map(|(_, statement)| statement));
                written.push(Statement::For(fused));
                written.extend(after.into_iter().map(|(_, statement)| statement));
                continue;
            }
            written.push(statement);
        }
        written
    }

    /// The loop before in a block that this one can be a part of, the two as one, and which statements between them must
    /// come after.
    fn with_earlier(&mut self, second: &For, written: &Block) -> Option<(usize, For, Vec<usize>)> {
        for (at, earlier) in written.iter().enumerate().rev() {
            match earlier {
                Statement::For(first) => {
                    let between = &written[at + 1..];
                    let checks = between.iter().any(|statement| matches!(statement, Statement::Check(..)));
                    let late = late(first, between, second).filter(|_| !checks || !may_stop(&first.body))?;
                    let fused = match first.count == second.count {
                        true => self.fused(first, second)?,
                        false => {
                            let late = late.iter().map(|place| &between[*place]);
                            self.fused_with_shorter(first, late, second)?
                        }
                    };
                    return Some((at, fused, late));
                }
                Statement::Let(..)
                | Statement::Set(..)
                | Statement::Allocate(_)
                | Statement::Fill(..)
                | Statement::Check(..) => {}
                _ => return None,
            }
        }
        None
    }

    /// A loop with one that has a few iterations less, and some statements that come after both.
    fn fused_with_shorter<'s>(
        &mut self,
        first: &For,
        mut late: impl Iterator<Item = &'s Statement>,
        second: &For,
    ) -> Option<For> {
        let more = self.positions.operand(first.count).sub(&self.positions.operand(second.count));
        let is_few = matches!(more, Some(Size::Constant(1..=WIDEST)));
        let plain = (second.body.iter())
            .all(|statement| matches!(statement, Statement::Let(..) | Statement::Store(..) | Statement::Add(..)));
        let counts = |statement: &Statement| {
            let mut found = false;
            statement.defines(&mut |register| found |= Operand::Register(register) == second.count);
            found
        };
        if !is_few || !plain || late.any(counts) {
            return None;
        }
        let mut fused = self.fused(first, second)?;
        let iteration = fused.body.split_off(first.body.len());
        self.registers.push(RegisterInfo { name: None, kind: Kind::Bool, mutable: false });
        let condition = Register(self.registers.len() as u32 - 1);
        let less = Expression::Compare(Comparison::Less, Operand::Register(first.index), second.count);
        fused.body.push(Statement::Let(condition, less));
        fused.body.push(Statement::If(Operand::Register(condition), iteration, Vec::new()));
        has_edges(&fused, &self.positions).then_some(fused)
    }

    fn is_mutable(&self, register: Register) -> bool {
        self.registers[register.0 as usize].mutable
    }

    fn fused(&mut self, first: &For, second: &For) -> Option<For> {
        // Iterations that call something are long: nothing is lost where a loop of independent iterations joins them.
        let together = first.parallel == second.parallel || second.parallel && calls(&first.body);
        if !together || may_stop(&second.body) || !second.private.is_empty() {
            return None;
        }
        let (one, two) = (Touched::of(&first.body), Touched::of(&second.body));
        let mutable = |register: &&Register| self.is_mutable(**register);
        if two.registers.iter().filter(mutable).any(|register| one.registers.contains(register)) {
            return None;
        }
        // What the second writes, the first has nothing to do with.
        if two.written.iter().any(|buffer| one.written.contains(buffer) || one.read.contains(buffer)) {
            return None;
        }
        let mut names = Names::default();
        names.insert(second.index, Operand::Register(first.index));
        let mut renamed = Vec::with_capacity(second.body.len());
        for statement in &second.body {
            renamed.push(rename(statement, &names)?);
        }
        for statement in &renamed {
            if let Statement::Let(register, expression) = statement {
                self.positions.bind(*register, self.positions.expression(expression));
            }
        }
        let shared: FxHashSet<Buffer> =
            two.read.iter().copied().filter(|buffer| one.written.contains(buffer)).collect();
        if shared.is_empty() {
            return None;
        }
        let mut stored: FxHashMap<Buffer, (Operand, Operand)> = FxHashMap::default();
        for statement in &first.body {
            match statement {
                Statement::Store(element, value) if shared.contains(&element.buffer) => {
                    // One store, of something that stays what it is, at a place of this iteration's own.
                    let stays = !matches!(value, Operand::Register(register) if self.is_mutable(*register));
                    let own = self.is_distinct(element.at, first.index);
                    if !stays || !own || stored.insert(element.buffer, (element.at, *value)).is_some() {
                        return None;
                    }
                }
                other => {
                    let mut touched = false;
                    other.buffers(&mut |buffer, how| touched |= how != Use::Read && shared.contains(&buffer));
                    for inner in other.blocks() {
                        touched |= Touched::of(inner).written.iter().any(|buffer| shared.contains(buffer));
                    }
                    if touched {
                        return None;
                    }
                }
            }
        }
        if stored.len() < shared.len() {
            return None;
        }
        // What the first has stored, the second need not load.
        let mut body = first.body.clone();
        let mut forwarded = Names::default();
        for statement in &renamed {
            if let Statement::Let(register, Expression::Load(Element { buffer, at })) = statement
                && let Some((place, value)) = stored.get(buffer)
            {
                if !self.positions.same(*at, *place) {
                    return None;
                }
                forwarded.insert(*register, *value);
                continue;
            }
            let mut reads = false;
            statement.buffers(&mut |buffer, how| reads |= how == Use::Read && shared.contains(&buffer));
            for inner in statement.blocks() {
                reads |= Touched::of(inner).read.iter().any(|buffer| shared.contains(buffer));
            }
            if reads {
                return None;
            }
            body.push(rename(statement, &forwarded)?);
        }
        Some(For { body, ..first.clone() })
    }

    /// Whether a position is another in every iteration: `s·i + c`, for the index `i`. A step that is a size is no exception, as
    /// nothing is stored where the size is zero.
    fn is_distinct(&self, position: Operand, index: Register) -> bool {
        let is_index = |factor: &&Atom| **factor == atom(index);
        let degrees = self.positions.operand(position).monomials().into_iter();
        degrees.map(|monomial| monomial.factors().iter().filter(is_index).count()).max() == Some(1)
    }
}

/// The registers and buffers that a block uses, also in nested blocks.
#[derive(Default)]
struct Touched {
    registers: FxHashSet<Register>,
    read: FxHashSet<Buffer>,
    written: FxHashSet<Buffer>,
}

impl Touched {
    fn of(block: &Block) -> Touched {
        let mut touched = Touched::default();
        each_statement(block, &mut |statement| touched.statement(statement));
        touched
    }

    fn statement(&mut self, statement: &Statement) {
        statement.defines(&mut |register| {
            self.registers.insert(register);
        });
        statement.operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                self.registers.insert(register);
            }
        });
        statement.buffers(&mut |buffer, how| {
            let touched = if how == Use::Read { &mut self.read } else { &mut self.written };
            touched.insert(buffer);
        });
    }
}

/// Which statements between two loops must come after the first, and can come after the second as well; none where one
/// must come after the first and before the second.
fn late(first: &For, between: &[Statement], second: &For) -> Option<Vec<usize>> {
    let (user, changed) = (Touched::of(&second.body), defined(&second.body));
    let (mut late, mut known_late) = (Vec::new(), FxHashSet::default());
    for (place, statement) in between.iter().enumerate() {
        let mut here = Touched::default();
        here.statement(statement);
        if here.registers.is_disjoint(&known_late) && passes(statement, first) {
            continue;
        }
        match statement {
            Statement::Let(register, _)
                if !user.registers.contains(register)
                    && here.registers.is_disjoint(&changed)
                    && here.read.is_disjoint(&user.written) =>
            {
                known_late.insert(*register);
                late.push(place);
            }
            _ => return None,
        }
    }
    Some(late)
}

/// Whether a statement behind a loop can as well stand before it.
fn passes(statement: &Statement, each: &For) -> bool {
    let mut here = Touched::default();
    here.statement(statement);
    let (there, defined) = (Touched::of(&each.body), defined(&each.body));
    let mut sets = FxHashSet::default();
    statement.defines(&mut |register| {
        sets.insert(register);
    });
    !matches!(statement, Statement::Let(_, Expression::Int(..) | Expression::Truncate(..)))
        && here.registers.is_disjoint(&defined)
        && sets.is_disjoint(&there.registers)
        && here.written.is_disjoint(&there.read)
        && here.written.is_disjoint(&there.written)
        && here.read.is_disjoint(&there.written)
}

/// The registers that a block defines, also inside of its blocks.
fn defined(block: &Block) -> FxHashSet<Register> {
    let mut found = FxHashSet::default();
    each_statement(block, &mut |statement| {
        statement.defines(&mut |register| {
            found.insert(register);
        });
    });
    found
}

fn calls(block: &Block) -> bool {
    let mut found = false;
    each_statement(block, &mut |statement| found |= matches!(statement, Statement::Call(_)));
    found
}

/// Whether a block may stop with an error, or make buffers.
fn may_stop(block: &Block) -> bool {
    let mut found = false;
    each_statement(block, &mut |statement| {
        found |= matches!(
            statement,
            Statement::Check(..)
                | Statement::Call(_)
                | Statement::While(_)
                | Statement::Allocate(_)
                | Statement::Grow(_)
                | Statement::Let(_, Expression::Int(..) | Expression::Truncate(..))
        );
    });
    found
}

/// A statement with other names for the registers it uses; none where that is not known how.
fn rename(statement: &Statement, names: &Names) -> Option<Statement> {
    let block = |block: &Block| block.iter().map(|statement| rename(statement, names)).collect::<Option<Block>>();
    Some(match statement {
        Statement::Let(register, expression) => Statement::Let(*register, names.expression(expression)),
        Statement::Set(register, value) => Statement::Set(*register, names.of(*value)),
        Statement::Reduce(register, combine, value) => Statement::Reduce(*register, *combine, names.of(*value)),
        Statement::Fill(element, count, value) => {
            Statement::Fill(names.element(*element), names.of(*count), names.of(*value))
        }
        Statement::Copy { to, from, count } => {
            Statement::Copy { to: names.element(*to), from: names.element(*from), count: names.of(*count) }
        }
        Statement::Store(element, value) => Statement::Store(names.element(*element), names.of(*value)),
        Statement::Add(element, value) => Statement::Add(names.element(*element), names.of(*value)),
        Statement::For(each) if each.private.is_empty() => {
            Statement::For(For { count: names.of(each.count), body: block(&each.body)?, ..each.clone() })
        }
        Statement::If(condition, yes, no) => Statement::If(names.of(*condition), block(yes)?, block(no)?),
        _ => return None,
    })
}
