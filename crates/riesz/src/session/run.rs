//! Running a function of the program: in the interpreter or as native code, with derivatives compiled before or
//! computed during the run.
//!
//! A run does not change the program: derivatives are compiled in a [`Compilation`], which lives as long as its value. Only
//! the values of top-level `let`s stay, with the functions to which closures and maps in them refer.

use super::{Session, first};
use crate::compilation::{Compilation, CompileSettings, DONE_EARLY, Execution, is_impatient, place};
use crate::toolchain::{Maker, PATIENCE};
use crate::{Check, Diagnostic, Limits, Toolchain, Type, Value};
use riesz_calculus::{Checkpoints, compile_with, functions_of, has_derivatives};
use riesz_core::evaluate::{Globals, from_data};
use riesz_core::term::{Origin, Program};
use riesz_core::{FunctionId, GlobalId};

/// A value, and the program that the functions in it are of, where that is not the session's.
pub(super) struct Ran {
    pub value: Value,
    pub program: Option<Program>,
}

impl Session {
    /// From now on notes what runs each program, and why.
    pub fn explain(&mut self) {
        self.explanations.get_or_insert_default();
    }

    /// The backends that have run programs since the last call, with the reasons, if [`Session::explain`] asks for
    /// them.
    pub fn take_explanations(&mut self) -> Vec<String> {
        self.explanations.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Where the interpreter has taken over from native code since this was last asked, and why; and what a trap has found.
    pub fn take_notes(&mut self) -> Vec<Diagnostic> {
        let mut notes = self.notes[self.notes_seen..].to_vec();
        self.notes_seen = self.notes.len();
        notes.extend(self.options.trap.iter().flat_map(|trap| trap.take()));
        notes
    }

    /// Compiles checks all at once: their derivatives, and their code where and when code is made.
    pub fn prepare_checks(&mut self, checks: &[Check]) {
        if self.options.native.is_none() {
            return;
        }
        let functions: Vec<FunctionId> = checks.iter().map(|check| check.function).collect();
        let checkpoints = self.options.checkpoints.unwrap_or_default();
        self.prepared = self.compilation(&functions, checkpoints).ok().or_else(|| {
            // A check that cannot be compiled within the limits says so when it is run; the others are compiled without it.
            let fine = functions.iter().copied().filter(|function| {
                let mut program = self.checker.program.part(&[*function], &|_| false);
                let compiled = self.within(|| riesz_calculus::compile_from(&mut program, &[*function]));
                compiled.is_ok_and(|compiled| compiled.is_ok())
            });
            let fine: Vec<FunctionId> = fine.collect();
            self.compilation(&fine, checkpoints).ok()
        });
    }

    /// Runs a function without parameters, and keeps the values of the `let`s that it needed.
    pub(crate) fn run(&mut self, function: FunctionId) -> Result<Value, Box<Diagnostic>> {
        self.run_with_program(function).map(|ran| ran.value)
    }

    /// The same with the program that the functions in the value are of.
    pub(super) fn run_with_program(&mut self, function: FunctionId) -> Result<Ran, Box<Diagnostic>> {
        if self.explanations.is_none() {
            return self.run_untold(function);
        }
        let (ran, systems) = riesz_runtime::noting_systems(|| self.run_untold(function));
        let mut told: Vec<(String, usize)> = Vec::new();
        for system in systems {
            let line = format!("solve: {system}");
            match told.iter_mut().find(|(other, _)| *other == line) {
                Some((_, times)) => *times += 1,
                None => told.push((line, 1)),
            }
        }
        let lines =
            told.into_iter().map(|(line, times)| if times == 1 { line } else { format!("{line}; {times} times") });
        self.explanations.get_or_insert_default().extend(lines);
        ran
    }

    fn run_untold(&mut self, function: FunctionId) -> Result<Ran, Box<Diagnostic>> {
        if let Some(compilation) = self.prepared.take_if(|compilation| compilation.holds(function)) {
            let result = self.run_in(&compilation, function, false);
            let has_derivatives = compilation.has_derivatives;
            self.prepared = Some(compilation);
            return match result {
                Err(problem) if has_derivatives && self.may_checkpoint(&problem) => self.run_checkpointed(function),
                result => Ok(Ran { value: result?, program: None }),
            };
        }
        self.settle(function)?;
        let has_derivatives = has_derivatives(&self.checker.program, &[function]);
        let limits = self.options.limits.clone();
        // A program without derivatives runs as it stands.
        let mut impatient = false;
        if !has_derivatives {
            let few = Limits { steps: limits.steps.min(PATIENCE), ..limits.clone() };
            match self.options.makes_code().map(Toolchain::waits) {
                None => return self.run_as_it_stands(function, &limits),
                Some(false) => {}
                Some(true) => match self.run_as_it_stands(function, &few) {
                    Err(problem) if is_impatient(&problem, &limits) => impatient = true,
                    result => return result,
                },
            }
        }
        let compilation = self.compilation(&[function], self.options.checkpoints.unwrap_or_default()).map_err(first);
        if let (true, Ok(compilation)) = (impatient, &compilation) {
            compilation.make_code(&limits);
        }
        match compilation.and_then(|compilation| Ok((self.run_in(&compilation, function, true)?, compilation))) {
            Err(problem) if has_derivatives && self.may_checkpoint(&problem) => self.run_checkpointed(function),
            Err(problem) => Err(problem),
            Ok((value, compilation)) => Ok(Ran { value, program: Some(compilation.into_program()) }),
        }
    }

    /// Whether a run is tried again with as little kept for derivatives as possible.
    fn may_checkpoint(&self, problem: &Diagnostic) -> bool {
        problem.code == "memory-limit" && self.options.checkpoints.is_none()
    }

    fn run_checkpointed(&mut self, function: FunctionId) -> Result<Ran, Box<Diagnostic>> {
        self.settle(function)?;
        let compilation = self.compilation(&[function], Checkpoints::Roots).map_err(first)?;
        let value = self.run_in(&compilation, function, true)?;
        Ok(Ran { value, program: Some(compilation.into_program()) })
    }

    /// The value of a function of a compilation. One that was compiled before `let`s with functions were computed does not know
    /// what these refer to, and computes them itself.
    fn run_in(
        &mut self,
        compilation: &Compilation,
        function: FunctionId,
        settled: bool,
    ) -> Result<Value, Box<Diagnostic>> {
        let mut globals = self.known(&[function]);
        globals.retain(|id, _| settled || !holds_functions(&self.checker.program.global(*id).ty));
        let result = compilation.run(function, &mut globals, &self.options.limits);
        self.note(compilation);
        if self.is_told_of_code() {
            self.add_notes(compilation.stopped());
        }
        let runner = compilation.runner(function);
        self.ran(function, || runner);
        self.keep(globals);
        result
    }

    fn run_as_it_stands(&mut self, function: FunctionId, limits: &Limits) -> Result<Ran, Box<Diagnostic>> {
        let (program, mut globals) = (&self.checker.program, self.known(&[function]));
        let place = Execution {
            program,
            compiled: program,
            via: self.options.via,
            code: self.options.code,
            trap: &self.options.trap,
            tries: limits.steps < self.options.limits.steps,
        };
        let result = place.run(function, globals.clone(), limits, |machine| {
            let result = machine.run(function);
            globals = machine.globals().clone();
            result
        });
        self.keep(globals);
        if result.is_ok() {
            let is_early = limits.steps < self.options.limits.steps;
            self.ran(function, || if is_early { DONE_EARLY } else { "the interpreter" }.to_string());
        }
        Ok(Ran { value: result?, program: None })
    }

    /// Explains which backend has run a function, for `--explain`.
    fn ran(&mut self, function: FunctionId, runner: impl FnOnce() -> String) {
        if let Some(explanations) = &mut self.explanations {
            let place = place(&self.sources, self.checker.program.function(function).span);
            explanations.push(format!("{place}: run by {}", runner()));
        }
    }

    /// Whether it is told where the interpreter takes the place of machine code: where the user has asked for code, or for
    /// explanations.
    fn is_told_of_code(&self) -> bool {
        self.explanations.is_some() || !self.options.native.as_ref().is_some_and(Toolchain::waits)
    }

    /// Functions and the globals that they need, compiled together.
    pub(super) fn compilation(
        &mut self,
        functions: &[FunctionId],
        checkpoints: Checkpoints,
    ) -> Result<Compilation, Vec<Diagnostic>> {
        let (program, values) = (&self.checker.program, &self.values);
        // Functions in values that are known refer to the program.
        let mut roots = functions.to_vec();
        let needed = program.reachable(functions).globals;
        roots.extend(functions_of(needed.iter().filter_map(|global| values.get(global))));
        let is_data = |global: GlobalId| !holds_functions(&program.global(global).ty);
        let part = program.part(&roots, &|global| values.contains_key(&global) && is_data(global));
        let how = CompileSettings { options: &self.options, checkpoints, sources: &self.sources };
        let compilation = Compilation::new(part, functions, &|global| values.contains_key(&global), &how)?;
        self.note(&compilation);
        Ok(compilation)
    }

    /// Tells once where the interpreter takes the place of native code. Where nothing could be compiled, nothing more is.
    fn note(&mut self, compilation: &Compilation) {
        if let (Some(problem), Some(native)) = (compilation.problem(), &mut self.options.native)
            && matches!(native.maker, Maker::Compiler(_))
        {
            *native = Toolchain { maker: Maker::Compiler(Err(problem.clone())), ..native.clone() };
            if std::mem::replace(&mut self.told, true) {
                return;
            }
        }
        if self.is_told_of_code() {
            self.add_notes(compilation.notes());
        }
    }

    fn add_notes<'n>(&mut self, notes: impl IntoIterator<Item = &'n Diagnostic>) {
        for note in notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }

