//! Functions of a program, compiled together: the one place where a program is optimised, differentiated, optimised and
//! lowered, each once.
//!
//! ```text
//! part of the program ──optimise, differentiate, optimise──▶ plain core ──lower──▶ machine code
//!                                                                └──────────────▶ interpreter
//! ```
//!
//! If the choice is left to us ([`Toolchain::automatic`]), the interpreter begins, and machine code is made in memory when it
//! has not finished after [`PATIENCE`] steps.
//!
//! A compilation changes nothing of the program it comes from, and nothing changes it: threads can share it.

use crate::literals::{is_literal, lift, lift_constants};
use crate::toolchain::{Maker, PATIENCE};
use crate::via::Representation;
use crate::{Diagnostic, Limits, Options, Sources, Toolchain, Value};
use riesz_calculus::{Checkpoints, compile_for_code, compile_with, has_derivatives, hold_rules};
use riesz_call::{Code, Function, Precision, Stop};
use riesz_core::evaluate::{Globals, Machine, Trap, problem};
use riesz_core::term::{Origin, Program};
use riesz_core::{FunctionId, GlobalId};
use riesz_native::Problem;
use riesz_syntax::{Severity, Span};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The backend of a program that the interpreter has run in its first steps.
pub(crate) const DONE_EARLY: &str = "the interpreter, which needed few steps";

/// How many steps the interpreter may take to find an error again.
const STEPS_TO_EXPLAIN: u64 = 1_000_000;

/// Functions of a program, compiled together.
pub(crate) struct Compilation {
    /// The program that the interpreter runs.
    program: Program,
    /// The same with its derivatives compiled, where the interpreter meets derivatives in another representation.
    compiled: Option<Program>,
    via: Option<&'static Representation>,
    trap: Option<Arc<Trap>>,
    /// The functions below as machine code, once it is made.
    built: OnceLock<Built>,
    /// Its maker, if it is made when it is needed.
    later: Option<Later>,
    /// Its name in messages.
    made_by: Option<&'static str>,
    /// The functions, in the order of the code.
    functions: Vec<FunctionId>,
    precision: Precision,
    /// How many operations the compiler may write while the program runs.
    most_code: u64,
    /// Whether there were derivatives to compile.
    pub has_derivatives: bool,
    /// Told once a run of machine code has stopped and the interpreter has run instead.
    stopped: OnceLock<Diagnostic>,
    /// How long derivatives and code took to make.
    pub compiled_in: Duration,
}

/// Functions as machine code.
#[derive(Default)]
struct Built {
    code: Option<Code>,
    /// Where the interpreter takes its place, and why.
    notes: Vec<Diagnostic>,
    /// Why nothing could be compiled.
    problem: Option<Problem>,
}

/// How code is made when it is needed.
struct Later {
    toolchain: Toolchain,
    /// The functions without derivatives, which have not been optimised.
    without: Vec<FunctionId>,
}

/// How functions are compiled.
pub(crate) struct CompileSettings<'a> {
    pub options: &'a Options,
    /// The values that loops keep for their derivatives.
    pub checkpoints: Checkpoints,
    /// The texts of the program, which places refer to.
    pub sources: &'a Sources,
}

impl Compilation {
    /// Compiles functions, and those that compute the globals they need but for those that are known. Runs within limits.
    pub fn new(
        program: Program,
        functions: &[FunctionId],
        known: &dyn Fn(GlobalId) -> bool,
        how: &CompileSettings,
    ) -> Result<Compilation, Vec<Diagnostic>> {
        let Options { limits, code, .. } = how.options;
        let place = functions.first().map(|function| program.function(*function).span);
        let functions = with_globals(&program, functions, known);
        riesz_limit::within(&limits.bounds(*code), || Compilation::new_unbounded(program, functions, how))
            .unwrap_or_else(|reason| Err(vec![stopped(reason, limits, place)]))
    }

