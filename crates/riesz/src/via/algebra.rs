//! Numbers that carry their gradient: `f (x + dx) = f x + D f x dx` in Nagata's algebra, for every kind of gradient of
//! [000 Fig. 5] and for tries over the basis [001 §11].

use super::{Answer, DerivativeValue, Differentiator, Representation, Request, Wish};
use crate::{Span, Value};
use riesz_algebra::tangent::{ReverseArray, ReverseCayley};
use riesz_algebra::{Kronecker, Module, Nagata};
use riesz_core::evaluate::{self, Closure, Fault, Machine};
use riesz_primitive::{Counted, Erased, Number};
use std::fmt::Debug;

/// How many numbers of a gradient are added or multiplied in the time of a step.
pub(super) const NUMBERS_PER_STEP: u64 = 16;

/// Counts the steps of a sum or a multiple of gradients that have this many numbers.
pub(super) fn spend_on(numbers: usize) {
    riesz_limit::spend(numbers as u64 / NUMBERS_PER_STEP);
}

pub(super) const REVERSE_CAYLEY: Representation = row::<ReverseCayley<usize, f64>, ReverseCayley<usize, Counted>>(
    "reverse-cayley",
    "additions accumulated too",
    "000 §5.2",
);
pub(super) const REVERSE_ARRAY: Representation = row::<ReverseArray<usize, f64>, ReverseArray<usize, Counted>>(
    "reverse-array",
    "a computation on a mutable array",
    "000 §5.3",
);

/// Scalars that are a module over themselves, and that programs run over: alone, or with gradients or the like over them.
pub(super) trait Field: Number + Module<Self> {}

impl<D: Number + Module<D>> Field for D {}

/// Calls a function with numbers of an algebra. One machine, over numbers without their algebra, serves all of them: a
/// machine for each would be half of the command.
pub(super) fn call<S: Number>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    argument: evaluate::Value<S>,
    span: Span,
) -> Result<evaluate::Value<S>, Fault> {
    let value = machine.call_over(closure, argument.over(&mut Erased::new), span)?;
    Ok(value.over(&mut Erased::number))
}

/// A gradient that a number can carry.
pub(super) trait Gradient<D: Field>: Module<D> + Debug + 'static {
    /// The facts about the point that a gradient needs.
    type Coordinates;

    /// The coordinates of a point, which has `size` numbers.
    fn shape(point: &Value, size: usize) -> Self::Coordinates;

    /// The gradient of a coordinate.
    fn coordinate(shape: &Self::Coordinates, at: usize) -> Self;

    /// The coordinates of the gradient that are not structurally zero.
    fn entries(&self, shape: &Self::Coordinates) -> Vec<(usize, D)>;
}

/// The row of a kind of gradient, over plain numbers and over numbers that count.
pub(super) const fn row<E: Gradient<f64>, C: Gradient<Counted>>(
    name: &'static str,
    summary: &'static str,
    paper: &'static str,
) -> Representation {
    let plain: Differentiator = differentiate::<f64, E>;
    let counted: Differentiator = differentiate::<Counted, C>;
    Representation { name, summary, paper, differentiate: Some(plain), counted: Some(counted), taylor: None }
}

/// Runs a function on numbers that carry gradients.
pub(super) fn differentiate<D: Field, E: Gradient<D>>(
    machine: &mut Machine<f64>,
    Request { closure, point, wish, span }: Request,
) -> Result<Answer, Fault> {
    let size = point.count_coordinates();
    let shape = E::shape(point, size);
    let mut at = 0;
    let argument = point.with_coordinates(&mut |x| {
        riesz_limit::poll();
        at += 1;
        Nagata { primal: D::constant(*x), tangent: E::coordinate(&shape, at - 1) }
    });
    let value = call(machine, closure, argument, span)?;
    let mut gradients: Vec<E> = Vec::new();
    value.visit_coordinates(&mut |number| gradients.push(number.tangent.clone()));
    let found = match wish {
        Wish::Reverse(cotangent) => {
            let multiples = gradients.iter().zip(cotangent).map(|(gradient, y)| match *y {
                1.0 => gradient.clone(),
                y => gradient.scale(&D::constant(y)),
            });
            let total = multiples.reduce(|sum, gradient| sum.add(&gradient)).unwrap_or_else(E::zero);
            DerivativeValue::from_rows(vec![total.entries(&shape)], size, Wish::Reverse(&[1.0]))
        }
        wish => {
            DerivativeValue::from_rows(gradients.iter().map(|gradient| gradient.entries(&shape)).collect(), size, wish)
        }
    };
    Ok(Answer { value: value.over(&mut |number| number.value()), found })
}

impl DerivativeValue {
    /// The product with a matrix, by its rows.
    pub(super) fn from_rows<D: Field>(rows: Vec<Vec<(usize, D)>>, size: usize, wish: Wish) -> DerivativeValue {
        let times = |entry: &D, factor: f64| match factor {
            1.0 => entry.clone(),
            factor => entry.scale(&D::constant(factor)),
        };
        match wish {
            Wish::Map => {
                let plain = |row: Vec<(usize, D)>| row.into_iter().map(|(at, entry)| (at, entry.value())).collect();
                DerivativeValue::Rows(rows.into_iter().map(plain).collect())
            }
            Wish::Forward(tangent) => {
                let image = |row: &Vec<(usize, D)>| {
                    let products = row.iter().map(|(at, entry)| times(entry, tangent[*at]));
                    products.reduce(|sum, product| sum.add(&product)).map_or(0.0, |sum| sum.value())
                };
                DerivativeValue::Vector(rows.iter().map(image).collect())
            }
            Wish::Reverse(cotangent) => {
                let mut sums: Vec<Option<D>> = vec![None; size];
                for (row, y) in rows.iter().zip(cotangent) {
                    for (at, entry) in row {
                        let term = times(entry, *y);
                        sums[*at] = Some(sums[*at].as_ref().map_or(term.clone(), |sum| sum.add(&term)));
                    }
                }
                DerivativeValue::Vector(sums.into_iter().map(|sum| sum.map_or(0.0, |sum| sum.value())).collect())
            }
        }
    }
}

impl<D: Field> Gradient<D> for ReverseCayley<usize, D> {
    type Coordinates = ();

    fn shape(_: &Value, _: usize) {}

    fn coordinate((): &(), at: usize) -> Self {
        Kronecker::delta(&at)
    }

    fn entries(&self, (): &()) -> Vec<(usize, D)> {
        self.gradient().gradient().entries().map(|(at, entry)| (*at, entry.clone())).collect()
    }
}

impl<D: Field> Gradient<D> for ReverseArray<usize, D> {
    type Coordinates = usize;

    fn shape(_: &Value, size: usize) -> usize {
        size
    }

    fn coordinate(_: &usize, at: usize) -> Self {
        Kronecker::delta(&at)
    }

    fn entries(&self, size: &usize) -> Vec<(usize, D)> {
        self.gradient().run(*size, |at: &usize| *at).unwrap_or_default().into_iter().enumerate().collect()
    }
}
