//! A loop with independent iterations, cut into chunks that threads share.
//!
//! ```text
//! 0 .. n  =  chunk₀ | chunk₁ | ...        total ⊕ chunk₀ ⊕ chunk₁ ⊕ ...   in this order
//! ```
//!
//! The chunks depend only on the loop, never on the number of threads. Each chunk has its own partial results, which
//! are combined in the order of the chunks. Every number of threads therefore gives the same bits, and the error of a
//! loop is that of its first chunk that fails.

use crate::{Context, Crew, Fault, Interrupt, Outcome, fault};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

/// How the iterations of a loop are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    iterations: i64,
    /// The number of iterations of a chunk; the last may have fewer.
    size: i64,
    /// Whether nothing is taken before all chunks are through.
    late: bool,
}

/// The least number of instructions for which a chunk is worth starting: some fifty microseconds.
const GRAIN: f64 = 1e5;

/// At most one instruction in this number is spent on combining chunks.
const SHARE: f64 = 16.0;

/// Enough for threads to share them evenly.
const MOST: usize = 64;

impl Chunks {
    /// Cuts iterations into chunks of multiples of `together`. `work` is the number of instructions of all iterations;
    /// `apiece` is the number for making and combining the results of one chunk.
    #[inline(always)]
    pub fn of(iterations: i64, together: i64, work: f64, apiece: f64) -> Chunks {
        // What is not worth cutting is not to pay for the question.
        match work < 2.0 * GRAIN {
            true => Chunks { iterations: iterations.max(0), size: iterations.max(1), late: false },
            false => Chunks::cut(iterations, together, work, apiece),
        }
    }

    #[inline(never)]
    fn cut(iterations: i64, together: i64, work: f64, apiece: f64) -> Chunks {
        let (iterations, together) = (iterations.max(0), together.max(1));
        let most = (work / GRAIN).min(work / (SHARE * apiece)).clamp(1.0, MOST as f64) as i64;
        // A power of two: as many chunks for each of two threads, or four.
        let number = 1 << most.ilog2();
        let blocks = parts(iterations, together);
        Chunks { iterations, size: parts(blocks, number).max(1).saturating_mul(together), late: false }
    }

    /// The same where what is taken goes to elements that the next chunk adds to: by one thread too, nothing is taken
    /// before all chunks are through.
    pub fn late(self) -> Chunks {
        Chunks { late: true, ..self }
    }

    /// How many chunks there are.
    pub fn number(self) -> i64 {
        parts(self.iterations, self.size)
    }

    /// Whether there is no other chunk.
    pub fn is_one(self) -> bool {
        self.iterations <= self.size
    }

    /// The first iteration of a chunk, and the one after its last.
    fn range(self, chunk: i64) -> (i64, i64) {
        (chunk * self.size, ((chunk + 1).saturating_mul(self.size)).min(self.iterations))
    }
}

/// How many parts of a size something has.
fn parts(whole: i64, size: i64) -> i64 {
    whole / size + i64::from(whole % size != 0)
}

/// Runs the chunks of a loop, `run(context, from, to)`, and takes what they give in their order: `take(to, given)`. Each
/// chunk may use what was left before the loop; what they have used is counted when all are through.
#[inline(always)]
pub fn in_chunks<T: Send>(
    context: &mut Context,
    chunks: Chunks,
    site: u32,
    run: impl Fn(&mut Context, i64, i64) -> Outcome<T> + Sync,
    mut take: impl FnMut(i64, T),
) -> Outcome<()> {
    if chunks.is_one() {
        take(chunks.iterations, run(context, 0, chunks.iterations)?);
        return Ok(());
    }
    in_several_chunks(context, chunks, site, run, take)
}

/// The same for more than one chunk. Each partial result waits in a slot until it is taken, so that all but this function
/// is compiled once for all loops.
#[cold]
#[inline(never)]
fn in_several_chunks<T: Send>(
    context: &mut Context,
    chunks: Chunks,
    site: u32,
    run: impl Fn(&mut Context, i64, i64) -> Outcome<T> + Sync,
    mut take: impl FnMut(i64, T),
) -> Outcome<()> {
    let slots: [Mutex<Option<T>>; MOST] = [const { Mutex::new(None) }; MOST];
    several(
        context,
        chunks,
        site,
        &|context, chunk, (from, to)| {
            let given = run(context, from, to)?;
            if let Ok(mut slot) = slots[chunk as usize].lock() {
                *slot = Some(given);
            }
            Ok(())
        },
        &mut |chunk, to| {
            if let Ok(mut slot) = slots[chunk as usize].lock()
                && let Some(given) = slot.take()
            {
                take(to, given);
            }
        },
    )
}

