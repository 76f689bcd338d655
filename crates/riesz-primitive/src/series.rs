//! Truncated Taylor series: `Σₙ cₙ tⁿ` up to a fixed order. The product of two costs O(k²).
//!
//! A primitive of series follows from its derivative, `(f u)' = Σᵢ cᵢ(u, f u) · uᵢ'`, order by order: the coefficients `cᵢ` are
//! needed to one order less than the result. Zeros are exact: a series whose derivative is zero contributes nothing.

use riesz_algebra::{Module, Monoid, Ring, Semiring};

use crate::derivative::{Coefficient, Derivative, partial_derivatives};
use crate::matrix::{MatrixFunction, cholesky_cotangent, cholesky_tangent};
use crate::number::Number;
use crate::primitive::Primitive;
use crate::scalar;

/// A truncated Taylor series. What lies beyond the last coefficient is zero for a constant, and else unknown.
#[derive(Clone, Debug)]
pub struct Series {
    coefficients: Vec<f64>,
}

impl Series {
    /// `x + t v`, up to an order.
    pub fn line(x: f64, v: f64, order: usize) -> Series {
        let mut coefficients = vec![0.0; order + 1];
        coefficients[0] = x;
        if let Some(first) = coefficients.get_mut(1) {
            *first = v;
        }
        Series { coefficients }
    }

    /// The coefficient of `tⁿ`.
    pub fn coefficient(&self, n: usize) -> f64 {
        self.coefficients.get(n).copied().unwrap_or(0.0)
    }

    /// How many coefficients are known.
    fn len(&self) -> usize {
        self.coefficients.len()
    }

    fn from_fn(len: usize, coefficient: impl FnMut(usize) -> f64) -> Series {
        Series { coefficients: (0..len).map(coefficient).collect() }
    }

    fn truncated(&self, len: usize) -> Series {
        Series { coefficients: self.coefficients[..self.len().min(len)].to_vec() }
    }

    /// The coefficient of `tⁿ` in the derivative.
    fn slope(&self, n: usize) -> f64 {
        (n + 1) as f64 * self.coefficient(n + 1)
    }

    /// The quotient, order by order: `q b = a`.
    fn over(&self, divisor: &Series) -> Series {
        let mut quotient: Vec<f64> = Vec::new();
        for n in 0..self.len().max(divisor.len()) {
            let known: f64 = (0..n).map(|k| divisor.coefficient(n - k).scale(&quotient[k])).sum();
            quotient.push((self.coefficient(n) - known) / divisor.coefficient(0));
        }
        Series { coefficients: quotient }
    }
}

impl Monoid for Series {
    fn zero() -> Series {
        Series::constant(0.0)
    }

    fn add(&self, other: &Series) -> Series {
        Series::from_fn(self.len().max(other.len()), |n| self.coefficient(n) + other.coefficient(n))
    }
}

impl Semiring for Series {
    fn one() -> Series {
        Series::constant(1.0)
    }

    fn mul(&self, other: &Series) -> Series {
        // Values multiply as IEEE says, what varies with exact zeros.
        Series::from_fn(self.len().max(other.len()), |n| match n {
            0 => self.coefficient(0) * other.coefficient(0),
            n => (0..=n).map(|k| other.coefficient(n - k).scale(&self.coefficient(k))).sum(),
        })
    }
}

impl Ring for Series {
    fn neg(&self) -> Series {
        Series { coefficients: self.coefficients.iter().map(|c| -c).collect() }
    }
}

impl Number for Series {
    fn constant(x: f64) -> Series {
        Series { coefficients: vec![x] }
    }

    fn value(&self) -> f64 {
        self.coefficients[0]
    }

