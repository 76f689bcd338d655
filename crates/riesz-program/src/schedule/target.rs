//! The properties of a machine and of its printer that schedules depend on.

use riesz_primitive::Primitive;

/// A target of schedules.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The number of lanes of a vector: eight numbers of 64 bits, or the 32 threads of a warp. Below 2, no loop runs in
    /// lanes.
    pub lanes: i64,
    /// The number of vectors of a strip. Below 2, there are no strips.
    pub strip: i64,
    /// The functions of numbers that can be computed for a strip.
    pub strip_functions: &'static [&'static Primitive],
    /// Which loops are cut into chunks.
    pub chunks: Chunking,
}

/// Which loops are cut into chunks, which are ranges for threads or blocks of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chunking {
    /// None.
    Never,
    /// Loops that may take at least this number of instructions.
    From(f64),
    /// All that can be, into as many chunks as possible: for tests.
    Always,
}

impl Target {
    /// A machine that runs one iteration after the other.
    pub const SEQUENTIAL: Target = Target { lanes: 1, strip: 1, strip_functions: &[], chunks: Chunking::Never };
}
