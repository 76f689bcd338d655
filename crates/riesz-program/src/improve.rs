//! The passes over loop programs, in order.

use crate::program::{Procedure, Program};
use crate::{cell, double, edge, fuse, join, once, own, place, pull, stage, tabulate, tidy};

/// A pass over a procedure.
pub type Pass = fn(&mut Procedure);

/// The passes, in the order in which they are made. Each makes work for the next.
pub const PASSES: [(&str, Pass); 16] = [
    ("cell", cell::cell),
    ("tidy", tidy::tidy),
    ("join", join::join),
    ("once", once::once),
    ("tidy", tidy::tidy),
    ("place", place::place),
    ("fuse", fuse::fuse),
    ("pull", pull::pull),
    ("tabulate", tabulate::tabulate),
    ("tidy", tidy::tidy),
    ("edge", edge::edge),
    ("tidy", tidy::tidy),
    ("own", own::own),
    ("stage", stage::stage),
    ("double", double::double),
    ("tidy", tidy::tidy),
];

/// Makes the procedures of a program do less.
pub fn improve(program: &mut Program) {
    riesz_limit::pass("improve");
    for (_, pass) in PASSES {
        program.procedures.iter_mut().for_each(pass);
    }
}
