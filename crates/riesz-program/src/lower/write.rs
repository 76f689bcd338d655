//! Memory for values in buffers, and stores of values.

use super::operation::unsupported_layout;
use super::value::{Accumulator, Array, Cells, Extent, Length, Place, Shape, Target, Value};
use super::{Lowered, Lowerer, Unsupported};
use crate::iterations::carries;
use crate::program::{Buffer, Element, Fault, For, Kind, Operand, Statement};
use riesz_core::Comparison;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

impl Shape {
    /// Whether every length is known.
    pub fn is_exact(&self) -> bool {
        match self {
            Shape::Number(_) => true,
            Shape::Tuple(parts) => parts.iter().all(Shape::is_exact),
            Shape::Array(extent, element) => extent.exact && element.is_exact(),
        }
    }
}

impl Length {
    /// The length where it is known, else the most that it can be.
    pub fn most(&self) -> Operand {
        match self {
            Length::Known(len) => *len,
            Length::Stored { capacity, .. } => *capacity,
        }
    }
}

impl Cells {
    /// Whether every length is known.
    pub fn is_exact(&self) -> bool {
        let mut exact = true;
        self.leaves(&mut |_| {}, &mut |_| exact = false);
        exact
    }

    /// Calls functions on every place of a number, and of a length.
    pub fn leaves(&self, number: &mut dyn FnMut(&Place), length: &mut dyn FnMut(&Place)) {
        match self {
            Cells::Number(_, place) => number(place),
            Cells::Tuple(parts) => parts.iter().for_each(|part| part.leaves(number, length)),
            Cells::Array(len, inner) => {
                if let Length::Stored { place, .. } = len {
                    length(place);
                }
                inner.leaves(number, length);
            }
            Cells::Absent => {}
        }
    }
}

impl Lowerer<'_, '_> {
    /// Room for a value of a shape.
    pub(super) fn room_for(&mut self, shape: &Shape, name: &Option<Name>, span: Span) -> Cells {
        self.room_by(shape, &mut |build, kind, count, lengths| {
            let name = if lengths { Some("lengths".into()) } else { name.clone() };
            build.allocate(kind, name, count, span)
        })
    }

    /// Room for a value of a shape, in buffers for numbers of a kind, some of which are lengths.
    pub(super) fn room_by(&mut self, shape: &Shape, make: &mut Make) -> Cells {
        self.room(shape, &mut Vec::new(), make)
    }

    /// Room for values of a shape inside of arrays of some lengths.
    fn room(&mut self, shape: &Shape, lens: &mut Vec<Operand>, make: &mut Make) -> Cells {
        match shape {
            Shape::Number(kind) => Cells::Number(*kind, self.room_for_numbers(*kind, lens, false, make)),
            Shape::Tuple(parts) => Cells::Tuple(parts.iter().map(|part| self.room(part, lens, make)).collect()),
            Shape::Array(Extent { most, exact }, element) => {
                let length = if *exact {
                    Length::Known(*most)
                } else {
                    let place = self.room_for_numbers(Kind::Int, lens, true, make);
                    Length::Stored { place, capacity: *most }
                };
                lens.push(*most);
                let inner = self.room(element, lens, make);
                lens.pop();
                Cells::Array(length, Box::new(inner))
            }
        }
    }

    fn room_for_numbers(&mut self, kind: Kind, lens: &[Operand], lengths: bool, make: &mut Make) -> Place {
        let mut count = Operand::Int(1);
        for len in lens.iter().rev() {
            count = self.build.mul(*len, count);
        }
        let strides = self.strides(lens);
        let buffer = make(&mut self.build, kind, count, lengths);
        Place { buffer, offset: Operand::Int(0), strides }
    }

    /// Sets every number of some cells, which have no array around them, to zero.
    pub(super) fn fill(&mut self, cells: &Cells) {
        self.fill_with(cells, &mut Kind::zero);
    }

