//! Derivatives of products of vectors and matrices, and of the functions of linear algebra, from the terms in their
//! rows.

use super::operation::{At, Term, varies};
use crate::category::{Linear, part};
use crate::space::numbers;
use riesz_core::evaluate::Value;
use riesz_linear::{LinearMap, Matrix, Space, SpaceError, Vector};
use riesz_primitive::array::{Array, Contraction, Matrix as MatrixRow, MatrixResult, Product};
use riesz_primitive::derivative::{Coefficient, Derivative, LinearTerm};
use riesz_primitive::matrix::{Entry, entries};
use riesz_primitive::{MatrixFunction, Number};
use std::cmp::Ordering;

pub(super) fn products<K: Linear>(row: &Product, at: &At) -> Vec<Term<K>> {
    (0..2)
        .filter(|operand| varies(at, *operand))
        .filter_map(|operand| Some((operand, K::primitive(&product(row.contraction, operand, at).ok()?))))
        .collect()
}

pub(super) fn terms<K: Linear>(row: &MatrixRow, at: &At) -> Vec<Term<K>> {
    match &row.derivative {
        Derivative::Terms(terms) => terms.iter().flat_map(|term| linear_term::<K>(term, at)).collect(),
        Derivative::Directional => (0..at.operands.len())
            .filter(|operand| varies(at, *operand))
            .filter_map(|operand| Some((operand, K::primitive(&directional(row.function, operand, at)?))))
            .collect(),
        Derivative::Zero | Derivative::Linear | Derivative::Multilinear | Derivative::Scale(_) => Vec::new(),
    }
}

/// `Dᵏ⁺¹ f a (h…, ·)` by the first operand, `Dᵏ f a (…, ·, …)` by a direction: the columns of its matrix, one by one.
fn directional(function: MatrixFunction, operand: usize, at: &At) -> Option<LinearMap> {
    let n = at.operands[0].len();
    let others = at.operands[1..].iter().enumerate().filter(|(place, _)| place + 1 != operand);
    let given: Vec<f64> = others.flat_map(|(_, direction)| numbers(direction)).collect();
    let a = numbers(&at.operands[0]);
    let column = |place: usize| {
        let unit = (0..n * n).map(|at| if at == place { 1.0 } else { 0.0 });
        let directions: Vec<f64> = given.iter().copied().chain(unit).collect();
        f64::matrix(function, n, directions.len() / n, &a, &directions)
    };
    // The map is its own adjoint: its columns are its rows.
    let matrix = Matrix::new(n * n, n * n, (0..n * n).flat_map(column).collect::<Vec<f64>>()).ok()?;
    let (space, flat) = (at.spaces[operand].clone(), Space::reals(n * n));
    let there = LinearMap::reshape(space.clone(), flat.clone()).ok()?;
    let back = LinearMap::reshape(flat, space).ok()?;
    LinearMap::compose(vec![back, LinearMap::left(matrix, Space::Real), there]).ok()
}

/// `⋄′` by one operand: the product with the other.   [003 Thm 4.1 (4)]
fn product(contraction: Contraction, operand: usize, at: &At) -> Result<LinearMap, SpaceError> {
    let other = &at.operands[1 - operand];
    let own = &at.spaces[operand];
    let vector = |value: &Value<f64>| Vector::of_reals(numbers(value));
    let is_matrix = |value: &Value<f64>| matches!(value, Value::Values(_));
    match (contraction, operand) {
        (Contraction::Outer, 0) => Ok(LinearMap::map(own.count(), LinearMap::column(vector(other)))),
        // u ⊗ v = u ⟨v: a column times a row
        (Contraction::Outer, _) => {
            let column = column_matrix(&numbers(other))?;
            let row = Space::array(1, own.clone());
            LinearMap::left(column, own.clone()).after(&LinearMap::reshape(own.clone(), row)?)
        }
        (Contraction::Inner, operand) => match (operand, is_matrix(&at.operands[operand]), is_matrix(other)) {
            (_, false, false) => Ok(LinearMap::row(vector(other))),
            // x ↦ a x and x ↦ x a of a vector
            (1, false, true) => Ok(LinearMap::left(matrix(other)?, Space::Real)),
            (_, false, true) => Ok(LinearMap::left(matrix(other)?.transpose(), Space::Real)),
            // a ↦ a v
            (0, true, false) => Ok(LinearMap::map(own.count(), LinearMap::row(vector(other)))),
            // a ↦ u a
            (_, true, false) => {
                let row = part(0, own);
                let sum = LinearMap::left(column_matrix(&numbers(other))?.transpose(), row.clone());
                LinearMap::reshape(Space::array(1, row.clone()), row)?.after(&sum)
            }
            (0, true, true) => Ok(LinearMap::right(matrix(other)?, Space::reals(own.count()))),
            (_, true, true) => Ok(LinearMap::left(matrix(other)?, part(0, own))),
        },
    }
}

