//! The optimiser: core programs that compute the same values with fewer operations.
//!
//! Each pass is one file, and opens with the equation that it applies. No pass grows a program by more than a constant
//! factor, or takes more than linear time. The values of a program stay the same bit for bit, with one exception: systems
//! with one matrix are solved together, which may change the last bit of a solution. An error in an unused value may
//! disappear, but no new error appears.

mod accumulate;
mod batch;
mod calls;
mod cost;
mod dead;
mod each;
mod fingerprint;
mod fold;
mod fuse;
mod fuse_sums;
mod hoist;
mod inline;
mod length;
mod lift;
mod merge;
mod number;
mod recompute;
pub mod rename;
mod separate;
mod share;
mod slice;
mod tabulate;
mod zero;

pub use batch::batch_from;
pub use dead::drop_dead;
pub use inline::bindings_in;

use calls::Calls;
use fingerprint::fingerprint;
use riesz_core::Atom;
use riesz_core::renumber::renumber;
use riesz_core::term::{Body, Function, FunctionId, Program, Var};

/// A pass over one function.
type Pass = fn(&mut Function);

/// The programs that a pass runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Always,
    /// Before differentiation, so that derivatives have products of matrices too, in programs that take no matrices of
    /// linear maps: these follow from the structure of the loops of a function.
    First,
}

use Runs::{Always, First};

/// The passes, in order. They make work for each other, and so are gone through more than once.
const PASSES: [(&str, Runs, Pass); 14] = [
    ("fold", Always, fold::fold),
    ("share", Always, share::share),
    ("slice", Always, slice::slice),
    ("batch", First, batch::batch),
    ("tabulate", First, tabulate::tabulate),
    ("dead", Always, dead::dead),
    ("accumulate", Always, accumulate::accumulate),
    ("separate", Always, separate::separate),
    ("fuse_sums", Always, fuse_sums::fuse_sums),
    ("merge", Always, merge::merge),
    ("recompute", Always, recompute::recompute),
    ("fuse", Always, fuse::fuse),
    ("hoist", Always, hoist::hoist),
    ("zero", Always, zero::zero),
];

/// How often to go through the passes, unless nothing is left for them to do.
const ROUNDS: usize = 4;

/// Optimises the functions that some functions need.
pub fn optimise(program: &mut Program, roots: &[FunctionId]) {
    optimise_watched(program, roots, &mut |_, _, _| {});
}

/// Optimises a program that has been optimised and then differentiated.
pub fn optimise_again(program: &mut Program, roots: &[FunctionId]) {
    optimise_with(program, roots, false, &mut |_, _, _| {});
}

/// The same as `optimise`, showing the program after each pass over a function.
pub fn optimise_watched(
    program: &mut Program,
    roots: &[FunctionId],
    watch: &mut dyn FnMut(&'static str, FunctionId, &Program),
) {
    optimise_with(program, roots, true, watch);
}

fn optimise_with(
    program: &mut Program,
    roots: &[FunctionId],
    first: bool,
    watch: &mut dyn FnMut(&'static str, FunctionId, &Program),
) {
    riesz_limit::pass("optimise");
    let calls = Calls::of(program, roots);
    let batches = first && !calls.order.iter().any(|id| batch::has_matrices(&program.function(*id).body));
    let chosen = || PASSES.into_iter().filter(|(_, runs, _)| *runs == Always || batches);
    // What becomes a part of its only caller is optimised there, once: a chain of calls would be gone through anew for
    // each of its links.
    for &id in calls.order.iter().filter(|id| !calls.is_absorbed(**id)) {
        inline::inline(program, id, &calls);
        watch("inline", id, program);
        let mut before = fingerprint(&program.function(id).body);
        for _ in 0..ROUNDS {
            for (name, _, pass) in chosen() {
                pass(&mut program.functions[id.0 as usize]);
                watch(name, id, program);
            }
            let after = fingerprint(&program.function(id).body);
            if std::mem::replace(&mut before, after) == after {
                break;
            }
        }
        number_again(&mut program.functions[id.0 as usize]);
        watch("renumber", id, program);
    }
}

/// Numbers the variables of a function from zero again, without those that are gone.
fn number_again(function: &mut Function) {
    let nothing = Body { bindings: Vec::new(), result: Atom::Int(0) };
    let body = std::mem::replace(&mut function.body, nothing);
    let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
    *function = renumber(function.name.clone(), &parameters, body, &function.result, function.span, &|var| {
        function.vars[var.0 as usize].clone()
    });
}
