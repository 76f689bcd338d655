//! The constants.

use crate::primitive::{Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[&PI, &E, &INF, &NAN];

/// `π`
pub static PI: Primitive = Primitive {
    name: "pi",
    signatures: &[": R"],
    summary: "Half the circumference of the unit circle.",
    example: "cos(pi) == -1.0",
    kind: Kind::Constant(std::f64::consts::PI),
};

/// `e`
pub static E: Primitive = Primitive {
    name: "e",
    signatures: &[": R"],
    summary: "The base of the natural logarithm.",
    example: "log(e) == 1.0",
    kind: Kind::Constant(std::f64::consts::E),
};

/// `∞`
pub static INF: Primitive = Primitive {
    name: "inf",
    signatures: &[": R"],
    summary: "Positive infinity.",
    example: "1.0 / 0.0 == inf",
    kind: Kind::Constant(f64::INFINITY),
};

/// NaN
pub static NAN: Primitive = Primitive {
    name: "nan",
    signatures: &[": R"],
    summary: "Not a number.",
    example: "is_nan(nan)",
    kind: Kind::Constant(f64::NAN),
};
