//! Derivatives as data: `D f x` is a linear map, and the row says which.
//!
//! A derivative is stated once and read by every mode: forward mode applies it, reverse mode transposes it, and
//! symbolic differentiation prints it. Since its coefficients are primitives, it has derivatives of every order.
//!
//! **Zeros are exact.** Code that applies a derivative multiplies tangents by
//! [`Module::scale`](riesz_algebra::Module::scale), so that a coefficient or tangent that is exactly zero contributes
//! exactly zero. The coefficients themselves are values and follow IEEE 754; a coefficient that needs the exact product
//! uses [`EXACT_MUL`](crate::scalar::EXACT_MUL). A coefficient may therefore be NaN if the function does not vary in
//! that argument: `log x` in the derivative of `x^y` for negative `x` does no harm while `y` is a constant.

use crate::number::Number;
use crate::primitive::Primitive;

/// The derivative of a primitive `f` at its arguments.
#[derive(Debug)]
pub enum Derivative {
    /// `D f x = 0`: locally constant, or no function of reals.
    Zero,
    /// `D f x = f`: linear in its real arguments together.
    Linear,
    /// `D f (x, y) (dx, dy) = f (dx, y) + f (x, dy)`: linear in each real argument.
    Multilinear,
    /// `D f x = Σᵢ scale(cᵢ) ∘ projectᵢ`: a coefficient for each argument.
    Scale(&'static [Coefficient]),
    /// `D f x = Σᵢ tᵢ`: terms in the tangents of the arguments.
    Terms(&'static [LinearTerm]),
    /// `D f (a, h…) (da, dh…) = f (a, h…, da) + Σᵢ f (a, …, dhᵢ, …)`: of a function that is its own derivative of every
    /// order, in the directions `h` that it takes besides `a`. Each of these maps is its own adjoint.
    Directional,
}

/// A value that a derivative is made of.
#[derive(Debug)]
pub enum Coefficient {
    /// An argument of the primitive.
    Argument(usize),
    /// The primitive's result: the derivative of `exp` is itself.
    Result,
    /// A number.
    Constant(f64),
    /// A primitive of such values.
    Apply(&'static Primitive, &'static [Coefficient]),
    /// One value or another, by comparing numbers.
    If {
        /// The left side of the comparison.
        left: &'static Coefficient,
        /// The comparison.
        comparison: Comparison,
        /// Its right side.
        right: &'static Coefficient,
        /// The value where it holds.
        then: &'static Coefficient,
        /// The value where it does not, also where a side is NaN.
        otherwise: &'static Coefficient,
    },
}

/// The comparisons of [`Coefficient::If`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `left < right`
    Less,
    /// `left == right`
    Equal,
}

/// A linear function of the tangents of a primitive's arguments: numbers, vectors and matrices.
///
/// The adjoint of `Inner` is the multiple of its value, `Cholesky` and `CholeskyAdjoint` are each other's, `Transpose`,
/// `LowerTriangle` and `Symmetric` are their own, those of `Left`, `Right` and `Solve` have the transposed matrix.
#[derive(Debug)]
pub enum LinearTerm {
    /// `dxᵢ`: the tangent of an argument.
    Tangent(usize),
    /// `Σᵢ tᵢ`
    Sum(&'static [LinearTerm]),
    /// `−t`
    Negate(&'static LinearTerm),
    /// `⟨v, t⟩`: the inner product with a value.
    Inner(Coefficient, &'static LinearTerm),
    /// `dot(a, t)`: the product with a matrix on the left.
    Left(Coefficient, &'static LinearTerm),
    /// `dot(t, a)`: the product with a matrix or vector on the right.
    Right(&'static LinearTerm, Coefficient),
    /// `a⁻¹ t`: the solution of a linear system, in which a column of zeros has the solution zero.
    Solve(Coefficient, &'static LinearTerm),
    /// `a⁻¹ t` or `a⁻ᵀ t` by a function of a list of entries, that of the first argument.
    System(&'static Primitive, &'static LinearTerm),
    /// `t x` or `tᵀ x`: the product of a list of entries, at the places of that of the first argument, with a vector.
    Entries {
        /// The list.
        list: &'static LinearTerm,
        /// Whether rows are columns.
        transposed: bool,
        /// The vector.
        vector: Coefficient,
    },
    /// `tᵀ`
    Transpose(&'static LinearTerm),
    /// The lower triangle of a matrix, with zeros above it.
    LowerTriangle(&'static LinearTerm),
    /// `½ (t + tᵀ)`: the symmetric part.
    Symmetric(&'static LinearTerm),
    /// `l Φ(l⁻¹ sym(t) l⁻ᵀ)`, where `Φ` is the lower triangle with half the diagonal: what a factor `l` of Cholesky varies
    /// by where the matrix varies by `t`.
    Cholesky(Coefficient, &'static LinearTerm),
    /// `sym(l⁻ᵀ Φ(lᵀ t) l⁻¹)`: its adjoint.
    CholeskyAdjoint(Coefficient, &'static LinearTerm),
}

impl Coefficient {
    /// The value in any scalar algebra, given the primitive's arguments and result there.
    pub fn evaluate<S: Number>(&self, arguments: &[S], result: &S) -> S {
        match self {
            Coefficient::Argument(i) => arguments[*i].clone(),
            Coefficient::Result => result.clone(),
            Coefficient::Constant(x) => S::constant(*x),
            Coefficient::Apply(primitive, operands) => {
                let operands: Vec<S> = operands.iter().map(|operand| operand.evaluate(arguments, result)).collect();
                S::apply(primitive, &operands)
            }
            Coefficient::If { left, comparison, right, then, otherwise } => {
                let left = left.evaluate(arguments, result).value();
                let right = right.evaluate(arguments, result).value();
                let chosen = if comparison.holds(left, right) { then } else { otherwise };
                chosen.evaluate(arguments, result)
            }
        }
    }
}

impl Comparison {
    /// Whether the comparison holds, as IEEE 754 has it: never for NaN.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::Equal => left == right,
        }
    }
}

/// The coefficients of a scalar row that is linear: the same everywhere.
///
/// # Panics
/// If the row is not a function of real numbers.
pub fn linear_coefficients(primitive: &'static Primitive) -> Vec<f64> {
    let arguments = vec![0.0; primitive.scalar().map_or(0, |row| row.domain.len())];
    partial_derivatives(primitive, &arguments, &0.0)
}

/// `∂f/∂xᵢ`: the partial derivative of a scalar row by each argument, in any scalar algebra, given the row's arguments
/// and result there.
///
/// The coefficient of a linear function by its argument `i` is its value at the `i`-th unit vector; of a multilinear one
/// its value with argument `i` replaced by 1.
///
/// # Panics
/// If the row is not a function of real numbers.
pub fn partial_derivatives<S: Number>(primitive: &'static Primitive, arguments: &[S], result: &S) -> Vec<S> {
    let Some(scalar) = primitive.scalar() else { panic!("{primitive:?} is not a function of numbers") };
    let replace = |others: &dyn Fn(usize) -> S, i: usize| -> S {
        let at: Vec<S> = (0..arguments.len()).map(|j| if i == j { S::one() } else { others(j) }).collect();
        S::apply(primitive, &at)
    };
    match &scalar.derivative {
        Derivative::Zero => arguments.iter().map(|_| S::zero()).collect(),
        Derivative::Linear => (0..arguments.len()).map(|i| replace(&|_| S::zero(), i)).collect(),
        Derivative::Multilinear => (0..arguments.len()).map(|i| replace(&|j| arguments[j].clone(), i)).collect(),
        Derivative::Scale(coefficients) => coefficients.iter().map(|c| c.evaluate(arguments, result)).collect(),
        Derivative::Terms(_) | Derivative::Directional => {
            panic!("{primitive:?} has the derivative of a function of matrices")
        }
    }
}
