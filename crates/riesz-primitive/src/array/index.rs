//! Functions that move the elements of one array, as functions between indices.
//!
//! ```text
//!   gather:   (f v)ᵢ = v_{index(i)}                 reverse: index(i) = n − 1 − i      slice: index(i) = from + i
//!   scatter:  (f v)ⱼ = Σ { vᵢ | index(i) = j }      the adjoint of a gather           [003 §2.2.3, Thm 6.5]
//! ```
//!
//! A row states the index function once. The interpreter evaluates it on integers; transposition, sizes, Jacobians and
//! loops evaluate it on expressions of their own. Each of them implements [`Indexing`].

use super::kind::Adjoint;
use crate::primitive::Primitive;
use crate::scalar;

/// A function that moves the elements of one of its arguments. This one leaves them where they are:
///
/// ```
/// use riesz_primitive::array::{Backward, Bounds, Direction, Index, Reindex};
///
/// static SAME: Reindex = Reindex {
///     array: 0,
///     direction: Direction::Gather,
///     count: Index::Length(0),
///     index: Index::Position,
///     bounds: Bounds::Always,
///     adjoint: Backward::Inverse(Index::Position),
/// };
/// ```
///
/// Without its adjoint, or anything else, it does not compile:
///
/// ```compile_fail,E0063
/// use riesz_primitive::array::{Backward, Bounds, Direction, Index, Reindex};
///
/// static SAME: Reindex = Reindex {
///     array: 0,
///     direction: Direction::Gather,
///     count: Index::Length(0),
///     index: Index::Position,
///     bounds: Bounds::Always,
/// };
/// ```
#[derive(Debug)]
pub struct Reindex {
    /// The argument whose elements are moved; the others are integers, and arrays of them.
    pub array: usize,
    /// Which side the index function starts from.
    pub direction: Direction,
    /// The number of elements of the result, in which [`Index::Position`] does not occur.
    pub count: Index,
    /// The index function.
    pub index: Index,
    /// Why the indices are in range.
    pub bounds: Bounds,
    /// How it runs backwards.
    pub adjoint: Backward,
}

/// The adjoint of a [`Reindex`]: the converse relation, in the form that costs least.   [003 Thm 6.5]
#[derive(Debug)]
pub enum Backward {
    /// Each element of the cotangent goes back to the place its element came from, and is added there.
    Parts,
    /// The index function takes each value once, and this is its inverse.
    Inverse(Index),
    /// A function of arrays.
    Term(Adjoint),
}

/// Which side of a [`Reindex`] the index function starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Element `i` of the result is element `index(i)` of the argument.
    Gather,
    /// Element `i` of the argument is added to element `index(i)` of the result.
    Scatter,
}

/// Why the indices of a [`Reindex`] are in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// They are for all arguments.
    Always,
    /// Each index is checked.
    Each,
    /// Two integer arguments are checked: `0 ≤ from ≤ to ≤ n`.
    Range(usize, usize),
}

