//! The functions that the host enters: they read the words of the arguments, call a procedure, and write the words of its
//! results.

use crate::Refused;
use crate::host::{self, Host};
use crate::machine::{Module, host_signature, number};
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, StackSlotData, StackSlotKind, Value, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use riesz_program::program::{Operand, Outcome, Parameter};
use riesz_program::{ProcedureId, Program};

/// Translates the function that enters a procedure.
pub(crate) fn translate(module: &mut Module, program: &Program, id: ProcedureId) -> Result<(), Refused> {
    let mut function = ir::Function::new();
    function.signature.call_conv = module.convention();
    function.signature.params.extend([types::I64; 3].map(AbiParam::new));
    function.signature.returns.push(AbiParam::new(types::I64));
    let mut room = std::mem::replace(&mut module.room, FunctionBuilderContext::new());
    write(module, program, id, FunctionBuilder::new(&mut function, &mut room));
    module.room = room;
    module.enter(function)
}

fn write(module: &mut Module, program: &Program, id: ProcedureId, mut builder: FunctionBuilder) {
    let (procedure, trusted) = (program.procedure(id), crate::function::trusted());
    let start = builder.create_block();
    builder.append_block_params_for_function_params(start);
    builder.switch_to_block(start);
    let [run, arguments, to] = [0, 1, 2].map(|at| builder.block_params(start)[at]);
    let convention = module.convention();
    let ask = |builder: &mut FunctionBuilder, host: &Host, given: &[Value]| {
        let signature = host_signature(host, convention, builder.func);
        let address = builder.ins().iconst(types::I64, host.address as i64);
        let call = builder.ins().call_indirect(signature, address, given);
        builder.inst_results(call).first().copied().unwrap_or(run)
    };
    let slot = |builder: &mut FunctionBuilder, words: usize| {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * words.max(1) as u32, 3);
        let slot = builder.create_sized_stack_slot(data);
        builder.ins().stack_addr(types::I64, slot, 0)
    };
    let failed = builder.create_block();
    let (mut given, mut word) = (vec![run], 0);
    for parameter in &procedure.parameters {
        let (ty, words) = match parameter {
            Parameter::Number(register) => (number(procedure.kind(Operand::Register(*register))), 1),
            Parameter::Read(_) | Parameter::Added(_) => (types::I64, 2),
            // The caller has no buffer for an array that grows: it begins as an empty buffer of this run, which ends with it.
            Parameter::Grown(_) => {
                let zero = builder.ins().iconst(types::I64, 0);
                let one = builder.ins().iconst(types::I64, 8);
                let empty = ask(&mut builder, &host::allocate(), &[run, zero, one, zero]);
                let go_on = builder.create_block();
                builder.ins().brif(empty, go_on, &[], failed, &[]);
                builder.switch_to_block(go_on);
                let cell = slot(&mut builder, 1);
                builder.ins().store(trusted, empty, cell, 0);
                given.push(cell);
                continue;
            }
        };
        given.push(builder.ins().load(ty, trusted, arguments, 8 * word));
        word += words;
    }
    let results = slot(&mut builder, procedure.results.len());
    given.push(results);
    let called = module.called(id, builder.func);
    let call = builder.ins().call(called, &given);
    let status = builder.inst_results(call)[0];
    let fine = builder.create_block();
    builder.ins().brif(status, failed, &[], fine, &[]);
    builder.switch_to_block(fine);
    let mut word = 0;
    for (at, result) in procedure.results.iter().enumerate() {
        match result {
            Outcome::Number(operand) => {
                let ty = number(procedure.kind(*operand));
                let value = builder.ins().load(ty, trusted, results, 8 * at as i32);
                let value = if ty == types::I8 { builder.ins().uextend(types::I64, value) } else { value };
                builder.ins().store(trusted, value, to, 8 * word);
                word += 1;
            }
            Outcome::Buffer(_) => {
                let address = builder.ins().load(types::I64, trusted, results, 8 * at as i32);
                let count = ask(&mut builder, &host::give(), &[run, address]);
                builder.ins().store(trusted, address, to, 8 * word);
                builder.ins().store(trusted, count, to, 8 * word + 8);
                word += 2;
            }
        }
    }
    let zero = builder.ins().iconst(types::I64, 0);
    builder.ins().return_(&[zero]);
    builder.switch_to_block(failed);
    let one = builder.ins().iconst(types::I64, 1);
    builder.ins().return_(&[one]);
    builder.seal_all_blocks();
    builder.finalize(module.target());
}
