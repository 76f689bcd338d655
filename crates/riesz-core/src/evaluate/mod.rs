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
mod operation;
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
pub use value::{Buffer, Closure, CountedBytes, Map, Table, Term, Value, memory};

use crate::term::{Atom, Binding, Body, Derive, Function, FunctionId, GlobalId, Origin, Program};
use crate::types::Type;
use limits::Fuel;
use number::{binary, real_operation};
use riesz_primitive::Number;
use riesz_syntax::Span;
use rustc_hash::FxHashMap;
use space::Grid;
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
    /// The representation that differentiates at run time, if derivatives have not been compiled.
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
    /// Arrays of zeros that are never read, by their sizes.
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

    /// The limits of the evaluation.
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
        let _held = CountedBytes::new(frame * size_of::<Value<S>>());
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