    /// Sets every number of some cells to a value of its kind; they lie row by row.
    pub(super) fn fill_with(&mut self, cells: &Cells, number: &mut dyn FnMut(Kind) -> Operand) {
        let mut found = Vec::new();
        collect(cells, Operand::Int(1), &mut |build, len, count| build.mul(len, count), &mut self.build, &mut found);
        for (kind, place, count) in found {
            self.build.push(Statement::Fill(Element { buffer: place.buffer, at: place.offset }, count, number(kind)));
        }
    }

    /// An element of cells that are inside of an array: for each place, one stride less.
    pub(super) fn element_of(&mut self, cells: &Cells, index: Operand) -> Cells {
        match cells {
            Cells::Number(kind, place) => Cells::Number(*kind, self.advance(place, index)),
            Cells::Tuple(parts) => Cells::Tuple(parts.iter().map(|part| self.element_of(part, index)).collect()),
            Cells::Array(length, inner) => {
                let length = match length {
                    Length::Known(len) => Length::Known(*len),
                    Length::Stored { place, capacity } => {
                        Length::Stored { place: self.advance(place, index), capacity: *capacity }
                    }
                };
                Cells::Array(length, Box::new(self.element_of(inner, index)))
            }
            Cells::Absent => Cells::Absent,
        }
    }

    fn advance(&mut self, place: &Place, index: Operand) -> Place {
        let Some((stride, rest)) = place.strides.split_first() else { return place.clone() };
        let step = self.build.mul(index, *stride);
        Place { buffer: place.buffer, offset: self.build.add(place.offset, step), strides: rest.to_vec() }
    }

