//! Semirings as scalar algebras: sums and products are those of the semiring, and no other operation has a meaning.
//!
//! A natural number `n` of the program is `1 + ⋯ + 1`. The numbers that a user gives are elements of the semiring.

use riesz_algebra::semiring::{Polynomial, Tropical};
use riesz_algebra::{Monoid, Ring, Semiring};
use std::fmt::Debug;
use std::num::Wrapping;
use std::rc::Rc;

use super::{Unanswered, ask};
use crate::matrix::MatrixFunction;
use crate::number::Number;
use crate::primitive::Primitive;
use crate::scalar;

/// Sums of products of named inputs.
pub type Provenance = Polynomial<Rc<str>, Wrapping<i64>>;

/// The largest power that is written out.
const LARGEST_POWER: f64 = 1e6;

/// A semiring in which a program can be evaluated.
pub trait Semantics: Semiring + Debug + 'static {
    /// `1 + ⋯ + 1`
    fn natural(n: u64) -> Self;

    /// The element as a number, for messages.
    fn plain(&self) -> f64;
}

impl Semantics for bool {
    fn natural(n: u64) -> bool {
        n > 0
    }

    fn plain(&self) -> f64 {
        f64::from(u8::from(*self))
    }
}

impl Semantics for Tropical {
    fn natural(n: u64) -> Tropical {
        if n == 0 { Tropical::zero() } else { Tropical::one() }
    }

    fn plain(&self) -> f64 {
        self.0
    }
}

impl Semantics for Provenance {
    fn natural(n: u64) -> Provenance {
        if n == 0 { Provenance::zero() } else { Provenance::constant(Wrapping(n as i64)) }
    }

    fn plain(&self) -> f64 {
        f64::NAN
    }
}

/// A number of a semiring.
#[derive(Clone, Debug)]
pub struct Formal<S> {
    /// The element.
    pub element: S,
    /// The number of the program that it is, if it is one.
    literal: Option<f64>,
}

impl<S: Semantics> Formal<S> {
    /// An element that a user gives.
    pub fn new(element: S) -> Formal<S> {
        Formal { element, literal: None }
    }

    fn meaningless(operation: &'static str) -> Formal<S> {
        ask(Unanswered::Meaningless(operation));
        Formal::new(S::zero())
    }

    /// `xⁿ` by squares.
    fn power(&self, exponent: &Formal<S>) -> Formal<S> {
        let Some(n) = exponent.literal.filter(|n| n.fract() == 0.0 && (0.0..=LARGEST_POWER).contains(n)) else {
            return Formal::meaningless("a power that is not a small natural number");
        };
        let (mut n, mut square, mut power) = (n as u64, self.element.clone(), S::one());
        while n > 0 {
            riesz_limit::poll();
            if n % 2 == 1 {
                power = power.mul(&square);
            }
            n /= 2;
            if n > 0 {
                square = square.mul(&square);
            }
        }
        Formal::new(power)
    }
}

impl<S: Semantics> Monoid for Formal<S> {
    fn zero() -> Self {
        Formal::constant(0.0)
    }
    fn add(&self, other: &Self) -> Self {
        Formal::new(self.element.add(&other.element))
    }
}

impl<S: Semantics> Semiring for Formal<S> {
    fn one() -> Self {
        Formal::constant(1.0)
    }
    fn mul(&self, other: &Self) -> Self {
        riesz_limit::poll();
        Formal::new(self.element.mul(&other.element))
    }
}

/// There are no negatives but those of the program's own numbers.
impl<S: Semantics> Ring for Formal<S> {
    fn neg(&self) -> Self {
        Self::apply(&scalar::NEG, std::slice::from_ref(self))
    }
    fn sub(&self, other: &Self) -> Self {
        Self::apply(&scalar::SUB, &[self.clone(), other.clone()])
    }
}

impl<S: Semantics> Number for Formal<S> {
    fn constant(x: f64) -> Self {
        match x.fract() == 0.0 && (0.0..9e15).contains(&x) {
            true => Formal { element: S::natural(x as u64), literal: Some(x) },
            // An exponent may be one; in sums and products it has no meaning.
            false => Formal { literal: Some(x), ..Formal::meaningless("a number that is not a natural number") },
        }
    }

    fn value(&self) -> f64 {
        self.literal.unwrap_or_else(|| self.element.plain())
    }

    fn decided(&self) -> f64 {
        if self.literal.is_none() {
            ask(Unanswered::Meaningless("a question for the value of a number"));
        }
        self.value()
    }

    fn compared(&self, other: &Self) -> (f64, f64) {
        if self.literal.is_none() || other.literal.is_none() {
            ask(Unanswered::Meaningless("a comparison of numbers"));
        }
        (self.value(), other.value())
    }

    fn apply(primitive: &'static Primitive, arguments: &[Self]) -> Self {
        let is = |row: &'static Primitive| std::ptr::eq(primitive, row);
        // What a program computes of its own numbers, such as exponents, stays a number of the program.
        let literals: Option<Vec<f64>> = arguments.iter().map(|argument| argument.literal).collect();
        if let Some(literals) = literals {
            return Formal::constant(f64::apply(primitive, &literals));
        }
        match arguments {
            [a, b] if is(&scalar::ADD) => a.add(b),
            [a, b] if is(&scalar::MUL) || is(&scalar::EXACT_MUL) => a.mul(b),
            [a, b] if is(&scalar::POWI) || is(&scalar::POWER) => a.power(b),
            _ => Formal::meaningless(primitive.name),
        }
    }

    fn exact_product(&self, other: &Self) -> Self {
        self.mul(other)
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, _: &[Self], _: &[Self]) -> Vec<Self> {
        vec![Formal::meaningless(function.primitive().name); function.count(n, columns)]
    }
}