/// An integer made of a position and the arguments of a function.
#[derive(Debug)]
pub enum Index {
    /// The position `i` that the index function is applied to.
    Position,
    /// An integer.
    Constant(i64),
    /// The number of elements of an argument.
    Length(usize),
    /// An argument that is an integer.
    Integer(usize),
    /// An element of an argument that is an array of integers.
    Element(usize, &'static Index),
    /// A function of integers.
    Apply(&'static Primitive, &'static Index, &'static Index),
}

/// A domain in which index functions are evaluated: integers, or expressions of a program.
pub trait Indexing {
    /// An integer, or what stands for one.
    type Value: Clone;
    /// Why there is none.
    type Error;

    /// An integer.
    fn constant(&mut self, value: i64) -> Self::Value;

    /// The number of elements of an argument.
    ///
    /// # Errors
    /// The length is not known.
    fn length(&mut self, argument: usize) -> Result<Self::Value, Self::Error>;

    /// An argument that is an integer.
    ///
    /// # Errors
    /// The integer is not known.
    fn integer(&mut self, argument: usize) -> Result<Self::Value, Self::Error>;

    /// An element of an argument that is an array of integers.
    ///
    /// # Errors
    /// The element is not known.
    fn element(&mut self, argument: usize, at: Self::Value) -> Result<Self::Value, Self::Error>;

    /// A function of integers.
    ///
    /// # Errors
    /// The function is not defined there.
    fn apply(
        &mut self,
        primitive: &'static Primitive,
        a: Self::Value,
        b: Self::Value,
    ) -> Result<Self::Value, Self::Error>;
}

impl Index {
    /// The integer, where the position is `at`.
    ///
    /// # Errors
    /// Where something it is made of is not known.
    pub fn evaluate<I: Indexing>(&self, at: I::Value, indexing: &mut I) -> Result<I::Value, I::Error> {
        match self {
            Index::Position => Ok(at),
            Index::Constant(value) => Ok(indexing.constant(*value)),
            Index::Length(argument) => indexing.length(*argument),
            Index::Integer(argument) => indexing.integer(*argument),
            Index::Element(argument, index) => {
                let index = index.evaluate(at, indexing)?;
                indexing.element(*argument, index)
            }
            Index::Apply(primitive, a, b) => {
                let (a, b) = (a.evaluate(at.clone(), indexing)?, b.evaluate(at, indexing)?);
                indexing.apply(primitive, a, b)
            }
        }
    }

    /// `s` with `index(i) = index(0) + s · i`, where the function is affine for all that its form tells.
    pub fn slope(&self) -> Option<i64> {
        match self {
            Index::Position => Some(1),
            Index::Constant(_) | Index::Length(_) | Index::Integer(_) => Some(0),
            Index::Element(_, index) => index.slope().filter(|slope| *slope == 0),
            Index::Apply(primitive, a, b) => match (a.slope()?, b.slope()?) {
                (a, b) if **primitive == scalar::ADD => Some(a + b),
                (a, b) if **primitive == scalar::SUB => Some(a - b),
                (0, 0) => Some(0),
                _ => None,
            },
        }
    }
}

impl Reindex {
    /// The number of elements of the result.
    ///
    /// # Errors
    /// Where something it is made of is not known.
    pub fn count<I: Indexing>(&self, indexing: &mut I) -> Result<I::Value, I::Error> {
        let nowhere = indexing.constant(0);
        self.count.evaluate(nowhere, indexing)
    }

    /// The number of elements that the index function is applied to.
    ///
    /// # Errors
    /// Where something it is made of is not known.
    pub fn positions<I: Indexing>(&self, indexing: &mut I) -> Result<I::Value, I::Error> {
        match self.direction {
            Direction::Gather => self.count(indexing),
            Direction::Scatter => indexing.length(self.array),
        }
    }

    /// The number of elements of the array that the index function leads to.
    ///
    /// # Errors
    /// Where something it is made of is not known.
    pub fn range<I: Indexing>(&self, indexing: &mut I) -> Result<I::Value, I::Error> {
        match self.direction {
            Direction::Gather => indexing.length(self.array),
            Direction::Scatter => self.count(indexing),
        }
    }

    /// All indices of the function on integers.
    ///
    /// # Errors
    /// Where something they are made of is not known.
    pub fn indices<I: Indexing<Value = i64>>(&self, indexing: &mut I) -> Result<Indices, I::Error> {
        let count = self.positions(indexing)?;
        Ok(match self.index.slope() {
            Some(step) if count > 0 => Indices::Line { start: self.index.evaluate(0, indexing)?, step, count },
            Some(_) => Indices::Line { start: 0, step: 1, count: 0 },
            None => Indices::Table((0..count).map(|at| self.index.evaluate(at, indexing)).collect::<Result<_, _>>()?),
        })
    }
}

/// The values of an index function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Indices {
    /// `start + step · i` for `i < count`.
    Line {
        /// The first.
        start: i64,
        /// From one to the next.
        step: i64,
        /// How many there are.
        count: i64,
    },
    /// One after the other.
    Table(Vec<i64>),
}

impl Indices {
    /// One after the other.
    pub fn iter(&self) -> Box<dyn Iterator<Item = i64> + '_> {
        match self {
            Indices::Line { start, step, count } => Box::new((0..*count).map(move |at| start + step * at)),
            Indices::Table(indices) => Box::new(indices.iter().copied()),
        }
    }

    /// The first that is not an index of an array of some length.
    pub fn outside(&self, length: usize) -> Option<i64> {
        let is_outside = |index: &i64| usize::try_from(*index).map_or(true, |index| index >= length);
        match self {
            Indices::Line { count: 0, .. } => None,
            Indices::Line { start, step, count } => [*start, start + step * (count - 1)].into_iter().find(is_outside),
            Indices::Table(indices) => indices.iter().copied().find(is_outside),
        }
    }
}
