//! Bodies of arrays, sums and loops as a whole: each number that a body gives is a combination of numbers of the linear
//! variables around it, and the combinations of all iterations are the entries of one matrix.   [003 §8]
//!
//! `[cᵢ · dxᵢ | i < n]` has the entries `cᵢ` at `(i, i)`, so it is `diagonal c ∘ x`; `[cᵢ · dx | i < n]` is `c ⊗ x`,
//! `Σᵢ cᵢ · dxᵢ` is `⟨c, x⟩`, and `[[dx[j][i] | j < n] | i < m]` is a transposition. A scan that adds to its state is the
//! prefix sums of such a map.

use super::entries::{ordered, space};
use super::{Frame, Stop, Terms, uses};
use riesz_core::evaluate::Value;
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Recurrence, Reduction, Var};
use riesz_linear::{Entries, Form, LinearMap, Relation, Space};
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The most numbers that are combined one by one, before the maps of iterations are found each by itself.
const MOST_COMBINED: usize = 1 << 24;

/// `Σ coefficient · (a number of a variable)`
type Combination = Vec<(Var, usize, f64)>;

/// A vector as combinations, one for each of its numbers.
pub(super) struct Block {
    space: Space,
    numbers: Vec<Combination>,
}

/// The facts about a variable inside a body.
#[derive(Clone)]
enum Described {
    /// A part of a linear variable around it, from a number on.
    Part(Var, usize, Space),
    /// Combinations.
    Block(Rc<Block>),
}

/// The variables bound inside a body.
type Inner = FxHashMap<Var, Described>;

