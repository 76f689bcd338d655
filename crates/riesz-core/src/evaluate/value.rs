//! Values of programs, over any scalar algebra `S`.
//!
//! Arrays of numbers are stored flat; any other array is an array of values. The memory of arrays and closures is
//! counted, for the limit on it.

use crate::term::FunctionId;
use crate::types::Type;
use riesz_linear::LinearMap;
use riesz_primitive::Number;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug)]
pub enum Value<S: 'static> {
    /// An `R`.
    Real(S),
    /// An `Int`.
    Int(i64),
    /// A `Bool`.
    Bool(bool),
    /// A tuple, or a record with its fields sorted by name.
    Tuple(Rc<[Value<S>]>),
    /// An array of `R`.
    Reals(Rc<Buffer<S>>),
    /// An array of `Int`.
    Ints(Rc<Buffer<i64>>),
    /// Any other array.
    Values(Rc<Buffer<Value<S>>>),
    /// A function.
    Closure(Rc<Closure<S>>),
    /// A linear map.
    Map(Rc<Map<S>>),
    /// A zero whose shape is not known: of what a recursive function keeps, of an array whose size only its value tells.
    Zero,
    /// A sum in the making.
    Accumulator(Rc<RefCell<Value<S>>>),
}

/// A linear map. It is counted where it is shared, and so made by [`Map::share`] alone.
#[derive(Debug)]
pub enum Map<S: 'static> {
    /// Two functions over the same captured values: the map and its adjoint.
    Functions {
        /// The map.
        forward: FunctionId,
        /// Its adjoint.
        reverse: FunctionId,
        /// Their first arguments.
        captured: Vec<Value<S>>,
    },
    /// A matrix by its entries.
    Table(Table<S>),
    /// A term of the language of linear maps.
    Term(Term<S>),
    /// The adjoint of a map.
    Adjoint(Rc<Map<S>>),
    /// The composition of two maps, the second applied first.
    Compose(Rc<Map<S>>, Rc<Map<S>>),
    /// The sum of two maps.
    Add(Rc<Map<S>>, Rc<Map<S>>),
    /// The multiple of a map.
    Scale(S, Rc<Map<S>>),
}

/// The entries of a matrix that are not structurally zero, over the numbers of vectors.
#[derive(Debug)]
pub struct Table<S: 'static> {
    /// The zero of the domain, in which maps are tables of all their entries.
    pub domain: Value<S>,
    /// The zero of the codomain, likewise.
    pub codomain: Value<S>,
    /// For each number of the codomain, the entries of its row, by column.
    pub rows: Vec<Vec<(usize, S)>>,
}

/// A term of the language of linear maps, with plain numbers in it: over another algebra it is a table of its entries.
#[derive(Debug)]
pub struct Term<S: 'static> {
    /// The zero of the domain, in which there are no maps.
    pub domain: Value<S>,
    /// The zero of the codomain, likewise.
    pub codomain: Value<S>,
    /// The term as it was made, whose structure tells which entries are zero.
    pub made: LinearMap,
    /// The same map as it is applied and shown.
    pub form: LinearMap,
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub struct Buffer<T> {
    elements: Vec<T>,
    /// How many numbers there are in it, those of an element that stands at many places counted at each.
    numbers: usize,
    _held: CountedBytes,
}

/// Bytes that are counted as long as this lives.
#[derive(Debug, Default)]
pub struct CountedBytes(usize);

impl CountedBytes {
    /// Counts bytes.
    pub fn new(bytes: usize) -> CountedBytes {
        MEMORY.set(MEMORY.get() + bytes);
        CountedBytes(bytes)
    }

    /// Counts more.
    pub fn grow(&mut self, bytes: usize) {
        MEMORY.set(MEMORY.get() + bytes);
        self.0 += bytes;
    }
}

impl Clone for CountedBytes {
    fn clone(&self) -> CountedBytes {
        CountedBytes::new(self.0)
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        MEMORY.set(MEMORY.get().saturating_sub(self.0));
    }
}

