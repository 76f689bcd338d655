//! Truncated Taylor series: `Σₙ cₙ tⁿ` up to a fixed order. The product of two costs O(k²).
//!
//! The coefficients are numbers of any algebra, because series inside derivatives have varying coefficients.
//!
//! The result of a primitive on series follows from its derivative, `(f u)' = Σᵢ cᵢ(u, f u) · uᵢ'`, order by order: the
//! coefficients `cᵢ` are needed to one order less than the result. Zeros are exact: a series whose derivative is zero
//! contributes nothing.

use riesz_algebra::{Monoid, Ring, Semiring};

use crate::derivative::{Coefficient, Derivative, partial_derivatives};
use crate::matrix::{Entry, MatrixFunction, cholesky_cotangent, cholesky_tangent, cofactor, determinant, entries};
use crate::number::Number;
use crate::primitive::Primitive;
use crate::scalar;

/// A truncated Taylor series. What lies beyond the last coefficient is zero for a constant, and else unknown.
#[derive(Clone, Debug)]
pub struct Series<C> {
    coefficients: Vec<C>,
}

impl<C: Number> Series<C> {
    /// A coefficient that does not vary.
    pub fn of(value: C) -> Series<C> {
        Series { coefficients: vec![value] }
    }

    /// `x + t v`, up to an order.
    pub fn line(x: C, v: C, order: usize) -> Series<C> {
        let mut coefficients = vec![C::zero(); order + 1];
        coefficients[0] = x;
        if let Some(first) = coefficients.get_mut(1) {
            *first = v;
        }
        Series { coefficients }
    }

    /// The coefficient of `tⁿ`.
    pub fn coefficient(&self, n: usize) -> C {
        self.coefficients.get(n).cloned().unwrap_or_else(C::zero)
    }

    /// How many coefficients are known.
    fn len(&self) -> usize {
        self.coefficients.len()
    }

    fn from_fn(len: usize, coefficient: impl FnMut(usize) -> C) -> Series<C> {
        Series { coefficients: (0..len).map(coefficient).collect() }
    }

    fn truncated(&self, len: usize) -> Series<C> {
        Series { coefficients: self.coefficients[..self.len().min(len)].to_vec() }
    }

    /// The coefficient of `tⁿ` in the derivative.
    fn slope(&self, n: usize) -> C {
        C::constant((n + 1) as f64).mul(&self.coefficient(n + 1))
    }

    /// The quotient, order by order: `q b = a`.
    fn over(&self, divisor: &Series<C>) -> Series<C> {
        let mut quotient: Vec<C> = Vec::new();
        for n in 0..self.len().max(divisor.len()) {
            let known = sum((0..n).map(|k| divisor.coefficient(n - k).exact_product(&quotient[k])));
            quotient.push(ratio(self.coefficient(n).sub(&known), divisor.coefficient(0)));
        }
        Series { coefficients: quotient }
    }
}

fn sum<C: Number>(terms: impl Iterator<Item = C>) -> C {
    let mut iterations = 0;
    let sum = terms.fold(C::zero(), |sum, term| {
        iterations += 1;
        sum.add(&term)
    });
    riesz_limit::spend(iterations);
    sum
}

fn ratio<C: Number>(x: C, y: C) -> C {
    C::apply(&scalar::DIV, &[x, y])
}

impl<C: Number> Monoid for Series<C> {
    fn zero() -> Series<C> {
        Series::of(C::zero())
    }

    fn add(&self, other: &Series<C>) -> Series<C> {
        Series::from_fn(self.len().max(other.len()), |n| self.coefficient(n).add(&other.coefficient(n)))
    }
}

impl<C: Number> Semiring for Series<C> {
    fn one() -> Series<C> {
        Series::of(C::one())
    }

    fn mul(&self, other: &Series<C>) -> Series<C> {
        // Values multiply as IEEE says, what varies with exact zeros.
        Series::from_fn(self.len().max(other.len()), |n| match n {
            0 => self.coefficient(0).mul(&other.coefficient(0)),
            n => sum((0..=n).map(|k| other.coefficient(n - k).exact_product(&self.coefficient(k)))),
        })
    }
}

impl<C: Number> Ring for Series<C> {
    fn neg(&self) -> Series<C> {
        Series { coefficients: self.coefficients.iter().map(C::neg).collect() }
    }
}

impl<C: Number> Number for Series<C> {
    fn order(&self) -> Option<usize> {
        Some(self.coefficients[0].order()? + self.len() - 1)
    }

    fn constant(x: f64) -> Series<C> {
        Series::of(C::constant(x))
    }

    fn value(&self) -> f64 {
        self.coefficients[0].value()
    }

