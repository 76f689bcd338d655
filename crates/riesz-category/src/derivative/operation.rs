//! Derivatives of the operations of the core, in any category of linear maps.   [003 Thm 4.1; 004 §4.6]
//!
//! ```text
//!   K_w′(v) = 0        h′(v) = h  for linear h        ⋄′(u, v) = (⋄ v) ▽ (u ⋄)  for bilinear ⋄
//! ```
//!
//! The derivative of a function of numbers is the join of multiples by its partial derivatives, as its row states.
//! Operations that move elements of arrays are relations. None of these states how to run in reverse.

use super::matrix;
use crate::category::{Linear, part};
use crate::combinator::Operation;
use crate::space::space;
use riesz_algebra::Nagata;
use riesz_core::evaluate::{Value, indices, integer_power, is_large};
use riesz_core::term::{Op, Place};
use riesz_linear::{Line, LinearMap, Relation, Space, Walk};
use riesz_primitive::array::{Array, Direction, Indices, Reindex};
use riesz_primitive::derivative::{Derivative, partial_derivatives};
use riesz_primitive::{Counted, Primitive};

/// An operation at a point.
pub(super) struct At<'a> {
    pub operands: &'a [Value<f64>],
    /// The tangent spaces of the operands.
    pub spaces: Vec<Space>,
    pub result: &'a Value<f64>,
    /// The tangent space of the result.
    pub to: Space,
}

/// A linear map from the tangents of one operand.
pub(super) type Term<K> = (usize, <K as crate::category::Category>::Morphism);

/// The derivative of an operation on a tuple of operands, or on one operand.
pub(super) fn derivative<K: Linear>(
    operation: &Operation,
    operands: &[Value<f64>],
    from: &Space,
    result: &Value<f64>,
) -> K::Morphism {
    let to = space(result);
    if from.dimension() == 0 || to.dimension() == 0 {
        return K::zero(from, &to);
    }
    let spaces = match operands.len() {
        1 => vec![from.clone()],
        n => (0..n).map(|at| part(at, from)).collect(),
    };
    let at = At { operands, spaces, result, to };
    join::<K>(terms::<K>(operation.op(), &at), &at, from)
}

/// `f₁ ▽ … ▽ fₙ`, with zero for operands that nothing is said of
fn join<K: Linear>(terms: Vec<Term<K>>, at: &At, from: &Space) -> K::Morphism {
    let mut maps: Vec<Vec<K::Morphism>> = vec![Vec::new(); at.spaces.len()];
    for (operand, map) in terms {
        maps[operand].push(map);
    }
    if maps.iter().all(Vec::is_empty) {
        return K::zero(from, &at.to);
    }
    let mut maps: Vec<K::Morphism> =
        maps.into_iter().zip(&at.spaces).map(|(maps, space)| K::add(space, &at.to, maps)).collect();
    if maps.len() == 1 { maps.remove(0) } else { K::join(&at.to, maps) }
}

fn terms<K: Linear>(op: &Op, at: &At) -> Vec<Term<K>> {
    match op {
        Op::Copy(_) => vec![(0, K::identity(&at.spaces[0]))],
        Op::Scalar(primitive, _) => scalar::<K>(primitive, at),
        Op::Plus(..) => (0..2).map(|index| (index, embed::<K>(&at.spaces[index], &at.to))).collect(),
        Op::AddTo(_, path, _) => add_to::<K>(path, at),
        Op::Graft(..) => vec![(1, embed::<K>(&at.spaces[1], &at.to))],
        Op::Array(elements) => {
            let place = |index: usize| (index, K::inject(index, &at.to));
            (0..elements.len()).map(place).collect()
        }
        Op::Index(..) => match usize::try_from(at.operands[1].int()) {
            Ok(index) => vec![(0, K::project(index, &at.spaces[0]))],
            Err(_) => Vec::new(),
        },
        Op::ArrayFunction(primitive, _) => array_function::<K>(primitive, at),
        // Locally constant, held, or no numbers at all.
        _ => Vec::new(),
    }
}

/// `acc + in v`: the accumulator itself, and the value in its place
fn add_to<K: Linear>(path: &[Place], at: &At) -> Vec<Term<K>> {
    let mut maps = Vec::new();
    let mut space = at.to.clone();
    let mut indices = at.operands.iter().skip(1);
    for place in path {
        let index = match place {
            Place::Component(index) => *index,
            Place::Element(_) => indices.next().map_or(0, |index| usize::try_from(index.int()).unwrap_or(0)),
        };
        maps.push(K::inject(index, &space));
        space = part(index, &space);
    }
    let last = at.operands.len() - 1;
    maps.push(embed::<K>(&at.spaces[last], &space));
    maps.reverse();
    vec![(0, embed::<K>(&at.spaces[0], &at.to)), (last, K::compose(&at.spaces[last], maps))]
}

/// The identity, where a zero whose shape is not known stands for one of any space: also for an element of an array, which is
/// a product then.
pub(super) fn embed<K: Linear>(from: &Space, to: &Space) -> K::Morphism {
    let part = |at: usize| K::inject_after(at, to, embed::<K>(&part(at, from), &part(at, to)));
    match (from, to) {
        _ if from == to => K::identity(to),
        (Space::Real, _) | (_, Space::Real) => K::zero(from, to),
        _ if from.count() == 0 || from.count() > to.count() => K::zero(from, to),
        (Space::Array(count, _), _) => K::join_each(to, (0..*count).map(part).collect()),
        (Space::Product(parts), _) => K::join(to, (0..parts.len()).map(part).collect()),
    }
}

