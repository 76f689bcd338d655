//! Lowering: functions of the core become procedures.
//!
//! ```text
//! [e | i < n]   at t    is    for i < n: e at t[i]
//! a[i]                  is    a view: an offset and strides, nothing is copied
//! (a, b)                is    a and b
//! ```
//!
//! Each array is written to its final place: the result of a body goes directly to its element of the array that the
//! body builds. For this, the sizes of a value are inferred before it is computed (`infer_shapes`). Indices that are proven
//! to be in range are not checked (`bound`).
//!
//! - `value`: the positions of values
//! - `build`: statements, and facts about integers
//! - `signature`: the parameters and results of a procedure
//! - `place`, `write`: values in their final place, memory for them, and copies of them
//! - `omitted`: residual arrays that a branch omits
//! - `dynamic_size`: arrays of dynamic size
//! - `residual`, `residual_place`: the residuals of a recursive function
//! - `operation`, `scalar`, `vector`, `accumulator`, `size`, `call`: the operations of the core
//! - `iterate`, `reduce`, `extreme`, `fold`, `iteration`: its loops
//! - `in_place`: arrays of a state that an iteration changes in place
//! - `array`, `view`, `product`: its functions of arrays

mod accumulator;
mod array;
mod bound;
mod build;
mod call;
mod dynamic_size;
mod extreme;
mod fold;
mod in_place;
mod infer_shapes;
mod iterate;
mod omitted;
mod operation;
mod place;
mod product;
mod reduce;
mod residual;
mod residual_place;
mod scalar;
mod signature;
mod size;
mod state;
mod value;
mod vector;
mod view;
mod write;

use crate::program::{Operand, Procedure, ProcedureId, Program, Site};
use build::Builder;
use omitted::Omissions;
use operation::{unsupported, unsupported_layout};
use residual::Store;
use riesz_core::size::Atom as SizeAtom;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, GlobalId, Op, Ruled, Var};
use riesz_core::types::Type;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use value::{Shape, Value};

/// Why a function cannot be lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// The construct that loop programs do not have.
    pub reason: String,
    /// Where.
    pub span: Span,
}

/// The sites of a program in the making, which all of its procedures add to.
type Sites = Rc<RefCell<Vec<Site>>>;

type Lowered<T> = Result<T, Unsupported>;

/// The lowered form of a function: a procedure, and the globals that it takes behind its own parameters.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The globals.
    pub globals: Vec<GlobalId>,
}

/// Lowers functions of a program, and what they call, and improves what comes of it. A function that cannot be lowered
/// says why.
pub fn lower(program: &riesz_core::Program, roots: &[FunctionId]) -> (Program, Vec<Lowered<Entry>>) {
    let (mut made, entries) = lower_plainly(program, roots);
    crate::improve(&mut made);
    (made, entries)
}

/// The same without the passes behind it.
pub fn lower_plainly(program: &riesz_core::Program, roots: &[FunctionId]) -> (Program, Vec<Lowered<Entry>>) {
    riesz_limit::pass("lower");
    let mut lowering = Lowering {
        program,
        made: Program::default(),
        sites: Sites::default(),
        entries: FxHashMap::default(),
        omitted: Default::default(),
    };
    let entries = (roots.iter())
        .map(|root| match residual::passes(program.function(*root)) {
            true => {
                Err(unsupported("the residuals of a recursive function are passed here", program.function(*root).span))
            }
            false => lowering.function(*root),
        })
        .collect();
    let mut made = lowering.made;
    made.sites = lowering.sites.take();
    (made, entries)
}

/// A program that is being lowered.
struct Lowering<'p> {
    program: &'p riesz_core::Program,
    made: Program,
    sites: Sites,
    entries: FxHashMap<FunctionId, State>,
    /// The arrays that may be omitted in the results of functions.
    omitted: omitted::Results,
}

enum State {
    /// The procedure is being written: its identity is known, and what it takes.
    UnderWay(Entry),
    Done(Lowered<Entry>),
}

