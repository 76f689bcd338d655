//! `[f(i) | i < n][j] = f(j)`: an array that is read once, element by element, is never stored.
//!
//! The loop that reads the array computes each element where it needs it. This applies to arrays that are built alone
//! or together, and read by loops that build, reduce, or add to accumulators. An array whose elements cost nothing
//! (they are read from other arrays) is never stored, however often it is read. Only reads by an index that is known to
//! be in range count, so that no error disappears or appears.

use crate::cost;
use crate::each::Writer;
use crate::length::Lengths;
use crate::rename::Renaming;
use riesz_core::Size;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Recurrence, Reduction, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::scalar::ADD;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fuses loops in a function.
pub(crate) fn fuse(function: &mut Function) {
    sums_of_arrays(function);
    let mut survey = Survey { vars: &function.vars, lengths: Lengths::of(&function.body), ..Survey::default() };
    survey.body(&function.body);
    let plan = survey.plan();
    if plan.is_empty() {
        return;
    }
    let mut fusing =
        Fusing { vars: &mut function.vars, plan, waiting: FxHashMap::default(), here: FxHashMap::default() };
    fusing.body(&mut function.body);
}

// ---- sums of arrays ----

/// `a ⊕ b = [a[i] + b[i] | i < n]`, where that may spare an array.
fn sums_of_arrays(function: &mut Function) {
    let mut read = FxHashSet::default();
    indexed(&function.body, &mut read);
    let mut built = FxHashSet::default();
    write_sums(&mut function.body, &mut function.vars, &read, &mut built);
}

fn indexed(body: &Body, found: &mut FxHashSet<Var>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            if let Op::Index(Atom::Var(array), _) = &binding.op {
                found.insert(*array);
            }
            binding.op.visit_bodies(&mut |body| indexed(body, found));
        }
    });
}

fn write_sums(body: &mut Body, vars: &mut Vec<VarInfo>, read: &FxHashSet<Var>, built: &mut FxHashSet<Var>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let bindings = std::mem::take(&mut body.bindings);
        for Binding { var, mut op, span } in bindings {
            op.visit_bodies_mut(&mut |body| write_sums(body, vars, read, built));
            match op {
                Op::Build(_) | Op::Builds(_) => {
                    built.insert(var);
                }
                Op::Project(Atom::Var(arrays), _) if built.contains(&arrays) => {
                    built.insert(var);
                }
                Op::Plus(a, b) => {
                    let is_built = |atom: Atom| matches!(atom, Atom::Var(var) if built.contains(&var));
                    let ty = vars[var.0 as usize].ty.clone();
                    let known = matches!(&ty, Type::Array(size, _) if *size != Size::Hole);
                    if known && (is_built(a) || is_built(b) || read.contains(&var)) {
                        built.insert(var);
                        let sum = |writer: &mut Writer, of: &[Atom], ty: &Type, out: &mut Vec<Binding>| {
                            let op = match ty {
                                Type::Real => Op::Scalar(&ADD, of.to_vec()),
                                _ => Op::Plus(of[0], of[1]),
                            };
                            writer.bind(op, ty.clone(), out)
                        };
                        op = Writer { vars, span }.each_op(&ty, &[a, b], &sum, &mut body.bindings);
                    }
                }
                _ => {}
            }
            body.bindings.push(Binding { var, op, span });
        }
    });
}

// ---- what is read how ----

#[derive(Default)]
struct Survey<'v> {
    vars: &'v [VarInfo],
    lengths: Lengths,
    /// Arrays that are built.
    built: FxHashMap<Var, Built>,
    /// Components of several arrays that are built at once: of which, and which.
    components: FxHashMap<Var, (Var, usize)>,
    order: Vec<Var>,
    /// Positions of the greatest or least of a number of elements.
    positions: FxHashMap<Var, Atom>,
    /// The loops around, innermost last.
    loops: Vec<Loop>,
    /// The arrays that are being built around, innermost last.
    building: Vec<Var>,
}

#[derive(Clone, Copy)]
struct Loop {
    /// The index and the count, unless it is not known how often it runs.
    runs: Option<(Var, Atom)>,
}

struct Built {
    count: Atom,
    /// How many loops are around.
    depth: usize,
    /// Whether it adds to no accumulator from outside, nor reads one.
    pure: bool,
    /// Whether its elements are only read from elsewhere.
    free: bool,
    reads: Vec<Read>,
}