pub(super) fn varies(at: &At, operand: usize) -> bool {
    at.spaces[operand].dimension() > 0
}

fn scalar<K: Linear>(primitive: &'static Primitive, at: &At) -> Vec<Term<K>> {
    if let [Value::Real(x), Value::Int(exponent)] = at.operands
        && is_large(*exponent)
    {
        let power = integer_power(primitive, &Nagata { primal: Counted(*x), tangent: Counted(1.0) }, *exponent);
        return vec![(0, K::scale(power.tangent.0, &Space::Real))];
    }
    let arguments: Vec<f64> = at.operands.iter().map(Value::real).collect();
    let result = at.result.real();
    // Those of a linear function are there; others are computed, which counts.
    let partials = match primitive.scalar().map(|row| &row.derivative) {
        Some(Derivative::Scale(_)) => {
            let arguments: Vec<Counted> = arguments.into_iter().map(Counted).collect();
            partial_derivatives(primitive, &arguments, &Counted(result)).into_iter().map(|partial| partial.0).collect()
        }
        _ => partial_derivatives(primitive, &arguments, &result),
    };
    let terms = partials.into_iter().enumerate().filter(|(operand, _)| varies(at, *operand));
    terms.map(|(operand, partial)| (operand, K::scale(partial, &Space::Real))).collect()
}

fn array_function<K: Linear>(primitive: &'static Primitive, at: &At) -> Vec<Term<K>> {
    match primitive.array() {
        Some(Array::Reindex(reindex)) => {
            relation(reindex, at).map(|it| moved::<K>(reindex.array, it, at)).into_iter().collect()
        }
        Some(Array::Concatenate) => concat::<K>(at),
        Some(Array::Replace) => update::<K>(at),
        Some(Array::Exchange) => vec![(0, transpose::<K>(&at.spaces[0], &at.to))],
        Some(Array::Merge) => match LinearMap::reshape(at.spaces[0].clone(), at.to.clone()) {
            Ok(map) => vec![(0, K::primitive(&map))],
            Err(_) => Vec::new(),
        },
        Some(Array::Product(product)) => matrix::products::<K>(product, at),
        Some(Array::Matrix(row)) => matrix::terms::<K>(row, at),
        None => Vec::new(),
    }
}

/// The relation between indices that a function moves elements by.
fn relation(reindex: &Reindex, at: &At) -> Option<Relation> {
    let length = at.operands[reindex.array].len();
    let (indices, range) = indices(reindex, length, &|operand| at.operands[operand].clone())?;
    let relation = match indices {
        Indices::Line { start, step, count } => {
            let source = Walk { start: start as usize, step: step as isize, size: range };
            let count = count as usize;
            Relation::line(Line { count, source, target: Walk { start: 0, step: 1, size: count } })
        }
        Indices::Table(indices) => {
            Relation::gather(indices.into_iter().map(|index| index as usize).collect::<Vec<_>>(), range)
        }
    };
    match reindex.direction {
        Direction::Gather => relation.ok(),
        Direction::Scatter => Some(relation.ok()?.converse()),
    }
}

/// Elements of an operand that go to places of the result: a relation where all of them have one space, else one by one.
fn moved<K: Linear>(operand: usize, relation: Relation, at: &At) -> Term<K> {
    let (from, element) = (&at.spaces[operand], part(0, &at.to));
    if relation.domain(&element) == *from && relation.codomain(&element) == at.to {
        return (operand, K::relate(relation, &element));
    }
    let mut maps = Vec::new();
    relation.each_pair(|source, target| {
        let element = embed::<K>(&part(source, from), &part(target, &at.to));
        maps.push(K::inject_after(target, &at.to, K::after_project(element, source, from)));
    });
    (operand, K::add(from, &at.to, maps))
}

fn transpose<K: Linear>(from: &Space, to: &Space) -> K::Morphism {
    let (rows, columns) = (from.count(), to.count());
    let element = part(0, &part(0, from));
    let whole = LinearMap::transpose(Space::reals(rows), Space::reals(columns), element);
    if whole.domain() == from && whole.codomain() == to {
        return K::primitive(&whole);
    }
    let entry = |row: usize, column: usize| {
        let (source, target) = (part(row, from), part(column, to));
        let element = embed::<K>(&part(column, &source), &part(row, &target));
        let placed = K::inject_after(row, &target, K::after_project(element, column, &source));
        K::inject_after(column, to, K::after_project(placed, row, from))
    };
    K::add(from, to, (0..rows).flat_map(|row| (0..columns).map(move |column| entry(row, column))).collect())
}

fn concat<K: Linear>(at: &At) -> Vec<Term<K>> {
    let whole = at.to.count();
    let mut start = 0;
    let mut terms = Vec::new();
    for (operand, array) in at.operands.iter().enumerate() {
        let count = array.len();
        let source = Walk { start: 0, step: 1, size: count };
        let target = Walk { start, step: 1, size: whole };
        if let (1.., Ok(relation)) = (count, Relation::line(Line { count, source, target })) {
            terms.push(moved::<K>(operand, relation, at));
        }
        start += count;
    }
    terms
}

fn update<K: Linear>(at: &At) -> Vec<Term<K>> {
    let size = at.to.count();
    let Ok(index) = usize::try_from(at.operands[1].int()) else { return Vec::new() };
    let others = (0..size).filter(|other| *other != index).map(|other| (other, other)).collect();
    let mut terms = vec![(2, K::inject(index, &at.to))];
    if let Ok(relation) = Relation::pairs(others, size, size) {
        terms.push(moved::<K>(0, relation, at));
    }
    terms
}
