//! Compiling derivatives away: every `D`, `jvp`, `vjp` in a program becomes calls of functions made by linearisation and
//! transposition, innermost first.

use crate::checkpoint::Checkpoints;
use crate::free::Free;
use crate::jacobian::settle;
use crate::linearise::{Streams, linearise, size_of};
use crate::map::KnownMap;
use crate::optimise::{drop_dead, optimise};
use crate::specialise::{Specialisation, specialise};
use crate::transpose::Transposer;
use riesz_core::Type;
use riesz_core::renumber::renumber;
use riesz_core::size::{self, Size};
use riesz_core::term::{Atom, Binding, Body, Derive, Function, FunctionId, OnMaps, Op, Origin, Program, Var, VarInfo};
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Label, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why something cannot be differentiated.
pub(crate) type Problem = Box<Diagnostic>;

/// Compiles every derivative of a program.
pub fn compile(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    let all: Vec<FunctionId> = (0..program.functions.len() as u32).map(FunctionId).collect();
    compile_from(program, &all)
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether to optimise: what is differentiated, and what comes of it.
    pub optimise: bool,
    /// What loops keep for their derivatives.
    pub checkpoints: Checkpoints,
}

impl Default for Options {
    fn default() -> Options {
        Options { optimise: true, checkpoints: Checkpoints::Everything }
    }
}

/// Compiles the derivatives that some functions need.
pub fn compile_from(program: &mut Program, roots: &[FunctionId]) -> Result<(), Vec<Diagnostic>> {
    compile_with(program, roots, &Options::default())
}

/// Compiles the derivatives that some functions need, in a way of choice. A program without derivatives stays as it is.
pub fn compile_with(program: &mut Program, roots: &[FunctionId], options: &Options) -> Result<(), Vec<Diagnostic>> {
    if !has_derivatives(program, roots) {
        return Ok(());
    }
    if options.optimise {
        optimise(program, roots);
    }
    differentiate(program, roots, options.checkpoints)?;
    if options.optimise {
        optimise(program, roots);
    }
    Ok(())
}

/// Prepares functions for becoming code, whether they need derivatives or not: calls of known functions are direct, and
/// all is optimised.
pub fn compile_for_code(program: &mut Program, roots: &[FunctionId]) -> Result<(), Vec<Diagnostic>> {
    optimise(program, roots);
    differentiate(program, roots, Checkpoints::default())?;
    optimise(program, roots);
    Ok(())
}

/// Whether some functions need derivatives that have not been compiled.
pub fn has_derivatives(program: &Program, roots: &[FunctionId]) -> bool {
    let reachable = program.reachable(roots);
    reachable.functions.iter().any(|id| contains_derivative(&program.function(*id).body))
}

fn differentiate(program: &mut Program, roots: &[FunctionId], checkpoints: Checkpoints) -> Result<(), Vec<Diagnostic>> {
    let mut roots = roots.to_vec();
    let reachable = program.reachable(&roots);
    roots.extend(reachable.globals.iter().filter_map(|id| match program.global(*id).origin {
        Origin::Computed(function) => Some(function),
        Origin::Given => None,
    }));
    let mut calculus = Calculus::new(std::mem::take(program));
    calculus.checkpoints = checkpoints;
    let mut problems = Vec::new();
    for root in roots {
        if let Err(problem) = calculus.compile_function(root)
            && !problems.contains(&*problem)
        {
            problems.push(*problem);
        }
    }
    *program = calculus.program;
    settle(program);
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// What linearisation and transposition made of a function.
#[derive(Clone)]
pub(crate) struct Linearised {
    /// Computes the value and what is kept.
    pub primal: FunctionId,
    /// Computes the tangent of the value from what is kept and the tangents of the arguments; none where the value does not
    /// vary.
    pub forward: Option<FunctionId>,
    /// Adds to the cotangents of the arguments, from what is kept and the cotangent of the value.
    pub reverse: FunctionId,
    /// What is kept: the variables of the function, and their types, over its variables.
    pub kept: Vec<(Var, Type)>,
}

impl Linearised {
    /// The type of what `primal` gives, for a value of a type.
    pub fn all(&self, value: &Type) -> Type {
        Type::Tuple([value.clone()].into_iter().chain(self.kept.iter().map(|(_, ty)| open_sizes(ty))).collect())
    }

    /// The type of something kept, where the function was called with some arguments and what is kept before it is known.
    pub fn kept_type(&self, at: usize, arguments: &[Atom], before: &[Atom]) -> Type {
        with_sizes(&self.kept[at].1, |var| match self.kept[..at].iter().position(|(kept, _)| *kept == var) {
            Some(known) => before.get(known).copied(),
            None => arguments.get(var.0 as usize).copied(),
        })
    }
}

/// The type with what its sizes are where a function is called; those that are not known there stay open.
pub(crate) fn with_sizes(ty: &Type, known: impl Fn(Var) -> Option<Atom>) -> Type {
    ty.map_sizes(&mut |size| {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => known(var).map_or(Size::Hole, size_of),
            atom => Size::Atom(atom),
        })
    })
}

