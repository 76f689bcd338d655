//! Vectors with structural zeros: `v ::= 0 | k | (v₁, …, vₙ) | inᵢ v`.
//!
//! The adjoint of a projection puts a part in its place and zeros everywhere else. If these zeros were stored, reverse
//! mode through a program of `n` bindings would cost `n²`. Here `inᵢ v` is stored as `i` and `v`, adding a zero is
//! free, and sums are made in place if they have no other owner. A structural zero is also exact: the factor that it is
//! multiplied with is never read.
//!
//! Coordinates have any type [`Coordinate`]: numbers make a vector, and rows make a matrix. [004 §10] One vector may
//! have several forms; [`Tangent::numbers`] is the same for all of them.

use crate::closure::with_room;
use riesz_algebra::{Module, Monoid};
use riesz_linear::count::{added, allocated, multiplied};
use riesz_linear::{Form, LinearMap, Space};
use std::rc::Rc;

/// The coordinates of a vector.
pub trait Coordinate: Module<f64> {}

impl<E: Module<f64>> Coordinate for E {}

/// A number, whose sums and products are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real(pub f64);

impl Monoid for Real {
    fn zero() -> Real {
        Real(0.0)
    }

    fn add(&self, other: &Real) -> Real {
        if self.0 == 0.0 {
            return *other;
        }
        if other.0 == 0.0 {
            return *self;
        }
        added(1);
        Real(self.0 + other.0)
    }
}

impl Module<f64> for Real {
    fn scale(&self, factor: &f64) -> Real {
        if self.0 == 0.0 || *factor == 0.0 {
            return Real(0.0);
        }
        if *factor == 1.0 {
            return *self;
        }
        multiplied(1);
        Real(factor * self.0)
    }
}

/// A vector with coordinates in a module.
#[derive(Clone, Debug)]
pub enum Tangent<S = Real> {
    /// The zero of whatever space.
    Zero,
    /// A coordinate: a vector of `R`.
    Number(S),
    /// Coordinates: a vector of `[n]R`.
    Numbers(Rc<Vec<S>>),
    /// The parts of a product, the elements of an array.
    Parts(Rc<Vec<Tangent<S>>>),
    /// One part of a product or element of an array, and zeros.
    One {
        /// Which.
        index: usize,
        /// Of how many.
        size: usize,
        /// The part.
        part: Rc<Tangent<S>>,
    },
}

impl<S: Coordinate> Tangent<S> {
    /// The vector with these parts.
    pub fn parts(parts: Vec<Tangent<S>>) -> Tangent<S> {
        if parts.iter().all(|part| matches!(part, Tangent::Zero)) {
            return Tangent::Zero;
        }
        allocated(size_of_val(&parts[..]));
        Tangent::Parts(Rc::new(parts))
    }

    /// `inᵢ v`
    pub fn one(index: usize, size: usize, part: Tangent<S>) -> Tangent<S> {
        match part {
            Tangent::Zero => Tangent::Zero,
            part => {
                allocated(size_of::<Tangent<S>>());
                Tangent::One { index, size, part: Rc::new(part) }
            }
        }
    }

    /// `exᵢ v`
    pub fn part(&self, index: usize) -> Tangent<S> {
        match self {
            Tangent::Numbers(numbers) => numbers.get(index).cloned().map_or(Tangent::Zero, Tangent::Number),
            Tangent::Parts(parts) => parts.get(index).cloned().unwrap_or(Tangent::Zero),
            Tangent::One { index: at, part, .. } if *at == index => (**part).clone(),
            Tangent::Zero | Tangent::Number(_) | Tangent::One { .. } => Tangent::Zero,
        }
    }

    /// `self += other`, in place if it is not shared
    pub fn accumulate(&mut self, other: Tangent<S>) {
        match (&mut *self, other) {
            (_, Tangent::Zero) => {}
            (Tangent::Zero, other) => *self = other,
            (Tangent::Number(a), Tangent::Number(b)) => *a = a.add(&b),
            (Tangent::Numbers(a), Tangent::Numbers(b)) => {
                Rc::make_mut(a).iter_mut().zip(b.iter()).for_each(|(a, b)| *a = a.add(b));
            }
            (Tangent::Numbers(a), Tangent::One { index, part, .. }) => {
                if let (Some(a), Tangent::Number(b)) = (Rc::make_mut(a).get_mut(index), &*part) {
                    *a = a.add(b);
                }
            }
            (Tangent::Parts(a), Tangent::One { index, part, .. }) => {
                if let Some(a) = Rc::make_mut(a).get_mut(index) {
                    a.accumulate(Rc::unwrap_or_clone(part));
                }
            }
            (Tangent::One { index, part, .. }, Tangent::One { index: other, part: more, .. }) if *index == other => {
                Rc::make_mut(part).accumulate(Rc::unwrap_or_clone(more));
            }
            (Tangent::Parts(a), other) => {
                Rc::make_mut(a).iter_mut().enumerate().for_each(|(at, a)| a.accumulate(other.part(at)));
            }
            (a, other) => {
                let size = a.size().max(other.size());
                let parts = (0..size).map(|at| a.part(at)).collect();
                *self = Tangent::parts(parts);
                self.accumulate(other);
            }
        }
    }

    /// `k · v`
    pub fn scale(&self, k: f64) -> Tangent<S> {
        self.map(&|coordinate| coordinate.scale(&k))
    }

