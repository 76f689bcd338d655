//! Functions of a program as native code, compiled on first use.

use crate::child::Watch;
use crate::code::{Code, Stop};
use crate::compiler::{Compiler, Settings};
use crate::problem::Problem;
use riesz_core::evaluate::{Globals, Limits, Value};
use riesz_core::term::{FunctionId, GlobalId, Origin, Program};
use riesz_runtime::Pool;
use riesz_rust::Precision;
use riesz_syntax::{Diagnostic, Severity, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// What runs functions as native code, and what it has compiled.
pub struct Native {
    compiler: Result<Compiler, Problem>,
    settings: Settings,
    libraries: Vec<Code>,
    /// Where a function is: which library, and which function of it.
    places: HashMap<FunctionId, (usize, usize)>,
    /// What the user should know.
    notes: Vec<Diagnostic>,
    /// Whether the user knows that nothing can be compiled here.
    told: bool,
    pool: Option<Arc<Pool>>,
}

/// How a run is to be done.
pub struct Run<'a> {
    /// The program, prepared for becoming code.
    pub program: &'a Program,
    /// What it may use.
    pub limits: &'a Limits,
    /// Runs a function by the interpreter, which knows the same functions and globals.
    pub interpret: &'a Interpret<'a>,
    /// A place as a person finds it.
    pub place: &'a dyn Fn(Span) -> String,
}

/// Runs a function without parameters within limits, given the values of globals as far as they are known.
pub type Interpret<'a> = dyn Fn(FunctionId, Limits, &Globals<f64>) -> Result<Value<f64>, Box<Diagnostic>> + 'a;

impl Native {
    /// With the compiler of the machine, if there is one.
    pub fn new(settings: Settings) -> Native {
        Native {
            compiler: Compiler::find(),
            settings,
            libraries: Vec::new(),
            places: HashMap::new(),
            notes: Vec::new(),
            told: false,
            pool: None,
        }
    }

    /// The same with so many threads to share the work of loops. Results do not depend on how many there are.
    pub fn with_threads(self, threads: usize) -> Native {
        Native { pool: (threads > 1).then(|| Arc::new(Pool::new(threads))), ..self }
    }

    /// The same, telling how long the compiler takes.
    pub fn watched_by(self, watch: Watch) -> Native {
        Native { compiler: self.compiler.map(|compiler| compiler.watched_by(watch)), ..self }
    }

    /// What the user should know of what has been done so far: where the interpreter has taken over, and why.
    pub fn take_notes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.notes)
    }

    /// Whether a function has been compiled, or cannot be.
    pub fn knows(&self, function: FunctionId) -> bool {
        self.places.contains_key(&function) || self.compiler.is_err()
    }

    /// Forgets the code of a function and of the globals it needs, so that the next run compiles them anew: they are other
    /// functions now.
    pub fn forget(&mut self, program: &Program, function: FunctionId) {
        for function in with_globals(program, &[function]) {
            self.places.remove(&function);
        }
    }

    /// Compiles functions into one library, with the globals they need.
    pub fn compile(&mut self, program: &Program, functions: &[FunctionId], place: &dyn Fn(Span) -> String) {
        let compiler = match &self.compiler {
            Ok(compiler) => compiler,
            Err(problem) => {
                if !self.told {
                    let problem = problem.diagnostic();
                    self.told = true;
                    self.note(problem);
                }
                return;
            }
        };
        let mut wanted = with_globals(program, functions);
        wanted.retain(|function| !self.places.contains_key(function));
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return;
        }
        match Code::new(program, &wanted, compiler, self.settings, place) {
            Ok(mut code) => {
                if let Some(pool) = &self.pool {
                    code.use_threads(pool.clone());
                }
                for (at, function) in wanted.iter().enumerate() {
                    self.places.insert(*function, (self.libraries.len(), at));
                }
                let unsupported: Vec<_> =
                    code.functions().iter().filter_map(|function| function.as_ref().err()).cloned().collect();
                self.libraries.push(code);
                for problem in unsupported {
                    let message = format!("the interpreter runs this, not native code: {}", problem.reason);
                    self.note(Diagnostic::error("not-native", problem.span, message));
                }
            }
            Err(problem) => {
                self.note(problem.diagnostic());
                self.compiler = Err(problem);
                self.told = true;
            }
        }
    }

    fn note(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.severity = Severity::Warning;
        if diagnostic.labels.is_empty() {
            diagnostic = diagnostic.help("the interpreter runs the program instead");
        }
        if !self.notes.contains(&diagnostic) {
            self.notes.push(diagnostic);
        }
    }

    /// The value of a function without parameters: by native code where there is some, else by the interpreter. The
    /// values of globals that it needs are added to those that are known.
    pub fn run(
        &mut self,
        function: FunctionId,
        globals: &mut Globals<f64>,
        run: &Run,
    ) -> Result<Value<f64>, Box<Diagnostic>> {
        if !self.knows(function) || !self.told && self.compiler.is_err() {
            self.compile(run.program, &[function], run.place);
        }
        let mut needed = run.program.reachable(&[function]).globals;
        needed.sort_unstable();
        for global in needed {
            if !globals.contains_key(&global)
                && let Origin::Computed(computed) = run.program.global(global).origin
            {
                let value = self.value(computed, globals, run)?;
                globals.insert(global, value);
            }
        }
        self.value(function, globals, run)
    }

    fn value(&self, function: FunctionId, globals: &Globals<f64>, run: &Run) -> Result<Value<f64>, Box<Diagnostic>> {
        if let Some((library, at)) = self.places.get(&function)
            && let code = &self.libraries[*library]
            && let Ok(compiled) = &code.functions()[*at]
        {
            let mut global = |id: GlobalId| globals.get(&id).cloned();
            match code.call(compiled, &[], &mut global, run.limits) {
                Ok(value) => return Ok(value),
                // The limit is the user's, and the interpreter is given another to find an error again.
                Err(Stop::Wrong(diagnostic)) if diagnostic.code == "step-limit" => return Err(diagnostic),
                Err(Stop::Wrong(diagnostic)) => {
                    // The interpreter knows the calls on the way that have been written out in code.
                    let few = Limits { steps: run.limits.steps.min(STEPS_TO_EXPLAIN), ..run.limits.clone() };
                    return match (run.interpret)(function, few, globals) {
                        Err(explained) if explained.code == diagnostic.code => Err(explained),
                        _ => Err(diagnostic),
                    };
                }
                Err(Stop::Elsewhere) => {}
            }
        }
        let value = (run.interpret)(function, run.limits.clone(), globals)?;
        match self.settings.precision {
            Precision::Double => Ok(value),
            // What the interpreter finds wrong is wrong, but its numbers are longer.
            Precision::Single => Err(Box::new(
                Diagnostic::placeless("not-native", "single precision is for native code, which cannot run this here")
                    .help("without `--precision f32` the interpreter runs the program"),
            )),
        }
    }
}

/// Functions, and those that compute the globals they need.
fn with_globals(program: &Program, functions: &[FunctionId]) -> Vec<FunctionId> {
    let needed = program.reachable(functions).globals;
    let computing = needed.iter().filter_map(|global| match program.global(*global).origin {
        Origin::Computed(function) => Some(function),
        Origin::Given => None,
    });
    functions.iter().copied().chain(computing).collect()
}

/// How many steps the interpreter may take to find an error again.
const STEPS_TO_EXPLAIN: u64 = 1_000_000;
