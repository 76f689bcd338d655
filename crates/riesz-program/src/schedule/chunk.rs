//! Which loops are cut into chunks that threads share, and what passes between a loop and its chunks.
//!
//! ```text
//! for i < n { ... }   is   { for i < a { ... } }  { for a ≤ i < b { ... } }  ...   in any order
//! ```
//!
//! Iterations use numbers and buffers from around the loop. They only read some of the buffers; to others they only
//! write, each iteration at its own positions, and these buffers are shared. Each chunk has its own registers for
//! reductions. All chunks except the first have private copies of buffers that iterations add to, unless no two
//! iterations add to the same element (`disjoint`).

use super::annotation::{ChunkSchedule, LaneSchedule};
use super::target::Chunking;
use super::uses::Uses;
use super::{Loops, cost, disjoint};
use crate::program::{Buffer, For, Kind, Operand, Register};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A loop of a constant number of iterations below this is not cut.
const FEW: i64 = 8;

/// The cost per element of the sums in lanes of a buffer, which each chunk makes and the loop adds.
const SUMS: f64 = 16.0;

/// The same for a private copy of a buffer.
const COPY: f64 = 5.0;

/// The chunks of a loop; none if it cannot be cut, or need not be. In a large procedure every loop that can be cut is: its
/// iterations are a function by themselves, and the time that compilers take grows faster than functions do.
pub(super) fn chunks(loops: &Loops, each: &For, lanes: Option<&LaneSchedule>) -> Option<ChunkSchedule> {
    if !each.parallel || matches!(each.count, Operand::Int(..FEW)) || loops.target.chunks == Chunking::Never {
        return None;
    }
    let uses = Uses::of(loops.program, each);
    let inside = loops.everywhere.only_in(&each.body);
    let outside = |buffer: &Buffer| !uses.private.contains(buffer);
    let written: FxHashSet<Buffer> = uses.stored.union(&uses.added).copied().filter(|b| outside(b)).collect();
    let kind = |buffer: Buffer| loops.procedure.buffers[buffer.0 as usize].kind;
    let stores_and_adds = uses.added.iter().any(|buffer| outside(buffer) && uses.stored.contains(buffer));
    let reads_what_is_written = uses.read.iter().any(|buffer| written.contains(buffer));
    let adds_no_reals = uses.added.iter().any(|buffer| outside(buffer) && kind(*buffer) != Kind::Real);
    let sets = uses.set.iter().any(|register| !inside.contains(register));
    let mut reduced = BTreeMap::new();
    for (register, combine) in uses.reduced.iter().filter(|(register, _)| !inside.contains(register)) {
        if *reduced.entry(*register).or_insert(*combine) != *combine {
            return None;
        }
    }
    let reads_what_is_reduced = reduced.keys().any(|register| uses.used.contains(register));
    if stores_and_adds
        || reads_what_is_written
        || adds_no_reals
        || sets
        || reads_what_is_reduced
        || uses.swapped.iter().any(outside)
    {
        return None;
    }
    let is_inside = |register: &Register| {
        let mutable = loops.procedure.registers[register.0 as usize].mutable;
        uses.bound.contains(register) || mutable && inside.contains(register)
    };
    let numbers = sorted(uses.used.iter().copied().filter(|register| !is_inside(register)));
    let known = |operand: Operand| match operand {
        Operand::Register(register) => numbers.contains(&register),
        _ => true,
    };
    let cost = match loops.target.chunks {
        Chunking::Always | Chunking::Never => None,
        Chunking::From(least) => {
            let exact = cost::iteration(loops.program, each, lanes, &|_| true);
            if let (Operand::Int(count), Some(cost)) = (each.count, exact.constant())
                && count as f64 * cost < least
                && !loops.large
            {
                return None;
            }
            Some(cost::iteration(loops.program, each, lanes, &known))
        }
    };
    let near =
        |buffer: &Buffer| lanes.is_some_and(|lanes| lanes.stencils.get(buffer).is_some_and(|stencil| stencil.alone));
    let directly = |buffer: &Buffer| match lanes {
        Some(lanes) => uses.adds.iter().any(|element| element.buffer == *buffer && !lanes.is_uniform(element.at)),
        None => true,
    };
    let copied = sorted(uses.added.iter().copied().filter(|buffer| {
        outside(buffer) && !near(buffer) && directly(buffer) && !disjoint::are(loops.procedure, each, *buffer, &uses)
    }));
    let summed = lanes.into_iter().flat_map(|lanes| lanes.summed.iter().map(|buffer| (*buffer, SUMS)));
    let apiece = summed.chain(copied.iter().map(|buffer| (*buffer, COPY)));
    Some(ChunkSchedule {
        group: lanes.map_or(1, |lanes| lanes.width * lanes.strip),
        numbers,
        read: sorted(uses.read.iter().copied().filter(outside)),
        written: sorted(written.into_iter()),
        apiece: if cost.is_some() { apiece.collect() } else { Vec::new() },
        copied,
        reduced,
        cost,
        guarded: lanes.is_some() && loops.called,
    })
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all
}
