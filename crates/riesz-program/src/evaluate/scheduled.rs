//! Loops as their schedules say.
//!
//! ```text
//! chunks   in reverse order, each with its partial results; these are combined in the order of the chunks
//! lanes    each statement for all iterations of a strip or vector, then the next statement
//! ```
//!
//! The evaluator has to find schedules that change a result. It therefore gives every lane its own registers and tests
//! that uniform numbers are equal and linear numbers have their stride, and it makes the elements unwritten that a loop
//! claims to write before it adds to them.

use super::{Evaluated, Frame, Number, Stop, UNWRITTEN, combined};
use crate::program::{Block, Buffer, Combine, Element, For, Operand, Register, Statement};
use crate::schedule::{ChunkSchedule, Class, LaneSchedule, LaneStride, Range, Schedule};
use std::collections::BTreeMap;

/// The number of chunks into which a loop is cut, if it has enough iterations.
const CHUNKS: i64 = 3;

/// The partial results of a chunk.
#[derive(Default)]
struct PartialResults {
    /// Of registers: one number, or one for each lane.
    reduced: BTreeMap<Register, Vec<Number>>,
    /// Of buffers to which all lanes add: where the part begins of which each lane has a copy, and the copies.
    summed: BTreeMap<Buffer, (i64, Vec<Vec<Number>>)>,
    /// Terms of elements behind the last vector, by position.
    carried: BTreeMap<Buffer, BTreeMap<i64, f64>>,
    /// Private copies of buffers.
    copied: Vec<(Buffer, Vec<Number>)>,
}

/// An iteration among those that run at the same time.
struct Lane {
    registers: Vec<Number>,
    /// The copies of varying buffers, in their order.
    buffers: Vec<Option<Vec<Number>>>,
}

