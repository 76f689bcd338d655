//! From a term to straight-line code: `(g ∘ f) x` is `u += f x; y += g u`, and all other forms determine positions to
//! read and write.
//!
//! Every form writes by adding, so the parts of a fork write side by side, the parts of a join write to one place, and
//! the parts of a sum read and write the same places; only the leaves are steps.
//!
//! **Shared parts run once, in both directions.** A map that a term contains in several places waits until all of them
//! have requested it, each with a place to read and a place to write. Then
//!
//! - requests that read the same place get copies of one result: `f x` twice is one `f x`;
//! - requests that write to the same place have their arguments added: `f x + f y = f (x + y)`.
//!
//! The first makes the application of a derivative linear in the size of the program, the second that of its adjoint. A
//! plan has no cycles: the places that requests read come before the places that they write.
//!
//! The body of a `map` over several elements has its own plan, so plans recurse only over nested `map`s. These take
//! time exponential in their depth, so they cannot be deep.

use std::collections::{BTreeMap, VecDeque};

use crate::cost::{leaf_work, meeting};
use crate::fold::{ByAddress, shared_parts};
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
            ranks: shared_parts(map),
            waiting: BTreeMap::new(),
            tasks: Vec::new(),
            steps: Vec::new(),
            lengths: vec![map.columns(), map.rows()],
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
    /// The maps that are shared, parents first.
    ranks: ByAddress<usize, usize>,
    /// Shared maps by rank, with who has asked for them.
    waiting: BTreeMap<usize, Waiting<'m>>,
    tasks: Vec<Task<'m>>,
    steps: Vec<Step<'m>>,
    lengths: Vec<usize>,
    additions: u64,
}

/// A shared map, and the places to read and to write of those that have asked for it.
struct Waiting<'m> {
    map: &'m LinearMap,
    requests: Vec<(Slot, Slot)>,
}

/// `target += map(source)`, yet to be taken apart.
struct Task<'m> {
    map: &'m LinearMap,
    source: Slot,
    target: Slot,
}

impl<'m> Planner<'m> {
    fn request(&mut self, map: &'m LinearMap, source: Slot, target: Slot) {
        match self.ranks.get(&map.address()) {
            Some(&rank) => {
                let waiting = self.waiting.entry(rank).or_insert(Waiting { map, requests: Vec::new() });
                waiting.requests.push((source, target));
            }
            None => self.tasks.push(Task { map, source, target }),
        }
    }

    fn finish(mut self) -> Plan<'m> {
        loop {
            while let Some(task) = self.tasks.pop() {
                self.take_apart(task);
            }
            match self.waiting.pop_first() {
                Some((_, Waiting { map, requests })) => self.share(map, &requests),
                None => break,
            }
        }
        let steps = in_order(self.steps, self.lengths.len());
        Plan { steps, lengths: self.lengths, additions: self.additions }
    }

    /// All that ask for a shared map, each with whom it has more in common: those that read the same, or those that write
    /// to the same.
    fn share(&mut self, map: &'m LinearMap, requests: &[(Slot, Slot)]) {
        if matches!(map.form(), Form::Zero) || map.rows() == 0 || map.columns() == 0 {
            return;
        }
        let (mut readers, mut writers) = (ByAddress::default(), ByAddress::default());
        for (source, target) in requests {
            *readers.entry(*source).or_insert(0) += 1;
            *writers.entry(*target).or_insert(0) += 1;
        }
        let (mut results, mut arguments) = (ByAddress::default(), ByAddress::default());
        for &(source, target) in requests {
            let (reading, writing) = (readers[&source], writers[&target]);
            if reading == 1 && writing == 1 {
                self.tasks.push(Task { map, source, target });
            } else if reading >= writing {
                let result = *results.entry(source).or_insert_with(|| {
                    let result = self.buffer(map.rows());
                    self.tasks.push(Task { map, source, target: result });
                    result
                });
                self.copy(map.rows(), result, target);
            } else {
                let mut first = false;
                let argument = *arguments.entry(target).or_insert_with(|| {
                    first = true;
                    let argument = self.buffer(map.columns());
                    self.tasks.push(Task { map, source: argument, target });
                    argument
                });
                if !first {
                    // arguments meet where results would have met
                    let met = self.additions.saturating_add(map.columns() as u64);
                    self.additions = met.saturating_sub(map.rows() as u64);
                }
                self.copy(map.columns(), source, argument);
            }
        }
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
            Form::Family(_, never, _) | Form::Extra(never) => match *never {},
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

    /// `target += (m₁ ∘ … ∘ mₙ)(source)`
    fn chain(&mut self, maps: &'m [LinearMap], source: Slot, target: Slot) {
        if maps.iter().any(|map| matches!(map.form(), Form::Zero) || map.rows() == 0 || map.columns() == 0) {
            return;
        }
        let mut from = source;
        for (at, map) in maps.iter().enumerate().rev() {
            let to = if at == 0 { target } else { self.buffer(map.rows()) };
            self.request(map, from, to);
            from = to;
        }
    }

    fn copy(&mut self, length: usize, source: Slot, target: Slot) {
        self.steps.push(Step { work: Work::Copy(length), source, target, last: false });
    }

    fn buffer(&mut self, length: usize) -> Slot {
        self.lengths.push(length);
        Slot::start(self.lengths.len() - 1)
    }

    fn meet(&mut self, maps: &[LinearMap], rows: usize) {
        self.additions = self.additions.saturating_add(meeting(maps, rows as u64));
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
