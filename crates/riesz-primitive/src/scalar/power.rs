//! Powers and roots.

use super::{ADD, DIV, EXACT_MUL, LOG, MUL, SUB};
use super::{ANYWHERE, ONE, POSITIVE, R, X, Y, ZERO};
use crate::derivative::Coefficient::{Apply, Constant, If};
use crate::derivative::{Coefficient, Comparison, Derivative};
use crate::over::{Range, arithmetic, bounds};
use crate::primitive::{Domain, Integer, Kind, Primitive, Scalar, Work};

pub(super) static ROWS: &[&Primitive] = &[&POW, &POWER, &POWI, &SQRT, &CBRT, &HYPOT];

/// `D (^) (x, y) = scale (y x^(y−1)) ∘ project₀ + scale (x^y log x) ∘ project₁`, with exact zeros: see [`POWER`]
pub static POW: Primitive = Primitive {
    name: "^",
    signatures: &["(x: R, y: R): R"],
    summary: "The power. An integer exponent is exact for negative bases; with a literal one, integers stay integers.",
    example: "2 ^ 10 == 1024",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].powf(x[1])),
        derivative: Derivative::Scale(&POWER_DERIVATIVE),
        domain: &[POSITIVE, Domain::Reals(-3.0, 3.0)],
        range: Range::Bounds(arithmetic::power),
        work: Work::Function,
        rust: "{0}.powf({1})",
        c: "pow({0}, {1})",
    }),
};

/// `D pow (x, y) = scale (y x^(y−1)) ∘ project₀ + scale (x^y log x) ∘ project₁`, with exact zeros
///
/// At `x = 0` the products `y · x^(y−1)` and `x^y · log x` meet `0 · inf`. The exact product gives what is meant: `x^0`
/// has derivative 0 in `x`, and `0^y` for `y > 0` has derivative 0 in `y`. At `(0, 0)` the second is the limit from
/// inside, −inf. For negative `x` and integer `y` it is NaN, since `x^y` is real at no `y` nearby; a constant `y` has an
/// exactly zero tangent, and the NaN contributes nothing.
pub static POWER: Primitive = Primitive {
    name: "pow",
    signatures: &["(x: R, y: R): R"],
    summary: "The power `x ^ y`; NaN if it is not a real number.",
    example: "pow(4.0, 0.5) == 2.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].powf(x[1])),
        derivative: Derivative::Scale(&POWER_DERIVATIVE),
        domain: &[POSITIVE, Domain::Reals(-3.0, 3.0)],
        range: Range::Bounds(arithmetic::power),
        work: Work::Function,
        rust: "{0}.powf({1})",
        c: "pow({0}, {1})",
    }),
};

static POWER_DERIVATIVE: [Coefficient; 2] =
    [Apply(&EXACT_MUL, &[Y, Apply(&POWER, &[X, Apply(&SUB, &[Y, ONE])])]), Apply(&EXACT_MUL, &[R, Apply(&LOG, &[X])])];

/// `D (^n) x = scale (n x^(n−1))`, exactly 0 for `n = 0`
pub static POWI: Primitive = Primitive {
    name: "integer ^",
    signatures: &["(x: Int, n: Int): Int", "(x: R, n: Int): R"],
    summary: "The power with an integer exponent.",
    example: "",
    kind: Kind::Scalar(Scalar {
        integer: Some(Integer {
            value: |x| integer_power(x[0], x[1]),
            rust: "integer_power({0}, {1})",
            c: "riesz_power({0}, {1}, {to})",
            lanes: None,
        }),
        real: Some(|x| integer_power_of_real(x[0], x[1])),
        derivative: Derivative::Scale(&[Apply(&EXACT_MUL, &[Y, Apply(&POWI, &[X, Apply(&SUB, &[Y, ONE])])]), ZERO]),
        domain: &[Domain::Reals(0.3, 3.0), Domain::Integers(-4, 6)],
        range: Range::Bounds(arithmetic::integer_power),
        work: Work::Function,
        rust: "riesz_runtime::powi({0}, {1})",
        c: "riesz_whole_power({0}, {1})",
    }),
};

/// `D sqrt x = scale (1 / (2 r))`, at 0 the limit from inside: the sum with 0 turns −0 into 0
pub static SQRT: Primitive = Primitive {
    name: "sqrt",
    signatures: &["(x: R): R"],
    summary: "The square root; NaN for negative numbers.",
    example: "sqrt(9.0) == 3.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].sqrt()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[Constant(0.5), Apply(&ADD, &[R, ZERO])])]),
        domain: &[POSITIVE],
        range: Range::Increasing,
        work: Work::Division,
        rust: "{0}.sqrt()",
        c: "sqrt({0})",
    }),
};

/// `D cbrt x = scale (1 / (3 r²))`
pub static CBRT: Primitive = Primitive {
    name: "cbrt",
    signatures: &["(x: R): R"],
    summary: "The cube root, of negative numbers too.",
    example: "cbrt(-8.0) == -2.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].cbrt()),
        derivative: Derivative::Scale(&[Apply(&DIV, &[ONE, Apply(&MUL, &[Constant(3.0), Apply(&MUL, &[R, R])])])]),
        domain: &[POSITIVE],
        range: Range::Increasing,
        work: Work::Function,
        rust: "{0}.cbrt()",
        c: "cbrt({0})",
    }),
};

/// `D hypot (x, y) = scale (x/r) ∘ project₀ + scale (y/r) ∘ project₁`, at the origin 0
pub static HYPOT: Primitive = Primitive {
    name: "hypot",
    signatures: &["(x: R, y: R): R"],
    summary: "The length of the vector `(x, y)`, without intermediate overflow.",
    example: "hypot(3.0, 4.0) == 5.0",
    kind: Kind::Scalar(Scalar {
        integer: None,
        real: Some(|x| x[0].hypot(x[1])),
        derivative: Derivative::Scale(&[
            unless_zero(&R, &Apply(&DIV, &[X, R])),
            unless_zero(&R, &Apply(&DIV, &[Y, R])),
        ]),
        domain: &[ANYWHERE, ANYWHERE],
        range: Range::Bounds(bounds::hypot),
        work: Work::Function,
        rust: "{0}.hypot({1})",
        c: "hypot({0}, {1})",
    }),
};

/// `if x == 0 then 0 else value`
pub(super) const fn unless_zero(x: &'static Coefficient, value: &'static Coefficient) -> Coefficient {
    If { left: x, comparison: Comparison::Equal, right: &ZERO, then: &ZERO, otherwise: value }
}

fn integer_power(x: i64, n: i64) -> Option<i64> {
    match (x, u32::try_from(n)) {
        (_, Ok(n)) => x.checked_pow(n),
        (0 | 1, Err(_)) if n > 0 => Some(x),
        (-1, Err(_)) if n > 0 => Some(if n % 2 == 0 { 1 } else { -1 }),
        _ => None,
    }
}

/// The square and the inverse are exact to the last bit; other powers are the library's.
fn integer_power_of_real(x: f64, n: f64) -> f64 {
    if n == 2.0 {
        x * x
    } else if n == -1.0 {
        1.0 / x
    } else {
        x.powf(n)
    }
}