    /// The same vector with other coordinates; zeros stay.
    pub fn map<T: Coordinate>(&self, change: &dyn Fn(&S) -> T) -> Tangent<T> {
        match self {
            Tangent::Zero => Tangent::Zero,
            Tangent::Number(number) => Tangent::Number(change(number)),
            Tangent::Numbers(numbers) => {
                allocated(numbers.len() * size_of::<T>());
                Tangent::Numbers(Rc::new(numbers.iter().map(change).collect()))
            }
            Tangent::Parts(parts) => Tangent::parts(parts.iter().map(|part| part.map(change)).collect()),
            Tangent::One { index, size, part } => Tangent::one(*index, *size, part.map(change)),
        }
    }

    /// How many parts it has, as far as it tells.
    fn size(&self) -> usize {
        match self {
            Tangent::Zero | Tangent::Number(_) => 0,
            Tangent::Numbers(numbers) => numbers.len(),
            Tangent::Parts(parts) => parts.len(),
            Tangent::One { size, .. } => *size,
        }
    }

    /// The coordinates in the order of a space, zeros written out.
    pub fn numbers(&self, space: &Space) -> Vec<S> {
        let mut numbers = vec![S::zero(); space.dimension()];
        self.write(space, &mut numbers);
        numbers
    }

    fn write(&self, space: &Space, to: &mut [S]) {
        match (self, space) {
            (Tangent::Zero, _) => {}
            (Tangent::Number(number), _) => to.iter_mut().take(1).for_each(|to| *to = number.clone()),
            (Tangent::Numbers(numbers), _) => to.clone_from_slice(numbers),
            (Tangent::One { index, part, .. }, whole) => {
                if let Some(space) = whole.part(*index) {
                    let offset = whole.offset(*index);
                    part.write(space, &mut to[offset..offset + space.dimension()]);
                }
            }
            (Tangent::Parts(parts), whole) => {
                let mut offset = 0;
                for (part, space) in parts.iter().zip(whole.parts()) {
                    let length = space.dimension();
                    part.write(space, &mut to[offset..offset + length]);
                    offset += length;
                }
            }
        }
    }

    /// The vector of a space with these coordinates, in order.
    pub fn from_numbers(space: &Space, numbers: &[S]) -> Tangent<S> {
        match space {
            Space::Real => numbers.first().cloned().map_or(Tangent::Zero, Tangent::Number),
            Space::Array(_, element) if **element == Space::Real => {
                allocated(size_of_val(numbers));
                Tangent::Numbers(Rc::new(numbers.to_vec()))
            }
            Space::Array(..) | Space::Product(_) => {
                let mut offset = 0;
                let mut parts = Vec::with_capacity(space.count());
                for part in space.parts() {
                    let length = part.dimension();
                    parts.push(Tangent::from_numbers(part, &numbers[offset..offset + length]));
                    offset += length;
                }
                Tangent::parts(parts)
            }
        }
    }

    /// `m v`, part by part where the map says what it does with parts: a projection costs nothing, however much is not
    /// taken.
    pub fn through(self, map: &LinearMap) -> Tangent<S> {
        with_room(|| match (self, map.form()) {
            (Tangent::Zero, _) | (_, Form::Zero) => Tangent::Zero,
            (v, Form::Identity) => v,
            (v, Form::Scale(k)) => v.scale(*k),
            (v, Form::Project(index)) => v.part(*index),
            (v, Form::Inject(index)) => Tangent::one(*index, map.codomain().count(), v),
            (v, Form::Compose(maps)) => maps.iter().rev().fold(v, |v, map| v.through(map)),
            (v, Form::Fork(maps)) => Tangent::parts(maps.iter().map(|map| v.clone().through(map)).collect()),
            (v, Form::Add(maps)) => {
                let mut sum = Tangent::Zero;
                maps.iter().for_each(|map| sum.accumulate(v.clone().through(map)));
                sum
            }
            (Tangent::One { index, part, .. }, Form::Join(maps)) => match maps.get(index) {
                Some(map) => Rc::unwrap_or_clone(part).through(map),
                None => Tangent::Zero,
            },
            (v, Form::Join(maps)) => {
                let mut sum = Tangent::Zero;
                maps.iter().enumerate().for_each(|(at, map)| sum.accumulate(v.part(at).through(map)));
                sum
            }
            (Tangent::One { index, size, part }, Form::Each(maps)) => match maps.get(index) {
                Some(map) => Tangent::one(index, size, Rc::unwrap_or_clone(part).through(map)),
                None => Tangent::Zero,
            },
            (v, Form::Each(maps)) => {
                Tangent::parts(maps.iter().enumerate().map(|(at, map)| v.part(at).through(map)).collect())
            }
            (_, _) if map.rows() == 0 => Tangent::Zero,
            (v, _) => Tangent::from_numbers(map.codomain(), &map.apply_over(&v.numbers(map.domain()))),
        })
    }
}

/// Vectors are coordinates themselves: those of a matrix are its rows.
impl<S: Coordinate> Monoid for Tangent<S> {
    fn zero() -> Tangent<S> {
        Tangent::Zero
    }

    fn add(&self, other: &Tangent<S>) -> Tangent<S> {
        let mut sum = self.clone();
        sum.accumulate(other.clone());
        sum
    }
}

impl<S: Coordinate> Module<f64> for Tangent<S> {
    fn scale(&self, factor: &f64) -> Tangent<S> {
        if *factor == 1.0 { self.clone() } else { Tangent::scale(self, *factor) }
    }
}
