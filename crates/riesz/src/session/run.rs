//! Running a function of the program: in the interpreter or as native code, its derivatives compiled or met on the way.

use super::{Session, first, place};
use crate::via::Representation;
use crate::{Diagnostic, Limits, Value};
use riesz_calculus::Checkpoints;
use riesz_core::evaluate::{Machine, from_data};
use riesz_core::term::{Origin, Program};
use riesz_core::{FunctionId, GlobalId};
use riesz_native::Run;
use std::rc::Rc;

impl Session {
    /// Runs a function without parameters, and keeps the values of the `let`s that it needed.
    pub(crate) fn run(&mut self, function: FunctionId) -> Result<Value, Box<Diagnostic>> {
        let derivatives = riesz_calculus::has_derivatives(&self.checker.program, &[function]);
        let plain = derivatives.then(|| self.checker.program.clone());
        let result = self.run_bounded(function, self.options.checkpoints.unwrap_or_default(), plain.as_ref());
        match (result, plain) {
            (Err(problem), Some(plain)) if problem.code == "memory-limit" && self.options.checkpoints.is_none() => {
                self.checker.program = plain.clone();
                self.run_bounded(function, Checkpoints::Roots, Some(&plain))
            }
            (result, _) => result,
        }
    }

    fn run_bounded(
        &mut self,
        function: FunctionId,
        checkpoints: Checkpoints,
        plain: Option<&Program>,
    ) -> Result<Value, Box<Diagnostic>> {
        let place = self.checker.program.function(function).span;
        let work = |session: &mut Session| session.run_with(function, checkpoints).map_err(|problem| vec![*problem]);
        self.compiling(plain, Some(place), work).map_err(first)
    }

    fn run_with(&mut self, function: FunctionId, checkpoints: Checkpoints) -> Result<Value, Box<Diagnostic>> {
        let Session { checker, values, options, sources, native, .. } = self;
        let how = riesz_calculus::Options { checkpoints, by_cost: native.is_some(), ..Default::default() };
        let compile = |program: &mut Program| riesz_calculus::compile_with(program, &[function], &how).map_err(first);
        // Derivatives become plain functions before anything runs, except those that are wanted otherwise: these are met
        // while the program runs, and find what they differentiate compiled.
        let via = options.via.filter(|via| !via.is_compiled());
        let elsewhere = match via {
            Some(_) => {
                let mut program = checker.program.clone();
                compile(&mut program)?;
                Some(program)
            }
            None => {
                compile(&mut checker.program)?;
                None
            }
        };
        let compiled = elsewhere.as_ref().unwrap_or(&checker.program);
        let differentiate = Rc::new(via.map_or_else(Representation::at_run_time, |via| via.differentiator(false)));
        let known = |global: GlobalId| match values.get(global.0 as usize) {
            Some(value) => value.clone(),
            // Data are for one expression, and only its own are new.
            None => checker.given(global).map(|data| from_data(data, &checker.program.global(global).ty)),
        };
        let machine = |limits: Limits, known: &dyn Fn(GlobalId) -> Option<Value>| {
            Machine::new(&checker.program, limits, known).differentiate_with(compiled, differentiate.clone())
        };
        let computed = |(at, value): (usize, Option<Value>)| match checker.program.globals[at].origin {
            Origin::Computed(_) => value,
            Origin::Given => None,
        };
        if let (Some(native), None) = (native, via) {
            let program = match native.knows(function) {
                true => checker.program.clone(),
                false => optimised(&checker.program, &[function]),
            };
            let mut globals: Vec<Option<Value>> =
                (0..checker.program.globals.len() as u32).map(|at| known(GlobalId(at))).collect();
            let result = native.run(
                function,
                &mut globals,
                &Run {
                    program: &program,
                    limits: &options.limits,
                    interpret: &|function, limits, globals| {
                        machine(limits, &|id| globals.get(id.0 as usize).cloned().flatten()).run(function)
                    },
                    place: &|span| place(sources, span),
                },
            );
            *values = globals.into_iter().enumerate().map(computed).collect();
            return result;
        }
        let mut machine = machine(options.limits.clone(), &known);
        let result = machine.run(function);
        let kept = machine.globals().iter().cloned().enumerate().map(computed).collect();
        *values = kept;
        result
    }
}

/// The program with functions optimised, as native code wants them.
pub(crate) fn optimised(program: &riesz_core::Program, functions: &[FunctionId]) -> riesz_core::Program {
    let mut program = program.clone();
    // What cannot be made direct stays a function as a value, which the interpreter knows.
    let _ = riesz_calculus::compile_for_code(&mut program, functions);
    program
}