    /// The value in cells without an array around them.
    pub(super) fn read(&mut self, cells: &Cells, name: &Option<Name>) -> Value {
        match cells {
            Cells::Number(_, place) => Value::Number(self.build.load(place.buffer, place.offset, name.clone())),
            Cells::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.read(part, &None)).collect()),
            Cells::Array(length, inner) => {
                let len = match length {
                    Length::Known(len) => *len,
                    Length::Stored { place, .. } => {
                        let len = self.build.load(place.buffer, place.offset, None);
                        self.build.bounds.is_size(len);
                        len
                    }
                };
                Value::Array(Array { len, cells: (**inner).clone() })
            }
            Cells::Absent => Value::unit(),
        }
    }

    /// Writes a value to a target, or adds it.
    pub(super) fn write(&mut self, value: &Value, target: &Target, span: Span) -> Lowered<()> {
        match (value, &target.cells) {
            (Value::Number(operand), Cells::Number(_, place)) => {
                let element = Element { buffer: place.buffer, at: place.offset };
                self.build.push(match target.add {
                    true => Statement::Add(element, *operand),
                    false => Statement::Store(element, *operand),
                });
                Ok(())
            }
            (Value::Tuple(parts), Cells::Tuple(cells)) => {
                for (part, cells) in parts.iter().zip(cells) {
                    self.write(part, &Target { cells: cells.clone(), add: target.add }, span)?;
                }
                Ok(())
            }
            (Value::Array(array), Cells::Array(length, inner)) => {
                self.write_array(array, length, inner, target.add, span)
            }
            _ => Err(Unsupported { reason: "the shape of this value differs from the inferred one".into(), span }),
        }
    }

    fn write_array(&mut self, array: &Array, length: &Length, inner: &Cells, add: bool, span: Span) -> Lowered<()> {
        self.set_length(length, array.len, if add { Fault::Elements } else { Fault::WrongShape }, span);
        // It stands where it is to go.
        if !add && array.cells == *inner {
            return Ok(());
        }
        if let Some(copies) = self.flat_copies(array, inner)
            && !add
        {
            for copy in copies {
                self.build.push(copy);
            }
            return Ok(());
        }
        self.each(array.len, span, &mut |lowerer, index| {
            let cells = lowerer.element_of(&array.cells, index);
            let element = lowerer.read(&cells, &None);
            let target = Target { cells: lowerer.element_of(inner, index), add };
            lowerer.write(&element, &target, span)
        })
    }

    /// Makes sure that an array of a length fits to where it goes, and notes the length where it is to be noted.
    pub(super) fn set_length(&mut self, length: &Length, len: Operand, fault: Fault, span: Span) {
        match length {
            Length::Known(known) => self.build.check_equal(*known, len, fault, span),
            Length::Stored { place, capacity } => {
                let known = self.build.bounds.at_most(len, *capacity);
                let site = self.build.site(Fault::WrongShape, span);
                let fits = crate::program::Expression::Compare(Comparison::LessEqual, len, *capacity);
                if !known {
                    let fits = self.build.bind(Kind::Bool, None, fits);
                    self.build.push(Statement::Check(fits, site, vec![len, *capacity]));
                }
                self.build.push(Statement::Store(Element { buffer: place.buffer, at: place.offset }, len));
            }
        }
    }

    /// The copies that move an array whole, where it lies row by row on both sides.
    fn flat_copies(&mut self, array: &Array, inner: &Cells) -> Option<Vec<Statement>> {
        let mut copies = Vec::new();
        self.flat_copy(&array.cells, inner, &mut vec![array.len], &mut copies)?;
        Some(copies)
    }

    fn flat_copy(
        &mut self,
        from: &Cells,
        to: &Cells,
        lens: &mut Vec<Operand>,
        copies: &mut Vec<Statement>,
    ) -> Option<()> {
        match (from, to) {
            (Cells::Number(_, from), Cells::Number(_, to)) => {
                if !self.is_flat(from, lens) || !self.is_flat(to, lens) {
                    return None;
                }
                let count = lens.iter().rev().fold(Operand::Int(1), |count, len| self.build.mul(*len, count));
                copies.push(Statement::Copy {
                    to: Element { buffer: to.buffer, at: to.offset },
                    from: Element { buffer: from.buffer, at: from.offset },
                    count,
                });
                Some(())
            }
            (Cells::Tuple(from), Cells::Tuple(to)) => {
                from.iter().zip(to).try_for_each(|(from, to)| self.flat_copy(from, to, lens, copies))
            }
            (Cells::Array(Length::Known(from_len), from), Cells::Array(Length::Known(to_len), to)) => {
                if !self.build.same(*from_len, *to_len) {
                    return None;
                }
                lens.push(*from_len);
                let done = self.flat_copy(from, to, lens, copies);
                lens.pop();
                done
            }
            _ => None,
        }
    }

    /// Whether the elements of arrays of some lengths lie row by row at a place.
    pub(super) fn is_flat(&mut self, place: &Place, lens: &[Operand]) -> bool {
        let strides = self.strides(lens);
        place.strides.len() == strides.len()
            && place.strides.iter().zip(&strides).all(|(stride, flat)| self.build.same(*stride, *flat))
    }

    /// A loop over the elements of an array, whose iterations are independent unless one hands a number to the next.
    pub(super) fn each(
        &mut self,
        count: Operand,
        span: Span,
        body: &mut dyn FnMut(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        let index = self.build.register(Kind::Int, Some("i".into()));
        let site = self.build.site(Fault::Steps, span);
        let opened = self.build.open();
        self.build.bounds.is_index(index, count);
        let written = body(self, Operand::Register(index));
        let body = self.build.close(opened);
        written?;
        let parallel = !carries(&body, |register| register < index);
        self.build.push(Statement::For(For::new(index, count, parallel, body, site)));
        Ok(())
    }

    /// Adds a value to the whole of an accumulator.
    pub(super) fn add_to(&mut self, accumulator: &Accumulator, value: &Value, span: Span) -> Lowered<()> {
        match (accumulator, value) {
            (Accumulator::Number(register), Value::Number(operand)) => {
                self.build.push(Statement::Reduce(*register, crate::program::Combine::Sum, *operand));
                Ok(())
            }
            (Accumulator::Tuple(parts), Value::Tuple(values)) => {
                parts.iter().zip(values).try_for_each(|(part, value)| self.add_to(part, value, span))
            }
            (Accumulator::Cells(cells), value) => self.write(value, &Target { cells: cells.clone(), add: true }, span),
            _ => {
                Err(Unsupported { reason: "the shape of this value differs from that of its accumulator".into(), span })
            }
        }
    }

    /// A value in row-by-row buffers of its own, each from the start, unless it is so already.
    pub(super) fn flattened(&mut self, array: &Array, span: Span) -> Lowered<Array> {
        let mut flat = true;
        let mut lens = vec![array.len];
        self.check_flat(&array.cells, &mut lens, &mut flat);
        if flat {
            return Ok(array.clone());
        }
        let shape = self.shape_of_array(array);
        let cells = self.room_for(&shape, &None, span);
        self.write(&Value::Array(array.clone()), &Target { cells: cells.clone(), add: false }, span)?;
        match self.read(&cells, &None) {
            Value::Array(array) => Ok(array),
            _ => Err(unsupported_layout("this array", span)),
        }
    }

    pub(super) fn check_flat(&mut self, cells: &Cells, lens: &mut Vec<Operand>, flat: &mut bool) {
        match cells {
            Cells::Number(_, place) => *flat &= self.is_flat(place, lens),
            Cells::Tuple(parts) => parts.iter().for_each(|part| self.check_flat(part, lens, flat)),
            Cells::Array(Length::Known(len), inner) => {
                lens.push(*len);
                self.check_flat(inner, lens, flat);
                lens.pop();
            }
            Cells::Array(Length::Stored { .. }, _) => *flat = false,
            Cells::Absent => {}
        }
    }

    /// The shape of an array that is there.
    pub(super) fn shape_of_array(&self, array: &Array) -> Shape {
        Shape::Array(Extent { most: array.len, exact: true }, Box::new(shape_of_cells(&array.cells)))
    }

    /// The shape of a value that is there.
    pub(super) fn shape_of_value(&mut self, value: &Value, span: Span) -> Lowered<Shape> {
        Ok(match value {
            Value::Number(operand) => Shape::Number(self.build.kind(*operand)),
            Value::Tuple(parts) => {
                Shape::Tuple(parts.iter().map(|part| self.shape_of_value(part, span)).collect::<Lowered<_>>()?)
            }
            Value::Array(array) => self.shape_of_array(array),
            Value::Accumulator(_) => {
                return Err(Unsupported { reason: "an accumulator is used as a value".into(), span });
            }
        })
    }
}

