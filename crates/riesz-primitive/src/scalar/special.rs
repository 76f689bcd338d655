//! The error function, the logarithm of the gamma function with its derivatives, and that of the normal distribution.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::{ADD, EXACT_MUL, EXP, MUL, NEG, SUB};
use super::{ANYWHERE, ONE, POSITIVE, R, X, Y, ZERO};
use crate::derivative::Coefficient::{Apply, Constant};
use crate::derivative::{Coefficient, Derivative};
use crate::gamma;
use crate::over::{Range, bounds};
use crate::primitive::{Domain, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&ERF, &ERFC, &LGAMMA, &DIGAMMA, &POLYGAMMA, &LOG_NDTR, &HAZARD, &EXCESS];

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
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::erf({0})",
        c: "erf({0})",
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
        range: Range::Decreasing,
        work: Work::Function,
        rust: "riesz_runtime::erfc({0})",
        c: "erfc({0})",
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
        range: Range::Bounds(bounds::lgamma),
        work: Work::Function,
        rust: "riesz_runtime::lgamma({0})",
        c: "lgamma({0})",
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
        range: Range::Bounds(bounds::digamma),
        work: Work::Function,
        rust: "riesz_runtime::digamma({0})",
        c: "riesz_digamma({0})",
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
        range: Range::Bounds(bounds::polygamma),
        work: Work::Function,
        rust: "riesz_runtime::polygamma({0}, {1})",
        c: "riesz_polygamma({0}, {1})",
    }),
};

/// `D log_ndtr x = scale (φ(x)/Φ(x))`
pub static LOG_NDTR: Primitive = Primitive {
    name: "log_ndtr",
    signatures: &["(x: R): R"],
    summary: "The logarithm of the normal distribution function, accurate in both tails.",
    example: "log_ndtr(0.0) ~= -log(2.0)",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| riesz_runtime::log_ndtr(x[0])),
        derivative: Derivative::Scale(&[Apply(&HAZARD, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::log_ndtr({0})",
        c: "riesz_log_ndtr({0})",
    }),
};

/// `D (φ/Φ) x = scale (−φ(x)/Φ(x) · (x + φ(x)/Φ(x)))`, where the sum is a row, for it cancels in the left tail
pub static HAZARD: Primitive = Primitive {
    name: "normal hazard",
    signatures: &["(x: R): R"],
    summary: "The density of the normal distribution over its distribution function.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| riesz_runtime::normal_hazard(x[0])),
        derivative: Derivative::Scale(&[Apply(&NEG, &[Apply(&EXACT_MUL, &[R, Apply(&EXCESS, &[X])])])]),
        domain: &[ANYWHERE],
        range: Range::Decreasing,
        work: Work::Function,
        rust: "riesz_runtime::normal_hazard({0})",
        c: "riesz_normal_hazard({0})",
    }),
};

/// `D (x + φ/Φ) x = scale (1 − φ(x)/Φ(x) · (x + φ(x)/Φ(x)))`
pub static EXCESS: Primitive = Primitive {
    name: "normal excess",
    signatures: &["(x: R): R"],
    summary: "A number and its normal hazard, added.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| riesz_runtime::normal_excess(x[0])),
        derivative: Derivative::Scale(&[Apply(&SUB, &[ONE, Apply(&EXACT_MUL, &[Apply(&HAZARD, &[X]), R])])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "riesz_runtime::normal_excess({0})",
        c: "riesz_normal_excess({0})",
    }),
};

/// `exp(−x²)`
const GAUSSIAN: Coefficient = Apply(&EXP, &[Apply(&NEG, &[Apply(&MUL, &[X, X])])]);
