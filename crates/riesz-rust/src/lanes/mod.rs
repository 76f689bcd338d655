//! A loop with independent iterations, eight iterations at a time.
//!
//! Varying values are in eight lanes; uniform values are computed once for all of them. If lanes diverge at a
//! condition, both branches run, each under a mask. A buffer that all iterations add to has a copy for each lane, and
//! the copies are added after the loop, always in the same order. The remaining iterations run one by one.
//!
//! Iterations with inner loops run thirty-two at a time, in strips of four times eight lanes, and then eight at a time:
//! uniform values are read once for all of them, and common sums are written back once (`strip`). A product that is
//! only added to another value uses fused multiply-add, if the machine has it.

mod beside;
mod element;
mod expression;
mod partial;
mod statement;
mod stencil;

use crate::chunk::{Given, Outline};
use crate::classify::{Class, Lanes, Refused, Step};
use crate::function::Writer;
use beside::Row;
use partial::{Partial, reductions};
use riesz_program::program::{Allocation, Buffer, Combine, For, Kind, Operand, Procedure, Register, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use stencil::{Stencil, further, stencils};

/// A site that stands for no error: the program has to be run in another way.
const ELSEWHERE: u32 = u32::MAX;

/// Whether a loop in lanes adds to a buffer near the index alone, and so can write what it would add to zeros, of which
/// there are so many.
pub(crate) fn writes_near(procedure: &Procedure, each: &For, buffer: Buffer, zeros: Operand) -> bool {
    let covers = |lanes: Lanes| {
        let writes = |stencil: &Stencil| match stencil.places.len() {
            1 => stencil.single && each.count == zeros && !crate::strip::fits(&lanes, each),
            _ => stencil.first >= 0,
        };
        crate::choose::outer(procedure, &lanes, each) && stencils(&lanes, each).get(&buffer).is_some_and(writes)
    };
    Lanes::of(procedure, each).is_ok_and(covers)
}

/// Whether a statement, or one inside of it, has to do with a buffer.
pub(crate) fn touches(statement: &Statement, buffer: Buffer) -> bool {
    riesz_program::any_buffer(statement, &mut |other| other == buffer)
        || riesz_program::blocks(statement).into_iter().flatten().any(|inner| touches(inner, buffer))
}

/// Writes a loop in lanes, if that can be.
pub(crate) fn write(writer: &mut Writer, each: &For, declared: &FxHashSet<Register>) -> Result<(), Refused> {
    let lanes = Lanes::of(writer.procedure, each)?;
    if !crate::choose::outer(writer.procedure, &lanes, each) {
        return Err(Refused);
    }
    let mut stencils = stencils(&lanes, each);
    stencils.retain(|buffer, stencil| stencil.places.len() > 1 || writer.cleared.contains_key(buffer));
    let products = crate::strip::products(&lanes, each);
    let rows = beside::rows(writer.procedure, &lanes, each);
    let mut wide = Wide { lanes, masks: 0, stencils, rows, products, strip: false, writer };
    wide.whole(each, declared);
    Ok(())
}

struct Wide<'w, 'p> {
    lanes: Lanes<'p>,
    /// How many masks have been named.
    masks: usize,
    stencils: FxHashMap<Buffer, Stencil>,
    /// What turns write beside each other.
    rows: FxHashMap<Buffer, Row>,
    /// Products that are only added to something.
    products: FxHashMap<Register, (Operand, Operand)>,
    /// Whether lanes are taken in strips.
    strip: bool,
    writer: &'w mut Writer<'p>,
}

impl Wide<'_, '_> {
    fn line(&mut self, line: String) {
        self.writer.line(line);
    }

    fn whole(&mut self, each: &For, declared: &FxHashSet<Register>) {
        let count = self.writer.bound(each.count);
        let lanes = self.writer.precision.lanes();
        let shared = self.shared(each);
        let near: FxHashSet<Buffer> = self.stencils.keys().copied().collect();
        let strips = crate::strip::fits(&self.lanes, each);
        let outline = match self.writer.chunked {
            true => None,
            false => Outline::of(self.writer, each, Some((&self.lanes, strips)), &near),
        };
        self.line(format!("context.step({count}, {})?;", each.site.0));
        for buffer in self.buffers_near() {
            // What no block of turns writes is cleared here.
            let Some(len) = self.writer.cleared.get(&buffer).copied() else { continue };
            let (total, len) = (self.writer.buffer_mut(buffer), self.writer.operand(len));
            let first = self.stencils[&buffer].first;
            if first > 0 {
                self.line(format!("part_mut({total}, 0, i64::min({len}, {first})).fill(0.0);"));
            }
            // A count may be negative, and then there are no turns.
            let from = format!("{count}.max(0) / {lanes} * {lanes}{}", further(first));
            self.line(format!("part_mut({total}, {from}, {len} - ({from})).fill(0.0);"));
        }
        let given: Vec<Given> = shared.iter().map(|shared| shared.given(self.writer)).collect();
        // A call of few turns does not pay for more.
        let guarded = outline.is_some() && self.writer.called;
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
        if strips {
            self.strip = true;
            self.turns(each, declared, &format!("{from} / {}", 4 * lanes), &format!("{to} / {}", 4 * lanes));
            self.strip = false;
            self.turns(each, declared, &format!("{to} / {} * 4", 4 * lanes), &format!("{to} / {lanes}"));
        } else {
            self.turns(each, declared, &format!("{from} / {lanes}"), &format!("{to} / {lanes}"));
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
        self.writer.cleared.retain(|buffer, _| !near.contains(buffer));
        let index = self.writer.register(each.index).to_string();
        self.line(format!("if {count} % {lanes} > 0 {{"));
        self.writer.depth += 1;
        for allocation in &each.private {
            self.writer.allocate(allocation);
        }
        self.line(format!("for {index} in {count} / {lanes} * {lanes}..{count} {{"));
        let mut inside = declared.clone();
        self.writer.plain = true;
        self.writer.nested(&each.body, &mut inside);
        self.writer.plain = false;
        self.line("}".into());
        self.writer.depth -= 1;
        self.line("}".into());
    }

    /// The buffers that turns add to near the index, in order.
    fn buffers_near(&self) -> Vec<Buffer> {
        let mut near: Vec<Buffer> = self.stencils.keys().copied().collect();
        near.sort_unstable();
        near
    }

    /// The turns of some blocks, those of each together.
    fn turns(&mut self, each: &For, declared: &FxHashSet<Register>, from: &str, to: &str) {
        let index = self.writer.register(each.index).to_string();
        let together = self.together();
        // Buffers of the turns are as wide as they are.
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
        self.line(format!("let {index} = {together} * lane_block;"));
        for buffer in self.buffers_near() {
            if self.stencils[&buffer].single {
                continue;
            }
            let name = self.writer.buffer(buffer).to_string();
            // What is added to −0 is left as it is, and so the first addition costs nothing.
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

    /// What lanes add up for themselves.
    fn shared(&self, each: &For) -> Vec<Partial> {
        let mut summed: Vec<Buffer> = self.lanes.summed.iter().copied().collect();
        summed.sort_unstable();
        let mut reduced: Vec<Register> = self.lanes.reduced.iter().copied().collect();
        reduced.sort_unstable();
        let combines = reductions(&each.body);
        let reduced = reduced.into_iter().map(|register| {
            let combine = combines.iter().find(|(reduced, _)| *reduced == register).map(|(_, combine)| *combine);
            Partial::Number(register, combine.unwrap_or(Combine::Sum))
        });
        let mut shifted: Vec<(Buffer, i64, i64)> = (self.stencils.iter())
            .flat_map(|(buffer, stencil)| stencil.shifts().into_iter().map(|shift| (*buffer, stencil.first, shift)))
            .collect();
        shifted.sort_unstable();
        let carried = shifted.into_iter().map(|(buffer, first, shift)| Partial::Carry { buffer, first, shift });
        carried.chain(summed.into_iter().map(Partial::Sums)).chain(reduced).collect()
    }

    /// What holds a number of a kind for each lane.
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
        let element = match self.lanes.varying.contains(&allocation.buffer) {
            true => self.ty(kind),
            false => self.writer.rust(kind),
        };
        let name = self.writer.buffer(allocation.buffer).to_string();
        let count = self.writer.operand(allocation.count);
        self.line(format!("let mut {name} = context.buffer::<{element}>({count}, {})?;", allocation.site.0));
    }

    fn is_uniform(&self, operand: Operand) -> bool {
        self.lanes.is_uniform(operand)
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::One => "1".into(),
            Step::Times(step, operand) => match &**step {
                Step::One => self.writer.operand(*operand),
                step => format!("({} * {})", self.step(step), self.writer.operand(*operand)),
            },
            Step::Plus(a, b) => format!("({} + {})", self.step(a), self.step(b)),
            Step::Minus(step) => format!("(-{})", self.step(step)),
        }
    }

    /// The same without an end to how large it is: of integers that lanes have to reach.
    fn exact_step(&self, step: &Step) -> String {
        match step {
            Step::One => "1_i128".into(),
            Step::Times(step, operand) => {
                format!("{}.saturating_mul(i128::from({}))", self.exact_step(step), self.writer.bound(*operand))
            }
            Step::Plus(a, b) => format!("{}.saturating_add({})", self.exact_step(a), self.exact_step(b)),
            Step::Minus(step) => format!("{}.saturating_neg()", self.exact_step(step)),
        }
    }

    /// How many turns are taken together.
    fn together(&self) -> i64 {
        let lanes = self.writer.precision.lanes();
        if self.strip { 4 * lanes } else { lanes }
    }

    /// An operand in lanes.
    fn wide(&self, operand: Operand) -> String {
        if let Operand::Register(register) = operand
            && let Some((a, b)) = self.products.get(&register)
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
