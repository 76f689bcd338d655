//! The kinds of functions of arrays. The value, shape, derivative, adjoint, loops and cost of a function follow from its
//! kind and the fields of the kind. Each part of the compiler has one case for each kind and none for a single function.

use super::index::{Backward, Bounds, Direction, Reindex};
use crate::derivative::Derivative;
use crate::matrix::MatrixFunction;
use crate::primitive::Primitive;
use crate::scalar;

/// The kinds of functions of arrays.
#[derive(Debug)]
pub enum Array {
    /// Moves the elements of one array, as an index function says.
    Reindex(Reindex),
    /// `([m]t, [n]t, …) → [m + n + …]t`: the elements of arrays one after the other.
    Concatenate,
    /// `([n]t, Int, t) → [n]t`: an array with one element replaced.
    Replace,
    /// `[m][n]t → [n][m]t`: exchanges the two outermost axes.
    Exchange,
    /// `[m][n]t → [m · n]t`: makes the two outermost axes one.
    Merge,
    /// A product of two arrays of numbers, linear in each.
    Product(Product),
    /// A function of linear algebra.
    Matrix(Matrix),
}

/// A product of two arrays of numbers.
#[derive(Debug)]
pub struct Product {
    /// The axes that are summed over.
    pub contraction: Contraction,
    /// The product of two numbers.
    pub times: &'static Primitive,
}

/// The axes that a product sums over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contraction {
    /// The last axis of the first array with the first axis of the second.
    Inner,
    /// None: each number of one array meets each of the other.
    Outer,
}

/// A function of linear algebra, evaluated by [`Number::matrix`](crate::Number::matrix).
#[derive(Debug)]
pub struct Matrix {
    /// Which function it is.
    pub function: MatrixFunction,
    /// Its result.
    pub result: MatrixResult,
    /// Its derivative.
    pub derivative: Derivative,
    /// In which arguments it is linear, and its adjoint in them.
    pub linear: LinearIn,
    /// Its name in `riesz-runtime`.
    pub rust: &'static str,
}

/// The result of a function of linear algebra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixResult {
    /// A number.
    Number,
    /// An array of the sizes of an argument.
    Like(usize),
}

/// The arguments that a function of linear algebra is linear in. Derivatives apply the function to tangents there.
#[derive(Debug)]
pub enum LinearIn {
    /// None.
    Nothing,
    /// Its last argument.
    Last(Adjoint),
    /// Each argument but the first, and in each it is its own adjoint.
    Directions,
}

/// The adjoint of a function that is linear in an argument: a term in the cotangent of the result and the other
/// arguments.
#[derive(Debug)]
pub enum Adjoint {
    /// The cotangent of the result.
    Cotangent,
    /// An argument that the function is not linear in.
    Argument(usize),
    /// The lower triangle of a matrix, with zeros above it.
    LowerTriangle(&'static Adjoint),
    /// A row applied to such terms.
    Apply(&'static Primitive, &'static [Adjoint]),
}

impl Array {
    /// The derivative.
    pub fn derivative(&self) -> &Derivative {
        match self {
            Array::Reindex(_) | Array::Concatenate | Array::Replace | Array::Exchange | Array::Merge => {
                &Derivative::Linear
            }
            Array::Product(_) => &Derivative::Multilinear,
            Array::Matrix(matrix) => &matrix.derivative,
        }
    }

    /// Whether the function can fail, on arguments of its types.
    pub fn can_fail(&self) -> bool {
        match self {
            Array::Reindex(reindex) => reindex.bounds != Bounds::Always,
            Array::Replace => true,
            Array::Concatenate | Array::Exchange | Array::Merge | Array::Product(_) | Array::Matrix(_) => false,
        }
    }

    /// Whether arguments without elements can leave a size of the result open, so that its type has to tell it.
    pub fn needs_shape(&self) -> bool {
        match self {
            Array::Reindex(reindex) => reindex.direction == Direction::Scatter,
            Array::Exchange => true,
            Array::Product(product) => product.contraction == Contraction::Inner,
            Array::Matrix(matrix) => matrix.result == MatrixResult::Like(1),
            Array::Concatenate | Array::Replace | Array::Merge => false,
        }
    }

    /// Whether the result has a shape where an argument is a zero of no shape; otherwise it is such a zero too.
    pub fn has_shape_of_zero(&self) -> bool {
        match self {
            Array::Reindex(reindex) => reindex.direction == Direction::Scatter,
            Array::Concatenate | Array::Replace => true,
            Array::Exchange | Array::Merge | Array::Product(_) | Array::Matrix(_) => false,
        }
    }

    /// The argument whose cotangent is added to element by element, where one is.
    pub fn scattered_back(&self) -> Option<usize> {
        match self {
            Array::Reindex(Reindex { array, direction: Direction::Gather, adjoint: Backward::Parts, .. }) => {
                Some(*array)
            }
            _ => None,
        }
    }
}

impl Product {
    /// Whether zero times anything is zero.
    pub fn is_exact(&self) -> bool {
        *self.times == scalar::EXACT_MUL
    }
}
