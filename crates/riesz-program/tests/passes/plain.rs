//! Functions of an array as loop programs after few passes, for testing the next one.

use riesz_core::evaluate::Value;
use riesz_core::{FunctionId, Type};
use riesz_program::evaluate::{Passed, call};
use riesz_program::pass::pass;
use riesz_program::passes::Pass;
use riesz_program::{ProcedureId, Program, lower_plainly};
use riesz_test::program::checked;

/// A loop program of one function, and what that takes.
pub struct Plain {
    pub program: Program,
    pub entry: ProcedureId,
    parameters: Vec<Type>,
}

impl Plain {
    /// `fun f(x: [n]R) = body` after some passes.
    pub fn of(body: &str, passes: &[Pass]) -> Plain {
        let text = format!("fun f(x: [n]R) = {body}");
        let mut core = checked(&text).program;
        let at = core.functions.iter().position(|function| &*function.name == "f").expect("the function");
        let id = FunctionId(at as u32);
        riesz_calculus::compile_for_code(&mut core, &[id]).unwrap_or_else(|problems| panic!("{problems:?}"));
        let (program, entries) = lower_plainly(&core, &[id]);
        let entry = entries.into_iter().next().expect("one function").expect("it can be lowered");
        let function = core.function(id);
        let parameters = function.vars[..function.parameters].iter().map(|info| info.ty.clone()).collect();
        Plain { program: after(&program, passes), entry: entry.procedure, parameters }
    }

    /// The program after more passes, which has to give the same for arrays of all small sizes.
    pub fn after(&self, passes: &[Pass]) -> Program {
        self.after_all(&|program| *program = after(program, passes))
    }

    /// The same after a change of the whole program.
    pub fn after_all(&self, change: &dyn Fn(&mut Program)) -> Program {
        let mut improved = self.program.clone();
        change(&mut improved);
        riesz_program::verify::verify(&improved).expect("a loop program");
        for n in 0..20 {
            let numbers = (0..n).map(|i| Value::Real((i as f64).sin())).collect();
            let [count, array] = [Value::Int(n), Value::array(&Type::Real, numbers)];
            let arguments: Vec<Passed> =
                [&count, &array].into_iter().zip(&self.parameters).flat_map(|(value, ty)| pass(value, ty)).collect();
            let [before, after] =
                [&self.program, &improved].map(|program| call(program, self.entry, &mut arguments.clone()));
            assert_eq!(format!("{before:?}"), format!("{after:?}"), "n = {n}");
        }
        improved
    }
}

fn after(program: &Program, passes: &[Pass]) -> Program {
    let mut improved = program.clone();
    for pass in passes {
        improved.procedures.iter_mut().for_each(pass);
    }
    improved
}
