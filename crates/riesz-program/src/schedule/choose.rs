//! Which of two nested loops runs in lanes: the outer loop, or the loops, products of matrices and copies of ranges inside
//! it.
//!
//! Lanes of the outer loop share loop-invariant values, and perform every operation for a vector of iterations at once.
//! If neighbouring iterations access distant elements, each element is loaded and stored separately; the inner loops may
//! then be better, if their elements are adjacent.

use super::Loops;
use super::annotation::LaneSchedule;
use super::cost::{ENTRY, estimated, statement};
use crate::program::{Block, For, Operand, Register, Statement};

/// Whether a loop takes less time in lanes than with the loops inside of it in lanes.
pub(super) fn outer(loops: &Loops, lanes: &LaneSchedule, each: &For) -> bool {
    let is_wide = |statement: &Statement| {
        matches!(statement, Statement::For(_) | Statement::Product(_) | Statement::Copy { .. } | Statement::Fill(..))
    };
    let nested = each.body.iter().any(is_wide);
    let around = LoopNest { path: vec![(each.index, estimated(each.count))], loops };
    let at_once = match each.count {
        Operand::Int(count) => count.min(lanes.width),
        _ => lanes.width,
    };
    !nested || around.in_lanes(lanes, &each.body) / at_once as f64 <= around.one_by_one(&each.body)
}

struct LoopNest<'a> {
    /// The loops around, each with its index and its number of iterations.
    path: Vec<(Register, f64)>,
    loops: &'a Loops<'a>,
}

impl LoopNest<'_> {
    /// The number of iterations of a loop: half of those of a loop whose index is the count.
    fn iterations(&self, each: &For) -> f64 {
        let around = self.path.iter().find(|(index, _)| each.count == Operand::Register(*index));
        around.map_or_else(|| estimated(each.count), |(_, iterations)| iterations / 2.0)
    }

    fn inside(&self, each: &For) -> Self {
        let mut path = self.path.clone();
        path.push((each.index, self.iterations(each)));
        LoopNest { path, ..*self }
    }

    /// The cost of a vector of iterations.
    fn in_lanes(&self, lanes: &LaneSchedule, block: &Block) -> f64 {
        let cost = |inner: &Statement| match inner {
            Statement::For(each) => self.iterations(each) * self.inside(each).in_lanes(lanes, &each.body),
            other => {
                let blocks = other.blocks().into_iter().map(|block| self.in_lanes(lanes, block));
                statement(other, Some(lanes)).estimate() + blocks.sum::<f64>()
            }
        };
        block.iter().map(cost).sum()
    }

    /// The cost of one iteration, with the loops inside in lanes where they can be.
    fn one_by_one(&self, block: &Block) -> f64 {
        let cost = |inner: &Statement| match inner {
            Statement::For(each) => {
                let (within, iterations) = (self.inside(each), self.iterations(each));
                let plain = iterations * within.one_by_one(&each.body);
                match self.loops.lanes(each) {
                    // Iterations that fill no vector run one by one.
                    Some(lanes) if iterations >= lanes.width as f64 => {
                        let wide = iterations * within.in_lanes(&lanes, &each.body) / lanes.width as f64;
                        plain.min(ENTRY + wide)
                    }
                    _ => plain,
                }
            }
            other => {
                let blocks = other.blocks().into_iter().map(|block| self.one_by_one(block));
                statement(other, None).estimate() + blocks.sum::<f64>()
            }
        };
        block.iter().map(cost).sum()
    }
}
