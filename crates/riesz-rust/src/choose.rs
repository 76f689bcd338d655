//! Which of two nested loops runs in lanes: the outer loop, or the loops inside it.
//!
//! Lanes of the outer loop share loop-invariant values, and perform every operation for eight iterations at once. If
//! neighbouring iterations access distant elements, each element is loaded and stored separately; the inner loops may
//! then be better, if their elements are adjacent. The costs approximate those of instructions.

use crate::classify::{Class, Lanes, Step};
use riesz_primitive::Work;
use riesz_program::Procedure;
use riesz_program::program::{Block, Expression, For, Operand, Register, Statement};

/// Whether a loop takes less time in lanes than with the loops inside of it in lanes.
pub(crate) fn outer(procedure: &Procedure, lanes: &Lanes, each: &For) -> bool {
    let loops = each.body.iter().any(|statement| matches!(statement, Statement::For(_)));
    let around = Around { loops: vec![(each.index, times(each.count))], procedure };
    !loops || around.in_lanes(lanes, &each.body) / 8.0 <= around.by_turns(&each.body)
}

/// How many turns a loop is taken to have that does not say.
const UNKNOWN: f64 = 16.0;

/// What it takes to enter a loop in lanes, and to bring the lanes together behind it.
const ENTRY: f64 = 10.0;

fn times(count: Operand) -> f64 {
    match count {
        Operand::Int(count) => count.max(0) as f64,
        _ => UNKNOWN,
    }
}

/// The loops around, each with its index and how many turns it has.
struct Around<'p> {
    loops: Vec<(Register, f64)>,
    procedure: &'p Procedure,
}

impl Around<'_> {
    /// How many turns a loop has: about half of those of another whose index tells.
    fn turns(&self, each: &For) -> f64 {
        let around = self.loops.iter().find(|(index, _)| each.count == Operand::Register(*index));
        around.map_or_else(|| times(each.count), |(_, turns)| turns / 2.0)
    }

    fn inside(&self, each: &For) -> Self {
        let mut loops = self.loops.clone();
        loops.push((each.index, self.turns(each)));
        Around { loops, ..*self }
    }

    /// The cost of eight turns at once.
    fn in_lanes(&self, lanes: &Lanes, block: &Block) -> f64 {
        let access = |at: Operand| match lanes.class(at) {
            Class::Uniform | Class::Linear(Step::One) => 1.0,
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
            Statement::For(inner) => self.turns(inner) * self.inside(inner).in_lanes(lanes, &inner.body),
            Statement::Product(product) => 2.0 * times(product.rows) * times(product.inner) * times(product.columns),
            other => {
                1.0 + riesz_program::blocks(other).into_iter().map(|inner| self.in_lanes(lanes, inner)).sum::<f64>()
            }
        };
        block.iter().map(cost).sum()
    }

    /// The cost of one turn, with the loops inside in lanes where they can be.
    fn by_turns(&self, block: &Block) -> f64 {
        let cost = |statement: &Statement| match statement {
            Statement::Let(_, expression) => arithmetic(expression),
            Statement::Add(..) => 2.0,
            Statement::Fill(_, count, _) | Statement::Copy { count, .. } => times(*count) / 8.0,
            Statement::For(inner) => {
                let within = self.inside(inner);
                let plain = self.turns(inner) * within.by_turns(&inner.body);
                match Lanes::of(self.procedure, inner) {
                    // Turns that are left over are taken one by one.
                    Ok(lanes) if self.turns(inner) >= 8.0 => {
                        let wide = self.turns(inner) * within.in_lanes(&lanes, &inner.body) / 8.0;
                        plain.min(ENTRY + wide)
                    }
                    _ => plain,
                }
            }
            Statement::Product(product) => times(product.rows) * times(product.inner) * times(product.columns) / 4.0,
            other => 1.0 + riesz_program::blocks(other).into_iter().map(|inner| self.by_turns(inner)).sum::<f64>(),
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
