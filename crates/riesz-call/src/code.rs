//! Functions of a program as machine code.

use crate::fault::fault;
use crate::marshal::{Arguments, has_nan, is_nan, result, result_words};
use riesz_core::evaluate::{Limits, Value};
use riesz_core::term::GlobalId;
use riesz_program::layout::{Passing, Slot, slots};
use riesz_program::program::Site;
use riesz_program::schedule::plain_first;
use riesz_program::{Precision, ProcedureId, Program, Signature, Unsupported};
use riesz_runtime::boundary::FAULT_WORDS;
use riesz_runtime::{Context, Crew, Interrupt, Pool};
use riesz_syntax::Diagnostic;
use std::sync::{Arc, OnceLock};

/// Procedures of a loop program as machine code. They can be entered from any thread.
pub trait Machine: Send + Sync {
    /// Enters an exported procedure, by its position. Arguments and results are words: a number is its bits, a buffer
    /// its address and its length. A buffer of the results belongs to the caller, who gives it to [`Machine::free`].
    /// Gives 0, or else writes what went wrong as [`riesz_runtime::boundary::tell`] does.
    ///
    /// # Safety
    /// The words are those of values of the parameters of the procedure, whose elements do not change, and there is room
    /// for the words of its results.
    unsafe fn enter(
        &self,
        at: usize,
        context: &mut Context,
        arguments: &[u64],
        results: &mut [u64],
        told: &mut [u64; FAULT_WORDS],
    ) -> i32;

    /// Takes back a buffer of elements of a width in bytes.
    ///
    /// # Safety
    /// It was among the results of [`Machine::enter`], and is not used any more.
    unsafe fn free(&self, at: u64, len: u64, size: u64);
}

/// Functions of a program as machine code.
pub struct Code {
    machine: Box<dyn Machine>,
    sites: Vec<Site>,
    functions: Vec<Result<Function, Unsupported>>,
    /// The function to call if plain products make a NaN that exact ones may not.
    careful: Option<Careful>,
    /// Who shares the work.
    pool: Option<Arc<Pool>>,
    pub(crate) precision: Precision,
}

/// Makes machine code of a program, some of whose procedures are entered from outside.
pub type Make<'m, E> = dyn Fn(&Program, &[ProcedureId]) -> Result<Box<dyn Machine>, E> + 'm;

/// Makes machine code of a program again, some of whose procedures are entered from outside; nothing where that fails.
pub type Rebuild = Box<dyn Fn(&Program, &[ProcedureId]) -> Option<Box<dyn Machine>> + Send + Sync>;

/// Code with exact products, made when it is first needed.
struct Careful {
    lowered: Program,
    signatures: Vec<Result<Signature, Unsupported>>,
    precision: Precision,
    again: Rebuild,
    code: OnceLock<Option<Box<Code>>>,
}

/// A function of a program as machine code.
#[derive(Clone, Debug)]
pub struct Function {
    pub(crate) signature: Signature,
    /// The memory in which its result is passed.
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

impl Code {
    /// The functions of a program, of which `make` makes machine code. Where there are products in which zero is exact,
    /// the first code has plain ones, and code with exact products is made by `again` when one of them has given a NaN.
    pub fn make<E>(
        lowered: Program,
        signatures: Vec<Result<Signature, Unsupported>>,
        precision: Precision,
        make: &Make<E>,
        again: Rebuild,
    ) -> Result<Code, E> {
        let entries = signatures.iter().flatten().map(|signature| signature.procedure);
        let Some(plain) = plain_first(&lowered, entries) else {
            return Code::exact(lowered, signatures, precision, make);
        };
        let mut code = Code::exact(plain.program, signatures.clone(), precision, make)?;
        for function in code.functions.iter_mut().flatten() {
            function.flagged = plain.flagged.contains(&function.signature.procedure);
        }
        let careful = Careful { lowered, signatures, precision, again, code: OnceLock::new() };
        Ok(Code { careful: Some(careful), ..code })
    }

    /// The same with the products as they stand in the program.
    pub fn exact<E>(
        lowered: Program,
        signatures: Vec<Result<Signature, Unsupported>>,
        precision: Precision,
        make: &Make<E>,
    ) -> Result<Code, E> {
        let exports: Vec<_> = signatures.iter().flatten().map(|signature| signature.procedure).collect();
        let machine = make(&lowered, &exports)?;
        let mut exported = 0..;
        let functions = signatures.into_iter().map(|signature| {
            let signature = signature?;
            let slots = slots(&signature.result, Passing::Result).unwrap_or_default();
            let (words, buffers) = result_words(&slots, precision);
            let at = exported.next().unwrap_or_default();
            Ok(Function { signature, slots, words, buffers, at, flagged: false })
        });
        let functions = functions.collect();
        Ok(Code { machine, functions, sites: lowered.sites, careful: None, pool: None, precision })
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
    ) -> Option<PreparedCall> {
        let mut passed = Arguments::new(self.precision);
        for (value, ty) in arguments.iter().zip(&function.signature.parameters) {
            passed.push(value, ty);
        }
        for (id, ty) in &function.signature.globals {
            passed.push(&global(*id)?, ty);
        }
        Some(PreparedCall { function: function.clone(), passed })
    }

    /// Runs a function on arguments that are ready, and drops what it gives: for clocks.
    pub fn run(&self, ready: &PreparedCall, limits: &Limits) -> Result<(), Stop> {
        self.exactly(&ready.function, &ready.passed.words, limits, |_| ())
    }

    fn crew(&self) -> Crew {
        self.pool.as_ref().map_or(Crew::NONE, |pool| pool.crew())
    }

    /// The result of a function for prepared arguments.
    pub fn value(&self, ready: &PreparedCall, limits: &Limits) -> Result<Value<f64>, Stop> {
        self.value_of(&ready.function, &ready.passed.words, limits)
    }

    /// The most bytes that the buffers of a function take in a run at one time.
    pub fn bytes(&self, ready: &PreparedCall, limits: &Limits) -> Result<u64, Stop> {
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
        // The words are those of the arguments of the function, as the caller that made them guarantees.
        let status = unsafe { self.machine.enter(function.at, context, passed, results, &mut told) };
        if status != 0 {
            return Err(fault(&self.sites, &told, context, limits, self.precision));
        }
        let value = read(results);
        for (word, size) in &function.buffers {
            unsafe { self.machine.free(results[*word], results[word + 1], *size as u64) };
        }
        Ok(value)
    }
}

impl Careful {
    fn code(&self) -> Option<&Code> {
        let make = |program: &Program, exports: &[ProcedureId]| (self.again)(program, exports).ok_or(());
        let make = || Code::exact(self.lowered.clone(), self.signatures.clone(), self.precision, &make);
        self.code.get_or_init(|| make().ok().map(Box::new)).as_deref()
    }
}

/// Arguments, ready to be passed.
pub struct PreparedCall {
    function: Function,
    passed: Arguments,
}

/// The number of words of a result that need no memory of their own.
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

/// Tells the allocator to keep large blocks that are given back: the next run needs them again, and pages that the system
/// takes and gives cost more than most of what is done with them.
pub fn keep_memory() {
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
