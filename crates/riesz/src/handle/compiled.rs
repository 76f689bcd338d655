//! Compiled functions: called as often as wanted, from any thread, with nothing but numbers in and out.

use super::{Error, Function};
use crate::compilation::{Compilation, CompileSettings};
use crate::{Argument, Checkpoints, Data, Diagnostic, Leaf, Misfit, Options, Output, Toolchain, Value};
use riesz_call::{Call, Code, Interface, Refused};
use riesz_core::evaluate::{Globals, from_data, to_data};
use riesz_core::{FunctionId, GlobalId, Type};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A function that has been compiled. A call parses, checks and compiles nothing, and leaves nothing behind. Threads can
/// share it, and a copy of it costs nothing.
///
/// ```
/// use riesz::{Argument, Options, Program};
///
/// # fn main() -> Result<(), riesz::Error> {
/// let text = "fun loss(w: [n]R, x: [m][n]R, y: [m]R): R = sum((dot(w, x[i]) - y[i])^2 | i < m) / m";
/// let program = Program::new("loss.rz", text)?;
/// let gradient = program.function("loss")?.by(&["w"]).grad().compile(&Options::default())?;
///
/// let (x, y) = ([1.0, 2.0, 3.0, 4.0], [3.0, 7.0]);
/// let (mut w, mut by_w) = ([0.0, 0.0], [0.0, 0.0]);
/// for _ in 0..1000 {
///     let arguments = [(&w).into(), Argument::array(&x, &[2, 2]), (&y).into()];
///     gradient.call(&arguments, &mut [(&mut by_w).into()])?;
///     w = [w[0] - 0.05 * by_w[0], w[1] - 0.05 * by_w[1]];
/// }
/// assert!((w[0] - 1.0).abs() < 1e-3 && (w[1] - 1.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Compiled(Arc<Shared>);

struct Shared {
    function: Function,
    options: Options,
    ready: PreparedCall,
    /// The same with as little kept for derivatives as possible, for arguments with which the other takes too much memory.
    checkpointed: OnceLock<Result<PreparedCall, Error>>,
}

/// A compilation, and all that calls of a function of it need.
struct PreparedCall {
    compilation: Compilation,
    function: FunctionId,
    ty: Type,
    /// The parameters and results of the function, or why it cannot be called from outside.
    interface: Result<Interface, String>,
    /// It as native code.
    native: Option<Call>,
    /// The values of the globals that it needs, but for functions, which the interpreter computes where it needs them.
    globals: Vec<(GlobalId, Data)>,
}

impl Compiled {
    pub(super) fn new(function: Function, options: &Options) -> Result<Compiled, Error> {
        // Who compiles a function calls it more than once.
        let options = &Options { native: options.native.clone().map(Toolchain::at_once), ..options.clone() };
        let ready = match PreparedCall::new(&function, options, options.checkpoints.unwrap_or_default()) {
            Err(problem) if options.checkpoints.is_none() && is_out_of_memory(&problem) => {
                PreparedCall::new(&function, options, Checkpoints::Roots)?
            }
            ready => ready?,
        };
        let options = options.clone();
        Ok(Compiled(Arc::new(Shared { function, options, ready, checkpointed: OnceLock::new() })))
    }

