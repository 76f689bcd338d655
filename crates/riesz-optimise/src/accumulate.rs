//! `acc = 0; acc += a; acc += b; acc` is `(0 + a) + b`, and `for i < n: acc[i] += a` adds the array of all `a`.
//!
//! An accumulator whose creation, additions and read are all visible is the sum of its additions:
//!
//! - an accumulator of a tuple becomes one for each component;
//! - a loop that adds to each element of an accumulator once becomes an array that is built and added as a whole;
//! - a loop that makes the only additions to a number becomes a sum.
//!
//! Additions keep their order and their initial zero, so that the result is the same to the last bit. A loop is
//! rewritten only if all of its additions can be.

use crate::each::Writer;
use crate::length::Lengths;
use riesz_core::Size;
use riesz_core::build::{fresh, type_of};
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Place, Reduction, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::scalar::ADD;
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes sums of the accumulators of a function.
pub(crate) fn accumulate(function: &mut Function) {
    split(function);
    let lengths = Lengths::of(&function.body);
    let mut survey = Survey { vars: &function.vars, lengths, ..Survey::default() };
    survey.body(&function.body, None);
    let sums = survey.sums();
    if sums.is_empty() {
        return;
    }
    let mut rewriting = Rewriting { vars: &mut function.vars, sums, totals: FxHashMap::default(), depth: 0 };
    let nothing = Body { bindings: Vec::new(), result: Atom::Int(0) };
    let body = std::mem::replace(&mut function.body, nothing);
    function.body = rewriting.body(body, &mut Vec::new());
}

// ---- which accumulators can be sums ----

/// How a loop adds to an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// To each element once.
    Elements,
    /// To a number, which nothing was added to before.
    Number,
}

#[derive(Default)]
struct Survey<'v> {
    vars: &'v [VarInfo],
    lengths: Lengths,
    made: FxHashMap<Var, Made>,
    /// The loops for effects, by their index: what they add to that was made outside of them. None stands for something
    /// that cannot be rewritten.
    loops: FxHashMap<Var, Vec<Option<(Var, Manner)>>>,
    /// The bodies around, innermost last, each with the index and the count of the loop for effects that it is of.
    around: Vec<Option<(Var, Atom)>>,
}

/// An accumulator.
struct Made {
    /// How many bodies are around where it is made.
    depth: usize,
    reads: usize,
    adds: usize,
    /// Whether it is used only in ways that are understood.
    plain: bool,
}

