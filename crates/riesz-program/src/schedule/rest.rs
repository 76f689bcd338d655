//! The last iterations of a loop in lanes, which fill no vector: they run as one more vector, whose other lanes compute
//! and write nothing.
//!
//! ```text
//! for i < 6: b[i] = f(i)      is      8 lanes: y = f(0 .. 7);  b[0 .. 5] = y[0 .. 5]
//! ```
//!
//! That pays if an iteration takes long and there are few: the columns of a matrix that has six, by a pass for each.

use super::annotation::{Class, LaneSchedule};
use super::strip::is_straight;
use crate::program::{Expression, For, Operand, Statement};
use crate::visit::each_statement;

/// The fewest iterations that run in lanes, where their number is known.
pub(super) const FEWEST: i64 = 3;

/// Whether the other lanes change nothing and cannot fail, and iterations have inner loops.
pub(super) fn fits(lanes: &LaneSchedule, each: &For) -> bool {
    let multiple = matches!(each.count, Operand::Int(count) if count >= 0 && count % lanes.width < FEWEST);
    let nested = each.body.iter().any(|statement| matches!(statement, Statement::For(_)));
    let alone = lanes.reduced.is_empty() && lanes.summed.is_empty() && lanes.stencils.is_empty();
    if multiple || !nested || !alone || !is_straight(each, lanes) {
        return false;
    }
    let mut fits = true;
    each_statement(&each.body, &mut |statement| {
        fits &= match statement {
            Statement::Let(register, Expression::Int(..) | Expression::Truncate(..)) => {
                lanes.class(Operand::Register(*register)) == Class::Uniform
            }
            Statement::Check(condition, _, operands) => {
                [*condition].iter().chain(operands).all(|operand| lanes.is_uniform(*operand))
            }
            _ => true,
        };
    });
    fits
}