/// Runs a chunk, given its number and its range of iterations.
type Run<'a> = &'a (dyn Fn(&mut Context, i64, (i64, i64)) -> Outcome<()> + Sync);

/// Runs several chunks. `take` is given the number of a chunk, and the iteration after its last.
fn several(context: &mut Context, chunks: Chunks, site: u32, run: Run, take: &mut dyn FnMut(i64, i64)) -> Outcome<()> {
    let mut used = Used { before: *context, steps: 0, memory: 0 };
    let left = ChunkLimits::of(context);
    if context.crew.threads() < 2 && !chunks.late {
        let done = (0..chunks.number()).try_for_each(|chunk| {
            used.count(left.run(run, chunk, chunks.range(chunk), context.stack))?;
            take(chunk, chunks.range(chunk).1);
            Ok(())
        });
        return used.close(context, done, site);
    }
    let done: Vec<Mutex<Option<ChunkResult>>> = (0..chunks.number()).map(|_| Mutex::new(None)).collect();
    // Chunks are begun in their order, so that all before the first that fails are through.
    let failed = AtomicI64::new(i64::MAX);
    let one = |chunk: i64, stack: usize| {
        if chunk > failed.load(Ordering::Relaxed) {
            return;
        }
        let outcome = left.run(run, chunk, chunks.range(chunk), stack);
        if outcome.outcome.is_err() {
            failed.fetch_min(chunk, Ordering::Relaxed);
        }
        if let Ok(mut slot) = done[chunk as usize].lock() {
            *slot = Some(outcome);
        }
    };
    context.crew.run(chunks.number(), context.stack, &one);
    let done = done.into_iter().zip(0..).try_for_each(|(slot, chunk)| {
        // No slot is empty before the first that failed.
        if let Some(outcome) = slot.into_inner().ok().flatten() {
            used.count(outcome)?;
            take(chunk, chunks.range(chunk).1);
        }
        Ok(())
    });
    used.close(context, done, site)
}

/// The resources that a chunk may use.
#[derive(Clone, Copy)]
struct ChunkLimits {
    steps: i64,
    memory: i64,
    depth: i64,
    interrupt: Interrupt,
}

/// The result of a chunk, and its remaining resources.
struct ChunkResult {
    outcome: Outcome<()>,
    left: ChunkLimits,
}

impl ChunkLimits {
    fn of(context: &Context) -> ChunkLimits {
        let Context { steps, memory, depth, interrupt, .. } = *context;
        ChunkLimits { steps, memory, depth, interrupt }
    }

    fn run(self, run: Run, chunk: i64, range: (i64, i64), stack: usize) -> ChunkResult {
        let ChunkLimits { steps, memory, depth, interrupt } = self;
        let mut context = Context { steps, memory, least: memory, depth, stack, crew: Crew::NONE, interrupt };
        let outcome = run(&mut context, chunk, range);
        // The most that was in use at a time, or where it ended.
        let memory = if outcome.is_ok() { context.least } else { context.memory };
        ChunkResult { outcome, left: ChunkLimits { memory, ..ChunkLimits::of(&context) } }
    }
}

/// The resources that chunks have used so far.
struct Used {
    before: Context,
    steps: i64,
    /// Of the chunk that used most: it is given back when a chunk is through.
    memory: i64,
}

impl Used {
    fn count(&mut self, done: ChunkResult) -> Result<(), (Box<Fault>, ChunkLimits)> {
        self.steps = self.steps.saturating_add(self.before.steps.saturating_sub(done.left.steps));
        self.memory = self.memory.max(self.before.memory.saturating_sub(done.left.memory));
        done.outcome.map_err(|fault| (fault, done.left))
    }

    fn close(self, context: &mut Context, done: Result<(), (Box<Fault>, ChunkLimits)>, site: u32) -> Outcome<()> {
        if let Err((fault, left)) = done {
            // What is left tells which of the limits it was.
            (context.steps, context.memory, context.depth) = (left.steps, left.memory, left.depth);
            return Err(fault);
        }
        context.memory = self.before.memory.saturating_sub(self.memory);
        context.least = context.least.min(context.memory);
        context.steps = self.before.steps.saturating_sub(self.steps);
        if context.steps < 0 { Err(fault(site, &[])) } else { Ok(()) }
    }
}