/// Makes a buffer for a count of numbers of a kind, and is told whether they are lengths.
pub(super) type Make<'a> = dyn FnMut(&mut super::build::Builder, Kind, Operand, bool) -> Buffer + 'a;

type Multiply<'a> = dyn FnMut(&mut super::build::Builder, Operand, Operand) -> Operand + 'a;

/// The places in cells, each with how many numbers lie there in a row.
fn collect(
    cells: &Cells,
    count: Operand,
    multiply: &mut Multiply,
    build: &mut super::build::Builder,
    found: &mut Vec<(Kind, Place, Operand)>,
) {
    match cells {
        Cells::Number(kind, place) => found.push((*kind, place.clone(), count)),
        Cells::Tuple(parts) => parts.iter().for_each(|part| collect(part, count, multiply, build, found)),
        Cells::Array(length, inner) => {
            let count = multiply(build, length.most(), count);
            collect(inner, count, multiply, build, found);
        }
        Cells::Absent => {}
    }
}

/// The shape of what stands in cells.
pub(super) fn shape_of_cells(cells: &Cells) -> Shape {
    match cells {
        Cells::Number(kind, _) => Shape::Number(*kind),
        Cells::Tuple(parts) => Shape::Tuple(parts.iter().map(shape_of_cells).collect()),
        Cells::Array(length, inner) => {
            let exact = matches!(length, Length::Known(_));
            Shape::Array(Extent { most: length.most(), exact }, Box::new(shape_of_cells(inner)))
        }
        Cells::Absent => Shape::Tuple(Vec::new()),
    }
}