impl Frame<'_> {
    /// Runs a loop by its schedule.
    pub(super) fn scheduled(&mut self, each: &For, schedule: &Schedule) -> Evaluated<()> {
        let count = self.int(each.count).max(0);
        let width = schedule.lanes.as_ref().map_or(1, |lanes| lanes.width.max(1));
        let whole = count / width * width;
        if let Some(lanes) = &schedule.lanes {
            self.unwrite(lanes, whole)?;
        }
        let ranges = match &schedule.chunks {
            Some(chunks) => ranges(whole, chunks.group.max(1)),
            None => vec![(0, whole)],
        };
        // The order of chunks must not matter.
        let run = |range: &(i64, i64)| self.chunk(each, schedule, *range);
        let mut done: Vec<Evaluated<PartialResults>> = ranges.iter().rev().map(run).collect();
        done.reverse();
        for partial in done {
            self.combine(schedule, partial?)?;
        }
        match &schedule.lanes {
            Some(lanes) if lanes.rest && whole < count => {
                let (mut partial, before) = (PartialResults::default(), self.registers.clone());
                let (size, start) = (count - whole, whole);
                Group { frame: self, each, lanes, size, start, all: Vec::new(), partial: &mut partial }.run()?;
                self.registers = before;
                Ok(())
            }
            _ => self.one_by_one(each, whole, count),
        }
    }

    /// Runs iterations one after the other.
    pub(super) fn one_by_one(&mut self, each: &For, from: i64, to: i64) -> Evaluated<()> {
        each.private.iter().for_each(|allocation| self.allocate(allocation));
        for at in from..to {
            self.set(each.index, Number::Int(at));
            self.block(&each.body)?;
        }
        Ok(())
    }

    /// Runs a chunk.
    fn chunk(&mut self, each: &For, schedule: &Schedule, (from, to): (i64, i64)) -> Evaluated<PartialResults> {
        let mut partial = PartialResults::default();
        let before = self.registers.clone();
        let mut outer = Vec::new();
        if let Some(chunks) = schedule.chunks.as_ref().filter(|_| from > 0) {
            for buffer in &chunks.copied {
                let zeros = vec![Number::Real(-0.0); self.buffer(*buffer)?.len()];
                outer.push((*buffer, self.buffers[buffer.0 as usize].replace(zeros)));
            }
        }
        let outcome = match (&schedule.lanes, &schedule.chunks) {
            (Some(lanes), _) => self.in_lanes(each, lanes, (from, to), &mut partial),
            (None, Some(chunks)) => self.reduce_apart(each, chunks, (from, to), &mut partial),
            (None, None) => self.one_by_one(each, from, to),
        };
        for (buffer, elements) in outer {
            let copy = std::mem::replace(&mut self.buffers[buffer.0 as usize], elements);
            partial.copied.push((buffer, copy.unwrap_or_default()));
        }
        if schedule.lanes.is_some() || schedule.chunks.is_some() {
            self.registers = before;
        }
        outcome.map(|()| partial)
    }

    /// Runs iterations one after the other, with their own registers for reductions.
    fn reduce_apart(
        &mut self,
        each: &For,
        chunks: &ChunkSchedule,
        (from, to): (i64, i64),
        partial: &mut PartialResults,
    ) -> Evaluated<()> {
        chunks.reduced.iter().for_each(|(register, combine)| self.set(*register, neutral(*combine)));
        self.one_by_one(each, from, to)?;
        for register in chunks.reduced.keys() {
            partial.reduced.insert(*register, vec![self.operand(Operand::Register(*register))]);
        }
        Ok(())
    }

    /// Adds the partial results of a chunk to those of the loop.
    fn combine(&mut self, schedule: &Schedule, partial: PartialResults) -> Evaluated<()> {
        let lanes = schedule.lanes.iter().flat_map(|lanes| &lanes.reduced);
        let chunks = schedule.chunks.iter().flat_map(|chunks| &chunks.reduced);
        let combines: BTreeMap<Register, Combine> = lanes.chain(chunks).map(|(a, b)| (*a, *b)).collect();
        for (register, numbers) in partial.reduced {
            let combine = combines.get(&register).copied().unwrap_or(Combine::Sum);
            let number = numbers.into_iter().fold(neutral(combine), |a, b| combined(combine, a, b));
            let before = self.used(Operand::Register(register))?;
            self.set(register, combined(combine, before, number));
        }
        for (buffer, (first, copies)) in partial.summed {
            for at in 0..copies.first().map_or(0, Vec::len) {
                let sum = copies.iter().fold(Number::Real(-0.0), |sum, copy| combined(Combine::Sum, sum, copy[at]));
                self.add(buffer, first + at as i64, sum)?;
            }
        }
        for (buffer, terms) in partial.carried {
            terms.into_iter().try_for_each(|(at, term)| self.add(buffer, at, Number::Real(term)))?;
        }
        for (buffer, copy) in partial.copied {
            for (at, number) in copy.into_iter().enumerate() {
                self.add(buffer, at as i64, number)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, buffer: Buffer, at: i64, number: Number) -> Evaluated<()> {
        // A sum without terms leaves an element as it is, also one that is unwritten.
        if matches!(number, Number::Real(value) if value == 0.0 && value.is_sign_negative()) {
            return Ok(());
        }
        let element = Element { buffer, at: Operand::Int(at) };
        let before = self.load(element, 0)?;
        *self.element(element, 0)? = combined(Combine::Sum, before, number);
        Ok(())
    }

    /// Takes back the zeros of elements that the vectors of a loop write.
    fn unwrite(&mut self, lanes: &LaneSchedule, whole: i64) -> Evaluated<()> {
        for (buffer, stencil) in lanes.stencils.iter().filter(|(_, stencil)| stencil.zeroed.is_some()) {
            for at in 0..whole {
                let element = Element { buffer: *buffer, at: Operand::Int(stencil.first) };
                *self.element(element, at)? = Number::Real(f64::from_bits(UNWRITTEN));
            }
        }
        Ok(())
    }

    /// Runs iterations in strips, and then in vectors.
    fn in_lanes(
        &mut self,
        each: &For,
        lanes: &LaneSchedule,
        (from, to): (i64, i64),
        partial: &mut PartialResults,
    ) -> Evaluated<()> {
        let width = lanes.width.max(1);
        let copies = |number: Number| vec![number; width as usize];
        partial.reduced.extend(lanes.reduced.iter().map(|(register, combine)| (*register, copies(neutral(*combine)))));
        for buffer in &lanes.summed {
            let all = Range { first: Operand::Int(0), count: Operand::Int(self.buffer(*buffer)?.len() as i64) };
            let Range { first, count } = lanes.ranges.get(buffer).copied().unwrap_or(all);
            let (Number::Int(first), Number::Int(count)) = (self.used(first)?, self.used(count)?) else { continue };
            let zeros = vec![Number::Real(-0.0); count.max(0) as usize];
            partial.summed.insert(*buffer, (first, vec![zeros; width as usize]));
        }
        let mut at = from;
        while at + width <= to {
            let strip = lanes.strip.max(1) * width;
            let size = if at + strip <= to { strip } else { width };
            Group { frame: &mut *self, each, lanes, size, start: at, all: Vec::new(), partial }.run()?;
            at += size;
        }
        Ok(())
    }
}

/// Iterations that run at the same time.
struct Group<'a, 'f, 'p> {
    frame: &'a mut Frame<'p>,
    each: &'a For,
    lanes: &'a LaneSchedule,
    size: i64,
    start: i64,
    all: Vec<Lane>,
    partial: &'f mut PartialResults,
}