    /// Calls the function: an argument for each leaf of its parameters, and a buffer for each leaf of its result.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(p: {x: R, y: [n]R}): (R, [n]R) = (sum(p.y), p.x * p.y)")?;
    /// let f = program.function("f")?.compile(&Default::default())?;
    /// let (mut total, mut scaled) = (0.0, [0.0; 2]);
    /// f.call(&[10.0.into(), (&[1.0, 2.0]).into()], &mut [(&mut total).into(), (&mut scaled).into()])?;
    /// assert_eq!((total, scaled), (3.0, [10.0, 20.0]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, arguments: &[Argument], outputs: &mut [Output]) -> Result<(), Error> {
        self.run(|ready| ready.call(self, arguments, outputs))
    }

    /// The same with a result of its own: where the sizes of the result are not known before, or do not matter. Tuples are
    /// lists, and records have their fields.
    ///
    /// ```
    /// use riesz::{Data, Elements};
    ///
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(n: Int): [_]R = [1 / (i + 1) | i < n]")?;
    /// let f = program.function("f")?.compile(&Default::default())?;
    /// let elements = Elements::Real(vec![1.0, 0.5]);
    /// assert_eq!(f.evaluate(&[2_i64.into()])?, Data::Tensor { shape: vec![2], elements });
    /// # Ok(())
    /// # }
    /// ```
    pub fn evaluate(&self, arguments: &[Argument]) -> Result<Data, Error> {
        self.run(|ready| {
            let value = ready.value(self, arguments)?;
            to_data(&value, &ready.ty).ok_or_else(|| self.no_interface("the result holds a function or a linear map"))
        })
    }

    /// The leaves of the parameters, in the order in which [`call`](Compiled::call) takes them: numbers, and arrays of
    /// numbers; an array of tuples is one for each component. None of a function that cannot be called from outside.
    ///
    /// ```
    /// # fn main() -> Result<(), riesz::Error> {
    /// let program = riesz::Program::new("f.rz", "fun f(a: [m][n]R, points: [k](R, Int)): R = 0.0")?;
    /// let f = program.function("f")?.compile(&Default::default())?;
    /// let leaves: Vec<String> = f.parameters().iter().map(|leaf| format!("{}: {}", leaf.path, leaf.ty)).collect();
    /// assert_eq!(leaves, ["a: [m][n]R", "points.0: [k]R", "points.1: [k]Int"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn parameters(&self) -> &[Leaf] {
        self.0.ready.interface.as_ref().map_or(&[], Interface::arguments)
    }

    /// The leaves of the result, in the order of the buffers that [`call`](Compiled::call) writes.
    pub fn results(&self) -> &[Leaf] {
        self.0.ready.interface.as_ref().map_or(&[], Interface::results)
    }

    /// Whether native code runs it, and has never had to leave a call to the interpreter.
    pub fn is_native(&self) -> bool {
        self.0.ready.native.is_some() && self.0.ready.compilation.stopped().is_none()
    }

    /// Why the interpreter runs it, or something that it needs, or has run a call of it, where native code was asked for.
    pub fn notes(&self) -> impl Iterator<Item = &Diagnostic> {
        let compilation = &self.0.ready.compilation;
        compilation.notes().iter().chain(compilation.stopped())
    }

    /// How long derivatives and code took to make.
    pub fn compiled_in(&self) -> Duration {
        self.0.ready.compilation.compiled_in
    }

    /// The value of a function without parameters, which may hold functions and linear maps.
    pub(crate) fn value(&self) -> Result<Value, Error> {
        self.run(|ready| ready.value(self, &[]))
    }

    /// Runs a function without parameters, and drops what it gives: for clocks.
    pub(crate) fn run_only(&self) -> Result<(), Error> {
        self.run(|ready| ready.run_only(self))
    }

    /// The most bytes that the buffers of a call without arguments take at one time, where it is native code.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let Shared { ready, options, .. } = &*self.0;
        let (call, code) = ready.native.as_ref().zip(ready.compilation.all_code())?;
        code.bytes_with(call, &[], &options.limits).ok()
    }

    /// Calls with what is kept for derivatives as it was compiled, and where that is too much, with checkpoints.
    fn run<T>(&self, mut work: impl FnMut(&PreparedCall) -> Result<T, Error>) -> Result<T, Error> {
        let Shared { function, options, ready, checkpointed } = &*self.0;
        match work(ready) {
            Err(problem)
                if ready.compilation.has_derivatives && options.checkpoints.is_none() && is_out_of_memory(&problem) =>
            {
                match checkpointed.get_or_init(|| PreparedCall::new(function, options, Checkpoints::Roots)) {
                    Ok(ready) => work(ready),
                    Err(problem) => Err(problem.clone()),
                }
            }
            result => result,
        }
    }

    /// The error of a run.
    fn wrong(&self, problem: Diagnostic) -> Error {
        Error::of(Error::Run, self.0.function.program.diagnostics(vec![problem]))
    }

    fn no_interface(&self, problem: &str) -> Error {
        no_interface(&self.0.function, problem)
    }
}

