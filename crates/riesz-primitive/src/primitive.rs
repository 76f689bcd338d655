//! The type of a row of the table.

use std::fmt;

use crate::array::Array;
use crate::derivative::Derivative;
use crate::over::Range;

/// A built-in function.
pub struct Primitive {
    /// The name programs use. Rows that only derivatives need have a name with a space in it, see [`Primitive::hidden`].
    pub name: &'static str,
    /// The signatures as `fun` headers without the name, `(v: [n]t, from: Int, to: Int): [to - from]t`: one for each
    /// way the function can be used, the first that fits is meant. A constant has `: R`.
    pub signatures: &'static [&'static str],
    /// A description of its result, in one line for the manual.
    pub summary: &'static str,
    /// A `check` that holds, for the manual; empty where the row is hidden.
    pub example: &'static str,
    /// The kind of the function, with the properties that the kind requires.
    pub kind: Kind,
}

/// The kinds of built-in functions.
#[derive(Debug)]
pub enum Kind {
    /// A function of one or two numbers; works element by element on arrays.
    Scalar(Scalar),
    /// Between numbers of different types.
    Conversion(Conversion),
    /// A first-order function of arrays.
    Array(Array),
    /// A function that the checker writes as constructs of the core: `size`, `build`, `fold`, ...
    Form(Form),
    /// A function that differentiates: a construct of the calculus.
    Operator(Operator),
    /// Written in the language, in the prelude.
    Prelude,
    /// A number: `pi`, `e`, `inf`, `nan`.
    Constant(f64),
}

/// A function from integers to an integer; `None` where the result overflows or is not defined.
pub type OnIntegers = fn(&[i64]) -> Option<i64>;

/// A function from reals to a real.
pub type OnReals = fn(&[f64]) -> f64;

/// A function of numbers.
#[derive(Debug)]
pub struct Scalar {
    /// The function on integers, where their result is one.
    pub integer: Option<Integer>,
    /// The function on reals; `div` and `mod` have none.
    pub real: Option<OnReals>,
    /// Its derivative.
    pub derivative: Derivative,
    /// Where the laws sample it, one domain for each argument.
    pub domain: &'static [Domain],
    /// How its values are bounded where its arguments are intervals.
    pub range: Range,
    /// The work of computing it.
    pub work: Work,
    /// Its spelling in generated Rust, with `{0}`, `{1}` for the arguments, which are names or stand in brackets.
    pub rust: &'static str,
    /// Its spelling in generated C on reals, in the same way: functions of `math.h`, and of the runtime of `riesz-c`, whose
    /// names begin with `riesz_`. Empty where there is no function on reals.
    pub c: &'static str,
}

/// The work of computing a function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A change of sign, which is part of the next operation.
    Sign,
    /// A sum, a difference or a comparison.
    Addition,
    /// A product.
    Multiplication,
    /// A quotient or a square root.
    Division,
    /// Many operations.
    Function,
}

impl Scalar {
    /// Whether the function of reals can give a number where an argument is NaN, as `pow(nan, 0)` is 1.
    pub fn hides_nan(&self) -> bool {
        let Some(real) = self.real else { return false };
        let others = [0.0, 1.0, -1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY];
        let hides = |place: usize, other: f64| {
            let argument = |(at, domain): (usize, &Domain)| match *domain {
                Domain::Reals(..) if at == place => f64::NAN,
                Domain::Reals(..) => other,
                Domain::Integers(least, most) => other.clamp(least as f64, most as f64),
            };
            !real(&self.domain.iter().enumerate().map(argument).collect::<Vec<f64>>()).is_nan()
        };
        let varies = |place: &usize| matches!(self.domain[*place], Domain::Reals(..));
        (0..self.domain.len()).filter(varies).any(|place| others.iter().any(|other| hides(place, *other)))
    }
}

/// The functions between numbers of different types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `real : Int → R`
    Real,
    /// `trunc : R → Int`
    Truncate,
    /// `is_nan : R → Bool`
    IsNan,
}

/// The functions that the checker writes as constructs of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as its function")]
pub enum Form {
    Size,
    Iota,
    Replicate,
    Zip,
    Unzip,
    Inner,
    Build,
    Map,
    Fold,
    Scan,
    Sum,
    Product,
    ArgMax,
    ArgMin,
    All,
    Any,
}

/// The functions of linear maps, and those that differentiate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as its function")]
pub enum Operator {
    Adjoint,
    Compose,
    Matrix,
    Coo,
    Origin,
    Linear,
    /// Differentiates its first argument at its second.
    At(Differentiation),
}

/// The functions that differentiate a function at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as its function")]
pub enum Differentiation {
    Derivative,
    Jvp,
    Vjp,
    Grad,
    Jacobian,
    Hessian,
    Hvp,
    Taylor,
}

impl Form {
    /// The derivative, where it is one for all arguments.
    pub fn derivative(self) -> Option<&'static Derivative> {
        match self {
            Form::Size | Form::Iota | Form::ArgMax | Form::ArgMin | Form::All | Form::Any => Some(&Derivative::Zero),
            Form::Replicate | Form::Zip | Form::Unzip | Form::Sum => Some(&Derivative::Linear),
            Form::Inner => Some(&Derivative::Multilinear),
            Form::Build | Form::Map | Form::Fold | Form::Scan | Form::Product => None,
        }
    }
}

/// A function of integers.
#[derive(Clone, Copy, Debug)]
pub struct Integer {
    /// Its value; `None` where that overflows or is not defined.
    pub value: OnIntegers,
    /// Its spelling in generated Rust, an `Option<i64>`, with `{0}`, `{1}` for the arguments. Where it begins with `Some(`
    /// the function has a value for all arguments.
    pub rust: &'static str,
    /// Its spelling in generated C, with `{to}` for the address of the result: whether there is one. Without `{to}` it is the
    /// result, which there is for all arguments.
    pub c: &'static str,
    /// Its method on lanes, where there is one; without, it is computed lane by lane.
    pub lanes: Option<&'static str>,
}

/// Where the laws sample an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// The reals between two bounds.
    Reals(f64, f64),
    /// The integers between two bounds, both included.
    Integers(i64, i64),
}

impl Primitive {
    /// Whether programs cannot write the name: the row exists for the derivatives of others, and manual and completion
    /// leave it out.
    pub fn hidden(&self) -> bool {
        self.name.contains(' ')
    }

    /// Whether programs call it by its name, which they do unless it is an operator or hidden.
    pub fn is_named(&self) -> bool {
        !self.hidden() && self.name.starts_with(char::is_alphabetic)
    }

    /// The row as a function of numbers.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The row as a function of arrays.
    pub fn array(&self) -> Option<&Array> {
        match &self.kind {
            Kind::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The derivative, where the row states one.
    pub fn derivative(&self) -> Option<&Derivative> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(&scalar.derivative),
            Kind::Array(array) => Some(array.derivative()),
            Kind::Form(form) => form.derivative(),
            Kind::Conversion(_) | Kind::Operator(_) | Kind::Prelude | Kind::Constant(_) => None,
        }
    }
}

/// Rows are statics: the same row is the same place.
impl PartialEq for Primitive {
    fn eq(&self, other: &Primitive) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Primitive {}

/// The name alone: rows refer to each other in circles.
impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}
