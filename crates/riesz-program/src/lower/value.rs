//! The positions of values during lowering.
//!
//! ```text
//! a[i]  at offset o with strides s, t, ...   is   at offset o + i·s with strides t, ...
//! ```
//!
//! An element of an array is therefore a view of it, and nothing is copied.

use crate::program::{Buffer, Kind, Operand, Register};

/// Where a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number.
    Number(Operand),
    /// The components of a tuple or record.
    Tuple(Vec<Value>),
    /// An array.
    Array(Array),
    /// An accumulator.
    Accumulator(Accumulator),
}

/// An array: how many elements, and where they are, by one stride.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub len: Operand,
    pub cells: Cells,
}

/// Where the parts of values are that stand in buffers, for each index into the arrays around them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cells {
    Number(Kind, Place),
    Tuple(Vec<Cells>),
    Array(Length, Box<Cells>),
    /// Nowhere yet: a part of a target that is left to the one who writes the others.
    Absent,
}

/// A position in a buffer, and how far apart the elements are of each array around, the outermost first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub buffer: Buffer,
    pub offset: Operand,
    pub strides: Vec<Operand>,
}

/// The length of an array inside of arrays.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Length {
    /// The same everywhere.
    Known(Operand),
    /// Another at each index, at most the capacity.
    Stored { place: Place, capacity: Operand },
}

/// The target of additions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Accumulator {
    /// A number, in a mutable register.
    Number(Register),
    /// A value in buffers, with no array around it.
    Cells(Cells),
    /// The components of a tuple or record.
    Tuple(Vec<Accumulator>),
}

/// The known sizes of a value before it is computed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Number(Kind),
    Tuple(Vec<Shape>),
    Array(Extent, Box<Shape>),
}

/// A length before the array is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// The length, or more.
    pub most: Operand,
    /// Whether it is the length.
    pub exact: bool,
}

/// Where a value is to be written: cells with no array around them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub cells: Cells,
    /// Whether to add to what is there.
    pub add: bool,
}

impl Value {
    pub fn unit() -> Value {
        Value::Tuple(Vec::new())
    }

    pub fn number(&self) -> Option<Operand> {
        match self {
            Value::Number(operand) => Some(*operand),
            _ => None,
        }
    }
}

impl Target {
    /// The target for a component.
    pub fn component(&self, at: usize) -> Option<Target> {
        match &self.cells {
            Cells::Tuple(parts) => Some(Target { cells: parts.get(at)?.clone(), add: self.add }),
            _ => None,
        }
    }
}
