//! Arithmetic: sums, products, quotients; the smaller and the larger of two numbers.

use super::{ANYWHERE, ONE, POSITIVE, R, X, Y, ZERO};
use crate::derivative::Coefficient::{Apply, If};
use crate::derivative::{Coefficient, Comparison, Derivative};
use crate::over::{Range, arithmetic, bounds};
use crate::primitive::{Domain, Integer, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&ADD, &SUB, &MUL, &DIV, &NEG, &MIN, &MAX, &FLOOR_DIV, &FLOOR_MOD, &EXACT_MUL];

const INTEGERS_OR_REALS: &[&str] = &["(x: Int, y: Int): Int", "(x: R, y: R): R"];

/// `D (+) (x, y) = (+)`
pub static ADD: Primitive = Primitive {
    name: "+",
    signatures: INTEGERS_OR_REALS,
    summary: "The sum; of arrays, tuples and records element by element.",
    example: "[1, 2] + [10, 20] == [11, 22]",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| x[0].checked_add(x[1]),
            rust: "{0}.checked_add({1})",
            c: "riesz_add({0}, {1}, {to})",
            lanes: Some("try_add"),
        }),
        real: Some(|x| x[0] + x[1]),
        derivative: Derivative::Linear,
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(arithmetic::add),
        work: Work::Addition,
        rust: "({0} + {1})",
        c: "({0} + {1})",
    }),
};

/// `D (−) (x, y) = (−)`
pub static SUB: Primitive = Primitive {
    name: "-",
    signatures: INTEGERS_OR_REALS,
    summary: "The difference; of arrays, tuples and records element by element.",
    example: "5 - 7 == -2",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| x[0].checked_sub(x[1]),
            rust: "{0}.checked_sub({1})",
            c: "riesz_sub({0}, {1}, {to})",
            lanes: Some("try_sub"),
        }),
        real: Some(|x| x[0] - x[1]),
        derivative: Derivative::Linear,
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(arithmetic::sub),
        work: Work::Addition,
        rust: "({0} - {1})",
        c: "({0} - {1})",
    }),
};

/// `D (·) (x, y) (dx, dy) = dx · y + x · dy`
pub static MUL: Primitive = Primitive {
    name: "*",
    signatures: INTEGERS_OR_REALS,
    summary: "The product; of arrays element by element, of a scalar with every vector.",
    example: "2 * [3, 4] == [6, 8]",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| x[0].checked_mul(x[1]),
            rust: "{0}.checked_mul({1})",
            c: "riesz_mul({0}, {1}, {to})",
            lanes: Some("try_mul"),
        }),
        real: Some(|x| x[0] * x[1]),
        derivative: Derivative::Multilinear,
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(arithmetic::mul),
        work: Work::Multiplication,
        rust: "({0} * {1})",
        c: "({0} * {1})",
    }),
};

/// `D (/) (x, y) = scale (1/y) ∘ project₀ + scale (−r/y) ∘ project₁`, where `r = x/y` keeps `y²` from overflowing
pub static DIV: Primitive = Primitive {
    name: "/",
    signatures: &["(x: R, y: R): R"],
    summary: "The quotient, always real.",
    example: "7 / 2 == 3.5",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0] / x[1]),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, Y]), Apply(&NEG, &[Apply(&DIV, &[R, Y])])]),
        domain: &[ANYWHERE, POSITIVE],
        range: Range::Bounds(arithmetic::div),
        work: Work::Division,
        rust: "({0} / {1})",
        c: "({0} / {1})",
    }),
};

/// `D (−) x = −`
pub static NEG: Primitive = Primitive {
    name: "unary -",
    signatures: &["(x: Int): Int", "(x: R): R"],
    summary: "The negative, written with a minus sign in front.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| x[0].checked_neg(),
            rust: "{0}.checked_neg()",
            c: "riesz_sub(0, {0}, {to})",
            lanes: None,
        }),
        real: Some(|x| -x[0]),
        derivative: Derivative::Linear,
        domain: &[ANYWHERE],
        range: Range::Bounds(arithmetic::neg),
        work: Work::Sign,
        rust: "(-{0})",
        c: "(-{0})",
    }),
};

/// `min (x, y) = if y < x then y else x`, `D min (x, y) = if y < x then project₁ else project₀`; NaN if either is
pub static MIN: Primitive = Primitive {
    name: "min",
    signatures: &["(x: Int, y: Int): Int", "(x: R, y: R): R", "(v: [n]R): R"],
    summary: "The smaller of two numbers, or the smallest of an array; NaN if any is. Ties go to the first.",
    example: "min([3.0, 1.0, 2.0]) == min(1.0, 4.0)",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| Some(x[0].min(x[1])),
            rust: "Some({0}.min({1}))",
            c: "riesz_least({0}, {1})",
            lanes: None,
        }),
        real: Some(|x| if x[1] < x[0] || x[1].is_nan() { x[1] } else { x[0] }),
        derivative: Derivative::Scale(&[
            If { left: &Y, comparison: Comparison::Less, right: &X, then: &ZERO, otherwise: &IS_FIRST },
            If { left: &Y, comparison: Comparison::Less, right: &X, then: &ONE, otherwise: &IS_SECOND },
        ]),
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(bounds::min),
        work: Work::Addition,
        rust: "riesz_runtime::min({0}, {1})",
        c: "riesz_min({0}, {1})",
    }),
};

