//! Types with finitely many values, all of which can be listed.   [001 §11.1]

use core::convert::Infallible;

#[cfg(feature = "alloc")]
use crate::law::holds;
#[cfg(feature = "alloc")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use core::fmt::Debug;

/// A type whose values can be listed: the variables of an expression, the basis of a space.
pub trait Finite: Clone + Ord {
    /// How many values there are.
    const COUNT: usize;
    /// The values in order, each once.
    fn all() -> impl Iterator<Item = Self>;
    /// The place of this value among them.
    fn index(&self) -> usize;
}

/// That values are listed in order, each once, and know their places.
///
/// # Errors
/// The first law that does not hold, with the value.
#[cfg(feature = "alloc")]
pub fn finite_laws<V: Finite + Debug>() -> Result<(), String> {
    holds("there are COUNT values", V::all().count() == V::COUNT, &V::COUNT)?;
    for (index, v) in V::all().enumerate() {
        holds("a value knows its place", v.index() == index, &v)?;
    }
    for (before, after) in V::all().zip(V::all().skip(1)) {
        holds("values come in order", before < after, &(before, after))?;
    }
    Ok(())
}

/// The natural numbers below `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Below<const N: usize>(usize);

impl<const N: usize> Below<N> {
    /// The number, if it is below `N`.
    pub fn new(number: usize) -> Option<Below<N>> {
        (number < N).then_some(Below(number))
    }

    /// An array with an element for each number.
    pub fn array<T>(mut f: impl FnMut(Below<N>) -> T) -> [T; N] {
        core::array::from_fn(|number| f(Below(number)))
    }

    /// The number itself.
    pub fn get(self) -> usize {
        self.0
    }
}

/// No values.
impl Finite for Infallible {
    const COUNT: usize = 0;
    fn all() -> impl Iterator<Item = Infallible> {
        core::iter::empty()
    }
    fn index(&self) -> usize {
        match *self {}
    }
}

impl Finite for () {
    const COUNT: usize = 1;
    fn all() -> impl Iterator<Item = ()> {
        core::iter::once(())
    }
    fn index(&self) -> usize {
        0
    }
}

impl Finite for bool {
    const COUNT: usize = 2;
    fn all() -> impl Iterator<Item = bool> {
        [false, true].into_iter()
    }
    fn index(&self) -> usize {
        usize::from(*self)
    }
}

impl<const N: usize> Finite for Below<N> {
    const COUNT: usize = N;
    fn all() -> impl Iterator<Item = Below<N>> {
        (0..N).map(Below)
    }
    fn index(&self) -> usize {
        self.0
    }
}

/// A value of one type or of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Either<A, B> {
    /// One of the first type.
    Left(A),
    /// One of the second type.
    Right(B),
}

impl<A: Finite, B: Finite> Finite for Either<A, B> {
    const COUNT: usize = A::COUNT + B::COUNT;
    fn all() -> impl Iterator<Item = Self> {
        A::all().map(Either::Left).chain(B::all().map(Either::Right))
    }
    fn index(&self) -> usize {
        match self {
            Either::Left(a) => a.index(),
            Either::Right(b) => A::COUNT + b.index(),
        }
    }
}

impl<A: Finite, B: Finite> Finite for (A, B) {
    const COUNT: usize = A::COUNT * B::COUNT;
    fn all() -> impl Iterator<Item = Self> {
        A::all().flat_map(|a| B::all().map(move |b| (a.clone(), b)))
    }
    fn index(&self) -> usize {
        self.0.index() * B::COUNT + self.1.index()
    }
}