    fn apply(primitive: &'static Primitive, arguments: &[Series<C>]) -> Series<C> {
        let plain: Vec<C> = arguments.iter().map(|argument| argument.coefficients[0].clone()).collect();
        let len = arguments.iter().map(Series::len).max().unwrap_or(1);
        let value = C::apply(primitive, &plain);
        if len == 1 {
            return Series::of(value);
        }
        if *primitive == scalar::DIV {
            return arguments[0].over(&arguments[1]);
        }
        match primitive.derivative() {
            Some(Derivative::Scale(coefficients)) => by_derivative(coefficients, arguments, value, len),
            Some(Derivative::Multilinear) => arguments[0].mul(&arguments[1]).with_value(value),
            Some(Derivative::Linear) => {
                let partials = partial_derivatives(primitive, &plain, &value);
                let multiple = |n: usize, (a, c): (&Series<C>, &C)| a.coefficient(n).exact_product(c);
                let sum = |n: usize| sum(arguments.iter().zip(&partials).map(|pair| multiple(n, pair)));
                Series::from_fn(len, sum).with_value(value)
            }
            _ => Series::from_fn(len, |n| if n == 0 { value.clone() } else { C::zero() }),
        }
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Series<C>], b: &[Series<C>]) -> Vec<Series<C>> {
        let len = a.iter().chain(b).map(Series::len).max().unwrap_or(1);
        let (entries, a) = (a, Expansion::new(a, len));
        let order = C::ORDER.map(|order| order + len - 1);
        let identity = |order: usize| match order {
            0 => (0..n * n).map(|at| if at / n == at % n { C::one() } else { C::zero() }).collect(),
            _ => vec![C::zero(); n * n],
        };
        match function {
            MatrixFunction::Solve | MatrixFunction::ExactSolve => {
                a.solve(function, (n, columns), &Expansion::new(b, len)).series(n * columns)
            }
            MatrixFunction::SparseSolve
            | MatrixFunction::ExactSparseSolve
            | MatrixFunction::ExactSparseSolveTransposed => {
                a.solve(function, (n, columns), &Expansion::new(b, len)).series(n * columns)
            }
            MatrixFunction::Inverse => {
                let orders = (0..len).map(identity).collect();
                a.solve(MatrixFunction::Solve, (n, n), &Expansion { orders }).series(n * n)
            }
            MatrixFunction::Cholesky => a.cholesky(n).series(n * n),
            MatrixFunction::CholeskyTangent => cholesky_tangent(n, entries, b),
            MatrixFunction::CholeskyCotangent => cholesky_cotangent(n, entries, b),
            MatrixFunction::LogDeterminant => vec![a.log_determinant(n)],
            MatrixFunction::Determinant => {
                let value = C::matrix(function, n, 0, &a.orders[0], &[]).remove(0);
                vec![determinant(n, entries, order).with_value(value)]
            }
            MatrixFunction::Cofactor => cofactor(n, entries, b, order),
        }
    }
}

impl<C: Number> Series<C> {
    /// The series with its value as the primitive itself computes it.
    fn with_value(mut self, value: C) -> Series<C> {
        self.coefficients[0] = value;
        self
    }
}

/// `(f u)' = Σᵢ cᵢ(u, f u) · uᵢ'`, order by order.
fn by_derivative<C: Number>(
    coefficients: &'static [Coefficient],
    arguments: &[Series<C>],
    value: C,
    len: usize,
) -> Series<C> {
    riesz_limit::spend(len as u64);
    let mut result = Series::of(value);
    let lower: Vec<Series<C>> = arguments.iter().map(|argument| argument.truncated(len - 1)).collect();
    // Coefficients that do not use the result are known to every order at once.
    let known: Vec<Option<Series<C>>> = coefficients
        .iter()
        .zip(arguments)
        .map(|(coefficient, argument)| match () {
            () if argument.len() == 1 => Some(Series::zero()),
            () if uses_result(coefficient) => None,
            () => Some(coefficient.evaluate(&lower, &result)),
        })
        .collect();
    for n in 0..len - 1 {
        let so_far: Vec<Series<C>> = arguments.iter().map(|argument| argument.truncated(n + 1)).collect();
        let mut slope = C::zero();
        for (at, argument) in arguments.iter().enumerate().filter(|(_, argument)| argument.len() > 1) {
            let computed;
            let coefficient = match &known[at] {
                Some(known) => known,
                None => {
                    computed = coefficients[at].evaluate(&so_far, &result);
                    &computed
                }
            };
            let terms = (0..=n).map(|k| argument.slope(n - k).exact_product(&coefficient.coefficient(k)));
            slope = slope.add(&sum(terms));
        }
        result.coefficients.push(ratio(slope, C::constant((n + 1) as f64)));
    }
    result
}

fn uses_result(coefficient: &Coefficient) -> bool {
    match coefficient {
        Coefficient::Result => true,
        Coefficient::Argument(_) | Coefficient::Constant(_) => false,
        Coefficient::Apply(_, operands) => operands.iter().any(uses_result),
        Coefficient::If { left, right, then, otherwise, .. } => {
            [left, right, then, otherwise].into_iter().any(|operand| uses_result(operand))
        }
    }
}

/// A matrix of series as a series of matrices.
struct Expansion<C> {
    orders: Vec<Vec<C>>,
}

impl<C: Number> Expansion<C> {
    fn new(entries: &[Series<C>], len: usize) -> Expansion<C> {
        let order = |n: usize| entries.iter().map(|entry| entry.coefficient(n)).collect();
        Expansion { orders: (0..len).map(order).collect() }
    }

