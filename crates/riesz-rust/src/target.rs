//! The machine that generated Rust runs on: vectors of the runtime, and threads.

use crate::{Precision, Spelling};
use riesz_primitive::{Primitive, scalar};
use riesz_program::schedule::{Chunking, Target};

/// The target of generated Rust. Loops are cut into chunks if that is worthwhile or, for tests, whenever it is possible.
pub fn target(precision: Precision, fine: bool) -> Target {
    let chunks = if fine { Chunking::Always } else { Chunking::From(WORTHWHILE) };
    Target { lanes: precision.lanes(), strip: 4, strip_functions: STRIP_FUNCTIONS, chunks }
}

/// Below this number of instructions, the runtime makes one chunk.
const WORTHWHILE: f64 = 2e5;

/// The functions of `LaneStrip` in the runtime.
static STRIP_FUNCTIONS: &[&Primitive] = &[
    &scalar::ADD,
    &scalar::SUB,
    &scalar::MUL,
    &scalar::DIV,
    &scalar::NEG,
    &scalar::EXACT_MUL,
    &scalar::EXP,
    &scalar::LOG,
    &scalar::SIN,
    &scalar::COS,
    &scalar::TANH,
    &scalar::SQRT,
    &scalar::ABS,
    &scalar::EXPM1,
    &scalar::LOG1P,
    &scalar::SINH,
    &scalar::COSH,
    &scalar::MAX,
    &scalar::MIN,
    &scalar::POWI,
];
