//! Conversion of values to words and back; `riesz_program::layout` defines the order of the words.

use riesz_core::evaluate::Value;
use riesz_core::types::Type;
use riesz_program::Precision;
use riesz_program::layout::{Passing, Slot, kind_of};
use riesz_program::program::Kind;

/// Arguments as words, and what the addresses among them point to.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub words: Vec<u64>,
    precision: Precision,
    held: Vec<HeldElements>,
    /// Values whose elements are not copied; none where threads are to share the words.
    shared: Option<Vec<Value<f64>>>,
}

/// Words that threads share, and what the addresses among them point to.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub words: Vec<u64>,
    _held: Vec<HeldElements>,
}

/// Elements that words point to.
#[derive(Debug)]
enum HeldElements {
    Reals(#[expect(dead_code, reason = "kept alive")] Vec<f64>),
    Singles(#[expect(dead_code, reason = "kept alive")] Vec<f32>),
    Ints(#[expect(dead_code, reason = "kept alive")] Vec<i64>),
    Bools(#[expect(dead_code, reason = "kept alive")] Vec<bool>),
}

impl Arguments {
    /// None yet.
    pub fn new(precision: Precision) -> Arguments {
        Arguments { words: Vec::new(), precision, held: Vec::new(), shared: Some(Vec::new()) }
    }

    /// Values of types as words that threads share.
    pub fn copied<'v>(values: impl Iterator<Item = (&'v Value<f64>, &'v Type)>, precision: Precision) -> Words {
        let mut arguments = Arguments { shared: None, ..Arguments::new(precision) };
        for (value, ty) in values {
            arguments.push(value, ty);
        }
        Words { words: arguments.words, _held: arguments.held }
    }

    /// Adds a value of a type.
    pub fn push(&mut self, value: &Value<f64>, ty: &Type) {
        match ty {
            Type::Real => self.words.push(match self.precision {
                Precision::Double => value.real().to_bits(),
                Precision::Single => u64::from((value.real() as f32).to_bits()),
            }),
            Type::Int => self.words.push(value.int() as u64),
            Type::Bool => self.words.push(u64::from(value.bool())),
            Type::Array(..) => self.push_arrays(std::slice::from_ref(value), ty),
            _ => {
                for (part, ty) in value.parts().iter().zip(ty.components().unwrap_or_default()) {
                    self.push(part, &ty);
                }
            }
        }
    }

    /// Adds values that stand beside each other in an array.
    fn push_arrays(&mut self, values: &[Value<f64>], ty: &Type) {
        match ty {
            Type::Array(size, element) => {
                if Passing::Argument.with_length(size) {
                    self.words.push(values.first().map_or(0, Value::len) as u64);
                }
                match (&**element, values, &mut self.shared) {
                    (Type::Real, [whole @ Value::Reals(elements)], Some(shared))
                        if self.precision == Precision::Double =>
                    {
                        self.words.extend([elements.as_ptr() as u64, elements.len() as u64]);
                        shared.push(whole.clone());
                    }
                    (Type::Real, values, _) => {
                        let mut all: Vec<f64> = Vec::with_capacity(values.iter().map(Value::len).sum());
                        for value in values {
                            match value {
                                Value::Reals(elements) => all.extend_from_slice(elements),
                                other => all.extend(other.elements().map(|element| element.real())),
                            }
                        }
                        self.hold_reals(all);
                    }
                    (element, values, _) => {
                        let inner: Vec<Value<f64>> = values.iter().flat_map(|value| value.elements()).collect();
                        self.push_arrays(&inner, element);
                    }
                }
            }
            Type::Real => self.hold_reals(values.iter().map(Value::real).collect()),
            Type::Int => {
                let all: Vec<i64> = values.iter().map(Value::int).collect();
                self.words.extend([all.as_ptr() as u64, all.len() as u64]);
                self.held.push(HeldElements::Ints(all));
            }
            Type::Bool => {
                let all: Vec<bool> = values.iter().map(Value::bool).collect();
                self.words.extend([all.as_ptr() as u64, all.len() as u64]);
                self.held.push(HeldElements::Bools(all));
            }
            _ => {
                for (at, part) in ty.components().unwrap_or_default().iter().enumerate() {
                    let parts: Vec<Value<f64>> =
                        values.iter().map(|value| value.parts().get(at).cloned().unwrap_or_else(Value::unit)).collect();
                    self.push_arrays(&parts, part);
                }
            }
        }
    }

    fn hold_reals(&mut self, all: Vec<f64>) {
        if self.precision == Precision::Single {
            let all: Vec<f32> = all.into_iter().map(|number| number as f32).collect();
            self.words.extend([all.as_ptr() as u64, all.len() as u64]);
            return self.held.push(HeldElements::Singles(all));
        }
        self.words.extend([all.as_ptr() as u64, all.len() as u64]);
        self.held.push(HeldElements::Reals(all));
    }
}

/// The part of a result that some words represent.
#[derive(Debug)]
enum Part {
    Number(u64),
    Tuple(Vec<Part>),
    Array(usize, Box<Cells>),
}

/// The cells inside arrays.
#[derive(Debug)]
enum Cells {
    Elements(Kind, u64),
    Tuple(Vec<Cells>),
    Array(usize, Box<Cells>),
}

/// The value of a type that words stand for.
///
/// # Safety
/// The words are what a procedure with a result of the type gave, and its buffers are still there.
pub(crate) unsafe fn result(words: &[u64], ty: &Type, precision: Precision) -> Value<f64> {
    let mut words = words.iter().copied();
    let part = part(&mut words, ty);
    unsafe { value(&part, ty, precision) }
}

/// How many words a result has, and which of them are buffers of elements of which size.
pub(crate) fn result_words(slots: &[Slot], precision: Precision) -> (usize, Vec<(usize, usize)>) {
    let (mut count, mut buffers) = (0, Vec::new());
    for slot in slots {
        match slot {
            Slot::Number(_) | Slot::Length => count += 1,
            Slot::Elements(kind) => {
                let size = match (kind, precision) {
                    (Kind::Bool, _) => 1,
                    (Kind::Real, Precision::Single) => 4,
                    (Kind::Real, Precision::Double) | (Kind::Int, _) => 8,
                };
                buffers.push((count, size));
                count += 2;
            }
        }
    }
    (count, buffers)
}

/// Whether there is a NaN in a result.
///
/// # Safety
/// The words are those of a result in these slots.
pub(crate) unsafe fn has_nan(words: &[u64], slots: &[Slot], precision: Precision) -> bool {
    fn any<R: Copy>(numbers: &[R], is_nan: impl Fn(R) -> bool) -> bool {
        numbers.iter().fold(false, |found, number| found | is_nan(*number))
    }
    let mut at = 0;
    slots.iter().any(|slot| {
        at += 1;
        match slot {
            Slot::Number(Kind::Real) => is_nan(words[at - 1], precision),
            Slot::Number(_) | Slot::Length => false,
            Slot::Elements(kind) => {
                at += 1;
                let (first, len) = (words[at - 2], words[at - 1] as usize);
                match (kind, precision) {
                    (Kind::Real, Precision::Double) => any(unsafe { slice(first, 0, len) }, f64::is_nan),
                    (Kind::Real, Precision::Single) => any(unsafe { slice(first, 0, len) }, f32::is_nan),
                    _ => false,
                }
            }
        }
    })
}

/// Whether a word is a NaN.
pub(crate) fn is_nan(word: u64, precision: Precision) -> bool {
    match precision {
        Precision::Double => f64::from_bits(word).is_nan(),
        Precision::Single => f32::from_bits(word as u32).is_nan(),
    }
}

fn part(words: &mut impl Iterator<Item = u64>, ty: &Type) -> Part {
    match ty {
        Type::Array(_, element) => {
            let len = words.next().unwrap_or(0) as usize;
            Part::Array(len, Box::new(cells(words, element)))
        }
        Type::Tuple(_) | Type::Record(_) => {
            Part::Tuple(ty.components().unwrap_or_default().iter().map(|ty| part(words, ty)).collect())
        }
        _ => Part::Number(words.next().unwrap_or(0)),
    }
}

fn cells(words: &mut impl Iterator<Item = u64>, ty: &Type) -> Cells {
    match ty {
        Type::Array(_, element) => {
            let len = words.next().unwrap_or(0) as usize;
            Cells::Array(len, Box::new(cells(words, element)))
        }
        Type::Tuple(_) | Type::Record(_) => {
            Cells::Tuple(ty.components().unwrap_or_default().iter().map(|ty| cells(words, ty)).collect())
        }
        _ => {
            let at = words.next().unwrap_or(0);
            words.next();
            Cells::Elements(kind_of(ty).unwrap_or(Kind::Real), at)
        }
    }
}

unsafe fn value(part: &Part, ty: &Type, precision: Precision) -> Value<f64> {
    match (part, ty) {
        (Part::Number(word), Type::Real) => Value::Real(number(*word, precision)),
        (Part::Number(word), Type::Bool) => Value::Bool(*word != 0),
        (Part::Number(word), _) => Value::Int(*word as i64),
        (Part::Tuple(parts), _) => {
            let types = ty.components().unwrap_or_default();
            Value::Tuple(parts.iter().zip(&types).map(|(part, ty)| unsafe { value(part, ty, precision) }).collect())
        }
        (Part::Array(len, cells), Type::Array(_, element)) => unsafe { array(cells, element, 0, *len, precision) },
        (Part::Array(..), _) => Value::unit(),
    }
}

/// An array of a number of elements, the first of which is at a position among all.
unsafe fn array(cells: &Cells, element: &Type, first: usize, len: usize, precision: Precision) -> Value<f64> {
    match cells {
        Cells::Elements(Kind::Real, at) => Value::reals(unsafe { reals(*at, first, len, precision) }),
        Cells::Elements(Kind::Int, at) => Value::ints(unsafe { slice::<i64>(*at, first, len) }.to_vec()),
        _ => {
            let elements = first..first + len;
            Value::values(elements.map(|at| unsafe { self::element(cells, element, at, precision) }).collect())
        }
    }
}

unsafe fn element(cells: &Cells, ty: &Type, at: usize, precision: Precision) -> Value<f64> {
    match (cells, ty) {
        (Cells::Elements(Kind::Real, words), _) => Value::Real(unsafe { reals(*words, at, 1, precision) }[0]),
        (Cells::Elements(Kind::Int, words), _) => Value::Int(unsafe { slice::<i64>(*words, at, 1) }[0]),
        (Cells::Elements(Kind::Bool, words), _) => Value::Bool(unsafe { slice::<bool>(*words, at, 1) }[0]),
        (Cells::Tuple(parts), _) => {
            let types = ty.components().unwrap_or_default();
            let parts = parts.iter().zip(&types);
            Value::Tuple(parts.map(|(part, ty)| unsafe { element(part, ty, at, precision) }).collect())
        }
        (Cells::Array(len, inner), Type::Array(_, element)) => unsafe {
            array(inner, element, at * len, *len, precision)
        },
        (Cells::Array(..), _) => Value::unit(),
    }
}

/// The number that a word stands for.
pub(crate) fn number(word: u64, precision: Precision) -> f64 {
    match precision {
        Precision::Double => f64::from_bits(word),
        Precision::Single => decimal(f32::from_bits(word as u32)),
    }
}

/// A number of single precision as the number that is written with the same digits: `0.1` and not `0.10000000149`.
fn decimal(number: f32) -> f64 {
    format!("{number:?}").parse().unwrap_or(f64::from(number))
}

unsafe fn reals(at: u64, first: usize, len: usize, precision: Precision) -> Vec<f64> {
    match precision {
        Precision::Double => unsafe { slice::<f64>(at, first, len) }.to_vec(),
        Precision::Single => unsafe { slice::<f32>(at, first, len) }.iter().map(|number| decimal(*number)).collect(),
    }
}

/// Elements at an address, from a position among them.
///
/// # Safety
/// There are that many of the type, as long as they are used.
pub(crate) unsafe fn slice<'a, T>(at: u64, first: usize, len: usize) -> &'a [T] {
    match len {
        0 => &[],
        _ => unsafe { std::slice::from_raw_parts((at as *const T).add(first), len) },
    }
}
