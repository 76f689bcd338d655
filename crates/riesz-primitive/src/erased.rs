//! Numbers of an algebra that is known only at run time.
//!
//! An evaluation over one algebra may start another over series of its numbers, and so on. Over erased numbers, all of
//! these are instances of the same evaluation.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;

use riesz_algebra::{Monoid, Ring, Semiring};

use crate::counted::Counted;
use crate::matrix::MatrixFunction;
use crate::number::Number;
use crate::over::{self, Unanswered};
use crate::primitive::Primitive;
use crate::scalar;

/// A number of some algebra; those that meet are of one.
#[derive(Clone, Debug)]
pub struct Erased(Part);

#[derive(Clone, Debug)]
enum Part {
    /// In whatever algebra the others are.
    Constant(f64),
    Number(Rc<dyn InAlgebra>),
}

impl Erased {
    /// A number, without its algebra.
    pub fn new<S: Number>(number: &S) -> Erased {
        Erased::of(number.clone())
    }

    fn of<S: Number>(number: S) -> Erased {
        Erased(Part::Number(Rc::new(number)))
    }

    /// Works where constants are numbers of an algebra, also when they meet each other: `1 / 3` is an interval then.
    pub fn within<S: Number, T>(work: impl FnOnce() -> T) -> T {
        let _outside = Outside(CONSTANT.replace(Some(|x| Erased::of(S::constant(x)))));
        work()
    }

    /// Works where constants are of no algebra, and become numbers of that of the others when they meet.
    pub fn in_any<T>(work: impl FnOnce() -> T) -> T {
        let _outside = Outside(CONSTANT.replace(None));
        work()
    }

    /// The number, in the algebra it is of.
    ///
    /// # Panics
    /// In any other algebra.
    pub fn number<S: Number>(&self) -> S {
        self.borrowed::<S>().into_owned()
    }

    fn borrowed<S: Number>(&self) -> Cow<'_, S> {
        match &self.0 {
            Part::Constant(x) => Cow::Owned(S::constant(*x)),
            Part::Number(number) => match (&**number as &dyn Any).downcast_ref::<S>() {
                Some(number) => Cow::Borrowed(number),
                None => panic!("{number:?} is a number of another algebra"),
            },
        }
    }

    fn join(&self, operation: Operation, other: &Erased) -> Erased {
        match Erased::known([self, other].into_iter()) {
            Ok(plain) => Erased::constant(operation.of(&Counted(plain[0]), &Counted(plain[1])).0),
            Err(number) => number.join(operation, self, other),
        }
    }

    /// Plain numbers, where all are constants; else one that knows the algebra of all.
    fn known<'a>(numbers: impl Iterator<Item = &'a Erased>) -> Result<Vec<f64>, Rc<dyn InAlgebra>> {
        numbers
            .map(|number| match &number.0 {
                Part::Constant(x) => Ok(*x),
                Part::Number(number) => Err(number.clone()),
            })
            .collect()
    }
}

/// A function that makes constants of an algebra.
type Constant = fn(f64) -> Erased;

thread_local! {
    static CONSTANT: Cell<Option<Constant>> = const { Cell::new(None) };
}

/// The constants outside of a scope, which are restored when the scope is left in whatever way.
struct Outside(Option<Constant>);

impl Drop for Outside {
    fn drop(&mut self) {
        CONSTANT.set(self.0);
    }
}

/// An operation of a ring on two numbers.
#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    MultiplyExactly,
}

impl Operation {
    fn of<S: Number>(self, a: &S, b: &S) -> S {
        match self {
            Operation::Add => a.add(b),
            Operation::Subtract => a.sub(b),
            Operation::Multiply => a.mul(b),
            Operation::MultiplyExactly => a.exact_product(b),
        }
    }
}

/// A number that knows its algebra.
trait InAlgebra: Any + Debug {
    fn plain(&self) -> f64;
    fn decision(&self) -> f64;
    fn carried(&self) -> Option<usize>;
    fn compare(&self, a: &Erased, b: &Erased) -> (f64, f64);
    /// An operation of a ring on two of its numbers.
    fn join(&self, operation: Operation, a: &Erased, b: &Erased) -> Erased;
    fn call(&self, primitive: &'static Primitive, arguments: &[Erased]) -> Erased;
    fn call_matrix(&self, function: MatrixFunction, size: (usize, usize), a: &[Erased], b: &[Erased]) -> Vec<Erased>;
}

impl<S: Number> InAlgebra for S {
    fn plain(&self) -> f64 {
        self.value()
    }