fn column_matrix(numbers: &[f64]) -> Result<Matrix, SpaceError> {
    Matrix::new(numbers.len(), 1, numbers.to_vec())
}

fn matrix(value: &Value<f64>) -> Result<Matrix, SpaceError> {
    let rows = value.len();
    let columns = value.get(0).map_or(0, |row| row.len());
    Matrix::new(rows, columns, numbers(value))
}

/// A value that a derivative is made of: numbers in rows, or one row.
#[derive(Clone)]
struct Rows {
    /// How many rows and columns, of a matrix.
    shape: Option<(usize, usize)>,
    numbers: Vec<f64>,
}

impl Rows {
    fn of(value: &Value<f64>) -> Rows {
        let shape = match value {
            Value::Values(rows) => Some((rows.len(), rows.first().map_or(0, Value::len))),
            _ => None,
        };
        Rows { shape, numbers: numbers(value) }
    }

    fn square(&self) -> usize {
        self.shape.map_or(0, |(rows, _)| rows)
    }

    fn matrix(&self) -> Option<Matrix> {
        let (rows, columns) = self.shape?;
        Matrix::new(rows, columns, self.numbers.clone()).ok()
    }

    fn vector(&self) -> Option<Vector> {
        let space = match self.shape {
            Some((rows, columns)) => Space::array(rows, Space::reals(columns)),
            None => Space::reals(self.numbers.len()),
        };
        Vector::new(space, self.numbers.clone()).ok()
    }
}

fn known(coefficient: &Coefficient, at: &At) -> Option<Rows> {
    match coefficient {
        Coefficient::Argument(index) => at.operands.get(*index).map(Rows::of),
        Coefficient::Result => Some(Rows::of(at.result)),
        Coefficient::Apply(primitive, operands) => {
            let operand = known(operands.first()?, at)?;
            let row = match primitive.array()? {
                Array::Exchange => {
                    let (rows, columns) = operand.shape?;
                    let numbers = operand.matrix()?.transpose().values();
                    return Some(Rows { shape: Some((columns, rows)), numbers });
                }
                Array::Matrix(row) => row,
                _ => return None,
            };
            let other = operands.get(1).and_then(|other| known(other, at));
            let (columns, more) = other.map_or((0, Vec::new()), |it| (it.shape.map_or(1, |(_, n)| n), it.numbers));
            let n = operand.square();
            let numbers = f64::matrix(row.function, n, columns, &operand.numbers, &more);
            let width = if row.result == MatrixResult::Like(1) { columns } else { n };
            Some(Rows { shape: Some((n, width)), numbers })
        }
        Coefficient::Constant(_) | Coefficient::If { .. } => None,
    }
}

/// A linear map of the tangents of one operand, and the space it goes to.
type Path = (usize, LinearMap);

fn linear_term<K: Linear>(term: &LinearTerm, at: &At) -> Vec<Term<K>> {
    paths(term, at).into_iter().map(|(operand, map)| (operand, K::primitive(&map))).collect()
}

