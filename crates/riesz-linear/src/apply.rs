//! Applying a linear map.   [002 Fig. 4, "Semantics"]
//!
//! A linear map over the reals acts on the vectors of any module: applied to numbers it is the derivative in a
//! direction, applied to several numbers in lanes it computes several directions at once, and applied to the rows of
//! the identity it gives its matrix. Everything here is therefore written once, for [`Coordinate`]s.
//!
//! **Zeros are exact**: a product with a coefficient or coordinate that is exactly zero is exactly zero, and the
//! argument of the zero map is not read.

use riesz_algebra::{Module, Monoid};

use crate::cost::is_one;
use crate::map::{Contraction, Form, LinearMap, RankOne, Side};
use crate::matrix::Matrix;
use crate::plan::{ARGUMENT, Plan, RESULT, Repeated, Work};
use crate::relation::Relation;
use crate::unitary::{Unitary, each_block};

impl LinearMap {
    /// `m ⊙ x`: the map at a vector of its domain.
    ///
    /// # Panics
    /// If the vector has another length than the domain has dimensions.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        self.apply_over(x)
    }

    /// The map at a vector with coordinates in any module over the reals, such as `[f64; 8]` for eight vectors at once.
    ///
    /// # Panics
    /// If the vector has another length than the domain has dimensions.
    pub fn apply_over<E: Module<f64>>(&self, x: &[E]) -> Vec<E> {
        Plan::new(self).run(x)
    }
}

/// The numbers that coordinates of a vector can be.
pub(crate) trait Coordinate: Clone {
    fn zero() -> Self;
    /// `self += other`
    fn accumulate(&mut self, other: &Self);
    /// `self += k • other`
    fn accumulate_multiple(&mut self, k: f64, other: &Self);
}

impl<E: Module<f64>> Coordinate for E {
    fn zero() -> E {
        Monoid::zero()
    }

    fn accumulate(&mut self, other: &E) {
        *self = self.add(other);
    }

    fn accumulate_multiple(&mut self, k: f64, other: &E) {
        *self = self.add(&other.scale(&k));
    }
}

impl Plan<'_> {
    pub(crate) fn run<E: Coordinate>(&self, x: &[E]) -> Vec<E> {
        let mut y = vec![E::zero(); self.lengths[RESULT]];
        self.add_to(x, &mut y);
        y
    }

    /// `y += m x`
    fn add_to<E: Coordinate>(&self, x: &[E], y: &mut [E]) {
        assert_eq!(x.len(), self.lengths[ARGUMENT], "a map is applied to a vector of its domain");
        let mut buffers: Vec<Vec<E>> = vec![Vec::new(); self.lengths.len()];
        for step in &self.steps {
            let (read, written) = (step.source.buffer, step.target.buffer);
            if read != ARGUMENT && buffers[read].is_empty() {
                continue;
            }
            let mut own = std::mem::take(&mut buffers[written]);
            if own.is_empty() && written != RESULT {
                own = vec![E::zero(); self.lengths[written]];
            }
            let source = if read == ARGUMENT { x } else { &buffers[read] };
            let target = if written == RESULT { &mut *y } else { &mut own };
            step.work.add_to(&source[step.source.offset..], &mut target[step.target.offset..]);
            buffers[written] = own;
            if step.last {
                buffers[read] = Vec::new();
            }
        }
    }
}

impl Work<'_> {
    /// `y += work(x)`, where both go on beyond what is read and written.
    fn add_to<E: Coordinate>(&self, x: &[E], y: &mut [E]) {
        match self {
            Work::Copy(length) => add(&x[..*length], y),
            Work::Leaf(map) => leaf(map, &x[..map.columns()], &mut y[..map.rows()]),
            Work::Map(repeated) => {
                let Repeated { count, columns, rows, body } = &**repeated;
                for (x, y) in x.chunks_exact(*columns).zip(y.chunks_exact_mut(*rows)).take(*count) {
                    body.add_to(x, y);
                }
            }
        }
    }
}

