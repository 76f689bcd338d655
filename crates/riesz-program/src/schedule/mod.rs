//! Schedules: how the iterations of loops run on a machine.
//!
//! ```text
//! for each i < n { ... }     chunks      ranges of iterations, which threads share
//!                            lanes       iterations of a chunk that run at the same time, statement by statement
//!                            strips      several vectors of lanes at once
//! ```
//!
//! [`schedule`](fn@schedule) decides this for the loops of a program and a [`Target`], and writes it down at each loop.
//! Printers print the decision, the verifier checks it, and the evaluator obeys it.
//!
//! - [`annotation`]: the schedule of a loop
//! - [`target`]: the properties of a machine
//! - `classify`: the numbers that are uniform, linear or varying over the lanes
//! - `uses`: the numbers and buffers that a loop uses
//! - [`cost`]: the cost of an iteration
//! - `choose`: which of two nested loops runs in lanes
//! - `strip`: the loops that run in strips, and products with fused multiply-add
//! - `rest`: the loops whose last iterations run in lanes although they fill no vector
//! - `stencil`: additions near the index
//! - `range`: the parts of buffers to which all lanes add
//! - `relayout`: rows that loops in lanes access across are transposed
//! - `interleave`: interleaved stores
//! - `disjoint`: whether two iterations can add to the same element
//! - `chunk`: the loops that are cut into chunks
//! - `verify`: the invariants of schedules
//! - [`plain_zeros`](mod@plain_zeros): ordinary products run first, and exact ones only if a NaN appears
//! - [`nan_flag`](mod@nan_flag): a NaN in a result is detected while it is written

pub mod annotation;
mod choose;
mod chunk;
mod classify;
pub mod cost;
mod disjoint;
mod interleave;
pub mod nan_flag;
pub mod plain_zeros;
mod range;
mod relayout;
mod rest;
mod stencil;
mod strip;
pub mod target;
mod uses;
pub(crate) mod verify;

pub use annotation::{ChunkSchedule, Class, Interleaved, LaneSchedule, LaneStride, Range, Schedule, Stencil};
pub use nan_flag::nan_flag;
pub use plain_zeros::{PlainFirst, plain_first, plain_zeros};
pub use target::{Chunking, Target};

use crate::passes::reuse::reuse;
use crate::program::{Block, Buffer, For, Operand, Procedure, ProcedureId, Program, Statement};
use crate::visit::each_statement;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use uses::{Occurrences, touches};

/// Writes a schedule for a target at every loop of a program. If loops in lanes access rows across, these are transposed
/// first. Buffers are reused.
pub fn schedule(program: &mut Program, target: &Target) {
    riesz_limit::pass("schedule");
    annotate(program, target);
    let relaid: Vec<bool> = program.procedures.iter_mut().map(relayout::relayout).collect();
    if reuse(program) || relaid.contains(&true) {
        program.procedures.iter_mut().for_each(|procedure| clear(&mut procedure.body));
        annotate(program, target);
    }
}

/// Removes the schedules of a block.
fn clear(block: &mut Block) {
    for statement in block {
        if let Statement::For(each) = statement {
            each.schedule = None;
        }
        statement.blocks_mut().into_iter().for_each(clear);
    }
}

fn annotate(program: &mut Program, target: &Target) {
    let ids = (0..program.procedures.len()).map(|at| ProcedureId(at as u32));
    let bodies: Vec<Block> =
        ids.map(|id| Loops::of(program, id, target).block(&program.procedure(id).body, false)).collect();
    for (procedure, body) in program.procedures.iter_mut().zip(bodies) {
        procedure.body = body;
    }
}

/// How many statements a procedure has before it is large.
const LARGE: usize = 400;

/// The facts on which the schedules of the loops of a procedure depend.
struct Loops<'p> {
    target: &'p Target,
    program: &'p Program,
    procedure: &'p Procedure,
    everywhere: Occurrences,
    /// Whether the procedure is called by others, or by itself: it may do little, and do it often.
    called: bool,
    /// Whether the procedure has many statements.
    large: bool,
    /// The procedures that call this one, or call one that does.
    callers: FxHashSet<ProcedureId>,
}

