//! The derivatives of the functions of linear algebra, from the terms in their rows.
//!
//! Values are matrices over an algebra `D`, tangents matrices over a `D`-module `E`; a number is a 1 × 1 matrix.

use riesz_algebra::Module;

use super::cofactor::cofactor_tangent;
use super::{MatrixFunction, cholesky};
use crate::array::{Array, MatrixResult};
use crate::derivative::{Coefficient, Derivative, LinearTerm};
use crate::number::Number;
use crate::primitive::Primitive;

/// `D f (a, b) (da, db)`, row by row: the tangent of the result `f (a, b)` from the tangents of the `n × n` matrix `a`
/// and, for functions of two, the `n × columns` matrix `b`.
pub fn tangent<D: Number, E: Module<D>>(
    function: MatrixFunction,
    (n, columns): (usize, usize),
    (a, b): (&[D], &[D]),
    result: &[D],
    (da, db): (&[E], &[E]),
) -> Vec<E> {
    let terms = match &function.row().derivative {
        Derivative::Terms(terms) => terms,
        Derivative::Directional => return directional(n, a, b, da, db),
        _ => panic!("the derivative of {:?} is not given by terms", function.primitive()),
    };
    let point = Point {
        arguments: [Matrix::new(n, n, a), Matrix::new(n, columns, b)],
        result: shaped(function, (n, columns), result.to_vec()),
        tangents: [Matrix::new(n, n, da), Matrix::new(n, columns, db)],
    };
    point.sum(terms).entries
}

/// `Dᵏ⁺¹ cof a (h…, da) + Σᵢ Dᵏ cof a (…, dhᵢ, …)`
fn directional<D: Number, E: Module<D>>(n: usize, a: &[D], h: &[D], da: &[E], dh: &[E]) -> Vec<E> {
    let block = (n * n).max(1);
    let mut sum = cofactor_tangent(n, a, h, da);
    for (i, dh) in dh.chunks_exact(block).enumerate() {
        let others = [&h[..i * block], &h[(i + 1) * block..]].concat();
        let moved = cofactor_tangent(n, a, &others, dh);
        sum = sum.iter().zip(&moved).map(|(sum, moved)| sum.add(moved)).collect();
    }
    sum
}

/// The result of a function of an `n × n` and an `n × columns` matrix.
fn shaped<T>(function: MatrixFunction, (n, columns): (usize, usize), entries: Vec<T>) -> Matrix<T> {
    let (rows, columns) = match function.row().result {
        MatrixResult::Number => (1, 1),
        MatrixResult::Like(0) => (n, n),
        MatrixResult::Like(_) => (n, columns),
    };
    Matrix { rows, columns, entries }
}

/// A matrix, row by row.
#[derive(Clone)]
struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
}

impl<T: Clone> Matrix<T> {
    fn new(rows: usize, columns: usize, entries: &[T]) -> Self {
        Matrix { rows, columns, entries: entries.to_vec() }
    }

    fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> T) -> Self {
        let entries = (0..rows * columns).map(|k| entry(k / columns, k % columns)).collect();
        Matrix { rows, columns, entries }
    }

    fn at(&self, row: usize, column: usize) -> &T {
        &self.entries[row * self.columns + column]
    }

    fn map<U: Clone>(&self, f: impl Fn(&T) -> U) -> Matrix<U> {
        Matrix { rows: self.rows, columns: self.columns, entries: self.entries.iter().map(f).collect() }
    }

    fn transpose(&self) -> Self {
        Matrix::from_fn(self.columns, self.rows, |i, j| self.at(j, i).clone())
    }
}

/// Where a derivative is taken, and in which direction.
struct Point<D, E> {
    arguments: [Matrix<D>; 2],
    result: Matrix<D>,
    tangents: [Matrix<E>; 2],
}