    fn new_unbounded(
        mut program: Program,
        functions: Vec<FunctionId>,
        CompileSettings { options, checkpoints, sources }: &CompileSettings,
    ) -> Result<Compilation, Vec<Diagnostic>> {
        let start = Instant::now();
        let via = options.via.filter(|via| !via.is_compiled());
        let native = options.makes_code();
        if native.is_some() {
            lift(&mut program, &functions);
        }
        if options.trap.is_some() {
            lift_constants(&mut program, &functions);
        }
        let (with, without): (Vec<FunctionId>, Vec<FunctionId>) =
            functions.iter().partition(|id| has_derivatives(&program, &[**id]));
        let calculus = riesz_calculus::Options {
            checkpoints: *checkpoints,
            associate: options.associate,
            by_cost: native.is_some_and(|native| !native.waits()),
            ..Default::default()
        };
        // Derivatives become plain functions before anything runs, except those that are wanted otherwise: these are met
        // while the program runs, and find what they differentiate compiled.
        if via.is_some() {
            hold_rules(&mut program, &with);
        }
        let mut compiled = via.map(|_| program.clone());
        compile_with(compiled.as_mut().unwrap_or(&mut program), &with, &calculus)?;
        let mut compilation = Compilation {
            program,
            compiled,
            via,
            trap: options.trap.clone(),
            built: OnceLock::new(),
            later: None,
            made_by: native.map(Toolchain::makes),
            functions,
            precision: native.map_or(Precision::Double, |native| native.settings.precision),
            most_code: options.code,
            has_derivatives: !with.is_empty(),
            stopped: OnceLock::new(),
            compiled_in: start.elapsed(),
        };
        match native {
            Some(native) if native.waits() => {
                compilation.later = Some(Later { toolchain: native.clone(), without });
            }
            Some(native) => {
                compilation.built = compilation.build(native, &without, sources).into();
                compilation.compiled_in = start.elapsed();
            }
            None => {}
        }
        Ok(compilation)
    }

    /// Makes machine code, if that has been left for later and not been done yet.
    pub fn make_code(&self, limits: &Limits) {
        let Some(Later { toolchain, without }) = &self.later else { return };
        self.built.get_or_init(|| {
            let build = || self.build(toolchain, without, &Sources::default());
            riesz_limit::within(&limits.bounds(self.most_code), build).unwrap_or_else(|reason| {
                let problem = stopped(reason, limits, None);
                Built::none(Problem::new(format!("making machine code was stopped: {}", problem.message)))
            })
        });
    }

    /// Whether the interpreter begins, and leaves what takes it long to machine code.
    fn waits(&self) -> bool {
        self.later.is_some() && self.built.get().is_none()
    }

    /// Makes machine code. Those functions that have no derivatives have not been optimised.
    fn build(&self, native: &Toolchain, without: &[FunctionId], sources: &Sources) -> Built {
        if let Maker::Compiler(Err(problem)) = &native.maker {
            return Built::none(problem.clone());
        }
        // The interpreter keeps the calls as they are written, so that it can tell on which way an error was met.
        let optimised = (!without.is_empty()).then(|| {
            let mut program = self.program.clone();
            // What cannot be made direct stays a function as a value, which the interpreter knows.
            let _ = compile_for_code(&mut program, without);
            program
        });
        let program = optimised.as_ref().unwrap_or(&self.program);
        let code = match &native.maker {
            Maker::Compiler(Err(problem)) => Err(problem.clone()),
            Maker::Compiler(Ok(compiler)) => {
                let place = |span| place(sources, span);
                riesz_native::compile(program, &self.functions, compiler, native.settings, &place)
            }
            #[cfg(feature = "instant")]
            Maker::Instant => riesz_instant::compile(program, &self.functions, riesz_instant::Settings::default())
                .map_err(|riesz_instant::Refused(reason)| {
                    Problem::new(format!("cannot assemble machine code: {reason}"))
                }),
        };
        match code {
            Ok(mut code) => {
                if let Some(pool) = &native.pool {
                    code.use_threads(pool.clone());
                }
                let refused = code.functions().iter().filter_map(|function| function.as_ref().err());
                let notes = refused.map(|problem| {
                    let message = format!("the interpreter runs this, not native code: {}", problem.reason);
                    warning(Diagnostic::error("not-native", problem.span, message))
                });
                Built { notes: notes.collect(), code: Some(code), problem: None }
            }
            Err(problem) => Built::none(problem),
        }
    }

    /// The backend that runs a function, and why.
    pub fn runner(&self, function: FunctionId) -> String {
        let made = self.made_by.unwrap_or_default();
        match (self.built.get(), self.code(function), &self.later) {
            _ if self.stopped.get().is_some() => format!("the interpreter, since {made} stopped"),
            (_, Some(_), Some(_)) => format!("{made}, since the interpreter needed more than {PATIENCE} steps"),
            (_, Some(_), None) => made.to_string(),
            (Some(_), None, _) => format!("the interpreter, since there is no {made} of it"),
            (None, _, Some(_)) => DONE_EARLY.to_string(),
            (None, ..) => "the interpreter".to_string(),
        }
    }

    /// Where the interpreter takes the place of machine code, and why.
    pub fn notes(&self) -> &[Diagnostic] {
        self.built.get().map_or(&[], |built| &built.notes)
    }

