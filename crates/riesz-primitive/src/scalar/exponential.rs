//! Exponentials and logarithms.

use std::f64::consts::{LN_2, LOG2_E, LOG10_E};

use super::{ADD, DIV, MUL};
use super::{ANYWHERE, ONE, POSITIVE, R, X, ZERO};
use crate::derivative::Coefficient::{Apply, Constant};
use crate::derivative::{Coefficient, Derivative};
use crate::over::Range;
use crate::primitive::{Domain, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&EXP, &LOG, &EXP2, &LOG2, &LOG10, &EXPM1, &LOG1P];

/// `D exp x = scale r`
pub static EXP: Primitive = Primitive {
    name: "exp",
    signatures: &["(x: R): R"],
    summary: "The exponential function.",
    example: "exp(1.0) ~= e",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].exp()),
        derivative: Derivative::Scale(&[R]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.exp()",
        c: "exp({0})",
    }),
};

/// `D log x = scale (1/x)`, at 0 the limit from inside
pub static LOG: Primitive = Primitive {
    name: "log",
    signatures: &["(x: R): R"],
    summary: "The natural logarithm; NaN for negative numbers.",
    example: "log(1.0) == 0.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].ln()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, FROM_ABOVE])]),
        domain: &[POSITIVE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.ln()",
        c: "log({0})",
    }),
};

/// `D exp2 x = scale (r log 2)`
pub static EXP2: Primitive = Primitive {
    name: "exp2",
    signatures: &["(x: R): R"],
    summary: "Two to the power `x`.",
    example: "exp2(10.0) == 1024.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].exp2()),
        derivative: Derivative::Scale(&[Apply(&MUL, &[R, Constant(LN_2)])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.exp2()",
        c: "exp2({0})",
    }),
};

/// `D log2 x = scale (log2 e / x)`, at 0 the limit from inside
pub static LOG2: Primitive = Primitive {
    name: "log2",
    signatures: &["(x: R): R"],
    summary: "The logarithm to base 2.",
    example: "log2(1024.0) == 10.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].log2()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[Constant(LOG2_E), FROM_ABOVE])]),
        domain: &[POSITIVE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.log2()",
        c: "log2({0})",
    }),
};

/// `D log10 x = scale (log10 e / x)`, at 0 the limit from inside
pub static LOG10: Primitive = Primitive {
    name: "log10",
    signatures: &["(x: R): R"],
    summary: "The logarithm to base 10.",
    example: "log10(1000.0) ~= 3.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].log10()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[Constant(LOG10_E), FROM_ABOVE])]),
        domain: &[POSITIVE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.log10()",
        c: "log10({0})",
    }),
};

/// `D expm1 x = scale (exp x)`; `r + 1` would cancel for negative `x`
pub static EXPM1: Primitive = Primitive {
    name: "expm1",
    signatures: &["(x: R): R"],
    summary: "`exp(x) - 1`, accurate also near 0.",
    example: "expm1(1e-20) == 1e-20",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].exp_m1()),
        derivative: Derivative::Scale(&[Apply(&EXP, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.exp_m1()",
        c: "expm1({0})",
    }),
};

/// `D log1p x = scale (1 / (1 + x))`
pub static LOG1P: Primitive = Primitive {
    name: "log1p",
    signatures: &["(x: R): R"],
    summary: "`log(1 + x)`, accurate also near 0.",
    example: "log1p(1e-20) == 1e-20",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].ln_1p()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, Apply(&ADD, &[ONE, X])])]),
        domain: &[Domain::Reals(-0.9, 8.0)],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.ln_1p()",
        c: "log1p({0})",
    }),
};

/// `x`, with −0 turned into 0: the inside of the domain is above, and so is the limit `1/x`.
const FROM_ABOVE: Coefficient = Apply(&ADD, &[X, ZERO]);
