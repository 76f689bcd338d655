//! An estimate of the number of instructions of an iteration, to decide whether waking a thread is worthwhile.
//!
//! ```text
//! cost (for j < m { ... })  =  m · cost { ... }
//! ```
//!
//! If `m` is known before the loop, the cost is an expression of it; otherwise it counts as eight.

use super::annotation::{Class, LaneSchedule};
use crate::program::{Block, Element, Expression, For, Operand, ProcedureId, Program, Statement};
use riesz_primitive::Work;

/// `own + Σ count · cost`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// The instructions outside of inner loops.
    pub own: f64,
    /// The counts of inner loops, and the costs of their iterations.
    pub loops: Vec<(Operand, Cost)>,
}

/// The number of iterations of a loop of which nothing is known.
const UNKNOWN: i64 = 8;

/// The cost of one iteration. The iterations of a vector take as long as one. Counts that are not `known` before the
/// loop are guessed.
pub(super) fn iteration(
    program: &Program,
    each: &For,
    lanes: Option<&LaneSchedule>,
    known: &dyn Fn(Operand) -> bool,
) -> Cost {
    let mut cost = Costs { program, lanes, calls: Vec::new() }.block(&each.body);
    if lanes.is_some() {
        cost.scale(1.0 / 8.0);
    }
    cost.guess_unknown(known);
    cost
}

impl Cost {
    /// The cost where it does not depend on sizes.
    pub fn constant(&self) -> Option<f64> {
        self.loops.iter().try_fold(self.own, |sum, (count, cost)| match count {
            Operand::Int(count) => Some(sum + *count as f64 * cost.constant()?),
            _ => None,
        })
    }

    fn guess_unknown(&mut self, known: &dyn Fn(Operand) -> bool) {
        for (count, cost) in &mut self.loops {
            if !known(*count) {
                *count = Operand::Int(UNKNOWN);
            }
            cost.guess_unknown(known);
        }
    }

    /// The cost if unknown counts are guessed.
    fn guess(&self) -> f64 {
        self.loops.iter().fold(self.own, |sum, (count, cost)| match count {
            Operand::Int(count) => sum + *count as f64 * cost.guess(),
            _ => sum + UNKNOWN as f64 * cost.guess(),
        })
    }

    fn scale(&mut self, by: f64) {
        self.own *= by;
        self.loops.iter_mut().for_each(|(_, cost)| cost.scale(by));
    }

    fn plus(&mut self, other: Cost) {
        self.own += other.own;
        self.loops.extend(other.loops);
    }

    fn times(self, count: Operand) -> Cost {
        match count {
            _ if self.own == 0.0 && self.loops.is_empty() => self,
            count => Cost { own: 1.0, loops: vec![(count, self)] },
        }
    }

    fn of(own: f64) -> Cost {
        Cost { own, loops: Vec::new() }
    }
}

struct Costs<'a> {
    program: &'a Program,
    lanes: Option<&'a LaneSchedule>,
    /// The procedures that are being called.
    calls: Vec<ProcedureId>,
}

impl Costs<'_> {
    fn block(&mut self, block: &Block) -> Cost {
        let mut cost = Cost::default();
        for statement in block {
            let further = self.statement(statement);
            cost.plus(further);
        }
        cost
    }

    fn statement(&mut self, statement: &Statement) -> Cost {
        match statement {
            Statement::Let(_, expression) => Cost::of(self.expression(expression)),
            Statement::Set(..) | Statement::Reduce(..) | Statement::Check(..) | Statement::Swap(..) => Cost::of(1.0),
            Statement::Allocate(_) => Cost::of(50.0),
            Statement::Grow(_) => Cost::of(5.0),
            Statement::Store(element, _) => Cost::of(self.access(*element)),
            Statement::Add(element, _) => Cost::of(2.0 * self.access(*element)),
            Statement::Fill(element, count, _) => Cost::of(self.access(*element)).times(*count),
            Statement::Copy { to, from, count } => Cost::of(self.access(*to) + self.access(*from)).times(*count),
            Statement::For(each) => self.block(&each.body).times(each.count),
            Statement::While(each) => {
                let mut cost = self.block(&each.before);
                let body = self.block(&each.body);
                cost.plus(body);
                cost.scale(UNKNOWN as f64);
                cost
            }
            Statement::If(_, yes, no) => {
                let (mut cost, no) = (self.block(yes), self.block(no));
                cost.plus(no);
                // Lanes run both branches, single iterations run one.
                cost.scale(if self.lanes.is_some() { 1.0 } else { 0.5 });
                cost
            }
            Statement::Call(call) => match self.calls.contains(&call.procedure) || self.calls.len() > 8 {
                true => Cost::of(1000.0),
                false => {
                    self.calls.push(call.procedure);
                    let cost = self.block(&self.program.procedure(call.procedure).body);
                    self.calls.pop();
                    Cost::of(10.0 + cost.guess())
                }
            },
            Statement::Product(product) => {
                Cost::of(2.0).times(product.columns).times(product.inner).times(product.rows)
            }
            Statement::Matrix(matrix) => Cost::of(1.0).times(matrix.n).times(matrix.n).times(matrix.n),
        }
    }

    fn access(&self, element: Element) -> f64 {
        match self.lanes {
            Some(lanes) if lanes.class(element.at) == Class::Varying => 12.0,
            _ => 1.0,
        }
    }

    fn expression(&self, expression: &Expression) -> f64 {
        match expression {
            Expression::Real(primitive, _) => match primitive.scalar().map(|row| row.work) {
                Some(Work::Sign | Work::Addition | Work::Multiplication) => 1.0,
                Some(Work::Division) => 10.0,
                Some(Work::Function) | None => 40.0,
            },
            Expression::Int(..) | Expression::Truncate(..) if self.lanes.is_some() => 8.0,
            Expression::Load(element) => self.access(*element),
            _ => 1.0,
        }
    }
}