/// `max (x, y) = if x < y then y else x`, `D max (x, y) = if x < y then project₁ else project₀`; NaN if either is,
/// and then the derivative goes to the first that is
pub static MAX: Primitive = Primitive {
    name: "max",
    signatures: &["(x: Int, y: Int): Int", "(x: R, y: R): R", "(v: [n]R): R"],
    summary: "The larger of two numbers, or the largest of an array; NaN if any is. Ties go to the first.",
    example: "max([3.0, 1.0, 2.0]) == max(3.0, 1.0)",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| Some(x[0].max(x[1])),
            rust: "Some({0}.max({1}))",
            c: "riesz_greatest({0}, {1})",
            lanes: None,
        }),
        real: Some(|x| if x[0] < x[1] || x[1].is_nan() { x[1] } else { x[0] }),
        derivative: Derivative::Scale(&[
            If { left: &X, comparison: Comparison::Less, right: &Y, then: &ZERO, otherwise: &IS_FIRST },
            If { left: &X, comparison: Comparison::Less, right: &Y, then: &ONE, otherwise: &IS_SECOND },
        ]),
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(bounds::max),
        work: Work::Addition,
        rust: "riesz_runtime::max({0}, {1})",
        c: "riesz_max({0}, {1})",
    }),
};

/// Where the second argument is not the better one: whether the first is taken. It is, unless the second is NaN and the
/// first is not, so that the fold over an array takes the first NaN.
const IS_FIRST: Coefficient =
    If { left: &Y, comparison: Comparison::Equal, right: &Y, then: &ONE, otherwise: &FIRST_IS_NAN };
/// Likewise: whether the second is taken.
const IS_SECOND: Coefficient =
    If { left: &Y, comparison: Comparison::Equal, right: &Y, then: &ZERO, otherwise: &FIRST_IS_NUMBER };
const FIRST_IS_NAN: Coefficient =
    If { left: &X, comparison: Comparison::Equal, right: &X, then: &ZERO, otherwise: &ONE };
const FIRST_IS_NUMBER: Coefficient =
    If { left: &X, comparison: Comparison::Equal, right: &X, then: &ONE, otherwise: &ZERO };

fn floor_div(x: &[i64]) -> Option<i64> {
    let (quotient, remainder) = (x[0].checked_div(x[1])?, x[0].checked_rem(x[1])?);
    Some(if remainder != 0 && (remainder < 0) != (x[1] < 0) { quotient - 1 } else { quotient })
}

fn floor_mod(x: &[i64]) -> Option<i64> {
    match (x[0], x[1]) {
        (_, 0) => None,
        (a, b) => {
            let remainder = a.wrapping_rem(b);
            Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
        }
    }
}

/// `D div = 0`: integers have no tangents
pub static FLOOR_DIV: Primitive = Primitive {
    name: "div",
    signatures: &["(a: Int, b: Int): Int"],
    summary: "The quotient of integers, rounded down. Dividing by zero is an error.",
    example: "div(-7, 2) == -4",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: floor_div,
            rust: "div({0}, {1})",
            c: "riesz_div({0}, {1}, {to})",
            lanes: Some("try_div"),
        }),
        real: None,
        derivative: Derivative::Zero,
        domain: &[Domain::Integers(-20, 20), Domain::Integers(1, 20)],
        range: Range::Unknown,
        work: Work::Function,
        rust: "riesz_runtime::div({0}, {1})",
        c: "",
    }),
};

/// `D mod = 0`; `a = div(a, b) · b + mod(a, b)`
pub static FLOOR_MOD: Primitive = Primitive {
    name: "mod",
    signatures: &["(a: Int, b: Int): Int"],
    summary: "The remainder of `div`, with the sign of `b`. Dividing by zero is an error.",
    example: "mod(-7, 2) == 1",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: floor_mod,
            rust: "modulo({0}, {1})",
            c: "riesz_mod({0}, {1}, {to})",
            lanes: Some("try_modulo"),
        }),
        real: None,
        derivative: Derivative::Zero,
        domain: &[Domain::Integers(-20, 20), Domain::Integers(1, 20)],
        range: Range::Unknown,
        work: Work::Function,
        rust: "riesz_runtime::modulo({0}, {1})",
        c: "",
    }),
};

/// The product in which zero is exact, `0 · inf = 0`: what coefficients need when a factor 0 means "does not vary".
/// `D (·) (x, y) (dx, dy) = dx · y + x · dy`
pub static EXACT_MUL: Primitive = Primitive {
    name: "exact *",
    signatures: &["(x: R, y: R): R"],
    summary: "The product in which zero times anything is zero.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| if x[0] == 0.0 || x[1] == 0.0 { 0.0 } else { x[0] * x[1] }),
        derivative: Derivative::Multilinear,
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(arithmetic::mul),
        work: Work::Multiplication,
        rust: "riesz_runtime::exact_mul({0}, {1})",
        c: "riesz_exact({0}, {1})",
    }),
};
