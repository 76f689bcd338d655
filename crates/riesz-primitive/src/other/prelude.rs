//! The functions written in the language itself, in its prelude, and differentiated like any program.

use crate::primitive::{Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[
    &SIGMOID,
    &SOFTPLUS,
    &RELU,
    &NORM,
    &ROOT,
    &FIXPOINT,
    &MINIMISER,
    &LSTSQ,
    &CG,
    &GMRES,
    &LSQR,
    &IDENTITY,
    &ZERO,
    &DIAGONAL,
    &RANK_ONE,
    &FORK,
    &JOIN,
    &POWER,
    &KRONECKER,
    &TRACE,
    &SQUARE_MATRIX,
    &SVD,
    &EIGH,
    &BLOCK,
    &RANK,
];

/// `1 / (1 + exp(−x))`
pub static SIGMOID: Primitive = Primitive {
    name: "sigmoid",
    signatures: &["(x: R): R"],
    summary: "The logistic function `1 / (1 + exp(-x))`.",
    example: "sigmoid(0.0) == 0.5",
    kind: Kind::Prelude,
};

/// `log(1 + exp x)`
pub static SOFTPLUS: Primitive = Primitive {
    name: "softplus",
    signatures: &["(x: R): R"],
    summary: "`log(1 + exp(x))`, without overflow.",
    example: "softplus(0.0) ~= log(2.0)",
    kind: Kind::Prelude,
};

/// `if x > 0 then x else 0`
pub static RELU: Primitive = Primitive {
    name: "relu",
    signatures: &["(x: R): R"],
    summary: "`x` if it is positive, else 0; its derivative at 0 is 0.",
    example: "relu([-1.0, 2.0]) == [0.0, 2.0]",
    kind: Kind::Prelude,
};

/// `√⟨v, v⟩`
pub static NORM: Primitive = Primitive {
    name: "norm",
    signatures: &["(v: t): R"],
    summary: "The Euclidean norm in any vector space; its derivative at 0 is 0.",
    example: "norm([3.0, 4.0]) == 5.0",
    kind: Kind::Prelude,
};

/// `f x = 0`
pub static ROOT: Primitive = Primitive {
    name: "root",
    signatures: &["(f: t -> t, x0: t): t"],
    summary: "The `x` near `x0` with `f(x)` zero, by Newton's method; NaN where it finds none. Its derivative is that of the equation.",
    example: "root(\\x -> x^2 - 2, 1.0) ~= sqrt(2)",
    kind: Kind::Prelude,
};

/// `f x = x`
pub static FIXPOINT: Primitive = Primitive {
    name: "fixpoint",
    signatures: &["(f: t -> t, x0: t): t"],
    summary: "The `x` with `f(x) == x` that `f(f(...f(x0)))` comes to; NaN where it comes to none. Its derivative is that of the equation.",
    example: "fixpoint(\\x -> cos(x), 1.0) ~= 0.7390851332151607",
    kind: Kind::Prelude,
};

/// `f x ≤ f z` for `z` near `x`
pub static MINIMISER: Primitive = Primitive {
    name: "minimiser",
    signatures: &["(f: t -> R, x0: t): t"],
    summary: "The `x` near `x0` for which `f(x)` is least, also written `argmin(f, x0)`; NaN where it finds none. Its derivative is that of `grad(f, x) == 0`.",
    example: "argmin(\\x -> (x - 3)^2, 0.0) ~= 3",
    kind: Kind::Prelude,
};

/// `argmin |m x − b|`
pub static LSTSQ: Primitive = Primitive {
    name: "lstsq",
    signatures: &["(m: s -o t, b: t): s"],
    summary: "The `x` for which `norm(m(x) - b)` is least, by the normal equations.",
    example: "lstsq(D(\\x -> [x, 2 * x], 0.0), [1.0, 2.0]) ~= 1",
    kind: Kind::Prelude,
};

/// `m x = b`
pub static CG: Primitive = Primitive {
    name: "cg",
    signatures: &["(m: t -o t, b: t, p: t -o t): t"],
    summary: "The solution `x` of `m(x) = b` for a symmetric positive definite map, by conjugate gradients: `m` is only applied, and `p` is near its inverse. NaN where it finds none. Its derivative is that of the equation.",
    example: "cg(diagonal([2.0, 4.0]), [2.0, 2.0], identity([0.0, 0.0])) ~= [1.0, 0.5]",
    kind: Kind::Prelude,
};

/// `m x = b`
pub static GMRES: Primitive = Primitive {
    name: "gmres",
    signatures: &["(m: t -o t, b: t, p: t -o t): t"],
    summary: "The solution `x` of `m(x) = b` for any map that is only applied, by minimal residuals; `p` is near its inverse. NaN where it finds none. Its derivative is that of the equation.",
    example: "gmres(diagonal([2.0, -4.0]), [2.0, 2.0], identity([0.0, 0.0])) ~= [1.0, -0.5]",
    kind: Kind::Prelude,
};

/// `argmin |m x − b|`
pub static LSQR: Primitive = Primitive {
    name: "lsqr",
    signatures: &["(m: s -o t, b: t): s"],
    summary: "The `x` for which `norm(m(x) - b)` is least, for a map that is only applied, and its adjoint. NaN where it finds none. Its derivative is that of the normal equations.",
    example: "lsqr(D(\\x -> [x, 2 * x], 0.0), [1.0, 2.0]) ~= 1",
    kind: Kind::Prelude,
};

/// `id z = z`
pub static IDENTITY: Primitive = Primitive {
    name: "identity",
    signatures: &["(x: t): t -o t"],
    summary: "The map of the space of `x` to itself that changes nothing.",
    example: "identity([0.0, 0.0])([1.0, 2.0]) == [1.0, 2.0]",
    kind: Kind::Prelude,
};

/// `0 z = 0`
pub static ZERO: Primitive = Primitive {
    name: "zero",
    signatures: &["(x: s, y: t): s -o t"],
    summary: "The map from the space of `x` to that of `y` that is zero.",
    example: "zero([1.0, 2.0], 3.0)([1.0, 2.0]) == 0",
    kind: Kind::Prelude,
};

/// `diag(v) z = v · z`
pub static DIAGONAL: Primitive = Primitive {
    name: "diagonal",
    signatures: &["(v: t): t -o t"],
    summary: "The map that multiplies each number by that of `v`.",
    example: "diagonal([1.0, 2.0])([3.0, 4.0]) == [3.0, 8.0]",
    kind: Kind::Prelude,
};

/// `(u ⊗ v) z = ⟨v, z⟩ u`
pub static RANK_ONE: Primitive = Primitive {
    name: "rank_one",
    signatures: &["(u: t, v: s): s -o t"],
    summary: "The map that multiplies `u` by the inner product with `v`.",
    example: "rank_one([1.0, 2.0], [3.0])([4.0]) == [12.0, 24.0]",
    kind: Kind::Prelude,
};

/// `(f × g) z = (f z, g z)`
pub static FORK: Primitive = Primitive {
    name: "fork",
    signatures: &["(f: a -o b, g: a -o c): a -o (b, c)"],
    summary: "The map to pairs: `f` and `g` of the same vector.",
    example: "fork(diagonal([2.0]), identity([0.0]))([3.0]) == ([6.0], [3.0])",
    kind: Kind::Prelude,
};

/// `(f ⋈ g) (y, z) = f y + g z`
pub static JOIN: Primitive = Primitive {
    name: "join",
    signatures: &["(f: a -o c, g: b -o c): (a, b) -o c"],
    summary: "The map from pairs: the sum of `f` of the first and `g` of the second.",
    example: "join(diagonal([2.0]), identity([0.0]))([3.0], [4.0]) == [10.0]",
    kind: Kind::Prelude,
};

/// `mᵏ`
pub static POWER: Primitive = Primitive {
    name: "power",
    signatures: &["(m: t -o t, k: Int): t -o t"],
    summary: "The map applied `k` times.",
    example: "power(diagonal([2.0]), 3)([1.0]) == [8.0]",
    kind: Kind::Prelude,
};

/// `(a ⊗ b) x = a x bᵀ`
pub static KRONECKER: Primitive = Primitive {
    name: "kronecker",
    signatures: &["(a: [n]R -o [m]R, b: [q]R -o [p]R): [n][q]R -o [m][p]R"],
    summary: "The map of matrices that applies `b` to the rows and `a` to the columns.",
    example: "kronecker(diagonal([2.0]), diagonal([3.0]))([[1.0]]) == [[6.0]]",
    kind: Kind::Prelude,
};

/// `Σᵢ mᵢᵢ`
pub static TRACE: Primitive = Primitive {
    name: "trace",
    signatures: &["(m: t -o t): R"],
    summary: "The sum of the entries on the diagonal of the matrix.",
    example: "trace(diagonal([1.0, 2.0])) == 3",
    kind: Kind::Prelude,
};

/// `matrix`
pub static SQUARE_MATRIX: Primitive = Primitive {
    name: "square_matrix",
    signatures: &["(m: t -o t): [_][_]R"],
    summary: "The matrix of a map from a space to itself, its numbers counted in order. `det(m)` and `logdet(m)` are those of this matrix.",
    example: "square_matrix(diagonal((1.0, [2.0]))) == [[1.0, 0.0], [0.0, 2.0]]",
    kind: Kind::Prelude,
};

/// `a = Σᵢ sᵢ (uᵢ ⊗ vᵢ)`
pub static SVD: Primitive = Primitive {
    name: "svd",
    signatures: &["(a: [m][n]R): ([m]R, [m][m]R, [m][n]R)"],
    summary: "Singular values `s`, descending, and vectors `u` and `v`, in rows, for which `a` is the sum of `s[i] * outer(u[i], v[i])`; for `m <= n`.",
    example: "svd([[0.0, 2.0], [3.0, 0.0]]) == ([3.0, 2.0], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])",
    kind: Kind::Prelude,
};

/// `a = Σᵢ λᵢ (vᵢ ⊗ vᵢ)`
pub static EIGH: Primitive = Primitive {
    name: "eigh",
    signatures: &["(a: [n][n]R): ([n]R, [n][n]R)"],
    summary: "The eigenvalues, ascending, and the eigenvectors, in rows, of the symmetric part of `a`.",
    example: "eigh([[2.0, 1.0], [1.0, 2.0]]).0 ~= [1.0, 3.0]",
    kind: Kind::Prelude,
};

/// `(f ⋈ g) × (h ⋈ k)`
pub static BLOCK: Primitive = Primitive {
    name: "block",
    signatures: &["(a: s -o u, b: t -o u, c: s -o v, d: t -o v): (s, t) -o (u, v)"],
    summary: "The map of pairs with these four blocks, `a` and `b` in the first row.",
    example: "block(identity(0.0), zero(0.0, 0.0), identity(0.0), diagonal(2.0))(3.0, 4.0) == (3.0, 11.0)",
    kind: Kind::Prelude,
};

/// How many `sᵢ` are not zero.
pub static RANK: Primitive = Primitive {
    name: "rank",
    signatures: &["(m: s -o t): Int"],
    summary: "The number of singular values that are more than 1e-12 of the largest.",
    example: "rank(rank_one([1.0, 2.0], [3.0, 4.0])) == 1",
    kind: Kind::Prelude,
};
