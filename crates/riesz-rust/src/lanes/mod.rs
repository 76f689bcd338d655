//! Loops whose schedule has lanes: a vector of iterations at a time.
//!
//! Varying values are in lanes; uniform values are computed once for all of them. If lanes diverge at a
//! condition, both branches run, each under a mask. A buffer that all iterations add to has a copy for each lane, and
//! the copies are added after the loop, always in the same order. The remaining iterations run one by one, or as one
//! more vector in which a mask says which lanes may write.
//!
//! If the schedule has strips, several vectors of iterations run at a time, and then single vectors: uniform values are
//! read once for all of them, and common sums are written back once. A product that is only added to another value uses
//! fused multiply-add, if the machine has it.

mod element;
mod expression;
mod partial;
mod statement;

use crate::chunk::{ChunkOutput, Outline};
use crate::function::Writer;
use partial::Partial;
use riesz_program::program::{Allocation, Buffer, For, Kind, Operand, Register, Statement};
use riesz_program::schedule::{ChunkSchedule, Class, LaneSchedule, LaneStride, Stencil};
use riesz_program::{blocks, each_statement};
use rustc_hash::FxHashSet;

/// A site that stands for no error: the program has to be run in another way.
const ELSEWHERE: u32 = u32::MAX;

/// The mask of the lanes that have an iteration.
const REST: &str = "lane_rest";

/// Writes a loop in lanes.
pub(crate) fn write(
    writer: &mut Writer,
    each: &For,
    lanes: &LaneSchedule,
    chunks: Option<&ChunkSchedule>,
    declared: &FxHashSet<Register>,
) {
    let masked = masked(each, lanes);
    Wide { index: each.index, lanes, masks: 0, masked, strip: false, rest: None, writer }.whole(each, chunks, declared);
}

/// The buffers that a loop writes under a condition, or in an inner loop with a different number of iterations in each
/// lane.
fn masked(each: &For, lanes: &LaneSchedule) -> FxHashSet<Buffer> {
    let mut found = FxHashSet::default();
    each_statement(&each.body, &mut |statement| {
        let parts = match statement {
            Statement::If(..) | Statement::While(_) => true,
            Statement::For(inner) => !lanes.is_uniform(inner.count),
            _ => false,
        };
        if !parts {
            return;
        }
        for block in blocks(statement) {
            each_statement(block, &mut |statement| match statement {
                Statement::Store(element, _) | Statement::Fill(element, ..) | Statement::Add(element, _) => {
                    found.insert(element.buffer);
                }
                Statement::Copy { to, .. } => {
                    found.insert(to.buffer);
                }
                _ => {}
            });
        }
    });
    found
}

/// A distance, as it is written behind a position.
fn further(by: i64) -> String {
    if by == 0 { String::new() } else { format!(" + {by}") }
}

/// Whether a number of iterations is known to be a multiple of another: none are left behind the last group.
fn is_multiple(count: Operand, of: i64) -> bool {
    matches!(count, Operand::Int(count) if count >= 0 && count % of == 0)
}

/// The position of the first element that the iteration at an index adds to.
fn position(writer: &Writer, stencil: &Stencil, index: &str) -> String {
    let base = stencil.base.map_or_else(String::new, |base| format!("{} + ", writer.register(base)));
    format!("{base}{index}{}", further(stencil.first))
}

struct Wide<'w, 'p> {
    index: Register,
    lanes: &'w LaneSchedule,
    /// The number of masks that have been named.
    masks: usize,
    /// The buffers that lanes may write under a mask.
    masked: FxHashSet<Buffer>,
    /// Whether vectors are in strips.
    strip: bool,
    /// The mask of the lanes that have an iteration, where others have none.
    rest: Option<&'static str>,
    writer: &'w mut Writer<'p>,
}