impl<'p> Lowering<'p> {
    fn function(&mut self, id: FunctionId) -> Lowered<Entry> {
        match self.entries.get(&id) {
            Some(State::Done(entry)) => return entry.clone(),
            Some(State::UnderWay(entry)) => return Ok(entry.clone()),
            None => {}
        }
        let function = self.program.function(id);
        let globals = self.globals(id);
        let entry = Entry { procedure: ProcedureId(self.made.procedures.len() as u32), globals };
        self.made.procedures.push(Procedure {
            name: function.name.clone().into(),
            span: function.span,
            parameters: Vec::new(),
            results: Vec::new(),
            registers: Vec::new(),
            buffers: Vec::new(),
            body: Vec::new(),
            nan_flag: None,
        });
        self.entries.insert(id, State::UnderWay(entry.clone()));
        let lowered = stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || self.procedure(function, &entry));
        let done = lowered.map(|procedure| {
            self.made.procedures[entry.procedure.0 as usize] = procedure;
            entry
        });
        self.entries.insert(id, State::Done(done.clone()));
        done
    }

    /// The globals that a function and what it calls need, in order.
    fn globals(&self, id: FunctionId) -> Vec<GlobalId> {
        let mut found: FxHashSet<GlobalId> = FxHashSet::default();
        let mut work = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = self.program.function(id);
            let mut of_type = |ty: &Type| {
                found.extend(ty.sizes().iter().flat_map(|size| size.atoms()).filter_map(|atom| match atom {
                    SizeAtom::Global(global) => Some(global),
                    _ => None,
                }));
            };
            function.vars.iter().for_each(|info| of_type(&info.ty));
            let mut bodies = vec![&function.body];
            while let Some(body) = bodies.pop() {
                for binding in &body.bindings {
                    match &binding.op {
                        Op::Call(called, _) | Op::Ruled(Ruled { value: called, .. }, _) => work.push(*called),
                        Op::Global(global) => {
                            found.insert(*global);
                        }
                        _ => {}
                    }
                    binding.op.visit_bodies(&mut |body| bodies.push(body));
                }
            }
        }
        let mut globals: Vec<GlobalId> = found.into_iter().collect();
        globals.sort_unstable();
        globals
    }

    fn procedure(&mut self, function: &'p Function, entry: &Entry) -> Lowered<Procedure> {
        let sites = self.sites.clone();
        let mut lowerer = Lowerer::new(self, function, sites);
        let mut parameters = Vec::new();
        for at in 0..function.parameters {
            let info = &function.vars[at];
            let value = lowerer.parameter(&info.ty, &info.name, function.span, &mut parameters)?;
            lowerer.values[at] = Some(value);
        }
        for global in &entry.globals {
            let program = lowerer.lowering.program;
            let info = program.global(*global);
            let value = lowerer.parameter(&info.ty, &Some(info.name.clone()), function.span, &mut parameters)?;
            lowerer.globals.insert(*global, value);
        }
        lowerer.open_store(&mut parameters)?;
        let results = lowerer.results(function)?;
        let (registers, buffers, body) = lowerer.build.finish();
        Ok(Procedure {
            name: function.name.clone().into(),
            span: function.span,
            parameters,
            results,
            registers,
            buffers,
            body,
            nan_flag: None,
        })
    }
}

/// A function that is being lowered.
struct Lowerer<'l, 'p> {
    lowering: &'l mut Lowering<'p>,
    function: &'p Function,
    build: Builder,
    /// The values of the variables that are bound.
    values: Vec<Option<Value>>,
    globals: FxHashMap<GlobalId, Value>,
    /// The binding of each variable that has one.
    bindings: Rc<FxHashMap<Var, &'p Binding>>,
    /// How many there are of each index.
    counts: FxHashMap<Var, Atom>,
    /// The initial state of each loop, by the variable of its state.
    starts: FxHashMap<Var, Atom>,
    /// How often each variable is used.
    uses: Vec<u32>,
    /// Arrays that are only built to be added to something, and are built there.
    added: FxHashSet<Var>,
    /// Where what recursions keep is, in functions that have to do with it.
    store: Option<Store>,
    /// Components of conditionals that are residuals, and the variables that they are.
    residuals_of_choices: FxHashMap<Var, FxHashMap<usize, Var>>,
    /// The words of arrays that are in the store already.
    stays: FxHashMap<Var, Vec<Operand>>,
    /// Shapes found while one is inferred.
    inferred: FxHashMap<Var, Shape>,
    /// The arrays that may be omitted in variables.
    omissions: Omissions<'p>,
}

