//! The error function and the logarithm of the gamma function with its derivatives.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::{ADD, EXP, MUL, NEG};
use super::{ANYWHERE, ONE, POSITIVE, X, Y, ZERO};
use crate::derivative::Coefficient::{Apply, Constant};
use crate::derivative::{Coefficient, Derivative};
use crate::gamma;
use crate::primitive::{Domain, Kind, Primitive, Scalar};

pub(super) static ROWS: &[&Primitive] = &[&ERF, &ERFC, &LGAMMA, &DIGAMMA, &POLYGAMMA];

/// `D erf x = scale (2/√π exp(−x²))`
pub static ERF: Primitive = Primitive {
    name: "erf",
    signatures: &["(x: R): R"],
    summary: "The error function, from -1 to 1.",
    example: "erf(inf) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::erf(x[0])),
        derivative: Derivative::Scale(&[Apply(&MUL, &[Constant(FRAC_2_SQRT_PI), GAUSSIAN])]),
        domain: &[ANYWHERE],
        rust: "riesz_runtime::erf({0})",
    }),
};

/// `D erfc x = scale (−2/√π exp(−x²))`
pub static ERFC: Primitive = Primitive {
    name: "erfc",
    signatures: &["(x: R): R"],
    summary: "`1 - erf(x)`, accurate also where it is small.",
    example: "erfc(0.0) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::erfc(x[0])),
        derivative: Derivative::Scale(&[Apply(&MUL, &[Constant(-FRAC_2_SQRT_PI), GAUSSIAN])]),
        domain: &[ANYWHERE],
        rust: "riesz_runtime::erfc({0})",
    }),
};

/// `D lgamma x = scale (digamma x)`
pub static LGAMMA: Primitive = Primitive {
    name: "lgamma",
    signatures: &["(x: R): R"],
    summary: "`log |gamma(x)|`; inf at 0 and the negative integers.",
    example: "lgamma(5.0) ~= log(24.0)",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| libm::lgamma(x[0])),
        derivative: Derivative::Scale(&[Apply(&DIGAMMA, &[X])]),
        domain: &[POSITIVE],
        rust: "riesz_runtime::lgamma({0})",
    }),
};

/// `D digamma x = scale (polygamma (1, x))`
pub static DIGAMMA: Primitive = Primitive {
    name: "digamma",
    signatures: &["(x: R): R"],
    summary: "The derivative of `lgamma`; NaN at 0 and the negative integers.",
    example: "digamma(2.0) - digamma(1.0) ~= 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| gamma::digamma(x[0])),
        derivative: Derivative::Scale(&[Apply(&POLYGAMMA, &[ONE, X])]),
        domain: &[POSITIVE],
        rust: "riesz_runtime::digamma({0})",
    }),
};

/// `D polygamma (k, x) = scale (polygamma (k + 1, x)) ∘ project₁`: the order does not vary
pub static POLYGAMMA: Primitive = Primitive {
    name: "polygamma of order",
    signatures: &["(k: R, x: R): R"],
    summary: "The derivative of order `k` of `digamma`.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| gamma::polygamma(x[0], x[1])),
        derivative: Derivative::Scale(&[ZERO, Apply(&POLYGAMMA, &[Apply(&ADD, &[X, ONE]), Y])]),
        domain: &[Domain::Integers(1, 4), POSITIVE],
        rust: "riesz_runtime::polygamma({0}, {1})",
    }),
};

/// `exp(−x²)`
const GAUSSIAN: Coefficient = Apply(&EXP, &[Apply(&NEG, &[Apply(&MUL, &[X, X])])]);
