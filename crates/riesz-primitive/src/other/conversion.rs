//! Conversions between numbers of different types.

use crate::primitive::{Conversion, Kind, Primitive};

pub(super) static ROWS: &[&Primitive] = &[&REAL, &TRUNC, &IS_NAN];

/// `Int → R`
pub static REAL: Primitive = Primitive {
    name: "real",
    signatures: &["(n: Int): R"],
    summary: "The integer as a real number.",
    example: "real(2) == 2.0",
    kind: Kind::Conversion(Conversion::Real),
};

/// `R → Int`, towards zero
pub static TRUNC: Primitive = Primitive {
    name: "trunc",
    signatures: &["(x: R): Int"],
    summary: "The integer part. A number that is NaN or too large for 64 bits is an error.",
    example: "trunc(-2.7) == -2",
    kind: Kind::Conversion(Conversion::Truncate),
};

/// `R → Bool`
pub static IS_NAN: Primitive = Primitive {
    name: "is_nan",
    signatures: &["(x: R): Bool"],
    summary: "Whether the number is NaN.",
    example: "is_nan(0.0 / 0.0)",
    kind: Kind::Conversion(Conversion::IsNan),
};
