//! The residuals of a recursive function: one value for each call, which contains those of the inner calls, and grows
//! with the depth of the recursion.
//!
//! ```text
//! residual (a, b, ...)   is   a place in the store, where there is a word for each of a, b, ...
//! word of a number       is   the number, or where it is among the real numbers
//! word of the rest       is   where its words are: of an array the length, and where its elements are
//! ```
//!
//! The store consists of three growing buffers: integers, with all the words; real numbers; truth values. A function
//! whose arguments or results contain residuals receives the store of its caller; any other function that handles
//! residuals has its own. Residuals are written once and then only read, directly to the store if possible (`residual_place`);
//! residuals that are local to an iteration are discarded after it.

use super::operation::{unsupported, unsupported_layout};
use super::value::{Array, Cells, Extent, Length, Place, Shape, Target, Value};
use super::{Lowered, Lowerer};
use crate::layout::kind_of;
use crate::program::{Argument, Block, Buffer, Element, Expression, Kind, Operand, Parameter, Statement};
use crate::visit::each_statement;
use riesz_core::Type;
use riesz_core::term::{Atom, Function};
use riesz_syntax::Span;
use rustc_hash::FxHashSet;

/// The buffers of a store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    ints: Buffer,
    reals: Buffer,
    bools: Buffer,
}

/// Where the integers say how much of each buffer is used: the first of them.
const KINDS: [Kind; 3] = [Kind::Int, Kind::Real, Kind::Bool];

/// How much there is room for at first.
const FIRST_ROOM: i64 = 256;

impl Store {
    pub fn buffers(self) -> [Buffer; 3] {
        [self.ints, self.reals, self.bools]
    }

    fn of(self, kind: Kind) -> Buffer {
        match kind {
            Kind::Int => self.ints,
            Kind::Real => self.reals,
            Kind::Bool => self.bools,
        }
    }

    /// The element that holds the used length of a buffer.
    fn used(self, kind: Kind) -> Element {
        let at = KINDS.iter().position(|other| *other == kind).unwrap_or_default();
        Element { buffer: self.ints, at: Operand::Int(at as i64) }
    }
}

/// Whether values of a type contain residuals of a recursion.
pub(super) fn is_in(ty: &Type) -> bool {
    ty.any(&mut |part| *part == Type::Kept)
}

/// Whether residuals of a recursion are passed to a function, or are among its results.
pub(super) fn passes(function: &Function) -> bool {
    is_in(&function.result) || function.vars[..function.parameters].iter().any(|info| is_in(&info.ty))
}

/// Whether a block grows buffers other than its own: it is then not independent of what comes before it.
pub(super) fn grows(block: &Block) -> bool {
    let (mut own, mut grown) = (FxHashSet::default(), FxHashSet::default());
    each_statement(block, &mut |statement| match statement {
        Statement::Allocate(allocation) => {
            own.insert(allocation.buffer);
        }
        Statement::Grow(allocation) => {
            grown.insert(allocation.buffer);
        }
        Statement::Call(call) => grown.extend(call.arguments.iter().filter_map(|argument| match argument {
            Argument::Whole(buffer) => Some(*buffer),
            _ => None,
        })),
        _ => {}
    });
    !grown.is_subset(&own)
}

