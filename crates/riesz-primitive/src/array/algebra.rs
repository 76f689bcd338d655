//! Linear algebra: products of vectors and matrices, and the functions that factor a matrix.

use super::{Adjoint, Array, Contraction, LinearIn, Matrix, MatrixResult, Product, TRANSPOSE};
use crate::derivative::Coefficient::{Apply, Argument, Result};
use crate::derivative::LinearTerm::{
    Cholesky, CholeskyAdjoint, Entries, Inner, Left, LowerTriangle, Negate, Right, Solve, Sum, Symmetric, System,
    Tangent, Transpose,
};
use crate::derivative::{Coefficient, Derivative, LinearTerm};
use crate::matrix::MatrixFunction;
use crate::primitive::{Form, Kind, Primitive};
use crate::scalar;

pub(super) static ROWS: &[&Primitive] = &[
    &DOT,
    &EXACT_DOT,
    &OUTER,
    &INNER,
    &CHOLESKY,
    &CHOLESKY_TANGENT,
    &CHOLESKY_COTANGENT,
    &SOLVE,
    &EXACT_SOLVE,
    &SPARSE_SOLVE,
    &EXACT_SPARSE_SOLVE,
    &EXACT_SPARSE_SOLVE_TRANSPOSED,
    &INV,
    &DET,
    &LOGDET,
    &COFACTOR,
];

/// `D dot (a, b) (da, db) = dot (da, b) + dot (a, db)`
pub static DOT: Primitive = Primitive {
    name: "dot",
    signatures: &[
        "(u: [n]R, v: [n]R): R",
        "(a: [m][n]R, v: [n]R): [m]R",
        "(u: [m]R, a: [m][n]R): [n]R",
        "(a: [m][k]R, b: [k][n]R): [m][n]R",
    ],
    summary: "The product of vectors and matrices: the last axis of the first with the first axis of the second.",
    example: "dot([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]) == [3.0, 7.0]",
    kind: Kind::Array(Array::Product(Product { contraction: Contraction::Inner, times: &scalar::MUL })),
};

/// `dot` in a derivative: an exactly zero factor gives an exactly zero product. `D = exact dot` in each argument
pub static EXACT_DOT: Primitive = Primitive {
    name: "exact dot",
    signatures: DOT.signatures,
    summary: "The contraction in which zero times anything is zero.",
    example: "",
    kind: Kind::Array(Array::Product(Product { contraction: Contraction::Inner, times: &scalar::EXACT_MUL })),
};

/// `D outer (u, v) (du, dv) = outer (du, v) + outer (u, dv)`
pub static OUTER: Primitive = Primitive {
    name: "outer",
    signatures: &["(u: [m]R, v: [n]R): [m][n]R"],
    summary: "The matrix of all products `u[i] * v[j]`.",
    example: "outer([1.0, 2.0], [3.0, 4.0]) == [[3.0, 4.0], [6.0, 8.0]]",
    kind: Kind::Array(Array::Product(Product { contraction: Contraction::Outer, times: &scalar::MUL })),
};

/// `D inner (u, v) (du, dv) = inner (du, v) + inner (u, dv)`
pub static INNER: Primitive = Primitive {
    name: "inner",
    signatures: &["(u: t, v: t): R"],
    summary: "The inner product of any vector space: the sum of the products of all components.",
    example: "inner((1.0, [2.0]), (3.0, [4.0])) == 11.0",
    kind: Kind::Form(Form::Inner),
};

/// `D cholesky a (da) = l Φ(l⁻¹ s l⁻ᵀ)`, where `s` is the symmetric part of `da`
pub static CHOLESKY: Primitive = Primitive {
    name: "cholesky",
    signatures: &["(a: [n][n]R): [n][n]R"],
    summary: "The lower triangular `l` with `dot(l, transpose(l)) = a`; of the symmetric part of `a`, NaN if indefinite.",
    example: "cholesky([[4.0, 2.0], [2.0, 5.0]]) ~= [[2.0, 0.0], [1.0, 2.0]]",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::Cholesky,
        result: MatrixResult::Like(0),
        derivative: Derivative::Terms(&[Cholesky(Result, &Tangent(0))]),
        linear: LinearIn::Nothing,
        rust: "cholesky",
    })),
};

/// `D T (l, s) (dl, ds) = T ds + dl p − 2 T (dl (p lᵀ + tᵀ))`, where `T = D cholesky` at `l lᵀ`, `t = T s` and `p = l⁻¹ t`
pub static CHOLESKY_TANGENT: Primitive = Primitive {
    name: "cholesky tangent",
    signatures: &["(l: [n][n]R, s: [n][n]R): [n][n]R"],
    summary: "The derivative of `cholesky` where the factor is `l`, applied to `s`.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::CholeskyTangent,
        result: MatrixResult::Like(0),
        derivative: Derivative::Terms(&[LowerTriangle(&Sum(&[
            Cholesky(Argument(0), &Tangent(1)),
            FACTOR_MOVED,
            Negate(&Cholesky(Argument(0), &Sum(&[MATRIX_MOVED, MATRIX_MOVED]))),
        ]))]),
        linear: LinearIn::Last(Adjoint::Apply(
            &CHOLESKY_COTANGENT,
            &[Adjoint::Argument(0), Adjoint::LowerTriangle(&Adjoint::Cotangent)],
        )),
        rust: "cholesky_tangent",
    })),
};

