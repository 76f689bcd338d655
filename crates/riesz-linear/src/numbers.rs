//! The language of numbers: maps that can be applied.

use std::convert::Infallible;

use crate::cost::leaf_work;
use crate::language::{Extra, Language};
use crate::map::{Form, LinearMap, Map};
use crate::matrix::{Band, Matrix};
use crate::measure::Measure;
use crate::pattern::{Argument, Function, Kind, Value};
use crate::relation::Relation;
use crate::space::{Space, plus, times};
use crate::unitary::Unitary;
use crate::vector::Vector;

/// The language of maps whose coefficients are numbers and whose sizes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers;

/// The longest vector that a law writes out.
const LONGEST: usize = 1 << 24;

impl Language for Numbers {
    type Space = Space;
    type Dimension = usize;
    type Number = f64;
    type Vector = Vector;
    type Matrix = Matrix;
    type Relation = Relation;
    type Unitary = Unitary;
    type Part = usize;
    type Binder = Infallible;
    type Extra = Infallible;
    type Context<'c> = ();

    const SHARES: bool = true;

    fn dimension(space: &Space) -> usize {
        space.dimension()
    }

    fn is_array(space: &Space) -> bool {
        matches!(space, Space::Array(..))
    }

    fn same_number(a: &f64, b: &f64) -> bool {
        a.to_bits() == b.to_bits()
    }

    fn transpose(matrix: &Matrix) -> Matrix {
        matrix.transpose()
    }

    fn converse(relation: &Relation) -> Relation {
        relation.converse()
    }

    fn inverse(unitary: &Unitary) -> Unitary {
        match unitary {
            Unitary::Reshape => Unitary::Reshape,
            Unitary::Transpose { outer, inner, element } => {
                Unitary::Transpose { outer: inner.clone(), inner: outer.clone(), element: element.clone() }
            }
            Unitary::Zip => Unitary::Unzip,
            Unitary::Unzip => Unitary::Zip,
        }
    }

    fn number(value: f64) -> f64 {
        value
    }

    fn times(k: &f64, l: &f64) -> Option<f64> {
        let product = times(*k, *l);
        let is_lost =
            !product.is_finite() && k.is_finite() && l.is_finite() || product == 0.0 && *k != 0.0 && *l != 0.0;
        (!is_lost).then_some(product)
    }

    fn is_zero(value: &Value<Numbers>) -> bool {
        match value {
            Value::Number(number) => *number == 0.0,
            Value::Vector(vector) => vector.values().iter().all(|value| *value == 0.0),
            _ => false,
        }
    }

    fn unit(number: &f64) -> Option<Vector> {
        Some(Vector::number(*number))
    }

    fn is_unit(vector: &Vector, number: f64) -> bool {
        *vector == Vector::number(number)
    }

    fn constant(number: &f64, space: &Space) -> Option<Vector> {
        let dimension = space.dimension();
        (dimension <= LONGEST).then(|| Vector::new(space.clone(), vec![*number; dimension]).ok())?
    }

    fn apply(map: &LinearMap, vector: &Vector, (): &()) -> Option<Vector> {
        Vector::new(map.codomain().clone(), map.apply(vector.values())).ok()
    }