impl<D: Number, E: Module<D>> Point<D, E> {
    fn value(&self, coefficient: &Coefficient) -> Matrix<D> {
        match coefficient {
            Coefficient::Argument(i) => self.arguments[*i].clone(),
            Coefficient::Result => self.result.clone(),
            Coefficient::Apply(primitive, operands) => {
                let operands: Vec<Matrix<D>> = operands.iter().map(|operand| self.value(operand)).collect();
                apply(primitive, &operands)
            }
            Coefficient::Constant(_) | Coefficient::If { .. } => panic!("{coefficient:?} is not a matrix"),
        }
    }

    fn sum(&self, terms: &[LinearTerm]) -> Matrix<E> {
        let terms: Vec<Matrix<E>> = terms.iter().map(|term| self.linear(term)).collect();
        Matrix::from_fn(terms[0].rows, terms[0].columns, |i, j| {
            terms.iter().fold(E::zero(), |sum, term| sum.add(term.at(i, j)))
        })
    }

    fn linear(&self, term: &LinearTerm) -> Matrix<E> {
        match term {
            LinearTerm::Tangent(i) => self.tangents[*i].clone(),
            LinearTerm::Sum(terms) => self.sum(terms),
            LinearTerm::Negate(t) => self.linear(t).map(|x| x.scale(&D::one().neg())),
            LinearTerm::Inner(value, t) => {
                let (value, t) = (self.value(value), self.linear(t));
                let products = value.entries.iter().zip(&t.entries).map(|(x, dx)| dx.scale(x));
                Matrix {
                    rows: 1,
                    columns: 1,
                    entries: vec![products.fold(E::zero(), |sum, product| sum.add(&product))],
                }
            }
            LinearTerm::Left(value, t) => product(&self.value(value), &self.linear(t)),
            LinearTerm::Right(t, value) => {
                product(&self.value(value).transpose(), &self.linear(t).transpose()).transpose()
            }
            LinearTerm::Solve(value, t) => {
                product(&apply(MatrixFunction::Inverse.primitive(), &[self.value(value)]), &self.linear(t))
            }
            LinearTerm::System(..) | LinearTerm::Entries { .. } => panic!("the matrix is a list of entries"),
            LinearTerm::Transpose(t) => self.linear(t).transpose(),
            LinearTerm::LowerTriangle(t) => {
                let t = self.linear(t);
                Matrix::from_fn(t.rows, t.columns, |i, j| if j <= i { t.at(i, j).clone() } else { E::zero() })
            }
            LinearTerm::Symmetric(t) => {
                let t = self.linear(t);
                Matrix::from_fn(t.rows, t.columns, |i, j| t.at(i, j).add(t.at(j, i)).scale(&D::constant(0.5)))
            }
            LinearTerm::Cholesky(value, t) => {
                let (l, t) = (self.value(value), self.linear(t));
                Matrix::new(t.rows, t.columns, &cholesky::tangent(l.rows, &l.entries, &t.entries, E::scale))
            }
            LinearTerm::CholeskyAdjoint(value, t) => {
                let (l, t) = (self.value(value), self.linear(t));
                Matrix::new(t.rows, t.columns, &cholesky::cotangent(l.rows, &l.entries, &t.entries, E::scale))
            }
        }
    }
}

/// A primitive of matrices: `transpose`, or a function of linear algebra.
fn apply<D: Number>(primitive: &'static Primitive, operands: &[Matrix<D>]) -> Matrix<D> {
    let a = &operands[0];
    let function = match primitive.array() {
        Some(Array::Exchange) => return a.transpose(),
        Some(Array::Matrix(row)) => row.function,
        _ => panic!("{primitive:?} is not a function of linear algebra"),
    };
    let (columns, b) = operands.get(1).map_or((0, &[][..]), |b| (b.columns, &b.entries));
    shaped(function, (a.rows, columns), D::matrix(function, a.rows, columns, &a.entries, b))
}

/// The product of a matrix of values with a matrix of tangents.
fn product<D: Number, E: Module<D>>(a: &Matrix<D>, t: &Matrix<E>) -> Matrix<E> {
    Matrix::from_fn(a.rows, t.columns, |i, j| {
        (0..a.columns).fold(E::zero(), |sum, k| sum.add(&t.at(k, j).scale(a.at(i, k))))
    })
}