/// A use of an array.
#[derive(Clone, Copy)]
struct Read {
    manner: Manner,
    /// The array that is being built innermost around.
    within: Option<Var>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Of each element, by the loop with this index, at most once.
    Each(Var),
    /// Of one element that is known to exist, at most once.
    One,
    /// Of an element that is known to exist, perhaps often.
    Often,
    /// Anything else.
    Other,
}

impl Survey<'_> {
    fn body(&mut self, body: &Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.binding(binding);
            }
            self.other(body.result);
        });
    }

    fn binding(&mut self, Binding { var, op, .. }: &Binding) {
        match op {
            Op::Index(Atom::Var(array), index) => {
                let manner = self.manner(*array, *index);
                self.read(*array, manner);
                return;
            }
            Op::Project(Atom::Var(arrays), at) if self.built.contains_key(arrays) => {
                self.components.insert(*var, (*arrays, *at));
                return;
            }
            _ => op.visit_atoms(&mut |atom| self.other(*atom)),
        }
        if let Op::Reduce(Reduction::ArgMax | Reduction::ArgMin, Iteration { count, .. }) = op {
            self.positions.insert(*var, *count);
        }
        if let Op::If { yes, no, .. } = op {
            self.body(yes);
            self.body(no);
            return;
        }
        let runs = op.iterations();
        let builds = match op {
            Op::Build(iteration) => Some((iteration, cost::is_free(&iteration.body))),
            Op::Builds(iteration) => Some((iteration, false)),
            _ => None,
        };
        self.loops.push(Loop { runs });
        self.building.extend(builds.map(|_| *var));
        op.visit_bodies(&mut |body| self.body(body));
        self.loops.pop();
        if let Some((Iteration { count, body, .. }, free)) = builds {
            self.building.pop();
            let (depth, pure) = (self.loops.len(), cost::is_pure(body, self.vars));
            self.built.insert(*var, Built { count: *count, depth, pure, free, reads: Vec::new() });
            self.order.push(*var);
        }
    }

    fn whole(&self, array: Var) -> Var {
        self.components.get(&array).map_or(array, |(arrays, _)| *arrays)
    }

    fn manner(&self, array: Var, index: Atom) -> Manner {
        let Some(built) = self.built.get(&self.whole(array)) else { return Manner::Other };
        let between = &self.loops[built.depth..];
        match (index, between) {
            (Atom::Int(at), between) => match built.count {
                Atom::Int(count) if (0..count).contains(&at) => {
                    if between.is_empty() {
                        Manner::One
                    } else {
                        Manner::Often
                    }
                }
                _ => Manner::Other,
            },
            (Atom::Var(index), between) => {
                let runs = |around: &Loop| {
                    around.runs.is_some_and(|(at, count)| at == index && self.lengths.equal(count, built.count))
                };
                let exists = self.positions.get(&index).is_some_and(|count| self.lengths.equal(*count, built.count));
                match between {
                    [] if exists => Manner::One,
                    _ if exists => Manner::Often,
                    [around] if runs(around) => Manner::Each(index),
                    _ if self.loops.iter().any(runs) => Manner::Often,
                    _ => Manner::Other,
                }
            }
            _ => Manner::Other,
        }
    }

    fn read(&mut self, array: Var, manner: Manner) {
        let read = Read { manner, within: self.building.last().copied() };
        if let Some(built) = self.built.get_mut(&self.whole(array)) {
            built.reads.push(read);
        }
    }

    fn other(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.read(var, Manner::Other);
        }
    }

    fn plan(self) -> Plan {
        let mut plan = Plan::default();
        for var in &self.order {
            let built = &self.built[var];
            let found = built.reads.iter().all(|read| read.manner != Manner::Other);
            if built.pure && built.free && found && built.reads.len() > 1 {
                plan.places.insert(*var, Destination::Everywhere);
            }
        }
        for var in &self.order {
            let built = &self.built[var];
            // What is written several times must not hold what is to be done once.
            let copied = |read: &Read| {
                read.within.is_some_and(|array| plan.places.get(&array) == Some(&Destination::Everywhere))
            };
            if !built.pure || plan.places.contains_key(var) || built.reads.iter().any(copied) {
                continue;
            }
            let place = match &built.reads[..] {
                [Read { manner: Manner::Each(_) | Manner::One, .. }] => Destination::There,
                [Read { manner: Manner::Often, .. }] if built.free => Destination::There,
                [Read { manner: Manner::Each(index), .. }, rest @ ..]
                    if rest.iter().all(|read| read.manner == Manner::Each(*index)) =>
                {
                    plan.starts.entry(*index).or_default().push(*var);
                    Destination::Start
                }
                _ => continue,
            };
            plan.places.insert(*var, place);
        }
        plan.components = self.components;
        plan
    }
}

