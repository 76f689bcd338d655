//! One procedure as one function of the IR.
//!
//! Immutable registers are values, mutable ones variables, from which the builder makes values. A buffer is the address of
//! its elements: a value where its place never changes, and else a variable, or a cell in memory for a parameter that
//! grows. A function gives 0, or 1 where it failed, and then the run knows why.

mod expression;
mod lanes;
mod statement;
mod strip;

use crate::Refused;
use crate::host::{self, Host};
use crate::machine::{Module, host_signature, number};
use crate::run::Run;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{
    self, Block as IrBlock, InstBuilder, MemFlagsData, SigRef, StackSlot, StackSlotData, StackSlotKind, Type,
    UserFuncName, Value, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use riesz_program::program::{
    Block, Buffer, Element, Kind, Operand, Outcome, Parameter, Procedure, ProcedureId, Program, Register, SiteId,
};
use riesz_program::scope::{made, moved};
use riesz_program::sizes::Sizes;
use riesz_runtime::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::offset_of;

/// Translates a procedure.
pub(crate) fn translate(module: &mut Module, program: &Program, id: ProcedureId) -> Result<(), Refused> {
    let procedure = program.procedure(id);
    let mut function = ir::Function::with_name_signature(UserFuncName::user(0, id.0), module.signature(program, id));
    let mut room = std::mem::replace(&mut module.room, FunctionBuilderContext::new());
    let builder = FunctionBuilder::new(&mut function, &mut room);
    let translator = Translator {
        module,
        procedure,
        builder,
        run: Value::from_u32(0),
        results: Value::from_u32(0),
        failed: IrBlock::from_u32(0),
        numbers: vec![Number::Unbound; procedure.registers.len()],
        buffers: vec![Place::Unmade; procedure.buffers.len()],
        large: Sizes::of(procedure).large,
        moved: moved(procedure),
        local: 0,
        rooms: Vec::new(),
        rooms_used: 0,
        hosts: FxHashMap::default(),
    };
    translator.procedure();
    module.room = room;
    module.define(id, function)
}

/// The representation of a register in the function.
#[derive(Clone, Copy)]
enum Number {
    /// Not bound yet.
    Unbound,
    /// A value.
    Value(Value),
    /// A variable.
    Variable(Variable),
}

/// Where the elements of a buffer are.
#[derive(Clone, Copy)]
enum Place {
    /// Nowhere yet.
    Unmade,
    /// At an address.
    At(Value),
    /// At an address in the frame, which is never freed.
    Frame(Value),
    /// At the address that a variable holds.
    Variable(Variable),
    /// At the address that is in memory at an address.
    Cell(Value),
}

pub(crate) struct Translator<'t> {
    module: &'t mut Module,
    procedure: &'t Procedure,
    pub builder: FunctionBuilder<'t>,
    /// The run.
    run: Value,
    /// Where the results go.
    results: Value,
    /// Gives 1.
    failed: IrBlock,
    numbers: Vec<Number>,
    buffers: Vec<Place>,
    /// Sizes that may be larger than integers are.
    large: FxHashSet<Register>,
    /// Buffers whose place changes.
    moved: FxHashSet<Buffer>,
    /// How many bytes of the frame are buffers.
    local: u32,
    /// Rooms of the frame for loops in strips, and how many of them loops around use.
    rooms: Vec<StackSlot>,
    rooms_used: usize,
    hosts: FxHashMap<usize, SigRef>,
}

