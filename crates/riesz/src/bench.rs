//! Prepared expressions, which can be run again and again for timing.
//!
//! ```text
//! prepare : text, bindings ──▶ code with its arguments        run : code with its arguments ──▶ time
//! ```
//!
//! All work before the evaluation itself is done once: types, derivatives, code, top-level values, arguments.

use crate::session::{Session, optimised, place};
use crate::via::Representation;
use crate::{Binding, Diagnostic, Evaluated, Name, Type, Value};
use riesz_calculus::Checkpoints;
use riesz_core::evaluate::{Machine, from_data};
use riesz_core::term::Origin;
use riesz_core::{FunctionId, GlobalId, Thunk};
use riesz_native::code::Ready;
use riesz_native::{Code, Compiler, Pool, Problem, Settings, Stop, Watch};
use riesz_syntax::Severity;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What makes and runs native code.
#[derive(Clone)]
pub struct Toolchain {
    /// The compiler.
    pub compiler: Compiler,
    /// How it compiles.
    pub settings: Settings,
    /// What shares the work of loops, where that is more than one thread.
    pub pool: Option<Arc<Pool>>,
}

impl Toolchain {
    /// The compiler of the machine, and so many threads. An error says why there is none.
    pub fn find(threads: usize) -> Result<Toolchain, Problem> {
        let pool = (threads > 1).then(|| Arc::new(Pool::new(threads)));
        Ok(Toolchain { compiler: Compiler::find()?, settings: Settings::default(), pool })
    }

    /// The same, telling how long the compiler takes.
    pub fn watched_by(self, watch: Watch) -> Toolchain {
        Toolchain { compiler: self.compiler.watched_by(watch), ..self }
    }
}

/// An expression of a session that is ready to be run.
pub struct Prepared {
    function: FunctionId,
    /// The values of the globals that it needs.
    globals: Vec<Option<Value>>,
    /// It as native code, if it can be.
    code: Option<(Code, Ready)>,
    /// Its value.
    pub value: Evaluated,
    /// Why the interpreter runs it, where native code was asked for.
    pub note: Option<Diagnostic>,
    /// How long its derivatives and its code took to make.
    pub compiled_in: Duration,
}

impl Session {
    /// Prepares an expression: as native code where a compiler is given, else for the interpreter. Loops keep as much for
    /// their derivatives as the memory of an evaluation allows, as in [`Session::evaluate`].
    pub fn prepare(
        &mut self,
        text: &str,
        bindings: Vec<(Name, Binding)>,
        native: Option<&Toolchain>,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let thunk = self.check("expression", text, bindings)?;
        let plain = self.program().clone();
        let chosen = self.options().checkpoints.is_some();
        let checkpoints = self.options().checkpoints.unwrap_or_default();
        let place = self.program().function(thunk.function).span;
        let prepared = |session: &mut Session, checkpoints: Checkpoints| {
            session.compiling(Some(&plain), Some(place), |session| session.prepare_with(&thunk, checkpoints, native))
        };
        match prepared(self, checkpoints) {
            Err(problems) if !chosen && problems.iter().any(|problem| problem.code == "memory-limit") => {
                self.checker.program = plain.clone();
                prepared(self, Checkpoints::Roots)
            }
            prepared => prepared,
        }
    }

    fn prepare_with(
        &mut self,
        thunk: &Thunk,
        checkpoints: Checkpoints,
        native: Option<&Toolchain>,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let function = thunk.function;
        let start = Instant::now();
        let how = riesz_calculus::Options { checkpoints, by_cost: native.is_some(), ..Default::default() };
        riesz_calculus::compile_with(&mut self.checker.program, &[function], &how)?;
        let mut compiled_in = start.elapsed();
        let globals = self.values_for(function)?;
        let nothing = Evaluated::new(Type::unit(), Value::unit());
        let mut prepared = Prepared { function, globals, code: None, value: nothing, note: None, compiled_in };
        if let Some(native) = native {
            let start = Instant::now();
            match self.code(&prepared, native) {
                Ok(code) => prepared.code = Some(code),
                Err(note) => prepared.note = Some(*note),
            }
            compiled_in += start.elapsed();
        }
        let value = prepared.evaluate(self).map_err(|problem| vec![*problem])?;
        let value = Evaluated::new(value.measured(&thunk.ty), value);
        Ok(Prepared { value, compiled_in, ..prepared })
    }

