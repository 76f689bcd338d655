//! The module of machine code, and how it is entered.
//!
//! Code is written into pages that are writable, which become executable, and no longer writable, before any of it runs.

use crate::host::Host;
use crate::run::{Run, free};
use crate::{Refused, Settings};
use cranelift_codegen::Context as Codegen;
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, SigRef, Signature, Type, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleError, default_libcall_names};
use riesz_call::Machine;
use riesz_program::program::{Kind, Operand, Parameter};
use riesz_program::{ProcedureId, Program};
use riesz_runtime::Context;
use riesz_runtime::boundary::FAULT_WORDS;
use rustc_hash::FxHashMap;
use std::mem::ManuallyDrop;
use std::sync::Mutex;

/// Machine code that is being made.
pub(crate) struct Module {
    jit: JITModule,
    codegen: Codegen,
    pub room: FunctionBuilderContext,
    procedures: FxHashMap<ProcedureId, FuncId>,
    /// The functions that the host enters, in the order of the exports.
    entries: Vec<FuncId>,
}

/// Machine code that is ready.
pub(crate) struct Settled {
    entries: Vec<Entered>,
    /// The pages that the code is in. They are kept only to be given back.
    jit: ManuallyDrop<Mutex<JITModule>>,
}

/// A function that the host enters: its arguments are a run, the words of the arguments, and memory for the words of
/// the results.
type Entered = unsafe extern "C" fn(*mut Run, *const u64, *mut u64) -> i64;

/// The type of numbers of a kind.
pub(crate) fn number(kind: Kind) -> Type {
    match kind {
        Kind::Real => types::F64,
        Kind::Int => types::I64,
        Kind::Bool => types::I8,
    }
}

/// How long a function may be: registers are allocated in more than linear time. Long programs have some thousands of
/// instructions in a function.
const MOST_INSTRUCTIONS: usize = 1 << 15;
const MOST_BLOCKS: usize = 1 << 12;

