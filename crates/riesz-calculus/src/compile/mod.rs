//! Compilation of derivatives: every `D`, `jvp` and `vjp` in a program becomes calls of functions made by linearisation
//! and transposition, innermost first.

mod cut;
mod derivative;
mod linearised;
mod rules;

pub(crate) use derivative::Compiler;
pub(crate) use linearised::{Linearised, with_sizes};
pub use rules::{forget_rules, hold_rules};

use crate::associate::Associate;
use crate::checkpoint::Checkpoints;
use crate::defunctionalise::defunctionalise;
use crate::linearise::{Streams, linearise};
use crate::specialise::{Specialisation, specialise};
use riesz_core::Type;
use riesz_core::reachable::visit_functions;
use riesz_core::renumber::renumber;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Body, Derive, Function, FunctionId, Op, Origin, Program, Var};
use riesz_optimise::{drop_dead, optimise, optimise_again};
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why something cannot be differentiated.
pub type Problem = Box<Diagnostic>;

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
    /// The values that loops store for their derivatives.
    pub checkpoints: Checkpoints,
    /// Whether what is asked for backwards is found forwards where that keeps less: a derivative from `R` to `R` is its own
    /// adjoint.
    pub by_cost: bool,
    /// In which order the factors of a matrix are multiplied.
    pub associate: Associate,
}

impl Default for Options {
    fn default() -> Options {
        Options { optimise: true, checkpoints: Checkpoints::Everything, by_cost: false, associate: Associate::Cheapest }
    }
}

/// Compiles the derivatives that some functions need.
pub fn compile_from(program: &mut Program, roots: &[FunctionId]) -> Result<(), Vec<Diagnostic>> {
    compile_with(program, roots, &Options::default())
}

/// Compiles the derivatives that some functions need, in a way of choice. A program without derivatives stays as it is.
pub fn compile_with(program: &mut Program, roots: &[FunctionId], options: &Options) -> Result<(), Vec<Diagnostic>> {
    let repeats = || program.reachable(roots).functions.iter().any(|id| contains_repeated(program, *id));
    if !has_derivatives(program, roots) && !repeats() {
        return Ok(());
    }
    if options.optimise {
        optimise(program, roots);
    }
    // Functions as they were written are met by those who differentiate while the program runs.
    let written = program.reachable(roots).functions;
    differentiate(program, roots, options)?;
    if options.optimise {
        optimise_again(program, roots);
    }
    hold_rules(program, &[roots, &written].concat());
    Ok(())
}

/// Prepares functions for becoming code, whether they need derivatives or not: calls of known functions are direct, and
/// all is optimised.
pub fn compile_for_code(program: &mut Program, roots: &[FunctionId]) -> Result<(), Vec<Diagnostic>> {
    optimise(program, roots);
    differentiate(program, roots, &Options { by_cost: true, ..Options::default() })?;
    forget_rules(program, roots);
    optimise_again(program, roots);
    Ok(())
}

/// Adds `c, x ↦ (f(c, x), D(f(c, ·), x))` for a function `f` whose last parameter varies: the value, and the derivative as
/// a linear map, from one run of the primal.   [004 §4.1]
pub fn compile_with_map(program: &mut Program, function: FunctionId) -> Result<FunctionId, Vec<Diagnostic>> {
    optimise(program, &[function]);
    differentiate(program, &[function], &Options::default())?;
    let mut calculus = Calculus::new(std::mem::take(program));
    let made = calculus.value_and_map(function);
    *program = calculus.program;
    let made = made.map_err(|problem| vec![*problem])?;
    optimise(program, &[made]);
    Ok(made)
}

/// Whether some functions need derivatives that have not been compiled.
pub fn has_derivatives(program: &Program, roots: &[FunctionId]) -> bool {
    let reachable = program.reachable(roots);
    reachable.functions.iter().any(|id| contains_derivative(&program.function(*id).body))
}