impl PreparedCall {
    fn new(function: &Function, options: &Options, checkpoints: Checkpoints) -> Result<PreparedCall, Error> {
        let program = &function.program;
        let (core, id) = function.core()?;
        let how = CompileSettings { options, checkpoints, sources: program.sources() };
        let failed = |problems| Error::of(Error::Derivative, program.diagnostics(problems));
        let (names, result) = (riesz_core::print::names(core.function(id)), core.function(id).result.clone());
        let compilation = Compilation::new(core, &[id], &|_| false, &how).map_err(failed)?;
        let given = program.0.given.iter();
        let mut globals: Globals<f64> =
            given.map(|(id, data)| (*id, from_data(data, &compilation.program().global(*id).ty))).collect();
        compilation
            .compute_globals(id, &mut globals, &options.limits)
            .map_err(|problem| Error::of(Error::Run, program.diagnostics(vec![*problem])))?;
        let global = |id: GlobalId| globals.get(&id).cloned();
        let taken = compilation.program().function(id);
        let parameters: Vec<Type> = taken.vars[..taken.parameters].iter().map(|info| info.ty.clone()).collect();
        let interface = Interface::new(&names, function.sizes, &parameters, &result, &global);
        let native = match (compilation.code(id), &interface) {
            (Some((code, compiled)), Ok(_)) => code.ready_to_call(compiled, &names, function.sizes, &global).ok(),
            _ => None,
        };
        let data =
            |(id, value): (&GlobalId, &Value)| Some((*id, to_data(value, &compilation.program().global(*id).ty)?));
        let globals = globals.iter().filter_map(data).collect();
        Ok(PreparedCall { function: id, ty: result, interface, native, globals, compilation })
    }

    fn call(&self, compiled: &Compiled, arguments: &[Argument], outputs: &mut [Output]) -> Result<(), Error> {
        let limits = &compiled.0.options.limits;
        self.run(
            compiled,
            arguments,
            outputs,
            |code, call, outputs| code.call_with(call, arguments, outputs, limits),
            |interface, value, outputs| match interface {
                Some(interface) => interface.write(&value, outputs),
                None => Err(Misfit::Outputs { expected: 0, given: outputs.len() }),
            },
        )
    }

    fn value(&self, compiled: &Compiled, arguments: &[Argument]) -> Result<Value, Error> {
        let limits = &compiled.0.options.limits;
        self.run(
            compiled,
            arguments,
            &mut (),
            |code, call, ()| code.value_with(call, arguments, limits),
            |_, value, ()| Ok(value),
        )
    }

    fn run_only(&self, compiled: &Compiled) -> Result<(), Error> {
        let limits = &compiled.0.options.limits;
        self.run(
            compiled,
            &[],
            &mut (),
            |code, call, ()| code.run_with(call, &[], limits),
            |_, value, ()| {
                drop(value);
                Ok(())
            },
        )
    }

    /// Runs native code if there is some, and the interpreter where it does not finish.
    fn run<T, To: ?Sized>(
        &self,
        compiled: &Compiled,
        arguments: &[Argument],
        to: &mut To,
        native: impl FnOnce(&Code, &Call, &mut To) -> Result<T, Refused>,
        read: impl FnOnce(Option<&Interface>, Value, &mut To) -> Result<T, Misfit>,
    ) -> Result<T, Error> {
        let limits = &compiled.0.options.limits;
        let stop = match self.native.as_ref().zip(self.compilation.all_code()) {
            None => None,
            Some((call, code)) => match native(code, call, to) {
                Ok(value) => return Ok(value),
                Err(Refused::Misfit(misfit)) => return Err(Error::Misfit(misfit)),
                Err(Refused::Stop(stop)) => Some(Err(stop)),
            },
        };
        let interface = self.interface.as_ref();
        let values = match &interface {
            Ok(interface) => interface.values(arguments).map_err(Error::Misfit)?,
            // What takes nothing can be run, whatever it gives.
            Err(_) if self.takes_nothing() => Vec::new(),
            Err(problem) => return Err(compiled.no_interface(problem)),
        };
        let value = self.compilation.resume(stop, limits, &|limits| {
            self.compilation.interpret(self.function, values.clone(), self.globals(), limits)
        });
        let value = value.map_err(|problem| compiled.wrong(*problem))?.settled(&self.ty);
        read(interface.ok(), value, to).map_err(Error::Misfit)
    }

    fn takes_nothing(&self) -> bool {
        self.compilation.program().function(self.function).parameters == 0
    }

    /// The values of globals, for this thread.
    fn globals(&self) -> Globals<f64> {
        let value = |(id, data): &(GlobalId, Data)| (*id, from_data(data, &self.compilation.program().global(*id).ty));
        self.globals.iter().map(value).collect()
    }
}

fn no_interface(function: &Function, problem: &str) -> Error {
    let core = function.program.0.core.function(function.id);
    let message = format!("`{}` cannot be called from outside: {problem}", core.name);
    let diagnostic = Diagnostic::error("no-interface", core.span, message);
    Error::Interface(function.program.diagnostics(vec![diagnostic]))
}

fn is_out_of_memory(error: &Error) -> bool {
    error.diagnostics().iter().any(|problem| problem.code == "memory-limit")
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Compiled").field("function", &self.0.function).field("is_native", &self.is_native()).finish()
    }
}
