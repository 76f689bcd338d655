//! Functions that only move the elements of an array: they change the offset and the strides, and copy nothing.
//!
//! ```text
//! reverse(a)[i]        is   a[n − 1 − i]
//! slice(a, p, q)[i]    is   a[p + i]
//! transpose(a)[i][j]   is   a[j][i]
//! flatten(a)[i·m + j]  is   a[i][j]
//! ```

use super::array::IndexLowering;
use super::value::{Array, Cells, Length, Place, Value};
use super::{Lowered, Lowerer};
use crate::program::{Expression, Fault, Kind, Operand, Statement};
use riesz_core::Comparison;
use riesz_core::term::Atom;
use riesz_primitive::array::{Bounds, Reindex};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    /// The elements `start + step · i` of an array.
    pub(super) fn line(
        &mut self,
        reindex: &'static Reindex,
        step: i64,
        arguments: &[Atom],
        span: Span,
    ) -> Lowered<Value> {
        let array = self.array(arguments[reindex.array], span)?;
        if let Bounds::Range(from, to) = reindex.bounds {
            let (from, to) = (self.number(arguments[from], span)?, self.number(arguments[to], span)?);
            self.check_range(from, to, array.len, span);
        }
        let mut written = IndexLowering { lowerer: self, arguments, span };
        let len = reindex.count(&mut written)?;
        let start = reindex.index.evaluate(Operand::Int(0), &mut written)?;
        self.build.bounds.is_size(len);
        let cells = self.shifted(&array.cells, start);
        let cells = match step {
            1 => cells,
            step => self.moved(&cells, &mut |lowerer, place| {
                place.strides[0] = lowerer.build.mul(Operand::Int(step), place.strides[0]);
            }),
        };
        Ok(Value::Array(Array { len, cells }))
    }

    /// `0 ≤ from ≤ to ≤ len`
    fn check_range(&mut self, from: Operand, to: Operand, len: Operand, span: Span) {
        let site = self.build.site(Fault::Slice, span);
        for (low, high) in [(Operand::Int(0), from), (from, to), (to, len)] {
            if self.build.same(low, high) || low == Operand::Int(0) && self.build.bounds.is_natural(high) {
                continue;
            }
            let ordered = Expression::Compare(Comparison::LessEqual, low, high);
            let ordered = self.build.bind(Kind::Bool, None, ordered);
            self.build.push(Statement::Check(ordered, site, vec![from, to, len]));
        }
    }

    pub(super) fn flatten(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let Cells::Array(Length::Known(inner), _) = array.cells else { return Err(super::unknown_size(span)) };
        // Rows that lie apart are moved together.
        let mut together = true;
        array.cells.leaves(
            &mut |place| {
                let rows = self.build.mul(place.strides[1], inner);
                together &= self.build.same(place.strides[0], rows);
            },
            &mut |_| {},
        );
        let array = if together { array } else { self.flattened(&array, span)? };
        let Cells::Array(Length::Known(inner), cells) = &array.cells else { return Err(super::unknown_size(span)) };
        let len = self.build.mul(array.len, *inner);
        self.build.check_length(len, span);
        let cells = self.moved(cells, &mut |_, place| {
            place.strides.remove(0);
        });
        Ok(Value::Array(Array { len, cells }))
    }

    pub(super) fn transpose(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let Cells::Array(Length::Known(inner), cells) = &array.cells else { return Err(super::unknown_size(span)) };
        let cells = self.moved(cells, &mut |_, place| place.strides.swap(0, 1));
        let cells = Cells::Array(Length::Known(array.len), Box::new(cells));
        Ok(Value::Array(Array { len: *inner, cells }))
    }

    /// The cells with every place changed.
    fn moved(&mut self, cells: &Cells, change: &mut dyn FnMut(&mut Self, &mut Place)) -> Cells {
        match cells {
            Cells::Number(kind, place) => {
                let mut place = place.clone();
                change(self, &mut place);
                Cells::Number(*kind, place)
            }
            Cells::Tuple(parts) => Cells::Tuple(parts.iter().map(|part| self.moved(part, change)).collect()),
            Cells::Array(length, inner) => {
                let length = match length {
                    Length::Known(len) => Length::Known(*len),
                    Length::Stored { place, capacity } => {
                        let mut place = place.clone();
                        change(self, &mut place);
                        Length::Stored { place, capacity: *capacity }
                    }
                };
                Cells::Array(length, Box::new(self.moved(inner, change)))
            }
            Cells::Absent => Cells::Absent,
        }
    }

    /// The cells of an array from an element on.
    pub(super) fn shifted(&mut self, cells: &Cells, from: Operand) -> Cells {
        self.moved(cells, &mut |lowerer, place| {
            let step = lowerer.build.mul(from, place.strides[0]);
            place.offset = lowerer.build.add(place.offset, step);
        })
    }
}
