//! Lowering: functions of the core become procedures.
//!
//! ```text
//! [e | i < n]   at t    is    for i < n: e at t[i]
//! a[i]                  is    a view: an offset and strides, nothing is copied
//! (a, b)                is    a and b
//! ```
//!
//! Each array is written where it is to stay: what a body gives goes straight to its element of the array that the body
//! builds. For that, the sizes in a value are foreseen before it is computed (`foresee`). Indices that are proven to be
//! in range are not checked (`bound`).
//!
//! - `value`: where values are
//! - `build`: statements, and what is known of integers
//! - `write`: room for values, and copies of them
//! - `left_out`: arrays that a branch leaves empty
//! - `kept`: what a recursive function keeps for its derivative
//! - `operation`, `iterate`, `turn`, `array`, `call`: the operations of the core

mod array;
mod bound;
mod build;
mod call;
mod foresee;
mod iterate;
mod kept;
mod left_out;
mod operation;
mod turn;
mod value;
mod write;

use crate::layout::{Passing, kind_of, slots};
use crate::program::{Kind, Operand, Outcome, Parameter, Procedure, ProcedureId, Program, Site};
use build::Builder;
use kept::Store;
use left_out::LeftOut;
use operation::unsupported;
use riesz_core::size::{Atom as SizeAtom, Size};
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, GlobalId, Op, Var};
use riesz_core::types::Type;
use riesz_syntax::Span;
use riesz_syntax::tree::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use value::{Accumulator, Array, Cells, Length, Place, Shape, Target, Value};

/// Why a function cannot be lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsupported {
    /// What it has that a loop program has not.
    pub reason: String,
    /// Where.
    pub span: Span,
}

/// The sites of a program in the making, which all of its procedures add to.
type Sites = Rc<RefCell<Vec<Site>>>;

type Lowered<T> = Result<T, Unsupported>;

/// What a lowered function is: a procedure, and the globals that it takes behind its own parameters.
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
    let mut lowering =
        Lowering { program, made: Program::default(), sites: Sites::default(), entries: FxHashMap::default() };
    let entries = (roots.iter())
        .map(|root| match kept::passes(program.function(*root)) {
            true => Err(unsupported("what a recursion keeps is passed here", program.function(*root).span)),
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
            name: function.name.clone(),
            span: function.span,
            parameters: Vec::new(),
            results: Vec::new(),
            registers: Vec::new(),
            buffers: Vec::new(),
            body: Vec::new(),
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
                ty.map_sizes(&mut |size| {
                    found.extend(size.atoms().into_iter().filter_map(|atom| match atom {
                        SizeAtom::Global(global) => Some(global),
                        _ => None,
                    }));
                    size.clone()
                });
            };
            function.vars.iter().for_each(|info| of_type(&info.ty));
            let mut bodies = vec![&function.body];
            while let Some(body) = bodies.pop() {
                for binding in &body.bindings {
                    match &binding.op {
                        Op::Call(called, _) => work.push(*called),
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
            name: function.name.clone(),
            span: function.span,
            parameters,
            results,
            registers,
            buffers,
            body,
        })
    }
}

/// A function that is being lowered.
struct Lowerer<'l, 'p> {
    lowering: &'l mut Lowering<'p>,
    function: &'p Function,
    build: Builder,
    /// What the variables are, as far as they are bound.
    values: Vec<Option<Value>>,
    globals: FxHashMap<GlobalId, Value>,
    /// The binding of each variable that has one.
    bindings: FxHashMap<Var, &'p Binding>,
    /// How many there are of each index.
    counts: FxHashMap<Var, Atom>,
    /// What each loop begins with, by the variable of its state.
    starts: FxHashMap<Var, Atom>,
    /// How often each variable is used.
    uses: Vec<u32>,
    /// Arrays that are only built to be added to something, and are built there.
    added: FxHashSet<Var>,
    /// Where what recursions keep is, in functions that have to do with it.
    store: Option<Store>,
    /// Shapes found while one is foreseen.
    foreseen: FxHashMap<Var, Shape>,
    /// What may be left out of variables, and of components of theirs.
    left_out: RefCell<FxHashMap<(Var, Option<usize>), LeftOut>>,
}

