//! From a term to straight-line code: `(g ∘ f) x` is `u += f x; y += g u`, and everything else is where to read and write.
//!
//! Every form writes by adding, so a fork is its parts writing side by side, a join its parts writing to one place, and
//! a sum all of them reading and writing alike; only the leaves are steps. What a term shares the plan does once, in both
//! directions:
//!
//! - a map that reads what it has read before has its result already: `f x` twice is one `f x`;
//! - a map that writes to where it has written before reads a sum instead: `f x + f y = f (x + y)`.
//!
//! The first makes applying the derivative of a program linear in the program's size where the second makes applying its
//! adjoint so. A buffer may profit from one of the two: who else reads it would not expect another's contribution.
//!
//! The body of a `map` over several elements has a plan of its own, so that such maps within each other are the one thing
//! that plans recurse over. Running them takes time exponential in their depth, so that they cannot be deep.

use std::collections::VecDeque;

use crate::cost::{leaf_work, meeting};
use crate::fold::{Addresses, ByAddress, shared_parts};
use crate::map::{Form, LinearMap};

/// The steps of applying a map, in order.
pub(crate) struct Plan<'m> {
    pub(crate) steps: Vec<Step<'m>>,
    /// The length of every buffer. The first is the argument, the second the result.
    pub(crate) lengths: Vec<usize>,
    /// Additions where parts write to one place; those of the steps are not among them.
    pub(crate) additions: u64,
}

/// `target += work(source)`
pub(crate) struct Step<'m> {
    pub(crate) work: Work<'m>,
    pub(crate) source: Slot,
    pub(crate) target: Slot,
    /// Whether nothing reads the source's buffer afterwards.
    pub(crate) last: bool,
}

pub(crate) enum Work<'m> {
    /// A map without children.
    Leaf(&'m LinearMap),
    /// The numbers themselves.
    Copy(usize),
    /// The same plan for each element of an array.
    Map(Box<Repeated<'m>>),
}

/// A plan for the elements of an array.
pub(crate) struct Repeated<'m> {
    pub(crate) count: usize,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) body: Plan<'m>,
}

/// A place in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    pub(crate) buffer: usize,
    pub(crate) offset: usize,
}

pub(crate) const ARGUMENT: usize = 0;
pub(crate) const RESULT: usize = 1;

impl<'m> Plan<'m> {
    pub(crate) fn new(map: &'m LinearMap) -> Plan<'m> {
        let mut planner = Planner {
            shared: shared_parts(map),
            steps: Vec::new(),
            buffers: vec![Buffer::of(map.columns()), Buffer::of(map.rows())],
            tasks: Vec::new(),
            results: ByAddress::default(),
            arguments: ByAddress::default(),
            additions: 0,
        };
        planner.request(map, Slot::start(ARGUMENT), Slot::start(RESULT));
        planner.finish()
    }
}

impl Slot {
    fn start(buffer: usize) -> Slot {
        Slot { buffer, offset: 0 }
    }

    fn skip(self, offset: usize) -> Slot {
        Slot { offset: self.offset.wrapping_add(offset), ..self }
    }
}

struct Planner<'m> {
    shared: Addresses<usize>,
    steps: Vec<Step<'m>>,
    buffers: Vec<Buffer>,
    tasks: Vec<Task<'m>>,
    /// Where a shared map has put what it makes of a place.
    results: ByAddress<(usize, Slot), Known>,
    /// Where a shared map reads what it makes into a place.
    arguments: ByAddress<(usize, Slot), Known>,
    additions: u64,
}

/// A buffer at the far side of a shared map, and the one at its near side if that is its own too.
#[derive(Clone, Copy)]
struct Known {
    far: usize,
    near: Option<usize>,
}

impl Known {
    fn buffers(self) -> impl Iterator<Item = usize> {
        [self.far].into_iter().chain(self.near)
    }
}

struct Buffer {
    length: usize,
    /// Several read it: nothing more may be added to it.
    read_again: bool,
    /// Several write to it: nothing else may read it.
    written_again: bool,
}

impl Buffer {
    fn of(length: usize) -> Buffer {
        Buffer { length, read_again: false, written_again: false }
    }
}

