//! Products of vectors and matrices, and the functions of linear algebra.
//!
//! ```text
//! outer(u, v)[i][j] = u[i] · v[j]        dot(a, b)[i][j] = Σₖ a[i][k] · b[k][j]
//! ```

use super::operation::{unsupported, unsupported_layout};
use super::value::{Array, Cells, Length, Shape, Target, Value};
use super::{Lowered, Lowerer};
use crate::program::{Combine, Element, Expression, Fault, Kind, Matrix, Operand, Product, Statement, Strided};
use riesz_core::term::{Atom, Var};
use riesz_primitive::array::{Matrix as MatrixRow, MatrixResult, Product as ProductRow};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    pub(super) fn outer(
        &mut self,
        product: &ProductRow,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let (u, v) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, rows) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        self.set_length(length, u.len, Fault::WrongShape, span);
        self.each(u.len, span, &mut |lowerer, i| {
            let cells = lowerer.element_of(&u.cells, i);
            let left = lowerer.read(&cells, &None);
            let Cells::Array(length, row) = lowerer.element_of(rows, i) else { return Ok(()) };
            lowerer.set_length(&length, v.len, Fault::WrongShape, span);
            lowerer.each(v.len, span, &mut |lowerer, j| {
                let cells = lowerer.element_of(&v.cells, j);
                let right = lowerer.read(&cells, &None);
                let (Value::Number(left), Value::Number(right)) = (&left, &right) else { return Ok(()) };
                let times = Expression::Real(product.times, vec![*left, *right]);
                let product = lowerer.build.bind(Kind::Real, None, times);
                let element = lowerer.element_of(&row, j);
                lowerer.write(&Value::Number(product), &Target { cells: element, add: false }, span)
            })
        })?;
        Ok(self.in_target(&target, Some(u.len)))
    }

    /// The contraction of the last axis of one array with the first of the other.
    pub(super) fn dot(
        &mut self,
        product: &ProductRow,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let (a, b) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let (left, right) = (self.strided(&a, false, span)?, self.strided(&b, true, span)?);
        self.build.check_equal(left.columns, right.rows, Fault::WrongShape, span);
        if left.vector && right.vector {
            let total = self.build.mutable(Kind::Real, self.name(var));
            self.build.push(Statement::Set(total, Operand::Real(0.0)));
            self.each(a.len, span, &mut |lowerer, index| {
                let (x, y) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
                let (x, y) = (lowerer.read(&x, &None), lowerer.read(&y, &None));
                let (Value::Number(x), Value::Number(y)) = (x, y) else { return Ok(()) };
                let product = lowerer.build.bind(Kind::Real, None, Expression::Real(product.times, vec![x, y]));
                lowerer.build.push(Statement::Reduce(total, Combine::Sum, product));
                Ok(())
            })?;
            return Ok(Value::Number(Operand::Register(total)));
        }
        let target = self.target_for(var, target, span)?;
        let to = self.flat_target(&target, span)?;
        let len = if left.vector { right.columns } else { left.rows };
        if let Cells::Array(length, inner) = &target.cells {
            self.set_length(length, len, Fault::WrongShape, span);
            if let Cells::Array(inner, _) = &**inner {
                self.build.check_equal(inner.most(), right.columns, Fault::WrongShape, span);
            }
        }
        self.build.push(Statement::Product(Product {
            to,
            left: left.strided,
            right: right.strided,
            rows: left.rows,
            inner: left.columns,
            columns: right.columns,
            exact: product.is_exact(),
        }));
        Ok(self.in_target(&target, Some(len)))
    }

    /// A vector or matrix of numbers as a matrix; a vector is a row or a column.
    fn strided(&mut self, array: &Array, column: bool, span: Span) -> Lowered<MatrixOperand> {
        match &array.cells {
            Cells::Number(_, place) => {
                let first = Element { buffer: place.buffer, at: place.offset };
                let (zero, one, step) = (Operand::Int(0), Operand::Int(1), place.strides[0]);
                Ok(match column {
                    true => MatrixOperand {
                        strided: Strided { first, row: step, column: one },
                        rows: array.len,
                        columns: one,
                        vector: true,
                    },
                    false => MatrixOperand {
                        strided: Strided { first, row: zero, column: step },
                        rows: one,
                        columns: array.len,
                        vector: true,
                    },
                })
            }
            Cells::Array(Length::Known(columns), inner) => match &**inner {
                Cells::Number(_, place) => Ok(MatrixOperand {
                    strided: Strided {
                        first: Element { buffer: place.buffer, at: place.offset },
                        row: place.strides[0],
                        column: place.strides[1],
                    },
                    rows: array.len,
                    columns: *columns,
                    vector: false,
                }),
                _ => Err(unsupported("a product of arrays of more than two dimensions", span)),
            },
            _ => Err(super::unknown_size(span)),
        }
    }

    /// The first element of a target that lies row by row.
    fn flat_target(&mut self, target: &Target, span: Span) -> Lowered<Element> {
        let (lens, place) = match &target.cells {
            Cells::Array(length, inner) => match &**inner {
                Cells::Number(_, place) => (vec![length.most()], place),
                Cells::Array(inner_length, inner) => match &**inner {
                    Cells::Number(_, place) => (vec![length.most(), inner_length.most()], place),
                    _ => return Err(unsupported_layout("this product", span)),
                },
                Cells::Tuple(_) | Cells::Absent => return Err(unsupported_layout("this product", span)),
            },
            cells => return self.cell(cells, span),
        };
        match self.is_flat(place, &lens) {
            true => Ok(Element { buffer: place.buffer, at: place.offset }),
            false => Err(super::unknown_size(span)),
        }
    }

    pub(super) fn matrix(
        &mut self,
        row: &MatrixRow,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let function = row.function;
        let a = self.array(arguments[0], span)?;
        let a = self.flattened(&a, span)?;
        let seen = self.strided(&a, false, span)?;
        let shape = [seen.rows, seen.columns];
        let mut n = a.len;
        if !function.is_sparse() {
            self.build.check_equal(seen.rows, seen.columns, Fault::NotSquare, span);
        }
        let b = match &arguments[1..] {
            [] => None,
            directions @ [_, _, ..] => {
                let stacked = self.stacked(directions, span)?;
                let seen = self.strided(&stacked, true, span)?;
                Some((seen.strided.first, stacked.len))
            }
            [b] => {
                let b = self.array(*b, span)?;
                let b = self.flattened(&b, span)?;
                let seen = self.strided(&b, true, span)?;
                match function.is_sparse() {
                    true => n = b.len,
                    false => self.build.check_equal(n, b.len, Fault::NotSquare, span),
                }
                Some((seen.strided.first, seen.columns))
            }
        };
        let site = self.build.site(Fault::Memory, span);
        let MatrixResult::Like(like) = row.result else {
            let buffer = self.build.allocate(Kind::Real, None, Operand::Int(1), span);
            let to = Element { buffer, at: Operand::Int(0) };
            let count = Operand::Int(1);
            let a = seen.strided.first;
            self.build.push(Statement::Matrix(Matrix { function, to, count, a, shape, n, b, site }));
            let name = self.name(var);
            return Ok(Value::Number(self.build.load(buffer, Operand::Int(0), name)));
        };
        let target = match target {
            Some(target) => target.clone(),
            None => {
                let shape = self.infer_shape(arguments[like])?;
                if !shape.is_exact() {
                    return Err(super::unknown_size(span));
                }
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        let to = self.flat_target(&target, span)?;
        if let Cells::Array(length, _) = &target.cells {
            self.set_length(length, n, Fault::WrongShape, span);
        }
        let width = b.filter(|_| like == 1).map_or(n, |(_, columns)| columns);
        let count = self.build.mul(n, width);
        let a = seen.strided.first;
        self.build.push(Statement::Matrix(Matrix { function, to, count, a, shape, n, b, site }));
        Ok(self.in_target(&target, Some(n)))
    }
}

impl Lowerer<'_, '_> {
    /// Matrices of one size, one behind the other in one buffer.
    fn stacked(&mut self, matrices: &[Atom], span: Span) -> Lowered<Array> {
        let mut arrays = Vec::new();
        let mut total = Operand::Int(0);
        for matrix in matrices {
            let array = self.array(*matrix, span)?;
            arrays.push((total, array.clone()));
            total = self.build.add(total, array.len);
        }
        let Shape::Array(mut extent, row) = self.shape_of_array(&arrays[0].1) else {
            return Err(super::unknown_size(span));
        };
        extent.most = total;
        let cells = self.room_for(&Shape::Array(extent, row), &None, span);
        let Cells::Array(_, inner) = &cells else { return Err(super::unknown_size(span)) };
        for (from, array) in arrays {
            let cells = self.shifted(inner, from);
            let part = Target { cells: Cells::Array(Length::Known(array.len), Box::new(cells)), add: false };
            self.write(&Value::Array(array), &part, span)?;
        }
        match self.read(&cells, &None) {
            Value::Array(array) => Ok(array),
            _ => Err(super::unknown_size(span)),
        }
    }
}

/// A vector or matrix as a matrix.
struct MatrixOperand {
    strided: Strided,
    rows: Operand,
    columns: Operand,
    vector: bool,
}
