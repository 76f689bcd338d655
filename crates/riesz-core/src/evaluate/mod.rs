//! The reference interpreter, generic over the scalar algebra: `evaluate::<S>` of a program over `f64` is its value; over
//! other algebras it is what the papers make of it.
//!
//! The core is run as it stands. A frame holds one value for each variable of a function; the bodies inside operations
//! share the frame. Every error names the place in the source that the binding came from.

mod array;
mod limits;
mod map;
pub mod problem;
mod show;
mod value;

pub use limits::{Fault, Limits};
pub use show::show_real;
pub use value::{Buffer, Closure, Held, Map, Table, Value, memory};

use crate::data::{Data, Elements};
use crate::size::{self, Size};
use crate::term::{
    Atom, Binding, Body, Comparison, Derive, Function, FunctionId, GlobalId, Iteration, Op, Origin, Program, Reduction,
    Step, Turn,
};
use crate::types::Type;
use array::Empty;
use limits::Fuel;
use riesz_primitive::{Number, Primitive, scalar};
use riesz_syntax::{Diagnostic, Span};
use std::cell::RefCell;
use std::rc::Rc;

/// A way to differentiate while a program runs.
pub trait Differentiate<S: Number> {
    /// Differentiates a function at a point: the operands are those of [`Op::Derive`].
    fn derive(
        &self,
        machine: &mut Machine<S>,
        derive: Derive,
        operands: &[Value<S>],
        span: Span,
    ) -> Result<Value<S>, Fault>;
}

/// Evaluates the functions of a program, and keeps the values of its globals.
pub struct Machine<'p, S: 'static> {
    program: &'p Program,
    /// The program with the derivatives in it compiled, for machines over other algebras.
    compiled: &'p Program,
    /// What differentiates, where derivatives have not been compiled.
    differentiate: Option<Rc<dyn Differentiate<S> + 'p>>,
    limits: Limits,
    fuel: Fuel,
    depth: usize,
    globals: Vec<Option<Value<S>>>,
    /// Frames to use again.
    frames: Vec<Vec<Value<S>>>,
}