impl<'p> Terms<'p, '_> {
    /// `[body | i < n]`
    pub(super) fn build(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
        let found = self.whole(|terms| terms.blocks(frame, iteration, &mut Inner::default()))?;
        if let Some(blocks) = found
            && let Some(block) = beside(blocks)
        {
            return as_map(frame, &block);
        }
        Ok(LinearMap::fork_array(self.each(frame, iteration)?)?)
    }

    /// `Σᵢ body`
    pub(super) fn sum(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
        let found = self.whole(|terms| terms.blocks(frame, iteration, &mut Inner::default()))?;
        if let Some(blocks) = found
            && let Some(block) = added(blocks)
        {
            return as_map(frame, &block);
        }
        Ok(LinearMap::add(self.each(frame, iteration)?)?)
    }

    /// The state after each iteration of a loop, or after the last one, where each iteration only adds to it.
    pub(super) fn accumulation(
        &mut self,
        frame: &mut Frame<'p>,
        recurrence: &'p Recurrence,
        all: bool,
    ) -> Result<Option<LinearMap>, Stop> {
        let Recurrence { state, start, count, index, body } = recurrence;
        let start = self.operand(frame, *start)?;
        let count = self.value(frame, *count).int();
        let space = start.codomain().clone();
        frame.linear.insert(*state, LinearMap::identity(space.clone()));
        let found = self.whole(|terms| {
            let mut blocks = Vec::new();
            for at in 0..count {
                frame.values[index.0 as usize] = Value::Int(at);
                let Some(block) = terms.block(frame, body, &mut Inner::default())? else { return Ok(None) };
                let Some(block) = without_state(block, *state, &space) else { return Ok(None) };
                blocks.push(block);
            }
            Ok(Some(blocks))
        });
        frame.linear.remove(state);
        let Some(blocks) = found? else { return Ok(None) };
        let iterations = blocks.len();
        let Some(block) = (if all { beside(blocks) } else { added(blocks) }) else { return Ok(None) };
        let mut added = as_map(frame, &block)?;
        let mut start = start;
        if all {
            added = LinearMap::reduce(Relation::Prefix(iterations), space.clone()).after(&added)?;
            start = LinearMap::reduce(Relation::Replicate(iterations), space).after(&start)?;
        }
        Ok(Some(added.plus(&start)?))
    }

    /// The last state of a loop whose iterations combine numbers, `xᵢ₊₁ = aᵢ xᵢ + bᵢ y`, as one matrix after the start and
    /// one after each `y`, where these have no more entries than all `aᵢ` and `bᵢ`. They are multiplied from the left, so
    /// that a state of one number takes one product for each iteration.
    pub(super) fn recurrence(
        &mut self,
        frame: &mut Frame<'p>,
        recurrence: &'p Recurrence,
    ) -> Result<Option<LinearMap>, Stop> {
        let Recurrence { state, start, count, index, body } = recurrence;
        let start = self.operand(frame, *start)?;
        let count = self.value(frame, *count).int();
        let space = start.codomain().clone();
        frame.linear.insert(*state, LinearMap::identity(space.clone()));
        let found = self.whole(|terms| {
            let mut blocks = Vec::new();
            for at in 0..count {
                frame.values[index.0 as usize] = Value::Int(at);
                let block = terms.block(frame, body, &mut Inner::default())?;
                let Some(block) = block.filter(|block| block.space == space) else { return Ok(None) };
                blocks.push(block);
            }
            Ok(Some(blocks))
        });
        frame.linear.remove(state);
        let Some(blocks) = found? else { return Ok(None) };
        let Some(total) = last_state(&blocks, *state, &space) else { return Ok(None) };
        frame.linear.insert(*state, start);
        let map = as_map(frame, &total);
        frame.linear.remove(state);
        map.map(Some)
    }

    /// The map of each iteration.
    fn each(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<Vec<LinearMap>, Stop> {
        let mut maps = Vec::new();
        for at in 0..self.value(frame, iteration.count).int() {
            frame.values[iteration.index.0 as usize] = Value::Int(at);
            maps.push(self.body(frame, &iteration.body)?);
        }
        if maps.is_empty() { Err(Stop::NoTerm) } else { Ok(maps) }
    }

    /// Looks for combinations of at most a given number of numbers.
    fn whole<T>(&mut self, find: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let before = std::mem::replace(&mut self.room, MOST_COMBINED);
        let found = find(self);
        self.room = before;
        found
    }

    fn blocks(
        &mut self,
        frame: &mut Frame<'p>,
        iteration: &'p Iteration,
        inner: &mut Inner,
    ) -> Result<Option<Vec<Rc<Block>>>, Stop> {
        let mut blocks = Vec::new();
        for at in 0..self.value(frame, iteration.count).int() {
            frame.values[iteration.index.0 as usize] = Value::Int(at);
            match self.block(frame, &iteration.body, inner)? {
                Some(block) => blocks.push(block),
                None => return Ok(None),
            }
        }
        Ok(Some(blocks))
    }

    /// The result of a body as a block, if the body only combines numbers.
    fn block(&mut self, frame: &mut Frame<'p>, body: &'p Body, inner: &mut Inner) -> Result<Option<Rc<Block>>, Stop> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            for binding in &body.bindings {
                if !uses(&binding.op, &|var| frame.linear.contains_key(&var) || inner.contains_key(&var)) {
                    self.machine.bind(frame.function, &mut frame.values, binding)?;
                    continue;
                }
                match self.known(frame, binding, inner)? {
                    Some(known) => inner.insert(binding.var, known),
                    None => return Ok(None),
                };
            }
            let Some(known) = operand(frame, inner, body.result) else { return Ok(None) };
            Ok(self.written(known))
        })
    }

    fn known(
        &mut self,
        frame: &mut Frame<'p>,
        binding: &'p Binding,
        inner: &mut Inner,
    ) -> Result<Option<Described>, Stop> {
        let is_known = |frame: &Frame, inner: &Inner, atom: Atom| matches!(atom, Atom::Var(var) if frame.linear.contains_key(&var) || inner.contains_key(&var));
        let scaled = |block: Rc<Block>, factor: f64| {
            let number = |c: &Combination| c.iter().map(|(var, at, k)| (*var, *at, exact(factor, *k))).collect();
            Rc::new(Block { space: block.space.clone(), numbers: block.numbers.iter().map(number).collect() })
        };
        let block = |terms: &mut Self, frame: &Frame, inner: &Inner, atom: Atom| {
            operand(frame, inner, atom).and_then(|known| terms.written(known))
        };
        let found = match &binding.op {
            Op::Copy(a) => return Ok(operand(frame, inner, *a)),
            Op::Index(array, index) => {
                let Ok(at) = usize::try_from(self.value(frame, *index).int()) else { return Ok(None) };
                return Ok(operand(frame, inner, *array).and_then(|array| part(&array, at)));
            }
            Op::Project(tuple, at) => return Ok(operand(frame, inner, *tuple).and_then(|tuple| part(&tuple, *at))),
            Op::Plus(a, b) => {
                let both = block(self, frame, inner, *a).zip(block(self, frame, inner, *b));
                both.and_then(|(a, b)| added(vec![a, b]))
            }
            Op::Scalar(primitive, arguments) => match arguments[..] {
                [a, b] if std::ptr::eq(*primitive, &scalar::ADD) || std::ptr::eq(*primitive, &scalar::SUB) => {
                    let both = block(self, frame, inner, a).zip(block(self, frame, inner, b));
                    let sign = if std::ptr::eq(*primitive, &scalar::SUB) { -1.0 } else { 1.0 };
                    both.and_then(|(a, b)| added(vec![a, if sign == 1.0 { b } else { scaled(b, sign) }]))
                }
                [a] if std::ptr::eq(*primitive, &scalar::NEG) => {
                    block(self, frame, inner, a).map(|block| scaled(block, -1.0))
                }
                [a, b] if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                    let (coefficient, tangent) = if is_known(frame, inner, a) { (b, a) } else { (a, b) };
                    let factor = self.value(frame, coefficient).real();
                    block(self, frame, inner, tangent).map(|block| scaled(block, factor))
                }
                _ => None,
            },
            Op::If { condition, yes, no } => {
                let body = if self.value(frame, *condition).bool() { yes } else { no };
                self.block(frame, body, inner)?
            }
            Op::Build(iteration) => self.blocks(frame, iteration, inner)?.and_then(beside),
            Op::Reduce(Reduction::Sum, iteration) => self.blocks(frame, iteration, inner)?.and_then(added),
            Op::Tuple(parts) => {
                let parts: Option<Vec<Rc<Block>>> = parts.iter().map(|at| block(self, frame, inner, *at)).collect();
                parts.map(|parts| {
                    let space = Space::product(parts.iter().map(|part| part.space.clone()));
                    let numbers = parts.iter().flat_map(|part| part.numbers.iter().cloned()).collect();
                    Rc::new(Block { space, numbers })
                })
            }
            Op::Array(elements) => {
                let blocks: Option<Vec<Rc<Block>>> = elements.iter().map(|at| block(self, frame, inner, *at)).collect();
                blocks.and_then(beside)
            }
            _ => None,
        };
        let spent = found.as_ref().map_or(0, |block| block.numbers.iter().map(|c| c.len() + 1).sum());
        self.room = self.room.saturating_sub(spent);
        Ok(found.filter(|_| self.room > 0).map(Described::Block))
    }

    /// The combinations of something known, unless they are too many.
    fn written(&mut self, known: Described) -> Option<Rc<Block>> {
        match known {
            Described::Block(block) => Some(block),
            Described::Part(var, offset, space) => {
                let count = space.dimension();
                self.room = self.room.checked_sub(count)?;
                let numbers = (offset..offset + count).map(|at| vec![(var, at, 1.0)]).collect();
                Some(Rc::new(Block { space, numbers }))
            }
        }
    }
}

