//! Loaded libraries, and the functions in them.

use crate::compiler::{Compiler, Settings};
use crate::fault::fault;
use crate::marshal::{Arguments, has_nan, is_nan, result, result_words};
use crate::problem::Problem;
use libloading::Library;
use riesz_core::evaluate::{Limits, Value};
use riesz_core::term::{FunctionId, GlobalId};
use riesz_program::layout::{Passing, Slot, slots};
use riesz_program::schedule::{plain_first, schedule};
use riesz_program::{Program, Signature, Unsupported};
use riesz_runtime::{Context, Crew, Interrupt, Pool};
use riesz_rust::{FAULT_WORDS, Options, Precision};
use riesz_syntax::{Diagnostic, Span};
use std::sync::{Arc, OnceLock};

/// A library, and the functions of a program that it holds.
pub struct Code {
    /// What the functions below are in.
    _library: Library,
    entries: Vec<Entered>,
    /// Takes buffers back; there where there is anything to enter.
    free: Option<Free>,
    sites: Vec<riesz_program::program::Site>,
    functions: Vec<Result<Function, Unsupported>>,
    /// What to ask where plain products make a NaN that exact ones may not.
    careful: Option<Careful>,
    /// Who shares the work.
    pool: Option<Arc<Pool>>,
    pub(crate) precision: Precision,
}

/// Code with exact products, built when it is first needed.
struct Careful {
    lowered: Program,
    signatures: Vec<Result<Signature, Unsupported>>,
    compiler: Compiler,
    settings: Settings,
    code: OnceLock<Option<Box<Code>>>,
}

/// A function of a library.
#[derive(Clone, Debug)]
pub struct Function {
    pub(crate) signature: Signature,
    /// What its result is passed in.
    slots: Vec<Slot>,
    /// How many words that is.
    words: usize,
    /// Which of them are buffers, and how many bytes their elements have.
    buffers: Vec<(usize, usize)>,
    /// Its position among the exports.
    at: usize,
    /// Whether a NaN flag follows its result.
    flagged: bool,
}

/// Why a run gave no value.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The program is wrong, as the interpreter would say.
    Wrong(Box<Diagnostic>),
    /// This code cannot go on, but the interpreter can.
    Elsewhere,
}

type Entered = unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *mut u64) -> i32;
type Free = unsafe extern "C" fn(*mut u64, u64, u64);

impl Code {
    /// Compiles and loads functions of a program without derivatives. Each that cannot be compiled says why.
    pub fn new(
        program: &riesz_core::Program,
        functions: &[FunctionId],
        compiler: &Compiler,
        settings: Settings,
        place: &dyn Fn(Span) -> String,
    ) -> Result<Code, Problem> {
        let (lowered, entries) = riesz_program::lower(program, functions);
        let signatures = functions.iter().zip(entries).map(|(id, entry)| Ok(Signature::of(program, *id, entry?)));
        Code::build(lowered, signatures.collect(), compiler, settings, place)
    }

    /// The same for functions that have been lowered.
    pub fn build(
        mut lowered: Program,
        signatures: Vec<Result<Signature, Unsupported>>,
        compiler: &Compiler,
        settings: Settings,
        place: &dyn Fn(Span) -> String,
    ) -> Result<Code, Problem> {
        let entries = || signatures.iter().flatten().map(|signature| signature.procedure);
        if let Some(plain) = (!settings.careful).then(|| plain_first(&lowered, entries())).flatten() {
            let careful = Settings { careful: true, ..settings };
            let mut code = Code::build(plain.program, signatures.clone(), compiler, careful, place)?;
            for function in code.functions.iter_mut().flatten() {
                function.flagged = plain.flagged.contains(&function.signature.procedure);
            }
            let compiler = compiler.clone();
            let careful = Careful { lowered, signatures, compiler, settings: careful, code: OnceLock::new() };
            return Ok(Code { careful: Some(careful), ..code });
        }
        let exports: Vec<_> = entries().collect();
        schedule(&mut lowered, &riesz_rust::target(settings.precision, settings.fine));
        riesz_limit::pass("emit");
        let source = riesz_rust::emit(&lowered, &Options { place, exports: &exports, precision: settings.precision });
        let path = compiler.library(&source, settings)?;
        keep_memory();
        // The compiler wrote the library, now or before, from source that does nothing when it is loaded. Only the user can
        // write where it lies, and it has the checksum that it had then.
        let library = unsafe { Library::new(&path) }
            .map_err(|error| Problem::new(format!("cannot load {}: {error}", path.display())))?;
        // The names and types are those that the boundary of the generated source has.
        let entries: Result<Vec<Entered>, Problem> =
            (0..exports.len()).map(|at| unsafe { symbol(&library, &format!("riesz_{at}")) }).collect();
        let free = match exports.is_empty() {
            true => None,
            false => Some(unsafe { symbol(&library, "riesz_free") }?),
        };
        let mut at = 0;
        let functions = signatures.into_iter().map(|signature| {
            at += 1;
            match signature {
                Ok(signature) => {
                    let slots = slots(&signature.result, Passing::Result).unwrap_or_default();
                    let (words, buffers) = result_words(&slots, settings.precision);
                    Ok(Function { signature, slots, words, buffers, at: at - 1, flagged: false })
                }
                Err(problem) => {
                    at -= 1;
                    Err(problem)
                }
            }
        });
        Ok(Code {
            _library: library,
            entries: entries?,
            free,
            functions: functions.collect(),
            sites: lowered.sites,
            careful: None,
            pool: None,
            precision: settings.precision,
        })
    }

