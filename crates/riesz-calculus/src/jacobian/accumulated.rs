//! The value of an accumulator at a position: `for i < n: a[i + c] += v(i)` gives `a[r] = v(r − c)` if `0 ≤ r − c < n`.
//!
//! A compiled reverse derivative adds to accumulators in loops. The number at a position is the sum of the
//! contributions of every statement: for each statement, solving for the indices of its loops gives the iteration that
//! adds to the position, under the condition that there is such an iteration.

use super::graph::Hop;
use super::known::{Accumulated, Addition, Built, Element, Enclosing, Frame, Split};
use super::walk::{LONGEST, Walk, adds};
use riesz_core::Size;
use riesz_core::free::Free;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Body, Comparison, Op, Place, Var};
use riesz_core::types::Type;
use std::rc::Rc;

impl<'a> Walk<'a> {
    /// A statement that adds, outside of loops.
    pub(super) fn add_to(
        &mut self,
        statement: Var,
        accumulator: &Split<'a>,
        place: &'a [Place],
        value: Atom,
        frame: &Rc<Frame<'a>>,
    ) -> Option<()> {
        let Split::Accumulator(sum) = accumulator else { return None };
        self.add(sum, Addition { around: Vec::new(), frame: frame.clone(), statement, place, value })
    }

    /// Remembers a statement, unless it has been seen before.
    fn add(&self, sum: &Accumulated<'a>, addition: Addition<'a>) -> Option<()> {
        if sum.serial >= self.replayed {
            if sum.serial < self.outside {
                return None;
            }
            sum.additions.borrow_mut().push(addition);
        }
        Some(())
    }

    /// The statements that add in a loop or branch, which is not gone through.
    pub(super) fn record(&mut self, around: Enclosing<'a>, frame: &Rc<Frame<'a>>) -> Option<()> {
        self.record_in(&mut vec![around], frame)
    }