/// A program whose derivatives are being compiled.
pub(crate) struct Calculus {
    pub program: Program,
    linearised: FxHashMap<(FunctionId, Vec<bool>), Linearised>,
    by_forward: FxHashMap<FunctionId, (FunctionId, usize)>,
    state: FxHashMap<FunctionId, State>,
    recursive: FxHashMap<FunctionId, bool>,
    /// The functions of the tangents of maps, by what they apply the derivative of.
    pub tangent_maps: FxHashMap<FunctionId, Linearised>,
    /// The functions of maps of rank one, by the spaces between which they go.
    pub rank_ones: Vec<((Type, Type), [FunctionId; 2])>,
    /// What loops keep.
    pub checkpoints: Checkpoints,
    /// Functions that are segments of loops: they run again instead of keeping anything.
    pub segments: FxHashSet<FunctionId>,
    /// Functions as values.
    pub specialisation: Specialisation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    UnderWay,
    Done,
}

impl Calculus {
    /// A program none of whose derivatives have been compiled.
    pub fn new(program: Program) -> Calculus {
        Calculus {
            program,
            linearised: FxHashMap::default(),
            by_forward: FxHashMap::default(),
            state: FxHashMap::default(),
            recursive: FxHashMap::default(),
            tangent_maps: FxHashMap::default(),
            rank_ones: Vec::new(),
            checkpoints: Checkpoints::Everything,
            segments: FxHashSet::default(),
            specialisation: Specialisation::default(),
        }
    }

    /// Makes sure that neither the function nor those it needs contain derivatives.
    fn compile_function(&mut self, root: FunctionId) -> Result<(), Problem> {
        // Depth first, without recursion along calls: chains of functions can be long.
        let mut work = vec![root];
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        while let Some(id) = work.pop() {
            if self.state.contains_key(&id) || !seen.insert(id) {
                continue;
            }
            specialise(self, id);
            order.push(id);
            visit_functions(&self.program.function(id).body, &mut |id| work.push(id));
        }
        for id in order {
            self.compile_body(id)?;
        }
        Ok(())
    }

    pub fn compile_body(&mut self, id: FunctionId) -> Result<(), Problem> {
        match self.state.get(&id) {
            Some(State::Done) => return Ok(()),
            Some(State::UnderWay) => {
                let function = self.program.function(id);
                let message = format!("`{}` is differentiated in its own definition", function.name);
                return Err(Box::new(
                    Diagnostic::error("recursive-derivative", function.span, message)
                        .help("a function whose value needs its own derivative has no end of derivatives"),
                ));
            }
            None => {}
        }
        if !contains_derivative(&self.program.function(id).body) {
            self.state.insert(id, State::Done);
            return Ok(());
        }
        self.state.insert(id, State::UnderWay);
        let function = self.program.function(id).clone();
        let mut compiler = Compiler {
            calculus: self,
            vars: function.vars.clone(),
            closures: FxHashMap::default(),
            maps: FxHashMap::default(),
        };
        let mut body = compiler.body(&function.body)?;
        let vars = compiler.vars;
        drop_dead(&mut body, &vars);
        let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
        let finished = renumber(function.name, &parameters, body, &function.result, function.span, &|var| {
            vars[var.0 as usize].clone()
        });
        self.program.functions[id.0 as usize] = finished;
        self.state.insert(id, State::Done);
        Ok(())
    }

    /// The function that adds to cotangents what the linear function `forward` would need, and how many kept values both take.
    pub fn reverse_of(&self, forward: FunctionId) -> Option<(FunctionId, usize)> {
        self.by_forward.get(&forward).copied()
    }

    pub fn add(&mut self, function: Function) -> FunctionId {
        self.program.functions.push(function);
        let id = FunctionId(self.program.functions.len() as u32 - 1);
        self.state.insert(id, State::Done);
        id
    }

