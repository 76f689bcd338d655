//! The cost model: an estimate of the number of instructions of statements, by which all schedules are chosen.
//!
//! ```text
//! cost (for j < m { ... })  =  m · cost { ... }
//! ```
//!
//! In lanes, the costs are those of a whole vector: operations take as long as for one number, and elements that are not
//! adjacent are accessed one by one. Counts that are not known are guessed.

use super::annotation::{Class, LaneSchedule, LaneStride};
use crate::program::{Block, Element, Expression, For, Operand, ProcedureId, Program, Statement};
use riesz_primitive::Work;

/// The guessed number of iterations of a loop.
pub(super) const UNKNOWN: i64 = 16;

/// The cost of entering a loop in lanes, and of combining the lanes after it.
pub(super) const ENTRY: f64 = 10.0;

const DIVISION: f64 = 8.0;
const FUNCTION: f64 = 40.0;
const ALLOCATION: f64 = 50.0;
const CALL: f64 = 10.0;
/// A call whose cost cannot be estimated, because it recurs.
const RECURSION: f64 = 1000.0;
/// The share of a number in a range that is filled or copied.
const IN_RANGE: f64 = 1.0 / 8.0;
/// The cost of a call of the function that multiplies matrices, and of a product and a sum in it, for two matrices and for
/// a matrix and a vector. Where each lane has a product for itself, they cost as much as the accesses to the two factors;
/// the next elements of a row are then in the cache.
const PRODUCT_CALL: f64 = 40.0;
const IN_MATRIX_PRODUCT: f64 = 1.0 / 8.0;
const IN_VECTOR_PRODUCT: f64 = 1.0 / 4.0;
const IN_ROW: f64 = 1.0 / 2.0;
/// The cost of an access to one element for each lane, as a multiple of the width: at positions with a stride, and at any.
const STRIDED: f64 = 1.0;
const SCATTERED: f64 = 1.5;

/// `own + Σ count · cost`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// The instructions outside of inner loops.
    pub own: f64,
    /// The counts of inner loops, and the costs of their iterations.
    pub loops: Vec<(Operand, Cost)>,
}

impl Cost {
    /// The cost where it does not depend on sizes.
    pub fn constant(&self) -> Option<f64> {
        self.loops.iter().try_fold(self.own, |sum, (count, cost)| match count {
            Operand::Int(count) => Some(sum + *count as f64 * cost.constant()?),
            _ => None,
        })
    }

    /// The cost if unknown counts are guessed.
    pub(super) fn estimate(&self) -> f64 {
        self.loops.iter().fold(self.own, |sum, (count, cost)| sum + estimated(*count) * cost.estimate())
    }

    fn guess_unknown(&mut self, known: &dyn Fn(Operand) -> bool) {
        for (count, cost) in &mut self.loops {
            if !known(*count) {
                *count = Operand::Int(UNKNOWN);
            }
            cost.guess_unknown(known);
        }
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
        match self.own == 0.0 && self.loops.is_empty() {
            true => self,
            false => Cost { own: 0.0, loops: vec![(count, self)] },
        }
    }

    fn of(own: f64) -> Cost {
        Cost { own, loops: Vec::new() }
    }
}

/// A count, which is guessed if it is unknown.
pub(super) fn estimated(count: Operand) -> f64 {
    match count {
        Operand::Int(count) => count.max(0) as f64,
        _ => UNKNOWN as f64,
    }
}

/// The cost of one iteration; in lanes, that of a vector divided by its width. Counts that are not `known` before the
/// loop are guessed.
pub(super) fn iteration(
    program: &Program,
    each: &For,
    lanes: Option<&LaneSchedule>,
    known: &dyn Fn(Operand) -> bool,
) -> Cost {
    let mut cost = Calls { program, lanes, around: Vec::new() }.block(&each.body);
    if let Some(lanes) = lanes {
        cost.scale(1.0 / lanes.width as f64);
    }
    cost.guess_unknown(known);
    cost
}