impl Lowerer<'_, '_> {
    /// Takes the store that the function is passed, or makes it one, where it has to do with one.
    pub(super) fn open_store(&mut self, parameters: &mut Vec<Parameter>) -> Lowered<()> {
        let function = self.function;
        let span = function.span;
        if !function.vars.iter().any(|info| is_in(&info.ty)) {
            return Ok(());
        }
        let accumulated = |ty: &Type| ty.any(&mut |part| matches!(part, Type::Accumulator(inner) if is_in(inner)));
        if function.vars.iter().any(|info| accumulated(&info.ty)) {
            return Err(unsupported("a recursive function is differentiated twice", span));
        }
        let buffer = |lowerer: &mut Self, kind: Kind, name: &str| lowerer.build.buffer(kind, Some(name.into()));
        let store = Store {
            ints: buffer(self, Kind::Int, "residual_words"),
            reals: buffer(self, Kind::Real, "residual_numbers"),
            bools: buffer(self, Kind::Bool, "residual_truths"),
        };
        self.store = Some(store);
        if passes(function) {
            parameters.extend(store.buffers().map(Parameter::Grown));
            return Ok(());
        }
        for buffer in store.buffers() {
            self.build.make(buffer, Operand::Int(FIRST_ROOM), span);
        }
        for kind in KINDS {
            let used = if kind == Kind::Int { KINDS.len() as i64 } else { 0 };
            self.build.push(Statement::Store(store.used(kind), Operand::Int(used)));
        }
        Ok(())
    }

    /// An iteration of a loop, after which the store is as it was before, unless the result of the iteration is stored there.
    pub(super) fn released(&mut self, mut iteration: Block, gives: Atom) -> Block {
        let Some(store) = self.store else { return iteration };
        let stays = matches!(gives, Atom::Var(var) if is_in(self.ty(var)));
        if stays || !grows(&iteration) {
            return iteration;
        }
        let opened = self.build.open();
        let used = KINDS.map(|kind| self.build.load(store.ints, store.used(kind).at, None));
        let mut block = self.build.close(opened);
        block.append(&mut iteration);
        block.extend(KINDS.iter().zip(used).map(|(kind, used)| Statement::Store(store.used(*kind), used)));
        block
    }