    fn compute(
        function: Function,
        arguments: &[Argument<Numbers>],
        space: Option<&Space>,
        (): &(),
    ) -> Option<Value<Numbers>> {
        use Argument::{List, One};
        use Value::{Matrix as M, Number as N, Part as P, Relation as R, Vector as V};
        Some(match (function, arguments) {
            (Function::Times, [One(N(k)), One(N(l))]) => N(Self::times(k, l)?),
            (Function::Times, [One(V(d)), One(V(e))]) => V(d.zip(e, times)),
            // Over a space of no numbers, matrices of different sizes are maps between the same spaces.
            (Function::Times, [One(M(a, v)), One(M(b, w))]) if v == w && a.columns() == b.rows() => {
                M(product(a, b), v.clone())
            }
            (Function::Plus, [One(N(k)), One(N(l))]) => N(plus(*k, *l)),
            (Function::Plus, [One(V(d)), One(V(e))]) => V(d.zip(e, plus)),
            (Function::Plus, [One(M(a, v)), One(M(b, w))]) if v == w && same_size(a, b) => M(sum(a, b), v.clone()),
            (Function::Multiple, [One(N(k)), One(V(v))]) => V(v.scale(*k)),
            (Function::Inner, [One(V(u)), One(V(v))]) => N(u.inner(v)),
            (Function::After, [One(R(s)), One(R(r))]) => R(s.after(r)?),
            (Function::Only, [One(V(d))]) => {
                let (first, others) = d.values().split_first()?;
                N(others.iter().all(|other| other.to_bits() == first.to_bits()).then_some(*first)?)
            }
            (Function::Paths, [One(R(Relation::Sum(n))), One(R(Relation::Replicate(_)))]) => N(*n as f64),
            (Function::Source, [One(R(r)), One(P(y))]) => P(Numbers::source(r, y)??),
            (Function::Target, [One(R(r)), One(P(x))]) => P(Numbers::source(&r.converse(), x)??),
            (Function::Rows, [List(rows)]) => {
                let mut width = None;
                let mut values = Vec::new();
                for row in rows {
                    let V(row) = row else { return None };
                    width = Some(row.values().len());
                    values.extend_from_slice(row.values());
                }
                M(Matrix::new(rows.len(), width?, values).ok()?, Space::Real)
            }
            (Function::Gather, [List(parts)]) => {
                let indices: Option<Vec<usize>> =
                    parts.iter().map(|part| if let P(i) = part { Some(*i) } else { None }).collect();
                R(Relation::gather(indices?, space?.count()).ok()?)
            }
            (Function::Band, [One(V(d))]) => M(band_of(d)?, Space::Real),
            (Function::Main, [One(M(a, v))]) => V(diagonal_of(a, v)?),
            (Function::Constant, [One(N(k))]) => V(Numbers::constant(k, space?)?),
            (Function::Elements, []) => match space? {
                Space::Array(n, _) => R(Relation::Sum(*n)),
                _ => return None,
            },
            (Function::Total, [List(parts)]) => {
                let mut parts = parts.iter().cloned();
                let first = parts.next()?;
                parts
                    .try_fold(first, |sum, part| Numbers::compute(Function::Plus, &[One(sum), One(part)], space, &()))?
            }
            (Function::Combine, [List(numbers), List(vectors)]) => {
                let scaled = numbers.iter().zip(vectors).map(|pair| match pair {
                    (N(k), V(v)) => Some(V(v.scale(*k))),
                    _ => None,
                });
                Numbers::compute(Function::Total, &[List(scaled.collect::<Option<_>>()?)], space, &())?
            }
            (Function::Collect, [List(parts)]) => {
                let mut values = Vec::new();
                for part in parts {
                    match part {
                        N(number) => values.push(*number),
                        V(vector) => values.extend_from_slice(vector.values()),
                        _ => return None,
                    }
                }
                V(Vector::new(space?.clone(), values).ok()?)
            }
            _ => return None,
        })
    }

    fn kind(relation: &Relation) -> Kind {
        match relation {
            Relation::Sum(_) => Kind::Sum,
            Relation::Replicate(_) => Kind::Replicate,
            relation if relation.is_identity() => Kind::Identity,
            _ => Kind::Other,
        }
    }

    fn source(relation: &Relation, place: &usize) -> Option<Option<usize>> {
        match relation {
            // Their one element is no part of an array.
            Relation::Sum(_) | Relation::Replicate(_) => None,
            relation => relation.only_source(*place),
        }
    }

    fn reduction(relation: Relation, domain: Option<&Space>, codomain: Option<&Space>) -> Option<LinearMap> {
        let element = match (&relation, domain, codomain) {
            (Relation::Replicate(_), Some(domain), _) => domain,
            (Relation::Sum(_), _, Some(codomain)) => codomain,
            (_, Some(Space::Array(_, element)), _) | (_, _, Some(Space::Array(_, element))) => element,
            _ => return None,
        };
        Some(LinearMap::reduce(relation, element.clone()))
    }

    fn only_regroups(unitary: &Unitary) -> bool {
        matches!(unitary, Unitary::Reshape)
    }

    fn length(space: &Space) -> u64 {
        space.dimension() as u64
    }

    fn is_number(space: &Space) -> bool {
        *space == Space::Real
    }

    fn count(space: &Space) -> Option<usize> {
        Some(space.count())
    }

    fn part(space: &Space, at: Option<usize>) -> Option<Space> {
        match (space, at) {
            (Space::Array(_, element), None) => Some(Space::clone(element)),
            (_, None) => None,
            (space, Some(at)) => space.part(at).cloned(),
        }
    }

    fn part_of(space: &Space, part: &usize) -> Option<Space> {
        space.part(*part).cloned()
    }