    /// The values of the globals that functions need, as far as they are known.
    fn known(&self, functions: &[FunctionId]) -> Globals<f64> {
        let value = |global: GlobalId| match self.values.get(&global) {
            Some(value) => Some((global, value.clone())),
            None => {
                let data = self.checker.given(global)?;
                Some((global, from_data(data, &self.checker.program.global(global).ty)))
            }
        };
        self.checker.program.reachable(functions).globals.into_iter().filter_map(value).collect()
    }

    /// Keeps the values of `let`s. Data are for one expression, and so is what holds functions of a compilation.
    fn keep(&mut self, globals: Globals<f64>) {
        let program = &self.checker.program;
        self.values.extend(globals.into_iter().filter(|(id, _)| {
            // A compilation makes literals globals of its own.
            let Some(global) = program.globals.get(id.0 as usize) else { return false };
            matches!(global.origin, Origin::Computed(_)) && !holds_functions(&global.ty)
        }));
    }

    /// Computes the values of the `let`s that hold functions or maps and that a function needs: what they refer to becomes
    /// a part of the program.
    fn settle(&mut self, function: FunctionId) -> Result<(), Box<Diagnostic>> {
        let mut needed = self.checker.program.reachable(&[function]).globals;
        needed.sort_unstable();
        for global in needed {
            let of = self.checker.program.global(global);
            if holds_functions(&of.ty) && of.origin != Origin::Computed(function) {
                self.value_of(global)?;
            }
        }
        Ok(())
    }

