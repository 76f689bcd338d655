//! First-order functions of arrays. Those that only move elements are views; the others are loops or products.

use super::operation::unsupported;
use super::value::{Array, Cells, Length, Place, Target, Value};
use super::{Lowered, Lowerer};
use crate::program::{Combine, Element, Expression, Fault, Kind, Matrix, Operand, Product, Statement, Strided};
use riesz_core::Comparison;
use riesz_core::term::{Atom, Var};
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;

impl Lowerer<'_, '_> {
    pub(super) fn array_function(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let view = match primitive.name {
            "reverse" => self.reverse(arguments, span)?,
            "slice" => self.slice(arguments, span)?,
            "flatten" => self.flatten(arguments, span)?,
            "transpose" => self.transpose(arguments, span)?,
            "concat" => return self.concat(arguments, var, target, span),
            "gather" => return self.gather(arguments, var, target, span),
            "scatter_add" => return self.scatter_add(arguments, var, target, span),
            "update" => return self.update(arguments, var, target, span),
            "outer" => return self.outer(arguments, var, target, span),
            "dot" => return self.dot(arguments, false, var, target, span),
            "exact dot" => return self.dot(arguments, true, var, target, span),
            _ if primitive.array().is_some_and(|row| row.matrix.is_some()) => {
                return self.matrix(primitive, arguments, var, target, span);
            }
            name => return Err(unsupported(&format!("`{name}` has no loops"), span)),
        };
        match target {
            Some(target) => {
                self.write(&view, target, span)?;
                Ok(self.in_target(target, None))
            }
            None => Ok(view),
        }
    }

    fn reverse(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let last = self.build.sub(array.len, Operand::Int(1));
        let cells = self.moved(&array.cells, &mut |lowerer, place| {
            let step = lowerer.build.mul(last, place.strides[0]);
            place.offset = lowerer.build.add(place.offset, step);
            place.strides[0] = lowerer.build.sub(Operand::Int(0), place.strides[0]);
        });
        Ok(Value::Array(Array { len: array.len, cells }))
    }

    fn slice(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let (from, to) = (self.number(arguments[1], span)?, self.number(arguments[2], span)?);
        let site = self.build.site(Fault::Slice, span);
        for (low, high) in [(Operand::Int(0), from), (from, to), (to, array.len)] {
            if self.build.same(low, high) || low == Operand::Int(0) && self.build.bounds.is_natural(high) {
                continue;
            }
            let ordered = Expression::Compare(Comparison::LessEqual, low, high);
            let ordered = self.build.bind(Kind::Bool, None, ordered);
            self.build.push(Statement::Check(ordered, site, vec![from, to, array.len]));
        }
        let len = self.build.sub(to, from);
        self.build.bounds.is_size(len);
        Ok(Value::Array(Array { len, cells: self.shifted(&array.cells, from) }))
    }

    fn flatten(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
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
        self.build.bounds.is_size(len);
        let cells = self.moved(cells, &mut |_, place| {
            place.strides.remove(0);
        });
        Ok(Value::Array(Array { len, cells }))
    }

    fn transpose(&mut self, arguments: &[Atom], span: Span) -> Lowered<Value> {
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
    fn shifted(&mut self, cells: &Cells, from: Operand) -> Cells {
        self.moved(cells, &mut |lowerer, place| {
            let step = lowerer.build.mul(from, place.strides[0]);
            place.offset = lowerer.build.add(place.offset, step);
        })
    }

    fn concat(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        let mut arrays = Vec::new();
        let mut total = Operand::Int(0);
        for argument in arguments {
            let array = self.array(*argument, span)?;
            arrays.push((total, array.clone()));
            total = self.build.add(total, array.len);
        }
        self.set_length(length, total, Fault::Unforeseen, span);
        for (from, array) in arrays {
            let cells = self.shifted(inner, from);
            let part = Target { cells: Cells::Array(Length::Known(array.len), Box::new(cells)), add: false };
            self.write(&Value::Array(array), &part, span)?;
        }
        self.build.bounds.is_size(total);
        Ok(self.in_target(&target, Some(total)))
    }

    fn gather(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let (array, indices) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, indices.len, Fault::Unforeseen, span);
        self.each(indices.len, span, &mut |lowerer, at| {
            let cells = lowerer.element_of(&indices.cells, at);
            let Value::Number(index) = lowerer.read(&cells, &None) else {
                return Err(unsupported("an index is no number", span));
            };
            lowerer.build.check_index(index, array.len, span);
            let cells = lowerer.element_of(&array.cells, index);
            let element = lowerer.read(&cells, &None);
            let cells = lowerer.element_of(inner, at);
            lowerer.write(&element, &Target { cells, add: false }, span)
        })?;
        Ok(self.in_target(&target, Some(indices.len)))
    }