    /// Adds a function that may contain derivatives.
    pub fn add_to_compile(&mut self, function: Function) -> FunctionId {
        let id = self.add(function);
        self.state.remove(&id);
        id
    }

    /// Says which function adds to cotangents what the linear function `forward` would need.
    pub fn set_reverse(&mut self, forward: FunctionId, reverse: FunctionId, kept: usize) {
        self.by_forward.insert(forward, (reverse, kept));
    }

    fn reserve(&mut self, name: Name, span: Span) -> FunctionId {
        let body = Body { bindings: Vec::new(), result: Atom::Int(0) };
        let id = self.add(Function { name, vars: Vec::new(), parameters: 0, body, result: Type::Int, span });
        // Nobody may differentiate it before it is there.
        self.state.insert(id, State::UnderWay);
        id
    }

    /// Whether a function can call itself.
    fn is_recursive(&mut self, id: FunctionId) -> bool {
        if let Some(&known) = self.recursive.get(&id) {
            return known;
        }
        let mut seen = FxHashSet::default();
        let mut work = Vec::new();
        visit_functions(&self.program.function(id).body, &mut |id| work.push(id));
        let mut found = false;
        while let Some(next) = work.pop() {
            if next == id {
                found = true;
                break;
            }
            if seen.insert(next) {
                visit_functions(&self.program.function(next).body, &mut |id| work.push(id));
            }
        }
        self.recursive.insert(id, found);
        found
    }

    /// Linearises and transposes a function in the parameters that `mask` marks.
    pub fn linearised(&mut self, id: FunctionId, mask: &[bool]) -> Result<Linearised, Problem> {
        specialise(self, id);
        let key = (id, mask.to_vec());
        if let Some(linearised) = self.linearised.get(&key) {
            return Ok(linearised.clone());
        }
        self.compile_body(id)?;
        let function = self.program.function(id).clone();
        let function = self.checkpointed(id, function);
        let recursive = self.is_recursive(id);
        let names = |suffix: &str| -> Name { format!("{}{suffix}", function.name).into() };
        let varies = function.result.varies()
            || mask.iter().zip(&function.vars).any(|(active, var)| *active && matches!(var.ty, Type::Accumulator(_)));
        let primal = self.reserve(names("'"), function.span);
        let forward = varies.then(|| self.reserve(names(" forward"), function.span));
        let reverse = self.reserve(names(" reverse"), function.span);
        let mut linearised = Linearised { primal, forward, reverse, kept: vec![(Var(u32::MAX), Type::Kept)] };
        if recursive {
            self.linearised.insert(key.clone(), linearised.clone());
            if let Some(forward) = forward {
                self.by_forward.insert(forward, (reverse, 1));
            }
        }
        let streams = linearise(self, &function, mask)?;
        if forward.is_none()
            || streams.output.is_none() && function.result.varies() && !recursive && streams.linear.is_empty()
        {
            linearised.forward = None;
            self.state.extend([primal, reverse].map(|id| (id, State::Done)));
            self.linearised.insert(key, linearised.clone());
            return Ok(linearised);
        }
        let forward = forward.unwrap_or(primal);
        let kept = self.cut(&function, streams, [primal, forward, reverse], recursive);
        self.state.extend([primal, forward, reverse].map(|id| (id, State::Done)));
        if !recursive {
            linearised.kept = kept;
            self.by_forward.insert(forward, (reverse, linearised.kept.len()));
            if self.segments.contains(&id) {
                linearised = self.again(id, mask, &linearised);
                self.by_forward.extend(linearised.forward.map(|forward| (forward, (linearised.reverse, mask.len()))));
            }
            self.linearised.insert(key, linearised.clone());
        }
        Ok(linearised)
    }