    fn record_in(&mut self, around: &mut Vec<Enclosing<'a>>, frame: &Rc<Frame<'a>>) -> Option<()> {
        for binding in &around.last()?.body().bindings {
            let mut inside = |walk: &mut Self, next: Enclosing<'a>| {
                around.push(next);
                let recorded = walk.record_in(around, frame);
                around.pop();
                recorded
            };
            match &binding.op {
                Op::AddTo(accumulator, place, value) => {
                    // Others are made in the loop.
                    if let Some(Split::Accumulator(sum)) = frame.atom(*accumulator) {
                        let (around, frame) = (around.clone(), frame.clone());
                        let addition = Addition { around, frame, statement: binding.var, place, value: *value };
                        self.add(&sum, addition)?;
                    }
                }
                Op::For(iteration) => inside(self, Enclosing::Loop(iteration))?,
                Op::If { condition, yes, no } if frame.function.var(binding.var).ty == Type::unit() => {
                    inside(self, Enclosing::Branch { condition: *condition, body: yes, taken: true })?;
                    inside(self, Enclosing::Branch { condition: *condition, body: no, taken: false })?;
                }
                _ if adds(binding, frame) => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// The sum that has accumulated at a place.
    pub(super) fn read(&mut self, sum: &Rc<Accumulated<'a>>, ty: &Type, path: Vec<Hop>) -> Option<Split<'a>> {
        Some(match ty {
            Type::Real => {
                let mut total: Option<Split> = None;
                let additions = sum.additions.borrow().clone();
                for addition in &additions {
                    let Some(term) = self.addition(addition, &path)? else { continue };
                    total = Some(self.with_term(total, term)?);
                }
                total.unwrap_or(Split::Plain(Atom::Real(0.0)))
            }
            Type::Array(Size::Hole, _) => return None,
            Type::Array(size, element) => {
                let count = self.size(size);
                let element = Element::Sum { of: sum.clone(), ty: (**element).clone(), path };
                Split::Built(Rc::new(Built { count, element }))
            }
            ty => {
                let mut parts = Vec::new();
                for (at, part) in ty.components()?.iter().enumerate() {
                    let path = path.iter().cloned().chain([Hop::Component(at)]).collect();
                    parts.push(self.read(sum, part, path)?);
                }
                Split::Parts(parts)
            }
        })
    }

    /// The number that a statement adds at a place; the inner option is `None` if it adds elsewhere.
    fn addition(&mut self, addition: &Addition<'a>, path: &[Hop]) -> Option<Option<Split<'a>>> {
        let stands: Vec<Var> = addition.loops().map(|_| self.var(Type::Int)).collect();
        let places = self.places(addition, &stands)?;
        let mut solved: Vec<Option<Size>> = vec![None; stands.len()];
        let mut conditions: Vec<(Size, Size)> = Vec::new();
        let mut rest = path.iter();
        for (place, hop) in places.iter().zip(rest.by_ref()) {
            match (place, hop) {
                (Spot::Component(a), Hop::Component(b)) if a == b => {}
                (Spot::Component(_), Hop::Component(_)) => return Some(None),
                (Spot::Element(there), Hop::Element { form: here, .. }) => {
                    let found = stands.iter().enumerate().filter(|(_, var)| mentions(there, **var));
                    match found.collect::<Vec<_>>()[..] {
                        [] => match there.sub(here)? {
                            Size::Constant(0) => {}
                            Size::Constant(_) => return Some(None),
                            _ => conditions.push((there.clone(), here.clone())),
                        },
                        [(at, var)] => {
                            let index = Size::var(*var);
                            let minus = there.sub(&index)?;
                            let solution = if mentions(&minus, *var) {
                                let plus = there.add(&index)?;
                                (!mentions(&plus, *var)).then(|| plus.sub(here))??
                            } else {
                                here.sub(&minus)?
                            };
                            match &solved[at] {
                                None => solved[at] = Some(solution),
                                Some(other) => conditions.push((other.clone(), solution)),
                            }
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        let rest: Vec<Hop> = rest.cloned().collect();
        let mut total: Option<Split> = None;
        let Some(every) = self.every_position(addition, &solved) else {
            return self.in_every_position(addition, &solved, &conditions, &rest).map(Some);
        };
        for positions in every {
            if self.is_nowhere(addition, &positions)? {
                continue;
            }
            let term = self.guarded(addition, &positions, &conditions, &rest)?;
            total = Some(self.with_term(total, term)?);
        }
        Some(total)
    }

    /// The sum of a statement over all iterations, if the place does not determine the index of any.
    fn in_every_position(
        &mut self,
        addition: &Addition<'a>,
        solved: &[Option<Size>],
        conditions: &[(Size, Size)],
        rest: &[Hop],
    ) -> Option<Split<'a>> {
        if !conditions.is_empty() || solved.iter().any(Option::is_some) {
            return None;
        }
        let mut counts = Vec::with_capacity(solved.len());
        for iteration in addition.loops() {
            counts.push(self.value(&addition.frame.atom(iteration.count)?)?);
        }
        self.shared(&counts, &mut |walk, at| {
            let positions: Vec<Size> = at.iter().map(|at| walk.form(*at)).collect();
            walk.guarded(addition, &positions, &[], rest)
        })
    }

    /// The iterations of the loops around a statement: a loop whose index the place does not tell adds there in every
    /// iteration.
    /// Where these are many, that is left to passes over the function.
    fn every_position(&self, addition: &Addition<'a>, solved: &[Option<Size>]) -> Option<Vec<Vec<Size>>> {
        let mut all = vec![Vec::new()];
        for (iteration, solved) in addition.loops().zip(solved) {
            let here: Vec<Size> = match solved {
                Some(position) => vec![position.clone()],
                None => (0..self.iterations(iteration.count, &addition.frame)?).map(Size::Constant).collect(),
            };
            if (all.len() * here.len()) as i64 > LONGEST {
                return None;
            }
            let with = |positions: &Vec<Size>, position: &Size| {
                positions.iter().chain([position]).cloned().collect::<Vec<_>>()
            };
            all = all.iter().flat_map(|positions| here.iter().map(move |position| with(positions, position))).collect();
        }
        Some(all)
    }

    /// Whether it is known that there are no such iterations of the loops around a statement.
    fn is_nowhere(&mut self, addition: &Addition<'a>, positions: &[Size]) -> Option<bool> {
        for (iteration, position) in addition.loops().zip(positions) {
            let count = self.value(&addition.frame.atom(iteration.count)?)?;
            match (position, self.form(count)) {
                (Size::Constant(..0), _) => return Some(true),
                (Size::Constant(position), Size::Constant(count)) if *position >= count => return Some(true),
                _ => {}
            }
        }
        Some(false)
    }

    /// The sum of a statement over some iterations of its loops, if there are such iterations.
    fn guarded(
        &mut self,
        addition: &Addition<'a>,
        positions: &[Size],
        equal: &[(Size, Size)],
        rest: &[Hop],
    ) -> Option<Split<'a>> {
        let mut conditions = Vec::new();
        for (a, b) in equal {
            let (a, b) = (self.size(a), self.size(b));
            conditions.push(self.bind(Op::Same(a, b), Type::Bool));
        }
        let facts = self.facts.len();
        let mut known = Vec::new();
        let mut indices = Vec::new();
        for (iteration, position) in addition.loops().zip(positions) {
            let count = self.value(&addition.frame.atom(iteration.count)?)?;
            let bound = self.form(count);
            let index = self.size(position);
            if !self.in_range(position, &bound) {
                if let Some(edges) = &mut self.edges {
                    edges.see(position, &bound);
                }
                let positive = |(known, _): &(Size, Size)| matches!(position.sub(known), Some(Size::Constant(0..)));
                if !self.facts.iter().any(positive) && !matches!(position, Size::Constant(0..)) {
                    let op = Op::Compare(Comparison::LessEqual, Atom::Int(0), index);
                    conditions.push(self.bind(op, Type::Bool));
                }
                conditions.push(self.bind(Op::Compare(Comparison::Less, index, count), Type::Bool));
            }
            known.push((position.clone(), bound));
            indices.push(index);
        }
        let mut there = |walk: &mut Walk<'a>| {
            walk.facts.extend(known.iter().cloned());
            let result = walk.replay(addition, &indices, rest);
            walk.facts.truncate(facts);
            result
        };
        let Some(all) = conditions.into_iter().reduce(|all, one| {
            let nothing = |result: Atom| Body { bindings: Vec::new(), result };
            self.bind(Op::If { condition: all, yes: nothing(one), no: nothing(Atom::Bool(false)) }, Type::Bool)
        }) else {
            return there(self);
        };
        self.either(all, &mut there, &mut |_| Some(Split::Plain(Atom::Real(0.0))))
    }

    /// Goes through the iterations of the loops around a statement for what it adds.
    pub(super) fn replay(&mut self, addition: &Addition<'a>, indices: &[Atom], rest: &[Hop]) -> Option<Split<'a>> {
        self.again(|walk| walk.replay_in(addition, 0, indices, &addition.frame, rest))
    }

    /// Goes through what has been gone through before: what it adds to what was there then has been seen.
    pub(super) fn again<T>(&mut self, through: impl FnOnce(&mut Self) -> T) -> T {
        let replayed = std::mem::replace(&mut self.replayed, self.accumulators);
        let result = through(self);
        self.replayed = replayed;
        result
    }

    fn replay_in(
        &mut self,
        addition: &Addition<'a>,
        level: usize,
        indices: &[Atom],
        frame: &Rc<Frame<'a>>,
        rest: &[Hop],
    ) -> Option<Split<'a>> {
        let wanted = [addition.value];
        match addition.around.get(level) {
            None => {
                let mut value = frame.atom(addition.value)?;
                for hop in rest {
                    value = match hop {
                        Hop::Component(at) => self.project(&value, *at)?,
                        Hop::Element { index, .. } => self.index(&value, *index)?,
                    };
                }
                Some(value)
            }
            Some(Enclosing::Loop(iteration)) => {
                let (index, indices) = indices.split_first()?;
                let inner = Frame::inside(frame);
                inner.set(iteration.index, Split::Plain(*index));
                self.needed_at(addition, level, &wanted, &inner)?;
                self.replay_in(addition, level + 1, indices, &inner, rest)
            }
            Some(Enclosing::Branch { condition, taken, .. }) => {
                let condition = self.value(&frame.atom(*condition)?)?;
                let mut here = |walk: &mut Walk<'a>| {
                    let inner = Frame::inside(frame);
                    walk.needed_at(addition, level, &wanted, &inner)?;
                    walk.replay_in(addition, level + 1, indices, &inner, rest)
                };
                let mut elsewhere = |_: &mut Walk<'a>| Some(Split::Plain(Atom::Real(0.0)));
                match taken {
                    true => self.either(condition, &mut here, &mut elsewhere),
                    false => self.either(condition, &mut elsewhere, &mut here),
                }
            }
        }
    }

    /// Goes through what is needed of a loop or branch around a statement, there and further in.
    fn needed_at(
        &mut self,
        addition: &Addition<'a>,
        level: usize,
        wanted: &[Atom],
        frame: &Rc<Frame<'a>>,
    ) -> Option<()> {
        let bindings = &addition.around[level].body().bindings;
        // What comes before the statement, or before what it is in: that is all it can depend on.
        let leads = |binding: &Binding| match addition.around.get(level + 1) {
            None => binding.var == addition.statement,
            Some(deeper) => {
                let mut found = false;
                binding.op.visit_bodies(&mut |body| found |= std::ptr::eq(body, deeper.body()));
                found
            }
        };
        let before = bindings.iter().position(leads)?;
        let mut atoms = wanted.to_vec();
        for deeper in &addition.around[level + 1..] {
            let free = Free::of(&deeper.body().bindings, wanted, &frame.function.vars).found;
            atoms.extend(free.into_iter().map(Atom::Var));
            if let Enclosing::Branch { condition, .. } = deeper {
                atoms.push(*condition);
            }
        }
        self.needed(&bindings[..before], &atoms, frame)
    }

    /// Goes through those bindings that some operands need.
    fn needed(&mut self, bindings: &'a [Binding], wanted: &[Atom], frame: &Rc<Frame<'a>>) -> Option<()> {
        let vars = &frame.function.vars;
        let mut wanted: rustc_hash::FxHashSet<Var> =
            wanted.iter().filter_map(|atom| if let Atom::Var(var) = atom { Some(*var) } else { None }).collect();
        let mut chosen: Vec<&'a Binding> = Vec::new();
        for binding in bindings.iter().rev() {
            let free = Free::of(std::slice::from_ref(binding), &[], vars).found;
            let is_sum = |var: &Var| wanted.contains(var) && matches!(vars[var.0 as usize].ty, Type::Accumulator(_));
            let adds = !matches!(binding.op, Op::Read(_)) && free.iter().any(is_sum);
            if wanted.contains(&binding.var) || adds {
                wanted.extend(free);
                chosen.push(binding);
            }
        }
        for binding in chosen.into_iter().rev() {
            self.step(binding, frame)?;
        }
        Some(())
    }

    /// The facts that hold inside everything around a statement, about the operands that the statement needs.
    pub(super) fn inside(
        &mut self,
        addition: &Addition<'a>,
        indices: &[Atom],
        wanted: &[Atom],
    ) -> Option<Rc<Frame<'a>>> {
        let mut frame = addition.frame.clone();
        let mut indices = indices.iter();
        for (level, around) in addition.around.iter().enumerate() {
            let inner = Frame::inside(&frame);
            if let Enclosing::Loop(iteration) = around {
                inner.set(iteration.index, Split::Plain(*indices.next()?));
            }
            self.needed_at(addition, level, wanted, &inner)?;
            frame = inner;
        }
        Some(frame)
    }

    /// Where a statement adds, as polynomials over what stands for the indices of its loops.
    fn places(&mut self, addition: &Addition<'a>, stands: &[Var]) -> Option<Vec<Spot>> {
        let wanted: Vec<Atom> = (addition.place.iter())
            .filter_map(|place| if let Place::Element(index) = place { Some(*index) } else { None })
            .collect();
        let indices: Vec<Atom> = stands.iter().map(|var| Atom::Var(*var)).collect();
        self.open();
        let frame = self.again(|walk| walk.inside(addition, &indices, &wanted));
        let mut places = Vec::new();
        if let Some(frame) = &frame {
            for place in addition.place {
                places.push(match place {
                    Place::Component(at) => Some(Spot::Component(*at)),
                    Place::Element(index) => match frame.atom(*index) {
                        Some(Split::Plain(index)) => {
                            let form = self.form(index);
                            let local = |atom: &size::Atom| matches!(atom, size::Atom::Var(var) if self.is_local(*var));
                            (!form.atoms().iter().any(local)).then_some(Spot::Element(form))
                        }
                        _ => None,
                    },
                });
            }
        }
        self.close();
        frame?;
        places.into_iter().collect()
    }
}

/// A step to where a statement adds.
enum Spot {
    Component(usize),
    Element(Size),
}

fn mentions(form: &Size, var: Var) -> bool {
    form.atoms().contains(&size::Atom::Var(var))
}
