//! The functions written in the language itself, in its prelude, and differentiated like any program.

use crate::primitive::{Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[&SIGMOID, &SOFTPLUS, &RELU, &NORM];

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
