//! The part of a buffer to which all lanes add at the same positions: each lane has a copy of that part only.

use super::annotation::{LaneSchedule, Range};
use crate::program::{Arithmetic, Block, Buffer, Element, Expression, For, Operand, Register, Statement};
use crate::visit::each_statement;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The parts of summed buffers that are a row: they begin at a position that is known before the loop, and reach as far as the
/// index of an inner loop, or a constant.
pub(super) fn ranges(lanes: &LaneSchedule, each: &For) -> BTreeMap<Buffer, Range> {
    if lanes.summed.is_empty() {
        return BTreeMap::new();
    }
    let mut rows =
        Rows { lanes, inside: FxHashSet::default(), positions: FxHashMap::default(), found: BTreeMap::new() };
    rows.inside.insert(each.index);
    each_statement(&each.body, &mut |statement| {
        statement.defines(&mut |register| {
            rows.inside.insert(register);
        });
        if let Statement::For(inner) = statement {
            rows.inside.insert(inner.index);
        }
    });
    rows.block(&each.body);
    rows.found.into_iter().filter_map(|(buffer, range)| Some((buffer, range?))).collect()
}

struct Rows<'l> {
    lanes: &'l LaneSchedule,
    /// The registers that iterations bind or set.
    inside: FxHashSet<Register>,
    /// The registers that hold positions in a row.
    positions: FxHashMap<Register, Range>,
    /// The ranges of the buffers; none if there is no single one.
    found: BTreeMap<Buffer, Option<Range>>,
}

impl Rows<'_> {
    fn block(&mut self, block: &Block) {
        for statement in block {
            match statement {
                Statement::Let(register, Expression::Position(Arithmetic::Add, a, b)) => {
                    if let Some(range) = self.sum(*a, *b).or_else(|| self.sum(*b, *a)) {
                        self.positions.insert(*register, range);
                    }
                }
                Statement::For(inner) if self.is_outside(inner.count) => {
                    self.positions.insert(inner.index, Range { first: Operand::Int(0), count: inner.count });
                }
                Statement::Add(element, _) => self.add(*element),
                // What is written in another way is in no known part.
                other => other.buffers(&mut |buffer, _| {
                    if self.lanes.summed.contains(&buffer) {
                        self.found.insert(buffer, None);
                    }
                }),
            }
            statement.blocks().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// The range of a position in a row, counted from a position that is known before the loop.
    fn sum(&self, base: Operand, position: Operand) -> Option<Range> {
        let range = self.range(position)?;
        (self.is_outside(base) && range.first == Operand::Int(0)).then_some(Range { first: base, ..range })
    }

    fn range(&self, position: Operand) -> Option<Range> {
        match position {
            Operand::Register(register) if self.inside.contains(&register) => self.positions.get(&register).copied(),
            Operand::Int(at @ 0..) => Some(Range { first: Operand::Int(0), count: Operand::Int(at.checked_add(1)?) }),
            Operand::Register(_) => Some(Range { first: position, count: Operand::Int(1) }),
            _ => None,
        }
    }

    fn add(&mut self, element: Element) {
        if !self.lanes.summed.contains(&element.buffer) || !self.lanes.is_uniform(element.at) {
            return;
        }
        let range = self.range(element.at);
        let all = match (self.found.get(&element.buffer), range) {
            (None, range) => range,
            (Some(Some(before)), Some(range)) if before.first == range.first => match (before.count, range.count) {
                (Operand::Int(a), Operand::Int(b)) => Some(Range { count: Operand::Int(a.max(b)), ..range }),
                (a, b) => (a == b).then_some(range),
            },
            _ => None,
        };
        self.found.insert(element.buffer, all);
    }

    fn is_outside(&self, operand: Operand) -> bool {
        !matches!(operand, Operand::Register(register) if self.inside.contains(&register))
    }
}