impl Group<'_, '_, '_> {
    fn run(&mut self) -> Evaluated<()> {
        for at in self.start..self.start + self.size {
            let mut registers = self.frame.registers.clone();
            registers[self.each.index.0 as usize] = Number::Int(at);
            self.all.push(Lane { registers, buffers: vec![None; self.lanes.varying.len()] });
        }
        let active: Vec<usize> = (0..self.all.len()).collect();
        for allocation in &self.each.private {
            self.statement(&Statement::Allocate(*allocation), &active)?;
        }
        self.block(&self.each.body, &active)?;
        self.write_stencils()
    }

    fn block(&mut self, block: &Block, active: &[usize]) -> Evaluated<()> {
        block.iter().try_for_each(|statement| self.statement(statement, active))
    }

    fn statement(&mut self, statement: &Statement, active: &[usize]) -> Evaluated<()> {
        let Some(first) = active.first().copied() else { return Ok(()) };
        match statement {
            Statement::For(inner) => {
                for allocation in &inner.private {
                    self.statement(&Statement::Allocate(*allocation), active)?;
                }
                let count = |lane: &usize| match self.operand(*lane, inner.count) {
                    Number::Int(count) => count,
                    _ => 0,
                };
                let counts: Vec<(usize, i64)> = active.iter().map(|lane| (*lane, count(lane))).collect();
                let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
                let backward = self.lanes.backward.contains_key(&inner.index);
                for turn in 0..most {
                    let at = if backward { most - 1 - turn } else { turn };
                    let running = counts.iter().filter(|(_, count)| at < *count);
                    let mut lanes = Vec::new();
                    for (lane, count) in running {
                        let index = if backward { count - 1 - at } else { at };
                        self.all[*lane].registers[inner.index.0 as usize] = Number::Int(index);
                        lanes.push(*lane);
                    }
                    self.block(&inner.body, &lanes)?;
                }
                Ok(())
            }
            Statement::While(inner) => {
                for allocation in &inner.private {
                    self.statement(&Statement::Allocate(*allocation), active)?;
                }
                let mut running = active.to_vec();
                loop {
                    self.block(&inner.before, &running)?;
                    running.retain(|lane| self.operand(*lane, inner.condition) == Number::Bool(true));
                    if running.is_empty() {
                        return Ok(());
                    }
                    self.block(&inner.body, &running)?;
                }
            }
            Statement::If(condition, yes, no) => {
                let holds = |lane: &usize| self.operand(*lane, *condition) == Number::Bool(true);
                let (held, failed): (Vec<usize>, Vec<usize>) = active.iter().partition(|lane| holds(lane));
                self.block(yes, &held)?;
                self.block(no, &failed)
            }
            Statement::Reduce(register, combine, value) if self.lanes.reduced.contains_key(register) => {
                for lane in active {
                    let part = *lane % self.lanes.width as usize;
                    let number = self.frame.written(self.operand(*lane, *value))?;
                    if let Some(numbers) = self.partial.reduced.get_mut(register) {
                        numbers[part] = combined(*combine, numbers[part], number);
                    }
                }
                Ok(())
            }
            Statement::Store(element, _) if self.is_interleaved(*element) => self.store_interleaved(*element, active),
            Statement::Add(element, value) if self.is_near(*element) => {
                for lane in active {
                    let number = self.frame.written(self.operand(*lane, *value))?;
                    let (Number::Int(at), Number::Real(term)) = (self.operand(*lane, element.at), number) else {
                        continue;
                    };
                    let terms = self.partial.carried.entry(element.buffer).or_default();
                    *terms.entry(at).or_insert(-0.0) += term;
                }
                Ok(())
            }
            Statement::Add(element, value)
                if self.lanes.summed.contains(&element.buffer) && self.lanes.is_uniform(element.at) =>
            {
                let Number::Int(at) = self.uniform(element.at, active)? else { return Ok(()) };
                for lane in active {
                    let number = self.frame.written(self.operand(*lane, *value))?;
                    let Some((first, copies)) = self.partial.summed.get_mut(&element.buffer) else { continue };
                    let copy = copies.get_mut(*lane % self.lanes.width as usize);
                    match usize::try_from(at - *first).ok().and_then(|at| copy?.get_mut(at)) {
                        Some(sum) => *sum = combined(Combine::Sum, *sum, number),
                        None => return Err(Stop::Broken(format!("position {at} of a sum in lanes"))),
                    }
                }
                Ok(())
            }
            // All lanes share what is the same in all of them.
            statement if self.is_common(statement) => self.in_lane(first, statement),
            statement => {
                for lane in active {
                    self.in_lane(*lane, statement).map_err(|stop| self.elsewhere(stop, statement))?;
                }
                self.check_class(statement, active)
            }
        }
    }

    /// Whether a statement changes a buffer of which all lanes have one copy.
    fn is_common(&self, statement: &Statement) -> bool {
        let common = |buffer: &Buffer| self.lanes.private.contains(buffer) && !self.lanes.varying.contains(buffer);
        match statement {
            Statement::Allocate(allocation) | Statement::Grow(allocation) => common(&allocation.buffer),
            Statement::Store(to, _) | Statement::Add(to, _) | Statement::Fill(to, ..) | Statement::Copy { to, .. } => {
                common(&to.buffer)
            }
            Statement::Product(product) => common(&product.to.buffer),
            Statement::Swap(a, _) => common(a),
            _ => false,
        }
    }

    /// Runs a statement for one lane, with its registers and its copies of buffers.
    fn in_lane(&mut self, lane: usize, statement: &Statement) -> Evaluated<()> {
        self.exchange(lane);
        let outcome = self.frame.statement(statement);
        self.exchange(lane);
        outcome
    }

    fn exchange(&mut self, lane: usize) {
        let lane = &mut self.all[lane];
        std::mem::swap(&mut self.frame.registers, &mut lane.registers);
        for (buffer, copy) in self.lanes.varying.iter().zip(&mut lane.buffers) {
            std::mem::swap(&mut self.frame.buffers[buffer.0 as usize], copy);
        }
    }

    /// Where lanes fail apart, it is not known which error is the first.
    fn elsewhere(&self, stop: Stop, statement: &Statement) -> Stop {
        let mut uniform = true;
        statement.operands(&mut |operand| uniform &= self.lanes.is_uniform(operand));
        match stop {
            Stop::At(..) if !uniform => Stop::Elsewhere,
            stop => stop,
        }
    }

    fn operand(&self, lane: usize, operand: Operand) -> Number {
        match operand {
            Operand::Register(register) => self.all[lane].registers[register.0 as usize],
            operand => self.frame.operand(operand),
        }
    }

    /// An operand that has to be the same in all lanes.
    fn uniform(&self, operand: Operand, active: &[usize]) -> Evaluated<Number> {
        let mut numbers = active.iter().map(|lane| self.operand(*lane, operand));
        let first = numbers.next().unwrap_or(Number::Int(0));
        match numbers.all(|number| same(number, first)) {
            true => Ok(first),
            false => Err(Stop::Broken(format!("{operand:?} differs between lanes"))),
        }
    }

    /// Tests the class of a number that has just been bound or set.
    fn check_class(&self, statement: &Statement, active: &[usize]) -> Evaluated<()> {
        let (Statement::Let(register, _) | Statement::Set(register, _)) = statement else { return Ok(()) };
        let operand = Operand::Register(*register);
        match self.lanes.class(operand) {
            Class::Uniform => self.uniform(operand, active).map(|_| ()),
            Class::Linear(stride) => {
                let base = active[0];
                let Number::Int(first) = self.operand(base, operand) else { return Ok(()) };
                let stride = self.stride(base, &stride);
                let fits = |lane: &usize| {
                    let expected =
                        stride.saturating_mul(*lane as i128 - base as i128).saturating_add(i128::from(first));
                    matches!(self.operand(*lane, operand), Number::Int(at) if i128::from(at) == expected)
                };
                match active.iter().all(fits) {
                    true => Ok(()),
                    false => Err(Stop::Broken(format!("{operand:?} does not have its stride"))),
                }
            }
            Class::Varying => Ok(()),
        }
    }

    fn stride(&self, lane: usize, stride: &LaneStride) -> i128 {
        match stride {
            LaneStride::One => 1,
            LaneStride::Times(stride, operand) => match self.operand(lane, *operand) {
                Number::Int(factor) => self.stride(lane, stride).saturating_mul(i128::from(factor)),
                _ => 0,
            },
            LaneStride::Plus(a, b) => self.stride(lane, a).saturating_add(self.stride(lane, b)),
            LaneStride::Minus(stride) => self.stride(lane, stride).saturating_neg(),
        }
    }

    /// Whether an addition is one of a stencil.
    fn is_near(&self, element: Element) -> bool {
        self.lanes.stencils.get(&element.buffer).is_some_and(|stencil| stencil.distance(element.at).is_some())
    }

    fn is_interleaved(&self, element: Element) -> bool {
        self.size == self.lanes.width && self.lanes.interleaved.contains_key(&element.buffer)
    }

    /// Writes the elements of all iterations, at the last store of each.
    fn store_interleaved(&mut self, element: Element, active: &[usize]) -> Evaluated<()> {
        let row = &self.lanes.interleaved[&element.buffer];
        if row.last != element.at {
            return Ok(());
        }
        for lane in active {
            let Number::Int(first) = self.operand(*lane, row.first) else { continue };
            for (at, value) in row.values.iter().enumerate() {
                let number = self.operand(*lane, *value);
                *self.frame.element(Element { at: Operand::Int(first), ..element }, at as i64)? = number;
            }
        }
        Ok(())
    }

    /// Writes the elements of stencils for which all terms are known.
    fn write_stencils(&mut self) -> Evaluated<()> {
        for (buffer, stencil) in &self.lanes.stencils {
            let base = stencil.base.map_or(Number::Int(0), |base| self.operand(0, Operand::Register(base)));
            let Number::Int(base) = base else { continue };
            let first = base + self.start + stencil.first;
            for at in first..first + self.size {
                let terms = self.partial.carried.entry(*buffer).or_default();
                let sum = terms.remove(&at).unwrap_or(-0.0);
                match stencil.zeroed {
                    Some(_) => {
                        let element = Element { buffer: *buffer, at: Operand::Int(at) };
                        *self.frame.element(element, 0)? = Number::Real(0.0 + sum);
                    }
                    None => self.frame.add(*buffer, at, Number::Real(sum))?,
                }
            }
        }
        Ok(())
    }
}

/// The ranges of chunks.
fn ranges(whole: i64, group: i64) -> Vec<(i64, i64)> {
    let size = (whole / group / CHUNKS).max(1).saturating_mul(group);
    let mut ranges = Vec::new();
    let mut from = 0;
    while from < whole {
        let to = from.saturating_add(size).min(whole);
        ranges.push((from, to));
        from = to;
    }
    ranges
}

/// The number that changes nothing.
fn neutral(combine: Combine) -> Number {
    match combine {
        Combine::Sum => Number::Real(-0.0),
        Combine::Product => Number::Real(1.0),
        Combine::Max => Number::Real(f64::NEG_INFINITY),
        Combine::Min => Number::Real(f64::INFINITY),
        Combine::Least => Number::Int(i64::MAX),
        Combine::All => Number::Bool(true),
        Combine::Any => Number::Bool(false),
    }
}

/// Whether two numbers are the same to the last bit.
fn same(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Real(a), Number::Real(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