    /// Whether an operand is a residual of a recursion.
    pub(super) fn is_residual(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if *self.ty(var) == Type::Kept)
    }

    pub(super) fn opened_store(&self, span: Span) -> Lowered<Store> {
        self.store.ok_or_else(|| unsupported("the residuals of a recursive function cannot be stored here", span))
    }

    /// Keeps the components of a tuple: where they are. Their words stand in a row, and behind them the words of those that
    /// have several.
    pub(super) fn keep(&mut self, atom: Atom, span: Span) -> Lowered<Value> {
        let parts = match self.parts_of_residual(atom, span)? {
            Ok(parts) => parts,
            Err(number) => return Ok(number),
        };
        let mut rows = Vec::with_capacity(parts.len());
        for (value, ty, staying) in parts {
            let mut words = Vec::new();
            match staying.and_then(|var| self.stays.get(&var).cloned()) {
                Some(known) => {
                    self.fill_staying(&value, &known);
                    words = known;
                }
                None => self.words(&value, &ty, &mut words, span)?,
            }
            rows.push((matches!(value, Value::Number(_)), words));
        }
        // Nothing, where another branch has residuals.
        if rows.is_empty() {
            return Ok(Value::Number(Operand::Int(0)));
        }
        self.put_rows(&rows, span).map(Value::Number)
    }

    /// Puts the words of components in a row, and those of a component that has several behind it.
    fn put_rows(&mut self, rows: &[(bool, Vec<Operand>)], span: Span) -> Lowered<Operand> {
        let store = self.opened_store(span)?;
        let apart: usize = rows.iter().filter(|(single, _)| !single).map(|(_, words)| words.len()).sum();
        let first = self.reserve(Kind::Int, Operand::Int((rows.len() + apart) as i64), span)?;
        let mut next = rows.len();
        for (at, (single, words)) in rows.iter().enumerate() {
            let place = |lowerer: &mut Self, at: usize| lowerer.build.add(first, Operand::Int(at as i64));
            let put = |lowerer: &mut Self, at: usize, word: Operand| {
                let at = place(lowerer, at);
                lowerer.build.push(Statement::Store(Element { buffer: store.ints, at }, word));
            };
            if let (true, [word]) = (single, &words[..]) {
                put(self, at, *word);
                continue;
            }
            let row = place(self, next);
            put(self, at, row);
            for word in words {
                put(self, next, *word);
                next += 1;
            }
        }
        Ok(first)
    }

    /// Takes room for numbers of a kind: where it begins.
    fn reserve(&mut self, kind: Kind, count: Operand, span: Span) -> Lowered<Operand> {
        let store = self.opened_store(span)?;
        let used = store.used(kind);
        let first = self.build.load(used.buffer, used.at, None);
        self.build.bounds.is_size(first);
        let next = self.build.add(first, count);
        self.build.grow(store.of(kind), next, span);
        self.build.push(Statement::Store(used, next));
        Ok(first)
    }

    /// The words of a value, whose arrays are copied to the store.
    fn words(&mut self, value: &Value, ty: &Type, words: &mut Vec<Operand>, span: Span) -> Lowered<()> {
        match (value, ty) {
            (Value::Number(operand), _) => {
                let word = match self.build.kind(*operand) {
                    Kind::Int => *operand,
                    Kind::Bool => {
                        let choice = Expression::Select(*operand, Operand::Int(1), Operand::Int(0));
                        self.build.bind(Kind::Int, None, choice)
                    }
                    Kind::Real => {
                        let at = self.reserve(Kind::Real, Operand::Int(1), span)?;
                        let buffer = self.opened_store(span)?.reals;
                        self.build.push(Statement::Store(Element { buffer, at }, *operand));
                        at
                    }
                };
                words.push(word);
                Ok(())
            }
            (Value::Tuple(parts), _) => {
                let types = ty.components().unwrap_or_default();
                parts.iter().zip(&types).try_for_each(|(part, ty)| self.words(part, ty, words, span))
            }
            (Value::Array(array), _) => {
                let Value::Array(array) = self.out_of_store(Value::Array(array.clone()), span)? else {
                    return Err(unsupported_layout("this array", span));
                };
                words.push(array.len);
                let shape = super::write::shape_of_cells(&array.cells);
                let cells = self.room_in_store(&shape, &mut vec![array.len], words, span)?;
                let cells = Cells::Array(Length::Known(array.len), Box::new(cells));
                self.write(&Value::Array(array), &Target { cells, add: false }, span)
            }
            (Value::Accumulator(_), _) => Err(unsupported("an accumulator is a residual", span)),
        }
    }

    /// Room in the store for values of a shape inside of arrays of some lengths, and the words that tell where.
    pub(super) fn room_in_store(
        &mut self,
        shape: &Shape,
        lens: &mut Vec<Operand>,
        words: &mut Vec<Operand>,
        span: Span,
    ) -> Lowered<Cells> {
        Ok(match shape {
            Shape::Number(kind) => {
                let place = self.place_in_store(*kind, lens, span)?;
                words.push(place.offset);
                Cells::Number(*kind, place)
            }
            Shape::Tuple(parts) => {
                let parts: Lowered<_> = parts.iter().map(|part| self.room_in_store(part, lens, words, span)).collect();
                Cells::Tuple(parts?)
            }
            Shape::Array(Extent { most, .. }, element) => {
                // Rows may differ in length; that they do not is not known to the one who reads them.
                let lengths = self.place_in_store(Kind::Int, lens, span)?;
                words.extend([*most, lengths.offset]);
                lens.push(*most);
                let inner = self.room_in_store(element, lens, words, span)?;
                lens.pop();
                Cells::Array(Length::Stored { place: lengths, capacity: *most }, Box::new(inner))
            }
        })
    }

    fn place_in_store(&mut self, kind: Kind, lens: &[Operand], span: Span) -> Lowered<Place> {
        let count = lens.iter().rev().fold(Operand::Int(1), |count, len| self.build.mul(*len, count));
        let offset = self.reserve(kind, count, span)?;
        Ok(Place { buffer: self.opened_store(span)?.of(kind), offset, strides: self.strides(lens) })
    }

    /// A component of a residual.
    pub(super) fn recall(&mut self, residuals: Operand, at: usize, ty: &Type, span: Span) -> Lowered<Value> {
        let mut place = self.build.add(residuals, Operand::Int(at as i64));
        if kind_of(ty).is_none() {
            place = self.build.load(self.opened_store(span)?.ints, place, None);
        }
        self.recall_value(&mut place, ty, span)
    }

    /// The word at a place, which moves on to the next.
    fn word(&mut self, place: &mut Operand, span: Span) -> Lowered<Operand> {
        let word = self.build.load(self.opened_store(span)?.ints, *place, None);
        *place = self.build.add(*place, Operand::Int(1));
        Ok(word)
    }

    fn recall_value(&mut self, place: &mut Operand, ty: &Type, span: Span) -> Lowered<Value> {
        match ty {
            Type::Tuple(_) | Type::Record(_) => {
                let types = ty.components().unwrap_or_default();
                let parts: Lowered<_> = types.iter().map(|ty| self.recall_value(place, ty, span)).collect();
                Ok(Value::Tuple(parts?))
            }
            Type::Array(_, element) => {
                let len = self.word(place, span)?;
                self.build.bounds.is_size(len);
                let cells = self.recall_cells(place, element, &mut vec![len], span)?;
                Ok(Value::Array(Array { len, cells }))
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| super::not_data(ty, span))?;
                let word = self.word(place, span)?;
                Ok(Value::Number(match kind {
                    Kind::Int => word,
                    Kind::Bool => self.build.bind(Kind::Bool, None, Expression::Equal(word, Operand::Int(1))),
                    Kind::Real => self.build.load(self.opened_store(span)?.reals, word, None),
                }))
            }
        }
    }

    fn recall_cells(&mut self, place: &mut Operand, ty: &Type, lens: &mut Vec<Operand>, span: Span) -> Lowered<Cells> {
        let store = self.opened_store(span)?;
        Ok(match ty {
            Type::Tuple(_) | Type::Record(_) => {
                let types = ty.components().unwrap_or_default();
                let parts: Lowered<_> = types.iter().map(|ty| self.recall_cells(place, ty, lens, span)).collect();
                Cells::Tuple(parts?)
            }
            Type::Array(size, element) => {
                let capacity = self.word(place, span)?;
                self.build.bounds.is_size(capacity);
                let offset = self.word(place, span)?;
                let length = match self.size(size, span) {
                    Ok(len) if !self.build.is_mutable(len) => Length::Known(len),
                    _ => {
                        let place = Place { buffer: store.ints, offset, strides: self.strides(lens) };
                        Length::Stored { place, capacity }
                    }
                };
                lens.push(capacity);
                let inner = self.recall_cells(place, element, lens, span)?;
                lens.pop();
                Cells::Array(length, Box::new(inner))
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| super::not_data(ty, span))?;
                let offset = self.word(place, span)?;
                Cells::Number(kind, Place { buffer: store.of(kind), offset, strides: self.strides(lens) })
            }
        })
    }

    /// The value with its arrays in buffers of their own, where they are in the store.
    pub(super) fn out_of_store(&mut self, value: Value, span: Span) -> Lowered<Value> {
        let Some(store) = self.store else { return Ok(value) };
        match value {
            Value::Tuple(parts) => {
                let parts: Lowered<_> = parts.into_iter().map(|part| self.out_of_store(part, span)).collect();
                Ok(Value::Tuple(parts?))
            }
            Value::Array(array) => {
                let mut inside = false;
                array.cells.leaves(&mut |place| inside |= store.buffers().contains(&place.buffer), &mut |_| {});
                if !inside {
                    return Ok(Value::Array(array));
                }
                let shape = self.shape_of_array(&array);
                let cells = self.room_for(&shape, &None, span);
                self.write(&Value::Array(array), &Target { cells: cells.clone(), add: false }, span)?;
                Ok(self.read(&cells, &None))
            }
            other => Ok(other),
        }
    }
}