    /// Shares the work of loops among threads from now on. Results are the same to the last bit.
    pub fn use_threads(&mut self, pool: Arc<Pool>) {
        self.pool = Some(pool);
    }

    /// The functions, in the order in which they were asked for.
    pub fn functions(&self) -> &[Result<Function, Unsupported>] {
        &self.functions
    }

    /// Calls a function with its arguments: the sizes that it takes first, then its own. `global` are the values of
    /// globals.
    pub fn call(
        &self,
        function: &Function,
        arguments: &[Value<f64>],
        global: &mut dyn FnMut(GlobalId) -> Option<Value<f64>>,
        limits: &Limits,
    ) -> Result<Value<f64>, Stop> {
        let mut passed = Arguments::new(self.precision);
        for (value, ty) in arguments.iter().zip(&function.signature.parameters) {
            passed.push(value, ty);
        }
        for (id, ty) in &function.signature.globals {
            passed.push(&global(*id).ok_or(Stop::Elsewhere)?, ty);
        }
        self.value_of(function, &passed.words, limits)
    }

    /// Arguments, ready to be passed again and again.
    pub fn prepare(
        &self,
        function: &Function,
        arguments: &[Value<f64>],
        global: &mut dyn FnMut(GlobalId) -> Option<Value<f64>>,
    ) -> Option<Ready> {
        let mut passed = Arguments::new(self.precision);
        for (value, ty) in arguments.iter().zip(&function.signature.parameters) {
            passed.push(value, ty);
        }
        for (id, ty) in &function.signature.globals {
            passed.push(&global(*id)?, ty);
        }
        Some(Ready { function: function.clone(), passed })
    }

    /// Runs a function on arguments that are ready, and drops what it gives: for clocks.
    pub fn run(&self, ready: &Ready, limits: &Limits) -> Result<(), Stop> {
        self.exactly(&ready.function, &ready.passed.words, limits, |_| ())
    }

    fn crew(&self) -> Crew {
        self.pool.as_ref().map_or(Crew::NONE, |pool| pool.crew())
    }

    /// What a function gives for arguments that are ready.
    pub fn value(&self, ready: &Ready, limits: &Limits) -> Result<Value<f64>, Stop> {
        self.value_of(&ready.function, &ready.passed.words, limits)
    }

    /// The most bytes that the buffers of a function take in a run at one time.
    pub fn bytes(&self, ready: &Ready, limits: &Limits) -> Result<u64, Stop> {
        self.bytes_of(&ready.function, &ready.passed.words, limits)
    }

    pub(crate) fn bytes_of(&self, function: &Function, passed: &[u64], limits: &Limits) -> Result<u64, Stop> {
        let mut context = context(limits, self.crew());
        let before = context.memory;
        self.enter_in(&mut context, function, passed, limits, |_| ())?;
        Ok(u64::try_from(before - context.least).unwrap_or(0))
    }

    pub(crate) fn value_of(&self, function: &Function, passed: &[u64], limits: &Limits) -> Result<Value<f64>, Stop> {
        let read = |words: &[u64]| unsafe { result(words, &function.signature.result, self.precision) };
        self.exactly(function, passed, limits, read)
    }