impl<'p> Loops<'p> {
    fn of(program: &'p Program, id: ProcedureId, target: &'p Target) -> Loops<'p> {
        let procedure = program.procedure(id);
        let callers = callers(program, id);
        let mut statements = 0;
        each_statement(&procedure.body, &mut |_| statements += 1);
        Loops {
            large: statements > LARGE,
            target,
            program,
            procedure,
            everywhere: Occurrences::of(procedure),
            called: !callers.is_empty(),
            callers,
        }
    }

    /// A block with schedules. Zeros that a loop can write itself are moved to the loop.
    fn block(&self, block: &Block, chunked: bool) -> Block {
        let mut done = Vec::with_capacity(block.len());
        let mut zeros: BTreeMap<usize, Vec<(Buffer, Operand, &Statement)>> = BTreeMap::new();
        for (at, statement) in block.iter().enumerate() {
            match statement {
                Statement::Fill(element, count, Operand::Real(0.0)) => match self.next_to_write(block, at) {
                    Some(next) => zeros.entry(next).or_default().push((element.buffer, *count, statement)),
                    None => done.push(statement.clone()),
                },
                Statement::For(each) => {
                    let zeros = zeros.remove(&at).unwrap_or_default();
                    done.extend(zeros.iter().map(|(.., fill)| (*fill).clone()));
                    let zeroed = zeros.into_iter().map(|(buffer, count, _)| (buffer, count)).collect();
                    done.push(Statement::For(self.each(each, &zeroed, chunked)));
                }
                other => {
                    let mut other = other.clone();
                    other.blocks_mut().into_iter().for_each(|inner| *inner = self.block(inner, chunked));
                    done.push(other);
                }
            }
        }
        done
    }

    /// A loop with its schedule. `zeroed` are the buffers that are filled with zeros before it, which it may write
    /// instead. Chunks have no chunks inside.
    fn each(&self, each: &For, zeroed: &BTreeMap<Buffer, Operand>, chunked: bool) -> For {
        let lanes = self.lanes_in_full(each, zeroed);
        let cut = !chunked && (lanes.is_some() || !self.recurs(&each.body));
        let chunks = if cut { chunk::chunks(self, each, lanes.as_ref()) } else { None };
        let body = match lanes {
            // Loops inside of lanes run in all lanes at once.
            Some(_) => each.body.clone(),
            None => self.block(&each.body, chunked || chunks.is_some()),
        };
        let private = each.private.clone();
        For { schedule: Schedule { lanes, chunks }.some(), body, private, ..*each }
    }

    /// The lanes of a loop with the way in which each buffer is written; none if it does not run in lanes.
    fn lanes_in_full(&self, each: &For, zeroed: &BTreeMap<Buffer, Operand>) -> Option<LaneSchedule> {
        let mut lanes = self.lanes(each).filter(|lanes| choose::outer(self, lanes, each))?;
        let mut stencils = stencil::stencils(&lanes, each);
        stencils.iter_mut().for_each(|(buffer, stencil)| stencil.zeroed = zeroed.get(buffer).copied());
        stencils.retain(|_, stencil| stencil.places.len() > 1 || stencil.zeroed.is_some());
        lanes.rest &= stencils.is_empty();
        if stencils.is_empty() && strip::fits(self.target, self.procedure, &lanes, each) {
            lanes.strip = self.target.strip;
        }
        lanes.stencils = stencils;
        lanes.ranges = range::ranges(&lanes, each);
        lanes.interleaved = interleave::interleaved(self.procedure, &lanes, each);
        lanes.fused = strip::fused(self.procedure, &lanes, each);
        Some(lanes)
    }

    /// The classes of a loop, if it can run in lanes.
    fn lanes(&self, each: &For) -> Option<LaneSchedule> {
        if self.target.lanes < 2 || matches!(each.count, Operand::Int(..rest::FEWEST)) {
            return None;
        }
        let lanes = classify::classify(self.procedure, &self.everywhere, each)?;
        let lanes = LaneSchedule { width: self.target.lanes, ..lanes };
        let rest = rest::fits(&lanes, each);
        let some = rest || !matches!(each.count, Operand::Int(count) if count < self.target.lanes);
        some.then_some(LaneSchedule { rest, ..lanes })
    }

    /// The loop of a block that is the next to mention a buffer that a statement fills with zeros, if it can write the
    /// buffer whole.
    fn next_to_write(&self, block: &Block, at: usize) -> Option<usize> {
        let Statement::Fill(element, count, _) = &block[at] else { return None };
        let next = at + 1 + block[at + 1..].iter().position(|statement| touches(statement, element.buffer))?;
        let Statement::For(each) = &block[next] else { return None };
        if element.at != Operand::Int(0) {
            return None;
        }
        let lanes = self.lanes(each)?;
        let stencil = stencil::stencils(&lanes, each).remove(&element.buffer)?;
        let writes = match stencil.places.len() {
            1 => stencil.is_single() && each.count == *count && !strip::fits(self.target, self.procedure, &lanes, each),
            _ => stencil.is_whole() && stencil.first >= 0,
        };
        (writes && choose::outer(self, &lanes, each)).then_some(next)
    }

    /// Whether a block makes calls that may lead to this procedure again. They are many and short, so that chunks are
    /// worthwhile only before the first of them.
    fn recurs(&self, block: &Block) -> bool {
        let mut found = false;
        each_statement(block, &mut |statement| {
            found |= matches!(statement, Statement::Call(call) if self.callers.contains(&call.procedure));
        });
        found
    }
}

/// The procedures whose calls lead to one.
fn callers(program: &Program, id: ProcedureId) -> FxHashSet<ProcedureId> {
    let (mut found, mut work) = (FxHashSet::default(), vec![id]);
    while let Some(wanted) = work.pop() {
        for (caller, procedure) in program.procedures.iter().enumerate() {
            let caller = ProcedureId(caller as u32);
            each_statement(&procedure.body, &mut |statement| {
                if matches!(statement, Statement::Call(call) if call.procedure == wanted) && found.insert(caller) {
                    work.push(caller);
                }
            });
        }
    }
    found
}