impl Survey<'_> {
    fn body(&mut self, body: &Body, of: Option<(Var, Atom)>) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.around.push(of);
            for binding in &body.bindings {
                self.binding(binding);
            }
            self.forget(body.result);
            self.around.pop();
        });
    }

    fn binding(&mut self, Binding { var, op, .. }: &Binding) {
        match op {
            Op::Accumulator => {
                let Type::Accumulator(inner) = &self.vars[var.0 as usize].ty else { return };
                let depth = self.around.len();
                self.made.insert(*var, Made { depth, reads: 0, adds: 0, plain: is_of_numbers(inner) });
            }
            Op::Read(Atom::Var(accumulator)) => {
                let depth = self.around.len();
                match self.made.get_mut(accumulator) {
                    Some(made) if made.depth == depth => made.reads += 1,
                    _ => self.forget(Atom::Var(*accumulator)),
                }
            }
            Op::AddTo(Atom::Var(accumulator), path, value) => {
                self.forget(*value);
                self.add(*accumulator, path);
            }
            Op::For(Iteration { index, count, body }) => {
                self.loops.insert(*index, Vec::new());
                self.body(body, Some((*index, *count)));
            }
            op => {
                op.visit_atoms(&mut |atom| self.forget(*atom));
                op.visit_bodies(&mut |body| self.body(body, None));
            }
        }
    }

    fn add(&mut self, accumulator: Var, path: &[Place]) {
        let Some(made) = self.made.get_mut(&accumulator) else { return self.forget(Atom::Var(accumulator)) };
        // What has been read is no more added to.
        let first = made.adds == 0;
        made.adds += 1;
        let between = &self.around[made.depth..];
        if made.reads > 0 {
            made.plain = false;
        }
        let Type::Accumulator(inner) = &self.vars[accumulator.0 as usize].ty else { return };
        let manner = match between {
            [] => {
                made.plain &= path.is_empty();
                return;
            }
            [Some(_)] if path.is_empty() && first && **inner == Type::Real => Some(Manner::Number),
            _ => {
                let mut part = &**inner;
                let fits = between.len() == path.len()
                    && between.iter().zip(path).all(|(around, place)| match (around, place, part) {
                        (Some((index, count)), Place::Element(Atom::Var(at)), Type::Array(size, element)) => {
                            part = element;
                            index == at && self.lengths.is(*count, size)
                        }
                        _ => false,
                    });
                fits.then_some(Manner::Elements)
            }
        };
        made.plain &= manner.is_some();
        for (index, _) in between.iter().flatten() {
            self.loops.entry(*index).or_default().push(manner.map(|manner| (accumulator, manner)));
        }
    }

    /// Something happens to an accumulator, if this is one, that cannot be rewritten.
    fn forget(&mut self, atom: Atom) {
        let Atom::Var(var) = atom else { return };
        if !matches!(self.vars[var.0 as usize].ty, Type::Accumulator(_)) {
            return;
        }
        let depth = match self.made.get_mut(&var) {
            Some(made) => {
                made.plain = false;
                made.depth
            }
            None => 0,
        };
        for (index, _) in self.around[depth..].iter().flatten() {
            self.loops.entry(*index).or_default().push(None);
        }
    }

    /// The accumulators that can be sums, and the loops that can be arrays or sums.
    fn sums(mut self) -> Sums {
        let mut accumulators: FxHashSet<Var> =
            self.made.iter().filter(|(_, made)| made.plain && made.reads == 1).map(|(var, _)| *var).collect();
        // A loop that adds to anything else keeps the others from being sums, until no more are lost.
        loop {
            let before = accumulators.len();
            self.loops.retain(|_, added| {
                let manner = added.first().copied().flatten().map(|(_, manner)| manner);
                let whole = added.iter().all(|one| {
                    one.is_some_and(|(accumulator, how)| accumulators.contains(&accumulator) && Some(how) == manner)
                });
                if !whole {
                    for (accumulator, _) in added.iter().flatten() {
                        accumulators.remove(accumulator);
                    }
                }
                whole && !added.is_empty()
            });
            if accumulators.len() == before {
                break;
            }
        }
        let loops = self.loops.into_iter().filter_map(|(index, added)| Some((index, added.first().copied()??.1)));
        let depths = accumulators.into_iter().map(|accumulator| (accumulator, self.made[&accumulator].depth));
        Sums { accumulators: depths.collect(), loops: loops.collect() }
    }
}

/// Whether a type is that of a number, or of an array of arrays of numbers, whose sizes are known.
fn is_of_numbers(ty: &Type) -> bool {
    match ty {
        Type::Real => true,
        Type::Array(size, element) => *size != Size::Hole && is_of_numbers(element),
        _ => false,
    }
}

// ---- rewriting ----

#[derive(Default)]
struct Sums {
    /// How many bodies are around where each is made.
    accumulators: FxHashMap<Var, usize>,
    loops: FxHashMap<Var, Manner>,
}

impl Sums {
    fn is_empty(&self) -> bool {
        self.accumulators.is_empty()
    }
}

struct Rewriting<'v> {
    vars: &'v mut Vec<VarInfo>,
    sums: Sums,
    /// The sum in each accumulator so far.
    totals: FxHashMap<Var, Option<Atom>>,
    depth: usize,
}

/// The values that an iteration of a loop adds to accumulators that were made outside of it.
type Added = Vec<(Var, Atom)>;