// ---- fusing ----

/// Where the elements of an array are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// Where the only read is.
    There,
    /// At the start of the loop that reads it.
    Start,
    /// Wherever it is read.
    Everywhere,
}

#[derive(Default)]
struct Plan {
    places: FxHashMap<Var, Destination>,
    /// The arrays whose elements are computed at the start of the loop with an index.
    starts: FxHashMap<Var, Vec<Var>>,
    components: FxHashMap<Var, (Var, usize)>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

struct Fusing<'v> {
    vars: &'v mut Vec<VarInfo>,
    plan: Plan,
    /// Arrays that are not stored: how their elements are computed.
    waiting: FxHashMap<Var, Iteration>,
    /// Arrays whose element has been computed at the start of the loop around.
    here: FxHashMap<Var, Atom>,
}

impl Fusing<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            self.bindings(bindings, &mut body.bindings);
        });
    }

    fn bindings(&mut self, bindings: Vec<Binding>, out: &mut Vec<Binding>) {
        out.reserve(bindings.len());
        bindings.into_iter().for_each(|binding| self.binding(binding, out));
    }

    fn binding(&mut self, Binding { var, mut op, span }: Binding, out: &mut Vec<Binding>) {
        if let Op::Index(Atom::Var(array), index) = op
            && let Some(element) = self.element(array, index, span, out)
        {
            out.push(Binding { var, op: Op::Copy(element), span });
            return;
        }
        let starting = match &op {
            Op::Build(Iteration { index, .. })
            | Op::Builds(Iteration { index, .. })
            | Op::Reduce(_, Iteration { index, .. })
            | Op::For(Iteration { index, .. })
            | Op::Loop(Recurrence { index, .. })
            | Op::Scan(Recurrence { index, .. })
            | Op::Trace(Recurrence { index, .. }) => self.plan.starts.remove(index).map(|arrays| (*index, arrays)),
            _ => None,
        };
        op.visit_bodies_mut(&mut |body| {
            let bindings = std::mem::take(&mut body.bindings);
            if let Some((index, arrays)) = &starting {
                for array in arrays {
                    if let Some(iteration) = self.waiting.remove(array) {
                        let element = self.splice(iteration, Atom::Var(*index), span, &mut body.bindings);
                        self.here.insert(*array, element);
                    }
                }
            }
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.bindings(bindings, &mut body.bindings));
        });
        match op {
            Op::Build(iteration) | Op::Builds(iteration) if self.plan.places.contains_key(&var) => {
                self.waiting.insert(var, iteration);
            }
            Op::Project(Atom::Var(arrays), _) if self.plan.places.contains_key(&arrays) => {}
            op => out.push(Binding { var, op, span }),
        }
    }

    /// The element of an array that is not stored.
    fn element(&mut self, array: Var, index: Atom, span: Span, out: &mut Vec<Binding>) -> Option<Atom> {
        let (whole, component) = match self.plan.components.get(&array) {
            Some((arrays, at)) => (*arrays, Some(*at)),
            None => (array, None),
        };
        let element = match self.plan.places.get(&whole)? {
            Destination::Start => *self.here.get(&whole)?,
            Destination::There => {
                let iteration = self.waiting.remove(&whole)?;
                self.splice(iteration, index, span, out)
            }
            Destination::Everywhere => {
                let Iteration { count, index: bound, body } = self.waiting.get(&whole)?;
                let mut copy = Body { bindings: body.bindings.clone(), result: body.result };
                let (count, bound) = (*count, *bound);
                let mut renaming = Renaming::default();
                let fresh = Writer { vars: self.vars, span }.var(Type::Int);
                renaming.insert(bound, Atom::Var(fresh));
                renaming.freshen(&mut copy, None, self.vars);
                self.splice(Iteration { count, index: fresh, body: copy }, index, span, out)
            }
        };
        let Some(at) = component else { return Some(element) };
        let Atom::Var(tuple) = element else { return None };
        let ty = self.vars[tuple.0 as usize].ty.component(at)?.clone();
        Some(Writer { vars: self.vars, span }.bind(Op::Project(element, at), ty, out))
    }

    /// Writes the body of a loop for one index.
    fn splice(
        &mut self,
        Iteration { index, body, .. }: Iteration,
        at: Atom,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Atom {
        out.push(Binding { var: index, op: Op::Copy(at), span });
        out.extend(body.bindings);
        body.result
    }
}