/// The facts about an operand; a value that does not vary is zero.
fn operand(frame: &Frame, inner: &Inner, atom: Atom) -> Option<Described> {
    let space = match atom {
        Atom::Var(var) => match (inner.get(&var), frame.linear.get(&var)) {
            (Some(known), _) => return Some(known.clone()),
            (None, Some(map)) => return Some(Described::Part(var, 0, map.codomain().clone())),
            (None, None) => space(&frame.values[var.0 as usize])?,
        },
        Atom::Real(_) => Space::Real,
        Atom::Int(_) | Atom::Bool(_) => Space::product([]),
    };
    let numbers = vec![Vec::new(); space.dimension()];
    Some(Described::Block(Rc::new(Block { space, numbers })))
}

/// A component, or an element.
fn part(known: &Described, at: usize) -> Option<Described> {
    let of = |space: &Space| space.part(at).cloned().map(|part| (part, space.offset(at)));
    Some(match known {
        Described::Part(var, start, space) => {
            let (part, offset) = of(space)?;
            Described::Part(*var, start + offset, part)
        }
        Described::Block(block) => {
            let (part, offset) = of(&block.space)?;
            let numbers = block.numbers.get(offset..offset + part.dimension())?.to_vec();
            Described::Block(Rc::new(Block { space: part, numbers }))
        }
    })
}

/// The array whose elements are given.
fn beside(blocks: Vec<Rc<Block>>) -> Option<Rc<Block>> {
    let element = blocks.first()?.space.clone();
    if blocks.iter().any(|block| block.space != element) {
        return None;
    }
    let space = Space::array(blocks.len(), element);
    let numbers = blocks.iter().flat_map(|block| block.numbers.iter().cloned()).collect();
    Some(Rc::new(Block { space, numbers }))
}

/// The sum of vectors of one space.
fn added(blocks: Vec<Rc<Block>>) -> Option<Rc<Block>> {
    let space = blocks.first()?.space.clone();
    if blocks.iter().any(|block| block.space != space) {
        return None;
    }
    let mut numbers = vec![Vec::new(); space.dimension()];
    for block in blocks {
        numbers.iter_mut().zip(&block.numbers).for_each(|(sum, number)| sum.extend_from_slice(number));
    }
    Some(Rc::new(Block { space, numbers }))
}