/// A function and what it captured.
#[derive(Debug)]
pub struct Closure<S: 'static> {
    /// The function.
    pub function: FunctionId,
    captured: Vec<Value<S>>,
    _held: CountedBytes,
}

thread_local! {
    /// The bytes that live arrays and closures of this thread take.
    static MEMORY: Cell<usize> = const { Cell::new(0) };
    /// The contents of dropped closures and maps, while one is being dropped: chains of them can be millions long, and
    /// must not be dropped by recursion.
    static DROPPED: RefCell<Option<Vec<Box<dyn Any>>>> = const { RefCell::new(None) };
}

/// The bytes that the arrays and closures of this thread take.
pub fn memory() -> usize {
    MEMORY.get()
}

impl<T> Buffer<T> {
    /// Takes the elements of an array: the number of numbers in them, and the bytes that are not counted otherwise.
    fn new(elements: Vec<T>, numbers: usize, bytes: usize) -> Buffer<T> {
        let held = CountedBytes::new(elements.capacity() * size_of::<T>() + size_of::<Buffer<T>>() + bytes);
        Buffer { elements, numbers, _held: held }
    }

    /// The elements, to be changed in place.
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<S: 'static> Closure<S> {
    /// A function that holds on to values.
    pub fn new(function: FunctionId, captured: Vec<Value<S>>) -> Closure<S> {
        let held = CountedBytes::new(size_of::<Closure<S>>() + bytes_of(&captured));
        Closure { function, captured, _held: held }
    }

    /// Its captured values.
    pub fn captured(&self) -> &[Value<S>] {
        &self.captured
    }
}

impl<S: 'static> Drop for Closure<S> {
    fn drop(&mut self) {
        drop_later(Box::new(std::mem::take(&mut self.captured)));
    }
}

impl<S: 'static> Map<S> {
    /// The map, to be held by values and other maps.
    pub fn share(self) -> Rc<Map<S>> {
        MEMORY.set(MEMORY.get() + self.bytes());
        Rc::new(self)
    }

    /// Whether this is a zero by its structure.
    pub(super) fn has_no_entries(&self) -> bool {
        matches!(self, Map::Table(table) if table.rows.iter().all(Vec::is_empty))
    }

    fn bytes(&self) -> usize {
        let captured = match self {
            Map::Functions { captured, .. } => size_of_val(&captured[..]),
            _ => 0,
        };
        size_of::<Map<S>>() + captured
    }
}

impl<S: 'static> Drop for Map<S> {
    fn drop(&mut self) {
        MEMORY.set(MEMORY.get().saturating_sub(self.bytes()));
        let later = |map: &mut Rc<Map<S>>| {
            if Rc::strong_count(map) == 1 {
                let nothing = Map::Functions { forward: FunctionId(0), reverse: FunctionId(0), captured: Vec::new() };
                drop_later(Box::new(std::mem::replace(map, nothing.share())));
            }
        };
        match self {
            Map::Table(_) | Map::Term(_) => {}
            Map::Functions { captured, .. } if captured.is_empty() => {}
            Map::Functions { captured, .. } => drop_later(Box::new(std::mem::take(captured))),
            Map::Adjoint(map) | Map::Scale(_, map) => later(map),
            Map::Compose(a, b) | Map::Add(a, b) => {
                later(a);
                later(b);
            }
        }
    }
}

/// Drops what a value holds, but not inside of another such drop: chains of closures would need a stack as long.
fn drop_later(held: Box<dyn Any>) {
    let outermost = DROPPED.with_borrow_mut(|dropped| match dropped {
        Some(dropped) => {
            dropped.push(held);
            None
        }
        None => {
            *dropped = Some(Vec::new());
            Some(held)
        }
    });
    let Some(mut next) = outermost else { return };
    loop {
        drop(next);
        match DROPPED.with_borrow_mut(|dropped| dropped.as_mut().and_then(Vec::pop)) {
            Some(more) => next = more,
            None => break,
        }
    }
    DROPPED.with_borrow_mut(|dropped| *dropped = None);
}