    fn series(&self, entries: usize) -> Vec<Series<C>> {
        (0..entries).map(|at| Series::from_fn(self.orders.len(), |n| self.orders[n][at].clone())).collect()
    }

    /// `a x = b`: `a₀ xₙ = bₙ − Σ aₖ xₙ₋ₖ`, with exact zeros in every order but that of the value, which is `first`.
    fn solve(&self, first: MatrixFunction, (n, columns): (usize, usize), b: &Expansion<C>) -> Expansion<C> {
        let mut orders: Vec<Vec<C>> = Vec::new();
        for order in 0..self.orders.len() {
            let mut right = b.orders[order].clone();
            for k in 1..=order {
                match first.is_sparse() {
                    true => self.subtract_entries(&mut right, k, &orders[order - k], (n, columns), first),
                    false => subtract_product(&mut right, &self.orders[k], &orders[order - k], n, columns),
                }
            }
            let function = match first {
                first if order == 0 => first,
                MatrixFunction::SparseSolve => MatrixFunction::ExactSparseSolve,
                first if first.is_sparse() => first,
                _ => MatrixFunction::ExactSolve,
            };
            orders.push(C::matrix(function, n, columns, &self.orders[0], &right));
        }
        Expansion { orders }
    }

    /// `target −= aₖ x`, where `a` is a list of entries.
    fn subtract_entries(
        &self,
        target: &mut [C],
        order: usize,
        x: &[C],
        (n, columns): (usize, usize),
        function: MatrixFunction,
    ) {
        for Entry { row, column, number } in entries(n, &self.orders[0]) {
            riesz_limit::spend(columns as u64);
            let (row, column) = match function {
                MatrixFunction::ExactSparseSolveTransposed => (column, row),
                _ => (row, column),
            };
            for j in 0..columns {
                let product = x[column * columns + j].exact_product(&self.orders[order][number]);
                target[row * columns + j] = target[row * columns + j].sub(&product);
            }
        }
    }

    /// `(log det a)' = tr (a⁻¹ a')`
    fn log_determinant(&self, n: usize) -> Series<C> {
        let slopes = Expansion {
            orders: (1..self.orders.len())
                .map(|order| self.orders[order].iter().map(|entry| C::constant(order as f64).mul(entry)).collect())
                .collect(),
        };
        let lower = Expansion { orders: self.orders[..slopes.orders.len()].to_vec() };
        let relative = lower.solve(MatrixFunction::ExactSolve, (n, n), &slopes);
        let mut coefficients = C::matrix(MatrixFunction::LogDeterminant, n, 0, &self.orders[0], &[]);
        for (order, matrix) in relative.orders.iter().enumerate() {
            let trace = sum((0..n).map(|at| matrix[at * n + at].clone()));
            coefficients.push(ratio(trace, C::constant((order + 1) as f64)));
        }
        Series { coefficients }
    }

    /// `l lᵀ = ½ (a + aᵀ)`: `lₙ = l₀ Φ(l₀⁻¹ c l₀⁻ᵀ)`, where `c` is what the lower orders leave of `aₙ`.
    fn cholesky(&self, n: usize) -> Expansion<C> {
        let [half, minus_half] = [0.5, -0.5].map(C::constant);
        let first = C::matrix(MatrixFunction::Cholesky, n, 0, &self.orders[0], &[]);
        let mut orders = vec![first.clone()];
        for order in 1..self.orders.len() {
            let a = &self.orders[order];
            let symmetric = |at: usize| half.mul(&a[at].add(&a[at % n * n + at / n]));
            let mut left: Vec<C> = (0..n * n).map(symmetric).collect();
            for k in 1..order {
                let transposed = transpose(&orders[order - k], n);
                subtract_product(&mut left, &orders[k], &transposed, n, n);
            }
            let one_side = C::matrix(MatrixFunction::ExactSolve, n, n, &first, &left);
            let both = C::matrix(MatrixFunction::ExactSolve, n, n, &first, &transpose(&one_side, n));
            let lower = (0..n * n).map(|at| match (at / n).cmp(&(at % n)) {
                std::cmp::Ordering::Less => C::zero(),
                std::cmp::Ordering::Equal => minus_half.mul(&both[at]),
                std::cmp::Ordering::Greater => both[at].neg(),
            });
            let mut product = vec![C::zero(); n * n];
            subtract_product(&mut product, &first, &lower.collect::<Vec<C>>(), n, n);
            orders.push(product);
        }
        Expansion { orders }
    }
}

fn transpose<C: Number>(matrix: &[C], n: usize) -> Vec<C> {
    (0..n * n).map(|at| matrix[at % n * n + at / n].clone()).collect()
}

/// `target −= left · right`, with exact zeros.
fn subtract_product<C: Number>(target: &mut [C], left: &[C], right: &[C], n: usize, columns: usize) {
    for i in 0..n {
        riesz_limit::spend((n * columns) as u64);
        for k in 0..n {
            for j in 0..columns {
                let product = right[k * columns + j].exact_product(&left[i * n + k]);
                target[i * columns + j] = target[i * columns + j].sub(&product);
            }
        }
    }
}
