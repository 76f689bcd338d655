//! Trigonometric functions and their inverses.

use riesz_algebra::Real;

use super::power::unless_zero;
use super::{ADD, DIV, HYPOT, MUL, NEG, SQRT, SUB};
use super::{ANYWHERE, ONE, R, X, Y};
use crate::derivative::Coefficient::{Apply, Constant};
use crate::derivative::{Coefficient, Derivative};
use crate::over::{Range, bounds};
use crate::primitive::{Domain, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&SIN, &COS, &TAN, &ASIN, &ACOS, &ATAN, &ATAN2];

/// `D sin x = scale (cos x)`
pub static SIN: Primitive = Primitive {
    name: "sin",
    signatures: &["(x: R): R"],
    summary: "The sine of an angle in radians.",
    example: "sin(pi / 2) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| Real::sin(x[0])),
        derivative: Derivative::Scale(&[Apply(&COS, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Bounds(bounds::sin),
        work: Work::Function,
        rust: "{0}.sin()",
        c: "sin({0})",
    }),
};

/// `D cos x = scale (−sin x)`
pub static COS: Primitive = Primitive {
    name: "cos",
    signatures: &["(x: R): R"],
    summary: "The cosine of an angle in radians.",
    example: "cos(pi) == -1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| Real::cos(x[0])),
        derivative: Derivative::Scale(&[Apply(&NEG, &[Apply(&SIN, &[X])])]),
        domain: &[ANYWHERE],
        range: Range::Bounds(bounds::cos),
        work: Work::Function,
        rust: "{0}.cos()",
        c: "cos({0})",
    }),
};

/// `D tan x = scale (1 + r²)`
pub static TAN: Primitive = Primitive {
    name: "tan",
    signatures: &["(x: R): R"],
    summary: "The tangent of an angle in radians.",
    example: "tan(pi / 4) ~= 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].tan()),
        derivative: Derivative::Scale(&[Apply(&ADD, &[ONE, Apply(&MUL, &[R, R])])]),
        domain: &[Domain::Reals(-1.3, 1.3)],
        range: Range::Bounds(bounds::tan),
        work: Work::Function,
        rust: "{0}.tan()",
        c: "tan({0})",
    }),
};

/// `D asin x = scale (1 / √((1 − x)(1 + x)))`
pub static ASIN: Primitive = Primitive {
    name: "asin",
    signatures: &["(x: R): R"],
    summary: "The angle between -pi/2 and pi/2 with the given sine; NaN outside [-1, 1].",
    example: "asin(1.0) == pi / 2",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].asin()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, COSINE])]),
        domain: &[Domain::Reals(-0.95, 0.95)],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.asin()",
        c: "asin({0})",
    }),
};

/// `D acos x = scale (−1 / √((1 − x)(1 + x)))`
pub static ACOS: Primitive = Primitive {
    name: "acos",
    signatures: &["(x: R): R"],
    summary: "The angle between 0 and pi with the given cosine; NaN outside [-1, 1].",
    example: "acos(-1.0) == pi",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].acos()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[Constant(-1.0), COSINE])]),
        domain: &[Domain::Reals(-0.95, 0.95)],
        range: Range::Decreasing,
        work: Work::Function,
        rust: "{0}.acos()",
        c: "acos({0})",
    }),
};

/// `D atan x = scale (1 / (1 + x²))`
pub static ATAN: Primitive = Primitive {
    name: "atan",
    signatures: &["(x: R): R"],
    summary: "The angle between -pi/2 and pi/2 with the given tangent.",
    example: "atan(inf) == pi / 2",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].atan()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, Apply(&ADD, &[ONE, Apply(&MUL, &[X, X])])])]),
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.atan()",
        c: "atan({0})",
    }),
};

/// `D atan2 (y, x) = scale (x/h²) ∘ project₀ + scale (−y/h²) ∘ project₁` with `h = hypot (y, x)`, at the origin 0
pub static ATAN2: Primitive = Primitive {
    name: "atan2",
    signatures: &["(y: R, x: R): R"],
    summary: "The angle of the point `(x, y)`, between -pi and pi.",
    example: "atan2(1.0, -1.0) ~= 3 * pi / 4",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].atan2(x[1])),
        derivative: Derivative::Scale(&[
            unless_zero(&LENGTH, &Apply(&DIV, &[Apply(&DIV, &[Y, LENGTH]), LENGTH])),
            unless_zero(&LENGTH, &Apply(&NEG, &[Apply(&DIV, &[Apply(&DIV, &[X, LENGTH]), LENGTH])])),
        ]),
        domain: &[ANYWHERE, Domain::Reals(0.1, 4.0)],
        range: Range::Bounds(bounds::atan2),
        work: Work::Function,
        rust: "{0}.atan2({1})",
        c: "atan2({0}, {1})",
    }),
};

/// `√((1 − x)(1 + x))`: the cosine of `asin x`, without cancellation near 1
const COSINE: Coefficient = Apply(&SQRT, &[Apply(&MUL, &[Apply(&SUB, &[ONE, X]), Apply(&ADD, &[ONE, X])])]);

/// `hypot (x, y)`; dividing by it twice does not overflow where dividing by its square would
const LENGTH: Coefficient = Apply(&HYPOT, &[X, Y]);