/// The bytes of values, and of the tuples in them: arrays and functions count themselves.
fn bytes_of<S: 'static>(values: &[Value<S>]) -> usize {
    size_of_val(values) + values.iter().map(Value::loose_bytes).sum::<usize>()
}

impl<S: 'static> Value<S> {
    /// How many numbers and the like there are in it, those that stand at many places counted at each. A value that is
    /// small because it shares its parts can be too large to be looked at as a whole.
    pub fn numbers(&self) -> usize {
        match self {
            Value::Reals(elements) => elements.numbers,
            Value::Ints(elements) => elements.numbers,
            Value::Values(elements) => elements.numbers,
            Value::Tuple(parts) => parts.iter().fold(0, |total: usize, part| total.saturating_add(part.numbers())),
            _ => 1,
        }
    }

    /// The bytes of the tuples in it: arrays and functions count themselves.
    pub(super) fn loose_bytes(&self) -> usize {
        match self {
            Value::Tuple(parts) => 2 * size_of::<usize>() + bytes_of(parts),
            _ => 0,
        }
    }
}

impl<S: Number> Value<S> {
    /// `()`
    pub fn unit() -> Value<S> {
        Value::Tuple(Rc::new([]))
    }

    /// An array of values of a type.
    pub fn array(element: &Type, elements: Vec<Value<S>>) -> Value<S> {
        match element {
            Type::Real => Value::reals(elements.iter().map(Value::real).collect()),
            Type::Int => Value::ints(elements.iter().map(Value::int).collect()),
            _ => Value::values(elements),
        }
    }

    /// An array of reals.
    pub fn reals(elements: Vec<S>) -> Value<S> {
        let count = elements.len();
        Value::Reals(Rc::new(Buffer::new(elements, count, 0)))
    }

    /// An array of integers.
    pub fn ints(elements: Vec<i64>) -> Value<S> {
        let count = elements.len();
        Value::Ints(Rc::new(Buffer::new(elements, count, 0)))
    }

    /// An array of anything else.
    pub fn values(elements: Vec<Value<S>>) -> Value<S> {
        let (mut numbers, mut bytes) = (0usize, 0);
        for (at, element) in elements.iter().enumerate() {
            numbers = numbers.saturating_add(element.numbers().max(1));
            match (element, at.checked_sub(1).map(|before| &elements[before])) {
                (Value::Tuple(parts), Some(Value::Tuple(before))) if Rc::ptr_eq(parts, before) => {}
                _ => bytes += element.loose_bytes(),
            }
        }
        Value::Values(Rc::new(Buffer::new(elements, numbers, bytes)))
    }

    /// The real number that this is; a checked program asks only where it is one.
    pub fn real(&self) -> S {
        match self {
            Value::Real(value) => value.clone(),
            Value::Int(value) => S::constant(*value as f64),
            Value::Zero => S::zero(),
            _ => S::constant(f64::NAN),
        }
    }