impl<'l, 'p> Lowerer<'l, 'p> {
    fn new(lowering: &'l mut Lowering<'p>, function: &'p Function, sites: Sites) -> Self {
        let bindings = Rc::new(omitted::bindings(function));
        let mut counts = FxHashMap::default();
        let mut starts = FxHashMap::default();
        let mut uses = vec![0u32; function.vars.len()];
        let mut bodies = vec![&function.body];
        while let Some(body) = bodies.pop() {
            let mut used = |atom: &Atom| {
                if let Atom::Var(var) = atom {
                    uses[var.0 as usize] += 1;
                }
            };
            used(&body.result);
            for binding in &body.bindings {
                binding.op.visit_atoms(&mut used);
                counts.extend(binding.op.iterations());
                match &binding.op {
                    Op::Loop(iteration) | Op::Scan(iteration) | Op::Trace(iteration) => {
                        starts.insert(iteration.state, iteration.start);
                    }
                    Op::While { state, start, .. } | Op::TraceWhile { state, start, .. } => {
                        starts.insert(*state, *start);
                    }
                    _ => {}
                }
                binding.op.visit_bodies(&mut |body| bodies.push(body));
            }
        }
        let mut added = FxHashSet::default();
        let mut bodies = vec![&function.body];
        while let Some(body) = bodies.pop() {
            let built: FxHashSet<Var> = (body.bindings.iter())
                .filter(|binding| matches!(binding.op, Op::Build(_)) && uses[binding.var.0 as usize] == 1)
                .map(|binding| binding.var)
                .collect();
            for binding in &body.bindings {
                if let Op::AddTo(_, _, Atom::Var(value)) = &binding.op
                    && built.contains(value)
                {
                    added.insert(*value);
                }
                binding.op.visit_bodies(&mut |body| bodies.push(body));
            }
        }
        Lowerer {
            added,
            store: None,
            residuals_of_choices: residual_place::find(function, &uses),
            stays: FxHashMap::default(),
            inferred: FxHashMap::default(),
            omissions: Omissions::new(lowering.program, bindings.clone(), lowering.omitted.clone()),
            build: Builder::new(sites),
            values: vec![None; function.vars.len()],
            globals: FxHashMap::default(),
            lowering,
            function,
            bindings,
            counts,
            starts,
            uses,
        }
    }

    fn atom(&self, atom: Atom, span: Span) -> Lowered<Value> {
        match atom {
            Atom::Int(value) => Ok(Value::Number(Operand::Int(value))),
            Atom::Real(value) => Ok(Value::Number(Operand::Real(value))),
            Atom::Bool(value) => Ok(Value::Number(Operand::Bool(value))),
            Atom::Var(var) => self.values[var.0 as usize]
                .clone()
                .ok_or_else(|| Unsupported { reason: "a value is used before it is bound".into(), span }),
        }
    }

    fn number(&self, atom: Atom, span: Span) -> Lowered<Operand> {
        match self.atom(atom, span)? {
            Value::Number(operand) => Ok(operand),
            _ => Err(unsupported_layout("this value", span)),
        }
    }

    fn name(&self, var: Var) -> Option<Name> {
        self.function.var(var).name.clone()
    }

    fn ty(&self, var: Var) -> &'p Type {
        &self.function.var(var).ty
    }

    fn holds_arrays(&self, ty: &Type) -> bool {
        ty.any(&mut |part| matches!(part, Type::Array(..)))
    }

    /// The bindings of a body, then what it gives.
    fn body(&mut self, body: &'p Body) -> Lowered<Value> {
        let span = body.bindings.last().map_or(self.function.span, |binding| binding.span);
        for binding in &body.bindings {
            self.binding(binding, None)?;
        }
        self.atom(body.result, span)
    }
}

fn not_data(ty: &Type, span: Span) -> Unsupported {
    let found = |test: fn(&Type) -> bool| ty.any(&mut |part| test(part));
    let reason = if found(|part| matches!(part, Type::Linear(_))) {
        "it uses a linear map as a value"
    } else {
        "it uses a function as a value"
    };
    Unsupported { reason: reason.into(), span }
}

fn unknown_size(span: Span) -> Unsupported {
    Unsupported { reason: "the size of this array is known only at run time".into(), span }
}