    /// Cuts the streams of a function into three functions; the types of what is kept.
    fn cut(
        &mut self,
        function: &Function,
        streams: Streams,
        [primal, forward, reverse]: [FunctionId; 3],
        recursive: bool,
    ) -> Vec<(Var, Type)> {
        let span = function.span;
        let Streams { mut vars, linear_vars, shapes, primal: primal_bindings, mut linear, inputs, output, .. } =
            streams;
        let result_type = function.result.tangent();
        let output = match output {
            Some(output) => output,
            None => {
                // A result that does not vary, or `()`: a zero all the same.
                vars.push(VarInfo { name: None, ty: result_type.clone() });
                let var = Var(vars.len() as u32 - 1);
                linear.push(Binding { var, op: Op::Zero(function.body.result), span });
                Atom::Var(var)
            }
        };
        let free = Free::of(&linear, &[output], &vars).found;
        let mut kept: Vec<Var> = free.into_iter().filter(|var| !inputs.contains(var)).collect();
        for var in &inputs {
            let mut sizes = Free::default();
            sizes.bindings(&[Binding { var: *var, op: Op::Accumulator, span }], &vars);
            for size in sizes.found {
                if !kept.contains(&size) {
                    kept.push(size);
                }
            }
        }
        kept.sort_by_key(|var| vars[var.0 as usize].ty != Type::Int);
        let kept_types: Vec<Type> = kept.iter().map(|var| vars[var.0 as usize].ty.clone()).collect();
        let fresh = |vars: &mut Vec<VarInfo>, ty: Type, name: &str| {
            vars.push(VarInfo { name: Some(name.into()), ty });
            Var(vars.len() as u32 - 1)
        };

        // x ↦ (f x, kept)
        let mut bindings = primal_bindings;
        let mut parts = vec![function.body.result];
        let mut part_types = vec![function.result.clone()];
        let kept_atoms: Vec<Atom> = kept.iter().map(|var| Atom::Var(*var)).collect();
        if recursive {
            let tuple = fresh(&mut vars, Type::Tuple(kept_types.clone().into()), "kept");
            bindings.push(Binding { var: tuple, op: Op::Tuple(kept_atoms), span });
            let opaque = fresh(&mut vars, Type::Kept, "kept");
            bindings.push(Binding { var: opaque, op: Op::Copy(Atom::Var(tuple)), span });
            parts.push(Atom::Var(opaque));
            part_types.push(Type::Kept);
        } else {
            parts.extend(kept_atoms);
            part_types.extend(kept_types.clone());
        }
        let ty = Type::Tuple(part_types.into());
        let result = fresh(&mut vars, ty.clone(), "t");
        bindings.push(Binding { var: result, op: Op::Tuple(parts), span });
        let mut body = Body { bindings, result: Atom::Var(result) };
        drop_dead(&mut body, &vars);
        let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
        let info = vars.clone();
        let finished = renumber(self.program.function(primal).name.clone(), &parameters, body, &ty, span, &|var| {
            info[var.0 as usize].clone()
        });
        self.program.functions[primal.0 as usize] = finished;

        // (kept, dx) ↦ dy
        let opened = |vars: &mut Vec<VarInfo>| -> (Vec<Var>, Vec<Binding>) {
            if !recursive {
                return (kept.clone(), Vec::new());
            }
            let opaque = fresh(vars, Type::Kept, "kept");
            let opened = kept.iter().enumerate();
            let bindings = opened.map(|(at, var)| Binding { var: *var, op: Op::Project(Atom::Var(opaque), at), span });
            (vec![opaque], bindings.collect())
        };
        let (mut parameters, mut bindings) = opened(&mut vars);
        parameters.extend(&inputs);
        bindings.extend(linear.iter().cloned());
        let body = Body { bindings, result: output };
        let info = vars.clone();
        let finished =
            renumber(self.program.function(forward).name.clone(), &parameters, body, &result_type, span, &|var| {
                info[var.0 as usize].clone()
            });
        self.program.functions[forward.0 as usize] = finished;

        // (kept, dy, accumulators of dx) ↦ ()
        let (mut parameters, opened_bindings) = opened(&mut vars);
        let name = format!("d{}", function.name);
        let cotangent = function.result.varies().then(|| fresh(&mut vars, result_type.clone(), &name));
        parameters.extend(cotangent);
        let mut given = Vec::new();
        for input in &inputs {
            let ty = match vars[input.0 as usize].ty.clone() {
                Type::Accumulator(inner) => (*inner).clone(),
                ty => Type::Accumulator(ty.into()),
            };
            let name = vars[input.0 as usize].name.clone();
            let var = fresh(&mut vars, ty, name.as_deref().unwrap_or("to"));
            given.push((*input, var));
            parameters.push(var);
        }
        let transposer = Transposer::new(self, vars, linear_vars, shapes);
        let (vars, mut body) =
            transposer.function(&linear, &given, cotangent.map(|cotangent| (output, cotangent)), span);
        body.bindings.splice(0..0, opened_bindings);
        drop_dead(&mut body, &vars);
        let name = self.program.function(reverse).name.clone();
        let finished = renumber(name, &parameters, body, &Type::unit(), span, &|var| vars[var.0 as usize].clone());
        self.program.functions[reverse.0 as usize] = finished;
        kept.into_iter().zip(kept_types).collect()
    }
}

