//! The passes over loop programs, in the order in which they run.
//!
//! - [`scalarise`]: a buffer of one number becomes a register
//! - [`join`]: arrays that are only concatenated are written to their final place
//! - [`hoist`]: loop-invariant stores are hoisted
//! - [`place`]: a product of matrices that is only copied is computed in its final place
//! - [`fuse`]: loops over the same indices, or a few less, are fused
//! - [`pull`]: linear maps come out of sums
//! - [`tabulate`]: expensive loop-invariant values are computed once, into tables
//! - [`edge`]: boundary iterations are split off
//! - [`privatise`]: an iteration reads its results from its own copy
//! - [`unit`]: a sum of products with a unit vector is one of its terms
//! - [`accumulate`]: an iteration adds to its own copy of a row
//! - [`contract`]: sums of vectors times numbers are products of matrices
//! - [`preload`]: distant elements are read once
//! - [`select`]: conditions that only choose between numbers are choices
//! - [`double`]: `b · c + b · c` as `b · 2c`, for a number `c`
//!
//! [`reuse`] makes a buffer of one that is no longer used; backends run it when nothing else changes the program.
//!
//! Between them, [`tidy`] removes dead code, and moves buffers and invariant values out of loops. Passes share:
//!
//! - `distinct`: positions that are distinct in all iterations
//! - `expand`: products of matrices as loops

pub mod accumulate;
pub mod contract;
pub mod double;
pub mod edge;
pub mod fuse;
pub mod hoist;
pub mod join;
pub mod place;
pub mod preload;
pub mod privatise;
pub mod pull;
pub mod reuse;
pub mod scalarise;
pub mod select;
pub mod tabulate;

pub mod tidy;
pub mod unit;

mod distinct;
mod expand;

use crate::program::{Procedure, Program};

/// A pass over a procedure.
pub type Pass = fn(&mut Procedure);

/// The passes, in the order in which they run. Each makes work for the next.
pub const PASSES: [(&str, Pass); 20] = [
    ("scalarise", scalarise::scalarise),
    ("tidy", tidy::tidy),
    ("join", join::join),
    ("hoist", hoist::hoist),
    ("tidy", tidy::tidy),
    ("place", place::place),
    ("unit", unit::unit),
    ("fuse", fuse::fuse),
    ("pull", pull::pull),
    ("tabulate", tabulate::tabulate),
    ("tidy", tidy::tidy),
    ("edge", edge::edge),
    ("tidy", tidy::tidy),
    ("privatise", privatise::privatise),
    ("accumulate", accumulate::accumulate),
    ("contract", contract::contract),
    ("preload", preload::preload),
    ("select", select::select),
    ("double", double::double),
    ("tidy", tidy::tidy),
];

/// Runs all passes over a program.
pub fn improve(program: &mut Program) {
    riesz_limit::pass("improve");
    for (_, pass) in PASSES {
        program.procedures.iter_mut().for_each(pass);
    }
}
