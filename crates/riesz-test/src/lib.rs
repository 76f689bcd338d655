//! Support that the tests of the crates share.
//!
//! - [`program`]: programs, parsed, checked and run
//! - [`generate`]: random programs
//! - [`near`]: numbers that are equal up to rounding
//! - [`files`]: the sources of the project
//! - [`golden`]: texts that are stored, and rewritten by `UPDATE_GOLDEN=1`

pub mod files;
pub mod generate;
pub mod golden;
pub mod near;
pub mod program;
