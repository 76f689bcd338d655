//! The invariants of schedules.
//!
//! 1. Only loops with independent iterations have a schedule. Loops inside of lanes have none, and chunks have no chunks
//!    inside.
//! 2. The classes, the private buffers and the partial results of lanes are those that follow from the loop. Stencils,
//!    parts of buffers, interleaved stores and fused products are among those that do.
//! 3. Zeros that a loop writes itself stand directly before it, and it writes all of these elements or adds to them.
//! 4. Chunks pass the numbers and buffers that iterations use, and have copies of the buffers to which two chunks can
//!    add at the same position. Their boundaries divide no vector of lanes and no strip.

use super::annotation::{ChunkSchedule, LaneSchedule, Schedule, Stencil};
use super::{Chunking, Loops, Target, chunk, classify, interleave, range, rest, stencil, strip};
use crate::program::{Block, Buffer, For, Operand, ProcedureId, Program, Statement};
use crate::visit::each_statement;

type Verified = Result<(), String>;

/// Tests the schedules of a procedure.
pub(crate) fn verify(program: &Program, id: ProcedureId) -> Verified {
    let mut scheduled = false;
    each_statement(&program.procedure(id).body, &mut |statement| {
        scheduled |= matches!(statement, Statement::For(each) if each.schedule.is_some());
    });
    match scheduled {
        true => Schedules(Loops::of(program, id, &ANY)).block(&program.procedure(id).body, false),
        false => Ok(()),
    }
}

/// A target for which every loop can be cut.
const ANY: Target = Target { chunks: Chunking::Always, ..Target::SEQUENTIAL };

struct Schedules<'p>(Loops<'p>);

impl Schedules<'_> {
    fn block(&self, block: &Block, chunked: bool) -> Verified {
        for (at, statement) in block.iter().enumerate() {
            let Statement::For(each) = statement else {
                statement.blocks().into_iter().try_for_each(|inner| self.block(inner, chunked))?;
                continue;
            };
            let empty = Schedule::default();
            let Schedule { lanes, chunks } = each.schedule.as_deref().unwrap_or(&empty);
            if (lanes.is_some() || chunks.is_some()) && !each.parallel {
                return Err("a loop with dependent iterations has a schedule".into());
            }
            if let Some(chunks) = chunks {
                if chunked {
                    return Err("a chunk has chunks inside".into());
                }
                self.chunks(each, lanes.as_ref(), chunks)?;
            }
            match lanes {
                Some(lanes) => self.lanes(each, lanes, &block[..at])?,
                None => self.block(&each.body, chunked || chunks.is_some())?,
            }
        }
        Ok(())
    }

    fn lanes(&self, each: &For, lanes: &LaneSchedule, before: &[Statement]) -> Verified {
        let procedure = self.0.procedure;
        let expected = classify::classify(procedure, &self.0.everywhere, each).ok_or("a loop cannot run in lanes")?;
        let same = expected.classes == lanes.classes
            && expected.private == lanes.private
            && expected.varying == lanes.varying
            && expected.summed == lanes.summed
            && expected.reduced == lanes.reduced
            && expected.backward == lanes.backward;
        expect(same, "the classes of a loop do not follow from it")?;
        expect(lanes.width > 1 && lanes.strip > 0, "a vector has less than two lanes")?;
        expect(lanes.strip == 1 || lanes.stencils.is_empty() && strip::is_straight(each, lanes), "a strip diverges")?;
        expect(!lanes.rest || lanes.stencils.is_empty() && rest::fits(lanes, each), "lanes without an iteration")?;
        let ranges = range::ranges(lanes, each);
        expect(lanes.ranges.iter().all(|(buffer, range)| ranges.get(buffer) == Some(range)), "a part of a buffer")?;
        let fused = strip::fused(procedure, lanes, each);
        expect(lanes.fused.iter().all(|(register, factors)| fused.get(register) == Some(factors)), "a fused product")?;
        let rows = interleave::interleaved(procedure, lanes, each);
        expect(lanes.interleaved.iter().all(|(buffer, row)| rows.get(buffer) == Some(row)), "an interleaved store")?;
        let stencils = stencil::stencils(lanes, each);
        for (buffer, stencil) in &lanes.stencils {
            let expected = stencils.get(buffer).map(|expected| Stencil { zeroed: stencil.zeroed, ..expected.clone() });
            expect(expected.as_ref() == Some(stencil), "a stencil does not follow from its loop")?;
            expect(stencil.shifts().into_iter().all(|shift| shift < lanes.width), "a stencil is wider than a vector")?;
            if let Some(count) = stencil.zeroed {
                let written = stencil.places.len() > 1 || each.count == count;
                expect(stencil.is_whole() && written, "elements stay without zeros")?;
                expect(stencil.first >= 0 && zeros_before(before, *buffer, count), "there are no zeros before a loop")?;
            }
        }
        let mut nested = false;
        each_statement(&each.body, &mut |statement| {
            nested |= matches!(statement, Statement::For(inner) if inner.schedule.is_some());
        });
        expect(!nested, "a loop inside of lanes has a schedule")
    }

    fn chunks(&self, each: &For, lanes: Option<&LaneSchedule>, chunks: &ChunkSchedule) -> Verified {
        let expected = chunk::chunks(&self.0, each, lanes).ok_or("a loop cannot be cut into chunks")?;
        let same = expected.numbers == chunks.numbers
            && expected.read == chunks.read
            && expected.written == chunks.written
            && expected.reduced == chunks.reduced;
        expect(same, "chunks use other numbers or buffers")?;
        expect(expected.copied.iter().all(|buffer| chunks.copied.contains(buffer)), "two chunks add to one element")?;
        expect(
            chunks.copied.iter().all(|buffer| chunks.written.contains(buffer)),
            "a chunk copies what it only reads",
        )?;
        expect(chunks.group > 0 && chunks.group % expected.group == 0, "a chunk divides a vector or a strip")
    }
}

fn expect(holds: bool, problem: &str) -> Verified {
    if holds { Ok(()) } else { Err(problem.into()) }
}

/// Whether the last statements of a block fill buffers with zeros, and one of them a buffer.
fn zeros_before(block: &[Statement], buffer: Buffer, count: Operand) -> bool {
    let fills = block.iter().rev().take_while(|statement| matches!(statement, Statement::Fill(..)));
    fills.into_iter().any(|statement| {
        matches!(statement, Statement::Fill(to, filled, Operand::Real(0.0))
            if to.buffer == buffer && to.at == Operand::Int(0) && *filled == count)
    })
}
