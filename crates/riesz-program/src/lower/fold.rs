//! Products of arrays, and sums of integer arrays: each element in place, one iteration after the other.
//!
//! ```text
//! t = [1, ..., 1];   for k < n:   for i < m:   t[i] = t[i] · a(k)[i]
//! ```
//!
//! Sums of real arrays are added in their final place instead, in independent iterations (`iterate`).

use super::operation::{unsupported, unsupported_layout};
use super::value::{Cells, Target, Value};
use super::{Lowered, Lowerer};
use crate::program::{Expression, Fault, Kind, Operand};
use riesz_core::term::{Iteration, Reduction, Var};
use riesz_primitive::scalar;
use riesz_syntax::Span;

impl<'p> Lowerer<'_, 'p> {
    /// The sum or product of arrays, element by element.
    pub(super) fn fold_arrays(
        &mut self,
        reduction: Reduction,
        iteration: &'p Iteration,
        var: Var,
        count: Operand,
        target: &Target,
        span: Span,
    ) -> Lowered<Value> {
        if target.add {
            let own = self.target_for(var, None, span)?;
            let folded = self.fold_arrays(reduction, iteration, var, count, &own, span)?;
            self.write(&folded, target, span)?;
            return Ok(Value::unit());
        }
        if !target.cells.is_exact() || !is_whole(&target.cells) {
            return Err(unsupported("the sizes of the arrays of this product are known only at run time", span));
        }
        let first = match reduction {
            Reduction::Sum => self.first_zero(count),
            _ => Operand::Real(1.0),
        };
        self.fill_with(&target.cells, &mut |kind| match (kind, reduction) {
            (Kind::Real, _) => first,
            (_, Reduction::Sum) => Operand::Int(0),
            (..) => Operand::Int(1),
        });
        self.iterate_as(iteration, count, false, span, &mut |lowerer| {
            let element = lowerer.body(&iteration.body)?;
            lowerer.combine_in_place(&target.cells, &element, reduction, span)
        })?;
        Ok(self.in_target(target, None))
    }

    fn combine_in_place(&mut self, cells: &Cells, by: &Value, reduction: Reduction, span: Span) -> Lowered<()> {
        match (cells, by) {
            (Cells::Array(_, inner), Value::Array(by)) => {
                let Value::Array(now) = self.read(cells, &None) else {
                    return Err(unsupported_layout("this array", span));
                };
                self.build.check_equal(now.len, by.len, Fault::Elements, span);
                self.each(by.len, span, &mut |lowerer, index| {
                    let cells = lowerer.element_of(inner, index);
                    let by = lowerer.element_of(&by.cells, index);
                    let by = lowerer.read(&by, &None);
                    lowerer.combine_in_place(&cells, &by, reduction, span)
                })
            }
            (Cells::Tuple(cells), Value::Tuple(by)) => {
                cells.iter().zip(by).try_for_each(|(cells, by)| self.combine_in_place(cells, by, reduction, span))
            }
            (cells, Value::Number(by)) => {
                let Value::Number(now) = self.read(cells, &None) else {
                    return Err(unsupported_layout("this value", span));
                };
                let primitive = if reduction == Reduction::Sum { &scalar::ADD } else { &scalar::MUL };
                let combined = match self.build.kind(now) {
                    Kind::Real => self.bound(Kind::Real, None, Expression::Real(primitive, vec![now, *by]))?,
                    _ => Value::Number(self.integer(primitive, vec![now, *by], None, span)?),
                };
                self.write(&combined, &Target { cells: cells.clone(), add: false }, span)
            }
            _ => Err(unsupported("a reduction of values of different shapes", span)),
        }
    }
}

/// Whether there is room for every part.
fn is_whole(cells: &Cells) -> bool {
    match cells {
        Cells::Number(..) => true,
        Cells::Tuple(parts) => parts.iter().all(is_whole),
        Cells::Array(_, inner) => is_whole(inner),
        Cells::Absent => false,
    }
}