/// The part of a block that is added to a state, if the state itself occurs exactly once in each of its numbers,
/// unchanged.
fn without_state(block: Rc<Block>, state: Var, space: &Space) -> Option<Rc<Block>> {
    if block.space != *space {
        return None;
    }
    let rest = |(at, number): (usize, &Combination)| {
        let (own, rest): (Combination, Combination) = number.iter().partition(|(var, ..)| *var == state);
        (own == [(state, at, 1.0)]).then_some(rest)
    };
    let numbers = block.numbers.iter().enumerate().map(rest).collect::<Option<Vec<_>>>()?;
    Some(Rc::new(Block { space: space.clone(), numbers }))
}

/// The last of the states that blocks make of each other, by the first of them and other variables; none where that takes
/// more entries than the blocks have.
fn last_state(blocks: &[Rc<Block>], state: Var, space: &Space) -> Option<Block> {
    let most: usize = blocks.iter().flat_map(|block| &block.numbers).map(Vec::len).sum();
    let mut numbers: Vec<Combination> = (0..space.dimension()).map(|at| vec![(state, at, 1.0)]).collect();
    let mut others: Vec<Combination> = vec![Vec::new(); numbers.len()];
    for block in blocks.iter().rev() {
        let mut spent = 0;
        for (number, other) in numbers.iter_mut().zip(&mut others) {
            let mut before: FxHashMap<usize, f64> = FxHashMap::default();
            for (_, at, factor) in number.iter() {
                for (var, place, k) in &block.numbers[*at] {
                    match *var == state {
                        true => *before.entry(*place).or_insert(0.0) += exact(*factor, *k),
                        false => other.push((*var, *place, exact(*factor, *k))),
                    }
                }
            }
            *number = before.into_iter().map(|(place, k)| (state, place, k)).collect();
            spent += number.len() + other.len();
        }
        if spent > most.max(space.dimension()) {
            return None;
        }
    }
    numbers.iter_mut().zip(others).for_each(|(number, other)| number.extend(other));
    Some(Block { space: space.clone(), numbers })
}

/// A block as a map: the sum, over the variables, of a matrix after the map of the variable.
fn as_map(frame: &Frame, block: &Block) -> Result<LinearMap, Stop> {
    let mut order: Vec<Var> = Vec::new();
    let mut entries: FxHashMap<Var, Vec<Entries>> = FxHashMap::default();
    for (row, number) in block.numbers.iter().enumerate() {
        for (var, at, coefficient) in number {
            let rows = entries.entry(*var).or_insert_with(|| {
                order.push(*var);
                vec![Vec::new(); block.numbers.len()]
            });
            rows[row].push((*at, *coefficient));
        }
    }
    if let Some(zipped) = zipped(frame, block, &order, &entries)? {
        return Ok(zipped);
    }
    let mut maps = Vec::with_capacity(order.len());
    for var in order {
        let of = &frame.linear[&var];
        let rows = ordered(&entries.remove(&var).unwrap_or_default());
        let map = LinearMap::of_entries(of.codomain(), &block.space, &rows)?;
        maps.push(if matches!(map.form(), Form::Identity) { of.clone() } else { map.after(of)? });
    }
    match maps.len() {
        0 => Ok(LinearMap::zero(frame.domain.clone(), block.space.clone())),
        1 => Ok(maps.remove(0)),
        _ => Ok(LinearMap::add(maps)?),
    }
}

/// `zip ∘ (x × y × …)`, where the components of the elements of an array are the elements of several others.
fn zipped(
    frame: &Frame,
    block: &Block,
    order: &[Var],
    entries: &FxHashMap<Var, Vec<Entries>>,
) -> Result<Option<LinearMap>, Stop> {
    let Space::Array(count, element) = &block.space else { return Ok(None) };
    let Space::Product(parts) = &**element else { return Ok(None) };
    let fits = |(var, part): (&Var, &Space)| *frame.linear[var].codomain() == Space::array(*count, part.clone());
    if order.len() != parts.len() || parts.len() < 2 || !order.iter().zip(parts.iter()).all(fits) {
        return Ok(None);
    }
    for (at, (var, part)) in order.iter().zip(parts.iter()).enumerate() {
        let (start, width) = (element.offset(at), part.dimension());
        let own = |(row, entries): (usize, &Entries)| {
            let (place, offset) = (row / element.dimension().max(1), row % element.dimension().max(1));
            match (start..start + width).contains(&offset) {
                true => entries[..] == [(place * width + offset - start, 1.0)],
                false => entries.is_empty(),
            }
        };
        if !entries[var].iter().enumerate().all(own) {
            return Ok(None);
        }
    }
    let maps: Vec<LinearMap> = order.iter().map(|var| frame.linear[var].clone()).collect();
    let spaces: Vec<Space> = maps.iter().map(|map| map.codomain().clone()).collect();
    Ok(Some(LinearMap::zip(&spaces)?.after(&LinearMap::fork(maps)?)?))
}

/// The product in which zero times anything is zero.
fn exact(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
