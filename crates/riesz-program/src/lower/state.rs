//! Loops that rebind a state: one iteration after the other.
//!
//! Numbers of a state are in registers that are set at the end of an iteration. An array of a state has two buffers,
//! one that an iteration reads and one that it writes, which are exchanged after it, unless an iteration changes it in place
//! (`in_place`). A loop that records its states
//! writes each to its final place, in buffers that grow if the number of iterations is unknown.

use super::operation::unsupported_layout;
use super::value::{Array, Cells, Extent, Length, Shape, Target, Value};
use super::{Lowered, Lowerer};
use crate::layout::kind_of;
use crate::program::{Block, Buffer, Expression, Fault, For, Kind, Operand, Register, Statement, While};
use riesz_core::Type;
use riesz_core::term::{Atom, Body, Recurrence, Var};
use riesz_syntax::Span;
use riesz_syntax::tree::Name;

/// The number of iterations that there is room for at first, if the number is unknown.
const FIRST_TURNS: i64 = 16;

/// A state: where an iteration reads it, and where it writes the next one.
struct State {
    now: Value,
    next: Next,
    /// Buffers to exchange behind an iteration.
    swaps: Vec<(Buffer, Buffer)>,
}

/// Where the next state goes.
#[derive(Clone)]
enum Next {
    /// To a mutable register.
    Number(Operand),
    Tuple(Vec<Next>),
    /// To cells.
    Cells(Cells),
}