/// `y += m x` for a map without children.
fn leaf<E: Coordinate>(map: &LinearMap, x: &[E], y: &mut [E]) {
    match map.form() {
        Form::Zero => {}
        Form::Identity => add(x, y),
        Form::Scale(k) => y.iter_mut().zip(x).for_each(|(y, x)| y.accumulate_multiple(*k, x)),
        Form::Diagonal(values) => {
            y.iter_mut().zip(x).zip(values.values()).for_each(|((y, x), k)| y.accumulate_multiple(*k, x));
        }
        Form::RankOne(RankOne { coefficient, left, right }) => {
            let mut sum = if is_one(right.values()) { x[0].clone() } else { dot(right.values(), x) };
            if *coefficient != 1.0 {
                sum = dot(&[*coefficient], &[sum]);
            }
            match is_one(left.values()) {
                true => add(&[sum], y),
                false => y.iter_mut().zip(left.values()).for_each(|(y, k)| y.accumulate_multiple(*k, &sum)),
            }
        }
        Form::Contract(contraction) => contract(contraction, x, y),
        Form::Reduce { relation, element } => reduce(relation, element.dimension(), x, y),
        Form::Project(index) => {
            let start = map.domain().offset(*index);
            add(&x[start..start + y.len()], y);
        }
        Form::Inject(index) => {
            let start = map.codomain().offset(*index);
            add(x, &mut y[start..]);
        }
        Form::Unitary(unitary) => permute(unitary, map, x, y),
        Form::Family(_, never, _) | Form::Extra(never) => match *never {},
        Form::Add(_) | Form::Compose(_) | Form::Fork(_) | Form::Join(_) | Form::Each(_) | Form::Map(_) => {
            unreachable!("plans take these apart")
        }
    }
}

fn add<E: Coordinate>(x: &[E], y: &mut [E]) {
    y.iter_mut().zip(x).for_each(|(y, x)| y.accumulate(x));
}

fn dot<E: Coordinate>(v: &[f64], x: &[E]) -> E {
    let mut sum = E::zero();
    v.iter().zip(x).for_each(|(k, x)| sum.accumulate_multiple(*k, x));
    sum
}

fn contract<E: Coordinate>(contraction: &Contraction, x: &[E], y: &mut [E]) {
    let Contraction { side, matrix, over } = contraction;
    match side {
        Side::Left => multiply(matrix, over.dimension(), x, y),
        // x b = (bᵀ xᵀ)ᵀ, row by row
        Side::Right => {
            let (transposed, rows, columns) = (matrix.transpose(), matrix.rows(), matrix.columns());
            for (x, y) in x.chunks_exact(rows).zip(y.chunks_exact_mut(columns)) {
                multiply(&transposed, 1, x, y);
            }
        }
    }
}

/// `y += a x` for arrays of vectors of some width, in the order in which the matrix lies in memory.
fn multiply<E: Coordinate>(matrix: &Matrix, width: usize, x: &[E], y: &mut [E]) {
    matrix.each_entry(|i, j, k| {
        let (x, y) = (&x[j * width..(j + 1) * width], &mut y[i * width..(i + 1) * width]);
        y.iter_mut().zip(x).for_each(|(y, x)| y.accumulate_multiple(k, x));
    });
}

/// `(red_R x)_j = Σ_{(i, j) ∈ R} x_i`, for elements of some width.
fn reduce<E: Coordinate>(relation: &Relation, width: usize, x: &[E], y: &mut [E]) {
    match relation {
        Relation::Prefix(n) => running(width, (0..*n).map(|i| (i, i)), x, y),
        Relation::Suffix(n) => running(width, (0..*n).rev().map(|i| (i, i)), x, y),
        _ => relation.each_pair(|i, j| add(&x[i * width..(i + 1) * width], &mut y[j * width..(j + 1) * width])),
    }
}

/// Sums carried along.
fn running<E: Coordinate>(width: usize, order: impl Iterator<Item = (usize, usize)>, x: &[E], y: &mut [E]) {
    let mut sum = vec![E::zero(); width];
    for (i, j) in order {
        add(&x[i * width..(i + 1) * width], &mut sum);
        add(&sum, &mut y[j * width..(j + 1) * width]);
    }
}

fn permute<E: Coordinate>(unitary: &Unitary, map: &LinearMap, x: &[E], y: &mut [E]) {
    match unitary {
        Unitary::Reshape => add(x, y),
        Unitary::Transpose { outer, inner, element } => {
            let (m, n, width) = (outer.dimension(), inner.dimension(), element.dimension());
            for i in 0..m {
                for j in 0..n {
                    let (from, to) = ((i * n + j) * width, (j * m + i) * width);
                    add(&x[from..from + width], &mut y[to..to + width]);
                }
            }
        }
        Unitary::Zip => each_block(map.domain(), |apart, together, length| {
            add(&x[apart..apart + length], &mut y[together..together + length]);
        }),
        Unitary::Unzip => each_block(map.codomain(), |apart, together, length| {
            add(&x[together..together + length], &mut y[apart..apart + length]);
        }),
    }
}