impl<'w> Wide<'w, '_> {
    fn line(&mut self, line: String) {
        self.writer.line(line);
    }

    fn whole(&mut self, each: &For, chunks: Option<&ChunkSchedule>, declared: &FxHashSet<Register>) {
        let count = self.writer.bound(each.count);
        let (lanes, strip) = (self.lanes.width, self.lanes.strip);
        let shared = self.shared();
        let outline = chunks.map(|chunks| Outline { chunks });
        if each.counted {
            self.line(format!("context.step({count}, {})?;", each.site.0));
        }
        for (buffer, stencil) in &self.lanes.stencils {
            // The elements that no vector of iterations writes are zeroed here.
            let Some(len) = stencil.zeroed else { continue };
            let (total, len) = (self.writer.buffer_mut(*buffer), self.writer.operand(len));
            let first = stencil.first;
            if first > 0 {
                self.line(format!("part_mut({total}, 0, i64::min({len}, {first})).fill(0.0);"));
            }
            // A count may be negative, and then there are no iterations.
            let from = format!("{count}.max(0) / {lanes} * {lanes}{}", further(first));
            self.line(format!("part_mut({total}, {from}, {len} - ({from})).fill(0.0);"));
        }
        let given: Vec<ChunkOutput> = shared.iter().map(|shared| shared.given(self.writer)).collect();
        // Without a whole vector of iterations, sums in lanes are not even made.
        let sums = !self.lanes.summed.is_empty() && !matches!(each.count, Operand::Int(_));
        let guarded = sums || chunks.is_some_and(|chunks| chunks.guarded);
        if guarded {
            self.line(format!("if {count} >= {lanes} {{"));
            self.writer.depth += 1;
        }
        let (from, to) = match &outline {
            Some(outline) => {
                outline.open(self.writer, each, &given);
                ("chunk_from".to_string(), "chunk_to".to_string())
            }
            None => ("0".into(), count.clone()),
        };
        for shared in &shared {
            let line = shared.begin(self.writer, each.site);
            self.line(line);
        }
        if strip > 1 {
            self.strip = true;
            let group = strip * lanes;
            self.iterations(each, declared, &format!("{from} / {group}"), &format!("{to} / {group}"));
            self.strip = false;
            // The chunks of a loop have whole strips, but for the last.
            if !is_multiple(each.count, group) {
                self.iterations(each, declared, &format!("{to} / {group} * {strip}"), &format!("{to} / {lanes}"));
            }
        } else if !matches!(each.count, Operand::Int(count) if count < lanes) {
            self.iterations(each, declared, &format!("{from} / {lanes}"), &format!("{to} / {lanes}"));
        }
        let end = match &outline {
            Some(outline) => {
                let settled = shared.iter().filter_map(|shared| shared.settle(self.writer, each.site));
                for line in settled.collect::<Vec<_>>() {
                    self.line(line);
                }
                outline.close(self.writer, each, &given);
                "chunk_to".into()
            }
            None => format!("{count} / {lanes} * {lanes}"),
        };
        for shared in &shared {
            for line in shared.end(self.writer, outline.is_some(), &end) {
                self.line(line);
            }
        }
        if let Some(outline) = &outline {
            outline.end(self.writer);
        }
        if guarded {
            self.writer.depth -= 1;
            self.line("}".into());
        }
        if is_multiple(each.count, lanes) {
            return;
        }
        let index = self.writer.register(each.index).to_string();
        self.line(format!("if {count} % {lanes} > 0 {{"));
        self.writer.depth += 1;
        if self.lanes.rest {
            for allocation in &each.private {
                self.allocate(allocation);
            }
            self.line(format!("let {index} = {count} / {lanes} * {lanes};"));
            self.line(format!("let {REST} = Ints::linear({index}, 1).compare(Ints::splat({count}), |a, b| a < b);"));
            self.rest = Some(REST);
            let mut inside = declared.clone();
            self.block(&each.body, &mut inside, None);
            self.rest = None;
            self.writer.depth -= 1;
            return self.line("}".into());
        }
        for allocation in &each.private {
            self.writer.allocate(allocation);
        }
        self.line(format!("for {index} in {count} / {lanes} * {lanes}..{count} {{"));
        let mut inside = declared.clone();
        self.writer.nested(&each.body, &mut inside);
        self.line("}".into());
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// A range of vectors or strips.
    fn iterations(&mut self, each: &For, declared: &FxHashSet<Register>, from: &str, to: &str) {
        let index = self.writer.register(each.index).to_string();
        let group = self.group();
        // The elements of private buffers are as wide as a vector or a strip.
        let own = !each.private.is_empty();
        if own {
            self.line(format!("if {from} < {to} {{"));
            self.writer.depth += 1;
        }
        for allocation in &each.private {
            self.allocate(allocation);
        }
        self.line(format!("for lane_block in {from}..{to} {{"));
        self.writer.depth += 1;
        self.line(format!("let {index} = {group} * lane_block;"));
        for (buffer, _) in self.lanes.stencils.iter().filter(|(_, stencil)| !stencil.is_single()) {
            let name = self.writer.buffer(*buffer).to_string();
            // The sum of −0 and a number is the number, so the first addition costs nothing.
            self.line(format!("let mut {name}_near = Lanes::splat(-0.0);"));
        }
        let mut inside = declared.clone();
        self.block(&each.body, &mut inside, None);
        self.writer.depth -= 1;
        self.line("}".into());
        if own {
            self.writer.depth -= 1;
            self.line("}".into());
        }
    }

    /// The partial results of lanes.
    fn shared(&self) -> Vec<Partial<'w>> {
        let lanes = self.lanes;
        let carried = lanes.stencils.iter().flat_map(|(buffer, stencil)| {
            let carry = |shift| Partial::Carry { buffer: *buffer, stencil, shift };
            stencil.shifts().into_iter().map(carry)
        });
        let summed = lanes.summed.iter().map(|buffer| Partial::Sums(*buffer, lanes.ranges.get(buffer).copied()));
        let reduced = lanes.reduced.iter().map(|(register, combine)| Partial::Number(*register, *combine));
        carried.chain(summed).chain(reduced).collect()
    }

    /// The type of a number of a kind for each lane.
    fn ty(&self, kind: Kind) -> &'static str {
        match (kind, self.strip) {
            (Kind::Real, false) => "Lanes",
            (Kind::Int, false) => "Ints",
            (Kind::Bool, false) => "Mask",
            (Kind::Real, true) => "LaneStrip",
            (Kind::Int, true) => "IntStrip",
            (Kind::Bool, true) => "MaskStrip",
        }
    }

    fn allocate(&mut self, allocation: &Allocation) {
        let kind = self.writer.kind_of(allocation.buffer);
        let varying = self.lanes.varying.contains(&allocation.buffer);
        let element = if varying { self.ty(kind) } else { self.writer.rust(kind) };
        // A store under a mask reads all lanes first, also those that have not been written.
        let make = if varying && self.masked.contains(&allocation.buffer) { "cleared" } else { "buffer" };
        let name = self.writer.buffer(allocation.buffer).to_string();
        let count = self.writer.operand(allocation.count);
        self.line(format!("let mut {name} = context.{make}::<{element}>({count}, {})?;", allocation.site.0));
    }

    fn is_uniform(&self, operand: Operand) -> bool {
        self.lanes.is_uniform(operand)
    }

    fn step(&self, step: &LaneStride) -> String {
        match step {
            LaneStride::One => "1".into(),
            LaneStride::Times(step, operand) => match &**step {
                LaneStride::One => self.writer.operand(*operand),
                step => format!("({} * {})", self.step(step), self.writer.operand(*operand)),
            },
            LaneStride::Plus(a, b) => format!("({} + {})", self.step(a), self.step(b)),
            LaneStride::Minus(step) => format!("(-{})", self.step(step)),
        }
    }

    /// The stride as an integer that does not overflow.
    fn exact_step(&self, step: &LaneStride) -> String {
        match step {
            LaneStride::One => "1_i128".into(),
            LaneStride::Times(step, operand) => {
                format!("{}.saturating_mul(i128::from({}))", self.exact_step(step), self.writer.bound(*operand))
            }
            LaneStride::Plus(a, b) => format!("{}.saturating_add({})", self.exact_step(a), self.exact_step(b)),
            LaneStride::Minus(step) => format!("{}.saturating_neg()", self.exact_step(step)),
        }
    }

    /// The number of iterations of a vector or a strip.
    fn group(&self) -> i64 {
        if self.strip { self.lanes.strip * self.lanes.width } else { self.lanes.width }
    }

    /// An operand in lanes.
    fn wide(&self, operand: Operand) -> String {
        if let Operand::Register(register) = operand
            && let Some((a, b)) = self.lanes.fused.get(&register)
        {
            return format!("({} * {})", self.wide(*a), self.wide(*b));
        }
        let name = self.writer.operand(operand);
        let ty = self.ty(self.writer.kind(operand));
        match self.lanes.class(operand) {
            Class::Uniform => format!("{ty}::splat({name})"),
            Class::Linear(step) => format!("{ty}::linear({name}, {})", self.step(&step)),
            Class::Varying => name,
        }
    }

    fn mask(&self, mask: Option<&str>) -> String {
        mask.map_or_else(|| format!("{}::splat(true)", self.ty(Kind::Bool)), str::to_string)
    }
}
