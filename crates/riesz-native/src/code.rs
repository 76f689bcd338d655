//! Functions of a program as native code: built, loaded, ready to be called.

use crate::compiler::{Compiler, Settings};
use crate::problem::Problem;
use libloading::Library;
use riesz_call::{Code, Machine};
use riesz_core::term::FunctionId;
use riesz_program::{ProcedureId, Program, Signature, Unsupported};
use riesz_runtime::Context;
use riesz_runtime::boundary::FAULT_WORDS;
use riesz_rust::Options;
use riesz_syntax::Span;

/// Compiles and loads functions of a program without derivatives. Each that cannot be compiled says why.
pub fn compile(
    program: &riesz_core::Program,
    functions: &[FunctionId],
    compiler: &Compiler,
    settings: Settings,
    place: &dyn Fn(Span) -> String,
) -> Result<Code, Problem> {
    let (lowered, entries) = riesz_program::lower(program, functions);
    let signatures = functions.iter().zip(entries).map(|(id, entry)| Ok(Signature::of(program, *id, entry?)));
    build(lowered, signatures.collect(), compiler, settings, place)
}

/// The same for functions that have been lowered.
pub fn build(
    lowered: Program,
    signatures: Vec<Result<Signature, Unsupported>>,
    compiler: &Compiler,
    settings: Settings,
    place: &dyn Fn(Span) -> String,
) -> Result<Code, Problem> {
    let careful = Settings { careful: true, ..settings };
    let make = |program: &Program, exports: &[ProcedureId]| load(program, exports, compiler, careful, place);
    if settings.careful {
        return Code::exact(lowered, signatures, settings.precision, &make);
    }
    let compiler = compiler.clone();
    let again = move |program: &Program, exports: &[ProcedureId]| {
        load(program, exports, &compiler, careful, &|_| "here".to_string()).ok()
    };
    Code::make(lowered, signatures, settings.precision, &make, Box::new(again))
}

/// Builds the library of a program, unless it is there, and loads it.
fn load(
    program: &Program,
    exports: &[ProcedureId],
    compiler: &Compiler,
    settings: Settings,
    place: &dyn Fn(Span) -> String,
) -> Result<Box<dyn Machine>, Problem> {
    let mut scheduled = program.clone();
    riesz_program::schedule::schedule(&mut scheduled, &riesz_rust::target(settings.precision, settings.fine));
    riesz_limit::pass("emit");
    let options = Options { place, exports, precision: settings.precision };
    let path = compiler.library(&riesz_rust::emit(&scheduled, &options), settings)?;
    riesz_call::keep_memory();
    // The compiler wrote the library, now or before, from source that does nothing when it is loaded. Only the user can
    // write where it lies, and it has the checksum that it had then.
    let library = unsafe { Library::new(&path) }
        .map_err(|error| Problem::new(format!("cannot load {}: {error}", path.display())))?;
    // The names and types are those that the boundary of the generated source has.
    let entries = (0..exports.len()).map(|at| unsafe { symbol(&library, &format!("riesz_{at}")) });
    let entries = entries.collect::<Result<Vec<Entered>, Problem>>()?;
    let free = match exports.is_empty() {
        true => None,
        false => Some(unsafe { symbol(&library, "riesz_free") }?),
    };
    Ok(Box::new(Loaded { entries, free, _library: library }))
}

/// A loaded library.
struct Loaded {
    entries: Vec<Entered>,
    /// Takes buffers back; there where there is anything to enter.
    free: Option<Free>,
    /// The library that contains the functions.
    _library: Library,
}

type Entered = unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *mut u64) -> i32;
type Free = unsafe extern "C" fn(*mut u64, u64, u64);

impl Machine for Loaded {
    unsafe fn enter(
        &self,
        at: usize,
        context: &mut Context,
        arguments: &[u64],
        results: &mut [u64],
        told: &mut [u64; FAULT_WORDS],
    ) -> i32 {
        // Passed on as they are.
        unsafe { self.entries[at](context, arguments.as_ptr(), results.as_mut_ptr(), told.as_mut_ptr()) }
    }

    unsafe fn free(&self, at: u64, len: u64, size: u64) {
        if let Some(free) = self.free {
            // The same.
            unsafe { free(at as *mut u64, len, size) }
        }
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