impl<'p> Lowerer<'_, 'p> {
    pub(super) fn iteration(&mut self, iteration: &'p Recurrence, span: Span) -> Lowered<Value> {
        let state = self.begin(iteration.state, iteration.start, &iteration.body, false, span)?;
        self.iterations(iteration, &state, span, &mut |lowerer, _| lowerer.next(&iteration.body, &state, span))?;
        self.values[iteration.state.0 as usize] = None;
        Ok(state.now)
    }

    pub(super) fn while_(
        &mut self,
        var: Var,
        start: Atom,
        condition: &'p Body,
        body: &'p Body,
        span: Span,
    ) -> Lowered<Value> {
        let state = self.begin(var, start, body, false, span)?;
        let site = self.build.site(Fault::Steps, span);
        let opened = self.build.open();
        let holds = self.body(condition);
        let holds = holds.and_then(|value| match value {
            Value::Number(operand) => Ok(operand),
            _ => Err(unsupported_layout("this condition", span)),
        });
        let before = self.build.close(opened);
        self.forget(condition);
        let opened = self.build.open();
        let written = self.next(body, &state, span);
        let block = self.build.close(opened);
        let block = self.released(block, body.result);
        self.forget(body);
        self.values[var.0 as usize] = None;
        let condition = holds?;
        written?;
        self.build.push(Statement::While(While { before, condition, private: Vec::new(), body: block, site }));
        Ok(state.now)
    }

    pub(super) fn scan(
        &mut self,
        iteration: &'p Recurrence,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = self.number(iteration.count, span)?;
        let target = self.target_for(var, target, span)?;
        let Cells::Array(length, inner) = &target.cells else { return Err(unsupported_layout("this array", span)) };
        let len = self.at_least_zero(count);
        self.set_length(length, len, Fault::WrongShape, span);
        let state = self.begin(iteration.state, iteration.start, &iteration.body, false, span)?;
        self.iterations(iteration, &state, span, &mut |lowerer, index| {
            lowerer.next(&iteration.body, &state, span)?;
            let cells = lowerer.element_of(inner, index);
            lowerer.write(&state.now, &Target { cells, add: false }, span)
        })?;
        self.values[iteration.state.0 as usize] = None;
        Ok(self.in_target(&target, Some(len)))
    }

    pub(super) fn trace(
        &mut self,
        iteration: &'p Recurrence,
        var: Var,
        target: Option<&Target>,
        span: Span,
    ) -> Lowered<Value> {
        let count = self.number(iteration.count, span)?;
        let len = self.at_least_zero(count);
        // The residuals go to their own arrays; the last state is where the loop leaves it.
        let shape = self.infer_shape(Atom::Var(var))?;
        let Shape::Tuple(parts) = shape else { return Err(unsupported_layout("the residuals of this loop", span)) };
        let residuals = Shape::Tuple(parts.into_iter().skip(1).collect());
        let residuals = match target.map(|target| &target.cells) {
            Some(Cells::Tuple(cells)) => Cells::Tuple(cells.iter().skip(1).cloned().collect()),
            _ => self.room_for(&residuals, &None, span),
        };
        let Cells::Tuple(residuals) = residuals else {
            return Err(unsupported_layout("the residuals of this loop", span));
        };
        let mut inner = Vec::new();
        for array in &residuals {
            let Cells::Array(length, cells) = array else { return Err(unsupported_layout("this array", span)) };
            self.set_length(length, len, Fault::WrongShape, span);
            inner.push((**cells).clone());
        }
        let state = self.begin(iteration.state, iteration.start, &iteration.body, true, span)?;
        self.iterations(iteration, &state, span, &mut |lowerer, index| {
            let mut rows = Vec::with_capacity(inner.len());
            for cells in &inner {
                rows.push(lowerer.element_of(cells, index));
            }
            lowerer.next_and_residuals(&iteration.body, &state, rows, span)
        })?;
        self.values[iteration.state.0 as usize] = None;
        let mut parts = vec![state.now.clone()];
        for cells in residuals {
            parts.push(self.in_target(&Target { cells, add: false }, Some(len)));
        }
        if let Some(first) = target.and_then(|target| target.component(0)) {
            self.write(&state.now, &first, span)?;
        }
        Ok(Value::Tuple(parts))
    }

    /// A `while` loop that stores residuals of every iteration, in buffers that grow with it.
    pub(super) fn trace_while(
        &mut self,
        var: Var,
        start: Atom,
        condition: &'p Body,
        body: &'p Body,
        span: Span,
    ) -> Lowered<Value> {
        let state = self.begin(var, start, body, true, span)?;
        let Shape::Tuple(parts) = self.infer_shape(body.result)? else {
            return Err(unsupported_layout("the residuals of this loop", span));
        };
        let first = Extent { most: Operand::Int(FIRST_TURNS), exact: true };
        let mut residuals = Vec::new();
        for part in parts.into_iter().skip(1) {
            match self.room_for(&Shape::Array(first, Box::new(part)), &Some("residual".into()), span) {
                Cells::Array(_, cells) => residuals.push(*cells),
                _ => return Err(unsupported_layout("this array", span)),
            }
        }
        // One register counts inside of the loop, and the other behind it: in lanes, the first is the same in all of them.
        let counters = ["iteration", "iterations"].map(|name| self.build.mutable(Kind::Int, Some(name.into())));
        counters.iter().for_each(|counter| self.build.push(Statement::Set(*counter, Operand::Int(0))));
        let site = self.build.site(Fault::Steps, span);
        let opened = self.build.open();
        let holds = self.body(condition);
        let before = self.build.close(opened);
        self.forget(condition);
        let opened = self.build.open();
        let written = self.traced_iteration(body, &state, &residuals, counters, span);
        let block = self.build.close(opened);
        self.forget(body);
        self.values[var.0 as usize] = None;
        let Value::Number(condition) = holds? else {
            return Err(unsupported_layout("this condition", span));
        };
        written?;
        self.build.push(Statement::While(While { before, condition, private: Vec::new(), body: block, site }));
        let iterations = self.build.settled(Operand::Register(counters[1]));
        self.build.bounds.is_size(iterations);
        let arrays = residuals.into_iter().map(|cells| Value::Array(Array { len: iterations, cells }));
        Ok(Value::Tuple([state.now, Value::Number(iterations)].into_iter().chain(arrays).collect()))
    }

    fn traced_iteration(
        &mut self,
        body: &'p Body,
        state: &State,
        residuals: &[Cells],
        counters: [Register; 2],
        span: Span,
    ) -> Lowered<()> {
        let iteration = self.build.settled(Operand::Register(counters[0]));
        self.build.bounds.is_size(iteration);
        let next = self.build.add(iteration, Operand::Int(1));
        let mut rows = Vec::with_capacity(residuals.len());
        for cells in residuals {
            let mut places = Vec::new();
            cells.leaves(&mut |place| places.push(place.clone()), &mut |_| {});
            cells.leaves(&mut |_| {}, &mut |place| places.push(place.clone()));
            for place in places {
                let stride = place.strides.first().copied().unwrap_or(Operand::Int(1));
                let count = self.build.mul(next, stride);
                self.build.grow(place.buffer, count, span);
            }
            rows.push(self.element_of(cells, iteration));
        }
        self.next_and_residuals(body, state, rows, span)?;
        counters.iter().for_each(|counter| self.build.push(Statement::Set(*counter, next)));
        Ok(())
    }

    fn at_least_zero(&mut self, count: Operand) -> Operand {
        if self.build.bounds.is_natural(count) {
            return count;
        }
        let negative = Expression::Compare(riesz_core::Comparison::Less, count, Operand::Int(0));
        let negative = self.build.bind(Kind::Bool, None, negative);
        let len = self.build.bind(Kind::Int, None, Expression::Select(negative, Operand::Int(0), count));
        self.build.bounds.is_size(len);
        len
    }

    /// The iterations of a loop.
    fn iterations(
        &mut self,
        iteration: &'p Recurrence,
        state: &State,
        span: Span,
        body: &mut dyn FnMut(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        let count = self.number(iteration.count, span)?;
        let index = self.build.register(Kind::Int, self.name(iteration.index));
        self.values[iteration.index.0 as usize] = Some(Value::Number(Operand::Register(index)));
        self.values[iteration.state.0 as usize] = Some(state.now.clone());
        let site = self.build.site(Fault::Steps, span);
        let opened = self.build.open();
        self.build.bounds.is_index(index, count);
        let written = body(self, Operand::Register(index));
        let body: Block = self.build.close(opened);
        let body = self.released(body, iteration.body.result);
        self.forget(&iteration.body);
        self.values[iteration.index.0 as usize] = None;
        written?;
        self.build.push(Statement::For(For::new(index, count, false, body, site)));
        Ok(())
    }

    /// Room for a state, which holds its first value. `keeps` says that the body gives residuals beside the next state.
    fn begin(&mut self, var: Var, start: Atom, body: &'p Body, keeps: bool, span: Span) -> Lowered<State> {
        let value = self.atom(start, span)?;
        let mut swaps = Vec::new();
        let in_place = self.in_place(var, body, keeps);
        let name = self.name(var);
        let (now, next) = match (&value, self.ty(var).components()) {
            (Value::Tuple(parts), Some(types)) => {
                let (mut now, mut next) = (Vec::new(), Vec::new());
                for (at, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    let alone = in_place.contains(&at);
                    let (part_now, part_next) = self.begin_part(part, ty, &name, alone, &mut swaps, span)?;
                    now.push(part_now);
                    next.push(part_next);
                }
                (Value::Tuple(now), Next::Tuple(next))
            }
            _ => self.begin_part(&value, self.ty(var), &name, in_place.contains(&0), &mut swaps, span)?,
        };
        self.values[var.0 as usize] = Some(now.clone());
        Ok(State { now, next, swaps })
    }

    fn begin_part(
        &mut self,
        value: &Value,
        ty: &Type,
        name: &Option<Name>,
        in_place: bool,
        swaps: &mut Vec<(Buffer, Buffer)>,
        span: Span,
    ) -> Lowered<(Value, Next)> {
        match value {
            Value::Number(operand) => {
                let kind = kind_of(ty).unwrap_or_else(|| self.build.kind(*operand));
                let register = self.build.mutable(kind, name.clone());
                self.build.push(Statement::Set(register, *operand));
                let now = Operand::Register(register);
                Ok((Value::Number(now), Next::Number(now)))
            }
            Value::Tuple(parts) => {
                let types = ty.components().unwrap_or_default();
                let (mut now, mut next) = (Vec::new(), Vec::new());
                for (part, ty) in parts.iter().zip(&types) {
                    let (part_now, part_next) = self.begin_part(part, ty, name, false, swaps, span)?;
                    now.push(part_now);
                    next.push(part_next);
                }
                Ok((Value::Tuple(now), Next::Tuple(next)))
            }
            Value::Array(array) => {
                let shape = self.shape_of_array(array);
                if !shape.is_exact() {
                    return Err(super::unknown_size(span));
                }
                let now = self.room_for(&shape, name, span);
                let next = match in_place {
                    true => now.clone(),
                    false => self.room_for(&shape, &name.as_ref().map(|name| format!("next_{name}").into()), span),
                };
                self.write(value, &Target { cells: now.clone(), add: false }, span)?;
                if !in_place {
                    let (mut from, mut to) = (Vec::new(), Vec::new());
                    now.leaves(&mut |place| from.push(place.buffer), &mut |_| {});
                    next.leaves(&mut |place| to.push(place.buffer), &mut |_| {});
                    swaps.extend(from.into_iter().zip(to));
                }
                let now = match now {
                    Cells::Array(Length::Known(len), cells) => Value::Array(Array { len, cells: *cells }),
                    _ => return Err(super::unknown_size(span)),
                };
                Ok((now, Next::Cells(next)))
            }
            Value::Accumulator(_) => Ok((value.clone(), Next::Tuple(Vec::new()))),
        }
    }

    /// An iteration: the body, whose result is the next state.
    fn next(&mut self, body: &'p Body, state: &State, span: Span) -> Lowered<()> {
        let value = self.body_to(body, body.result, &state.next, span)?;
        self.settle(state, value);
        Ok(())
    }

    /// An iteration whose body gives the next state and what to keep.
    fn next_and_residuals(&mut self, body: &'p Body, state: &State, residuals: Vec<Cells>, span: Span) -> Lowered<()> {
        let all = [state.next.clone()].into_iter().chain(residuals.into_iter().map(Next::Cells)).collect();
        let value = self.body_to(body, body.result, &Next::Tuple(all), span)?;
        match value {
            Value::Tuple(mut parts) if !parts.is_empty() => {
                self.settle(state, parts.swap_remove(0));
                Ok(())
            }
            _ => Err(unsupported_layout("the state of this loop", span)),
        }
    }

    /// A body whose arrays go to cells. What is given back has the numbers that go to registers, as they are now.
    fn body_to(&mut self, body: &'p Body, result: Atom, next: &Next, span: Span) -> Lowered<Value> {
        let inside = body.bindings.iter().map(|binding| binding.var).collect();
        let mut plan = rustc_hash::FxHashMap::default();
        let (mut targets, mut loose) = (Vec::new(), Vec::new());
        self.targets(result, next, &mut targets, &mut loose);
        for (atom, target) in &targets {
            self.plan(*atom, target, &inside, &mut plan);
        }
        for binding in &body.bindings {
            self.binding(binding, plan.get(&binding.var))?;
        }
        let value = self.atom(result, span)?;
        for (atom, target) in &targets {
            self.write_rest(*atom, target, &inside, &plan, span)?;
        }
        for (atom, next) in loose {
            let value = self.atom(atom, span)?;
            self.write_next(&value, next, span)?;
        }
        Ok(self.settled_numbers(&value))
    }

    /// Pairs the atoms that a result is made of with the cells they go to. Where the parts of one go to cells and to
    /// registers, but have no names, they are loose.
    fn targets<'n>(
        &self,
        result: Atom,
        next: &'n Next,
        found: &mut Vec<(Atom, Target)>,
        loose: &mut Vec<(Atom, &'n Next)>,
    ) {
        match next {
            Next::Number(_) => {}
            Next::Cells(cells) => found.push((result, Target { cells: cells.clone(), add: false })),
            Next::Tuple(parts) => {
                let tuple = match result {
                    Atom::Var(var) => self.bindings.get(&var).map(|binding| &binding.op),
                    _ => None,
                };
                if let Some(riesz_core::Op::Tuple(atoms)) = tuple {
                    for (atom, part) in atoms.iter().zip(parts) {
                        self.targets(*atom, part, found, loose);
                    }
                } else if let Some(cells) = parts.iter().map(all_cells).collect::<Option<Vec<_>>>() {
                    found.push((result, Target { cells: Cells::Tuple(cells), add: false }));
                } else if has_cells(next) {
                    loose.push((result, next));
                }
            }
        }
    }

    fn write_next(&mut self, value: &Value, next: &Next, span: Span) -> Lowered<()> {
        match (value, next) {
            (_, Next::Number(_)) => Ok(()),
            (value, Next::Cells(cells)) => self.write(value, &Target { cells: cells.clone(), add: false }, span),
            (Value::Tuple(values), Next::Tuple(parts)) => {
                values.iter().zip(parts).try_for_each(|(value, part)| self.write_next(value, part, span))
            }
            _ => Ok(()),
        }
    }

    /// The value with its numbers in registers that do not change when the state is set.
    fn settled_numbers(&mut self, value: &Value) -> Value {
        match value {
            Value::Number(operand) => Value::Number(self.build.settled(*operand)),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.settled_numbers(part)).collect()),
            other => other.clone(),
        }
    }

    /// Makes the next state the present one.
    fn settle(&mut self, state: &State, value: Value) {
        self.set_next(&state.next, &value);
        for (now, next) in &state.swaps {
            self.build.push(Statement::Swap(*now, *next));
        }
    }

    fn set_next(&mut self, next: &Next, value: &Value) {
        match (next, value) {
            (Next::Number(Operand::Register(register)), Value::Number(operand)) => {
                self.build.push(Statement::Set(*register, *operand));
            }
            (Next::Tuple(parts), Value::Tuple(values)) => {
                parts.iter().zip(values).for_each(|(part, value)| self.set_next(part, value));
            }
            _ => {}
        }
    }
}

fn has_cells(next: &Next) -> bool {
    match next {
        Next::Number(_) => false,
        Next::Cells(_) => true,
        Next::Tuple(parts) => parts.iter().any(has_cells),
    }
}

/// The cells that a next state goes to, where it has no registers.
fn all_cells(next: &Next) -> Option<Cells> {
    match next {
        Next::Number(_) => None,
        Next::Cells(cells) => Some(cells.clone()),
        Next::Tuple(parts) => Some(Cells::Tuple(parts.iter().map(all_cells).collect::<Option<_>>()?)),
    }
}