/// Rewrites the derivatives in one function.
pub(crate) struct Compiler<'c> {
    pub calculus: &'c mut Calculus,
    pub vars: Vec<VarInfo>,
    /// Functions known by where they were made.
    pub closures: FxHashMap<Var, (FunctionId, Vec<Atom>)>,
    /// Linear maps known by where they were made.
    pub maps: FxHashMap<Var, KnownMap>,
}

impl Compiler<'_> {
    pub(crate) fn var(&mut self, ty: Type) -> Var {
        self.vars.push(VarInfo { name: None, ty });
        Var(self.vars.len() as u32 - 1)
    }

    fn body(&mut self, body: &Body) -> Result<Body, Problem> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            let mut bindings = Vec::with_capacity(body.bindings.len());
            for binding in &body.bindings {
                self.binding(binding, &mut bindings)?;
            }
            Ok(Body { bindings, result: body.result })
        })
    }

    fn binding(&mut self, binding: &Binding, out: &mut Vec<Binding>) -> Result<(), Problem> {
        let Binding { var, op, span } = binding;
        match op {
            Op::Closure(function, captured) => {
                self.closures.insert(*var, (*function, captured.clone()));
                out.push(binding.clone());
            }
            Op::Copy(Atom::Var(source)) if self.closures.contains_key(source) => {
                let known = self.closures[source].clone();
                self.closures.insert(*var, known);
                out.push(binding.clone());
            }
            // What a function makes of series is computed when the program runs.
            Op::Derive(Derive::Taylor, _) => out.push(binding.clone()),
            Op::Derive(derive, operands) => {
                if *derive == Derive::Derivative
                    && let Some(map) = KnownMap::derivative(operands[0], operands[1], &self.vars[var.0 as usize].ty)
                {
                    self.maps.insert(*var, map);
                }
                self.derive(*var, *derive, operands, *span, out)?;
            }
            Op::Copy(source) if self.known_map(*source).is_some() => {
                self.maps.extend(self.known_map(*source).map(|map| (*var, map)));
                out.push(binding.clone());
            }
            Op::OnMaps(OnMaps::Matrix, operands) => match self.known_map(operands[0]) {
                Some(map) => self.matrix(*var, &map, *span, out)?,
                None => out.push(binding.clone()),
            },
            Op::OnMaps(OnMaps::Coo, operands) if self.sparse_matrix(*var, operands[0], *span, out)? => {}
            Op::OnMaps(operation, operands) => {
                self.maps.extend(self.known_result(*operation, operands).map(|map| (*var, map)));
                out.push(binding.clone());
            }
            Op::Apply(called, argument) => match self.known_map(*called) {
                Some(map) => self.apply(*var, &map, *argument, *span, out)?,
                None => out.push(binding.clone()),
            },
            _ => {
                let mut op = op.clone();
                let mut problem = None;
                op.visit_bodies_mut(&mut |body| match self.body(body) {
                    Ok(compiled) => *body = compiled,
                    Err(found) => problem = Some(found),
                });
                if let Some(problem) = problem {
                    return Err(problem);
                }
                out.push(Binding { var: *var, op, span: *span });
            }
        }
        Ok(())
    }

    pub(crate) fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].ty.clone(),
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
            Atom::Bool(_) => Type::Bool,
        }
    }

    pub(crate) fn derive(
        &mut self,
        var: Var,
        derive: Derive,
        operands: &[Atom],
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<(), Problem> {
        let known = match operands[0] {
            Atom::Var(function) => self.closures.get(&function).cloned(),
            _ => None,
        };
        let Some((function, captured)) = known else {
            // Known only when the program runs, which then has to differentiate it.
            out.push(Binding { var, op: Op::Derive(derive, operands.to_vec()), span });
            return Ok(());
        };
        let point = operands[1];
        let mut mask = vec![false; captured.len()];
        mask.push(true);
        let linearised = self.calculus.linearised(function, &mask).map_err(|mut problem| {
            let main = &mut problem.labels[0];
            if problem.code == "recursive-derivative" && main.text.is_empty() {
                *main = Label { span, text: "this derivative needs itself".into() };
            }
            problem
        })?;
        let called = self.calculus.program.function(function);
        let arguments: Vec<Atom> = captured.iter().copied().chain([point]).collect();
        let value_type = with_sizes(&called.result, |var| arguments.get(var.0 as usize).copied());
        let point_type = called.vars[captured.len()].ty.clone();
        let mut bind = |compiler: &mut Self, op: Op, ty: Type| {
            let var = compiler.var(ty);
            out.push(Binding { var, op, span });
            Atom::Var(var)
        };
        let result_type = self.vars[var.0 as usize].ty.clone();
        let result_parts = result_type.components().unwrap_or_default();
        let Some(forward) = linearised.forward else {
            // The derivative is zero.
            let op = match derive {
                Derive::Forward => {
                    let value = bind(self, Op::Call(function, arguments), value_type);
                    let zero = bind(self, Op::Zero(value), result_parts[1].clone());
                    Op::Tuple(vec![value, zero])
                }
                Derive::Reverse => {
                    let value = bind(self, Op::Call(function, arguments), value_type);
                    let zero = bind(self, Op::Zero(point), result_parts[1].clone());
                    Op::Tuple(vec![value, zero])
                }
                _ => {
                    let value = bind(self, Op::Call(function, arguments), value_type.clone());
                    let forward = self.calculus.zero_map(&[&value_type, &point_type], 0, &point_type, span);
                    let reverse = self.calculus.zero_map(&[&value_type, &point_type], 1, &value_type, span);
                    Op::Map { forward, reverse, captured: vec![value, point] }
                }
            };
            out.push(Binding { var, op, span });
            return Ok(());
        };
        let all = bind(self, Op::Call(linearised.primal, arguments.clone()), linearised.all(&value_type));
        let value = bind(self, Op::Project(all, 0), value_type.clone());
        let mut parts = Vec::with_capacity(linearised.kept.len());
        for at in 0..linearised.kept.len() {
            let ty = linearised.kept_type(at, &arguments, &parts);
            parts.push(bind(self, Op::Project(all, at + 1), ty));
        }
        let op = match derive {
            Derive::Forward => {
                parts.push(operands[2]);
                let tangent = bind(self, Op::Call(forward, parts), result_parts[1].clone());
                Op::Tuple(vec![value, tangent])
            }
            Derive::Reverse => {
                let ty = result_parts[1].clone();
                let accumulator = bind(self, Op::Accumulator, Type::Accumulator(ty.clone().into()));
                if has_holes(&ty) {
                    // The accumulator takes its shape from the point.
                    let zero = bind(self, Op::Zero(point), ty.clone());
                    bind(self, Op::AddTo(accumulator, Vec::new(), zero), Type::unit());
                }
                if called_varies(&value_type) {
                    parts.push(operands[2]);
                }
                parts.push(accumulator);
                bind(self, Op::Call(linearised.reverse, parts), Type::unit());
                let cotangent = bind(self, Op::Read(accumulator), ty);
                Op::Tuple(vec![value, cotangent])
            }
            _ => {
                let reverse = self.calculus.reverse_map(&linearised, &point_type, &value_type, span);
                parts.push(point);
                let forward = self.calculus.forward_map(forward, &linearised, &point_type, &value_type, span);
                Op::Map { forward, reverse, captured: parts }
            }
        };
        out.push(Binding { var, op, span });
        Ok(())
    }
}

