//! The width of real numbers in generated code.

/// How long real numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 64 bits.
    #[default]
    Double,
    /// 32 bits.
    Single,
}
