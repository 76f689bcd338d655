//! Run-time errors of native code, with the messages of the interpreter.

use crate::code::Stop;
use crate::marshal::number;
use riesz_core::evaluate::{Limits, problem};
use riesz_limit::Stopped;
use riesz_program::program::{Fault, Site};
use riesz_runtime::Context;
use riesz_rust::Precision;
use std::sync::atomic::Ordering;

/// Why a run stopped, from what it told.
pub(crate) fn fault(sites: &[Site], told: &[u64], context: &Context, limits: &Limits, precision: Precision) -> Stop {
    let Some(site) = sites.get(told[0] as usize) else { return Stop::Elsewhere };
    let [a, b, c] = [told[1] as i64, told[2] as i64, told[3] as i64];
    let span = site.span;
    let found = match &site.fault {
        Fault::Index => problem::out_of_range(a, b as usize, span),
        Fault::Slice => problem::slice_out_of_range(a, b, c as usize, span),
        Fault::NegativeSize => problem::negative_size(a, span),
        Fault::Sizes => problem::sizes_differ(a, b, span),
        Fault::Elements => problem::elements_differ(a as usize, b as usize, span),
        Fault::Ragged => problem::ragged(a as usize, b as usize, span),
        Fault::NotSquare => problem::not_square(a as usize, span),
        Fault::Integer(primitive) => {
            let count = primitive.signatures.first().map_or(2, |signature| signature.matches(':').count() - 1);
            problem::integer(primitive, &[a, b][..count.clamp(1, 2)], span)
        }
        Fault::Truncate => problem::no_integer_part(number(a as u64, precision), span),
        Fault::Empty(reduction) => problem::empty(*reduction, span),
        Fault::Unforeseen => return Stop::Elsewhere,
        Fault::Steps | Fault::Call(_) if is_interrupted(limits) => problem::stopped(Stopped::Interrupted, limits, span),
        Fault::Steps => problem::too_many_steps(limits.steps, span),
        Fault::Memory => problem::too_much_memory(limits.memory, a as usize, span),
        Fault::Call(_) if context.depth < 0 => problem::too_deep(limits.depth, span),
        Fault::Call(_) if context.steps < 0 => problem::too_many_steps(limits.steps, span),
        // The stack ends before the limit does; that of the interpreter grows.
        Fault::Call(_) => return Stop::Elsewhere,
    };
    let calls = (told[5..].iter()).take(told[4] as usize).filter_map(|site| sites.get(*site as usize));
    let found = calls.fold(found, |found, site| match &site.fault {
        Fault::Call(name) => problem::in_call(found, name, site.span),
        _ => found,
    });
    Stop::Wrong(found)
}

fn is_interrupted(limits: &Limits) -> bool {
    limits.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
}