impl Calculus {
    /// The function that takes some values and a vector, and gives the zero at one of the values.
    fn zero_map(&mut self, captured: &[&Type], at: usize, argument: &Type, span: Span) -> FunctionId {
        let mut vars: Vec<VarInfo> = captured.iter().map(|ty| VarInfo { name: None, ty: open_sizes(ty) }).collect();
        vars.push(VarInfo { name: None, ty: open_sizes(argument).tangent() });
        let result = open_sizes(captured[at]).tangent();
        vars.push(VarInfo { name: None, ty: result.clone() });
        let var = Var(vars.len() as u32 - 1);
        let bindings = vec![Binding { var, op: Op::Zero(Atom::Var(Var(at as u32))), span }];
        let parameters = vars.len() - 1;
        let body = Body { bindings, result: Atom::Var(var) };
        self.add(Function { name: "zero".into(), vars, parameters, body, result, span })
    }

    /// The linear function as a function of what is kept, the point, and a tangent.
    fn forward_map(
        &mut self,
        forward: FunctionId,
        linearised: &Linearised,
        point: &Type,
        value: &Type,
        span: Span,
    ) -> FunctionId {
        let kept = linearised.kept.len();
        let mut vars: Vec<VarInfo> =
            linearised.kept.iter().map(|(_, ty)| VarInfo { name: None, ty: open_sizes(ty) }).collect();
        vars.push(VarInfo { name: Some("point".into()), ty: open_sizes(point) });
        vars.push(VarInfo { name: Some("tangent".into()), ty: open_sizes(point).tangent() });
        let result = open_sizes(value).tangent();
        vars.push(VarInfo { name: None, ty: result.clone() });
        let mut arguments: Vec<Atom> = (0..kept as u32).map(|at| Atom::Var(Var(at))).collect();
        arguments.push(Atom::Var(Var(kept as u32 + 1)));
        let bindings = vec![Binding { var: Var(kept as u32 + 2), op: Op::Call(forward, arguments), span }];
        let body = Body { bindings, result: Atom::Var(Var(kept as u32 + 2)) };
        let name = self.program.function(forward).name.clone();
        self.add(Function { name, vars, parameters: kept + 2, body, result, span })
    }

