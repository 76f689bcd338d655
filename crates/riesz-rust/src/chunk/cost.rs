//! An estimate of the number of instructions of an iteration, to decide whether waking a thread is worthwhile.
//!
//! ```text
//! cost (for j < m { ... })  =  m · cost { ... }
//! ```
//!
//! If `m` is known before the loop, the cost is an expression of it; otherwise it counts as eight.

use crate::classify::Lanes;
use riesz_primitive::Work;
use riesz_program::program::{Block, Element, Expression, For, Operand, ProcedureId, Program, Statement};

/// `own + Σ count · cost`
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    own: f64,
    loops: Vec<(Operand, Cost)>,
}

/// How often loops turn of which nothing is known.
const UNKNOWN: f64 = 8.0;

/// The cost of one turn. Eight turns at once take as long as one.
pub(super) fn turn(program: &Program, each: &For, lanes: Option<&Lanes>) -> Cost {
    let mut cost = Costs { program, lanes, calls: Vec::new() }.block(&each.body);
    if lanes.is_some() {
        cost.scale(1.0 / 8.0);
    }
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

    /// The cost as an expression, given the names of the numbers that are known before the loop.
    pub fn text(&self, known: &dyn Fn(Operand) -> Option<String>) -> String {
        let mut text = format!("({:.2}", self.own);
        for (count, cost) in &self.loops {
            text += &match (count, known(*count)) {
                (Operand::Int(count), _) => format!(" + {:.1} * {}", (*count).max(0) as f64, cost.text(known)),
                (_, Some(name)) => format!(" + {name} as f64 * {}", cost.text(known)),
                (_, None) => format!(" + {UNKNOWN:.1} * {}", cost.text(known)),
            };
        }
        text + ")"
    }

    /// The cost where nothing is known of sizes but what is written.
    fn guess(&self) -> f64 {
        self.loops.iter().fold(self.own, |sum, (count, cost)| match count {
            Operand::Int(count) => sum + *count as f64 * cost.guess(),
            _ => sum + UNKNOWN * cost.guess(),
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

struct Costs<'a, 'p> {
    program: &'a Program,
    lanes: Option<&'a Lanes<'p>>,
    /// The procedures around.
    calls: Vec<ProcedureId>,
}

impl Costs<'_, '_> {
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
                cost.scale(UNKNOWN);
                cost
            }
            Statement::If(_, yes, no) => {
                let (mut cost, no) = (self.block(yes), self.block(no));
                cost.plus(no);
                // Lanes take both ways, turns by themselves one.
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
            Some(lanes) if lanes.class(element.at) == crate::classify::Class::Varying => 12.0,
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
