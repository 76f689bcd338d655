//! Hyperbolic functions and their inverses.

use super::{ADD, DIV, HYPOT, MUL, SQRT, SUB};
use super::{ANYWHERE, ONE, X};
use crate::derivative::Coefficient::Apply;
use crate::derivative::{Coefficient, Derivative};
use crate::over::Range;
use crate::primitive::{Domain, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&SINH, &COSH, &TANH, &ASINH, &ACOSH, &ATANH];

/// `D sinh x = scale (cosh x)`
pub static SINH: Primitive = Primitive {
    name: "sinh",
    signatures: &["(x: R): R"],
    summary: "The hyperbolic sine.",
    example: "sinh(0.0) == 0.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].sinh()),
        derivative: Derivative::Scale(&[Apply(&COSH, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.sinh()",
        c: "sinh({0})",
    }),
};

/// `D cosh x = scale (sinh x)`
pub static COSH: Primitive = Primitive {
    name: "cosh",
    signatures: &["(x: R): R"],
    summary: "The hyperbolic cosine.",
    example: "cosh(0.0) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].cosh()),
        derivative: Derivative::Scale(&[Apply(&SINH, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Valley(0.0),
        work: Work::Function,
        rust: "{0}.cosh()",
        c: "cosh({0})",
    }),
};

/// `D tanh x = scale ((1 / cosh x)²)`; `1 − r²` would cancel for large `x`
pub static TANH: Primitive = Primitive {
    name: "tanh",
    signatures: &["(x: R): R"],
    summary: "The hyperbolic tangent.",
    example: "tanh(inf) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].tanh()),
        derivative: Derivative::Scale(&[Apply(&MUL, &[SECH, SECH])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.tanh()",
        c: "tanh({0})",
    }),
};

/// `D asinh x = scale (1 / √(1 + x²))`
pub static ASINH: Primitive = Primitive {
    name: "asinh",
    signatures: &["(x: R): R"],
    summary: "The inverse of `sinh`.",
    example: "asinh(sinh(2.0)) ~= 2.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::asinh(x[0])),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, Apply(&HYPOT, &[ONE, X])])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::asinh({0})",
        c: "asinh({0})",
    }),
};

/// `D acosh x = scale (1 / (√(x − 1) √(x + 1)))`
pub static ACOSH: Primitive = Primitive {
    name: "acosh",
    signatures: &["(x: R): R"],
    summary: "The inverse of `cosh`, not negative; NaN below 1.",
    example: "acosh(1.0) == 0.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::acosh(x[0])),
        derivative: Derivative::Scale(&[Apply(
            &DIV,
            &[ONE, Apply(&MUL, &[Apply(&SQRT, &[Apply(&SUB, &[X, ONE])]), Apply(&SQRT, &[Apply(&ADD, &[X, ONE])])])],
        )]),
        domain: &[Domain::Reals(1.05, 8.0)],
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::acosh({0})",
        c: "acosh({0})",
    }),
};

/// `D atanh x = scale (1 / ((1 − x)(1 + x)))`
pub static ATANH: Primitive = Primitive {
    name: "atanh",
    signatures: &["(x: R): R"],
    summary: "The inverse of `tanh`; NaN outside [-1, 1].",
    example: "atanh(1.0) == inf",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::atanh(x[0])),
        derivative: Derivative::Scale(&[Apply(
            &DIV,
            &[ONE, Apply(&MUL, &[Apply(&SUB, &[ONE, X]), Apply(&ADD, &[ONE, X])])],
        )]),
        domain: &[Domain::Reals(-0.95, 0.95)],
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::atanh({0})",
        c: "atanh({0})",
    }),
};

/// `1 / cosh x`
const SECH: Coefficient = Apply(&DIV, &[ONE, Apply(&COSH, &[X])]);
