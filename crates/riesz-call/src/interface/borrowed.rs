//! The arguments and results of callers: numbers, slices of numbers, and buffers.

use riesz_program::program::Kind;

/// The argument for a leaf of the parameters: a number, or the elements of an array, row by row.
///
/// ```
/// use riesz_call::Argument;
///
/// let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let arguments: [Argument; 4] = [
///     2.5.into(),                           // R
///     (&matrix[..3]).into(),                // [n]R
///     Argument::array(&matrix[..], &[2, 3]), // [m][n]R
///     7_i64.into(),                         // Int
/// ];
/// assert_eq!(arguments.len(), 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    pub(crate) elements: Borrowed<'a>,
    shape: Option<&'a [usize]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Borrowed<'a> {
    Real(f64),
    Int(i64),
    Bool(bool),
    Reals(&'a [f64]),
    Ints(&'a [i64]),
    Bools(&'a [bool]),
}

impl<'a> Argument<'a> {
    /// An array of any number of axes: its elements row by row, and its size along each axis.
    pub fn array(elements: impl Into<Argument<'a>>, shape: &'a [usize]) -> Argument<'a> {
        Argument { shape: Some(shape), ..elements.into() }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.elements {
            Borrowed::Real(_) | Borrowed::Reals(_) => Kind::Real,
            Borrowed::Int(_) | Borrowed::Ints(_) => Kind::Int,
            Borrowed::Bool(_) | Borrowed::Bools(_) => Kind::Bool,
        }
    }

    /// How many elements an array has; none for a number.
    pub(super) fn len(&self) -> Option<usize> {
        match self.elements {
            Borrowed::Reals(elements) => Some(elements.len()),
            Borrowed::Ints(elements) => Some(elements.len()),
            Borrowed::Bools(elements) => Some(elements.len()),
            Borrowed::Real(_) | Borrowed::Int(_) | Borrowed::Bool(_) => None,
        }
    }

    pub(super) fn rank(&self) -> usize {
        match (self.shape, self.len()) {
            (_, None) => 0,
            (Some(shape), _) => shape.len(),
            (None, Some(_)) => 1,
        }
    }

    /// The size along an axis that it has.
    pub(crate) fn axis(&self, axis: usize) -> usize {
        match self.shape {
            Some(shape) => shape.get(axis).copied().unwrap_or(0),
            None => self.len().unwrap_or(0),
        }
    }

    /// Whether it has as many elements as its shape says.
    pub(super) fn is_whole(&self) -> bool {
        let count = |shape: &[usize]| shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
        match (self.shape, self.len()) {
            (Some(shape), Some(len)) => count(shape) == Some(len),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}

macro_rules! arguments {
    ($($number:ty, $one:ident, $many:ident);*) => {$(
        impl From<$number> for Argument<'_> {
            fn from(number: $number) -> Self {
                Argument { elements: Borrowed::$one(number), shape: None }
            }
        }
        impl<'a> From<&'a [$number]> for Argument<'a> {
            fn from(elements: &'a [$number]) -> Self {
                Argument { elements: Borrowed::$many(elements), shape: None }
            }
        }
        impl<'a> From<&'a Vec<$number>> for Argument<'a> {
            fn from(elements: &'a Vec<$number>) -> Self {
                elements.as_slice().into()
            }
        }
        impl<'a, const N: usize> From<&'a [$number; N]> for Argument<'a> {
            fn from(elements: &'a [$number; N]) -> Self {
                elements.as_slice().into()
            }
        }
        impl<'a> From<&'a mut $number> for Output<'a> {
            fn from(number: &'a mut $number) -> Self {
                Output(ResultBuffer::$many(std::slice::from_mut(number)))
            }
        }
        impl<'a> From<&'a mut [$number]> for Output<'a> {
            fn from(elements: &'a mut [$number]) -> Self {
                Output(ResultBuffer::$many(elements))
            }
        }
        impl<'a> From<&'a mut Vec<$number>> for Output<'a> {
            fn from(elements: &'a mut Vec<$number>) -> Self {
                elements.as_mut_slice().into()
            }
        }
        impl<'a, const N: usize> From<&'a mut [$number; N]> for Output<'a> {
            fn from(elements: &'a mut [$number; N]) -> Self {
                elements.as_mut_slice().into()
            }
        }
    )*};
}

arguments!(f64, Real, Reals; i64, Int, Ints; bool, Bool, Bools);

/// Where a leaf of the result goes: a number, or a buffer for the elements of an array, row by row.
#[derive(Debug)]
pub struct Output<'a>(pub(crate) ResultBuffer<'a>);

#[derive(Debug)]
pub(crate) enum ResultBuffer<'a> {
    Reals(&'a mut [f64]),
    Ints(&'a mut [i64]),
    Bools(&'a mut [bool]),
}

impl Output<'_> {
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            ResultBuffer::Reals(elements) => elements.len(),
            ResultBuffer::Ints(elements) => elements.len(),
            ResultBuffer::Bools(elements) => elements.len(),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.0 {
            ResultBuffer::Reals(_) => Kind::Real,
            ResultBuffer::Ints(_) => Kind::Int,
            ResultBuffer::Bools(_) => Kind::Bool,
        }
    }
}