/// How memory is accessed: every address is one of an element, which is aligned.
pub(crate) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl Translator<'_> {
    fn procedure(mut self) {
        let entry = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.builder.switch_to_block(entry);
        self.builder.seal_block(entry);
        self.failed = self.builder.create_block();
        self.builder.set_cold_block(self.failed);
        let given = self.builder.block_params(entry).to_vec();
        (self.run, self.results) = (given[0], given[given.len() - 1]);
        let procedure = self.procedure;
        for (at, register) in procedure.registers.iter().enumerate().filter(|(_, register)| register.mutable) {
            let variable = self.builder.declare_var(number(register.kind));
            let zero = self.operand(register.kind.zero());
            self.builder.def_var(variable, zero);
            self.numbers[at] = Number::Variable(variable);
        }
        for (parameter, value) in procedure.parameters.iter().zip(&given[1..]) {
            match *parameter {
                Parameter::Number(register) => self.bind(register, *value),
                Parameter::Read(buffer) | Parameter::Added(buffer) => self.place(buffer, *value),
                Parameter::Grown(buffer) => self.buffers[buffer.0 as usize] = Place::Cell(*value),
            }
        }
        self.block(&procedure.body, true);
        let mut stay = FxHashSet::default();
        for (at, result) in procedure.results.iter().enumerate() {
            let value = match *result {
                Outcome::Number(operand) => self.operand(operand),
                Outcome::Buffer(buffer) => {
                    stay.insert(buffer);
                    self.buffer(buffer)
                }
            };
            let results = self.results;
            self.builder.ins().store(trusted(), value, results, 8 * at as i32);
        }
        self.release(made(&procedure.body).into_iter().filter(|buffer| !stay.contains(buffer)).collect());
        let fine = self.int(0);
        self.builder.ins().return_(&[fine]);
        self.builder.switch_to_block(self.failed);
        let failed = self.int(1);
        self.builder.ins().return_(&[failed]);
        self.builder.seal_all_blocks();
        let target = self.module.target();
        self.builder.finalize(target);
    }

    /// An integer.
    fn int(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Register(register) => match self.numbers[register.0 as usize] {
                Number::Value(value) => value,
                Number::Variable(variable) => self.builder.use_var(variable),
                // The verifier has seen that every register is bound before it is used.
                Number::Unbound => self.operand(self.procedure.registers[register.0 as usize].kind.zero()),
            },
            Operand::Real(value) => self.builder.ins().f64const(value),
            Operand::Int(value) => self.int(value),
            Operand::Bool(value) => self.builder.ins().iconst(types::I8, i64::from(value)),
        }
    }

    /// Binds or sets a register.
    fn bind(&mut self, register: Register, value: Value) {
        match self.numbers[register.0 as usize] {
            Number::Variable(variable) => self.builder.def_var(variable, value),
            _ => self.numbers[register.0 as usize] = Number::Value(value),
        }
    }

    fn kind(&self, operand: Operand) -> Kind {
        self.procedure.kind(operand)
    }

    fn kind_of(&self, buffer: Buffer) -> Kind {
        self.procedure.buffers[buffer.0 as usize].kind
    }

    /// How many bytes an element of a buffer has.
    fn size_of(&self, buffer: Buffer) -> i64 {
        i64::from(number(self.kind_of(buffer)).bytes())
    }

    /// Where the elements of a buffer are.
    fn buffer(&mut self, buffer: Buffer) -> Value {
        match self.buffers[buffer.0 as usize] {
            Place::At(address) | Place::Frame(address) => address,
            Place::Variable(variable) => self.builder.use_var(variable),
            Place::Cell(cell) => self.builder.ins().load(types::I64, trusted(), cell, 0),
            Place::Unmade => self.int(0),
        }
    }

    /// Notes where the elements of a buffer are from now on.
    fn place(&mut self, buffer: Buffer, address: Value) {
        match self.buffers[buffer.0 as usize] {
            Place::Variable(variable) => self.builder.def_var(variable, address),
            Place::Cell(cell) => {
                self.builder.ins().store(trusted(), address, cell, 0);
            }
            _ if self.moved.contains(&buffer) => {
                let variable = self.builder.declare_var(types::I64);
                self.builder.def_var(variable, address);
                self.buffers[buffer.0 as usize] = Place::Variable(variable);
            }
            _ => self.buffers[buffer.0 as usize] = Place::At(address),
        }
    }

    /// The address of an element, and an offset from there.
    fn element(&mut self, element: Element) -> (Value, Offset32) {
        let (base, size) = (self.buffer(element.buffer), self.size_of(element.buffer));
        match element.at {
            Operand::Int(at) if at.checked_mul(size).and_then(|at| i32::try_from(at).ok()).is_some() => {
                (base, Offset32::new((at * size) as i32))
            }
            at => {
                let at = self.operand(at);
                let bytes = match size {
                    1 => at,
                    _ => self.builder.ins().ishl_imm_u(at, 3),
                };
                (self.builder.ins().iadd(base, bytes), Offset32::new(0))
            }
        }
    }

    /// The address of an element, for a function of the host.
    fn address(&mut self, element: Element) -> Value {
        let (base, offset) = self.element(element);
        let offset: i64 = offset.into();
        if offset == 0 { base } else { self.builder.ins().iadd_imm_s(base, offset) }
    }

    /// Calls a function of the host.
    fn call_host(&mut self, host: &Host, arguments: &[Value]) -> Option<Value> {
        let convention = self.module.convention();
        let function = &mut *self.builder.func;
        let signature =
            *(self.hosts.entry(host.address as usize)).or_insert_with(|| host_signature(host, convention, function));
        let address = self.int(host.address as i64);
        let call = self.builder.ins().call_indirect(signature, address, arguments);
        self.builder.inst_results(call).first().copied()
    }

    /// The same for one that gives something.
    fn ask_host(&mut self, host: &Host, arguments: &[Value]) -> Value {
        self.call_host(host, arguments).unwrap_or(self.run)
    }

    /// Room for words in the frame: its address.
    fn words(&mut self, count: usize) -> Value {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * count.max(1) as u32, 3);
        let slot = self.builder.create_sized_stack_slot(data);
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    /// Goes on only where a condition holds, and fails otherwise, after what `telling` does.
    fn require(&mut self, condition: Value, telling: impl FnOnce(&mut Self)) {
        let (fine, wrong) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(wrong);
        self.builder.ins().brif(condition, fine, &[], wrong, &[]);
        self.builder.switch_to_block(wrong);
        self.builder.seal_block(wrong);
        telling(self);
        let failed = self.failed;
        self.builder.ins().jump(failed, &[]);
        self.builder.switch_to_block(fine);
        self.builder.seal_block(fine);
    }

    /// Goes on only where a condition holds, and fails at a site otherwise, telling some numbers.
    fn check(&mut self, condition: Value, site: SiteId, told: &[Operand]) {
        let told = told.to_vec();
        self.require(condition, |this| {
            let mut arguments = vec![this.run, this.int(i64::from(site.0))];
            for at in 0..3 {
                arguments.push(match told.get(at) {
                    Some(operand) => this.as_word(*operand),
                    None => this.int(0),
                });
            }
            this.call_host(&host::fail(), &arguments);
        });
    }

    /// A number as a word.
    fn as_word(&mut self, operand: Operand) -> Value {
        let value = self.operand(operand);
        match self.kind(operand) {
            Kind::Int => value,
            Kind::Bool => self.builder.ins().uextend(types::I64, value),
            Kind::Real => self.builder.ins().bitcast(types::I64, MemFlagsData::new(), value),
        }
    }

    /// Reads a field of the limits.
    fn limit(&mut self, ty: Type, offset: usize) -> Value {
        let run = self.run;
        self.builder.ins().load(ty, trusted(), run, (offset_of!(Run, context) + offset) as i32)
    }

    /// Writes a field of the limits.
    fn set_limit(&mut self, offset: usize, value: Value) {
        let run = self.run;
        self.builder.ins().store(trusted(), value, run, (offset_of!(Run, context) + offset) as i32);
    }

    /// Whether the run has not been asked to stop.
    fn goes_on(&mut self) -> Value {
        let flag = self.limit(types::I64, offset_of!(Context, interrupt));
        let asked = self.builder.ins().load(types::I8, MemFlagsData::new(), flag, 0);
        self.builder.ins().icmp_imm_s(IntCC::Equal, asked, 0)
    }

    /// Statements in order.
    fn block(&mut self, block: &Block, outermost: bool) {
        for statement in block {
            self.statement(statement, outermost);
        }
    }

    /// A block; the buffers that it makes are gone behind it.
    fn nested(&mut self, block: &Block) {
        self.block(block, false);
        self.release(made(block));
    }

    fn release(&mut self, buffers: Vec<Buffer>) {
        for buffer in buffers {
            if let Place::Frame(_) = self.buffers[buffer.0 as usize] {
                continue;
            }
            let address = self.buffer(buffer);
            let run = self.run;
            self.call_host(&host::release(), &[run, address]);
        }
    }
}