    fn scatter_add(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let count = self.number(arguments[0], span)?;
        let (indices, values) = (self.array(arguments[1], span)?, self.array(arguments[2], span)?);
        self.build.check_count(count, span);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, count, Fault::Unforeseen, span);
        let mut integers = false;
        all_kinds(inner, &mut |kind| integers |= kind != Kind::Real);
        if integers {
            return Err(unsupported("`scatter_add` of integers", span));
        }
        self.fill(&target.cells);
        self.build.check_equal(indices.len, values.len, Fault::Unforeseen, span);
        self.each(indices.len, span, &mut |lowerer, at| {
            let cells = lowerer.element_of(&indices.cells, at);
            let Value::Number(index) = lowerer.read(&cells, &None) else {
                return Err(unsupported("an index is no number", span));
            };
            lowerer.build.check_index(index, count, span);
            let cells = lowerer.element_of(&values.cells, at);
            let element = lowerer.read(&cells, &None);
            let cells = lowerer.element_of(inner, index);
            lowerer.write(&element, &Target { cells, add: true }, span)
        })?;
        Ok(self.in_target(&target, Some(count)))
    }

    fn update(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let array = self.array(arguments[0], span)?;
        let (index, value) = (self.number(arguments[1], span)?, self.atom(arguments[2], span)?);
        self.build.check_index(index, array.len, span);
        let target = match target {
            Some(target) => target.clone(),
            None => {
                let shape = self.shape_of_array(&array);
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        self.write(&Value::Array(array.clone()), &target, span)?;
        let Cells::Array(_, inner) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        let cells = self.element_of(inner, index);
        self.write(&value, &Target { cells, add: false }, span)?;
        Ok(self.in_target(&target, Some(array.len)))
    }

    fn outer(&mut self, arguments: &[Atom], var: Var, target: Option<&Target>, span: Span) -> Lowered<Value> {
        let (u, v) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, rows) = &target.cells else { return Err(unsupported("an array is no array", span)) };
        self.set_length(length, u.len, Fault::Unforeseen, span);
        self.each(u.len, span, &mut |lowerer, i| {
            let cells = lowerer.element_of(&u.cells, i);
            let left = lowerer.read(&cells, &None);
            let Cells::Array(length, row) = lowerer.element_of(rows, i) else { return Ok(()) };
            lowerer.set_length(&length, v.len, Fault::Unforeseen, span);
            lowerer.each(v.len, span, &mut |lowerer, j| {
                let cells = lowerer.element_of(&v.cells, j);
                let right = lowerer.read(&cells, &None);
                let (Value::Number(left), Value::Number(right)) = (&left, &right) else { return Ok(()) };
                let product = Expression::Real(&scalar::MUL, vec![*left, *right]);
                let product = lowerer.build.bind(Kind::Real, None, product);
                let element = lowerer.element_of(&row, j);
                lowerer.write(&Value::Number(product), &Target { cells: element, add: false }, span)
            })
        })?;
        Ok(self.in_target(&target, Some(u.len)))
    }

    /// The contraction of the last axis of one array with the first of the other.
    fn dot(
        &mut self,
        arguments: &[Atom],
        exact: bool,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let (a, b) = (self.array(arguments[0], span)?, self.array(arguments[1], span)?);
        let (left, right) = (self.strided(&a, false, span)?, self.strided(&b, true, span)?);
        self.build.check_equal(left.columns, right.rows, Fault::Unforeseen, span);
        if left.vector && right.vector {
            let total = self.build.mutable(Kind::Real, self.name(var));
            self.build.push(Statement::Set(total, Operand::Real(0.0)));
            self.each(a.len, span, &mut |lowerer, index| {
                let (x, y) = (lowerer.element_of(&a.cells, index), lowerer.element_of(&b.cells, index));
                let (x, y) = (lowerer.read(&x, &None), lowerer.read(&y, &None));
                let (Value::Number(x), Value::Number(y)) = (x, y) else { return Ok(()) };
                let times = if exact { &scalar::EXACT_MUL } else { &scalar::MUL };
                let product = lowerer.build.bind(Kind::Real, None, Expression::Real(times, vec![x, y]));
                lowerer.build.push(Statement::Reduce(total, Combine::Sum, product));
                Ok(())
            })?;
            return Ok(Value::Number(Operand::Register(total)));
        }
        let target = self.target_for(var, target, span)?;
        let to = self.flat_target(&target, span)?;
        let len = if left.vector { right.columns } else { left.rows };
        if let Cells::Array(length, inner) = &target.cells {
            self.set_length(length, len, Fault::Unforeseen, span);
            if let Cells::Array(inner, _) = &**inner {
                self.build.check_equal(inner.most(), right.columns, Fault::Unforeseen, span);
            }
        }
        self.build.push(Statement::Product(Product {
            to,
            left: left.strided,
            right: right.strided,
            rows: left.rows,
            inner: left.columns,
            columns: right.columns,
            exact,
        }));
        Ok(self.in_target(&target, Some(len)))
    }

    /// A vector or matrix of numbers as a matrix; a vector is a row or a column.
    fn strided(&mut self, array: &Array, column: bool, span: Span) -> Lowered<Seen> {
        match &array.cells {
            Cells::Number(_, place) => {
                let first = Element { buffer: place.buffer, at: place.offset };
                let (zero, one, step) = (Operand::Int(0), Operand::Int(1), place.strides[0]);
                Ok(match column {
                    true => Seen {
                        strided: Strided { first, row: step, column: one },
                        rows: array.len,
                        columns: one,
                        vector: true,
                    },
                    false => Seen {
                        strided: Strided { first, row: zero, column: step },
                        rows: one,
                        columns: array.len,
                        vector: true,
                    },
                })
            }
            Cells::Array(Length::Known(columns), inner) => match &**inner {
                Cells::Number(_, place) => Ok(Seen {
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
                    _ => return Err(unsupported("a product that is no matrix", span)),
                },
                Cells::Tuple(_) | Cells::Absent => return Err(unsupported("a product that is no matrix", span)),
            },
            cells => return self.cell(cells, span),
        };
        match self.is_flat(place, &lens) {
            true => Ok(Element { buffer: place.buffer, at: place.offset }),
            false => Err(super::unknown_size(span)),
        }
    }

    fn matrix(
        &mut self,
        primitive: &'static Primitive,
        arguments: &[Atom],
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let Some(function) = primitive.array().and_then(|row| row.matrix) else {
            return Err(unsupported("this is no function of matrices", span));
        };
        let a = self.array(arguments[0], span)?;
        let a = self.flattened(&a, span)?;
        let seen = self.strided(&a, false, span)?;
        self.build.check_equal(seen.rows, seen.columns, Fault::NotSquare, span);
        let n = a.len;
        let b = match arguments.get(1) {
            Some(b) => {
                let b = self.array(*b, span)?;
                let b = self.flattened(&b, span)?;
                let seen = self.strided(&b, true, span)?;
                self.build.check_equal(n, b.len, Fault::NotSquare, span);
                Some((seen.strided.first, seen.columns))
            }
            None => None,
        };
        if *self.ty(var) == riesz_core::Type::Real {
            let buffer = self.build.allocate(Kind::Real, None, Operand::Int(1), span);
            let to = Element { buffer, at: Operand::Int(0) };
            let count = Operand::Int(1);
            self.build.push(Statement::Matrix(Matrix { function, to, count, a: seen.strided.first, n, b }));
            let name = self.name(var);
            return Ok(Value::Number(self.build.load(buffer, Operand::Int(0), name)));
        }
        let target = match target {
            Some(target) => target.clone(),
            None => {
                let like = if arguments.len() > 1 { arguments[1] } else { arguments[0] };
                let shape = self.foresee(like)?;
                if !shape.is_exact() {
                    return Err(super::unknown_size(span));
                }
                Target { cells: self.room_for(&shape, &self.name(var), span), add: false }
            }
        };
        let to = self.flat_target(&target, span)?;
        if let Cells::Array(length, _) = &target.cells {
            self.set_length(length, n, Fault::Unforeseen, span);
        }
        let width = b.map_or(n, |(_, columns)| columns);
        let count = self.build.mul(n, width);
        self.build.push(Statement::Matrix(Matrix { function, to, count, a: seen.strided.first, n, b }));
        Ok(self.in_target(&target, Some(n)))
    }
}

/// A vector or matrix as a matrix.
struct Seen {
    strided: Strided,
    rows: Operand,
    columns: Operand,
    vector: bool,
}

fn all_kinds(cells: &Cells, seen: &mut dyn FnMut(Kind)) {
    match cells {
        Cells::Number(kind, _) => seen(*kind),
        Cells::Tuple(parts) => parts.iter().for_each(|part| all_kinds(part, seen)),
        Cells::Array(_, inner) => all_kinds(inner, seen),
        Cells::Absent => {}
    }
}
