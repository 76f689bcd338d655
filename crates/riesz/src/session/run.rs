//! Running a function of the program: in the interpreter or as native code, with derivatives compiled before or
//! computed during the run.

use super::{Session, first, place};
use crate::via::Representation;
use crate::{Diagnostic, Limits, Value};
use riesz_calculus::Checkpoints;
use riesz_core::evaluate::{Globals, Machine, from_data};
use riesz_core::term::{Origin, Program};
use riesz_core::{FunctionId, GlobalId};
use riesz_native::Run;
use std::borrow::Cow;
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
                if let Some(native) = &mut self.native {
                    native.forget(&self.checker.program, function);
                }
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
        let known = |global: GlobalId| match values.get(&global) {
            Some(value) => Some((global, value.clone())),
            None => (checker.given(global)).map(|data| (global, from_data(data, &checker.program.global(global).ty))),
        };
        let mut globals: Globals<f64> =
            checker.program.reachable(&[function]).globals.into_iter().filter_map(known).collect();
        let machine = |limits: Limits, globals: Globals<f64>| {
            Machine::with_globals(&checker.program, limits, globals).differentiate_with(compiled, differentiate.clone())
        };
        // Data are for one expression.
        let is_computed = |global: &GlobalId| match checker.program.global(*global).origin {
            Origin::Computed(_) => true,
            Origin::Given => false,
        };
        if let (Some(native), None) = (native, via) {
            let program = match native.knows(function) {
                true => Cow::Borrowed(&checker.program),
                false => Cow::Owned(optimised(&checker.program, &[function])),
            };
            let result = native.run(
                function,
                &mut globals,
                &Run {
                    program: &program,
                    limits: &options.limits,
                    interpret: &|function, limits, globals| machine(limits, globals.clone()).run(function),
                    place: &|span| place(sources, span),
                },
            );
            values.extend(globals.into_iter().filter(|(global, _)| is_computed(global)));
            return result;
        }
        let mut machine = machine(options.limits.clone(), globals);
        let result = machine.run(function);
        let found = machine.globals().iter().map(|(global, value)| (*global, value.clone()));
        values.extend(found.filter(|(global, _)| is_computed(global)).collect::<Vec<_>>());
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
