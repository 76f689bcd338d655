//! Which of two nested loops runs in lanes: the outer loop, or the loops inside it.
//!
//! Lanes of the outer loop share loop-invariant values, and perform every operation for eight iterations at once. If
//! neighbouring iterations access distant elements, each element is loaded and stored separately; the inner loops may
//! then be better, if their elements are adjacent. The costs approximate those of instructions.

use super::Loops;
use super::annotation::{Class, LaneSchedule, Stride};
use crate::program::{Block, Expression, For, Operand, Register, Statement};
use riesz_primitive::Work;

/// Whether a loop takes less time in lanes than with the loops inside of it in lanes.
pub(super) fn outer(loops: &Loops, lanes: &LaneSchedule, each: &For) -> bool {
    let nested = each.body.iter().any(|statement| matches!(statement, Statement::For(_)));
    let around = Around { path: vec![(each.index, times(each.count))], loops };
    !nested || around.in_lanes(lanes, &each.body) / 8.0 <= around.one_by_one(&each.body)
}

/// The number of iterations of a loop of which nothing is known.
const UNKNOWN: f64 = 16.0;

/// The cost of entering a loop in lanes, and of combining the lanes after it.
const ENTRY: f64 = 10.0;

fn times(count: Operand) -> f64 {
    match count {
        Operand::Int(count) => count.max(0) as f64,
        _ => UNKNOWN,
    }
}

struct Around<'a> {
    /// The loops around, each with its index and its number of iterations.
    path: Vec<(Register, f64)>,
    loops: &'a Loops<'a>,
}

impl Around<'_> {
    /// The number of iterations of a loop: half of those of a loop whose index is the count.
    fn iterations(&self, each: &For) -> f64 {
        let around = self.path.iter().find(|(index, _)| each.count == Operand::Register(*index));
        around.map_or_else(|| times(each.count), |(_, iterations)| iterations / 2.0)
    }

    fn inside(&self, each: &For) -> Self {
        let mut path = self.path.clone();
        path.push((each.index, self.iterations(each)));
        Around { path, ..*self }
    }

    /// The cost of a vector of iterations.
    fn in_lanes(&self, lanes: &LaneSchedule, block: &Block) -> f64 {
        let access = |at: Operand| match lanes.class(at) {
            Class::Uniform | Class::Linear(Stride::One) => 1.0,
            Class::Linear(_) => 8.0,
            Class::Varying => 12.0,
        };
        let cost = |statement: &Statement| match statement {
            Statement::Let(_, Expression::Load(element)) => access(element.at),
            Statement::Let(register, expression) => match lanes.class(Operand::Register(*register)) {
                Class::Varying if matches!(expression, Expression::Int(..) | Expression::Truncate(..)) => 8.0,
                _ => arithmetic(expression),
            },
            Statement::Store(element, _) => access(element.at),
            Statement::Add(element, _) => 2.0 * access(element.at),
            Statement::Fill(element, count, _) => times(*count) * access(element.at),
            Statement::Copy { to, from, count } => times(*count) * (access(to.at) + access(from.at)),
            Statement::For(inner) => self.iterations(inner) * self.inside(inner).in_lanes(lanes, &inner.body),
            Statement::Product(product) => 2.0 * times(product.rows) * times(product.inner) * times(product.columns),
            other => 1.0 + other.blocks().into_iter().map(|inner| self.in_lanes(lanes, inner)).sum::<f64>(),
        };
        block.iter().map(cost).sum()
    }

    /// The cost of one iteration, with the loops inside in lanes where they can be.
    fn one_by_one(&self, block: &Block) -> f64 {
        let cost = |statement: &Statement| match statement {
            Statement::Let(_, expression) => arithmetic(expression),
            Statement::Add(..) => 2.0,
            Statement::Fill(_, count, _) | Statement::Copy { count, .. } => times(*count) / 8.0,
            Statement::For(inner) => {
                let within = self.inside(inner);
                let plain = self.iterations(inner) * within.one_by_one(&inner.body);
                match self.loops.lanes(inner) {
                    // Iterations that fill no vector run one by one.
                    Some(lanes) if self.iterations(inner) >= 8.0 => {
                        let wide = self.iterations(inner) * within.in_lanes(&lanes, &inner.body) / 8.0;
                        plain.min(ENTRY + wide)
                    }
                    _ => plain,
                }
            }
            Statement::Product(product) => times(product.rows) * times(product.inner) * times(product.columns) / 4.0,
            other => 1.0 + other.blocks().into_iter().map(|inner| self.one_by_one(inner)).sum::<f64>(),
        };
        block.iter().map(cost).sum()
    }
}

fn arithmetic(expression: &Expression) -> f64 {
    match expression {
        Expression::Real(primitive, _) => match primitive.scalar().map(|row| row.work) {
            Some(Work::Sign | Work::Addition | Work::Multiplication) => 1.0,
            Some(Work::Division) => 8.0,
            Some(Work::Function) | None => 40.0,
        },
        _ => 1.0,
    }
}