fn differentiate(program: &mut Program, roots: &[FunctionId], options: &Options) -> Result<(), Vec<Diagnostic>> {
    riesz_limit::pass("differentiate");
    // Values before those that need them, so that each is compiled for itself first.
    let mut globals = program.reachable(roots).globals;
    globals.sort_unstable();
    let values = globals.into_iter().filter_map(|id| match program.global(id).origin {
        Origin::Computed(function) => Some(function),
        Origin::Given => None,
    });
    let roots: Vec<FunctionId> = values.chain(roots.iter().copied()).collect();
    let mut calculus = Calculus::new(std::mem::take(program));
    calculus.checkpoints = options.checkpoints;
    calculus.by_cost = options.by_cost;
    calculus.associate = options.associate;
    calculus.optimise = options.optimise;
    let mut problems = Vec::new();
    for root in roots {
        if let Err(problem) = calculus.compile_root(root)
            && !problems.contains(&*problem)
        {
            problems.push(*problem);
        }
    }
    *program = calculus.program;
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The linearisation of a function, for display.
pub struct Derived {
    /// The two streams.
    pub streams: Streams,
    /// The function without derivatives in it.
    pub function: Function,
    /// Computes the value and the residuals.
    pub primal: FunctionId,
    /// Computes the tangent of the value; none where the value does not vary.
    pub forward: Option<FunctionId>,
    /// Adds to the cotangents of the arguments.
    pub reverse: FunctionId,
}

/// A function, and which of its parameters vary.
type Masked = (FunctionId, Vec<bool>);

/// A program whose derivatives are being compiled.
pub struct Calculus {
    /// The program, with the functions made so far.
    pub program: Program,
    linearised: FxHashMap<Masked, Linearised>,
    linearised_in_order: Vec<Masked>,
    by_forward: FxHashMap<FunctionId, (FunctionId, usize)>,
    state: FxHashMap<FunctionId, State>,
    recursive: FxHashMap<FunctionId, bool>,
    /// The functions of the tangents of maps, by what they apply the derivative of.
    pub(crate) tangent_maps: FxHashMap<FunctionId, Linearised>,
    /// The functions of maps of rank one, by the spaces between which they go.
    pub(crate) rank_ones: Vec<((Type, Type), [FunctionId; 2])>,
    /// The values that loops store.
    pub(crate) checkpoints: Checkpoints,
    /// Whether a map that is its own adjoint is applied forwards.
    pub(crate) by_cost: bool,
    /// In which order the factors of a matrix are multiplied.
    pub(crate) associate: Associate,
    /// Functions with those that they call in place of their calls, for matrices.
    pub(crate) inlined: FxHashMap<FunctionId, FunctionId>,
    /// Whether functions that have become data are optimised before they are differentiated.
    pub(crate) optimise: bool,
    /// Functions that are segments of loops: they run again instead of keeping anything.
    pub(crate) segments: FxHashSet<FunctionId>,
    /// Functions as values.
    pub(crate) specialisation: Specialisation,
}

enum State {
    UnderWay,
    Done,
    /// For this reason its derivatives cannot be compiled.
    Failed(Problem),
}

impl Calculus {
    /// A program none of whose derivatives have been compiled.
    pub fn new(program: Program) -> Calculus {
        Calculus {
            program,
            linearised: FxHashMap::default(),
            linearised_in_order: Vec::new(),
            by_forward: FxHashMap::default(),
            state: FxHashMap::default(),
            recursive: FxHashMap::default(),
            tangent_maps: FxHashMap::default(),
            rank_ones: Vec::new(),
            checkpoints: Checkpoints::Everything,
            by_cost: false,
            associate: Associate::Cheapest,
            inlined: FxHashMap::default(),
            optimise: true,
            segments: FxHashSet::default(),
            specialisation: Specialisation::default(),
        }
    }

    /// The same, with matrices multiplied in some order.
    pub fn associating(self, associate: Associate) -> Calculus {
        Calculus { associate, ..self }
    }

    /// Makes sure that neither the function nor those it needs contain derivatives. Where functions in it are known only when
    /// it runs, they are data in it, if they can be.
    fn compile_root(&mut self, root: FunctionId) -> Result<(), Problem> {
        let written = self.program.reachable(&[root]).functions;
        let order = self.specialised(root);
        let wanted = order.iter().any(|id| contains_derivative(&self.program.function(*id).body));
        let copy = if wanted { defunctionalise(&mut self.program, root) } else { None };
        if let (Some(copy), true) = (copy, self.optimise) {
            optimise(&mut self.program, &[copy]);
        }
        let compiled = self.compile_functions(order);
        // Functions as they were written are met by those who differentiate while the program runs.
        for id in written {
            let _ = self.compile_body(id);
        }
        let Some(copy) = copy else { return compiled };
        let order = self.specialised(copy);
        if self.compile_functions(order).is_err() {
            return compiled;
        }
        self.program.functions[root.0 as usize] = self.program.function(copy).clone();
        Ok(())
    }

    /// Makes the calls in a function and in those it needs direct; these functions.
    fn specialised(&mut self, root: FunctionId) -> Vec<FunctionId> {
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
        order
    }

    fn compile_functions(&mut self, functions: Vec<FunctionId>) -> Result<(), Problem> {
        functions.into_iter().try_for_each(|id| self.compile_body(id))
    }

    pub(crate) fn compile_body(&mut self, id: FunctionId) -> Result<(), Problem> {
        match self.state.get(&id) {
            Some(State::Done) => return Ok(()),
            Some(State::Failed(problem)) => return Err(problem.clone()),
            Some(State::UnderWay) => {
                let function = self.program.function(id);
                let message = format!("`{}` is differentiated in its own definition", function.name);
                return Err(Box::new(
                    Diagnostic::error("recursive-derivative", function.span, message)
                        .help("a function whose value needs its own derivative would be differentiated without end"),
                ));
            }
            None => {}
        }
        let derives = contains_derivative(&self.program.function(id).body);
        if !derives && !contains_repeated(&self.program, id) {
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
            points: Vec::new(),
        };
        let body = compiler.body(&function.body);
        let vars = compiler.vars;
        let mut body = match body {
            Ok(body) => body,
            Err(problem) => {
                self.state.insert(id, State::Failed(problem.clone()));
                return Err(problem);
            }
        };
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
    pub(crate) fn reverse_of(&self, forward: FunctionId) -> Option<(FunctionId, usize)> {
        self.by_forward.get(&forward).copied()
    }

    pub(crate) fn add(&mut self, function: Function) -> FunctionId {
        let id = self.program.add(function);
        self.state.insert(id, State::Done);
        id
    }

    /// Adds a function that may contain derivatives.
    pub(crate) fn add_to_compile(&mut self, function: Function) -> FunctionId {
        let id = self.add(function);
        self.state.remove(&id);
        id
    }

    /// Says which function adds to cotangents what the linear function `forward` would need.
    pub(crate) fn set_reverse(&mut self, forward: FunctionId, reverse: FunctionId, kept: usize) {
        self.by_forward.insert(forward, (reverse, kept));
    }

    fn reserve(&mut self, name: Name, span: Span) -> FunctionId {
        let body = Body { bindings: Vec::new(), result: Atom::Int(0) };
        let id = self.add(Function { name, vars: Vec::new(), parameters: 0, body, result: Type::Int, span });
        // It must not be differentiated before it is there.
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
    pub(crate) fn linearised(&mut self, id: FunctionId, mask: &[bool]) -> Result<Linearised, Problem> {
        specialise(self, id);
        let key = (id, mask.to_vec());
        if let Some(linearised) = self.linearised.get(&key) {
            return Ok(linearised.clone());
        }
        let before = self.linearised_in_order.len();
        let made = self.linearise_anew(id, mask, key);
        if made.is_err() {
            // What was made meanwhile may call what has now failed.
            for key in self.linearised_in_order.drain(before..) {
                self.linearised.remove(&key);
            }
        }
        made
    }

    /// The streams of a function, and the functions that they are cut into.
    ///
    /// # Errors
    /// Where the function cannot be differentiated.
    pub fn derived(&mut self, id: FunctionId, mask: &[bool]) -> Result<Derived, Problem> {
        let linearised = self.linearised(id, mask)?;
        let function = self.program.function(id).clone();
        let streams = linearise(self, &function, mask)?;
        let (primal, forward, reverse) = (linearised.primal, linearised.forward, linearised.reverse);
        Ok(Derived { streams, function, primal, forward, reverse })
    }

    fn remember(&mut self, key: Masked, linearised: Linearised) {
        self.linearised.insert(key.clone(), linearised);
        self.linearised_in_order.push(key);
    }

    fn linearise_anew(&mut self, id: FunctionId, mask: &[bool], key: Masked) -> Result<Linearised, Problem> {
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
        let kept = vec![(Var(u32::MAX), Type::Kept)];
        let mut linearised = Linearised { primal, forward, reverse, kept, parameters: function.parameters };
        if recursive {
            self.remember(key.clone(), linearised.clone());
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
            self.remember(key, linearised.clone());
            return Ok(linearised);
        }
        let forward = forward.unwrap_or(primal);
        let kept = self.cut(&function, streams, [primal, forward, reverse], recursive);
        self.state.extend([primal, forward, reverse].map(|id| (id, State::Done)));
        if !recursive {
            if let Some(kept) = kept {
                linearised.kept = kept;
            }
            self.by_forward.insert(forward, (reverse, linearised.kept.len()));
            if self.segments.contains(&id) {
                linearised = self.again(id, &linearised);
                let Linearised { forward, reverse, kept, .. } = &linearised;
                self.by_forward.extend(forward.map(|forward| (forward, (*reverse, kept.len()))));
            }
            self.remember(key, linearised.clone());
        }
        Ok(linearised)
    }
}

/// Whether a type leaves a size open.
pub(crate) fn has_holes(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Array(Size::Hole, _)))
}

/// The type with every size left open.
pub(crate) fn open_sizes(ty: &Type) -> Type {
    ty.map_sizes(&mut |size| if matches!(size, Size::Constant(_)) { size.clone() } else { Size::Hole })
}

pub(crate) fn contains_derivative(body: &Body) -> bool {
    contains(body, &|derive| derive != Derive::Taylor)
}

/// Whether there are series in a function that reaches stated derivatives: they may be taken one after the other.
fn contains_repeated(program: &Program, id: FunctionId) -> bool {
    contains(&program.function(id).body, &|derive| derive == Derive::Taylor) && program.has_rules(id)
}

fn contains(body: &Body, test: &dyn Fn(Derive) -> bool) -> bool {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        body.bindings.iter().any(|binding| {
            let mut found = matches!(binding.op, Op::Derive(derive, _) if test(derive));
            binding.op.visit_bodies(&mut |body| found |= contains(body, test));
            found
        })
    })
}