/// `target += map(source)`, yet to be taken apart.
struct Task<'m> {
    map: &'m LinearMap,
    source: Slot,
    target: Slot,
}

impl<'m> Planner<'m> {
    /// Plans a map, as a chain of one if it is shared.
    fn request(&mut self, map: &'m LinearMap, source: Slot, target: Slot) {
        if self.is_shared(map) {
            self.chain(std::slice::from_ref(map), source, target);
        } else {
            self.tasks.push(Task { map, source, target });
        }
    }

    fn finish(mut self) -> Plan<'m> {
        while let Some(task) = self.tasks.pop() {
            self.take_apart(task);
        }
        let lengths: Vec<usize> = self.buffers.iter().map(|buffer| buffer.length).collect();
        let steps = in_order(self.steps, lengths.len());
        Plan { steps, lengths, additions: self.additions }
    }

    fn take_apart(&mut self, Task { map, source, target }: Task<'m>) {
        if map.rows() == 0 || map.columns() == 0 {
            return;
        }
        // Requests are taken from the end, so they are made in reverse. In spaces too large for vectors offsets mean nothing.
        match map.form() {
            Form::Zero => {}
            Form::Compose(maps) => self.chain(maps, source, target),
            Form::Add(maps) => {
                self.meet(maps, map.rows());
                maps.iter().rev().for_each(|map| self.request(map, source, target));
            }
            Form::Fork(maps) => {
                let mut offset = map.rows();
                for map in maps.iter().rev() {
                    offset = offset.wrapping_sub(map.rows());
                    self.request(map, source, target.skip(offset));
                }
            }
            Form::Join(maps) => {
                self.meet(maps, map.rows());
                let mut offset = map.columns();
                for map in maps.iter().rev() {
                    offset = offset.wrapping_sub(map.columns());
                    self.request(map, source.skip(offset), target);
                }
            }
            Form::Each(maps) => {
                let (mut read, mut written) = (map.columns(), map.rows());
                for map in maps.iter().rev() {
                    read = read.wrapping_sub(map.columns());
                    written = written.wrapping_sub(map.rows());
                    self.request(map, source.skip(read), target.skip(written));
                }
            }
            Form::Map(element) if element.rows() == map.rows() => self.request(element, source, target),
            Form::Map(element) => {
                let (columns, rows) = (element.columns(), element.rows());
                let repeated = Repeated { count: map.rows() / rows, columns, rows, body: Plan::new(element) };
                self.steps.push(Step { work: Work::Map(Box::new(repeated)), source, target, last: false });
            }
            Form::Identity => self.copy(map.rows(), source, target),
            Form::Scale(_)
            | Form::Diagonal(_)
            | Form::RankOne(_)
            | Form::Contract(_)
            | Form::Reduce { .. }
            | Form::Project(_)
            | Form::Inject(_)
            | Form::Unitary(_) => self.steps.push(Step { work: Work::Leaf(map), source, target, last: false }),
        }
    }

    /// `target += (m₁ ∘ … ∘ mₙ)(source)`, from where both ends have been before.
    fn chain(&mut self, mut maps: &'m [LinearMap], mut source: Slot, mut target: Slot) {
        if maps.iter().any(|map| matches!(map.form(), Form::Zero) || map.rows() == 0 || map.columns() == 0) {
            return;
        }
        let mut length = 0;
        while let Some((first, rest)) = maps.split_last()
            && let Some(&known) = self.results.get(&(first.address(), source))
            && known.buffers().all(|buffer| !self.buffers[buffer].written_again)
        {
            known.buffers().for_each(|buffer| self.buffers[buffer].read_again = true);
            (maps, source, length) = (rest, Slot::start(known.far), first.rows());
        }
        let asked = target;
        while let Some((last, rest)) = maps.split_first()
            && let Some(&known) = self.arguments.get(&(last.address(), target))
            && known.buffers().all(|buffer| !self.buffers[buffer].read_again)
        {
            known.buffers().for_each(|buffer| self.buffers[buffer].written_again = true);
            (maps, target, length) = (rest, Slot::start(known.far), last.columns());
        }
        if target != asked {
            self.additions = self.additions.saturating_add(length as u64);
        }
        match maps {
            [] => self.copy(length, source, target),
            [map] if self.is_shared(map) => {
                // buffers of its own, so that it can be met again from either end
                let (argument, result) = (self.buffer(map.columns()), self.buffer(map.rows()));
                self.copy(map.columns(), source, argument);
                self.link(map, argument, result);
                let (read, written) = (argument.buffer, result.buffer);
                self.results.insert((map.address(), source), Known { far: written, near: Some(read) });
                self.arguments.insert((map.address(), target), Known { far: read, near: Some(written) });
                self.copy(map.rows(), result, target);
            }
            _ => {
                let mut from = source;
                for (at, map) in maps.iter().enumerate().rev() {
                    let to = if at == 0 { target } else { self.buffer(map.rows()) };
                    if self.is_shared(map) {
                        if at > 0 {
                            self.results.insert((map.address(), from), Known { far: to.buffer, near: None });
                        }
                        if at + 1 < maps.len() {
                            self.arguments.insert((map.address(), to), Known { far: from.buffer, near: None });
                        }
                    }
                    self.link(map, from, to);
                    from = to;
                }
            }
        }
    }

    fn link(&mut self, map: &'m LinearMap, source: Slot, target: Slot) {
        self.tasks.push(Task { map, source, target });
    }

    fn copy(&mut self, length: usize, source: Slot, target: Slot) {
        self.steps.push(Step { work: Work::Copy(length), source, target, last: false });
    }

    fn buffer(&mut self, length: usize) -> Slot {
        self.buffers.push(Buffer::of(length));
        Slot::start(self.buffers.len() - 1)
    }

    fn meet(&mut self, maps: &[LinearMap], rows: usize) {
        self.additions = self.additions.saturating_add(meeting(maps, rows));
    }

    fn is_shared(&self, map: &LinearMap) -> bool {
        self.shared.contains(&map.address())
    }
}

