//! Run-time errors of native code, with the messages of the interpreter.

use crate::code::Stop;
use crate::marshal::number;
use riesz_core::evaluate::{Limits, problem};
use riesz_limit::Stopped;
use riesz_program::Precision;
use riesz_program::program::{Fault, Site};
use riesz_runtime::Context;
use std::sync::atomic::Ordering;

/// Why a run stopped, from what it told.
pub(crate) fn fault(sites: &[Site], told: &[u64], context: &Context, limits: &Limits, precision: Precision) -> Stop {
    let Some(site) = sites.get(told[0] as usize) else { return Stop::Elsewhere };
    let span = site.span;
    let values = [told[1] as i64, told[2] as i64, told[3] as i64];
    let found = match &site.fault {
        Fault::Steps | Fault::Call(_) if is_interrupted(limits) => problem::stopped(Stopped::Interrupted, limits, span),
        Fault::Call(_) if context.depth >= 0 && context.steps < 0 => problem::too_many_steps(limits.steps, span),
        // The stack ends before the limit does; that of the interpreter grows.
        Fault::Call(_) if context.depth >= 0 => return Stop::Elsewhere,
        // A loop also makes copies of buffers, and tells how long they are.
        Fault::Memory | Fault::Steps if values[0] > 0 => {
            let count = values[0] as usize;
            match context.memory < 0 {
                true => problem::too_much_memory(limits.memory, count, span),
                false => problem::no_memory(count.saturating_mul(size_of::<f64>()), count, span),
            }
        }
        fault => match fault.diagnostic(values, number(told[1], precision), limits, span) {
            Some(found) => found,
            None => return Stop::Elsewhere,
        },
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
