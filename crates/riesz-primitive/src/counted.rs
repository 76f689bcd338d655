//! Numbers that count their operations: a program over [`Counted`] has the value that it has over `f64`, and reports
//! the number of operations.
//!
//! Each thread counts separately. Copying an entry of a sparse gradient into a sum counts too, because representations
//! differ in it. A change of sign is free; a comparison, alone or in `min`, `max` and the like, counts as an addition.
//! Functions of matrices count their operations, except that the derivative of a determinant counts the path for
//! matrices that are not close to singular.

use std::cell::Cell;
use std::ops::{Add, Sub};

use riesz_algebra::{Module, Monoid, Ring, Semiring};

use crate::matrix::{self, MatrixFunction};
use crate::number::Number;
use crate::primitive::{Primitive, Scalar, Work};
use crate::scalar;

/// A real number whose operations are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted(pub f64);

/// How many operations on real numbers there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Sums, differences and comparisons.
    pub additions: u64,
    /// Products.
    pub multiplications: u64,
    /// Quotients and square roots.
    pub divisions: u64,
    /// Calls of `exp`, `sin` and all other functions.
    pub functions: u64,
    /// Entries of gradients that were copied from one to another.
    pub copies: u64,
}

impl Operations {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.divisions + self.functions + self.copies
    }
}

impl Add for Operations {
    type Output = Operations;

    fn add(self, other: Operations) -> Operations {
        Operations {
            additions: self.additions + other.additions,
            multiplications: self.multiplications + other.multiplications,
            divisions: self.divisions + other.divisions,
            functions: self.functions + other.functions,
            copies: self.copies + other.copies,
        }
    }
}

impl Sub for Operations {
    type Output = Operations;

    fn sub(self, other: Operations) -> Operations {
        Operations {
            additions: self.additions - other.additions,
            multiplications: self.multiplications - other.multiplications,
            divisions: self.divisions - other.divisions,
            functions: self.functions - other.functions,
            copies: self.copies - other.copies,
        }
    }
}

thread_local! {
    static OPERATIONS: Cell<Operations> = const {
        Cell::new(Operations { additions: 0, multiplications: 0, divisions: 0, functions: 0, copies: 0 })
    };
}

/// The result of a computation, and the operations on [`Counted`] numbers that this thread did meanwhile.
pub fn count<T>(computation: impl FnOnce() -> T) -> (T, Operations) {
    let before = OPERATIONS.get();
    let result = computation();
    (result, OPERATIONS.get() - before)
}

/// Counts operations that were done elsewhere.
pub fn record(operations: Operations) {
    add(operations);
}

fn add(operations: Operations) {
    OPERATIONS.set(OPERATIONS.get() + operations);
}

const ADDITION: Operations = Operations { additions: 1, multiplications: 0, divisions: 0, functions: 0, copies: 0 };
const MULTIPLICATION: Operations =
    Operations { additions: 0, multiplications: 1, divisions: 0, functions: 0, copies: 0 };
const DIVISION: Operations = Operations { additions: 0, multiplications: 0, divisions: 1, functions: 0, copies: 0 };
const FUNCTION: Operations = Operations { additions: 0, multiplications: 0, divisions: 0, functions: 1, copies: 0 };
const NOTHING: Operations = Operations { additions: 0, multiplications: 0, divisions: 0, functions: 0, copies: 0 };

impl Monoid for Counted {
    fn zero() -> Counted {
        Counted(0.0)
    }
    fn add(&self, other: &Counted) -> Counted {
        add(ADDITION);
        Counted(self.0 + other.0)
    }
}

impl Semiring for Counted {
    fn one() -> Counted {
        Counted(1.0)
    }
    fn mul(&self, other: &Counted) -> Counted {
        add(MULTIPLICATION);
        Counted(self.0 * other.0)
    }
    fn copied(numbers: usize) {
        add(Operations { copies: numbers as u64, ..NOTHING });
    }
}

impl Ring for Counted {
    fn neg(&self) -> Counted {
        Counted(-self.0)
    }
    fn sub(&self, other: &Counted) -> Counted {
        add(ADDITION);
        Counted(self.0 - other.0)
    }
}

/// Multiples of derivatives, in which zeros are exact.
impl Module<Counted> for Counted {
    fn scale(&self, factor: &Counted) -> Counted {
        add(MULTIPLICATION);
        Counted(self.0.scale(&factor.0))
    }
}