    fn apply(primitive: &'static Primitive, arguments: &[Series]) -> Series {
        let plain: Vec<f64> = arguments.iter().map(Series::value).collect();
        let len = arguments.iter().map(Series::len).max().unwrap_or(1);
        let value = f64::apply(primitive, &plain);
        if len == 1 {
            return Series::constant(value);
        }
        if *primitive == scalar::DIV {
            return arguments[0].over(&arguments[1]);
        }
        match primitive.derivative() {
            Some(Derivative::Scale(coefficients)) => by_derivative(coefficients, arguments, value, len),
            Some(Derivative::Multilinear) => arguments[0].mul(&arguments[1]).with_value(value),
            Some(Derivative::Linear) => {
                let partials = partial_derivatives(primitive, &plain, &value);
                let sum = |n: usize| arguments.iter().zip(&partials).map(|(a, c)| a.coefficient(n).scale(c)).sum();
                Series::from_fn(len, sum).with_value(value)
            }
            _ => Series::from_fn(len, |n| if n == 0 { value } else { 0.0 }),
        }
    }

    fn matrix(function: MatrixFunction, n: usize, columns: usize, a: &[Series], b: &[Series]) -> Vec<Series> {
        let len = a.iter().chain(b).map(Series::len).max().unwrap_or(1);
        let (entries, a) = (a, Expansion::new(a, len));
        let identity = |order: usize| match order {
            0 => (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect(),
            _ => vec![0.0; n * n],
        };
        match function {
            MatrixFunction::Solve => a.solve(n, columns, &Expansion::new(b, len)).series(n * columns),
            MatrixFunction::Inverse => {
                let orders = (0..len).map(identity).collect();
                a.solve(n, n, &Expansion { orders }).series(n * n)
            }
            MatrixFunction::Cholesky => a.cholesky(n).series(n * n),
            MatrixFunction::CholeskyTangent => cholesky_tangent(n, entries, b),
            MatrixFunction::CholeskyCotangent => cholesky_cotangent(n, entries, b),
            MatrixFunction::LogDeterminant => vec![a.log_determinant(n)],
            MatrixFunction::Determinant | MatrixFunction::Cofactor => {
                // det = ± exp (logdet); the cofactor matrix is det · a⁻ᵀ.
                let value = f64::matrix(MatrixFunction::Determinant, n, 0, &a.orders[0], &[])[0];
                let logarithm = a.log_determinant(n);
                let varying = Series::constant(0.0).add(&logarithm).with_value(0.0);
                let determinant = Series::constant(value).mul(&Series::apply(&scalar::EXP, &[varying]));
                if function == MatrixFunction::Determinant {
                    return vec![determinant];
                }
                let orders = (0..len).map(identity).collect();
                let inverse = a.solve(n, n, &Expansion { orders }).series(n * n);
                (0..n * n).map(|at| determinant.mul(&inverse[at % n * n + at / n])).collect()
            }
        }
    }
}

impl Series {
    /// The series with its value as the primitive itself computes it.
    fn with_value(mut self, value: f64) -> Series {
        self.coefficients[0] = value;
        self
    }
}

/// `(f u)' = Σᵢ cᵢ(u, f u) · uᵢ'`, order by order.
fn by_derivative(coefficients: &'static [Coefficient], arguments: &[Series], value: f64, len: usize) -> Series {
    let mut result = Series::constant(value);
    let lower: Vec<Series> = arguments.iter().map(|argument| argument.truncated(len - 1)).collect();
    // Coefficients that do not use the result are known to every order at once.
    let known: Vec<Option<Series>> = coefficients
        .iter()
        .zip(arguments)
        .map(|(coefficient, argument)| match () {
            () if argument.len() == 1 => Some(Series::zero()),
            () if uses_result(coefficient) => None,
            () => Some(coefficient.evaluate(&lower, &result)),
        })
        .collect();
    for n in 0..len - 1 {
        let so_far: Vec<Series> = arguments.iter().map(|argument| argument.truncated(n + 1)).collect();
        let mut slope = 0.0;
        for (at, argument) in arguments.iter().enumerate().filter(|(_, argument)| argument.len() > 1) {
            let computed;
            let coefficient = match &known[at] {
                Some(known) => known,
                None => {
                    computed = coefficients[at].evaluate(&so_far, &result);
                    &computed
                }
            };
            slope += (0..=n).map(|k| argument.slope(n - k).scale(&coefficient.coefficient(k))).sum::<f64>();
        }
        result.coefficients.push(slope / (n + 1) as f64);
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
struct Expansion {
    orders: Vec<Vec<f64>>,
}

impl Expansion {
    fn new(entries: &[Series], len: usize) -> Expansion {
        let order = |n: usize| entries.iter().map(|entry| entry.coefficient(n)).collect();
        Expansion { orders: (0..len).map(order).collect() }
    }

    fn series(&self, entries: usize) -> Vec<Series> {
        (0..entries).map(|at| Series::from_fn(self.orders.len(), |n| self.orders[n][at])).collect()
    }

    /// `a x = b`: `a₀ xₙ = bₙ − Σ aₖ xₙ₋ₖ`.
    fn solve(&self, n: usize, columns: usize, b: &Expansion) -> Expansion {
        let mut orders: Vec<Vec<f64>> = Vec::new();
        for order in 0..self.orders.len() {
            let mut right = b.orders[order].clone();
            for k in 1..=order {
                subtract_product(&mut right, &self.orders[k], &orders[order - k], n, columns);
            }
            orders.push(f64::matrix(MatrixFunction::Solve, n, columns, &self.orders[0], &right));
        }
        Expansion { orders }
    }

    /// `(log det a)' = tr (a⁻¹ a')`
    fn log_determinant(&self, n: usize) -> Series {
        let slopes = Expansion {
            orders: (1..self.orders.len())
                .map(|order| self.orders[order].iter().map(|entry| order as f64 * entry).collect())
                .collect(),
        };
        let lower = Expansion { orders: self.orders[..slopes.orders.len()].to_vec() };
        let ratio = lower.solve(n, n, &slopes);
        let mut coefficients = f64::matrix(MatrixFunction::LogDeterminant, n, 0, &self.orders[0], &[]);
        for (order, matrix) in ratio.orders.iter().enumerate() {
            let trace: f64 = (0..n).map(|at| matrix[at * n + at]).sum();
            coefficients.push(trace / (order + 1) as f64);
        }
        Series { coefficients }
    }

    /// `l lᵀ = ½ (a + aᵀ)`: `lₙ = l₀ Φ(l₀⁻¹ c l₀⁻ᵀ)`, where `c` is what the lower orders leave of `aₙ`.
    fn cholesky(&self, n: usize) -> Expansion {
        let first = f64::matrix(MatrixFunction::Cholesky, n, 0, &self.orders[0], &[]);
        let mut orders = vec![first.clone()];
        for order in 1..self.orders.len() {
            let a = &self.orders[order];
            let mut left: Vec<f64> = (0..n * n).map(|at| 0.5 * (a[at] + a[at % n * n + at / n])).collect();
            for k in 1..order {
                let transposed = transpose(&orders[order - k], n);
                subtract_product(&mut left, &orders[k], &transposed, n, n);
            }
            let half = f64::matrix(MatrixFunction::Solve, n, n, &first, &left);
            let both = f64::matrix(MatrixFunction::Solve, n, n, &first, &transpose(&half, n));
            let lower = (0..n * n).map(|at| match (at / n).cmp(&(at % n)) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => -0.5 * both[at],
                std::cmp::Ordering::Greater => -both[at],
            });
            let mut product = vec![0.0; n * n];
            subtract_product(&mut product, &first, &lower.collect::<Vec<f64>>(), n, n);
            orders.push(product);
        }
        Expansion { orders }
    }
}

fn transpose(matrix: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|at| matrix[at % n * n + at / n]).collect()
}

/// `target −= left · right`, with exact zeros.
fn subtract_product(target: &mut [f64], left: &[f64], right: &[f64], n: usize, columns: usize) {
    for i in 0..n {
        for k in 0..n {
            for j in 0..columns {
                target[i * columns + j] -= right[k * columns + j].scale(&left[i * n + k]);
            }
        }
    }
}
