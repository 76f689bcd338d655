//! The width of real numbers.

/// How long real numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 64 bits.
    #[default]
    Double,
    /// 32 bits.
    Single,
}

impl Precision {
    /// The type in Rust.
    pub(crate) fn real(self) -> &'static str {
        match self {
            Precision::Double => "f64",
            Precision::Single => "f32",
        }
    }

    /// The number of lanes of a vector.
    pub(crate) fn lanes(self) -> i64 {
        match self {
            Precision::Double => 8,
            Precision::Single => 16,
        }
    }

    /// The module of the runtime for them.
    pub(crate) fn runtime(self) -> &'static str {
        match self {
            Precision::Double => "riesz_runtime",
            Precision::Single => "riesz_runtime::single",
        }
    }

    /// The tolerance of `~=`, given that of the program.
    pub(crate) fn tolerance(self, tolerance: f64) -> f64 {
        if self == Precision::Single && tolerance == 1e-9 { 1e-4 } else { tolerance }
    }
}
