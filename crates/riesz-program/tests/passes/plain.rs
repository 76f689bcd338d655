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

    /// The same but for rounding: the passes change the order of sums.
    pub fn about(&self, passes: &[Pass]) -> Program {
        let change = |program: &mut Program| *program = after(program, passes);
        self.compared(&change, &|before, after| {
            let close = |(a, b): (f64, f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()) || a.is_nan() && b.is_nan();
            let [before, after] = [before, after].map(numbers);
            assert_eq!(before.len(), after.len());
            assert!(before.iter().copied().zip(after.iter().copied()).all(close), "{before:?}, then {after:?}");
        })
    }

    /// The same after a change of the whole program.
    pub fn after_all(&self, change: &dyn Fn(&mut Program)) -> Program {
        self.compared(change, &|before, after| assert_eq!(before, after))
    }

    /// The program after a change, for which results are compared as text.
    fn compared(&self, change: &dyn Fn(&mut Program), compare: &dyn Fn(&str, &str)) -> Program {
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
            compare(&format!("{before:?}"), &format!("{after:?}"));
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

/// The numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".-+".contains(c)));
    parts.filter_map(|part| part.parse().ok()).collect()
}