impl Number for Counted {
    const ORDER: Option<usize> = Some(0);

    fn constant(x: f64) -> Counted {
        Counted(x)
    }

    fn value(&self) -> f64 {
        self.0
    }

    fn compared(&self, other: &Counted) -> (f64, f64) {
        add(ADDITION);
        (self.0, other.0)
    }

    fn apply(primitive: &'static Primitive, arguments: &[Counted]) -> Counted {
        add(of_primitive(primitive, arguments));
        let arguments: Vec<f64> = arguments.iter().map(|argument| argument.0).collect();
        Counted(f64::apply(primitive, &arguments))
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Counted], b: &[Counted]) -> Vec<Counted> {
        let plain = |numbers: &[Counted]| numbers.iter().map(|number| number.0).collect::<Vec<f64>>();
        match function {
            MatrixFunction::CholeskyTangent => return matrix::cholesky_tangent(n, a, b),
            MatrixFunction::CholeskyCotangent => return matrix::cholesky_cotangent(n, a, b),
            MatrixFunction::Cofactor if columns > n => return matrix::cofactor(n, a, b, Counted::ORDER),
            _ => {}
        }
        let a = plain(a);
        if function.is_sparse() {
            return sparse(function, n, columns, &a, &plain(b));
        }
        let triangular = riesz_runtime::is_triangular(&a, n as i64);
        add(of_matrix(function, n as u64, columns as u64, triangular));
        matrix::evaluate(function, n, columns, &a, &plain(b)).into_iter().map(Counted).collect()
    }
}

/// The solution of a sparse system for each column, with what it takes: each product has a difference.
fn sparse(function: MatrixFunction, n: usize, columns: usize, a: &[f64], b: &[f64]) -> Vec<Counted> {
    let x = matrix::evaluate(function, n, columns, a, b);
    let column: Vec<f64> = b.iter().step_by(columns.max(1)).copied().collect();
    let transposed = function == MatrixFunction::ExactSparseSolveTransposed;
    let context = &mut riesz_runtime::Context::unlimited();
    if let Ok(solved) = riesz_runtime::solve_system(context, 0, &mut vec![0.0; n], a, &column, transposed) {
        let products = solved.products * columns as u64;
        let divisions = solved.quotients * columns as u64;
        add(Operations { additions: products, multiplications: products, divisions, functions: 0, copies: 0 });
    }
    x.into_iter().map(Counted).collect()
}

/// The operations of a function of numbers. The square and the inverse are one operation each, as they are computed.
fn of_primitive(primitive: &'static Primitive, arguments: &[Counted]) -> Operations {
    let Some(Scalar { real: Some(_), work, .. }) = primitive.scalar() else { return NOTHING };
    match (work, arguments.get(1).map(|exponent| exponent.0)) {
        (Work::Sign, _) => NOTHING,
        (Work::Addition, _) => ADDITION,
        (Work::Multiplication, _) => MULTIPLICATION,
        (Work::Division, _) => DIVISION,
        (Work::Function, Some(2.0)) if primitive == &scalar::POWI => MULTIPLICATION,
        (Work::Function, Some(-1.0)) if primitive == &scalar::POWI => DIVISION,
        (Work::Function, _) => FUNCTION,
    }
}