impl<'p, S: Number> Machine<'p, S> {
    /// A machine for a program. `given` are the values of globals that are known already: data from outside, or values
    /// of an earlier machine.
    pub fn new(
        program: &'p Program,
        limits: Limits,
        mut given: impl FnMut(GlobalId) -> Option<Value<S>>,
    ) -> Machine<'p, S> {
        let globals = (0..program.globals.len() as u32).map(|at| given(GlobalId(at))).collect();
        Machine {
            program,
            compiled: program,
            differentiate: None,
            fuel: Fuel::new(&limits),
            limits,
            depth: 0,
            globals,
            frames: Vec::new(),
        }
    }

    /// Leaves derivatives to something else. What that makes of functions it computes in `compiled`, the same program
    /// with the derivatives in it compiled.
    pub fn differentiate_with(mut self, compiled: &'p Program, differentiate: Rc<dyn Differentiate<S> + 'p>) -> Self {
        self.compiled = compiled;
        self.differentiate = Some(differentiate);
        self
    }

    /// The program in which functions have no derivatives left.
    pub fn compiled(&self) -> &'p Program {
        self.compiled
    }

    /// What an evaluation may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The value of a function of what it captures and an argument, over another algebra, in which the numbers known here
    /// are constants.
    pub fn call_over<T: Number>(
        &mut self,
        closure: &Closure<S>,
        argument: Value<T>,
        span: Span,
    ) -> Result<Value<T>, Fault> {
        let constant = &mut |x: &S| T::constant(x.value());
        let captured: Vec<Value<T>> = closure.captured().iter().map(|value| value.over(constant)).collect();
        self.over(|machine| {
            let missing = machine.needed(closure.function);
            machine.compute(missing)?;
            machine.call(closure.function, &mut captured.into_iter().chain([argument]), span)
        })
    }

    /// The value of a function without parameters.
    pub fn run(&mut self, function: FunctionId) -> Result<Value<S>, Fault> {
        self.call_with(function, Vec::new())
    }

    /// The value of a function for arguments: the sizes that it takes first, then its own.
    pub fn call_with(&mut self, function: FunctionId, arguments: Vec<Value<S>>) -> Result<Value<S>, Fault> {
        self.depth = 0;
        self.compute(self.needed(function))?;
        let value = self.enter(function, &mut arguments.into_iter())?;
        self.whole(&value, self.program.function(function).span)?;
        Ok(value)
    }

    /// Evaluates one binding of a function in a frame that holds a value for each of its variables.
    pub fn bind(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        binding: &'p Binding,
    ) -> Result<(), Fault> {
        let value = self.operation(function, frame, binding)?;
        frame[binding.var.0 as usize] = value;
        Ok(())
    }

    /// The values of globals computed so far.
    pub fn globals(&self) -> &[Option<Value<S>>] {
        &self.globals
    }

    /// The globals that a function needs and that have no value yet, each after those it needs itself.
    fn needed(&self, function: FunctionId) -> Vec<GlobalId> {
        let mut needed = self.program.reachable(&[function]).globals;
        needed.retain(|global| self.globals[global.0 as usize].is_none());
        needed.sort_unstable();
        needed
    }

    /// Computes globals, in an order in which each comes after those it needs.
    fn compute(&mut self, globals: Vec<GlobalId>) -> Result<(), Fault> {
        for global in globals {
            if let Origin::Computed(function) = self.program.global(global).origin {
                let value = self.enter(function, &mut Vec::new().into_iter())?;
                self.globals[global.0 as usize] = Some(value);
            }
        }
        Ok(())
    }

    // ---- calls ----

    fn call(
        &mut self,
        function: FunctionId,
        arguments: &mut dyn Iterator<Item = Value<S>>,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        self.fuel.step(span)?;
        if self.depth >= self.limits.depth {
            return Err(problem::too_deep(self.limits.depth, span));
        }
        let frame = self.program.function(function).vars.len();
        self.reserve(frame, size_of::<Value<S>>(), span)?;
        let _held = Held::new(frame * size_of::<Value<S>>());
        self.depth += 1;
        let result = stacker::maybe_grow(128 * 1024, 8 * 1024 * 1024, || self.enter(function, arguments));
        self.depth -= 1;
        result.map_err(|fault| problem::in_call(fault, &self.program.function(function).name, span))
    }

    fn enter(&mut self, id: FunctionId, arguments: &mut dyn Iterator<Item = Value<S>>) -> Result<Value<S>, Fault> {
        let function = self.program.function(id);
        let mut frame = self.frames.pop().unwrap_or_default();
        frame.extend(arguments);
        frame.resize(function.vars.len(), Value::Int(0));
        let result = self.body(function, &mut frame, &function.body);
        frame.clear();
        if self.frames.len() < 64 {
            self.frames.push(frame);
        }
        result
    }

    fn body(&mut self, function: &'p Function, frame: &mut Vec<Value<S>>, body: &'p Body) -> Result<Value<S>, Fault> {
        self.bindings(function, frame, &body.bindings)?;
        Ok(atom(frame, body.result))
    }

    fn bindings(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        bindings: &'p [Binding],
    ) -> Result<(), Fault> {
        for binding in bindings {
            let at = binding.var.0 as usize;
            // Most operations are on real numbers, which go from slot to slot without a value made for each.
            match real_operation(frame, &binding.op) {
                Some(number) => match &mut frame[at] {
                    Value::Real(slot) => *slot = number,
                    slot => *slot = Value::Real(number),
                },
                None => {
                    let value = self.operation(function, frame, binding)?;
                    frame[at] = value;
                }
            }
        }
        Ok(())
    }

    fn operation(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        binding: &'p Binding,
    ) -> Result<Value<S>, Fault> {
        let span = binding.span;
        let ty = || &function.var(binding.var).ty;
        Ok(match &binding.op {
            Op::Copy(a) => atom(frame, *a),
            Op::Scalar(primitive, arguments) => scalar_operation(frame, primitive, arguments, span)?,
            Op::Index(array, index) => index_array(frame, *array, *index, span)?,
            Op::Compare(comparison, a, b) => Value::Bool(compare(frame, *comparison, *a, *b)),
            Op::Same(a, b) => {
                self.whole(&atom(frame, *a), span)?;
                Value::Bool(atom(frame, *a).same(&atom(frame, *b)))
            }
            Op::Near(a, b, tolerance) => {
                self.whole(&atom(frame, *a), span)?;
                let distance = atom(frame, *a).distance(&atom(frame, *b));
                Value::Bool(distance.is_finite() && distance <= atom(frame, *tolerance).real().value())
            }
            Op::Not(a) => Value::Bool(!atom(frame, *a).bool()),
            Op::ToReal(a) => Value::Real(S::constant(atom(frame, *a).int() as f64)),
            Op::Truncate(a) => Value::Int(truncate(atom(frame, *a).real().value(), span)?),
            Op::IsNan(a) => Value::Bool(atom(frame, *a).real().value().is_nan()),
            Op::Tuple(parts) => Value::Tuple(parts.iter().map(|part| atom(frame, *part)).collect()),
            Op::Project(a, at) => match a {
                Atom::Var(var) => frame[var.0 as usize].parts().get(*at).cloned().unwrap_or(Value::Zero),
                _ => Value::Zero,
            },
            Op::Array(elements) => {
                self.reserve(elements.len(), size_of::<Value<S>>(), span)?;
                let values = elements.iter().map(|element| atom(frame, *element)).collect();
                Value::array(element_type(ty()), values)
            }
            Op::Build(iteration) => self.build(function, frame, iteration, ty(), span)?,
            Op::Reduce(reduction, iteration) => self.reduce(function, frame, *reduction, iteration, ty(), span)?,
            Op::If { condition, yes, no } => {
                let body = if atom(frame, *condition).bool() { yes } else { no };
                return self.body(function, frame, body);
            }
            Op::Loop(turn) => self.turns(function, frame, turn, span, &mut |_, next| Ok(next))?,
            Op::Scan(turn) => {
                let mut states = Growing::default();
                self.turns(function, frame, turn, span, &mut |machine, state| {
                    states.push(machine, state.clone(), span)?;
                    Ok(state)
                })?;
                Value::array(element_type(ty()), states.elements)
            }
            Op::While { state, start, condition, body } => {
                frame[state.0 as usize] = atom(frame, *start);
                while self.body(function, frame, condition)?.bool() {
                    self.fuel.step(span)?;
                    let next = self.body(function, frame, body)?;
                    frame[state.0 as usize] = next;
                }
                std::mem::replace(&mut frame[state.0 as usize], Value::Int(0))
            }
            Op::Builds(iteration) => self.builds(function, frame, iteration, ty(), span)?,
            Op::Trace(turn) => {
                let mut kept = Kept::new(ty(), 1);
                let last =
                    self.turns(function, frame, turn, span, &mut |machine, given| kept.keep(machine, given, span))?;
                kept.finish(last, None)
            }
            Op::TraceWhile { state, start, condition, body } => {
                let mut kept = Kept::new(ty(), 2);
                frame[state.0 as usize] = atom(frame, *start);
                let mut turns = 0;
                while self.body(function, frame, condition)?.bool() {
                    self.fuel.step(span)?;
                    let given = self.body(function, frame, body)?;
                    frame[state.0 as usize] = kept.keep(self, given, span)?;
                    turns += 1;
                }
                kept.finish(std::mem::replace(&mut frame[state.0 as usize], Value::Int(0)), Some(turns))
            }
            Op::For(Iteration { count, index, body }) => {
                for at in 0..atom(frame, *count).int() {
                    self.fuel.step(span)?;
                    frame[index.0 as usize] = Value::Int(at);
                    self.body(function, frame, body)?;
                }
                Value::unit()
            }
            Op::Plus(a, b) => {
                self.whole(&atom(frame, *a), span)?;
                array::combine(atom(frame, *a), &atom(frame, *b), &scalar::ADD, Empty::IsZero, span)?
            }
            Op::Zero(a) => {
                self.whole(&atom(frame, *a), span)?;
                atom(frame, *a).zero_tangent()
            }
            Op::Accumulator => {
                let Type::Accumulator(inner) = ty() else { return Ok(Value::unit()) };
                let zero = self.zero(inner, frame, span)?;
                Value::Accumulator(Rc::new(RefCell::new(zero)))
            }
            Op::AddTo(accumulator, path, value) => {
                let Value::Accumulator(cell) = atom(frame, *accumulator) else { return Ok(Value::unit()) };
                array::add_to(&mut cell.borrow_mut(), path, frame, &atom(frame, *value), span)?;
                Value::unit()
            }
            Op::Read(accumulator) => {
                let Value::Accumulator(cell) = atom(frame, *accumulator) else { return Ok(Value::unit()) };
                cell.replace(Value::Int(0))
            }
            Op::Map { forward, reverse, captured } => {
                self.reserve(captured.len(), size_of::<Value<S>>(), span)?;
                let captured = captured.iter().map(|value| atom(frame, *value)).collect();
                Value::Map(Map::Functions { forward: *forward, reverse: *reverse, captured }.share())
            }
            Op::OnMaps(operation, operands) => {
                self.reserve(1, size_of::<Map<S>>(), span)?;
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                self.on_maps(*operation, &values, span)?
            }
            Op::Derive(Derive::Taylor, operands) => {
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                self.taylor(&values, element_type(ty()), span)?
            }
            Op::Derive(derive, operands) if let Some(differentiate) = self.differentiate.clone() => {
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                differentiate.derive(self, *derive, &values, span)?
            }
            Op::Derive(..) => {
                return Err(Box::new(
                    Diagnostic::error(
                        "not-differentiable",
                        span,
                        "cannot differentiate a function that is known only when the program runs, inside of another derivative",
                    )
                    .help("differentiate a `fun`, or a function written where it is differentiated"),
                ));
            }
            Op::Call(called, arguments) => {
                self.call(*called, &mut arguments.iter().map(|argument| atom(frame, *argument)), span)?
            }
            Op::Closure(called, captured) => {
                self.reserve(captured.len(), size_of::<Value<S>>(), span)?;
                let captured = captured.iter().map(|value| atom(frame, *value)).collect();
                Value::Closure(Rc::new(Closure::new(*called, captured)))
            }
            Op::Apply(called, argument) => {
                let argument = atom(frame, *argument);
                match atom(frame, *called) {
                    Value::Closure(closure) => {
                        self.call(closure.function, &mut closure.captured().iter().cloned().chain([argument]), span)?
                    }
                    Value::Map(map) => self.apply_map(&map, argument, false, span)?,
                    Value::Zero => Value::Zero,
                    _ => {
                        return Err(Box::new(Diagnostic::error(
                            "not-a-function",
                            span,
                            "this value is not a function",
                        )));
                    }
                }
            }
            Op::Global(global) => match &self.globals[global.0 as usize] {
                Some(value) => value.clone(),
                None => return Err(Box::new(Diagnostic::error("no-value", span, "this value has not been given"))),
            },
            Op::SizeOf(a, path) => {
                if !path.is_empty() {
                    self.whole(&atom(frame, *a), span)?;
                }
                Value::Int(size_at(&atom(frame, *a), path, span)? as i64)
            }
            Op::CheckSizes(a, b) => {
                let (a, b) = (atom(frame, *a).int(), atom(frame, *b).int());
                if a != b {
                    return Err(problem::sizes_differ(a, b, span));
                }
                Value::unit()
            }
            Op::ArrayFunction(primitive, arguments) => {
                let values: Vec<Value<S>> = arguments.iter().map(|argument| atom(frame, *argument)).collect();
                self.array_function(primitive, &values, frame, ty(), span)?
            }
        })
    }

    // ---- loops ----

    fn build(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut element = |machine: &mut Self, at: usize| {
            machine.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            machine.body(function, frame, body)
        };
        Ok(match element_type(ty) {
            Type::Real => {
                let (mut elements, _held) = self.storage::<S>(count, span)?;
                for at in 0..count {
                    elements.push(element(self, at)?.real());
                }
                Value::reals(elements)
            }
            Type::Int => {
                let (mut elements, _held) = self.storage::<i64>(count, span)?;
                for at in 0..count {
                    elements.push(element(self, at)?.int());
                }
                Value::ints(elements)
            }
            _ => {
                let (elements, held) = self.storage::<Value<S>>(count, span)?;
                let mut elements = Growing { elements, held };
                for at in 0..count {
                    let value = element(self, at)?;
                    elements.push(self, value, span)?;
                }
                Value::values(elements.elements)
            }
        })
    }

    fn builds(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut kept = Kept::new(ty, 0);
        for at in 0..count {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            let given = self.body(function, frame, body)?;
            kept.keep_all(self, given.parts(), span)?;
        }
        Ok(Value::Tuple(kept.arrays().into()))
    }

    fn reduce(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        reduction: Reduction,
        Iteration { count, index, body }: &'p Iteration,
        ty: &Type,
        span: Span,
    ) -> Result<Value<S>, Fault> {
        let count = count_of(atom(frame, *count).int(), span)?;
        let mut best = 0;
        let mut total: Option<Value<S>> = None;
        for at in 0..count {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at as i64);
            let element = self.body(function, frame, body)?;
            self.whole(&element, span)?;
            let combine = |total: Value<S>, primitive: &'static Primitive| {
                array::combine(total, &element, primitive, Empty::Differs, span)
            };
            total = Some(match (total, reduction) {
                (None, _) => element,
                (Some(total), Reduction::Sum) => combine(total, &scalar::ADD)?,
                (Some(total), Reduction::Product) => combine(total, &scalar::MUL)?,
                (Some(total), Reduction::Max) => combine(total, &scalar::MAX)?,
                (Some(total), Reduction::Min) => combine(total, &scalar::MIN)?,
                (Some(total), Reduction::ArgMax | Reduction::ArgMin) => {
                    if better(reduction, &element, &total) {
                        best = at;
                        element
                    } else {
                        total
                    }
                }
                (Some(_), Reduction::All | Reduction::Any) => element,
            });
            match (reduction, &total) {
                (Reduction::All, Some(Value::Bool(false))) | (Reduction::Any, Some(Value::Bool(true))) => break,
                _ => {}
            }
        }
        match (reduction, total) {
            (Reduction::ArgMax | Reduction::ArgMin, Some(_)) => Ok(Value::Int(best as i64)),
            (_, Some(total)) => Ok(total),
            (Reduction::Sum, None) => self.filled(ty, 0.0, frame, span),
            (Reduction::Product, None) => self.filled(ty, 1.0, frame, span),
            (Reduction::All, None) => Ok(Value::Bool(true)),
            (Reduction::Any, None) => Ok(Value::Bool(false)),
            (Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin, None) => {
                Err(problem::empty(reduction, span))
            }
        }
    }

    fn turns(
        &mut self,
        function: &'p Function,
        frame: &mut Vec<Value<S>>,
        Turn { state, start, count, index, body }: &'p Turn,
        span: Span,
        after: &mut After<'_, 'p, S>,
    ) -> Result<Value<S>, Fault> {
        frame[state.0 as usize] = atom(frame, *start);
        for at in 0..atom(frame, *count).int() {
            self.fuel.step(span)?;
            frame[index.0 as usize] = Value::Int(at);
            let given = self.body(function, frame, body)?;
            frame[state.0 as usize] = after(self, given)?;
        }
        Ok(std::mem::replace(&mut frame[state.0 as usize], Value::Int(0)))
    }

    // ---- memory ----

    /// Makes sure that `count` more elements of a size are allowed.
    fn reserve(&mut self, count: usize, bytes: usize, span: Span) -> Result<(), Fault> {
        let needed = count.checked_mul(bytes).and_then(|needed| needed.checked_add(memory()));
        if needed.is_some_and(|needed| needed <= self.limits.memory) {
            return Ok(());
        }
        Err(problem::too_much_memory(self.limits.memory, count, span))
    }

    /// Room for elements, counted from now on.
    fn storage<T>(&mut self, count: usize, span: Span) -> Result<(Vec<T>, Held), Fault> {
        self.reserve(count, size_of::<T>(), span)?;
        Ok((Vec::with_capacity(count), Held::new(count * size_of::<T>())))
    }

    /// Makes sure that a value can be looked at as a whole.
    fn whole(&mut self, value: &Value<S>, span: Span) -> Result<(), Fault> {
        match value {
            Value::Tuple(_) | Value::Values(_) => self.reserve(value.numbers(), size_of::<f64>(), span),
            _ => Ok(()),
        }
    }

    /// The zero of a type, as far as its shape is known.
    fn zero(&mut self, ty: &Type, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        Ok(match ty {
            Type::Array(Size::Hole, _) => Value::Zero,
            Type::Array(size, element) if **element != Type::Real => {
                let count = self.size(size, frame);
                self.reserve(count, size_of::<Value<S>>(), span)?;
                let element_value = self.zero(element, frame, span)?;
                Value::array(element, vec![element_value; count])
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = ty.components().unwrap_or_default();
                Value::Tuple(parts.iter().map(|part| self.zero(part, frame, span)).collect::<Result<_, Fault>>()?)
            }
            _ => self.filled(ty, 0.0, frame, span)?,
        })
    }

    /// The value of a type whose every number is the same.
    fn filled(&mut self, ty: &Type, number: f64, frame: &[Value<S>], span: Span) -> Result<Value<S>, Fault> {
        Ok(match ty {
            Type::Real => Value::Real(S::constant(number)),
            Type::Int => Value::Int(number as i64),
            Type::Array(size, element) => {
                let count = self.size(size, frame);
                self.reserve(count, size_of::<Value<S>>(), span)?;
                let element_value = self.filled(element, number, frame, span)?;
                Value::array(element, vec![element_value; count])
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut parts = Vec::new();
                for part in ty.components().unwrap_or_default() {
                    parts.push(self.filled(&part, number, frame, span)?);
                }
                Value::Tuple(parts.into())
            }
            Type::Kept | Type::Linear(_) => Value::Zero,
            _ => Value::Int(0),
        })
    }

    /// The value of a size; zero where only an array without elements could tell.
    fn size(&self, size: &Size, frame: &[Value<S>]) -> usize {
        let value = size.evaluate(&mut |atom| match atom {
            size::Atom::Var(var) => Some(frame[var.0 as usize].int()),
            size::Atom::Global(global) => self.globals[global.0 as usize].as_ref().map(Value::int),
            size::Atom::Parameter(_) | size::Atom::Unknown(_) => None,
        });
        value.and_then(|value| usize::try_from(value).ok()).unwrap_or(0)
    }
}