/// The cost of a statement, without the blocks in it.
pub(super) fn statement(statement: &Statement, lanes: Option<&LaneSchedule>) -> Cost {
    let access = |at: Operand| match lanes {
        Some(lanes) => match lanes.class(at) {
            Class::Uniform | Class::Linear(LaneStride::One) => 1.0,
            Class::Linear(_) => STRIDED * lanes.width as f64,
            Class::Varying => SCATTERED * lanes.width as f64,
        },
        None => 1.0,
    };
    match statement {
        Statement::Let(_, Expression::Load(element)) => Cost::of(access(element.at)),
        Statement::Let(register, Expression::Int(..) | Expression::Truncate(..)) => {
            let varying = |lanes: &&LaneSchedule| lanes.class(Operand::Register(*register)) == Class::Varying;
            Cost::of(lanes.filter(varying).map_or(1.0, |lanes| lanes.width as f64))
        }
        Statement::Let(_, Expression::Real(primitive, _)) => match primitive.scalar().map(|row| row.work) {
            Some(Work::Sign | Work::Addition | Work::Multiplication) => Cost::of(1.0),
            Some(Work::Division) => Cost::of(DIVISION),
            Some(Work::Function) | None => Cost::of(FUNCTION),
        },
        Statement::Allocate(_) => Cost::of(ALLOCATION),
        Statement::Store(element, _) => Cost::of(access(element.at)),
        Statement::Add(element, _) => Cost::of(2.0 * access(element.at)),
        Statement::Fill(element, count, _) => match lanes {
            Some(_) => Cost::of(access(element.at)).times(*count),
            None => Cost::of(IN_RANGE).times(*count),
        },
        Statement::Copy { to, from, count } => match lanes {
            Some(_) => Cost::of(access(to.at) + access(from.at)).times(*count),
            None => Cost::of(IN_RANGE).times(*count),
        },
        Statement::Product(product) => {
            let factor = |first: Element| (IN_ROW * access(first.at)).max(1.0);
            let sizes = [product.rows, product.inner, product.columns];
            let (call, each) = match lanes {
                Some(_) => (0.0, factor(product.left.first) + factor(product.right.first)),
                None if sizes.contains(&Operand::Int(1)) => (PRODUCT_CALL, IN_VECTOR_PRODUCT),
                None => (PRODUCT_CALL, IN_MATRIX_PRODUCT),
            };
            let mut cost = Cost::of(each).times(product.columns).times(product.inner).times(product.rows);
            cost.own += call;
            cost
        }
        Statement::Matrix(matrix) if matrix.function.is_sparse() => Cost::of(20.0).times(matrix.shape[1]),
        Statement::Matrix(matrix) => Cost::of(1.0).times(matrix.n).times(matrix.n).times(matrix.n),
        Statement::Let(..)
        | Statement::Set(..)
        | Statement::Reduce(..)
        | Statement::Grow(_)
        | Statement::For(_)
        | Statement::While(_)
        | Statement::If(..)
        | Statement::Check(..)
        | Statement::Swap(..)
        | Statement::Call(_) => Cost::of(1.0),
    }
}

struct Calls<'a> {
    program: &'a Program,
    lanes: Option<&'a LaneSchedule>,
    /// The procedures that are being called.
    around: Vec<ProcedureId>,
}

impl Calls<'_> {
    fn block(&mut self, block: &Block) -> Cost {
        block.iter().fold(Cost::default(), |mut cost, inner| {
            cost.plus(statement(inner, self.lanes));
            match inner {
                Statement::For(each) => cost.plus(self.block(&each.body).times(each.count)),
                Statement::While(each) => {
                    for block in [&each.before, &each.body] {
                        cost.plus(self.block(block).times(Operand::Int(UNKNOWN)));
                    }
                }
                Statement::Call(call) if self.around.contains(&call.procedure) || self.around.len() > 8 => {
                    cost.own += RECURSION;
                }
                Statement::Call(call) => {
                    self.around.push(call.procedure);
                    cost.own += CALL + self.block(&self.program.procedure(call.procedure).body).estimate();
                    self.around.pop();
                }
                other => other.blocks().into_iter().for_each(|block| cost.plus(self.block(block))),
            }
            cost
        })
    }
}