/// The operations of a function of an `n × n` matrix as it is computed: to leading order 1/3 n³ for a Cholesky factor,
/// 2/3 n³ for a factorisation by elimination, 2 n² for each solution, and 4/3 n³ for an inverse from the factors. A
/// triangular matrix is its own factor: n² for each solution, 1/3 n³ for the inverse. Half of these are
/// multiplications, half additions.
fn of_matrix(function: MatrixFunction, n: u64, columns: u64, triangular: bool) -> Operations {
    let operations = |additions: u64, multiplications: u64, divisions: u64, functions: u64| Operations {
        additions,
        multiplications,
        divisions,
        functions,
        copies: 0,
    };
    // Σₖ k², Σₖ k and Σₖ k (k + 1) / 2 for k < n
    let (squares, numbers) = (n * n.saturating_sub(1) * (2 * n).saturating_sub(1) / 6, n * n.saturating_sub(1) / 2);
    let triangles = (squares + numbers) / 2;
    // p a = l u: the multiples of each pivot's row
    let factors = operations(squares, squares + numbers, n, 0);
    // u x = z, for each column
    let backward = |columns: u64| operations(numbers * columns, numbers * columns, n * columns, 0);
    let forward = |columns: u64| operations(numbers * columns, numbers * columns, 0, 0);
    let inverse = factors + operations(triangles, triangles, 0, 0) + backward(n);
    match function {
        MatrixFunction::Solve | MatrixFunction::ExactSolve if triangular => backward(columns),
        MatrixFunction::Inverse if triangular => operations(triangles, triangles, n + numbers, 0),
        MatrixFunction::Determinant if triangular => operations(0, n, 0, 0),
        MatrixFunction::LogDeterminant if triangular => operations(n, 0, 0, n),
        // Of the symmetric part, which is taken first.
        MatrixFunction::Cholesky => operations(n * n + triangles, n * n + triangles, n + numbers, 0),
        MatrixFunction::Solve | MatrixFunction::ExactSolve => factors + forward(columns) + backward(columns),
        MatrixFunction::Inverse => inverse,
        MatrixFunction::Determinant => factors + operations(0, n, 0, 0),
        MatrixFunction::LogDeterminant => factors + operations(n, 0, 0, n),
        MatrixFunction::Cofactor if columns == 0 => inverse + operations(0, n + n * n, 0, 0),
        // ⟨c, h⟩ a⁻ᵀ − a⁻ᵀ hᵀ c
        MatrixFunction::Cofactor => {
            let products = 2 * n * n * n;
            inverse + operations(products, products + n + 3 * n * n, 0, 0)
        }
        // Computed in the numbers that count.
        MatrixFunction::CholeskyTangent | MatrixFunction::CholeskyCotangent => NOTHING,
        // Counted while the system is solved.
        MatrixFunction::SparseSolve | MatrixFunction::ExactSparseSolve | MatrixFunction::ExactSparseSolveTransposed => {
            NOTHING
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn operations_are_counted_by_kind() {
        let (x, operations) = count(|| {
            let (a, b) = (Counted(3.0), Counted(4.0));
            let square = Counted::apply(&scalar::POWI, &[a, Counted(2.0)]);
            let sum = Monoid::add(&square, &b.mul(&b));
            Counted::apply(&scalar::SQRT, &[Counted::apply(&scalar::NEG, &[sum.neg()])])
        });
        assert_eq!(x, Counted(5.0));
        assert_eq!(operations, Operations { additions: 1, multiplications: 2, divisions: 1, functions: 0, copies: 0 });
        assert_eq!(operations.total(), 4);
        assert_eq!(count(|| ()).1.total(), 0);
    }

    /// The operations for a large matrix with a number above its diagonal, in units of n³.
    fn cubes(function: MatrixFunction, above: f64) -> f64 {
        let n = 60;
        let entry = |at: usize| match (at / n).cmp(&(at % n)) {
            Ordering::Less => above,
            Ordering::Equal => 2.0,
            Ordering::Greater => 0.01,
        };
        let a: Vec<Counted> = (0..n * n).map(|at| Counted(entry(at))).collect();
        let (columns, b) = if function == MatrixFunction::Solve { (1, &a[..n]) } else { (0, &a[..]) };
        count(|| Counted::matrix(function, n, columns, &a, b)).1.total() as f64 / (n * n * n) as f64
    }

    #[test]
    fn functions_of_matrices_take_what_the_books_say() {
        let books = [
            (MatrixFunction::Cholesky, 1.0 / 3.0, 1.0 / 3.0),
            (MatrixFunction::CholeskyTangent, 2.0 / 3.0, 2.0 / 3.0),
            (MatrixFunction::CholeskyCotangent, 2.0 / 3.0, 2.0 / 3.0),
            (MatrixFunction::Solve, 2.0 / 3.0, 0.0),
            (MatrixFunction::Inverse, 2.0, 1.0 / 3.0),
            (MatrixFunction::Determinant, 2.0 / 3.0, 0.0),
            (MatrixFunction::LogDeterminant, 2.0 / 3.0, 0.0),
            (MatrixFunction::Cofactor, 2.0, 2.0),
        ];
        for (function, full, triangular) in books {
            for (above, expected) in [(0.01, full), (0.0, triangular)] {
                let found = cubes(function, above);
                assert!((found - expected).abs() < 4.0 / 60.0, "{function:?}, {above} above: {found} n³");
            }
        }
    }
}