    /// Why nothing could be compiled to machine code.
    pub fn problem(&self) -> Option<&Problem> {
        self.built.get()?.problem.as_ref()
    }

    /// The functions as machine code, where it has been made.
    pub fn all_code(&self) -> Option<&Code> {
        self.built.get()?.code.as_ref()
    }

    /// Whether a run of native code has stopped, and the interpreter has run instead.
    pub fn stopped(&self) -> Option<&Diagnostic> {
        self.stopped.get()
    }

    /// The program that the interpreter runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The same with its derivatives compiled.
    pub fn compiled(&self) -> &Program {
        self.compiled.as_ref().unwrap_or(&self.program)
    }

    /// The program that the interpreter runs, when nothing else of the compilation is needed.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// Whether a function is among those that were compiled.
    pub fn holds(&self, function: FunctionId) -> bool {
        self.functions.binary_search(&function).is_ok()
    }

    /// Native code of a function, where there is some.
    pub fn code(&self, function: FunctionId) -> Option<(&Code, &Function)> {
        let code = self.all_code()?;
        let at = self.functions.binary_search(&function).ok()?;
        Some((code, code.functions()[at].as_ref().ok()?))
    }

    /// The value of a function without parameters. The values of globals that it needs are added to those that are known.
    pub fn run(
        &self,
        function: FunctionId,
        globals: &mut Globals<f64>,
        limits: &Limits,
    ) -> Result<Value, Box<Diagnostic>> {
        self.compute_globals(function, globals, limits)?;
        self.value(function, globals, limits)
    }

    /// Adds the values of the globals that a function needs to those that are known.
    pub fn compute_globals(
        &self,
        function: FunctionId,
        globals: &mut Globals<f64>,
        limits: &Limits,
    ) -> Result<(), Box<Diagnostic>> {
        let mut needed = self.program.reachable(&[function]).globals;
        // Literals need nothing, and others need them.
        let is_literal = |global: &GlobalId| match self.program.global(*global).origin {
            Origin::Computed(computed) => is_literal(self.program.function(computed)),
            Origin::Given => false,
        };
        needed.sort_unstable_by_key(|global| (!is_literal(global), *global));
        for global in needed {
            if !globals.contains_key(&global)
                && let Origin::Computed(computed) = self.program.global(global).origin
            {
                let value = self.value(computed, globals, limits)?;
                globals.insert(global, value);
            }
        }
        Ok(())
    }

    fn value(&self, function: FunctionId, globals: &Globals<f64>, limits: &Limits) -> Result<Value, Box<Diagnostic>> {
        if !self.holds(function) {
            return self.interpret(function, Vec::new(), globals.clone(), limits.clone());
        }
        if self.waits() {
            let few = Limits { steps: limits.steps.min(PATIENCE), ..limits.clone() };
            match self.interpret_in(function, Vec::new(), globals.clone(), few, true) {
                Err(problem) if is_impatient(&problem, limits) => self.make_code(limits),
                result => return result,
            }
        }
        let native = self.code(function).map(|(code, compiled)| {
            let mut global = |id: GlobalId| globals.get(&id).cloned();
            code.call(compiled, &[], &mut global, limits)
        });
        self.resume(native, limits, &|limits| self.interpret(function, Vec::new(), globals.clone(), limits))
    }

    /// Goes on from where native code stopped, if there is some: with what it gave, with the interpreter's words for what it
    /// found wrong, or with the interpreter.
    pub fn resume<T>(
        &self,
        native: Option<Result<T, Stop>>,
        limits: &Limits,
        interpret: &dyn Fn(Limits) -> Result<T, Box<Diagnostic>>,
    ) -> Result<T, Box<Diagnostic>> {
        match native {
            Some(Ok(value)) => return Ok(value),
            // The limit is the user's, and the interpreter is given another to find an error again.
            Some(Err(Stop::Wrong(diagnostic))) if diagnostic.code == "step-limit" => return Err(diagnostic),
            Some(Err(Stop::Wrong(diagnostic))) => {
                // The interpreter knows the calls on the way that have been written out in code.
                let few = Limits { steps: limits.steps.min(STEPS_TO_EXPLAIN), ..limits.clone() };
                return match interpret(few) {
                    Err(explained) if explained.code == diagnostic.code => Err(explained),
                    _ => Err(diagnostic),
                };
            }
            Some(Err(Stop::Elsewhere)) => {
                self.stopped.get_or_init(|| {
                    warning(
                        Diagnostic::placeless("not-native", "native code cannot run this for these values")
                            .help("the interpreter ran it instead"),
                    )
                });
            }
            None => {}
        }
        let value = interpret(limits.clone())?;
        match self.precision {
            Precision::Double => Ok(value),
            // What the interpreter finds wrong is wrong, but its numbers are longer.
            Precision::Single => Err(Box::new(
                Diagnostic::placeless("not-native", "single precision is for native code, which cannot run this here")
                    .help("without `--precision f32` the interpreter runs the program"),
            )),
        }
    }