    /// Runs a function, and again with exact products where plain ones made a NaN.
    pub(crate) fn exactly<T>(
        &self,
        function: &Function,
        passed: &[u64],
        limits: &Limits,
        mut read: impl FnMut(&[u64]) -> T,
    ) -> Result<T, Stop> {
        let Some(careful) = &self.careful else { return self.enter(function, passed, limits, self.crew(), read) };
        let looked = |words: &[u64]| {
            let seen = !function.flagged || words.last().is_some_and(|word| is_nan(*word, self.precision));
            // The words are those of a result of the function.
            (seen && unsafe { has_nan(words, &function.slots, self.precision) }, read(words))
        };
        match self.enter(function, passed, limits, self.crew(), looked)? {
            (false, value) => Ok(value),
            (true, _) => match careful.code() {
                Some(code) => code.enter(function, passed, limits, self.crew(), read),
                None => Err(Stop::Elsewhere),
            },
        }
    }

    fn enter<T>(
        &self,
        function: &Function,
        passed: &[u64],
        limits: &Limits,
        crew: Crew,
        read: impl FnOnce(&[u64]) -> T,
    ) -> Result<T, Stop> {
        self.enter_in(&mut context(limits, crew), function, passed, limits, read)
    }

    fn enter_in<T>(
        &self,
        context: &mut Context,
        function: &Function,
        passed: &[u64],
        limits: &Limits,
        read: impl FnOnce(&[u64]) -> T,
    ) -> Result<T, Stop> {
        let (Some(entered), Some(free)) = (self.entries.get(function.at), self.free) else {
            return Err(Stop::Elsewhere);
        };
        let count = function.words + usize::from(function.flagged);
        let (mut few, mut many) = ([0u64; FEW_WORDS], Vec::new());
        let results = match few.get_mut(..count) {
            Some(few) => few,
            None => {
                many.resize(count, 0);
                &mut many[..]
            }
        };
        let mut told = [0u64; FAULT_WORDS];
        let status = unsafe { entered(&mut *context, passed.as_ptr(), results.as_mut_ptr(), told.as_mut_ptr()) };
        if status != 0 {
            return Err(fault(&self.sites, &told, context, limits, self.precision));
        }
        let value = read(results);
        for (word, size) in &function.buffers {
            unsafe { free(results[*word] as *mut u64, results[word + 1], *size as u64) };
        }
        Ok(value)
    }
}

impl Careful {
    fn code(&self) -> Option<&Code> {
        let build = || {
            let place = |_| "here".to_string();
            let (lowered, signatures) = (self.lowered.clone(), self.signatures.clone());
            Code::build(lowered, signatures, &self.compiler, self.settings, &place).ok().map(Box::new)
        };
        self.code.get_or_init(build).as_deref()
    }
}

/// A function of a library.
///
/// # Safety
/// It is of this type, and not called when the library is gone.
unsafe fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F, Problem> {
    match unsafe { library.get::<F>(name.as_bytes()) } {
        Ok(function) => Ok(*function),
        Err(error) => Err(Problem::new(format!("cannot find {name} in the compiled library: {error}"))),
    }
}

/// Arguments, ready to be passed.
pub struct Ready {
    function: Function,
    passed: Arguments,
}

/// Tells the allocator to keep large blocks that are given back: the next run needs them again, and pages that the system
/// takes and gives cost more than most of what is done with them.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            safe fn mallopt(parameter: i32, value: i32) -> i32;
        }
        const TRIM_THRESHOLD: i32 = -1;
        const MMAP_THRESHOLD: i32 = -3;
        mallopt(MMAP_THRESHOLD, 1 << 30);
        mallopt(TRIM_THRESHOLD, i32::MAX);
    }
}

/// So many words of a result need no memory of their own.
const FEW_WORDS: usize = 16;

/// How much stack is left for what is called at the end of it.
const SPARE: usize = 256 << 10;

fn context(limits: &Limits, crew: Crew) -> Context {
    let here = 0u8;
    let left = stacker::remaining_stack().unwrap_or(1 << 20).saturating_sub(SPARE);
    let memory = i64::try_from(limits.memory).unwrap_or(i64::MAX);
    Context {
        steps: i64::try_from(limits.steps).unwrap_or(i64::MAX),
        memory,
        least: memory,
        depth: i64::try_from(limits.depth).unwrap_or(i64::MAX),
        stack: (&raw const here).addr().saturating_sub(left),
        crew,
        // The limits hold the flag, and outlive the run.
        interrupt: limits.interrupt.as_deref().map_or(Interrupt::NEVER, |flag| unsafe { Interrupt::new(flag) }),
    }
}
