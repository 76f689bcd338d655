//! The functions written in the language itself, in its prelude, and differentiated like any program.

use crate::primitive::{Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[&SIGMOID, &SOFTPLUS, &RELU, &NORM, &ROOT, &FIXPOINT, &MINIMISER, &LSTSQ];

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