    /// The value of a global, computed once; none of data that were not given. Functions in it are those of the program.
    pub(crate) fn value_of(&mut self, global: GlobalId) -> Result<Option<Value>, Box<Diagnostic>> {
        if let Some(value) = self.values.get(&global) {
            return Ok(Some(value.clone()));
        }
        let of = self.checker.program.global(global);
        let Origin::Computed(function) = of.origin else {
            return Ok(self.checker.given(global).map(|data| from_data(data, &of.ty)));
        };
        let value = match holds_functions(&of.ty) {
            false => self.run(function)?,
            true => {
                let mut needed = self.checker.program.reachable(&[function]).globals;
                needed.sort_unstable();
                for global in needed {
                    self.value_of(global)?;
                }
                self.settled(function)?
            }
        };
        self.values.insert(global, value.clone());
        Ok(Some(value))
    }

    fn settled(&mut self, function: FunctionId) -> Result<Value, Box<Diagnostic>> {
        let is_compiled = self.options.via.is_none_or(|via| via.is_compiled());
        if !has_derivatives(&self.checker.program, &[function]) {
            return Ok(self.run_as_it_stands(function, &self.options.limits.clone())?.value);
        }
        if !is_compiled {
            // Nothing is added to the program, in which derivatives are met while it runs.
            let compilation = self.compilation(&[function], Checkpoints::default()).map_err(first)?;
            return self.run_in(&compilation, function, true);
        }
        match self.settled_with(function, self.options.checkpoints.unwrap_or_default()) {
            Err(problem) if self.may_checkpoint(&problem) => self.settled_with(function, Checkpoints::Roots),
            result => result,
        }
    }

    /// The value of a function whose derivatives become a part of the program, unless something goes wrong.
    fn settled_with(&mut self, function: FunctionId, checkpoints: Checkpoints) -> Result<Value, Box<Diagnostic>> {
        let plain = self.checker.program.clone();
        let span = plain.function(function).span;
        let associate = self.options.associate;
        let how = riesz_calculus::Options { checkpoints, associate, ..Default::default() };
        let result = self.compiling(span, |session| {
            compile_with(&mut session.checker.program, &[function], &how)?;
            let limits = session.options.limits.clone();
            session.run_as_it_stands(function, &limits).map(|ran| ran.value).map_err(|problem| vec![*problem])
        });
        match result {
            Ok(_) => self.grown = true,
            Err(_) => self.checker.program = plain,
        }
        result.map_err(first)
    }
}

/// Whether values of a type hold functions or linear maps, which refer to a program.
pub(crate) fn holds_functions(ty: &Type) -> bool {
    ty.any(&mut |part| matches!(part, Type::Function(_) | Type::Linear(_)))
}
