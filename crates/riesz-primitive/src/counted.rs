//! Numbers that count what is done with them: a program evaluated over [`Counted`] has the value it has over `f64`, and
//! says how many operations that took.
//!
//! Each thread counts for itself. A change of sign is free; `min`, `max` and what else only compares counts as an
//! addition, which is what a comparison is. Functions of matrices count what elimination takes.

use std::cell::Cell;
use std::ops::{Add, Sub};

use riesz_algebra::{Monoid, Ring, Semiring};

use crate::matrix::{self, MatrixFunction};
use crate::number::Number;
use crate::primitive::{Kind, Primitive, Scalar};
use crate::scalar;

/// A real number whose operations are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted(pub f64);

/// How many operations on real numbers there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Sums and differences, and comparisons that choose a value.
    pub additions: u64,
    /// Products.
    pub multiplications: u64,
    /// Quotients and square roots.
    pub divisions: u64,
    /// Calls of `exp`, `sin` and all other functions.
    pub functions: u64,
}

impl Operations {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.divisions + self.functions
    }
}

impl Add for Operations {
    type Output = Operations;

    fn add(self, other: Operations) -> Operations {
        Operations {
            additions: self.additions + other.additions,
            multiplications: self.multiplications + other.multiplications,
            divisions: self.divisions + other.divisions,
            functions: self.functions + other.functions,
        }
    }
}

impl Sub for Operations {
    type Output = Operations;

    fn sub(self, other: Operations) -> Operations {
        Operations {
            additions: self.additions - other.additions,
            multiplications: self.multiplications - other.multiplications,
            divisions: self.divisions - other.divisions,
            functions: self.functions - other.functions,
        }
    }
}

thread_local! {
    static OPERATIONS: Cell<Operations> = const {
        Cell::new(Operations { additions: 0, multiplications: 0, divisions: 0, functions: 0 })
    };
}

/// What a computation gives, and the operations on [`Counted`] numbers that this thread did meanwhile.
pub fn count<T>(computation: impl FnOnce() -> T) -> (T, Operations) {
    let before = OPERATIONS.get();
    let result = computation();
    (result, OPERATIONS.get() - before)
}

fn add(operations: Operations) {
    OPERATIONS.set(OPERATIONS.get() + operations);
}

const ADDITION: Operations = Operations { additions: 1, multiplications: 0, divisions: 0, functions: 0 };
const MULTIPLICATION: Operations = Operations { additions: 0, multiplications: 1, divisions: 0, functions: 0 };
const DIVISION: Operations = Operations { additions: 0, multiplications: 0, divisions: 1, functions: 0 };
const FUNCTION: Operations = Operations { additions: 0, multiplications: 0, divisions: 0, functions: 1 };
const NOTHING: Operations = Operations { additions: 0, multiplications: 0, divisions: 0, functions: 0 };

impl Monoid for Counted {
    fn zero() -> Counted {
        Counted(0.0)
    }
    fn add(&self, other: &Counted) -> Counted {
        add(ADDITION);
        Counted(self.0 + other.0)
    }
}

impl Semiring for Counted {
    fn one() -> Counted {
        Counted(1.0)
    }
    fn mul(&self, other: &Counted) -> Counted {
        add(MULTIPLICATION);
        Counted(self.0 * other.0)
    }
}

impl Ring for Counted {
    fn neg(&self) -> Counted {
        Counted(-self.0)
    }
    fn sub(&self, other: &Counted) -> Counted {
        add(ADDITION);
        Counted(self.0 - other.0)
    }
}

impl Number for Counted {
    fn constant(x: f64) -> Counted {
        Counted(x)
    }

    fn value(&self) -> f64 {
        self.0
    }

    fn apply(primitive: &'static Primitive, arguments: &[Counted]) -> Counted {
        add(of_primitive(primitive, arguments));
        let arguments: Vec<f64> = arguments.iter().map(|argument| argument.0).collect();
        Counted(f64::apply(primitive, &arguments))
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Counted], b: &[Counted]) -> Vec<Counted> {
        add(of_matrix(function, n as u64, columns as u64));
        let plain = |numbers: &[Counted]| numbers.iter().map(|number| number.0).collect::<Vec<f64>>();
        matrix::evaluate(function, n, columns, &plain(a), &plain(b)).into_iter().map(Counted).collect()
    }
}

/// What a function of numbers takes. The square and the inverse are one operation each, as they are computed.
fn of_primitive(primitive: &'static Primitive, arguments: &[Counted]) -> Operations {
    match primitive {
        _ if !matches!(primitive.kind, Kind::Scalar(Scalar { real: Some(_), .. })) => NOTHING,
        p if p == &scalar::NEG => NOTHING,
        p if [&scalar::ADD, &scalar::SUB, &scalar::MIN, &scalar::MAX].contains(&p) => ADDITION,
        p if [&scalar::ABS, &scalar::SIGN, &scalar::FLOOR, &scalar::CEIL, &scalar::ROUND].contains(&p) => ADDITION,
        p if p == &scalar::MUL || p == &scalar::EXACT_MUL => MULTIPLICATION,
        p if p == &scalar::DIV || p == &scalar::SQRT => DIVISION,
        p if p == &scalar::POWI => match arguments.get(1).map(|exponent| exponent.0) {
            Some(2.0) => MULTIPLICATION,
            Some(-1.0) => DIVISION,
            _ => FUNCTION,
        },
        _ => FUNCTION,
    }
}

/// What elimination takes, to leading order: as many additions as multiplications.
fn of_matrix(function: MatrixFunction, n: u64, columns: u64) -> Operations {
    let cube = n * n * n;
    let products = match function {
        MatrixFunction::Cholesky => cube / 6,
        MatrixFunction::Solve => cube / 3 + n * n * columns,
        MatrixFunction::Inverse | MatrixFunction::Cofactor => cube,
        MatrixFunction::Determinant | MatrixFunction::LogDeterminant => cube / 3,
    };
    Operations { additions: products, multiplications: products, divisions: n, functions: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_kind() {
        let (x, operations) = count(|| {
            let (a, b) = (Counted(3.0), Counted(4.0));
            let square = Counted::apply(&scalar::POWI, &[a, Counted(2.0)]);
            let sum = Monoid::add(&square, &b.mul(&b));
            Counted::apply(&scalar::SQRT, &[Counted::apply(&scalar::NEG, &[sum.neg()])])
        });
        assert_eq!(x, Counted(5.0));
        assert_eq!(operations, Operations { additions: 1, multiplications: 2, divisions: 1, functions: 0 });
        assert_eq!(operations.total(), 4);
        assert_eq!(count(|| ()).1.total(), 0);
    }
}