impl Rewriting<'_> {
    fn body(&mut self, body: Body, added: &mut Added) -> Body {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            self.depth += 1;
            let mut bindings = Vec::with_capacity(body.bindings.len());
            body.bindings.into_iter().for_each(|binding| self.binding(binding, &mut bindings, added));
            self.depth -= 1;
            Body { bindings, result: body.result }
        })
    }

    fn binding(&mut self, Binding { var, mut op, span }: Binding, out: &mut Vec<Binding>, added: &mut Added) {
        match &mut op {
            Op::Accumulator if self.sums.accumulators.contains_key(&var) => {
                self.totals.insert(var, None);
            }
            Op::AddTo(Atom::Var(accumulator), _, value) if self.sums.accumulators.contains_key(accumulator) => {
                self.add(*accumulator, *value, span, out, added);
                out.push(Binding { var, op: Op::Tuple(Vec::new()), span });
            }
            Op::Read(Atom::Var(accumulator)) if self.sums.accumulators.contains_key(accumulator) => {
                let ty = self.vars[var.0 as usize].ty.clone();
                let total = match self.totals.remove(accumulator).flatten() {
                    Some(total) => total,
                    None => self.writer(span).each(&ty, &[], &|_, _, _, _| Atom::Real(0.0), out),
                };
                out.push(Binding { var, op: Op::Copy(total), span });
            }
            Op::For(iteration) if self.sums.loops.contains_key(&iteration.index) => {
                let nothing = Body { bindings: Vec::new(), result: iteration.body.result };
                let body = std::mem::replace(&mut iteration.body, nothing);
                let iteration = Iteration { count: iteration.count, index: iteration.index, body };
                for (accumulator, value) in self.iterations(iteration, span, out) {
                    self.add(accumulator, value, span, out, added);
                }
                out.push(Binding { var, op: Op::Tuple(Vec::new()), span });
            }
            _ => {
                op.visit_bodies_mut(&mut |body| {
                    let nothing = Body { bindings: Vec::new(), result: body.result };
                    let inner = std::mem::replace(body, nothing);
                    *body = self.body(inner, &mut Vec::new());
                });
                out.push(Binding { var, op, span });
            }
        }
    }

    /// Adds to an accumulator that was made here, or leaves it to the loop around.
    fn add(&mut self, accumulator: Var, value: Atom, span: Span, out: &mut Vec<Binding>, added: &mut Added) {
        if self.sums.accumulators[&accumulator] != self.depth {
            added.push((accumulator, value));
            return;
        }
        let ty = self.inner(accumulator);
        let plus = |left: Atom, right: Atom| match ty {
            Type::Real => Op::Scalar(&ADD, vec![left, right]),
            _ => Op::Plus(left, right),
        };
        let total = match self.totals.get(&accumulator).copied().flatten() {
            Some(total) => self.bind(plus(total, value), ty.clone(), span, out),
            None => {
                let add_zero = &|writer: &mut Writer, element: &[Atom], ty: &Type, out: &mut Vec<Binding>| {
                    writer.bind(Op::Scalar(&ADD, vec![element[0], Atom::Real(0.0)]), ty.clone(), out)
                };
                self.writer(span).each(&ty, &[value], add_zero, out)
            }
        };
        self.totals.insert(accumulator, Some(total));
    }

    fn inner(&self, accumulator: Var) -> Type {
        match &self.vars[accumulator.0 as usize].ty {
            Type::Accumulator(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }

    /// The loop for effects as one for values: what all its iterations add.
    fn iterations(&mut self, Iteration { count, index, body }: Iteration, span: Span, out: &mut Vec<Binding>) -> Added {
        let manner = self.sums.loops[&index];
        let mut added = Vec::new();
        let mut body = self.body(body, &mut added);
        let values: Vec<Atom> = added.iter().map(|(_, value)| *value).collect();
        let types: Vec<Type> = (added.iter())
            .map(|(accumulator, _)| {
                // Outer loops are around the accumulator's first axes.
                let inner = self.inner(*accumulator);
                let axes = self.depth - self.sums.accumulators[accumulator];
                (0..axes).fold(inner, |ty, _| match ty {
                    Type::Array(_, element) => (*element).clone(),
                    ty => ty,
                })
            })
            .collect();
        let several = values.len() > 1;
        body.result = match several {
            true => {
                let inside = Type::Tuple(values.iter().map(|value| type_of(*value, self.vars)).collect());
                self.bind(Op::Tuple(values), inside, span, &mut body.bindings)
            }
            false => values[0],
        };
        let iteration = Iteration { count, index, body };
        let op = match (manner, several) {
            (Manner::Elements, true) => Op::Builds(iteration),
            (Manner::Elements, false) => Op::Build(iteration),
            (Manner::Number, _) => Op::Reduce(Reduction::Sum, iteration),
        };
        let all = self.bind(op, Type::tuple(types.clone()), span, out);
        if !several {
            return vec![(added[0].0, all)];
        }
        let mut parts = Vec::with_capacity(added.len());
        for (at, ((accumulator, _), ty)) in added.into_iter().zip(types).enumerate() {
            parts.push((accumulator, self.bind(Op::Project(all, at), ty, span, out)));
        }
        parts
    }

    fn writer(&mut self, span: Span) -> Writer<'_> {
        Writer { vars: self.vars, span }
    }

    fn bind(&mut self, op: Op, ty: Type, span: Span, out: &mut Vec<Binding>) -> Atom {
        self.writer(span).bind(op, ty, out)
    }
}

// ---- tuples ----