/// What to do with what a turn gives; the next state.
type After<'a, 'p, S> = dyn FnMut(&mut Machine<'p, S>, Value<S>) -> Result<Value<S>, Fault> + 'a;

/// Arrays that grow by an element each turn.
struct Kept<'t, S: 'static> {
    types: Vec<&'t Type>,
    arrays: Vec<Growing<S>>,
}

/// The elements of an array in the making, counted.
struct Growing<S: 'static> {
    elements: Vec<Value<S>>,
    held: Held,
}

impl<S: 'static> Default for Growing<S> {
    fn default() -> Growing<S> {
        Growing { elements: Vec::new(), held: Held::default() }
    }
}

impl<S: Number> Growing<S> {
    fn push(&mut self, machine: &mut Machine<S>, value: Value<S>, span: Span) -> Result<(), Fault> {
        if self.elements.len() == self.elements.capacity() {
            let more = self.elements.len().max(4);
            machine.reserve(more, size_of::<Value<S>>(), span)?;
            self.held.grow(more * size_of::<Value<S>>());
        }
        let shared = match (&value, self.elements.last()) {
            (Value::Tuple(parts), Some(Value::Tuple(before))) => Rc::ptr_eq(parts, before),
            (value, _) => !matches!(value, Value::Tuple(_)),
        };
        if !shared {
            let bytes = value.loose_bytes();
            machine.reserve(bytes, 1, span)?;
            self.held.grow(bytes);
        }
        self.elements.push(value);
        Ok(())
    }
}

