//! Stated derivatives where nothing is differentiated any more.

use riesz_core::term::{Body, FunctionId, Op, Program};

/// Makes plain calls of functions whose derivatives are stated, where nothing is differentiated any more.
pub fn forget_rules(program: &mut Program, roots: &[FunctionId]) {
    fn forget(body: &mut Body) {
        for binding in &mut body.bindings {
            binding.op = match std::mem::replace(&mut binding.op, Op::Accumulator) {
                Op::Ruled(ruled, arguments) => Op::Call(ruled.value, arguments),
                Op::Hold(value) | Op::Graft(value, _) => Op::Copy(value),
                op => op,
            };
            binding.op.visit_bodies_mut(&mut forget);
        }
    }
    for id in program.reachable(roots).functions {
        forget(&mut program.functions[id.0 as usize].body);
    }
}