    fn decision(&self) -> f64 {
        self.decided()
    }

    fn carried(&self) -> Option<usize> {
        self.order()
    }

    fn compare(&self, a: &Erased, b: &Erased) -> (f64, f64) {
        a.borrowed::<S>().compared(&b.borrowed())
    }

    fn join(&self, operation: Operation, a: &Erased, b: &Erased) -> Erased {
        Erased::of(operation.of::<S>(&a.borrowed(), &b.borrowed()))
    }

    fn call(&self, primitive: &'static Primitive, arguments: &[Erased]) -> Erased {
        Erased::of(S::apply(primitive, &numbers::<S>(arguments)))
    }

    fn call_matrix(&self, function: MatrixFunction, size: (usize, usize), a: &[Erased], b: &[Erased]) -> Vec<Erased> {
        let entries = S::matrix(function, size.0, size.1, &numbers::<S>(a), &numbers::<S>(b));
        entries.into_iter().map(Erased::of).collect()
    }
}

/// Constants may stand for numbers that count.
fn counted(plain: &[f64]) -> Vec<Counted> {
    plain.iter().copied().map(Counted).collect()
}

fn numbers<S: Number>(erased: &[Erased]) -> Vec<S> {
    erased.iter().map(Erased::number).collect()
}

impl Monoid for Erased {
    fn zero() -> Erased {
        Erased::constant(0.0)
    }

    fn add(&self, other: &Erased) -> Erased {
        self.join(Operation::Add, other)
    }
}

impl Semiring for Erased {
    fn one() -> Erased {
        Erased::constant(1.0)
    }

    fn mul(&self, other: &Erased) -> Erased {
        self.join(Operation::Multiply, other)
    }
}

impl Ring for Erased {
    fn neg(&self) -> Erased {
        Erased::apply(&scalar::NEG, std::slice::from_ref(self))
    }

    fn sub(&self, other: &Erased) -> Erased {
        self.join(Operation::Subtract, other)
    }
}

impl Number for Erased {
    fn order(&self) -> Option<usize> {
        match &self.0 {
            Part::Constant(_) => Some(0),
            Part::Number(number) => number.carried(),
        }
    }

    fn constant(x: f64) -> Erased {
        match CONSTANT.get() {
            Some(constant) => constant(x),
            None => Erased(Part::Constant(x)),
        }
    }

    fn take_unanswered() -> Option<Unanswered> {
        over::take_unanswered()
    }

    fn decided(&self) -> f64 {
        match &self.0 {
            Part::Constant(x) => *x,
            Part::Number(number) => number.decision(),
        }
    }

    fn value(&self) -> f64 {
        match &self.0 {
            Part::Constant(x) => *x,
            Part::Number(number) => number.plain(),
        }
    }

    fn compared(&self, other: &Erased) -> (f64, f64) {
        match Erased::known([self, other].into_iter()) {
            Ok(plain) => Counted(plain[0]).compared(&Counted(plain[1])),
            Err(number) => number.compare(self, other),
        }
    }

    fn apply(primitive: &'static Primitive, arguments: &[Erased]) -> Erased {
        match Erased::known(arguments.iter()) {
            Ok(plain) => Erased::constant(Counted::apply(primitive, &counted(&plain)).0),
            Err(number) => number.call(primitive, arguments),
        }
    }

    fn exact_product(&self, other: &Erased) -> Erased {
        self.join(Operation::MultiplyExactly, other)
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Erased], b: &[Erased]) -> Vec<Erased> {
        match Erased::known(a.iter().chain(b)) {
            Ok(plain) => {
                let (a, b) = plain.split_at(a.len());
                let entries = Counted::matrix(function, n, columns, &counted(a), &counted(b));
                entries.into_iter().map(|entry| Erased::constant(entry.0)).collect()
            }
            Err(number) => number.call_matrix(function, (n, columns), a, b),
        }
    }
}