    /// The values of the globals that a function needs.
    fn values_for(&mut self, function: FunctionId) -> Result<Vec<Option<Value>>, Vec<Diagnostic>> {
        let mut globals = vec![None; self.program().globals.len()];
        for global in self.program().reachable(&[function]).globals {
            let value = match self.program().global(global).origin {
                Origin::Given => self.given(global).map(|data| from_data(data, &self.program().global(global).ty)),
                Origin::Computed(function) => Some(self.run(function).map_err(|problem| vec![*problem])?),
            };
            globals[global.0 as usize] = value;
        }
        Ok(globals)
    }

    /// An expression as native code with its arguments. An error says why the interpreter has to run it.
    fn code(&self, prepared: &Prepared, native: &Toolchain) -> Result<(Code, Ready), Box<Diagnostic>> {
        let note = |diagnostic: Diagnostic| Box::new(Diagnostic { severity: Severity::Warning, ..diagnostic });
        let program = optimised(self.program(), &[prepared.function]);
        let Toolchain { compiler, settings, pool } = native;
        let place = |span| place(self.sources(), span);
        let mut code = Code::new(&program, &[prepared.function], compiler, *settings, &place)
            .map_err(|problem| note(problem.diagnostic().help("the interpreter runs the program instead")))?;
        if let Some(pool) = pool {
            code.use_threads(pool.clone());
        }
        match &code.functions()[0] {
            Err(problem) => {
                let message = format!("the interpreter runs this, not native code: {}", problem.reason);
                Err(note(Diagnostic::error("not-native", problem.span, message)))
            }
            Ok(function) => {
                let mut global = |id: GlobalId| prepared.globals.get(id.0 as usize).cloned().flatten();
                let ready = code.prepare(function, &[], &mut global).ok_or_else(|| {
                    note(Diagnostic::placeless("not-native", "a value that native code needs is not known"))
                })?;
                Ok((code, ready))
            }
        }
    }
}

impl Prepared {
    /// Whether it is native code.
    pub fn is_native(&self) -> bool {
        self.code.is_some()
    }

    /// Runs it in the session it was prepared in, and drops what it gives.
    pub fn run(&self, session: &Session) -> Result<(), Box<Diagnostic>> {
        match &self.code {
            Some((code, ready)) => match code.run(ready, &session.options().limits) {
                Ok(()) => Ok(()),
                Err(Stop::Wrong(problem)) => Err(problem),
                Err(Stop::Elsewhere) => self.interpret(session).map(drop),
            },
            None => self.interpret(session).map(drop),
        }
    }

    fn evaluate(&self, session: &Session) -> Result<Value, Box<Diagnostic>> {
        match &self.code {
            Some((code, ready)) => match code.value(ready, &session.options().limits) {
                Ok(value) => Ok(value),
                Err(Stop::Wrong(problem)) => Err(problem),
                Err(Stop::Elsewhere) => self.interpret(session),
            },
            None => self.interpret(session),
        }
    }

    /// The most bytes that the buffers of a run take at one time, where it is native code.
    pub fn bytes(&self, session: &Session) -> Option<u64> {
        let (code, ready) = self.code.as_ref()?;
        code.bytes(ready, &session.options().limits).ok()
    }

    fn interpret(&self, session: &Session) -> Result<Value, Box<Diagnostic>> {
        let program = session.program();
        let known = |id: GlobalId| self.globals.get(id.0 as usize).cloned().flatten();
        Machine::new(program, session.options().limits.clone(), known)
            .differentiate_with(program, Rc::new(Representation::at_run_time()))
            .run(self.function)
    }
}