/// `dl p`
const FACTOR_MOVED: LinearTerm = Right(&Tangent(0), FACTOR_SOLVED);

/// `dl (p lᵀ + tᵀ)`
const MATRIX_MOVED: LinearTerm =
    Sum(&[Right(&FACTOR_MOVED, TRANSPOSED), Right(&Tangent(0), Apply(&TRANSPOSE, &[Result]))]);

/// `p = l⁻¹ t`
const FACTOR_SOLVED: Coefficient = Apply(&SOLVE, &[Argument(0), Result]);

/// `D Tᵀ (l, w) (dl, dw) = Tᵀ (dw + l⁻ᵀ dlᵀ w) − 2 sym(l⁻ᵀ dlᵀ c)`, where `T = D cholesky` at `l lᵀ`, `c = Tᵀ w`, and `w` is
/// lower triangular
pub static CHOLESKY_COTANGENT: Primitive = Primitive {
    name: "cholesky cotangent",
    signatures: &["(l: [n][n]R, w: [n][n]R): [n][n]R"],
    summary: "The adjoint of the derivative of `cholesky` where the factor is `l`, applied to `w`.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::CholeskyCotangent,
        result: MatrixResult::Like(0),
        derivative: Derivative::Terms(&[
            CholeskyAdjoint(
                Argument(0),
                &Sum(&[Tangent(1), Solve(TRANSPOSED, &Right(&Transpose(&Tangent(0)), Argument(1)))]),
            ),
            Negate(&Symmetric(&Sum(&[RESULT_MOVED, RESULT_MOVED]))),
        ]),
        linear: LinearIn::Last(Adjoint::Apply(&CHOLESKY_TANGENT, &[Adjoint::Argument(0), Adjoint::Cotangent])),
        rust: "cholesky_cotangent",
    })),
};

/// `l⁻ᵀ dlᵀ c`
const RESULT_MOVED: LinearTerm = Solve(TRANSPOSED, &Right(&Transpose(&Tangent(0)), Result));

/// `lᵀ`
const TRANSPOSED: Coefficient = Apply(&TRANSPOSE, &[Argument(0)]);

/// `D solve (a, b) (da, db) = a⁻¹ (db − da x)`
pub static SOLVE: Primitive = Primitive {
    name: "solve",
    signatures: &["(a: [n][n]R, b: [n]R): [n]R", "(a: [n][n]R, b: [n][m]R): [n][m]R"],
    summary: "The solution `x` of `dot(a, x) = b`; NaN where `a` is singular.",
    example: "solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]) == [1.0, 0.5]",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::Solve,
        result: MatrixResult::Like(1),
        derivative: Derivative::Terms(SOLUTION_MOVED),
        linear: LinearIn::Nothing,
        rust: "solve",
    })),
};

/// `solve` in a derivative: where a column of `b` is exactly zero, so is that of the solution. `D = exact solve` in `b`
pub static EXACT_SOLVE: Primitive = Primitive {
    name: "exact solve",
    signatures: SOLVE.signatures,
    summary: "The solution in which a column of zeros has the solution zero, also where `a` is singular.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::ExactSolve,
        result: MatrixResult::Like(1),
        derivative: Derivative::Terms(SOLUTION_MOVED),
        linear: LinearIn::Last(Adjoint::Apply(
            &EXACT_SOLVE,
            &[Adjoint::Apply(&TRANSPOSE, &[Adjoint::Argument(0)]), Adjoint::Cotangent],
        )),
        rust: "exact_solve",
    })),
};

/// `a⁻¹ (db − da x)`
const SOLUTION_MOVED: &[LinearTerm] = &[Solve(Argument(0), &Sum(&[Tangent(1), Negate(&Right(&Tangent(0), Result))]))];

/// `solve` where the matrix is a list of entries: rows, columns, numbers. The places choose the algorithm.
pub static SPARSE_SOLVE: Primitive = Primitive {
    name: "sparse solve",
    signatures: SPARSE_SIGNATURES,
    summary: "The solution of a linear system whose matrix is a list of entries; NaN where it is singular.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::SparseSolve,
        result: MatrixResult::Like(1),
        derivative: Derivative::Terms(&SPARSE_SOLUTION_MOVED),
        linear: LinearIn::Nothing,
        rust: "sparse_solve",
    })),
};