impl Module {
    /// A module for the processor of the machine.
    pub fn new(Settings { checked, .. }: Settings) -> Result<Module, Refused> {
        let mut flags = settings::builder();
        let verifier = if checked { "true" } else { "false" };
        let wanted = [
            ("opt_level", "speed"),
            ("enable_verifier", verifier),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            // A frame that is longer than the guard of the stack touches it on the way.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ];
        for (name, value) in wanted {
            flags.set(name, value).map_err(refused)?;
        }
        let host = cranelift_native::builder().map_err(|reason| Refused(format!("this processor: {reason}")))?;
        let isa = host.finish(settings::Flags::new(flags)).map_err(refused)?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.symbols(library_functions());
        let jit = JITModule::new(builder);
        let (codegen, room) = (jit.make_context(), FunctionBuilderContext::new());
        Ok(Module { jit, codegen, room, procedures: FxHashMap::default(), entries: Vec::new() })
    }

    /// Declares the function of a procedure.
    pub fn declare(&mut self, program: &Program, id: ProcedureId) -> Result<(), Refused> {
        let signature = self.signature(program, id);
        let function = self.jit.declare_function(&format!("{}", id.0), Linkage::Local, &signature).map_err(refused)?;
        self.procedures.insert(id, function);
        Ok(())
    }

    /// The type of the function of a procedure: it takes a run, its parameters, and the place of its results, and gives
    /// whether it failed. A buffer is the address of its elements, and one that grows the address of that.
    pub fn signature(&self, program: &Program, id: ProcedureId) -> Signature {
        let procedure = program.procedure(id);
        let mut signature = self.jit.make_signature();
        signature.params.push(AbiParam::new(types::I64));
        signature.params.extend(procedure.parameters.iter().map(|parameter| match parameter {
            Parameter::Number(register) => AbiParam::new(number(procedure.kind(Operand::Register(*register)))),
            Parameter::Read(_) | Parameter::Added(_) | Parameter::Grown(_) => AbiParam::new(types::I64),
        }));
        signature.params.push(AbiParam::new(types::I64));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    /// Defines the function of a procedure, if it is not too long.
    pub fn define(&mut self, id: ProcedureId, function: Function) -> Result<(), Refused> {
        if function.dfg.num_insts() > MOST_INSTRUCTIONS || function.dfg.num_blocks() > MOST_BLOCKS {
            return Err(Refused("one of its functions is too long".into()));
        }
        self.codegen.func = function;
        let defined = self.jit.define_function(self.procedures[&id], &mut self.codegen);
        self.jit.clear_context(&mut self.codegen);
        defined.map_err(refused)
    }

    /// Adds a function that the host enters.
    pub fn enter(&mut self, function: Function) -> Result<(), Refused> {
        let id = self.jit.declare_anonymous_function(&function.signature).map_err(refused)?;
        self.codegen.func = function;
        let defined = self.jit.define_function(id, &mut self.codegen);
        self.jit.clear_context(&mut self.codegen);
        self.entries.push(id);
        defined.map_err(refused)
    }

    /// The convention by which functions are called.
    pub fn convention(&self) -> CallConv {
        self.jit.isa().default_call_conv()
    }

    /// The properties of the machine that the builder of a function needs.
    pub fn target(&self) -> TargetFrontendConfig {
        self.jit.target_config()
    }

    /// The function of a procedure, as one that is being made calls it.
    pub fn called(&mut self, id: ProcedureId, function: &mut Function) -> FuncRef {
        self.jit.declare_func_in_func(self.procedures[&id], function)
    }

    /// Makes the code executable.
    pub fn settle(mut self) -> Result<Settled, Refused> {
        self.jit.finalize_definitions().map_err(refused)?;
        riesz_call::keep_memory();
        let entries = self.entries.iter().map(|id| {
            let address = self.jit.get_finalized_function(*id);
            // `entry` has made it with this type.
            unsafe { std::mem::transmute::<*const u8, Entered>(address) }
        });
        Ok(Settled { entries: entries.collect(), jit: ManuallyDrop::new(Mutex::new(self.jit)) })
    }
}

impl Machine for Settled {
    unsafe fn enter(
        &self,
        at: usize,
        context: &mut Context,
        arguments: &[u64],
        results: &mut [u64],
        told: &mut [u64; FAULT_WORDS],
    ) -> i32 {
        let mut run = Run::new(*context);
        // The words are those of the parameters and results of the procedure, as the caller says.
        let status = unsafe { self.entries[at](&mut run, arguments.as_ptr(), results.as_mut_ptr()) };
        *context = run.context;
        *told = run.told;
        status as i32
    }

    unsafe fn free(&self, at: u64, _: u64, _: u64) {
        // It was made by a run, and has left its list.
        unsafe { free(at as *mut u8) }
    }
}

impl Drop for Settled {
    fn drop(&mut self) {
        // It is not used again, and no call can be in the code, which is borrowed while it runs.
        let jit = unsafe { ManuallyDrop::take(&mut self.jit) };
        if let Ok(jit) = jit.into_inner() {
            unsafe { jit.free_memory() }
        }
    }
}

/// The type of a function of the host, in a function that calls it.
pub(crate) fn host_signature(host: &Host, convention: CallConv, function: &mut Function) -> SigRef {
    let mut signature = Signature::new(convention);
    signature.params.extend(host.parameters.iter().map(|ty| AbiParam::new(*ty)));
    signature.returns.extend(host.result.map(AbiParam::new));
    function.import_signature(signature)
}

/// The functions that stand for instructions which an old processor does not have.
fn library_functions() -> [(&'static str, *const u8); 5] {
    extern "C" fn ceil(x: f64) -> f64 {
        x.ceil()
    }
    extern "C" fn floor(x: f64) -> f64 {
        x.floor()
    }
    extern "C" fn trunc(x: f64) -> f64 {
        x.trunc()
    }
    extern "C" fn nearbyint(x: f64) -> f64 {
        x.round_ties_even()
    }
    extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
    [
        ("ceil", ceil as *const u8),
        ("floor", floor as *const u8),
        ("trunc", trunc as *const u8),
        ("nearbyint", nearbyint as *const u8),
        ("fma", fma as *const u8),
    ]
}

fn refused<E: Into<ModuleError>>(error: E) -> Refused {
    Refused(error.into().to_string())
}