impl<'t, S: Number> Kept<'t, S> {
    /// Arrays for the components of a type from `first` on.
    fn new(ty: &'t Type, first: usize) -> Kept<'t, S> {
        let types: Vec<&Type> = match ty {
            Type::Tuple(parts) => parts.iter().skip(first).map(element_type).collect(),
            _ => Vec::new(),
        };
        Kept { arrays: types.iter().map(|_| Growing::default()).collect(), types }
    }

    /// Keeps what a turn gives besides the next state, which is returned.
    fn keep(&mut self, machine: &mut Machine<S>, given: Value<S>, span: Span) -> Result<Value<S>, Fault> {
        let [next, kept @ ..] = given.parts() else { return Ok(Value::unit()) };
        self.keep_all(machine, kept, span)?;
        Ok(next.clone())
    }

    fn keep_all(&mut self, machine: &mut Machine<S>, kept: &[Value<S>], span: Span) -> Result<(), Fault> {
        for (array, value) in self.arrays.iter_mut().zip(kept) {
            array.push(machine, value.clone(), span)?;
        }
        Ok(())
    }

    fn arrays(self) -> Vec<Value<S>> {
        self.types.into_iter().zip(self.arrays).map(|(ty, array)| Value::array(ty, array.elements)).collect()
    }

    fn finish(self, last: Value<S>, turns: Option<i64>) -> Value<S> {
        let mut parts = vec![last];
        parts.extend(turns.map(Value::Int));
        parts.extend(self.arrays());
        Value::Tuple(parts.into())
    }
}

/// The value of an operand.
#[inline]
fn atom<S: Number>(frame: &[Value<S>], atom: Atom) -> Value<S> {
    match atom {
        Atom::Var(var) => frame[var.0 as usize].clone(),
        Atom::Real(value) => Value::Real(S::constant(value)),
        Atom::Int(value) => Value::Int(value),
        Atom::Bool(value) => Value::Bool(value),
    }
}

/// The value of an operand that is a real number.
#[inline]
fn real<S: Number>(frame: &[Value<S>], atom: Atom) -> Option<S> {
    match atom {
        Atom::Var(var) => match &frame[var.0 as usize] {
            Value::Real(value) => Some(value.clone()),
            _ => None,
        },
        Atom::Real(value) => Some(S::constant(value)),
        _ => None,
    }
}

/// The result of an operation that makes a real number of real numbers; none of any other, or one that fails.
#[inline]
fn real_operation<S: Number>(frame: &[Value<S>], op: &Op) -> Option<S> {
    match op {
        Op::Scalar(primitive, arguments) => match arguments[..] {
            [a, b] => Some(real_binary(primitive, &real(frame, a)?, &real(frame, b)?)),
            [a] => Some(S::apply(primitive, &[real(frame, a)?])),
            _ => None,
        },
        Op::Index(Atom::Var(array), index) => match (&frame[array.0 as usize], index) {
            (Value::Reals(elements), Atom::Var(index)) => elements.get(frame[index.0 as usize].int() as usize).cloned(),
            (Value::Reals(elements), Atom::Int(index)) => elements.get(*index as usize).cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// A primitive of two real numbers.
#[inline]
fn real_binary<S: Number>(primitive: &'static Primitive, a: &S, b: &S) -> S {
    if std::ptr::eq(primitive, &scalar::MUL) {
        a.mul(b)
    } else if std::ptr::eq(primitive, &scalar::ADD) {
        a.add(b)
    } else if std::ptr::eq(primitive, &scalar::SUB) {
        a.sub(b)
    } else {
        S::apply(primitive, &[a.clone(), b.clone()])
    }
}

#[inline]
fn scalar_operation<S: Number>(
    frame: &[Value<S>],
    primitive: &'static Primitive,
    arguments: &[Atom],
    span: Span,
) -> Result<Value<S>, Fault> {
    match *arguments {
        [a, b] => binary(primitive, &atom(frame, a), &atom(frame, b), span),
        [a] => match atom(frame, a) {
            Value::Int(a) => integer(primitive, &[a], span),
            a => Ok(Value::Real(S::apply(primitive, &[a.real()]))),
        },
        _ => {
            Ok(Value::Real(S::apply(primitive, &arguments.iter().map(|a| atom(frame, *a).real()).collect::<Vec<_>>())))
        }
    }
}

/// A primitive of two numbers.
#[inline]
fn binary<S: Number>(primitive: &'static Primitive, a: &Value<S>, b: &Value<S>, span: Span) -> Result<Value<S>, Fault> {
    match (a, b) {
        (Value::Real(a), Value::Real(b)) => Ok(Value::Real(real_binary(primitive, a, b))),
        (Value::Int(a), Value::Int(b)) => integer(primitive, &[*a, *b], span),
        // An integer power of a real number.
        _ => Ok(Value::Real(S::apply(primitive, &[a.real(), b.real()]))),
    }
}

/// A primitive of integers.
fn integer<S: Number>(primitive: &'static Primitive, arguments: &[i64], span: Span) -> Result<Value<S>, Fault> {
    let function = primitive.scalar().and_then(|row| row.integer);
    match function.and_then(|function| function(arguments)) {
        Some(value) => Ok(Value::Int(value)),
        None => Err(problem::integer(primitive, arguments, span)),
    }
}

#[inline]
fn compare<S: Number>(frame: &[Value<S>], comparison: Comparison, a: Atom, b: Atom) -> bool {
    match (atom(frame, a), atom(frame, b)) {
        (Value::Int(a), Value::Int(b)) => holds(comparison, &a, &b),
        (a, b) => {
            let (a, b) = a.real().compared(&b.real());
            holds(comparison, &a, &b)
        }
    }
}

fn holds<T: PartialOrd>(comparison: Comparison, a: &T, b: &T) -> bool {
    match comparison {
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
    }
}

/// Whether an element is to be preferred to the best so far; the first NaN is.
fn better<S: Number>(reduction: Reduction, element: &Value<S>, best: &Value<S>) -> bool {
    match (element, best) {
        (Value::Int(a), Value::Int(b)) => {
            if reduction == Reduction::ArgMax {
                a > b
            } else {
                a < b
            }
        }
        _ => {
            let (a, b) = element.real().compared(&best.real());
            !b.is_nan() && (a.is_nan() || if reduction == Reduction::ArgMax { a > b } else { a < b })
        }
    }
}

#[inline]
fn index_array<S: Number>(frame: &[Value<S>], array: Atom, index: Atom, span: Span) -> Result<Value<S>, Fault> {
    let at = match index {
        Atom::Var(var) => frame[var.0 as usize].int(),
        Atom::Int(value) => value,
        _ => 0,
    };
    let Atom::Var(array) = array else { return Ok(Value::Int(0)) };
    let array = &frame[array.0 as usize];
    match usize::try_from(at).ok().and_then(|at| array.get(at)) {
        Some(value) => Ok(value),
        None if matches!(array, Value::Zero) => Ok(Value::Zero),
        None => Err(problem::out_of_range(at, array.len(), span)),
    }
}

fn truncate(value: f64, span: Span) -> Result<i64, Fault> {
    let truncated = value.trunc();
    // 2^63 is the first that does not fit.
    if (-9223372036854775808.0..9223372036854775808.0).contains(&truncated) {
        return Ok(truncated as i64);
    }
    Err(problem::no_integer_part(value, span))
}

fn count_of(count: i64, span: Span) -> Result<usize, Fault> {
    usize::try_from(count).map_err(|_| problem::negative_size(count, span))
}

/// The size at the end of a path; arrays on the way must agree on it.
fn size_at<S: Number>(value: &Value<S>, path: &[Step], span: Span) -> Result<usize, Fault> {
    match path {
        [] => Ok(value.len()),
        [Step::Component(at), rest @ ..] => match value.parts().get(*at) {
            Some(part) => size_at(part, rest, span),
            None => Ok(0),
        },
        [Step::Elements, rest @ ..] => {
            let mut size = None;
            for element in value.elements() {
                let here = size_at(&element, rest, span)?;
                if let Some(size) = size
                    && size != here
                {
                    return Err(problem::ragged(size, here, span));
                }
                size = Some(here);
            }
            Ok(size.unwrap_or(0))
        }
    }
}

fn element_type(ty: &Type) -> &Type {
    match ty {
        Type::Array(_, element) => element,
        ty => ty,
    }
}

/// Data from outside as a value of a type that it fits.
pub fn from_data<S: Number>(data: &Data, ty: &Type) -> Value<S> {
    match (data, ty) {
        (Data::Bool(value), _) => Value::Bool(*value),
        (Data::Int(value), Type::Real) => Value::Real(S::constant(*value as f64)),
        (Data::Int(value), _) => Value::Int(*value),
        (Data::Real(value), _) => Value::Real(S::constant(*value)),
        (Data::List(items), Type::Tuple(parts)) => {
            Value::Tuple(items.iter().zip(parts.iter()).map(|(item, ty)| from_data(item, ty)).collect())
        }
        (Data::List(items), ty) => {
            let element = element_type(ty);
            Value::array(element, items.iter().map(|item| from_data(item, element)).collect())
        }
        (Data::Record(fields), Type::Record(record)) => {
            let value = |name: &str, ty: &Type| {
                fields.iter().find(|(field, _)| &**field == name).map(|(_, data)| from_data(data, ty))
            };
            Value::Tuple(record.fields.iter().filter_map(|(name, ty)| value(name, ty)).collect())
        }
        (Data::Record(_), _) => Value::unit(),
        (Data::Tensor { shape, elements }, ty) => from_tensor(shape, elements, 0, ty),
    }
}

fn from_tensor<S: Number>(shape: &[usize], elements: &Elements, offset: usize, ty: &Type) -> Value<S> {
    let Some((&size, inner)) = shape.split_first() else {
        return match (elements, ty) {
            (Elements::Real(values), _) => Value::Real(S::constant(values[offset])),
            (Elements::Int(values), Type::Real) => Value::Real(S::constant(values[offset] as f64)),
            (Elements::Int(values), _) => Value::Int(values[offset]),
            (Elements::Bool(values), _) => Value::Bool(values[offset]),
        };
    };
    let stride: usize = inner.iter().product();
    let element = element_type(ty);
    Value::array(element, (0..size).map(|at| from_tensor(inner, elements, offset + at * stride, element)).collect())
}