    /// The value of a function for arguments, sizes first, by the interpreter.
    pub fn interpret(
        &self,
        function: FunctionId,
        arguments: Vec<Value>,
        globals: Globals<f64>,
        limits: Limits,
    ) -> Result<Value, Box<Diagnostic>> {
        self.interpret_in(function, arguments, globals, limits, false)
    }

    fn interpret_in(
        &self,
        function: FunctionId,
        arguments: Vec<Value>,
        globals: Globals<f64>,
        limits: Limits,
        tries: bool,
    ) -> Result<Value, Box<Diagnostic>> {
        let place = Execution {
            tries,
            program: &self.program,
            compiled: self.compiled(),
            via: self.via,
            code: self.most_code,
            trap: &self.trap,
        };
        place.run(function, globals, &limits, |machine| machine.call_with(function, arguments))
    }
}

/// Where the interpreter runs.
pub(crate) struct Execution<'p> {
    /// The program that it runs.
    pub program: &'p Program,
    /// The same with its derivatives compiled.
    pub compiled: &'p Program,
    /// The representation of derivatives that it meets.
    pub via: Option<&'static Representation>,
    /// How many operations the compiler may write for these.
    pub code: u64,
    /// The trap that reports where a NaN starts.
    pub trap: &'p Option<Arc<Trap>>,
    /// Whether something else goes on if it is not done soon.
    pub tries: bool,
}

impl Execution<'_> {
    /// The result of a machine that knows the values of some globals, within limits, whose error is at a function.
    pub fn run<T>(
        &self,
        at: FunctionId,
        globals: Globals<f64>,
        limits: &Limits,
        work: impl FnOnce(&mut Machine<f64>) -> Result<T, Box<Diagnostic>>,
    ) -> Result<T, Box<Diagnostic>> {
        let via = self.via.filter(|via| !via.is_compiled());
        let via = via.map_or_else(Representation::at_run_time, |via| via.differentiator(false));
        let mut machine = Machine::with_globals(self.program, limits.clone(), globals)
            .differentiate_with(self.compiled, Rc::new(via))
            .with_trap(self.trap.clone());
        if self.tries {
            machine = machine.in_few_steps();
        }
        riesz_limit::within(&limits.bounds(self.code), || work(&mut machine))
            .unwrap_or_else(|reason| Err(problem::stopped(reason, limits, self.program.function(at).span)))
    }
}

/// Functions, and those that compute the globals they need and that are not known, each once, but for those that are long
/// literals.
fn with_globals(program: &Program, functions: &[FunctionId], known: &dyn Fn(GlobalId) -> bool) -> Vec<FunctionId> {
    let needed = program.reachable(functions).globals;
    let computing = needed.iter().filter_map(|global| match program.global(*global).origin {
        Origin::Computed(function) if !known(*global) && !is_literal(program.function(function)) => Some(function),
        _ => None,
    });
    let mut all: Vec<FunctionId> = functions.iter().copied().chain(computing).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A place as `file:line:column`.
pub(crate) fn place(sources: &Sources, span: Span) -> String {
    let (line, column) = sources.position(span);
    format!("{}:{line}:{column}", sources.get(span.file).name)
}

/// Whether the interpreter has stopped because it had few steps, not because the user gave it no more.
pub(crate) fn is_impatient(problem: &Diagnostic, limits: &Limits) -> bool {
    problem.code == "step-limit" && limits.steps > PATIENCE
}

impl Built {
    /// No code, and why.
    fn none(problem: Problem) -> Built {
        let note = warning(problem.diagnostic().help("the interpreter runs the program instead"));
        Built { code: None, notes: vec![note], problem: Some(problem) }
    }
}

fn warning(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..diagnostic }
}

/// The error of a limit, at a place if there is one.
pub(crate) fn stopped(reason: riesz_limit::Stopped, limits: &Limits, place: Option<Span>) -> Diagnostic {
    let nowhere = Span { file: crate::FileId(0), start: 0, end: 0 };
    let mut diagnostic = *problem::stopped(reason, limits, place.unwrap_or(nowhere));
    if place.is_none() {
        diagnostic.labels.clear();
    }
    diagnostic
}