/// Gives every component of an accumulator of a tuple its own, where all its uses are in sight.
fn split(function: &mut Function) {
    let mut found = FxHashMap::default();
    tuples(&function.body, &function.vars, &mut found);
    found.retain(|_, plain| *plain);
    if found.is_empty() {
        return;
    }
    let mut splitting = Splitting { vars: &mut function.vars, tuples: found, parts: FxHashMap::default() };
    splitting.body(&mut function.body);
}

/// The accumulators of tuples that are made in a body, and whether they are only added to and read.
fn tuples(body: &Body, vars: &[VarInfo], found: &mut FxHashMap<Var, bool>) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let used = |atom: &Atom, found: &mut FxHashMap<Var, bool>| {
            if let Atom::Var(var) = atom
                && let Some(plain) = found.get_mut(var)
            {
                *plain = false;
            }
        };
        for Binding { var, op, .. } in &body.bindings {
            match op {
                Op::Accumulator => {
                    if let Type::Accumulator(inner) = &vars[var.0 as usize].ty
                        && inner.components().is_some_and(|parts| !parts.is_empty())
                    {
                        found.insert(*var, true);
                    }
                }
                Op::AddTo(_, _, value) => used(value, found),
                Op::Read(_) => {}
                op => op.visit_atoms(&mut |atom| used(atom, found)),
            }
            op.visit_bodies(&mut |body| tuples(body, vars, found));
        }
        used(&body.result, found);
    });
}

struct Splitting<'v> {
    vars: &'v mut Vec<VarInfo>,
    tuples: FxHashMap<Var, bool>,
    /// The accumulators of the components; none for those that are `()`.
    parts: FxHashMap<Var, Vec<Option<Var>>>,
}

impl Splitting<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            for binding in bindings {
                self.binding(binding, &mut body.bindings);
            }
        });
    }

    fn binding(&mut self, Binding { var, mut op, span }: Binding, out: &mut Vec<Binding>) {
        match &op {
            Op::Accumulator if self.tuples.contains_key(&var) => {
                let Type::Accumulator(inner) = self.vars[var.0 as usize].ty.clone() else { return };
                let mut parts = Vec::new();
                for ty in inner.components().unwrap_or_default() {
                    parts.push((ty != Type::unit()).then(|| {
                        let tuple = ty.components().is_some();
                        let part = self.var(Type::Accumulator(ty.into()));
                        if tuple {
                            self.tuples.insert(part, true);
                        }
                        self.binding(Binding { var: part, op: Op::Accumulator, span }, out);
                        part
                    }));
                }
                self.parts.insert(var, parts);
                return;
            }
            Op::AddTo(Atom::Var(tuple), path, value) => {
                let Some(parts) = self.parts.get(tuple).cloned() else { return out.push(Binding { var, op, span }) };
                if let [Place::Component(at), rest @ ..] = &path[..] {
                    if let Some(part) = parts[*at] {
                        let op = Op::AddTo(Atom::Var(part), rest.to_vec(), *value);
                        return self.binding(Binding { var, op, span }, out);
                    }
                } else {
                    let types = type_of(*value, self.vars).components().unwrap_or_default();
                    for (at, (part, ty)) in parts.into_iter().zip(types).enumerate() {
                        let Some(part) = part else { continue };
                        let component = self.var(ty);
                        out.push(Binding { var: component, op: Op::Project(*value, at), span });
                        let unit = self.var(Type::unit());
                        let op = Op::AddTo(Atom::Var(part), Vec::new(), Atom::Var(component));
                        self.binding(Binding { var: unit, op, span }, out);
                    }
                }
                return out.push(Binding { var, op: Op::Tuple(Vec::new()), span });
            }
            Op::Read(Atom::Var(tuple)) => {
                let Some(parts) = self.parts.get(tuple).cloned() else { return out.push(Binding { var, op, span }) };
                let types = self.vars[var.0 as usize].ty.components().unwrap_or_default();
                let mut values = Vec::with_capacity(parts.len());
                for (part, ty) in parts.into_iter().zip(types) {
                    let value = self.var(ty);
                    let op = match part {
                        Some(part) => Op::Read(Atom::Var(part)),
                        None => Op::Tuple(Vec::new()),
                    };
                    self.binding(Binding { var: value, op, span }, out);
                    values.push(Atom::Var(value));
                }
                return out.push(Binding { var, op: Op::Tuple(values), span });
            }
            _ => {}
        }
        op.visit_bodies_mut(&mut |body| self.body(body));
        out.push(Binding { var, op, span });
    }

    fn var(&mut self, ty: Type) -> Var {
        fresh(self.vars, ty)
    }
}