    /// The adjoint as a function of what is kept, the point, and a cotangent.
    fn reverse_map(&mut self, linearised: &Linearised, point: &Type, value: &Type, span: Span) -> FunctionId {
        let kept = linearised.kept.len() as u32;
        let mut vars: Vec<VarInfo> =
            linearised.kept.iter().map(|(_, ty)| VarInfo { name: None, ty: open_sizes(ty) }).collect();
        vars.push(VarInfo { name: Some("point".into()), ty: open_sizes(point) });
        vars.push(VarInfo { name: Some("cotangent".into()), ty: open_sizes(value).tangent() });
        let result = open_sizes(point).tangent();
        let accumulated = Type::Accumulator(result.clone().into());
        for ty in [result.clone(), accumulated, Type::unit(), Type::unit(), result.clone()] {
            vars.push(VarInfo { name: None, ty });
        }
        let (point, cotangent) = (Atom::Var(Var(kept)), Atom::Var(Var(kept + 1)));
        let [zero, accumulator, seeded, called, read] = [2, 3, 4, 5, 6].map(|at| Var(kept + at));
        let mut arguments: Vec<Atom> = (0..kept).map(|at| Atom::Var(Var(at))).collect();
        arguments.extend([cotangent, Atom::Var(accumulator)]);
        let bindings = vec![
            Binding { var: zero, op: Op::Zero(point), span },
            Binding { var: accumulator, op: Op::Accumulator, span },
            // The accumulator takes its shape from the point.
            Binding { var: seeded, op: Op::AddTo(Atom::Var(accumulator), Vec::new(), Atom::Var(zero)), span },
            Binding { var: called, op: Op::Call(linearised.reverse, arguments), span },
            Binding { var: read, op: Op::Read(Atom::Var(accumulator)), span },
        ];
        let body = Body { bindings, result: Atom::Var(read) };
        let name = self.program.function(linearised.reverse).name.clone();
        self.add(Function { name, vars, parameters: kept as usize + 2, body, result, span })
    }
}

fn called_varies(ty: &Type) -> bool {
    ty.varies()
}

/// Whether a type leaves a size open.
pub(crate) fn has_holes(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Array(Size::Hole, _)))
}

/// The type with every size left open.
pub(crate) fn open_sizes(ty: &Type) -> Type {
    ty.map_sizes(&mut |size| if matches!(size, Size::Constant(_)) { size.clone() } else { Size::Hole })
}

/// The functions that a body refers to.
pub(crate) fn visit_functions(body: &Body, f: &mut dyn FnMut(FunctionId)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in &body.bindings {
            match &binding.op {
                Op::Call(function, _) | Op::Closure(function, _) => f(*function),
                Op::Map { forward, reverse, .. } => {
                    f(*forward);
                    f(*reverse);
                }
                _ => {}
            }
            binding.op.visit_bodies(&mut |body| visit_functions(body, f));
        }
    });
}

fn contains_derivative(body: &Body) -> bool {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        body.bindings.iter().any(|binding| {
            let mut found = matches!(binding.op, Op::Derive(derive, _) if derive != Derive::Taylor);
            binding.op.visit_bodies(&mut |body| found |= contains_derivative(body));
            found
        })
    })
}