    /// The integer that this is; likewise.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(value) => *value,
            _ => 0,
        }
    }

    /// The truth value that this is; likewise.
    pub fn bool(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// The components of a tuple or record; likewise.
    pub fn parts(&self) -> &[Value<S>] {
        match self {
            Value::Tuple(parts) => parts,
            _ => &[],
        }
    }

    /// The number of elements of an array; likewise.
    pub fn len(&self) -> usize {
        match self {
            Value::Reals(elements) => elements.len(),
            Value::Ints(elements) => elements.len(),
            Value::Values(elements) => elements.len(),
            _ => 0,
        }
    }

    /// Whether an array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An element of an array, if there is one.
    pub fn get(&self, at: usize) -> Option<Value<S>> {
        match self {
            Value::Reals(elements) => elements.get(at).cloned().map(Value::Real),
            Value::Ints(elements) => elements.get(at).copied().map(Value::Int),
            Value::Values(elements) => elements.get(at).cloned(),
            _ => None,
        }
    }

    /// The elements of an array, in order.
    pub fn elements(&self) -> impl Iterator<Item = Value<S>> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Whether two values of one type are the same in every component.
    pub fn same(&self, other: &Value<S>) -> bool {
        match (self, other) {
            (Value::Real(a), Value::Real(b)) => {
                let (a, b) = a.compared(b);
                a == b
            }
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b)),
            (Value::Reals(a), Value::Reals(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.decided() == b.decided())
            }
            (Value::Ints(a), Value::Ints(b)) => a[..] == b[..],
            (Value::Values(a), Value::Values(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }

    /// The largest of |a − b| / max(1, |a|, |b|) over the components, and infinity where they cannot be compared.
    pub fn distance(&self, other: &Value<S>) -> f64 {
        let all = |a: &[Value<S>], b: &[Value<S>]| match a.len() == b.len() {
            true => a.iter().zip(b).map(|(a, b)| a.distance(b)).fold(0.0, f64::max),
            false => f64::INFINITY,
        };
        match (self, other) {
            (Value::Real(a), Value::Real(b)) => distance(a.decided(), b.decided()),
            (Value::Int(a), Value::Int(b)) if a == b => 0.0,
            (Value::Int(a), Value::Int(b)) => {
                a.abs_diff(*b) as f64 / 1f64.max(a.unsigned_abs().max(b.unsigned_abs()) as f64)
            }
            (Value::Bool(a), Value::Bool(b)) if a == b => 0.0,
            (Value::Tuple(a), Value::Tuple(b)) => all(a, b),
            (Value::Reals(a), Value::Reals(b)) if a.len() == b.len() => {
                a.iter().zip(b.iter()).map(|(a, b)| distance(a.decided(), b.decided())).fold(0.0, f64::max)
            }
            (Value::Ints(a), Value::Ints(b)) if a.len() == b.len() => {
                a.iter().zip(b.iter()).map(|(&a, &b)| Value::<S>::Int(a).distance(&Value::Int(b))).fold(0.0, f64::max)
            }
            (Value::Values(a), Value::Values(b)) => all(a, b),
            (Value::Zero, Value::Zero) => 0.0,
            (Value::Reals(a), Value::Values(b)) | (Value::Values(b), Value::Reals(a))
                if a.is_empty() && b.is_empty() =>
            {
                0.0
            }
            _ => f64::INFINITY,
        }
    }
}

/// |a − b| / max(1, |a|, |b|); NaN agrees with NaN and an infinity with itself.
fn distance(a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0.0;
    }
    let distance = (a - b).abs() / 1f64.max(a.abs()).max(b.abs());
    if distance.is_nan() { f64::INFINITY } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back() {
        let before = memory();
        let array = Value::<f64>::reals(vec![0.0; 1000]);
        assert!(memory() >= before + 8000);
        drop(array);
        assert_eq!(memory(), before);
    }

    #[test]
    fn long_chains_of_closures_are_dropped_without_recursion() {
        let mut chain: Value<f64> = Value::unit();
        for _ in 0..1_000_000 {
            chain = Value::Closure(Rc::new(Closure::new(FunctionId(0), vec![chain])));
        }
        drop(chain);
        assert_eq!(memory(), 0);
    }

    #[test]
    fn nan_agrees_with_nan_and_infinities_with_themselves() {
        let near = |a: f64, b: f64| Value::Real(a).distance(&Value::Real(b));
        assert_eq!(near(f64::NAN, f64::NAN), 0.0);
        assert_eq!(near(f64::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(near(f64::INFINITY, f64::NEG_INFINITY), f64::INFINITY);
        assert_eq!(near(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(near(f64::NAN, 1.0), f64::INFINITY);
        assert_eq!(near(200.0, 100.0), 0.5);
    }
}