/// The term as maps of tangents of single operands, to be added.
fn paths(term: &LinearTerm, at: &At) -> Vec<Path> {
    let then = |inner: &LinearTerm, outer: &dyn Fn(&Space) -> Option<LinearMap>| -> Vec<Path> {
        let found = paths(inner, at).into_iter();
        found.filter_map(|(operand, map)| Some((operand, outer(map.codomain())?.after(&map).ok()?))).collect()
    };
    match term {
        LinearTerm::Tangent(operand) if varies(at, *operand) => {
            vec![(*operand, LinearMap::identity(at.spaces[*operand].clone()))]
        }
        LinearTerm::Tangent(_) => Vec::new(),
        LinearTerm::Sum(terms) => terms.iter().flat_map(|term| paths(term, at)).collect(),
        LinearTerm::Negate(inner) => then(inner, &|space| Some(LinearMap::scale(-1.0, space.clone()))),
        LinearTerm::Inner(value, inner) => then(inner, &|_| Some(LinearMap::row(known(value, at)?.vector()?))),
        LinearTerm::Left(value, inner) => {
            then(inner, &|space| Some(LinearMap::left(known(value, at)?.matrix()?, part(0, space))))
        }
        LinearTerm::Right(inner, value) => then(inner, &|space| {
            let value = known(value, at)?;
            Some(match value.shape {
                Some(_) => LinearMap::right(value.matrix()?, Space::reals(space.count())),
                None => LinearMap::map(space.count(), LinearMap::row(value.vector()?)),
            })
        }),
        LinearTerm::Solve(value, inner) => then(inner, &|space| {
            let value = known(value, at)?;
            let n = value.square();
            let inverse = f64::matrix(MatrixFunction::Inverse, n, 0, &value.numbers, &[]);
            Some(LinearMap::left(Matrix::new(n, n, inverse).ok()?, part(0, space)))
        }),
        LinearTerm::System(primitive, inner) => then(inner, &|space| {
            let Array::Matrix(row) = primitive.array()? else { return None };
            let (list, n) = (numbers(at.operands.first()?), space.count());
            let identity: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 1.0 } else { 0.0 }).collect();
            let inverse = f64::matrix(row.function, n, n, &list, &identity);
            Some(LinearMap::left(Matrix::new(n, n, inverse).ok()?, part(0, space)))
        }),
        LinearTerm::Entries { list, transposed, vector } => then(list, &|space| {
            let vector = known(vector, at)?.numbers;
            let n = vector.len();
            let mut rows = vec![Vec::new(); n];
            for Entry { row, column, number } in entries(n, &numbers(at.operands.first()?)) {
                let (row, column) = if *transposed { (column, row) } else { (row, column) };
                rows[row].push((number, vector[column]));
            }
            LinearMap::of_entries(space, &Space::reals(n), &rows).ok()
        }),
        LinearTerm::Transpose(inner) => then(inner, &|space| Some(transpose(space))),
        LinearTerm::LowerTriangle(inner) => then(inner, &|space| triangle(space, 1.0)),
        LinearTerm::Symmetric(inner) => then(inner, &symmetric),
        LinearTerm::Cholesky(value, inner) => then(inner, &|space| {
            let (factor, inverse) = triangular(known(value, at)?)?;
            let row = part(0, space);
            let around = LinearMap::right(inverse.transpose(), Space::reals(space.count()));
            let [outer, inner] = [factor, inverse].map(|matrix| LinearMap::left(matrix, row.clone()));
            LinearMap::compose(vec![outer, triangle(space, 0.5)?, around, inner, symmetric(space)?]).ok()
        }),
        LinearTerm::CholeskyAdjoint(value, inner) => then(inner, &|space| {
            let (factor, inverse) = triangular(known(value, at)?)?;
            let row = part(0, space);
            let around = LinearMap::right(inverse.clone(), Space::reals(space.count()));
            let [first, last] = [factor, inverse].map(|matrix| LinearMap::left(matrix.transpose(), row.clone()));
            LinearMap::compose(vec![symmetric(space)?, around, last, triangle(space, 0.5)?, first]).ok()
        }),
    }
}

/// A triangular matrix and its inverse.
fn triangular(value: Rows) -> Option<(Matrix, Matrix)> {
    let n = value.square();
    let inverse = f64::matrix(MatrixFunction::Inverse, n, 0, &value.numbers, &[]);
    Some((value.matrix()?, Matrix::new(n, n, inverse).ok()?))
}

/// `½ (t + tᵀ)`
fn symmetric(space: &Space) -> Option<LinearMap> {
    let sum = LinearMap::identity(space.clone()).plus(&transpose(space)).ok()?;
    LinearMap::scale(0.5, space.clone()).after(&sum).ok()
}

/// The lower triangle with a multiple of the diagonal; `Φ` has half of it
fn triangle(space: &Space, diagonal: f64) -> Option<LinearMap> {
    let (rows, columns) = (space.count(), space.part(0).map_or(0, Space::count));
    let weight = |at: usize| match (at / columns).cmp(&(at % columns)) {
        Ordering::Less => 0.0,
        Ordering::Equal => diagonal,
        Ordering::Greater => 1.0,
    };
    let weights: Vec<f64> = (0..rows * columns).map(weight).collect();
    Some(LinearMap::diagonal(Vector::new(space.clone(), weights).ok()?))
}

fn transpose(space: &Space) -> LinearMap {
    let (rows, columns) = (space.count(), space.part(0).map_or(0, Space::count));
    LinearMap::transpose(Space::reals(rows), Space::reals(columns), Space::Real)
}
