//! The absolute value, and the functions that are constant between jumps: their derivative is 0, at the jumps too.

use super::{ANYWHERE, X};
use crate::derivative::Coefficient::Apply;
use crate::derivative::Derivative;
use crate::over::Range;
use crate::primitive::{Integer, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&ABS, &SIGN, &FLOOR, &CEIL, &ROUND];

/// `D abs x = scale (sign x)`, at 0 it is 0
pub static ABS: Primitive = Primitive {
    name: "abs",
    signatures: &["(x: Int): Int", "(x: R): R"],
    summary: "The absolute value.",
    example: "abs(-2.5) == 2.5",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| x[0].checked_abs(),
            rust: "{0}.checked_abs()",
            c: "riesz_abs({0}, {to})",
            lanes: None,
        }),
        real: Some(|x| x[0].abs()),
        derivative: Derivative::Scale(&[Apply(&SIGN, &[X])]),
        domain: &[ANYWHERE],
        range: Range::Valley(0.0),
        work: Work::Addition,
        rust: "{0}.abs()",
        c: "fabs({0})",
    }),
};

/// `D sign x = 0`
pub static SIGN: Primitive = Primitive {
    name: "sign",
    signatures: &["(x: R): R"],
    summary: "-1 for negative numbers, 1 for positive ones, 0 for 0.",
    example: "sign(-3.0) == -1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| {
            if x[0] > 0.0 {
                1.0
            } else if x[0] < 0.0 {
                -1.0
            } else if x[0] == 0.0 {
                0.0
            } else {
                x[0]
            }
        }),
        derivative: Derivative::Zero,
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Addition,
        rust: "riesz_runtime::sign({0})",
        c: "riesz_sign({0})",
    }),
};

/// `D floor x = 0`
pub static FLOOR: Primitive = Primitive {
    name: "floor",
    signatures: &["(x: R): R"],
    summary: "The largest whole number that is at most `x`.",
    example: "floor(-0.5) == -1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].floor()),
        derivative: Derivative::Zero,
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Addition,
        rust: "{0}.floor()",
        c: "floor({0})",
    }),
};

/// `D ceil x = 0`
pub static CEIL: Primitive = Primitive {
    name: "ceil",
    signatures: &["(x: R): R"],
    summary: "The smallest whole number that is at least `x`.",
    example: "ceil(0.5) == 1.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].ceil()),
        derivative: Derivative::Zero,
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Addition,
        rust: "{0}.ceil()",
        c: "ceil({0})",
    }),
};

/// `D round x = 0`
pub static ROUND: Primitive = Primitive {
    name: "round",
    signatures: &["(x: R): R"],
    summary: "The nearest whole number; halves go away from zero.",
    example: "round(-2.5) == -3.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].round()),
        derivative: Derivative::Zero,
        domain: &[ANYWHERE],
        range: Range::Increasing,
        work: Work::Addition,
        rust: "{0}.round()",
        c: "round({0})",
    }),
};