impl<'l, 'p> Lowerer<'l, 'p> {
    fn new(lowering: &'l mut Lowering<'p>, function: &'p Function, sites: Sites) -> Self {
        let mut bindings = FxHashMap::default();
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
                bindings.insert(binding.var, binding);
                match &binding.op {
                    Op::Build(iteration) | Op::Builds(iteration) | Op::For(iteration) | Op::Reduce(_, iteration) => {
                        counts.insert(iteration.index, iteration.count);
                    }
                    Op::Loop(turn) | Op::Scan(turn) | Op::Trace(turn) => {
                        counts.insert(turn.index, turn.count);
                        starts.insert(turn.state, turn.start);
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
            foreseen: FxHashMap::default(),
            left_out: RefCell::default(),
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

    /// The registers and buffers that a parameter of a type is passed in.
    fn parameter(
        &mut self,
        ty: &Type,
        name: &Option<Name>,
        span: Span,
        parameters: &mut Vec<Parameter>,
    ) -> Lowered<Value> {
        if slots(ty, Passing::Argument).is_none() {
            return Err(not_data(ty, span));
        }
        match ty {
            Type::Real | Type::Int | Type::Bool | Type::Kept => {
                let register = self.build.register(kind_of(ty).unwrap_or(Kind::Int), name.clone());
                parameters.push(Parameter::Number(register));
                Ok(Value::Number(Operand::Register(register)))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts = named_parts(ty, name);
                let parts: Lowered<_> =
                    parts.iter().map(|(ty, name)| self.parameter(ty, name, span, parameters)).collect();
                Ok(Value::Tuple(parts?))
            }
            Type::Accumulator(inner) => {
                let cells = self.cells_of_parameter(inner, name, &mut Vec::new(), true, parameters)?;
                Ok(Value::Accumulator(Accumulator::Cells(cells)))
            }
            _ => match self.cells_of_parameter(ty, name, &mut Vec::new(), false, parameters)? {
                Cells::Array(Length::Known(len), cells) => Ok(Value::Array(Array { len, cells: *cells })),
                _ => Err(not_data(ty, span)),
            },
        }
    }

    /// The cells of a parameter inside of arrays of some lengths, row by row.
    fn cells_of_parameter(
        &mut self,
        ty: &Type,
        name: &Option<Name>,
        lens: &mut Vec<Operand>,
        added: bool,
        parameters: &mut Vec<Parameter>,
    ) -> Lowered<Cells> {
        Ok(match ty {
            Type::Array(size, element) => {
                let len = if Passing::Argument.with_length(size) {
                    let register = self.build.register(Kind::Int, Some(format!("{}_len", shown(name)).into()));
                    parameters.push(Parameter::Number(register));
                    Operand::Register(register)
                } else {
                    self.size(size, self.function.span)?
                };
                self.build.bounds.is_size(len);
                lens.push(len);
                let inner = self.cells_of_parameter(element, name, lens, added, parameters)?;
                lens.pop();
                Cells::Array(Length::Known(len), Box::new(inner))
            }
            Type::Tuple(_) | Type::Record(_) => {
                let mut cells = Vec::new();
                for (ty, name) in named_parts(ty, name) {
                    cells.push(self.cells_of_parameter(&ty, &name, lens, added, parameters)?);
                }
                Cells::Tuple(cells)
            }
            _ => {
                let kind = kind_of(ty).ok_or_else(|| not_data(ty, self.function.span))?;
                let buffer = self.build.buffer(kind, name.clone());
                parameters.push(if added { Parameter::Added(buffer) } else { Parameter::Read(buffer) });
                let strides = self.strides(lens);
                Cells::Number(kind, Place { buffer, offset: Operand::Int(0), strides })
            }
        })
    }

    /// How far apart elements are, row by row, in arrays of some lengths.
    fn strides(&mut self, lens: &[Operand]) -> Vec<Operand> {
        let mut strides = vec![Operand::Int(1); lens.len()];
        for at in (1..lens.len()).rev() {
            strides[at - 1] = self.build.mul(strides[at], lens[at]);
        }
        strides
    }

    /// The body, and what it gives as results of the procedure.
    fn results(&mut self, function: &'p Function) -> Lowered<Vec<Outcome>> {
        if slots(&function.result, Passing::Result).is_none() {
            return Err(not_data(&function.result, function.span));
        }
        let mut outcomes = Vec::new();
        let foreseen = match self.holds_arrays(&function.result) {
            true => self.foresee(function.body.result).ok().filter(|shape| shape.is_exact()),
            false => None,
        };
        match foreseen {
            Some(shape) => {
                let cells = self.room_for(&shape, &Some("result".into()), function.span);
                self.body_into(&function.body, &Target { cells: cells.clone(), add: false })?;
                self.outcomes_of_cells(&cells, &mut outcomes);
            }
            None => {
                let value = self.body(&function.body)?;
                self.outcomes(value, &mut outcomes, function.span)?;
            }
        }
        Ok(outcomes)
    }

    fn outcomes_of_cells(&mut self, cells: &Cells, outcomes: &mut Vec<Outcome>) {
        match cells {
            Cells::Number(_, place) if place.strides.is_empty() => {
                let number = self.build.load(place.buffer, place.offset, None);
                outcomes.push(Outcome::Number(number));
            }
            Cells::Number(_, place) => outcomes.push(Outcome::Buffer(place.buffer)),
            Cells::Tuple(parts) => parts.iter().for_each(|part| self.outcomes_of_cells(part, outcomes)),
            Cells::Array(length, inner) => {
                outcomes.push(Outcome::Number(length.most()));
                self.outcomes_of_cells(inner, outcomes);
            }
            Cells::Absent => {}
        }
    }

    fn outcomes(&mut self, value: Value, outcomes: &mut Vec<Outcome>, span: Span) -> Lowered<()> {
        match value {
            Value::Number(operand) => outcomes.push(Outcome::Number(operand)),
            Value::Tuple(parts) => {
                for part in parts {
                    self.outcomes(part, outcomes, span)?;
                }
            }
            Value::Array(array) => {
                let shape = self.shape_of_array(&array);
                let cells = self.room_for(&shape, &Some("result".into()), span);
                self.write(&Value::Array(array), &Target { cells: cells.clone(), add: false }, span)?;
                self.outcomes_of_cells(&cells, outcomes);
            }
            Value::Accumulator(_) => {
                return Err(Unsupported { reason: "an accumulator is returned".into(), span });
            }
        }
        Ok(())
    }

    /// A size as an operand, where everything it is made of is known.
    fn size(&mut self, size: &Size, span: Span) -> Lowered<Operand> {
        self.size_where(size, span, &mut |lowerer, var| lowerer.values[var.0 as usize].as_ref().and_then(Value::number))
    }

    fn size_where(
        &mut self,
        size: &Size,
        span: Span,
        value: &mut dyn FnMut(&mut Self, Var) -> Option<Operand>,
    ) -> Lowered<Operand> {
        if *size == Size::Hole {
            return Err(unknown_size(span));
        }
        let mut total = Operand::Int(0);
        for monomial in size.monomials() {
            let mut product = Operand::Int(1);
            for factor in monomial.factors() {
                let factor = match factor {
                    SizeAtom::Var(var) => value(self, *var),
                    SizeAtom::Global(global) => self.globals.get(global).and_then(Value::number),
                    SizeAtom::Parameter(_) | SizeAtom::Unknown(_) => None,
                };
                let factor = factor.ok_or_else(|| unknown_size(span))?;
                product = self.build.mul(product, factor);
            }
            let coefficient = monomial.coefficient();
            if coefficient < 0 && coefficient > i64::MIN {
                product = self.build.mul(product, Operand::Int(-coefficient));
                total = self.build.sub(total, product);
            } else {
                product = self.build.mul(product, Operand::Int(coefficient));
                total = self.build.add(total, product);
            }
        }
        Ok(total)
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
            _ => Err(Unsupported { reason: "a number is expected here".into(), span }),
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

    /// A body whose result goes to a target.
    fn body_into(&mut self, body: &'p Body, target: &Target) -> Lowered<()> {
        let span = body.bindings.last().map_or(self.function.span, |binding| binding.span);
        let inside: FxHashSet<Var> = body.bindings.iter().map(|binding| binding.var).collect();
        let mut plan = FxHashMap::default();
        self.plan(body.result, target, &inside, &mut plan);
        for binding in &body.bindings {
            self.binding(binding, plan.get(&binding.var))?;
        }
        self.write_rest(body.result, target, &inside, &plan, span)
    }

    /// Which variables can be computed where they are to stay.
    fn plan(&self, result: Atom, target: &Target, inside: &FxHashSet<Var>, plan: &mut FxHashMap<Var, Target>) {
        let Atom::Var(var) = result else { return };
        if !inside.contains(&var) || plan.contains_key(&var) {
            return;
        }
        let Some(binding) = self.bindings.get(&var) else { return };
        match &binding.op {
            Op::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    if let Some(target) = target.component(at) {
                        self.plan(*part, &target, inside, plan);
                    }
                }
            }
            Op::Build(_) | Op::Builds(_) | Op::If { .. } | Op::Array(_)
                if (!target.add || self.uses[var.0 as usize] == 1) && self.holds_arrays(self.ty(var)) =>
            {
                plan.insert(var, target.clone());
            }
            // A component of several arrays that are built at once.
            Op::Project(Atom::Var(tuple), at) if !target.add && inside.contains(tuple) && self.builds_many(*tuple) => {
                let parts = self.ty(*tuple).components().map_or(0, |parts| parts.len());
                let whole = plan
                    .entry(*tuple)
                    .or_insert_with(|| Target { cells: Cells::Tuple(vec![Cells::Absent; parts]), add: false });
                if let Cells::Tuple(cells) = &mut whole.cells
                    && matches!(cells.get(*at), Some(Cells::Absent))
                {
                    cells[*at] = target.cells.clone();
                    plan.insert(var, target.clone());
                }
            }
            // An accumulator adds up where the sum is to stay.
            Op::Read(Atom::Var(accumulator))
                if !target.add && target.cells.is_exact() && inside.contains(accumulator) =>
            {
                let made = self.bindings.get(accumulator).map(|binding| &binding.op);
                if matches!(made, Some(Op::Accumulator))
                    && matches!(self.ty(var), Type::Array(..))
                    && !plan.contains_key(accumulator)
                {
                    plan.insert(*accumulator, target.clone());
                    plan.insert(var, target.clone());
                }
            }
            Op::Scan(_) | Op::Trace(_) if !target.add && self.holds_arrays(self.ty(var)) => {
                plan.insert(var, target.clone());
            }
            // What is written as a whole has no lengths of its own for rows, and the sum of nothing has none at all.
            Op::ArrayFunction(..) | Op::Reduce(..)
                if !target.add && target.cells.is_exact() && self.holds_arrays(self.ty(var)) =>
            {
                plan.insert(var, target.clone());
            }
            _ => {}
        }
    }

    fn builds_many(&self, var: Var) -> bool {
        matches!(self.bindings.get(&var).map(|binding| &binding.op), Some(Op::Builds(_)))
    }

    /// Writes the parts of a result that were not computed where they stay.
    fn write_rest(
        &mut self,
        result: Atom,
        target: &Target,
        inside: &FxHashSet<Var>,
        plan: &FxHashMap<Var, Target>,
        span: Span,
    ) -> Lowered<()> {
        if let Atom::Var(var) = result
            && inside.contains(&var)
        {
            if plan.get(&var) == Some(target) {
                return Ok(());
            }
            if let Some(Op::Tuple(parts)) = self.bindings.get(&var).map(|binding| &binding.op) {
                for (at, part) in parts.iter().enumerate() {
                    if let Some(target) = target.component(at) {
                        self.write_rest(*part, &target, inside, plan, span)?;
                    }
                }
                return Ok(());
            }
        }
        let value = self.atom(result, span)?;
        self.write(&value, target, span)
    }
}

fn shown(name: &Option<Name>) -> &str {
    name.as_deref().unwrap_or("value")
}

/// The components of a tuple or record with names for them.
fn named_parts(ty: &Type, name: &Option<Name>) -> Vec<(Type, Option<Name>)> {
    let parts = ty.components().unwrap_or_default();
    let named = |at: usize| match ty {
        Type::Record(record) => format!("{}_{}", shown(name), record.fields[at].0),
        _ => format!("{}_{at}", shown(name)),
    };
    parts.into_iter().enumerate().map(|(at, part)| (part, Some(named(at).into()))).collect()
}

fn not_data(ty: &Type, span: Span) -> Unsupported {
    let found = |test: fn(&Type) -> bool| ty.any(&mut |part| test(part));
    let reason = if found(|part| matches!(part, Type::Linear(_))) {
        "a linear map is a value here"
    } else {
        "a function is a value here"
    };
    Unsupported { reason: reason.into(), span }
}

fn unknown_size(span: Span) -> Unsupported {
    Unsupported { reason: "the size of an array is not known before the array is".into(), span }
}