/// A step comes after everything that writes to the buffer it reads.
fn in_order(steps: Vec<Step<'_>>, buffers: usize) -> Vec<Step<'_>> {
    let mut writers = vec![0usize; buffers];
    // the readers of buffer b are readers[starts[b]..starts[b + 1]]
    let mut starts = vec![0usize; buffers + 1];
    for step in &steps {
        writers[step.target.buffer] += 1;
        starts[step.source.buffer + 1] += 1;
    }
    for at in 0..buffers {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut readers = vec![0usize; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        readers[next[step.source.buffer]] = at;
        next[step.source.buffer] += 1;
    }
    let mut steps: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(steps.len());
    let mut complete: VecDeque<usize> = (0..buffers).filter(|&at| writers[at] == 0).collect();
    while let Some(buffer) = complete.pop_front() {
        let reading = &readers[starts[buffer]..starts[buffer + 1]];
        for (count, &at) in reading.iter().enumerate() {
            let Some(step) = steps[at].take() else { continue };
            let target = step.target.buffer;
            ordered.push(Step { last: count + 1 == reading.len(), ..step });
            writers[target] -= 1;
            if writers[target] == 0 {
                complete.push_back(target);
            }
        }
    }
    assert!(steps.iter().all(Option::is_none), "a plan has no cycles");
    ordered
}

impl Plan<'_> {
    /// Multiplications and additions.
    pub(crate) fn work(&self) -> (u64, u64) {
        let mut total = (0u64, self.additions);
        for step in &self.steps {
            let (multiplications, additions) = match &step.work {
                Work::Copy(_) => (0, 0),
                Work::Leaf(map) => leaf_work(map),
                Work::Map(repeated) => {
                    let ((multiplications, additions), count) = (repeated.body.work(), repeated.count as u64);
                    (multiplications.saturating_mul(count), additions.saturating_mul(count))
                }
            };
            total = (total.0.saturating_add(multiplications), total.1.saturating_add(additions));
        }
        total
    }

    /// The numbers in all buffers.
    pub(crate) fn room(&self) -> u64 {
        let own = self.lengths.iter().skip(1).fold(0u64, |sum, &length| sum.saturating_add(length as u64));
        self.steps.iter().fold(own, |sum, step| match &step.work {
            Work::Map(repeated) => sum.saturating_add(repeated.body.room()),
            _ => sum,
        })
    }
}
