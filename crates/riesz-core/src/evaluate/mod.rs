//! The reference interpreter, generic over the scalar algebra: `evaluate::<S>` of a program over `f64` is its value;
//! over other algebras it is the interpretation of the papers.
//!
//! The interpreter runs the core directly. A frame holds one value for each variable of a function, and nested bodies
//! share the frame. Every error names the place in the source of its binding.

mod array;
mod coordinate;
mod data;
mod fit;
mod graft;
mod iterate;
mod kept;
mod limits;
mod map;
mod matrix;
mod number;
mod over;
pub mod problem;
mod reindex;
mod room;
mod show;
mod space;
mod structured;
mod trap;
mod value;

pub use data::{from_data, to_data};
pub use limits::{Fault, Limits};
pub use number::{integer_power, is_large};
pub use reindex::indices;
pub use room::{has_room, is_asking};
pub use show::show_real;
pub use trap::Trap;
pub use value::{Buffer, Closure, Held, Map, Table, Term, Value, memory};

use crate::order::Orders;
use crate::term::{
    Atom, Binding, Body, Derive, Function, FunctionId, GlobalId, Iteration, OnMaps, Op, Origin, Program,
};
use crate::types::Type;
use array::{Empty, size_at};
use kept::{Growing, Kept};
use limits::Fuel;
use number::{binary, compare, real_operation, scalar_operation, truncate};
use riesz_primitive::{Number, scalar};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use space::Grid;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

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

    /// A function and its derivatives along a line, where this is a way to find them: the operands are those of
    /// [`Derive::Taylor`]. Else truncated series are.
    fn taylor(
        &self,
        _machine: &mut Machine<S>,
        _operands: &[Value<S>],
        _span: Span,
    ) -> Option<Result<Vec<Value<S>>, Fault>> {
        None
    }
}

/// The values of globals, as far as they are known.
pub type Globals<S> = FxHashMap<GlobalId, Value<S>>;

/// Evaluates the functions of a program, and keeps the values of its globals.
pub struct Machine<'p, S: 'static> {
    program: &'p Program,
    /// The program with the derivatives in it compiled, for machines over other algebras.
    compiled: &'p Program,
    /// What differentiates, where derivatives have not been compiled.
    differentiate: Option<Rc<dyn Differentiate<S> + 'p>>,
    limits: Limits,
    trap: Option<Arc<Trap>>,
    fuel: Fuel,
    depth: usize,
    /// How many coefficients a number has: series inside of series have the product of both.
    coefficients: usize,
    globals: Globals<S>,
    /// Frames to use again.
    frames: Vec<Vec<Value<S>>>,
    /// Arrays of zeros that nobody looks at, by their sizes.
    nothings: FxHashMap<(Vec<usize>, Grid), Value<S>>,
}

