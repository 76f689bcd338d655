//! The spelling of real numbers in Rust, for each width.

use riesz_program::Precision;

/// A width of real numbers, in Rust.
pub(crate) trait Spelling {
    /// The type in Rust.
    fn real(self) -> &'static str;

    /// The number of lanes of a vector.
    fn lanes(self) -> i64;

    /// The module of the runtime for them.
    fn runtime(self) -> &'static str;

    /// The tolerance of `~=`, given that of the program.
    fn tolerance(self, tolerance: f64) -> f64;
}

impl Spelling for Precision {
    fn real(self) -> &'static str {
        match self {
            Precision::Double => "f64",
            Precision::Single => "f32",
        }
    }

    fn lanes(self) -> i64 {
        match self {
            Precision::Double => 8,
            Precision::Single => 16,
        }
    }

    fn runtime(self) -> &'static str {
        match self {
            Precision::Double => "riesz_runtime",
            Precision::Single => "riesz_runtime::single",
        }
    }

    fn tolerance(self, tolerance: f64) -> f64 {
        if self == Precision::Single && tolerance == 1e-9 { 1e-4 } else { tolerance }
    }
}
