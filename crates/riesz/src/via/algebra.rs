//! Numbers that carry their gradient: `f (x + dx) = f x + D f x dx` in Nagata's algebra, for every kind of gradient of
//! [000 Fig. 5].

use super::{Answer, Found, Representation, Wish};
use crate::{Span, Value};
use riesz_algebra::tangent::{ReverseArray, ReverseCayley, ReverseSparse};
use riesz_algebra::{Kronecker, Module, Nagata, Sparse};
use riesz_core::evaluate::{Closure, Fault, Machine};
use riesz_primitive::{Counted, Number};
use std::fmt::Debug;

/// A gradient that is a map from coordinates.
pub(super) const FORWARD_SPARSE: Representation = Representation {
    name: "forward-sparse",
    summary: "a sparse gradient carried forward",
    paper: "000 §4.3",
    differentiate: Some(forward_sparse::<f64>),
    counted: Some(forward_sparse::<Counted>),
};

/// A gradient that is a linear function of a multiplier.
pub(super) const REVERSE_SPARSE: Representation = Representation {
    name: "reverse-sparse",
    summary: "a function from the multiplier to a sparse gradient",
    paper: "000 §5.1",
    differentiate: Some(reverse_sparse::<f64>),
    counted: Some(reverse_sparse::<Counted>),
};

/// The same, with sums that are compositions.
pub(super) const REVERSE_CAYLEY: Representation = Representation {
    name: "reverse-cayley",
    summary: "additions accumulated too",
    paper: "000 §5.2",
    differentiate: Some(reverse_cayley::<f64>),
    counted: Some(reverse_cayley::<Counted>),
};

/// The same, with additions that change an array.
pub(super) const REVERSE_ARRAY: Representation = Representation {
    name: "reverse-array",
    summary: "a computation on a mutable array",
    paper: "000 §5.3",
    differentiate: Some(reverse_array::<f64>),
    counted: Some(reverse_array::<Counted>),
};

/// Scalars that are a module over themselves.
pub(super) trait Field: Number + Module<Self> {}
impl<D: Number + Module<D>> Field for D {}

type Result<T> = std::result::Result<T, Fault>;

fn forward_sparse<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer> {
    answer(
        machine,
        closure,
        point,
        wish,
        span,
        |at, _| Sparse::unit(at),
        |gradient: &Sparse<usize, D>, _| entries(gradient),
    )
}

fn reverse_sparse<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer> {
    let variable = |at, _| ReverseSparse::delta(&at);
    answer(machine, closure, point, wish, span, variable, |function: &ReverseSparse<usize, D>, _| {
        entries(&function.gradient())
    })
}

fn reverse_cayley<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer> {
    let variable = |at, _| ReverseCayley::delta(&at);
    answer(machine, closure, point, wish, span, variable, |function: &ReverseCayley<usize, D>, _| {
        entries(&function.gradient().gradient())
    })
}

pub(super) fn reverse_array<D: Field>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
) -> Result<Answer> {
    let variable = |at, _| ReverseArray::delta(&at);
    answer(machine, closure, point, wish, span, variable, |function: &ReverseArray<usize, D>, size| {
        let array = function.gradient().run(size, |at: &usize| *at).unwrap_or_default();
        array.into_iter().enumerate().collect()
    })
}

fn entries<D: Field>(gradient: &Sparse<usize, D>) -> Vec<(usize, D)> {
    gradient.entries().map(|(at, entry)| (*at, entry.clone())).collect()
}

/// Runs a function on numbers that carry gradients. `variable` is the gradient of a coordinate of so many, and `read` the
/// coordinates of a gradient that are not structurally zero.
pub(super) fn answer<D: Field, E: Module<D> + Debug + 'static>(
    machine: &mut Machine<f64>,
    closure: &Closure<f64>,
    point: &Value,
    wish: Wish,
    span: Span,
    variable: impl Fn(usize, usize) -> E,
    read: impl Fn(&E, usize) -> Vec<(usize, D)>,
) -> Result<Answer> {
    let size = super::reals(point).len();
    let mut at = 0;
    let argument = point.over(&mut |x| {
        at += 1;
        Nagata { primal: D::constant(*x), tangent: variable(at - 1, size) }
    });
    let value = machine.call_over(closure, argument, span)?;
    let mut gradients = Vec::new();
    value.visit_reals(&mut |number| gradients.push(number.tangent.clone()));
    let found = match wish {
        Wish::Reverse(cotangent) => {
            let multiples = gradients.iter().zip(cotangent).map(|(gradient, y)| match *y {
                1.0 => gradient.clone(),
                y => gradient.scale(&D::constant(y)),
            });
            let total = multiples.reduce(|sum, gradient| sum.add(&gradient)).unwrap_or_else(E::zero);
            Found::from_rows(vec![read(&total, size)], size, Wish::Reverse(&[1.0]))
        }
        wish => Found::from_rows(gradients.iter().map(|gradient| read(gradient, size)).collect(), size, wish),
    };
    Ok(Answer { value: value.over(&mut |number| number.value()), found })
}

impl Found {
    /// What a matrix gives, by its rows.
    pub(super) fn from_rows<D: Field>(rows: Vec<Vec<(usize, D)>>, size: usize, wish: Wish) -> Found {
        let times = |entry: &D, factor: f64| match factor {
            1.0 => entry.clone(),
            factor => entry.scale(&D::constant(factor)),
        };
        match wish {
            Wish::Map => {
                let plain = |row: Vec<(usize, D)>| row.into_iter().map(|(at, entry)| (at, entry.value())).collect();
                Found::Rows(rows.into_iter().map(plain).collect())
            }
            Wish::Forward(tangent) => {
                let image = |row: &Vec<(usize, D)>| {
                    let products = row.iter().map(|(at, entry)| times(entry, tangent[*at]));
                    products.reduce(|sum, product| sum.add(&product)).map_or(0.0, |sum| sum.value())
                };
                Found::Vector(rows.iter().map(image).collect())
            }
            Wish::Reverse(cotangent) => {
                let mut sums: Vec<Option<D>> = vec![None; size];
                for (row, y) in rows.iter().zip(cotangent) {
                    for (at, entry) in row {
                        let term = times(entry, *y);
                        sums[*at] = Some(sums[*at].as_ref().map_or(term.clone(), |sum| sum.add(&term)));
                    }
                }
                Found::Vector(sums.into_iter().map(|sum| sum.map_or(0.0, |sum| sum.value())).collect())
            }
        }
    }
}
