//! The functions that differentiate, and those of linear maps.

use crate::primitive::{Differentiation, Kind, Operator, Primitive};

pub(super) static ROWS: &[&Primitive] = &[
    &DERIVATIVE,
    &ADJOINT,
    &COMPOSE,
    &LINEAR,
    &ORIGIN,
    &MATRIX,
    &COO,
    &JVP,
    &VJP,
    &GRAD,
    &JACOBIAN,
    &HESSIAN,
    &HVP,
    &TAYLOR,
];

/// `f(x + dx) = f(x) + D(f, x)(dx) + o(dx)`
pub static DERIVATIVE: Primitive = Primitive {
    name: "D",
    signatures: &["(f: s -> t, x: s): s' -o t'"],
    summary: "The derivative of `f` at `x`: a linear map.",
    example: "D(\\x -> x * x, 3.0)(1.0) == 6.0",
    kind: Kind::Operator(Operator::At(Differentiation::Derivative)),
};

/// `⟨m x, y⟩ = ⟨x, adjoint(m) y⟩`
pub static ADJOINT: Primitive = Primitive {
    name: "adjoint",
    signatures: &["(m: a -o b): b -o a"],
    summary: "The linear map with `inner(m(x), y) = inner(x, adjoint(m)(y))`.",
    example: "adjoint(D(\\x -> x * x, 3.0))(1.0) == 6.0",
    kind: Kind::Operator(Operator::Adjoint),
};

/// `compose(g, f)(x) = g(f(x))`
pub static COMPOSE: Primitive = Primitive {
    name: "compose",
    signatures: &["(g: b -o c, f: a -o b): a -o c"],
    summary: "The composition: `f`, then `g`.",
    example: "compose(D(\\y -> 2 * y, 9.0), D(\\x -> x * x, 3.0))(1.0) == 12.0",
    kind: Kind::Operator(Operator::Compose),
};

/// `linear(f, x)(dx) = f(dx)`
pub static LINEAR: Primitive = Primitive {
    name: "linear",
    signatures: &["(f: s -> t, x: s): s -o t"],
    summary: "The function `f` as a linear map of the space of `x`. The text of `f` must show that it is linear.",
    example: "linear(\\v -> 2 * v, [0.0, 0.0])([1.0, 2.0]) == [2.0, 4.0]",
    kind: Kind::Operator(Operator::Linear),
};

/// `origin(m) + x = x`
pub static ORIGIN: Primitive = Primitive {
    name: "origin",
    signatures: &["(m: a -o b): a"],
    summary: "The zero of the domain of a linear map.",
    example: "origin(identity([1.0, 2.0])) == [0.0, 0.0]",
    kind: Kind::Operator(Operator::Origin),
};

/// `dot(matrix(m), x) = m(x)`
pub static MATRIX: Primitive = Primitive {
    name: "matrix",
    signatures: &["(m: [n]R -o [m]R): [m][n]R"],
    summary: "The matrix of a linear map; for other spaces, a value of `b` with a vector of `a` for every number.",
    example: "matrix(D(\\v -> 2 * v, [1.0, 1.0])) == [[2.0, 0.0], [0.0, 2.0]]",
    kind: Kind::Operator(Operator::Matrix),
};

/// `matrix(m)[rows[k], cols[k]] = vals[k]`
pub static COO: Primitive = Primitive {
    name: "coo",
    signatures: &["(m: a -o b): {rows: [_]Int, cols: [_]Int, vals: [_]R}"],
    summary: "The entries of the matrix that are not structurally zero, sorted by row, then column.",
    example: "coo(D(\\v -> 2 * v, [1.0, 1.0])).cols == [0, 1]",
    kind: Kind::Operator(Operator::Coo),
};

/// `jvp(f, x, dx) = (f(x), D(f, x)(dx))`
pub static JVP: Primitive = Primitive {
    name: "jvp",
    signatures: &["(f: s -> t, x: s, dx: s'): (t, t')"],
    summary: "The value and the derivative in a direction: `(f(x), D(f, x)(dx))`.",
    example: "jvp(\\x -> x * x, 3.0, 1.0) == (9.0, 6.0)",
    kind: Kind::Operator(Operator::At(Differentiation::Jvp)),
};

/// `vjp(f, x, dy) = (f(x), adjoint(D(f, x))(dy))`
pub static VJP: Primitive = Primitive {
    name: "vjp",
    signatures: &["(f: s -> t, x: s, dy: t'): (t, s')"],
    summary: "The value and the adjoint derivative: `(f(x), adjoint(D(f, x))(dy))`.",
    example: "vjp(\\x -> x * x, 3.0, 1.0) == (9.0, 6.0)",
    kind: Kind::Operator(Operator::At(Differentiation::Vjp)),
};

/// `grad(f, x) = adjoint(D(f, x))(1)`
pub static GRAD: Primitive = Primitive {
    name: "grad",
    signatures: &["(f: s -> R, x: s): s'"],
    summary: "The gradient: `adjoint(D(f, x))(1.0)`.",
    example: "grad(\\v -> sum(v * v), [1.0, 2.0]) == [2.0, 4.0]",
    kind: Kind::Operator(Operator::At(Differentiation::Grad)),
};

/// `jacobian(f, x) = matrix(D(f, x))`
pub static JACOBIAN: Primitive = Primitive {
    name: "jacobian",
    signatures: &["(f: [n]R -> [m]R, x: [n]R): [m][n]R"],
    summary: "The matrix of the derivative: `matrix(D(f, x))`.",
    example: "jacobian(\\v -> v * v, [1.0, 2.0]) == [[2.0, 0.0], [0.0, 4.0]]",
    kind: Kind::Operator(Operator::At(Differentiation::Jacobian)),
};

/// `hessian(f, x) = jacobian(grad(f, _), x)`
pub static HESSIAN: Primitive = Primitive {
    name: "hessian",
    signatures: &["(f: [n]R -> R, x: [n]R): [n][n]R"],
    summary: "The matrix of second derivatives.",
    example: "hessian(\\v -> v[0] * v[1], [1.0, 2.0]) == [[0.0, 1.0], [1.0, 0.0]]",
    kind: Kind::Operator(Operator::At(Differentiation::Hessian)),
};

/// `hvp(f, x, v) = D(grad(f, _), x)(v)`
pub static HVP: Primitive = Primitive {
    name: "hvp",
    signatures: &["(f: s -> R, x: s, v: s'): s'"],
    summary: "The Hessian times a vector, without the Hessian.",
    example: "hvp(\\v -> v[0] * v[1], [1.0, 2.0], [1.0, 0.0]) == [0.0, 1.0]",
    kind: Kind::Operator(Operator::At(Differentiation::Hvp)),
};

/// `taylor(f, x, v, k)[j] = dʲ/dtʲ f(x + t v)` at `t = 0`
pub static TAYLOR: Primitive = Primitive {
    name: "taylor",
    signatures: &["(f: s -> t, x: s, v: s', k: Int): [k + 1]t"],
    summary: "`f(x + t v)` and its first `k` derivatives in `t` at 0.",
    example: "taylor(\\x -> x * x, 3.0, 1.0, 2) == [9.0, 6.0, 2.0]",
    kind: Kind::Operator(Operator::At(Differentiation::Taylor)),
};