    fn position(part: &usize) -> Option<usize> {
        Some(*part)
    }

    fn part_at(_: &Space, position: usize, (): &()) -> Option<usize> {
        Some(position)
    }

    fn differ(a: &usize, b: &usize) -> bool {
        a != b
    }

    fn alike(a: &Space, b: &Space) -> bool {
        Numbers::is_array(a) == Numbers::is_array(b) && a.count() == b.count()
    }

    fn covers(_: &Space, binder: &Infallible) -> bool {
        match *binder {}
    }

    fn element(binder: &Infallible) -> usize {
        match *binder {}
    }

    fn depends(_: &LinearMap, binder: &Infallible, (): &()) -> bool {
        match *binder {}
    }

    fn varies(_: &Value<Numbers>, binder: &Infallible, (): &()) -> bool {
        match *binder {}
    }

    fn at(_: &Value<Numbers>, binder: &Infallible, _: &usize, (): &()) -> Option<Value<Numbers>> {
        match *binder {}
    }

    fn numbers(dimension: usize) -> u64 {
        dimension as u64
    }

    fn coefficients(map: &LinearMap) -> Measure {
        let (multiplications, additions) = leaf_work(map);
        let storage = match map.form() {
            Form::Scale(_) => 1,
            Form::Diagonal(_) => map.rows() as u64,
            Form::RankOne(_) => (map.rows() as u64).saturating_add(map.columns() as u64),
            Form::Contract(contraction) => contraction.matrix.entries(),
            Form::Reduce { relation, .. } => relation.storage() as u64,
            _ => 0,
        };
        Measure { work: multiplications.saturating_add(additions), weight: 0, storage }
    }

    fn repetitions(map: &LinearMap) -> u64 {
        match map.form() {
            Form::Map(_) => (map.domain().count() as u64).max(1),
            _ => 1,
        }
    }
}

/// `a * b`; the band of a product is as wide as those of its factors together.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let band = a.band().zip(b.band()).map(|(a, b)| Band { lower: a.lower + b.lower, upper: a.upper + b.upper });
    Matrix::in_band(a.rows(), b.columns(), band, |i, j| {
        a.span(i).fold(0.0, |sum, k| sum + times(a.at(i, k), b.at(k, j)))
    })
}

fn same_size(a: &Matrix, b: &Matrix) -> bool {
    (a.rows(), a.columns()) == (b.rows(), b.columns())
}

/// `a + b`
fn sum(a: &Matrix, b: &Matrix) -> Matrix {
    let wider = |(a, b): (Band, Band)| Band { lower: a.lower.max(b.lower), upper: a.upper.max(b.upper) };
    let band = a.band().zip(b.band()).map(wider);
    Matrix::in_band(a.rows(), a.columns(), band, |i, j| plus(a.at(i, j), b.at(i, j)))
}

/// The matrix of a diagonal.
fn band_of(d: &Vector) -> Option<Matrix> {
    let n = d.values().len();
    let rows: Vec<Vec<f64>> = d.values().iter().map(|value| vec![*value]).collect();
    if *d.space() == Space::reals(n) { Matrix::banded(Band { lower: 0, upper: 0 }, n, &rows).ok() } else { None }
}

/// The diagonal that a matrix is, where its numbers meet vectors of a space.
fn diagonal_of(matrix: &Matrix, over: &Space) -> Option<Vector> {
    if matrix.band() != Some(Band { lower: 0, upper: 0 }) || matrix.rows() != matrix.columns() {
        return None;
    }
    let number = |at: usize| std::iter::repeat_n(matrix.at(at, at), over.dimension());
    let values: Vec<f64> = (0..matrix.rows()).flat_map(number).collect();
    Vector::new(Space::array(matrix.rows(), over.clone()), values).ok()
}

impl Extra<Numbers> for Infallible {
    fn children(&self) -> &[Map<Numbers>] {
        match *self {}
    }

    fn with_children(&self, _: Vec<Map<Numbers>>) -> Infallible {
        match *self {}
    }

    fn same(&self, _: &Infallible) -> bool {
        match *self {}
    }

    fn adjoint(&self, _: &Map<Numbers>, _: Vec<Map<Numbers>>) -> Form<Numbers> {
        match *self {}
    }

    fn transposition(&self) -> Option<&'static str> {
        match *self {}
    }

    fn transposes_children(&self) -> bool {
        match *self {}
    }
}
