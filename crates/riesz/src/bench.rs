//! Expressions that are prepared to be run many times, for benchmarks.
//!
//! ```text
//! prepare : text, bindings ──▶ code with its arguments        run : code with its arguments ──▶ time
//! ```
//!
//! All that comes before a value is done once: types, derivatives, code, top-level values, arguments.

use crate::handle::Compiled;
use crate::session::Session;
use crate::{Binding, Diagnostic, Error, Evaluated, Name, Options, Toolchain};
use riesz_core::Thunk;
use std::time::Duration;

/// An expression of a session that is ready to be run.
pub struct Prepared {
    compiled: Compiled,
    /// Its value.
    pub value: Evaluated,
}

impl Session {
    /// Prepares an expression: as native code where a compiler is given, else for the interpreter. Loops keep as much for
    /// their derivatives as the memory of an evaluation allows, as in [`Session::evaluate`].
    pub fn prepare(
        &mut self,
        text: &str,
        bindings: Vec<(Name, Binding)>,
        native: Option<&Toolchain>,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let options = Options { native: native.cloned(), ..self.options().clone() };
        self.with_expression("expression", text, bindings, |session, Thunk { function, ty }| {
            let said = |error: Error| error.diagnostics().to_vec();
            let compiled = session.expression_now(*function)?.compile(&options).map_err(said)?;
            let value = compiled.value().map_err(said)?;
            Ok(Prepared { compiled, value: Evaluated::new(value.measured(ty), value) })
        })
    }
}

impl Prepared {
    /// Whether it is native code.
    pub fn is_native(&self) -> bool {
        self.compiled.is_native()
    }

    /// Why the interpreter runs it, where native code was asked for.
    pub fn note(&self) -> Option<&Diagnostic> {
        self.compiled.notes().next()
    }

    /// How long its derivatives and its code took to make.
    pub fn compiled_in(&self) -> Duration {
        self.compiled.compiled_in()
    }

    /// Runs it, and drops what it gives.
    pub fn run(&self) -> Result<(), Error> {
        self.compiled.run_only()
    }

    /// The most bytes that the buffers of a run take at one time, where it is native code.
    pub fn bytes(&self) -> Option<u64> {
        self.compiled.bytes()
    }
}