impl<'p, S: Number> Machine<'p, S> {
    /// A machine for a program. `given` are the values of globals that are known already: data from outside, or values
    /// of an earlier machine.
    pub fn new(
        program: &'p Program,
        limits: Limits,
        mut given: impl FnMut(GlobalId) -> Option<Value<S>>,
    ) -> Machine<'p, S> {
        let all = (0..program.globals.len() as u32).map(GlobalId);
        let globals = all.filter_map(|global| Some((global, given(global)?))).collect();
        Machine::with_globals(program, limits, globals)
    }

    /// A machine for a program that knows the values of some globals.
    pub fn with_globals(program: &'p Program, limits: Limits, globals: Globals<S>) -> Machine<'p, S> {
        Machine {
            program,
            compiled: program,
            differentiate: None,
            fuel: Fuel::new(&limits),
            limits,
            trap: None,
            depth: 0,
            coefficients: 1,
            globals,
            frames: Vec::new(),
            nothings: FxHashMap::default(),
        }
    }

    /// Leaves derivatives to something else. What that makes of functions it computes in `compiled`, the same program
    /// with the derivatives in it compiled.
    pub fn differentiate_with(mut self, compiled: &'p Program, differentiate: Rc<dyn Differentiate<S> + 'p>) -> Self {
        self.compiled = compiled;
        self.differentiate = Some(differentiate);
        self
    }

    /// The same, where work inside of operations counts as steps too: the steps are a measure of the time.
    pub fn in_few_steps(mut self) -> Machine<'p, S> {
        self.fuel.weigh();
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
    pub fn globals(&self) -> &Globals<S> {
        &self.globals
    }

    /// The globals that a function needs and that have no value yet, each after those it needs itself.
    fn needed(&self, function: FunctionId) -> Vec<GlobalId> {
        let mut needed = self.program.reachable(&[function]).globals;
        needed.retain(|global| !self.globals.contains_key(global));
        needed.sort_unstable();
        needed
    }

    /// Computes globals, in an order in which each comes after those it needs.
    fn compute(&mut self, globals: Vec<GlobalId>) -> Result<(), Fault> {
        for global in globals {
            if let Origin::Computed(function) = self.program.global(global).origin {
                let value = self.enter(function, &mut Vec::new().into_iter())?;
                self.globals.insert(global, value);
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
        if let Some(trap) = self.trap.clone() {
            return self.trapped(&trap, function, frame, bindings);
        }
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
            if let Some(question) = S::take_unanswered() {
                return Err(problem::unanswered(question, binding.span));
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
                Value::Bool(distance.is_finite() && distance <= atom(frame, *tolerance).real().decided())
            }
            Op::Not(a) => Value::Bool(!atom(frame, *a).bool()),
            Op::ToReal(a) => Value::Real(S::constant(atom(frame, *a).int() as f64)),
            Op::Truncate(a) => Value::Int(truncate(atom(frame, *a).real().decided(), span)?),
            Op::IsNan(a) => Value::Bool(atom(frame, *a).real().decided().is_nan()),
            Op::Tuple(parts) => Value::Tuple(parts.iter().map(|part| atom(frame, *part)).collect()),
            Op::Project(a, at) => {
                let part = match a {
                    Atom::Var(var) => frame[var.0 as usize].parts().get(*at).cloned(),
                    _ => None,
                };
                match part {
                    None | Some(Value::Zero) => self.untouched(ty(), frame, span)?,
                    Some(part) => part,
                }
            }
            Op::Array(elements) if elements.is_empty() => self.nothing(ty(), frame, span)?,
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
            Op::Loop(recurrence) => self.iterations(function, frame, recurrence, span, &mut |_, next| Ok(next))?,
            Op::Scan(recurrence) => {
                let mut states = Growing::default();
                self.iterations(function, frame, recurrence, span, &mut |machine, state| {
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
            Op::Trace(recurrence) => {
                let mut kept = Kept::new(ty(), 1);
                let last = self.iterations(function, frame, recurrence, span, &mut |machine, given| {
                    kept.keep(machine, given, span)
                })?;
                kept.finish(last, None)
            }
            Op::TraceWhile { state, start, condition, body } => {
                let mut kept = Kept::new(ty(), 2);
                frame[state.0 as usize] = atom(frame, *start);
                let mut iterations = 0;
                while self.body(function, frame, condition)?.bool() {
                    self.fuel.step(span)?;
                    let given = self.body(function, frame, body)?;
                    frame[state.0 as usize] = kept.keep(self, given, span)?;
                    iterations += 1;
                }
                kept.finish(std::mem::replace(&mut frame[state.0 as usize], Value::Int(0)), Some(iterations))
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
                let orders = Orders::of(*operation, operands, function);
                let value = self.on_maps(*operation, &orders, &values, span)?;
                if matches!(operation, OnMaps::Matrix) { value.stored_as(ty()) } else { value }
            }
            Op::Derive(Derive::Taylor, operands) => {
                let values: Vec<Value<S>> = operands.iter().map(|operand| atom(frame, *operand)).collect();
                let found = match self.differentiate.clone() {
                    Some(differentiate) => differentiate.taylor(self, &values, span),
                    None => None,
                };
                match found {
                    Some(derivatives) => Value::array(element_type(ty()), derivatives?),
                    None => self.taylor(&values, element_type(ty()), span)?,
                }
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
                        "cannot differentiate a function that is known only at run time inside another derivative",
                    )
                    .help("differentiate a `fun`, or a function written where it is differentiated"),
                ));
            }
            Op::Call(called, arguments) => {
                self.call(*called, &mut arguments.iter().map(|argument| atom(frame, *argument)), span)?
            }
            Op::Ruled(ruled, arguments) => {
                let called = if S::ORDER == Some(0) { ruled.value } else { ruled.single };
                self.call(called, &mut arguments.iter().map(|argument| atom(frame, *argument)), span)?
            }
            Op::Hold(a) => atom(frame, *a).held(),
            Op::Graft(value, tangent) => atom(frame, *value).grafted(&atom(frame, *tangent), span)?,
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
            Op::Global(global) => match self.globals.get(global) {
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

fn element_type(ty: &Type) -> &Type {
    match ty {
        Type::Array(_, element) => element,
        ty => ty,
    }
}

/// A machine over plain numbers, and those over other algebras that it lends, are compiled in this crate, once for all
/// crates that use them.
pub static PLAIN: Call<f64> = Machine::call;

/// A call of a function.
type Call<S> =
    fn(&mut Machine<'static, S>, FunctionId, &mut dyn Iterator<Item = Value<S>>, Span) -> Result<Value<S>, Fault>;
