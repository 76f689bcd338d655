//! The means to make native code: a compiler, its settings, and the threads that share the work of loops.

use crate::{Compiler, Pool, Problem, Settings, Watch};
use std::sync::Arc;

/// What makes and runs native code.
///
/// ```
/// use riesz::{Options, Toolchain};
///
/// // Where there is no compiler, the interpreter runs the program.
/// let options = Options { native: Toolchain::find(1).ok(), ..Options::default() };
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct Toolchain {
    /// The compiler, or why there is none.
    pub(crate) compiler: Result<Compiler, Problem>,
    /// How it compiles.
    pub settings: Settings,
    /// What shares the work of loops, where that is more than one thread.
    pub(crate) pool: Option<Arc<Pool>>,
}

impl Toolchain {
    /// The compiler of the machine, and so many threads for the loops of a call. Results do not depend on how many there
    /// are. An error says why there is no compiler.
    pub fn find(threads: usize) -> Result<Toolchain, Problem> {
        let found = Toolchain::find_or_tell(threads);
        match found.compiler {
            Err(problem) => Err(problem),
            Ok(_) => Ok(found),
        }
    }

    /// The same, where whoever runs a program is told when native code is first needed that there is no compiler: then the
    /// interpreter runs it.
    pub fn find_or_tell(threads: usize) -> Toolchain {
        let pool = (threads > 1).then(|| Arc::new(Pool::new(threads)));
        Toolchain { compiler: Compiler::find(), settings: Settings::default(), pool }
    }

    /// The same with another compiler.
    pub fn with_compiler(self, compiler: Compiler) -> Toolchain {
        Toolchain { compiler: Ok(compiler), ..self }
    }

    /// The same, telling how long the compiler takes.
    pub fn watched_by(self, watch: Watch) -> Toolchain {
        Toolchain { compiler: self.compiler.map(|compiler| compiler.watched_by(watch)), ..self }
    }

    /// The same with a cache of its own for programs, in which nothing is built: for clocks.
    pub fn afresh(&self) -> Result<Toolchain, Problem> {
        let compiler = self.compiler.as_ref().map_err(Problem::clone)?.afresh()?;
        Ok(self.clone().with_compiler(compiler))
    }
}

impl std::fmt::Debug for Toolchain {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let threads = self.pool.as_ref().map_or(1, |pool| pool.crew().threads());
        let version = self.compiler.as_ref().map(|compiler| compiler.version().lines().next().unwrap_or_default());
        f.debug_struct("Toolchain").field("compiler", &version).field("threads", &threads).finish()
    }
}