/// The same in a derivative: where `b` is zero, so is the solution.
pub static EXACT_SPARSE_SOLVE: Primitive = Primitive {
    name: "exact sparse solve",
    signatures: SPARSE_SIGNATURES,
    summary: "The solution of a linear system whose matrix is a list of entries; zero where the right side is.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::ExactSparseSolve,
        result: MatrixResult::Like(1),
        derivative: Derivative::Terms(&SPARSE_SOLUTION_MOVED),
        linear: LinearIn::Last(Adjoint::Apply(
            &EXACT_SPARSE_SOLVE_TRANSPOSED,
            &[Adjoint::Argument(0), Adjoint::Cotangent],
        )),
        rust: "exact_sparse_solve",
    })),
};

/// `D solveᵀ (a, b) (da, db) = a⁻ᵀ (db − daᵀ x)`
pub static EXACT_SPARSE_SOLVE_TRANSPOSED: Primitive = Primitive {
    name: "exact transposed sparse solve",
    signatures: SPARSE_SIGNATURES,
    summary: "The solution of the system with the transposed matrix; zero where the right side is.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::ExactSparseSolveTransposed,
        result: MatrixResult::Like(1),
        derivative: Derivative::Terms(&[System(
            &EXACT_SPARSE_SOLVE_TRANSPOSED,
            &Sum(&[Tangent(1), Negate(&Entries { list: &Tangent(0), transposed: true, vector: Result })]),
        )]),
        linear: LinearIn::Last(Adjoint::Apply(&EXACT_SPARSE_SOLVE, &[Adjoint::Argument(0), Adjoint::Cotangent])),
        rust: "exact_sparse_solve_transposed",
    })),
};

const SPARSE_SIGNATURES: &[&str] = &["(a: [3][k]R, b: [n]R): [n]R"];

/// `a⁻¹ (db − da x)`
static SPARSE_SOLUTION_MOVED: [LinearTerm; 1] = [System(
    &EXACT_SPARSE_SOLVE,
    &Sum(&[Tangent(1), Negate(&Entries { list: &Tangent(0), transposed: false, vector: Result })]),
)];

/// `D inv a (da) = −a⁻¹ da a⁻¹`
pub static INV: Primitive = Primitive {
    name: "inv",
    signatures: &["(a: [n][n]R): [n][n]R"],
    summary: "The inverse matrix; NaN where `a` is singular.",
    example: "inv([[2.0, 0.0], [0.0, 4.0]]) == [[0.5, 0.0], [0.0, 0.25]]",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::Inverse,
        result: MatrixResult::Like(0),
        derivative: Derivative::Terms(&[Negate(&Left(Result, &Right(&Tangent(0), Result)))]),
        linear: LinearIn::Nothing,
        rust: "inv",
    })),
};

/// `D det a (da) = ⟨cofactor a, da⟩`: also where `a` is singular
pub static DET: Primitive = Primitive {
    name: "det",
    signatures: &["(a: [n][n]R): R"],
    summary: "The determinant; 1 for the empty matrix.",
    example: "det([[1.0, 2.0], [3.0, 4.0]]) ~= -2.0",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::Determinant,
        result: MatrixResult::Number,
        derivative: Derivative::Terms(&[Inner(Apply(&COFACTOR, &[Argument(0)]), &Tangent(0))]),
        linear: LinearIn::Nothing,
        rust: "det",
    })),
};

/// `D logdet a (da) = ⟨a⁻ᵀ, da⟩`
pub static LOGDET: Primitive = Primitive {
    name: "logdet",
    signatures: &["(a: [n][n]R): R"],
    summary: "`log |det(a)|`, also where the determinant overflows; -inf where `a` is singular.",
    example: "logdet([[2.0, 0.0], [0.0, -3.0]]) ~= log(6.0)",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::LogDeterminant,
        result: MatrixResult::Number,
        derivative: Derivative::Terms(&[Inner(INVERSE_TRANSPOSED, &Tangent(0))]),
        linear: LinearIn::Nothing,
        rust: "logdet",
    })),
};

/// `Dᵏ cof a (h₁, …, hₖ)`, the derivatives of `det` but for one direction: `D = cofactor matrix` with one direction more,
/// finite also where `a` is singular
pub static COFACTOR: Primitive = Primitive {
    name: "cofactor matrix",
    signatures: &["(a: [n][n]R): [n][n]R", "(a: [n][n]R, h: [n][n]R): [n][n]R"],
    summary: "The gradient of `det`, and its derivatives in any number of directions `h`.",
    example: "",
    kind: Kind::Array(Array::Matrix(Matrix {
        function: MatrixFunction::Cofactor,
        result: MatrixResult::Like(0),
        derivative: Derivative::Directional,
        linear: LinearIn::Directions,
        rust: "cofactor",
    })),
};

/// `a⁻ᵀ`
const INVERSE_TRANSPOSED: Coefficient = Apply(&TRANSPOSE, &[Apply(&INV, &[Argument(0)])]);
